"""Runs campaigns: starts sessions, follows them, and lands what is proven together."""
