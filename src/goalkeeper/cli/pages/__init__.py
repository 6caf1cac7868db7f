"""How answers look to people: pages are made from documents and values, and nothing else."""
