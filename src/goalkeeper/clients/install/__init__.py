"""Puts hooks, commands and skills into clients, and takes them out again."""
