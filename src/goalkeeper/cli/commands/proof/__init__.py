"""Commands about contracts, judgements and reviews."""
