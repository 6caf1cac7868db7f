"""Answers to what no program settles, and the rules about them."""
