"""Drives agents through a plan until it is proven."""
