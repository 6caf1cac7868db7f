"""Repositories to run the command in."""

from pathlib import Path

import pytest

from tests.e2e.drives import Driven
from tests.e2e.project import SUITE, Project, contract, criterion
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


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A plan with its first goal active, for many tests: bad input does not change it."""
    world = World(tmp_path_factory.mktemp("started"))
    world.plan()
    world.start()
    return world


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A plan with a blocked, an active and a pending goal, for tests that only look."""
    world = World(tmp_path_factory.mktemp("steady"))
    world.plan()
    world.blocked()
    world.start()
    return world


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with a product that does not work yet, and no plan."""
    return Project(tmp_path)


@pytest.fixture
def suite(tmp_path: Path) -> Project:
    """One with a package and its tests."""
    return Project(tmp_path, SUITE)


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    """One with a brief that an agent can be driven by."""
    return Driven(tmp_path)


@pytest.fixture
def driven_suite(tmp_path: Path) -> Driven:
    """As above, about a package and its tests."""
    driven = Driven(tmp_path, SUITE)
    driven.ask(contract(criterion("C1", {"pytest": "tests"})))
    return driven
