"""Claims about files: which words name one, and which say something of its state."""

from goalkeeper.core.claims import Claim, ClaimClass, find_claims
from goalkeeper.core.claims.file_state import is_gone
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


@for_each(
    "name",
    [
        "Node.js", "os.path", "1.2.3", "example.com", "e.g.", "and/or", "12/40", "client/server",
        "https://example.org/a.md", "origin/main", "somebody@example.rs", "*.py", "console.log",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_file_is_none(name: str) -> None:
    assert files(f"{name} contains a word.") == []


def test_any_ending_will_do_where_it_is_called_a_file() -> None:
    assert files("The file report.xyz contains a word.") == [("report.xyz",)]
    assert files("The report.xyz file contains a word.") == [("report.xyz",)]


def test_a_line_number_does_not_belong_to_the_path() -> None:
    assert files("src/a.py:12 contains it. `src/b.py:3-8` has it too.") == [
        ("src/a.py",),
        ("src/b.py",),
    ]


@for_each(
    "said",
    [
        "contains it", "reflects it", "shows it", "was updated", "now has it", "is empty",
        "has been written", "does not define it", "no longer imports it", "didn’t change",
        "is in place", "says it", "lists it", "is 3 kB", "exists", "(the new one) holds it",
        "in the root folder holds it", "'s port is 80", ", which is new, holds it",
    ],
)  # fmt: skip
def test_a_state_told_after_the_file_is_a_claim(said: str) -> None:
    said = said if said.startswith((",", "'")) else f" {said}"

    assert files(f"The a.yaml{said}.") == [("a.yaml",)]


@for_each(
    "said",
    [
        "I updated", "Created", "We have removed", "Added a test to", "I wrote the results into",
        "The port is set in", "The summary is in", "According to", "As stated in", "Updated:",
        "There are 3 entries in", "I removed the header from", "The port was changed in the",
    ],
)  # fmt: skip
def test_a_state_told_before_the_file_is_a_claim(said: str) -> None:
    assert files(f"{said} a.yaml.") == [("a.yaml",)]


@for_each(
    "text",
    [
        "Does a.yaml contain it?",
        "I will update a.yaml.",
        "Update a.yaml.",
        "If a.yaml contains it, it is used.",
        "I checked whether a.yaml contains it.",
        "When a.yaml contains tabs, the parser stops.",
        "a.yaml should contain it.",
        'The agent said "a.yaml contains it".',
        "> a.yaml contains it",
        "```\na.yaml contains it\n```",
        "`cat a.yaml` printed 3 lines.",
        "I read a.yaml.",
        "I ran a.py and the exit code was 0.",
        "a.yaml is read at start-up.",
        "All tests in a.py pass.",
        "All tests in a.py are green.",
        "Unknown: whether a.yaml contains it.",
    ],
)
def test_what_says_nothing_of_a_files_state_is_no_claim(text: str) -> None:
    assert file_states(text) == []


@for_each(
    ("text", "matched"),
    [
        ("I updated a.yaml and will push it tomorrow.", "updated a.yaml"),
        ("a.yaml contains the port, which will be used.", "a.yaml contains"),
        ("Next I will rest, and a.yaml contains it.", "a.yaml contains"),
        ("If it fails, it retries; a.yaml contains it.", "a.yaml contains"),
    ],
)
def test_a_plan_beside_a_claim_does_not_hide_it(text: str, matched: str) -> None:
    assert [claim.matched for claim in file_states(text)] == [matched]


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
