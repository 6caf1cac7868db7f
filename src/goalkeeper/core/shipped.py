"""Tables that are shipped with the program: as much a part of it as its modules are."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def read_tables(package: str, *path: str) -> dict[str, Any]:
    """Read a TOML file of a package, at its first use and once."""
    data = resources.files(package).joinpath(*path).read_text(encoding="utf-8")
    return tomllib.loads(data)
