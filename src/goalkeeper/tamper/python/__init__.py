"""What rules read in Python."""
