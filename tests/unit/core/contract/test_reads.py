"""Which changes can matter to a check that was seen to open some paths."""

from __future__ import annotations

import pytest

from goalkeeper.core.contract.reads import Reads, Side, is_affected

ONE, TWO = ("100644", "1" * 40), ("100644", "2" * 40)
LINK = ("120000", "1" * 40)
EMPTY = ("100644", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
TREE = {
    "": ("src/", "tests/", "docs/", "setup.sh"),
    "src": ("a.py", "b.py", "c.txt"),
    "tests": ("test_a.py", "test_b.py"),
    "docs": ("index.md",),
}
# As `pytest tests/test_a.py` opens them: Python lists every folder that it imports from.
ONE_TEST = Reads(frozenset({"tests/test_a.py", "src/a.py"}), frozenset({"", "src", "tests"}))
ALL_TESTS = ONE_TEST.replace(files=ONE_TEST.files | {"tests/test_b.py", "src/b.py"})
NOTHING = Reads(frozenset(), frozenset())


class Seen:
    """The tree of a check; `words` are those of the check and of the files that it opened."""

    def __init__(self, words: str) -> None:
        self._words = words

    def list_names(self, folder: str) -> tuple[str, ...]:
        return TREE.get(folder, ())

    def mentions(self, text: str) -> bool:
        return text in self._words


def affects(
    reads: Reads, path: str, old: Side, new: Side, words: str = "pytest tests/test_a.py"
) -> bool:
    return is_affected(reads, {path: (old, new)}, Seen(words))


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("src/a.py", ONE, TWO, True),
        ("src/b.py", ONE, TWO, False),
        ("src/b.py", ONE, None, True),  # whether it is there shows without opening it
        ("src/b.py", ONE, ("100755", ONE[1]), True),
        ("src/b.py", ONE, EMPTY, True),
        ("src/b.py", EMPTY, ONE, True),
        (
            "src/b.py",
            LINK,
            ("120000", "3" * 40),
            True,
        ),  # nobody opens a link
    ],
)
def test_what_was_opened_matters_and_what_shows_without(
    path: str, old: Side, new: Side, expected: bool
) -> None:
    assert affects(ONE_TEST, path, old, new) is expected


@pytest.mark.parametrize(
    ("reads", "path", "expected"),
    [
        (ONE_TEST, "tests/test_c.py", False),  # it left test_b.py alone: it picks by name
        (ALL_TESTS, "tests/test_c.py", True),  # it takes what it finds
        (ONE_TEST, "docs/new.md", False),  # nobody looked there
        (ONE_TEST, "src/d.py", False),
        (ONE_TEST, "src/d.txt", True),  # it opened none of these: it may only count them
        (ONE_TEST, "src/d.json", True),  # nothing like it was there: what it does is unknown
        (ONE_TEST, "tests/conftest.py", True),  # a harness is looked for in silence
        (ONE_TEST, "extra/deep/x.py", False),  # docs/ was left alone, too
        (ONE_TEST.replace(files=ONE_TEST.files | {"tests/test_b.py"}), "tests/test_c.py", True),
        (Reads(ONE_TEST.files, frozenset({"", "src", "tests", "docs"})), "extra/x.py", True),
        (Reads(frozenset(), frozenset({"src"})), "src/d.py", True),  # it lists and opens nothing
        (NOTHING, "src/d.py", False),
    ],
)
def test_a_new_file_matters_to_who_lists_its_folder(
    reads: Reads, path: str, expected: bool
) -> None:
    assert affects(reads, path, None, ONE) is expected


def test_a_new_file_matters_to_a_check_that_names_it() -> None:
    assert affects(NOTHING, "out/done.txt", None, ONE, "test ! -e out/done.txt")
    assert not affects(NOTHING, "out/other.txt", None, ONE, "test ! -e out/done.txt")
    assert affects(ONE_TEST, "src/fast.py", None, ONE, "try: import fast")
    assert affects(ONE_TEST, "tests/test_c.py", None, ONE, "for f in tests/*.py; do")
