"""Sessions of a client that are held until their goal is proven."""
