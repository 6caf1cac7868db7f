"""Plans by hostile hands: each is read as it was meant, or refused with its line; none crashes."""

import re
from itertools import permutations
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.core.campaign.document import read_specs
from tests.tables import for_each
from tests.unit.core.campaign.bad_plans import VERSION, look_at, problems, read, write_session
from tests.unit.core.campaign.written_plans import SEED_SPEC, without_lines

_DOCS = Path(__file__).parents[4] / "docs/campaigns.md"
_FENCED = re.findall(r"(?s)(`{3,4})(?:markdown plan\.md|yaml)\n(.*?)\n\1", _DOCS.read_text())
DOCS_PLAN, DOCS_YAML = (
    next(f"{text}\n" for _, text in _FENCED if mark in text)
    for mark in ("# Session 3", "plan_version")
)
PLANS = (SEED_SPEC, DOCS_PLAN, DOCS_YAML)
_BEGINS = re.compile(
    r"#|(?:Context|Dependencies|Scope Fence|Session Manifest|Steps|Exit Condition|Failure Handling"
    r"|Security Constraints|Handoff State|Metadata|Recovery Metadata)$|Step [0-9]"
)
LETTERS = [
    "\ud800", "\0", "\t", "\r", "\x0b", "\x85", "\u2028", "\ufeff", "\u200b", "\u202e", "`", "```",
    "~~~", "{", "[", ": ", "- ", "#", "# Session 1: x", "## Step 1: x", "manifest:", "&a", "*a",
    "|", "!!python/object:os", "---", "'", '"', "\\", "→ expected:", "-1", "99999999", "**", "<!--",
]  # fmt: skip


def split_sections(text: str) -> list[str]:
    """Divide a text where its sections and steps begin."""
    parts: list[str] = [""]
    for line in text.splitlines(keepends=True):
        if _BEGINS.match(line):
            parts.append("")
        parts[-1] += line
    return parts


# Sections that are missing, doubled, or in another order.


@for_each("text", PLANS)
def test_whatever_section_is_missing_or_doubled_nothing_crashes(text: str) -> None:
    parts = split_sections(text) if text is not DOCS_YAML else text.splitlines(keepends=True)
    assert len(parts) > 10
    for at, part in enumerate(parts):
        look_at("".join(parts[:at] + parts[at + 1 :]))
        doubled = look_at("".join([*parts[:at], part, *parts[at:]]))
        assert doubled or not part.startswith(("#", "Scope", "Exit", "Step 1"))


@for_each(
    ("section", "problem"),
    [
        ("Scope Fence", "line 1: Session 1 has no section Scope Fence"),
        ("Exit Condition", "line 1: Session 1 has no section Exit Condition"),
    ],
)
def test_a_section_that_the_work_is_held_to_cannot_be_left_out(section: str, problem: str) -> None:
    kept = [part for part in split_sections(SEED_SPEC) if not part.startswith(section)]

    assert problem in problems("".join(kept))


def test_sections_may_stand_in_any_order() -> None:
    head, *sections = split_sections(write_session())[1:]
    parts = [sections[0], sections[1], sections[2], sections[3]]
    expected = without_lines(read(VERSION + head + "".join(parts)))

    for order in permutations(parts):
        assert without_lines(read(VERSION + head + "".join(order))) == expected


@settings(max_examples=150)
@given(st.data())
def test_a_plan_that_somebody_cut_to_pieces_is_read_or_refused_with_its_lines(
    data: st.DataObject,
) -> None:
    lines = data.draw(st.sampled_from(PLANS)).split("\n")
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(lines) - 1))
        end = min(len(lines), at + data.draw(st.integers(1, 9)))
        match data.draw(st.sampled_from(["remove", "double", "move", "insert", "indent"])):
            case "remove":
                lines[at:end] = [""]
            case "double":
                lines[at:at] = lines[at:end]
            case "move":
                lines = lines[:at] + lines[end:] + lines[at:end]
            case "insert":
                column = data.draw(st.integers(0, len(lines[at])))
                letters = data.draw(st.sampled_from(LETTERS))
                lines[at] = lines[at][:column] + letters + lines[at][column:]
            case _:
                lines[at] = data.draw(st.sampled_from([" ", "\t", "      "])) + lines[at].lstrip()

    look_at("\n".join(lines))


# Line ends and letters.


@for_each("text", PLANS)
@for_each("ends", ["\r\n", "\r"])
def test_line_ends_of_other_systems_change_nothing(text: str, ends: str) -> None:
    assert read(text.replace("\n", ends)) == read(text)
    assert read("\ufeff" + text.replace("\n", ends)) == read(text)


@for_each("letter", ["\x85", "\u2028", "\u2029", "\r"])
def test_line_breaks_that_only_yaml_knows_do_no_harm(letter: str) -> None:
    text = DOCS_YAML.replace("title: Prices in cents", f"title: 'Prices{letter * 40} in cents'")

    look_at(text)


