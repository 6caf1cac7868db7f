"""Sentences with right and wrong solutions: they show what drafted contracts are worth."""
