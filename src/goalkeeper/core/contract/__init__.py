"""A contract says what must be true for a goal to be met; judgements say what was seen of it."""
