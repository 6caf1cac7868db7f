"""Spoils tests of JavaScript and TypeScript."""
