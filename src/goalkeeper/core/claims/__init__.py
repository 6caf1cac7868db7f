"""What an author claims, read from every sentence, and the evidence that each claim needs."""
