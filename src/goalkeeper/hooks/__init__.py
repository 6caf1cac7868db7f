"""Clients call these modules at every prompt and every stop, so they must load fast."""
