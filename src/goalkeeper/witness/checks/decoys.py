"""Files laid beside test runs, which show whether the code under test has bent the runner."""

from __future__ import annotations

from functools import cache

from goalkeeper.witness.check_context import Decoy


def for_pytest(module: str, test: str) -> Decoy:
    """A test of that name, which must be reported as failed."""
    source = _source("decoy_plugin.py").replace("test_decoy", test)
    return Decoy(f"{module}.py", source, "PYTHONPATH", "{folder}")


@cache
def for_node() -> Decoy:
    """A process in which node's own judges were replaced ends with 1."""
    return Decoy(
        "decoy.cjs", _source("decoy.cjs"), "NODE_OPTIONS", '--require="{folder}/decoy.cjs"'
    )


@cache
def _source(file: str) -> str:
    from importlib import resources  # noqa: PLC0415  dear, and only for checks that run

    return resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
