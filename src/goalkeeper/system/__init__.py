"""The one way to start, watch and end programs."""
