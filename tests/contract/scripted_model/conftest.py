"""One server for a module's tests, a lane for each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scripted_model.server import Lane, Models, serving


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with serving() as models:
        yield models


@pytest.fixture
def lane(models: Models, request: pytest.FixtureRequest) -> Lane:
    return models.lane(request.node.name)
