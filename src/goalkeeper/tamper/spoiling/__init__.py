"""Changes what tests expect: with other expectations every test must fail."""
