"""How answers look to people: pages made from documents and values, and nothing else."""
