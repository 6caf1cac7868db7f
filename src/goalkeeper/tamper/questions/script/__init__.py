"""Questions in tests of JavaScript and TypeScript."""
