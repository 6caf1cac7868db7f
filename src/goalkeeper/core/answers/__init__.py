"""Answers are given where no program settles a criterion, and rules bind them."""
