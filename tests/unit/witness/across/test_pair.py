"""Which held-out checks are asked across a pipe, and what counts as the product there."""

from typing import Any

import pytest

from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.held_out import find_python
from goalkeeper.core.contract.named_tests import name_tests
from goalkeeper.witness.across.pair import describe_unasked, list_import_names
from goalkeeper.witness.across.values import decode, encode, is_plain
from tests.checks import check
from tests.tables import for_each

UNITTEST: Any = name_tests(["python3", "-m", "unittest", "held_out.test_a"])


@for_each(
    ("kind", "main", "python"),
    [
        ("pytest", ["held_out"], "python3"),
        ("junit", UNITTEST["junit"], "python3"),
        ("junit", [".venv/bin/pytest", "held_out"], ".venv/bin/python3"),
        ("tap", ["python3.12", "-W", "error", "-B", "-m", "pytest", "held_out"], "python3.12"),
        ("command", ["python3", "held_out/ask.py"], "python3"),
        ("command", ["python3", "-m", "product", "held_out/case.txt"], ""),
        ("command", ["node", "--test", "held_out"], ""),
        ("shell", "python3 held_out/ask.py", ""),
    ],
)
def test_python_tests_are_asked_across_a_pipe(kind: str, main: Any, python: str) -> None:  # noqa: ANN401
    more = {"report": "r.xml"} if kind == "junit" else {}
    asked = check(kind, main, **more)

    assert find_python(asked) == python
    held_out = Criterion("H1", "", asked, held_out=("exam",))
    told = describe_unasked([held_out, Criterion("C1", "", asked)])
    assert [("H1" in line, "C1" in line) for line in told] == ([] if python else [(True, False)])


def test_what_can_be_imported_is_found_by_the_folders_that_are_no_packages() -> None:
    paths = ["src/shop/__init__.py", "src/shop/till.py", "tool.py", "more/loose.py", "a.txt"]
    paths += ["fast.cpython-311-x86_64-linux-gnu.so", "tests/helper.py"]

    found = list_import_names(paths, ["tests/helper.py"])

    assert found == {".": ["fast", "more", "src", "tool"], "src": ["shop"], "more": ["loose"]}
    regular = list_import_names(paths, ["tests/helper.py"], regular=True)
    assert regular == {".": ["fast", "tool"], "src": ["shop"], "more": ["loose"]}


@for_each(
    "wire",
    [{"a": 1}, [], [1], ["decimal", "x"], ["date", "never"], ["set", ["list"]], ["complex", "a"],
     ["int", 3], ["range"], ["offset", ["span", 9]], ["path"], ["pattern", "("]],
)  # fmt: skip
def test_what_is_no_value_is_refused(wire: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r".+"):
        decode(wire, lambda _: None)


def test_only_exact_types_are_told_as_they_are() -> None:
    class Odd(int):
        pass

    assert is_plain([1, {"a": (b"x", None)}])
    assert not is_plain([Odd(1)])
    assert encode(True, str) is True
