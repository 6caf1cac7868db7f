"""Records of programs that were run: what one may say, and when a second run agrees with it."""

from typing import Any

from goalkeeper.core.review.replays import (
    DEFAULT,
    NORMALIZATIONS,
    TREE_PATH,
    Output,
    Replay,
    describe_difference,
    is_allowed,
    normalize_output,
    read_replay,
)
from tests.tables import for_each

ROOT = "/var/room/tree"
RECORD = {
    "schemaVersion": 1,
    "kind": "cli-replay",
    "replaySafe": True,
    "command": ["tool", "list"],
    "recordedStdout": "3 rows\n",
}


def read(**changes: object) -> Replay:
    found = read_replay(RECORD | changes, "replay")
    assert isinstance(found, Replay), found
    return found


def told(raw: object) -> list[tuple[str, str]]:
    found = read_replay(raw, "replay")
    assert isinstance(found, tuple)
    return [(each.path, each.code) for each in found]


def ran(stdout: str = "3 rows\n", stderr: str = "", code: int = 0) -> Output:
    return Output(code, stdout, stderr, ROOT)


def difference(output: Output, *, found: dict[str, bool] | None = None, **changes: object) -> str:
    return describe_difference(read(**changes), output, found or {})


def test_a_record_has_a_command_and_what_it_printed() -> None:
    record = read()

    assert (record.command, record.stdout) == (("tool", "list"), "3 rows\n")
    assert (record.stderr, record.exit_code, record.seconds) == (None, 0, 30)
    assert (record.env, record.cwd, record.normalization, record.invariants) == ({}, "", (), ())


@for_each("name", list(RECORD))
def test_nothing_of_it_may_be_left_out(name: str) -> None:
    raw = {key: value for key, value in RECORD.items() if key != name}

    assert ("replay", "missing") in told(raw)


def test_every_problem_is_told_at_once() -> None:
    raw = {
        "schemaVersion": 2,
        "kind": "replay",
        "replaySafe": False,
        "command": ["sh", "|"],
        "recordedStdout": None,
        "expectedExitCode": -1,
        "env": {"PATH": "."},
        "cwd": "..",
        "timeoutSeconds": 0,
        "normalization": "all",
        "invariants": [{"kind": "substring", "value": "x"}],
        "stdin": "",
    }

    found = read_replay(raw, "replay")

    assert isinstance(found, tuple)
    assert {(each.path, each.code) for each in found} == {
        ("replay.schemaVersion", "wrong-value"),
        ("replay.kind", "wrong-value"),
        ("replay.replaySafe", "replay-unsafe"),
        ("replay.command[1]", "shell-syntax"),
        ("replay.recordedStdout", "wrong-value"),
        ("replay.expectedExitCode", "wrong-value"),
        ("replay.env.PATH", "replay-environment"),
        ("replay.cwd", "wrong-value"),
        ("replay.timeoutSeconds", "wrong-value"),
        ("replay.normalization", "wrong-value"),
        ("replay.invariants[0].value", "weak-invariant"),
        ("replay", "unknown-key"),
    }
    assert all(each.message and each.mend for each in found)


@for_each(
    ("command", "path"),
    [
        ("tool list", "replay.command"),
        ([], "replay.command"),
        (None, "replay.command"),
        ({"argv": ["tool"]}, "replay.command"),
        (["tool", 1], "replay.command[1]"),
        (["tool", "a\0b"], "replay.command[1]"),
        ([""], "replay.command[0]"),
        ([" "], "replay.command[0]"),
        ([" tool"], "replay.command[0]"),
        (["tool\n"], "replay.command[0]"),
    ],
)
def test_scenario_59_a_command_is_a_program_and_its_arguments(command: object, path: str) -> None:
    assert told(RECORD | {"command": command}) == [(path, "wrong-value")]


@for_each("word", ["|", "||", "&", "&&", ";", ">", ">>", "<", "<<", "2>", "2>&1"])
def test_scenario_59_no_shell_is_asked(word: str) -> None:
    raw = RECORD | {"command": ["tool", word, "x"]}

    assert told(raw) == [("replay.command[1]", "shell-syntax")]


@for_each("word", ["a -> b", "a|b", "$(x)", "x;", "--sep=>", "*", ""])
def test_text_that_only_looks_like_a_shells_is_an_argument(word: str) -> None:
    assert read(command=["tool", word]).command == ("tool", word)


@for_each(
    "name", ["NODE_OPTIONS", "PATH", "LD_PRELOAD", "PYTHONPATH", "BASH_ENV", "HOME", "lang", ""]
)
def test_scenario_59_what_steers_a_program_from_outside_is_refused(name: str) -> None:
    assert told(RECORD | {"env": {name: "x"}}) == [(f"replay.env.{name}", "replay-environment")]


def test_variables_about_words_and_times_may_be_set() -> None:
    env = {"LANG": "C", "LC_ALL": "C", "LC_CTYPE": "C", "TZ": "UTC", "NO_COLOR": "1"}

    assert read(env=env).env == env


