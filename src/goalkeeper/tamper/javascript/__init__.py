"""What rules read in JavaScript and TypeScript."""
