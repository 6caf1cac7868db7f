"""What artifacts show: each kind judged by what it is made of."""