@for_each(
    ("value", "code"),
    [(False, "replay-unsafe"), (1, "wrong-value"), ("true", "wrong-value")],
)
def test_scenario_59_what_is_not_safe_is_not_run(value: object, code: str) -> None:
    assert ("replay.replaySafe", code) in told(RECORD | {"replaySafe": value})


@for_each("cwd", ["..", "/tmp", "a/../..", ".git"])
def test_it_runs_in_the_tree(cwd: str) -> None:
    assert told(RECORD | {"cwd": cwd}) == [("replay.cwd", "wrong-value")]


@for_each("seconds", [0, 121, 1.5, "30", None])
def test_it_ends_in_time(seconds: object) -> None:
    raw = RECORD | {"timeoutSeconds": seconds}

    assert told(raw) == [("replay.timeoutSeconds", "wrong-value")]


@for_each(
    ("output", "said"),
    [
        (ran(), ""),
        (ran("4 rows\n"), "output differs: line 1 was '3 rows', is '4 rows'"),
        (ran("3 rows\n4 rows\n"), "output differs: line 2 was nothing, is '4 rows'"),
        (ran(""), "output differs: line 1 was '3 rows', is nothing"),
        (ran("3 rows"), "output differs: line ends differ"),
        (ran("3 rows\r\n"), "output differs: line ends differ"),
        (ran("3 rows \n"), "output differs: line 1 was '3 rows', is '3 rows '"),
        (ran(code=1), "exit 1, recorded 0"),
        (ran(stderr="a warning\n"), ""),
    ],
)
def test_scenario_59_a_run_that_differs_is_told_by_its_first_line(
    output: Output, said: str
) -> None:
    assert difference(output) == said


def test_scenario_59_errors_count_where_they_were_recorded() -> None:
    assert difference(ran(stderr="no\n"), recordedStderr="no\n") == ""
    assert difference(ran(), recordedStderr="") == ""
    assert difference(ran(stderr="yes\n"), recordedStderr="no\n") == (
        "standard error differs: line 1 was 'no', is 'yes'"
    )
    assert difference(ran(stderr="x"), recordedStderr="").startswith("standard error differs")


def test_scenario_59_the_exit_code_counts_as_recorded() -> None:
    assert difference(ran(code=3), expectedExitCode=3) == ""
    assert difference(ran(), expectedExitCode=3) == "exit 0, recorded 3"


@for_each(
    ("recorded", "printed"),
    [
        ("1234567\n", "7654321\n"),
        ("defaced\n", "acceded\n"),
        ("took 3 s\n", "took 4 s\n"),
        ("2026-01-31T10:00:00Z\n", "2026-02-01T10:00:00Z\n"),
        ("\x1b[1mbold\x1b[0m\n", "bold\n"),
        ("a\r\nb\n", "a\nb\n"),
        (f"{ROOT}/a\n", "<tree>/a\n"),
        ("b5a0f3b0-0d4c-4f6e-9f5f-3a1c1c1d1e1f\n", "b5a0f3b0-0d4c-4f6e-9f5f-3a1c1c1d1e1e\n"),
    ],
)
def test_nothing_is_overlooked_that_was_not_declared(recorded: str, printed: str) -> None:
    assert difference(ran(printed), recordedStdout=recorded)


@for_each(
    ("name", "recorded", "printed"),
    [
        ("ansi", "bold\n", "\x1b[1;31mbold\x1b[0m\n"),
        ("ansi", "title\n", "\x1b]0;a window\x07title\n"),
        ("ansi", "link\n", "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\\n"),
        ("crlf", "a\nb\n", "a\r\nb\r"),
        (TREE_PATH, "<tree>/src/a.py:3\n", f"{ROOT}/src/a.py:3\n"),
        ("iso-times", "at 2026-01-31T10:00:00Z\n", "at 2027-03-01 00:00:00.123+01:00\n"),
        ("uuids", "b5a0f3b0-0d4c-4f6e-9f5f-3a1c1c1d1e1f", "00000000-0000-0000-0000-000000000000"),
        ("durations", "in 0.31s, 12 ms\n", "in 4 seconds, 1ms\n"),
    ],
)
def test_what_is_declared_is_overlooked(name: str, recorded: str, printed: str) -> None:
    assert difference(ran(printed), recordedStdout=recorded, normalization=[name]) == ""
    assert difference(ran(printed), recordedStdout=recorded)


def test_what_is_declared_holds_for_errors_too() -> None:
    output = ran(stderr="\x1b[31mno\x1b[0m\n")

    assert difference(output, recordedStderr="no\n", normalization=["ansi"]) == ""


@for_each("name", ["default", list(DEFAULT)])
def test_the_default_is_about_colours_line_ends_and_the_tree(name: object) -> None:
    output = ran(f"\x1b[1m{ROOT}\x1b[0m\r\n5 rows in 3 s\n")
    wanted = "<tree>\n5 rows in 3 s\n"

    assert difference(output, recordedStdout=wanted, normalization=name) == ""
    assert difference(output, recordedStdout=wanted.replace("5", "6"), normalization=name)
    assert difference(output, recordedStdout=wanted.replace("3", "4"), normalization=name)


