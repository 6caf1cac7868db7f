"""Small immutable values."""

import copy
import pickle

import pytest

from goalkeeper.wire.value import Value


class Point(Value):
    x: int
    y: int = 0


class Twin(Value):
    x: int
    y: int = 0


class Empty(Value):
    pass


def test_fields_are_given_by_place_by_name_or_by_default() -> None:
    assert Point(1, 2) == Point(1, y=2) == Point(x=1, y=2)
    assert Point(1) == Point(1, 0)


def test_values_with_equal_fields_are_equal_and_hash_alike() -> None:
    assert {Point(1, 2), Point(1, 2), Point(2, 1)} == {Point(1, 2), Point(2, 1)}
    assert Empty() == Empty()


def test_values_of_different_classes_are_different() -> None:
    one: object = Point(1)

    assert one != Twin(1)
    assert one != (1, 0)


def test_a_field_cannot_be_set() -> None:
    point = Point(1)

    with pytest.raises(AttributeError, match="Point is immutable"):
        point.x = 2  # type: ignore[misc]  # what we want to see refused
    assert point == Point(1)


def test_a_field_nobody_knows_cannot_be_set_either() -> None:
    with pytest.raises(AttributeError, match="Point is immutable"):
        Point(1).z = 2


def test_a_copy_with_changes_leaves_the_original_alone() -> None:
    point = Point(1, 2)

    assert point.replace(y=3) == Point(1, 3)
    assert point == Point(1, 2)


def test_a_missing_field_is_refused() -> None:
    with pytest.raises(TypeError, match="Point takes"):
        Point()  # type: ignore[call-arg]  # as above


def test_too_many_fields_are_refused() -> None:
    with pytest.raises(TypeError, match="Point takes"):
        Point(1, 2, 3)  # type: ignore[call-arg]  # as above


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(TypeError, match="Point takes"):
        Point(1, 2, z=3)  # type: ignore[call-arg]  # as above
    with pytest.raises(TypeError, match="Point takes"):
        Point(1).replace(z=3)


def test_fields_keep_the_order_in_which_they_are_declared() -> None:
    assert list(Point(y=2, x=1).as_dict().items()) == [("x", 1), ("y", 2)]
    assert repr(Point(y=2, x=1)) == "Point(x=1, y=2)"


def test_a_value_is_taken_apart_by_match() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("a point is a point")


def test_a_value_can_be_copied() -> None:
    point = Point(1, 2)

    assert copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
