"""`for_each` tries every case, names those that fail, and leaves the fixtures to pytest."""

import inspect
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.tables import for_each


def test_all_cases_are_tried_and_those_that_fail_are_named() -> None:
    tried = []

    @for_each("number, is_even", [(1, True), (2, True), (3, True)])
    def test_evenness(number: int, is_even: bool) -> None:
        tried.append(number)
        assert (number % 2 == 0) is is_even

    with pytest.raises(ExceptionGroup, match="2 of 3 cases failed") as failed:
        test_evenness()

    assert tried == [1, 2, 3]
    notes = [note for failure in failed.value.exceptions for note in failure.__notes__]
    assert notes == ["case: 1, True", "case: 3, True"]


def test_tables_multiply_and_fixtures_stay_arguments() -> None:
    tried = []

    @for_each("left", "ab")
    @for_each("right", [pytest.param(1, id="one"), pytest.param(2, id="two")])
    def test_pairs(left: str, right: int, place: str) -> None:
        tried.append((place, left, right))

    test_pairs(place="here")

    assert [*inspect.signature(test_pairs).parameters] == ["place"]
    assert tried == [("here", "a", 1), ("here", "a", 2), ("here", "b", 1), ("here", "b", 2)]


def test_a_table_without_cases_is_refused() -> None:
    with pytest.raises(AssertionError, match="proves nothing"):
        for_each("number", [])


def test_each_case_has_a_folder_of_its_own() -> None:
    places = []

    @for_each("number", [1, 2])
    def test_places(number: int, tmp_path: Path) -> None:
        places.append(tmp_path)

    with TemporaryDirectory() as name:
        test_places(tmp_path=Path(name))
        assert places == [Path(name, "0"), Path(name, "1")]
        assert all(place.is_dir() for place in places)
