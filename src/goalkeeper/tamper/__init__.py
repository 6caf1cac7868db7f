"""Rules that read the change from base to candidate, per language."""
