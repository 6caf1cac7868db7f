"""Reviewers hand in what the strict gate asks for, and here it is read."""
