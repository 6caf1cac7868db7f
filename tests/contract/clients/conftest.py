"""A scripted model for a module's tests, and a stage for each client that is installed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.clients import installed
from tests.contract.clients.stage import Stage
from tests.scripted_model.server import Lane, Models, serving

SetUp: TypeAlias = Callable[[str], Stage]


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with serving() as models:
        yield models


@pytest.fixture
def lane(models: Models, request: pytest.FixtureRequest) -> Lane:
    return models.lane(request.node.name)


@pytest.fixture
def stage_of(lane: Lane) -> Iterator[SetUp]:
    """Short paths: Claude Code puts a socket into its folder for temporary files."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:

        def set_up(name: str) -> Stage:
            program = installed(name)
            if program is None:
                pytest.skip(f"{name} is not installed: python -m tools.clients install {name}")
            return Stage(name, program, Path(folder) / name, lane.url)

        yield set_up
