"""Commands that drive agents and bring their work home."""
