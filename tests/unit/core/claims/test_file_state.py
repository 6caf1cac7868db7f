"""Claims about files: which words name one, and which say something of its state."""

from goalkeeper.core.claims.contents import is_contained
from goalkeeper.core.claims.file_state import is_gone
from goalkeeper.core.claims.reading import Claim, ClaimClass
from goalkeeper.core.claims.scan import find_claims
from tests.tables import for_each


def file_states(text: str) -> list[Claim]:
    return [claim for claim in find_claims(text) if claim.kind is ClaimClass.FILE_STATE]


def files(text: str) -> list[tuple[str, ...]]:
    return [claim.files for claim in file_states(text)]


def test_T29_a_file_that_reflects_something_is_claimed() -> None:
    text = "All is well. handoff.yaml reflects session 50."

    (claim,) = find_claims(text)

    assert claim == Claim(
        ClaimClass.FILE_STATE,
        "handoff.yaml reflects session 50.",
        "handoff.yaml reflects",
        13,
        34,
        ("handoff.yaml",),
    )


@for_each(
    ("said", "contents"),
    [
        ("a.md contains Antarctica because it lists 4 names.", ("Antarctica",)),
        ("a.md lists North, South and New York.", ("North", "South", "New York")),
        ('a.md contains "port: 80" and `host`.', ("port: 80", "host")),
        ("a.md now holds the line `x = 1`.", ("x = 1",)),
        ("a.md has 400 lines.", ("400 lines",)),
        ("a.md and b.md contain Foo.", ("Foo",)),
        ("a.md contains all four regions.", ()),
        ("a.md contains English text.", ()),
        ("a.md does not contain `port`.", ()),
        ("a.md was updated.", ()),
        ('a.md has the line: "x y".', ("x y",)),
        ("a.md contains a line that reads `x y`.", ("x y",)),
        ('a.md has a section titled "x y".', ("x y",)),
        ('a.md contains both the exact text "x y" and `z`.', ("x y", "z")),
        ("a.md records `x y`.", ("x y",)),
        ("a.py defines `run()`.", ("run",)),
        ('The line "x y" is in a.md.', ("x y",)),
        ("All is well: `x y` is also present in a.md.", ("x y",)),
        ("I appended the line `x y` to a.md.", ("x y",)),
        ('The reason for "x y" is in a.md.', ()),
        ('I removed "x y" from a.md.', ()),
        ("a.md has `x y` removed.", ()),
        ('a.md contains neither "x y" nor "z".', ()),
        ('a.md contains everything except "x y".', ()),
    ],
)
def test_what_a_file_is_said_to_contain_word_for_word(said: str, contents: tuple[str, ...]) -> None:
    assert file_states(said)[0].contents == contents


@for_each(
    ("wanted", "is_there"),
    [("server.port", True), ("server.host", False), ("1.2", False), ("port: 80", True)],
)
def test_the_parts_of_a_dotted_name_may_stand_apart(wanted: str, is_there: bool) -> None:
    assert is_contained(wanted, b"server:\n  port:  80\nversion: 1 or 2\n") is is_there


def test_T30_a_sentence_without_a_file_is_no_claim() -> None:
    assert find_claims("the framework is stable") == ()


@for_each(
    "name",
    [
        "config.yaml", "src/lib.rs", "app.ts", "data.csv", "pyproject.toml", "index.html",
        "Makefile", "Dockerfile", ".gitignore", ".env", "README", "go.mod", "a/b/c.unheardof",
        "./run", "src/app", "/etc/hosts", "~/.bashrc", "docs/a-b_c.v2.md", "main.c",
    ],
)  # fmt: skip
def test_a_file_is_known_by_any_plausible_name(name: str) -> None:
    assert files(f"{name} contains a word.") == [(name,)]
    assert files(f"`{name}` contains a word.") == [(name,)]
    assert files(f'"{name}" contains a word.') == [(name,)]


def test_a_line_number_does_not_belong_to_the_path() -> None:
    assert files("src/a.py:12 contains it. `src/b.py:3-8` has it too.") == [
        ("src/a.py",),
        ("src/b.py",),
    ]


def test_all_files_of_a_row_are_claimed() -> None:
    assert files("a.md, `b.md` and docs/c.md were updated.") == [("a.md", "b.md", "docs/c.md")]


def test_both_sides_of_a_comparison_are_claimed() -> None:
    assert files("a.md is identical to b.md.") == [("a.md", "b.md")]


def test_what_a_file_merely_mentions_is_not_claimed() -> None:
    assert files("a.md lists b.md.") == [("a.md",)]


def test_markdown_around_a_file_does_not_hide_it() -> None:
    assert files("**a.md** was _updated_, and _b.md_ has it.") == [("a.md",), ("b.md",)]
    assert files("[The report](docs/a.md) shows it.") == [("docs/a.md",)]


@for_each(
    "text",
    [
        "a.md was deleted.", "a.md has been removed.", "I deleted a.md.", "a.md is gone.",
        "a.md is missing.", "a.md doesn’t exist.", "a.md no longer exists.", "Deleted: a.md",
        "There is no a.md.", "a.md is not there.",
    ],
)  # fmt: skip
def test_a_file_may_be_said_to_be_gone(text: str) -> None:
    assert [is_gone(claim.matched) for claim in file_states(text)] == [True]


@for_each(
    "text",
    [
        "a.md was updated.", "a.md was not deleted.", "a.md is missing the header.",
        "I removed the header from a.md.", "a.md: removed the header", "a.md no longer has it.",
    ],
)  # fmt: skip
def test_a_file_that_lost_something_is_still_there(text: str) -> None:
    assert [is_gone(claim.matched) for claim in file_states(text)] == [False]


@for_each("text", ["Renamed a.md to b.md.", "a.md was moved to b.md."])
def test_a_move_is_two_claims(text: str) -> None:
    found = {claim.files: is_gone(claim.matched) for claim in file_states(text)}

    assert found == {("a.md",): True, ("b.md",): False}
