"""Languages that are read line by line."""
