"""The tamper rules, family by family; `rules` has them in one table."""
