"""A contract that examiners drafted, and what their tests have shown (docs/decisions/0018)."""
