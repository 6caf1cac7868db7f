"""Texts and numbers that stand in code, and others to put in their place."""
