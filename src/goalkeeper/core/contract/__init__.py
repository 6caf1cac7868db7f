"""A contract: what must be true for a goal to be met, and what was seen of it."""
