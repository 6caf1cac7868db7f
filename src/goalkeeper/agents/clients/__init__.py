"""One module per client."""
