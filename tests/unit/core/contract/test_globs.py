"""Path patterns of contracts."""

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.contract.globs import filter_paths, is_match
from tests.tables import for_each


@for_each(
    ("pattern", "fits", "does_not"),
    [
        ("a.py", "a.py", "b.py src/a.py a.pyc xa.py"),
        ("src", "src src/a src/b/c.py", "srcs src.py xsrc/a"),
        ("src/*", "src/a src/a.py src/a/b", "src srcx/a"),
        ("src/*.py", "src/a.py src/.py", "src/a.pyx src/b/c.py src.py"),
        ("src/**", "src/a src/a/b/c.py", "srcs/a src"),
        ("src/**/a.py", "src/a.py src/x/a.py src/x/y/a.py", "src/xa.py a.py"),
        ("**/a.py", "a.py x/a.py x/y/a.py", "xa.py"),
        ("**", "a a/b .x/y", ""),
        ("*", "a .hidden a/b", ""),
        ("*.py", "a.py", "src/a.py"),
        ("a?c", "abc a.c", "ac abbc a/c"),
        ("[ab].py", "a.py b.py", "c.py ab.py"),
        ("[a-c].py", "b.py", "d.py"),
        ("[!a].py", "b.py", "a.py /.py"),
        ("[^a].py", "b.py", "a.py"),
        ("[!!].py", "a.py", "!.py"),
        ("[z-a].py", "[z-a].py", "b.py"),
        ("[.py", "[.py", "a.py"),
        ("[].py", "[].py", ".py"),
        ("[[a].py", "[.py a.py", "b.py"),
        ("[\\].py", "\\.py", "a.py"),
        ("a+b(c)|d$", "a+b(c)|d$", "aab"),
        ("tests/t.py::test_a", "tests/t.py::test_a", "tests/t.py"),
        (".github/**", ".github/workflows/ci.yml", "x/.github/a"),
        ("a/**/b/**/c", "a/b/c a/x/b/y/z/c", "a/c"),
    ],
)
def test_what_a_pattern_fits(pattern: str, fits: str, does_not: str) -> None:
    assert filter_paths(fits.split(), (pattern,)) == fits.split()
    assert filter_paths(does_not.split(), (pattern,)) == []


def test_names_with_line_ends_and_stray_bytes_are_names() -> None:
    assert is_match("two\nlines", ("*",))
    assert is_match("src/two\nlines", ("src/**",))
    assert not is_match("a.py\n", ("a.py", "*.py"))
    assert is_match("caf\udce9.txt", ("*.txt",))


def test_any_of_several_patterns_will_do() -> None:
    assert filter_paths(["c", "a", "b"], ("a", "c")) == ["c", "a"]
    assert filter_paths(["a"], ()) == []
    assert not is_match("a", ())


def fits(path: str, pattern: str) -> bool:
    """What a pattern means, step by step: it fits the path, or a folder the path lies in."""
    ends = [end for end, letter in enumerate(path) if letter == "/"]
    return any(_fits(path[:end], pattern) for end in (*ends, len(path)))


def _fits(path: str, pattern: str) -> bool:
    if not pattern:
        return not path
    if pattern.startswith("**/"):
        ends = [end + 1 for end, letter in enumerate(path) if letter == "/"]
        return any(_fits(path[end:], pattern[3:]) for end in (0, *ends))
    if pattern.startswith("**"):
        return any(_fits(path[end:], pattern[2:]) for end in range(len(path) + 1))
    if pattern.startswith("*"):
        name = len(path.split("/", 1)[0])
        return any(_fits(path[end:], pattern[1:]) for end in range(name + 1))
    if not path or (pattern[0] == "?" and path[0] == "/"):
        return False
    return pattern[0] in {"?", path[0]} and _fits(path[1:], pattern[1:])


PATHS = st.text("ab./", max_size=8)
PATTERNS = st.lists(st.sampled_from(["**/", "**", "*", "?", "a", "b", ".", "/"]), max_size=6).map(
    "".join
)


@given(path=PATHS, pattern=PATTERNS)
def test_patterns_mean_what_they_say(path: str, pattern: str) -> None:
    while "***" in pattern:
        pattern = pattern.replace("***", "**")

    assert is_match(path, (pattern,)) is fits(path, pattern)


@given(path=st.text(max_size=10), pattern=st.text("ab*?[]!^-\\/(){}|+.$", max_size=12))
def test_no_pattern_breaks(path: str, pattern: str) -> None:
    is_match(path, (pattern,))


@given(path=st.text("ab/.()+", max_size=10))
def test_a_path_without_wildcards_fits_itself(path: str) -> None:
    assert is_match(path, (path,))
