"""Path patterns of two sessions: whether some file matches both."""

import re
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.campaign.overlap import can_overlap, do_fences_overlap, is_covered
from goalkeeper.core.contract.globs import is_match
from tests.tables import for_each

PARTS = ["**/", "**", "*", "?", "a", "b", "/"]
# A pattern of three parts asks for at most three letters, so two of them for at most six.
SMALL_PATHS = ["".join(word) for size in range(7) for word in product("ab/", repeat=size)]


def write_patterns(parts: list[str], most: int) -> st.SearchStrategy[str]:
    """Patterns as a reader leaves them: not empty, and without slashes that say nothing."""
    made = st.lists(st.sampled_from(parts), min_size=1, max_size=most).map("".join)
    return made.filter(lambda text: not re.search(r"//|/$|\*\*\*", text))


@for_each(
    ("one", "other", "expected"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "src/b.py", False),
        ("src", "src/a.py", True),
        ("src/", "./src/a.py", True),
        ("src", "srcs/a.py", False),
        (".", "src/a.py", True),
        ("src/*.py", "src/a*", True),
        ("src/*.py", "src/x/a.py", False),
        ("src/*", "src/x/a.py", True),
        ("src/**/*.py", "src/api/**", True),
        ("src/**/*.py", "docs/**", False),
        ("src/a*.py", "src/b*.py", False),
        ("src/*a.py", "src/*b.py", False),
        ("src/*.py", "src/*.md", False),
        ("src/?.py", "src/ab.py", False),
        ("**/test_*.py", "tests/test_a.py", True),
        ("src/x?/a.py", "src/y*/a.py", False),
        ("src/**/*.py", "src/*.md", True),  # a folder may be named a.md
        ("src/[ab].py", "src/c.py", True),  # as if it were a question mark
        ("src/[ab].py", "src/cc.py", False),
        ("src/[z-a].py", "src/c.py", False),
        ("a[.-0]b", "a/b", True),
    ],
)
def test_whether_two_patterns_overlap(one: str, other: str, expected: bool) -> None:
    assert can_overlap([one], [other]) is expected
    assert can_overlap(["none", other], [one]) is expected


@given(
    path=st.text("ab/[", max_size=7),
    one=write_patterns([*PARTS, "[ab]", "[!a]", "[.-0]", "["], 6),
    other=write_patterns([*PARTS, "[ab]", "[!a]", "[.-0]", "["], 6),
)
def test_a_path_that_fits_both_is_never_overlooked(path: str, one: str, other: str) -> None:
    if is_match(path, (one,)) and is_match(path, (other,)):
        assert can_overlap((one,), (other,))
    if is_match(path, (one,)) and is_covered(one, (other,)):
        assert is_match(path, (other,)) or is_match(f"{path}/", (other,))


@given(one=write_patterns(PARTS, 3), other=write_patterns(PARTS, 3))
def test_where_patterns_overlap_there_is_a_path(one: str, other: str) -> None:
    witness = any(is_match(path, (one,)) and is_match(path, (other,)) for path in SMALL_PATHS)

    assert can_overlap((one,), (other,)) is witness


@for_each(
    ("pattern", "by", "expected"),
    [
        ("src/a.py", "src", True),
        ("src/*.py", "src", True),
        ("src/*.py", "src/**", True),
        ("src/api", "src/api/**", True),
        ("src/**/*.py", "src/**", True),
        ("src/**/*.py", "**/*.py", True),
        ("**/a.py", "**/*.py", True),
        ("src/*", "src/*.py", False),
        ("src/**", "src/*.py", False),
        ("src", "src/a.py", False),
        ("src/a?", "src/??", True),
        ("src/*", "src/??", False),
        ("src/c.py", "src/[ab].py", False),
        ("src/[ab].py", "src/[ab].py", True),
    ],
)
def test_whether_a_pattern_is_covered(pattern: str, by: str, expected: bool) -> None:
    assert is_covered(pattern, (by,)) is expected


def test_what_one_side_never_touches_does_not_count() -> None:
    wide, api = ("src/**",), ("src/api/**",)

    assert do_fences_overlap(wide, (), api, ())
    assert not do_fences_overlap(wide, ("src/api",), api, ())
    assert not do_fences_overlap(api, (), wide, ("src/**",))
    assert do_fences_overlap(wide, ("src/api/a.py",), api, ())
    assert do_fences_overlap(wide, ("src/api",), (*api, "src/web.py"), ())


def test_a_fence_that_nobody_knows_overlaps_with_everything() -> None:
    assert do_fences_overlap((), (), ("src",), ())
    assert do_fences_overlap(("src",), (), (), ("src",))
    assert not can_overlap((), ("src",))


def test_patterns_that_are_too_long_to_be_compared_count_as_overlapping() -> None:
    one, other = "*a" * 4000, "*a*b" * 3000

    assert can_overlap([one], [other])
    assert not is_covered(one, [other])
    assert not can_overlap([f"src/{one}"], [f"docs/{other}"])
