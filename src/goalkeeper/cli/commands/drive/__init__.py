"""Commands that drive agents and land their work."""
