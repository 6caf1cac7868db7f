"""Unit tests use no disk, no process and no network: what tries to is refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.outside import refused


@pytest.fixture(autouse=True)
def home() -> Iterator[Path]:
    """Refuse the outside world for the test, which therefore needs no home of its own."""
    with refused():
        yield Path("/nowhere")
