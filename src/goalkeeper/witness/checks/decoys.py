"""Files beside a test run that show whether the code under test has changed the runner."""

from __future__ import annotations

import os
from functools import cache

from goalkeeper.witness.check_context import Decoy


def make_pytest_decoy(module: str, test: str) -> Decoy:
    """Return a test of that name, which pytest must report as failed."""
    source = _read_source("decoy_plugin.py").replace("test_decoy", test)
    return Decoy(f"{module}.py", source, "PYTHONPATH", "{folder}")


@cache
def make_node_decoy() -> Decoy:
    """Return a decoy: node ends with 1 if the code under test replaced node's own assertions."""
    return Decoy(
        "decoy.cjs", _read_source("decoy.cjs"), "NODE_OPTIONS", '--require="{folder}/decoy.cjs"'
    )


@cache
def _read_source(file: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), file), encoding="utf-8") as source:
        return source.read()
