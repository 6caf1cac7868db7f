"""Whatever is given: a typed error, a next command, and every byte of the state as it was.

Damaged ledgers and state directories are in tests/fault.
"""

from pathlib import Path

import pytest

from tests.e2e.refusing import CHECKPOINT, LONGEST, REASONS, REORDER, SPLIT, Bad, refuse
from tests.e2e.world import Word, World, plan_in
from tests.tables import for_each

ANNOTATE = ("steer", "--kind=annotate_ledger")


# Briefs

UNREADABLE = {
    "binary": (b"\x7fELF\x02\x01\x01\x00\x00", "NUL"),
    "NUL": (b"@goal: one\nfine\x00", "NUL at character 15"),
    "not UTF-8": (b"caf\xe9", "byte 3 is not UTF-8"),
    "UTF-16": ("@goal: one".encode("utf-16"), "byte 0 is not UTF-8"),
    "50 MB": (b"x" * 50_000_000, "larger than 1048576 bytes"),
}
UNUSABLE = {
    "empty": ("", "it is empty"),
    "blank": (" \t\r\n\n", "it is empty"),
    "only a BOM": ("\ufeff", "it is empty"),
    "bare delimiter": ("@goal", "@goal block 1: it has no title or objective"),
    "empty block in the middle": ("@goal: a\n@goal:\n@goal: b", "@goal block 2"),
    "empty block at the end": ("@goal: a\n@goal", "@goal block 2"),
    "empty block, CRLF": ("@goal: a\r\n@goal:\r\n\r\n", "@goal block 2"),
    "contract that is no YAML": ("@goal: a\n```contract\na: [\n```", "line "),
    "contract that is no mapping": ("@goal: a\n```contract\n- a\n```", "expected a mapping"),
    "contract that never ends": ("@goal: a\n```contract\na: b", "line 2: the contract is never"),
    "two contracts": ("@goal: a\n```contract\na: b\n```\n```contract\na: b\n```", "line 5"),
    "dependency on nothing": ("@goal: a\n```contract\ndepends_on: [G009]\n```", "no goal G009"),
    "dependency on itself": ("@goal: a\n```contract\ndepends_on: [G001]\n```", "a cycle"),
}


@for_each("name", UNREADABLE)
def test_an_unreadable_brief_is_named_with_its_place(tmp_path: Path, name: str) -> None:
    world = World(tmp_path)
    content, complaint = UNREADABLE[name]
    (world.root / "brief.md").write_bytes(content)

    from_file = refuse(world, Bad(("create-goals", "--brief-file", "brief.md"), "input-unreadable"))
    from_stdin = refuse(
        world, Bad(("create-goals", "--from-stdin"), "input-unreadable"), given=content
    )

    assert "brief.md" in from_file
    assert "standard input" in from_stdin
    assert complaint in from_file
    assert complaint in from_stdin
    assert not list(world.root.glob(".goalkeeper/runs/2*"))


@for_each("name", UNUSABLE)
def test_an_unusable_brief_makes_no_plan(tmp_path: Path, name: str) -> None:
    world = World(tmp_path)
    content, complaint = UNUSABLE[name]

    said = refuse(world, Bad(("create-goals", f"--brief={content}"), "brief-invalid", 3))

    assert complaint in said
    assert not list(world.root.glob(".goalkeeper/runs/2*"))


def test_all_problems_of_a_brief_are_named_at_once(world: World) -> None:
    brief = "@goal\n@goal: b\n```contract\n- x\n```\n@goal"

    said = refuse(world, Bad(("create-goals", "--brief", brief), "brief-invalid", 3))

    for place in ("@goal block 1", "line 4", "@goal block 3"):
        assert place in said


@for_each("name", ["empty", "bare delimiter"])
def test_an_unusable_brief_leaves_the_old_plan_alone(tmp_path: Path, name: str) -> None:
    planned = plan_in(tmp_path)
    words = ("create-goals", f"--brief={UNUSABLE[name][0]}", "--archive", "why")

    refuse(planned, Bad(words, "brief-invalid", 3))


@for_each(
    "raw",
    [
        b"\xef\xbb\xbfRules.\n@goal: One\nFirst.\n@goal: Two\nSecond.\n",
        b"Rules.\r\n@goal: One\r\nFirst.\r\n@goal: Two\r\nSecond.\r\n",
        b"\xef\xbb\xbfRules.\r\n@goal One\r\nFirst.\r\n@goal\tTwo\r\nSecond.",
    ],
    ids=["BOM", "CRLF", "BOM and CRLF"],
)
def test_marks_of_other_systems_do_not_get_into_a_plan(tmp_path: Path, raw: bytes) -> None:
    world = World(tmp_path)
    (world.root / "brief.md").write_bytes(raw)

    by_file = world.run("create-goals", "--brief-file", "brief.md", "--json")
    goals = list(world.goals().values())
    by_stdin = world.run("create-goals", "--from-stdin", "--archive", "--json", input=raw)

    assert (by_file.code, by_stdin.code) == (0, 0)
    assert [(goal["title"], goal["objective"]) for goal in goals] == [
        ("One", "First."),
        ("Two", "Second."),
    ]
    (kept,) = world.state.glob("runs/*/brief.md")
    assert b"\r" not in kept.read_bytes()
    assert kept.read_text().startswith("Rules.\n")


