"""What rules read in shell scripts."""
