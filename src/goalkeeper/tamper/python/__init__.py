"""Readers of Python."""
