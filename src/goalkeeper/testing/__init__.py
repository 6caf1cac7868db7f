"""Doubles that ship: for our own tests and for those of our users."""