@for_each(
    "flags",
    [
        (),
        ("--brief", "a", "--from-stdin"),
        ("--brief", "a", "--brief-file", "b"),
        ("--brief",),
        ("--brief", "a", "--goal-mode", "both"),
        ("a brief",),
    ],
    ids=" ".join,
)
def test_create_goals_takes_exactly_one_brief(tmp_path: Path, flags: tuple[str, ...]) -> None:
    world = World(tmp_path)
    refuse(world, Bad(("create-goals", *flags), "usage"))


# Words on the command line

BAD_WORDS = {
    "unknown command": Bad(("frobnicate",), "usage"),
    "mistyped command": Bad(("sttaus",), "usage"),
    "empty command": Bad(("",), "usage"),
    "unknown first flag": Bad(("--verbose", "status"), "usage"),
    "unknown flag": Bad(("status", "--verbose"), "usage"),
    "abbreviated flag": Bad(("complete-goals", "--retry"), "usage"),
    "stray word": Bad(("status", "please"), "usage"),
    "stray empty word": Bad(("status", ""), "usage"),
    "no verb": Bad(("goal",), "usage"),
    "unknown verb": Bad(("goal", "forget"), "usage"),
    "unknown classification": Bad(
        ("classify-blocker", "--classification", "lazy", "--evidence", "x"), "usage"
    ),
    "unknown kind of steering": Bad(("steer", "--kind", "delete_goal", *REASONS), "usage"),
    "unknown shell": Bad(("completion", "fish9"), "usage"),
    "missing flags": Bad(("checkpoint",), "usage"),
    "missing status": Bad(("checkpoint", "--goal-id", "G001", "--evidence", "x"), "usage"),
    "empty evidence": Bad((*CHECKPOINT, "--evidence", ""), "usage"),
    "blank evidence": Bad((*CHECKPOINT, "--evidence= \t\n"), "usage"),
    "flag that swallows a flag": Bad((*CHECKPOINT, "--evidence", "--run"), "usage"),
    "flag that swallows the end": Bad((*CHECKPOINT, "--evidence"), "usage"),
    "steering without its goal": Bad(("steer", "--kind", "split_subgoal", *REASONS), "usage"),
    "reorder without an order": Bad(REORDER[:-1], "usage"),
    "split without replacements": Bad(SPLIT[:-1], "usage"),
    "empty order": Bad((*REORDER, ""), "usage"),
    "clear without force": Bad(("state", "clear", "--mode", "ultragoal"), "usage"),
    "clear of another mode": Bad(("state", "clear", "--force", "--mode", "all"), "usage"),
    "handoff to nobody": Bad(("state", "handoff", "--to", "nobody"), "usage"),
    "unknown phase": Bad(("state", "write", "--input", '{"current_phase":"done"}'), "usage"),
    "longest command": Bad((LONGEST,), "usage"),
}
BAD_IDS = {
    "unknown goal": Bad(("checkpoint", *("--goal-id", "G999"), *CHECKPOINT[3:], "--evidence", "x"),
                        "unknown-goal"),
    "goal of a path": Bad(("unblock", "--goal-id", "../G001", "--evidence", "x"), "unknown-goal"),
    "empty goal": Bad(("unblock", "--goal-id", "", "--evidence", "x"), "unknown-goal"),
    "longest goal": Bad(("unblock", "--goal-id", LONGEST, "--evidence", "x"), "unknown-goal"),
    "goal in other letters": Bad(("unblock", "--goal-id", "g001", "--evidence", "x"),
                                 "unknown-goal"),
    "goal in other digits": Bad(("unblock", "--goal-id", "G٠٠١", "--evidence", "x"),
                                "unknown-goal"),
    "steering of an unknown goal": Bad(("steer", "--kind", "mark_blocked_superseded",
                                        "--goal-id", "G999", *REASONS), "unknown-goal"),
    "split of an unknown goal": Bad(("steer", "--kind", "split_subgoal", "--goal-id", "G999",
                                     *REASONS, "--replacements-json", "[]"), "unknown-goal"),
    "review of an unknown goal": Bad(("record-review-blockers", "--goal-id", "G999", "--title",
                                      "a", "--objective", "b", "--evidence", "c"), "unknown-goal"),
    "blocker of an unknown goal": Bad(("classify-blocker", "--classification", "resolvable",
                                       "--goal-id", "G999", "--evidence", "x"), "unknown-goal"),
    "unknown run": Bad(("status", "--run", "20200101-000000-0000"), "unknown-run"),
    "run of a path": Bad(("status", "--run", "../../.."), "unsafe-run-id"),
    "absolute run": Bad(("status", "--run", "/etc"), "unsafe-run-id"),
    "run of dots": Bad(("status", "--run", ".."), "unsafe-run-id"),
    "run of other digits": Bad(("status", "--run", "２0200101-000000-0000"), "unsafe-run-id"),
    "run with a newline": Bad(("status", "--run", "20200101-000000-0000\n"), "unsafe-run-id"),
    "run before the command": Bad(("--run", "../x", "status"), "unsafe-run-id"),
    "run joined by =": Bad(("--run=../x", "goal", "get"), "unsafe-run-id"),
    "longest run": Bad(("status", "--run", LONGEST), "unsafe-run-id"),
    "run in the environment": Bad(("status",), "unsafe-run-id", 2, {"GOALKEEPER_RUN": "../x"}),
    "run that is the lock": Bad(("status", "--run", ".lock"), "unsafe-run-id"),
}  # fmt: skip


