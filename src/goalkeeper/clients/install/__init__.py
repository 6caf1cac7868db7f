"""Putting hooks, commands and skills into clients, and taking them out again."""
