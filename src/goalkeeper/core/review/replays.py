"""A record of a run says what to run again, and the new output must agree with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from goalkeeper.core.problems import is_blank
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.core.review.words import Remarks
from goalkeeper.core.schema import (
    AnyJson,
    Choice,
    Field,
    Flag,
    ListOf,
    Node,
    ProgramWord,
    RecordShape,
    RepositoryPath,
    TextMap,
    WholeNumber,
)
from goalkeeper.wire.value import Value

NORMALIZATIONS: Mapping[str, tuple[str, str]] = {
    "ansi": (r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)", ""),
    "crlf": (r"\r\n?", "\n"),
    "iso-times": (
        r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?", "<time>"
    ),
    "uuids": (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "<uuid>"),
    "durations": (r"\b\d+(?:\.\d+)? ?(?:s|ms|us|ns|seconds?)\b", "<duration>"),
}  # fmt: skip
TREE_PATH = "tree-path"
DEFAULT = ("ansi", "crlf", TREE_PATH)
WEAK, WEAKNESS = "weak-invariant", "it would hold for almost any output"
ENVIRONMENT = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "NO_COLOR", "COLUMNS")
INTERPRETERS = ("python", "python3", "node", "ruby", "perl", "php", "bash", "sh")
_SHELL = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "<<", "2>", "2>&1", "&>"})
LEAST_LETTERS = 4  # an invariant must find so many letters
_LONGEST_PATTERN = 200
_TEXT = ProgramWord()  # an empty output is an output

_INVARIANT = RecordShape(
    {
        "kind": Field(Choice(("substring", "not_substring", "regex")), "", required=True),
        "value": Field(_TEXT, "", required=True),
    }
)
SHAPE = RecordShape(
    {
        "schemaVersion": Field(WholeNumber(1, 1), 1, required=True),
        "kind": Field(Choice(("cli-replay",)), "", required=True),
        "replaySafe": Field(Flag(), default=False, required=True),
        "command": Field(ListOf(ProgramWord(), least=1), (), required=True),
        "recordedStdout": Field(_TEXT, "", required=True),
        "recordedStderr": Field(_TEXT),
        "expectedExitCode": Field(WholeNumber(0, 255), 0),
        "env": Field(TextMap(), {}),
        "cwd": Field(RepositoryPath(), ""),
        "timeoutSeconds": Field(WholeNumber(1, 120), 30),
        "normalization": Field(AnyJson(), ()),
        "invariants": Field(ListOf(_INVARIANT), ()),
    }
)


class Replay(Value):
    command: tuple[str, ...]
    stdout: str
    stderr: str | None
    exit_code: int
    env: Mapping[str, str]
    cwd: str
    seconds: int
    normalization: tuple[str, ...]
    invariants: tuple[tuple[str, str], ...]


def read_replay(raw: object, at: str) -> Replay | tuple[Diagnostic, ...]:
    notes = Remarks()
    fields = SHAPE.read_node(Node.from_plain(raw), at, notes)
    names = _read_normalization(fields["normalization"], f"{at}.normalization", notes)
    if not fields["replaySafe"]:
        mend = "say true, or replayExempt with its reasons"
        notes.add_remark(f"{at}.replaySafe", "replay-unsafe", "it is not safe to run again", mend)
    _check_words(fields["command"], f"{at}.command", notes)
    for name in fields["env"]:
        if name not in ENVIRONMENT:
            said = f"{name} is none of {', '.join(ENVIRONMENT)}"
            notes.add_remark(f"{at}.env.{name}", "replay-environment", said, "take it out")
    for number, row in enumerate(fields["invariants"]):
        _check_invariant(row, f"{at}.invariants[{number}]", notes)
    if notes.found:
        return tuple(notes.found)
    return Replay(
        fields["command"], fields["recordedStdout"], fields["recordedStderr"],
        fields["expectedExitCode"], fields["env"], fields["cwd"], fields["timeoutSeconds"],
        names, tuple((row["kind"], row["value"]) for row in fields["invariants"]),
    )  # fmt: skip


def _read_normalization(given: Any, at: str, notes: Remarks) -> tuple[str, ...]:  # noqa: ANN401
    if given == "default":
        return DEFAULT
    known = (*NORMALIZATIONS, TREE_PATH)
    if isinstance(given, list | tuple) and all(name in known for name in given):
        return tuple(given)
    said = f"expected default, or a list of {', '.join(known)}"
    notes.add_remark(at, "wrong-value", said, "declare only what differs from run to run")
    return ()


def _check_words(command: Sequence[str], at: str, notes: Remarks) -> None:
    for number, word in enumerate(command):
        if word in _SHELL:
            said = f"'{word}' is for a shell, and no shell is asked"
            notes.add_remark(
                f"{at}[{number}]", "shell-syntax", said, "give one program and its arguments"
            )
    if command and (is_blank(command[0]) or command[0] != command[0].strip()):
        notes.add_remark(f"{at}[0]", "wrong-value", "expected a program", "name the program")


def _check_invariant(row: Mapping[str, Any], at: str, notes: Remarks) -> None:
    """Check a pattern. It is only parsed here; it is searched where a time limit can stop it."""
    value = row["value"]
    if row["kind"] == "regex" and (said := _no_pattern(value)):
        notes.add_remark(
            f"{at}.value", "wrong-value", said, "write a regular expression of Python's"
        )
    elif len(value.strip()) < LEAST_LETTERS and row["kind"] != "regex":
        notes.add_remark(f"{at}.value", WEAK, WEAKNESS, "name what only the right output has")


def _no_pattern(value: str) -> str:
    if len(value) > _LONGEST_PATTERN:
        return f"it is longer than {_LONGEST_PATTERN} characters"
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as exc:
        return f"not a regular expression: {exc}"
    return ""


def is_silent(replay: Replay) -> bool:
    """Return whether it would only show that something failed, perhaps only to start."""
    found = [value for kind, value in replay.invariants if kind != "not_substring"]
    return replay.exit_code != 0 and not (found or replay.stdout.strip() or replay.stderr)


def is_allowed(command: Sequence[str], allow: Sequence[Sequence[str]]) -> bool:
    """Return whether a pattern fits, word by word; `**` at its end takes the rest."""
    return any(_is_allowed_by(command, pattern) for pattern in allow)


def _is_allowed_by(command: Sequence[str], pattern: Sequence[str]) -> bool:
    if pattern and pattern[-1] == "**":
        pattern, command = pattern[:-1], command[: len(pattern) - 1]
    return len(command) == len(pattern) and all(
        fnmatchcase(word, wanted) for word, wanted in zip(command, pattern, strict=True)
    )


def normalize_output(text: str, names: Sequence[str], root: str) -> str:
    for name in names:
        if name == TREE_PATH:
            text = text.replace(root, "<tree>") if root else text
        else:
            pattern, put = NORMALIZATIONS[name]
            text = re.sub(pattern, put, text)
    return text


class Output(Value):
    """What the program did when it was run again."""

    exit_code: int
    stdout: str
    stderr: str
    root: str  # the checkout it ran in


def describe_difference(replay: Replay, ran: Output, matches: Mapping[str, bool]) -> str:
    """Say how it differs from the record, if it does. `matches` answers the patterns."""
    if ran.exit_code != replay.exit_code:
        return f"exit {ran.exit_code}, recorded {replay.exit_code}"
    stdout = normalize_output(ran.stdout, replay.normalization, ran.root)
    for kind, value in replay.invariants:
        held = matches.get(value, False) if kind == "regex" else value in stdout
        if held is (kind == "not_substring"):
            least = f" in {LEAST_LETTERS} letters or more" if kind == "regex" else ""
            return f"invariant {kind} '{value[:60]}' does not hold{least}"
    if replay.stderr is not None:
        said = normalize_output(ran.stderr, replay.normalization, ran.root)
        wanted = normalize_output(replay.stderr, replay.normalization, ran.root)
        if said != wanted:
            return f"standard error differs: {first_difference(wanted, said)}"
    if any(kind != "not_substring" for kind, _ in replay.invariants):
        return ""  # the invariants replace equality
    wanted = normalize_output(replay.stdout, replay.normalization, ran.root)
    return "" if stdout == wanted else f"output differs: {first_difference(wanted, stdout)}"


def first_difference(wanted: str, seen: str) -> str:
    pairs = zip([*wanted.splitlines(), None], [*seen.splitlines(), None], strict=False)
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            told = "nothing" if new is None else repr(new[:80])
            return f"line {number} was {'nothing' if old is None else repr(old[:80])}, is {told}"
    return "line ends differ"