@for_each("name", BAD_WORDS)
def test_bad_words_are_a_usage_error(started: World, name: str) -> None:
    refuse(started, BAD_WORDS[name])


@for_each("name", BAD_IDS)
def test_an_id_that_is_not_there_is_named(started: World, name: str) -> None:
    refuse(started, BAD_IDS[name])


@for_each("words", [("status", "--"), ("--", "status"), ("status", "--", "--json")])
def test_two_dashes_hide_nothing(started: World, words: tuple[str, ...]) -> None:
    answer = started.run(*words)

    assert answer.code == 2
    assert "next: goalkeeper" in answer.err


def test_a_mistyped_command_is_guessed(world: World) -> None:
    answer = world.run("complet-goals", "--json")

    assert answer.hint == "goalkeeper complete-goals"


def test_the_verbs_to_choose_from_are_named_as_a_person_types_them(world: World) -> None:
    said = world.run("goal", "forget").err

    assert "<" not in said
    assert "resume" in said


def test_evidence_swallows_no_flag_and_json_is_still_the_answer(planned: World) -> None:
    planned.start()
    before = planned.bytes_of_state()

    answer = planned.run(*CHECKPOINT, "--evidence", "--json")

    assert answer.code == 2
    assert "--evidence" in answer.err
    assert planned.bytes_of_state() == before


@for_each("text", ["--json", "-x", "--status complete", "-1"])
def test_text_that_looks_like_a_flag_is_taken_behind_an_equals_sign(
    tmp_path: Path, text: str
) -> None:
    planned = plan_in(tmp_path)
    planned.ok(*ANNOTATE, f"--evidence=it said: {text}", f"--rationale=-{text}")

    (event,) = planned.events("steering_accepted")
    assert event["data"]["rationale"] == f"-{text}"


def test_a_flag_given_twice_is_an_error(planned: World) -> None:
    planned.start()

    answer = planned.run(*CHECKPOINT, "--evidence", "one", "--evidence", "two")

    assert answer.code == 2


def test_an_empty_run_id_is_not_the_default_run(planned: World) -> None:
    """`--run "$RUN"` with RUN unset must not change whatever run is current."""
    assert planned.run("complete-goals", "--run", "").code == 2
    assert planned.statuses()["G001"] == "pending"


@for_each(
    "words",
    [
        ("create-goals", "--brief", b"caf\xe9"),
        ("steer", "--kind", "annotate_ledger", "--evidence", b"\xff\xfe", "--rationale", "x"),
        ("status", "--run", b"\xff"),
        (b"stat\xff",),
        ("status", b"--\xff"),
        ("create-goals", "--brief-file", b"\xff.md"),
    ],
)
def test_words_that_are_not_utf_8_are_refused(started: World, words: tuple[Word, ...]) -> None:
    before = started.bytes_of_state()

    answer = started.run(*words, "--json")

    assert (answer.code, answer.reason) in [(2, "usage"), (2, "unsafe-run-id")]
    assert "Traceback" not in answer.err
    assert started.bytes_of_state() == before


@for_each(
    "name",
    [
        "GOALKEEPER_RUN",
        "GOALKEEPER_APPROVAL",
        pytest.param("CLAUDE_CODE_SESSION_ID"),
    ],
)
def test_an_environment_that_is_not_utf_8_is_no_bug_of_ours(started: World, name: str) -> None:
    before = started.bytes_of_state()

    answer = started.run("status", "--json", env={name: b"\xff\xfe"})

    assert answer.code in {0, 2}
    assert started.bytes_of_state() == before
