"""Tables of cases: one test that tries them all, or a sample where all of them take long."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from _pytest.mark import ParameterSet

Test: TypeAlias = Callable[..., None]
Ids: TypeAlias = Iterable[str] | Callable[[Any], object] | None


def for_each(
    names: str | Sequence[str], cases: Iterable[Any], ids: Ids = None
) -> Callable[[Test], Test]:
    """Call the test once for each case, with arguments as `pytest.mark.parametrize` gives them.

    pytest then counts, reports and sets up one test instead of one for each case. What fails in
    one case does not keep the others from being tried. A `tmp_path` is a new folder in each case.
    """
    wanted = _split(names)
    table = [*cases]
    assert table, "a table without cases proves nothing"

    def decorate(test: Test) -> Test:
        @wraps(test)
        def try_all(*args: object, **fixtures: object) -> None:
            failures = []
            for number, case in enumerate(table):
                values = _values(case, len(wanted))
                given = {**fixtures, **dict(zip(wanted, values, strict=True))}
                if isinstance(place := fixtures.get("tmp_path"), Path):
                    given["tmp_path"] = place / str(number)
                    (place / str(number)).mkdir()
                try:
                    test(*args, **given)
                except Exception as failure:  # noqa: BLE001  the other cases are tried all the same
                    failure.add_note(f"case: {_name(case, values, number, ids)}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(table)} cases failed", failures)

        signature = inspect.signature(test)
        kept = [one for one in signature.parameters.values() if one.name not in wanted]
        assert len(kept) + len(wanted) == len(signature.parameters), (wanted, signature)
        try_all.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return try_all

    return decorate


def thorough(*values: object) -> "ParameterSet":
    """Make a row for `make thorough`: it shows more of what a row beside it shows."""
    return pytest.param(*values, marks=pytest.mark.thorough)


def sampled(cases: Iterable[Any], *, one_in: int) -> list[Any]:
    """Make parameters of the cases; one in so many, or all for `make thorough`."""
    return [
        pytest.param(
            *(case if type(case) is tuple else (case,)),  # a named tuple is one value
            marks=pytest.mark.thorough if number % one_in else (),
        )
        for number, case in enumerate(cases)
    ]


def in_two(cases: Iterable[Any], *, one_in: int) -> list[Any]:
    """Make two parameters, each a list of cases: a sample, and the rest for `make thorough`.

    It is for tables whose cases are too quick to be set up and counted one by one.
    """
    table = [*cases]
    rest = [case for number, case in enumerate(table) if number % one_in]
    return [
        pytest.param(table[::one_in], id="sample"),
        pytest.param(rest, id="rest", marks=pytest.mark.thorough),
    ]


def _split(names: str | Sequence[str]) -> list[str]:
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]


def _values(case: Any, count: int) -> Sequence[object]:  # noqa: ANN401  as pytest takes it
    if hasattr(case, "marks"):  # a pytest.param
        assert not case.marks, "a mark on a case needs a test of its own"
        given: Sequence[object] = case.values
        return given
    return (case,) if count == 1 else tuple(case)


def _name(case: object, values: Sequence[object], number: int, ids: Ids) -> str:
    own = getattr(case, "id", None) if hasattr(case, "marks") else None
    if own:
        return str(own)
    if callable(ids):
        return "-".join(str(ids(value)) for value in values)
    return [*ids][number] if ids else ", ".join(map(repr, values))
