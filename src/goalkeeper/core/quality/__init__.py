"""The strict quality gate, as values."""
