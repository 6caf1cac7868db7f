import pytest

from backmatter import Index


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch):
    monkeypatch.delenv("BACKMATTER_STYLE", raising=False)


@pytest.fixture
def index():
    return Index()
