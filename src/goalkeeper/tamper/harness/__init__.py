"""Readers of what runs the checks: build files, CI, settings of test runners."""
