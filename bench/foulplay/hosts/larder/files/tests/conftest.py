import pytest

from larder import Pantry, Recipe

PANCAKES = """
serves 4
flour: 250 g
milk: 500 ml
butter: 50 g
"""


@pytest.fixture
def pantry():
    return Pantry()


@pytest.fixture
def pancakes():
    return Recipe.parse(PANCAKES)
