"""A folder of its own for each check."""

from pathlib import Path

import pytest

from tests.contract.witness.checks.places import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
