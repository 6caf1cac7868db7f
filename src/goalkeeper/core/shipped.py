"""Tables that are shipped with the program: as much a part of it as its modules are."""

from __future__ import annotations

import pkgutil
import tomllib
from functools import cache
from typing import Any


@cache
def read_tables(package: str, *path: str) -> dict[str, Any]:
    """Read a TOML file of a package, at its first use and once."""
    data = pkgutil.get_data(package, "/".join(path))
    if data is None:
        raise FileNotFoundError(package, *path)  # without its rules a reader would find nothing
    return tomllib.loads(data.decode())
