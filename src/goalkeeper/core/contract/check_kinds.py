"""The kinds of check and what each takes, in one table for the reader, the schema and the docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from goalkeeper.core.contract import vacuous
from goalkeeper.core.contract.criteria import ANSWERED_KINDS, HISTORY_KINDS, MOMENT_KINDS
from goalkeeper.core.moments import DAY_SECONDS
from goalkeeper.core.problems import find_nearest
from goalkeeper.core.schema import (
    AnyJson,
    Choice,
    Field,
    ListOf,
    Moment,
    Node,
    Notes,
    Number,
    ProgramWord,
    RecordShape,
    RegexPattern,
    RepositoryPath,
    Shape,
    Text,
    TextMap,
    WholeNumber,
)
from goalkeeper.wire.value import Value

NEVER_CACHED = ANSWERED_KINDS | HISTORY_KINDS | MOMENT_KINDS | {"file"}


class Check(Value):
    """One executable test of one fact: its kind, and its options as the table has them."""

    kind: str
    options: Mapping[str, Any]

    @property
    def main_option(self) -> Any:  # noqa: ANN401  what the kind says it is
        return self.options[self.kind]

    def to_plain(self) -> dict[str, Any]:
        """Return the check without the options that have their default."""
        fields = CHECK_KINDS[self.kind].options
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.options.items()
            if name == self.kind or value != fields[name].default
        }


class Kind(Value):
    """What a check of this kind takes: the main value stands under the kind's own name.

    `home` is the module of `witness/checks` that carries it out, in `check_<kind>`.
    """

    home: str
    main: Shape
    help: str
    options: Mapping[str, Field] = {}
    explain_vacuous: Callable[[Any, Mapping[str, Any]], str] | None = None  # says why


_ARGV = ListOf(ProgramWord(), least=1)
_FILE = RepositoryPath()
_PATHS = ListOf(RepositoryPath(), or_one=True, least=1)
_PROCESS = {
    "timeout": Field(WholeNumber(1, DAY_SECONDS), help="seconds; default: the witness's"),
    "env": Field(TextMap(), {}, help="variables for this check alone"),
    "cwd": Field(RepositoryPath(), "", help="a folder of the checkout to run in"),
}
_EXIT = {
    "exit": Field(WholeNumber(0, 255), 0, help="the expected exit code"),
    "stdout": Field(RegexPattern(), "", help="a pattern standard output must match"),
    "stderr": Field(RegexPattern(), "", help="a pattern standard error must match"),
    **_PROCESS,
}
_TESTS = {
    "min_tests": Field(WholeNumber(1), 1, help="fewer tests than this prove nothing"),
    "max_skips": Field(
        WholeNumber(0),
        0,
        help="more skipped tests than this fail the check; those that base skips do not count",
    ),
}
_SINCE = Field(
    Text("iso:TIME, git:REVISION or file:PATH", r"(iso|git|file):.+"), required=True,
    help="the moment to compare with",
)  # fmt: skip
_VALUE = {"field": Field(Text("a path such as a.b[0]"), ""), "equals": Field(AnyJson())}
_BOUNDS = {"min": Field(Number()), "max": Field(Number())}
MUST_CONTAIN = RecordShape(
    {
        "path": Field(RepositoryPath(), "", required=True),
        "pattern": Field(RegexPattern(), "", required=True),
    }
)

CHECK_KINDS: Mapping[str, Kind] = {
    "command": Kind(
        "programs", _ARGV, "a program exits as expected", _EXIT, vacuous.explain_program
    ),
    "shell": Kind(
        "programs", Text("shell text"), "bash text exits as expected", _EXIT, vacuous.explain_text
    ),
    "pytest": Kind(
        "suites",
        _PATHS,
        "all tests of these paths pass",
        {**_TESTS, "args": Field(ListOf(ProgramWord()), ()), **_PROCESS},
    ),
    "junit": Kind(
        "suites",
        _ARGV,
        "all tests of a program that writes JUnit XML pass",
        {"report": Field(RepositoryPath(), "", required=True), **_TESTS, **_PROCESS},
    ),
    "tap": Kind(
        "suites", _ARGV, "all tests of a program that prints TAP pass", {**_TESTS, **_PROCESS}
    ),
    "metric": Kind(
        "programs",
        _ARGV,
        "a number in a program's output is within bounds",
        {
            **_BOUNDS,
            "extract": Field(
                Choice(("stdout", "lines", "json_length", "exit_code", "seconds")), "stdout"
            ),
            "pattern": Field(RegexPattern(), "", help="its first group is the number"),
            **_PROCESS,
        },
        vacuous.explain_bounds,
    ),
    "http": Kind(
        "http",
        _ARGV,
        "a server that the check starts and stops answers as expected",
        {
            "url": Field(
                Text("a loopback address", r"http://(127\.0\.0\.1|localhost|\[::1\]):\d+(/.*)?"),
                required=True,
            ),
            "status": Field(WholeNumber(100, 599), 200),
            "body": Field(RegexPattern(), ""),
            "wait": Field(WholeNumber(1, 600), 20, help="seconds the server may take to answer"),
            **_PROCESS,
        },
    ),
    "file": Kind(
        "files",
        _FILE,
        "files that match a glob are there, or are not",
        {
            "is": Field(Choice(("exists", "absent")), "exists"),
            "min_count": Field(WholeNumber(1), 1),
            "max_count": Field(WholeNumber(0)),
            "sha256": Field(Text("a SHA-256", "[0-9a-f]{64}"), ""),
            "contains": Field(RegexPattern(), ""),
        },
        vacuous.explain_glob,
    ),
    "expected_paths": Kind(
        "files", _PATHS, "every path exists", {"min_file_count": Field(WholeNumber(0), 0)}
    ),
    "forbidden_paths": Kind("files", _PATHS, "no path was made or changed since base"),
    "must_contain": Kind(
        "files",
        ListOf(MUST_CONTAIN, least=1),
        "every file matches its pattern",
        {},
        vacuous.explain_patterns,
    ),
    "commit_message_pattern": Kind(
        "history",
        RegexPattern(),
        "commits since base match a pattern",
        {"min_count": Field(WholeNumber(1), 1)},
        vacuous.explain_pattern,
    ),
    "bash_syntax_check": Kind("files", _PATHS, "bash can parse these scripts"),
    "git": Kind(
        "history",
        Choice(("commits", "clean", "scope")),
        "commits since base, a clean tree, or changes within a fence",
        {
            "min_count": Field(WholeNumber(1), 1),
            "grep": Field(RegexPattern(), "", help="commits: only messages that match"),
            "paths": Field(
                ListOf(RepositoryPath()), (), help="commits: only those that touch these"
            ),
            "touch": Field(ListOf(RepositoryPath()), (), help="scope: nothing else may change"),
            "never": Field(ListOf(RepositoryPath()), (), help="scope: none of these may change"),
        },
    ),
    "json": Kind(
        "data",
        _FILE,
        "a JSON file has a field",
        {**_VALUE, **_BOUNDS, "min_count": Field(WholeNumber(0))},
        vacuous.explain_field,
    ),
    "jsonl": Kind(
        "data",
        _FILE,
        "lines of a JSON Lines file have a field",
        {**_VALUE, "min_count": Field(WholeNumber(1), 1), "max_count": Field(WholeNumber(0))},
    ),
    "after_time": Kind(
        "moments", Moment(), "a moment has passed", {"delay_seconds": Field(WholeNumber(0), 0)}
    ),
    "file_exists_after": Kind(
        "moments",
        _FILE,
        "files of the working tree were written after a moment",
        {"after": _SINCE, "min_count": Field(WholeNumber(1), 1)},
    ),
    "goal_completed_after": Kind(
        "moments",
        Text("a goal id", r"G\d{3,}"),
        "another goal completed after a moment",
        {"after": _SINCE},
    ),
    "replay": Kind("replay", _FILE, "a recorded run of a program comes out the same again"),
    "screenshot": Kind("files", _FILE, "an image shows something"),
    "pty": Kind("files", _FILE, "a terminal capture shows something"),
    "automation": Kind("files", _FILE, "a transcript of driving an interface ends well"),
    "question": Kind(
        "data", Text("a question"), "unknown until it is answered (goalkeeper verify)"
    ),
    "manual": Kind(
        "data", Text("what to look at"), "for people: unknown until a human confirms it"
    ),
}
TEST_KINDS = frozenset(name for name, kind in CHECK_KINDS.items() if "min_tests" in kind.options)
PROCESS_KINDS = frozenset(name for name, kind in CHECK_KINDS.items() if "timeout" in kind.options)
PROCESS_KINDS |= {"replay"}  # its record has these options
ARGV_KINDS = frozenset(name for name, kind in CHECK_KINDS.items() if kind.main is _ARGV)


def why_vacuous(check: Check) -> str:
    """Return why the check cannot fail, as far as reading it shows; empty if it can."""
    explain = CHECK_KINDS[check.kind].explain_vacuous
    return explain(check.main_option, check.options) if explain else ""


class CheckShape(Value):
    """A mapping with exactly one kind in it, and that kind's options."""

    def read_node(self, node: Node, where: str, notes: Notes) -> Check:
        given = node.value if isinstance(node.value, Mapping) else {}
        named = [name for name in given if name in CHECK_KINDS]
        if len(named) != 1:
            notes.add_problem(node, where, _not_one(named, given))
            return Check("manual", {"manual": "unreadable"})
        kind = named[0]
        return Check(kind, record_of_kind(kind).read_node(node, where, notes))

    def json_schema(self) -> dict[str, Any]:
        return {"oneOf": [{**record_of_kind(k).json_schema(), "title": k} for k in CHECK_KINDS]}


def _not_one(named: list[str], given: Mapping[str, Node]) -> str:
    if named:
        return f"one kind a check, not {' and '.join(named)}"
    if not given:
        return "expected a mapping such as {command: [make, test]}"
    near = [near for name in given if (near := find_nearest(name, CHECK_KINDS))]
    said = f"did you mean {near[0]}?" if near else "the kinds are " + ", ".join(CHECK_KINDS)
    return f"no kind of check in {', '.join(given)}; {said}"


def record_of_kind(kind: str) -> RecordShape:
    main = Field(CHECK_KINDS[kind].main, required=True, help=CHECK_KINDS[kind].help)
    return RecordShape({kind: main, **CHECK_KINDS[kind].options})
