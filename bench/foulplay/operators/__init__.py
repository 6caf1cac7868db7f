"""The ways to cheat, a module for each family."""
