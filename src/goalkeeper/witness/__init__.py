"""The isolated place where checks run, and what is read there."""
