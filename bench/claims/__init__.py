"""Sentences labelled by hand, and how well the engine finds what is in them."""
