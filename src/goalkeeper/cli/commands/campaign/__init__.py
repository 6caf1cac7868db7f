"""The command about campaigns."""