@for_each(
    ("text", "expected"),
    [
        ("Step 1: a\n- Verify: \x1b[2J\n", "line 2: it has the character U+001B"),
        ("Step 1: a\n- Verify: a\ud800\n", "line 2: it has the character U+D800"),
        ("Step 1: a\n\n\x0c\n", "line 3: it has the character U+000C"),
        (f"Step 1: a\n{'x' * 20_001}\n", "line 2: the line has 20001 letters; at most 20000"),
        ("# Session ١: a\n", "line 1: a session needs a whole number"),
        ("# Session １: a\n", "line 1: a session needs a whole number"),
        (VERSION + write_session().replace("Session", "Seѕsion"),
         "line 5: the section scope fence belongs to a session, and none has begun"),
        (VERSION + write_session().replace("Step", "Stеp"), "line 2: Session 1 has no steps"),
        (VERSION + write_session().replace("- Touch", "- Tоuch"),
         "line 6: 'Tоuch: src' belongs to no field of scope fence: it has touch, never touch"),
    ],
)  # fmt: skip
def test_letters_that_look_like_others_are_refused_with_their_line(
    text: str, expected: str
) -> None:
    assert any(each.startswith(expected) for each in problems(text)), problems(text)


def test_a_plan_of_a_megabyte_is_read() -> None:
    text = VERSION + write_session() + "\n" + "so much to say\n" * 70_000

    assert read(text).sessions[0].exit == read(VERSION + write_session()).sessions[0].exit


def test_a_command_that_nobody_can_run_is_refused() -> None:
    fenced = "\n  ```\n  make test\n" + "  echo\n" * 20_000 + "  ```"
    many = "".join(f"\n  - `make t{number}`" for number in range(1001))

    assert "at most 100000 can be run" in problems(VERSION + write_session(verify=fenced))[0]
    assert problems(VERSION + write_session(verify=many)) == [
        "line 9: it has 1001 commands; at most 1000 are run"
    ]


# What could be taken for something weaker.


@for_each(
    ("head", "version"),
    [("plan version: v1.7", "1.7"), ("Plan-Version: 1.7", "1.7"), ("**Plan version:** 1.7", "1.7")],
)
def test_a_version_is_found_however_it_is_written(head: str, version: str) -> None:
    assert read(f"{head}\n{write_session()}").version == version


@for_each(
    ("text", "expected"),
    [
        ("plan version: newest\n", "line 1: plan version: 'newest' is none; write 1.7"),
        ("plan version:\n", "line 1: plan version: '' is none; write 1.7"),
    ],
)
def test_a_version_that_is_none_makes_no_legacy_plan(text: str, expected: str) -> None:
    assert problems(text + write_session()) == [expected]


def test_a_version_at_the_end_makes_no_legacy_plan() -> None:
    assert problems(f"{write_session()}\nPlan version: 1.7\n") == [
        "line 17: the plan version is not read here; put it before the first section"
    ]
    assert problems(DOCS_YAML.replace('"1.7"', "{major: 1}"))[0] == (
        "line 1: plan version: expected text or a list of texts"
    )


@for_each(
    ("section", "item", "expected"),
    [
        ("Depends on: none", "Session 2", "line 4: 'Session 2' belongs to no field"),
        ("Depends on: none", "After: S02", "line 4: 'After: S02' belongs to no field"),
        ("Touch: src", "src/a.py", "line 6: 'src/a.py' belongs to no field of scope fence"),
        ("Touch: src", "Forbidden: docs", "line 6: 'Forbidden: docs' belongs to no field"),
    ],
)  # fmt: skip
def test_what_stands_below_no_name_is_not_overlooked(
    section: str, item: str, expected: str
) -> None:
    assert problems(VERSION + write_session().replace(section, item))[0].startswith(expected)


def test_remarks_below_no_name_are_none_of_our_business() -> None:
    for remark in ("none — can run in parallel", "keep it small", "—"):
        assert (
            len(read(VERSION + write_session().replace("Depends on: none", remark)).sessions) == 1
        )


def test_a_comment_is_not_read_and_one_without_an_end_is_none() -> None:
    hidden = f"<!-- not now:\n{write_session(2)}-->\n"

    assert [each.id for each in read(VERSION + hidden + write_session()).sessions] == ["S01"]
    assert len(read(VERSION + write_session() + hidden.replace("-->", "")).sessions) == 2


def test_prose_behind_the_exit_condition_is_expected_of_nothing() -> None:
    (session,) = read(f"{VERSION}{write_session()}\nThen all is well.\n").sessions

    assert [each.expected for each in session.exit] == [""]


@for_each(
    ("old", "new", "expected"),
    [
        ("files: [prices.py]", "files: {a: b}", "line 11: files: expected text or a list of texts"),
        ("files: [prices.py]", "files: [[a]]", "line 11: files: expected text, not a list"),
        ("session: 1", f"session: {'9' * 5000}", "line 3: the number is too long"),
        ("title: Prices in cents", "title: *a", "line 4: not YAML: "),
        ("touch: [prices.py]", "touch: [/etc/passwd]",
         "line 5: touch: '/etc/passwd' leads out of the repository"),
    ],
)  # fmt: skip
def test_yaml_of_another_shape_is_refused_with_its_line(old: str, new: str, expected: str) -> None:
    assert problems(DOCS_YAML.replace(old, new))[0].startswith(expected)


def test_yaml_that_grows_without_end_is_refused() -> None:
    grows = "\n".join(f"  - &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))

    assert problems(f"sessions:\n  - &a0 [x]\n{grows}\n") == [
        "line 2: aliases are not for contracts: write it out"
    ]
    assert problems("sessions: " + "[" * 5000) == ["line 1: nested more than 32 deep"]


def test_a_folder_without_specs_is_no_plan() -> None:
    found = read_specs({})

    assert isinstance(found, tuple)
    assert [*map(str, found)] == ["specs: there is none; a session spec is a file such as S01.md"]
