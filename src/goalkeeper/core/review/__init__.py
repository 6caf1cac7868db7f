"""What reviewers hand in for the strict gate, and what it comes to."""
