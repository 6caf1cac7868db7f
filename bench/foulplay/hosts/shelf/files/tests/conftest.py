import pytest

from shelf import Catalogue


@pytest.fixture
def catalogue():
    return Catalogue.parse("Emma; book\nMetropolis; film\nThe Emma Game; game\n")