@for_each("given", ["all", "ansi", ["ansi", "numbers"], [1], {}, None, [["ansi"]]])
def test_what_is_overlooked_has_a_name(given: object) -> None:
    assert told(RECORD | {"normalization": given}) == [("replay.normalization", "wrong-value")]


@for_each("name", [*NORMALIZATIONS, TREE_PATH])
@for_each("text", ["3 rows and 1234567\n", "", "deadbeef 10.5 %\n"])
def test_plain_words_and_numbers_are_never_overlooked(name: str, text: str) -> None:
    assert normalize_output(text, [name], ROOT) == text


def rule(kind: str, value: str) -> dict[str, Any]:
    return {"kind": kind, "value": value}


TOTAL = r"total: \d+ rows"


def test_scenario_61_invariants_stand_in_for_equality() -> None:
    invariants = [
        rule("substring", "total"), rule("regex", TOTAL), rule("not_substring", "Traceback"),
    ]  # fmt: skip

    assert difference(ran("total: 9 rows\n"), invariants=invariants, found={TOTAL: True}) == ""


@for_each(
    ("output", "found", "said"),
    [
        ("sum: 9 rows\n", True, "invariant substring 'total' does not hold"),
        (
            "total: no rows\n", False,
            rf"invariant regex '{TOTAL}' does not hold in 4 letters or more",
        ),
        ("total: 9 rows\nTraceback", True, "invariant not_substring 'Traceback' does not hold"),
    ],
)  # fmt: skip
def test_scenario_61_each_of_them_must_hold(output: str, found: bool, said: str) -> None:
    invariants = [
        rule("substring", "total"), rule("regex", TOTAL), rule("not_substring", "Traceback"),
    ]  # fmt: skip

    assert difference(ran(output), invariants=invariants, found={TOTAL: found}) == said


def test_scenario_61_a_pattern_that_nobody_searched_for_does_not_hold() -> None:
    assert difference(ran(), invariants=[rule("regex", TOTAL)])


def test_scenario_61_the_exit_code_and_errors_count_all_the_same() -> None:
    invariants = [rule("substring", "rows")]

    assert difference(ran("9 rows", code=1), invariants=invariants) == "exit 1, recorded 0"
    assert difference(ran("9 rows", "bad"), invariants=invariants, recordedStderr="")


def test_scenario_61_what_must_not_be_there_leaves_equality() -> None:
    invariants = [rule("not_substring", "Traceback")]

    assert difference(ran(), invariants=invariants) == ""
    assert difference(ran("4 rows\n"), invariants=invariants).startswith("output differs")


@for_each("kind", ["substring", "not_substring"])
@for_each("value", ["", " ", "abc", " a b ", "\n\n\n\n"])
def test_scenario_61_a_word_that_is_everywhere_says_nothing(kind: str, value: str) -> None:
    raw = RECORD | {"invariants": [rule(kind, value)]}

    assert told(raw) == [("replay.invariants[0].value", "weak-invariant")]


@for_each("value", ["(", "a" * 201, "*", "(?P<a>x)(?P<a>y)", "[z-a]", "(" * 100])
def test_scenario_61_a_pattern_that_is_none(value: str) -> None:
    raw = RECORD | {"invariants": [rule("regex", value)]}

    assert told(raw) == [("replay.invariants[0].value", "wrong-value")]


@for_each("kind", ["equals", "", "not_regex"])
def test_scenario_61_there_are_three_kinds(kind: str) -> None:
    raw = RECORD | {"invariants": [rule(kind, "something")]}

    assert told(raw) == [("replay.invariants[0].kind", "wrong-value")]


ALLOW = (("cargo", "run", "--quiet", "--", "**"), ("make", "test-*"), ("npx", "*", "check"))


@for_each(
    "command",
    ["cargo run --quiet --", "cargo run --quiet -- a b c", "make test-unit", "npx tsc check"],
)
def test_a_command_that_fits_a_pattern_is_allowed(command: str) -> None:
    assert is_allowed(command.split(), ALLOW)


@for_each(
    "command",
    ["cargo", "cargo run", "cargo run -- a", "cargo build --quiet -- a", "make", "make test-a b",
     "make Test-a", "npx check", "npx a b check", "/usr/bin/make test-a", "sh -c make"],
)  # fmt: skip
def test_one_that_does_not_is_not(command: str) -> None:
    assert not is_allowed(command.split(), ALLOW)


def test_stars_stand_for_the_rest_at_the_end_only() -> None:
    assert not is_allowed(["make", "a", "b", "x"], [("make", "**", "x")])
    assert is_allowed(["make", "a", "x"], [("make", "**", "x")])
    assert not is_allowed(["make"], [])
