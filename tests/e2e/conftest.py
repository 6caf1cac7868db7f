"""Repositories to run the command in."""

from pathlib import Path

import pytest

from tests.e2e.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A git repository without a plan."""
    return World(tmp_path)


@pytest.fixture
def planned(world: World) -> World:
    """One with the seed's three-story plan, nothing started."""
    world.plan()
    return world
