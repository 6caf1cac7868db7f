"""goalkeeper keeps a coding agent on a goal until an independent witness has proved it met.

Importing this package does nothing, because every hook imports it.
"""

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  slow; only when asked

        return version("goalkeeper")
    raise AttributeError(name)
