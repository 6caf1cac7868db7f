"""A plan: its goals, what may be asked of it, and what happened to it."""
