"""The kinds of checks; kinds that belong together share a module."""
