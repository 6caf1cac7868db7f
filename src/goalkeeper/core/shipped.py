"""Tables that are shipped with the program: as much a part of it as its modules are."""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import Any


@cache
def read_tables(package: str, *path: str) -> dict[str, Any]:
    """Read a TOML file of a package, at its first use and once."""
    data = pkgutil.get_data(package, "/".join(path))
    if data is None:
        raise FileNotFoundError(package, *path)  # without its rules a reader would find nothing
    return parse_toml(data.decode())


def parse_toml(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415  slow, and commands that only look read no tables

    return tomllib.loads(text)
