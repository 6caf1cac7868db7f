"""Sentences are read for what their author claims, and each claim needs evidence of its kind."""
