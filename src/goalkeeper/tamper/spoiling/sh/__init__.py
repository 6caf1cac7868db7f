"""Spoils tests that are written in shell."""
