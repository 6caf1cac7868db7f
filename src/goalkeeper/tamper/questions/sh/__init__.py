"""Questions in tests that are written in shell."""
