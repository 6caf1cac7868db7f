"""goalkeeper keeps a coding agent on a goal until an independent witness has proved it met.

Importing this package does nothing, because every hook imports it.
"""

__version__ = "0.1.0"
