"""Contracts are read with line numbers, and every problem is reported at once.

What is read is checked for shape and sense. Whether the contract can fail is for the witness.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.core.contract.check_kinds import (
    MUST_CONTAIN,
    TEST_KINDS,
    Check,
    CheckShape,
    why_vacuous,
)
from goalkeeper.core.contract.criteria import HISTORY_KINDS
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.held_out import HELD_OUT, find_python
from goalkeeper.core.contract.on_failure import OnFailure
from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.core.contract.timing import Timing, read_timing
from goalkeeper.core.problems import Problem
from goalkeeper.core.schema import (
    Choice,
    Field,
    FileTexts,
    Flag,
    ListOf,
    Moment,
    Node,
    Notes,
    OutsidePath,
    RecordShape,
    RegexPattern,
    RepositoryPath,
    Text,
    WholeNumber,
    publish_schema,
)
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value


class Criterion(Value):
    id: str
    text: str
    check: Check
    paths: tuple[str, ...] = ()
    guard: bool = False
    held_out: tuple[str, ...] = ()
    held_out_at: str = HELD_OUT  # they lie in this folder while the check runs
    new_tests: bool = False  # the work brings tests that fail without it, and the others hold

    def to_plain(self) -> dict[str, Any]:
        more: dict[str, Any] = {
            "paths": list(self.paths),
            "guard": self.guard,
            "new_tests": self.new_tests,
            "held_out": list(self.held_out),
            "held_out_at": self.held_out_at if self.held_out_at != HELD_OUT else "",
        }
        said = {name: value for name, value in more.items() if value}
        return {"id": self.id, "text": self.text, "check": self.check.to_plain(), **said}


class Contract(Value):
    criteria: tuple[Criterion, ...] = ()
    manifest: tuple[Check, ...] = ()
    touch: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    may_change: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    plain: Mapping[str, Any] = {}
    timing: Timing | None = None
    agent_leg: tuple[str, ...] = ()  # outcomes that need no user; if empty, nobody else takes part
    user_leg_scope: str = ""
    tests: Mapping[str, str] = {}  # test files that the contract brings, by path
    checkpoint: str = ""  # the message of the commit with the work

    @property
    def digest(self) -> str:
        return digest(self.plain)

    @property
    def reads_commits(self) -> bool:
        checks = (*(criterion.check for criterion in self.criteria), *self.manifest)
        return any(check.kind in HISTORY_KINDS for check in checks)

    @property
    def brings_tests(self) -> bool:
        """Return whether tests that are new or changed count, if they fail without the work."""
        return any(criterion.new_tests for criterion in self.criteria)

    def may_bring(self, path: str) -> bool:
        """Return whether a file of tests, or of their data, may come with the work."""
        return self.brings_tests and role_of_path(path) in {Role.TEST, Role.DATA}

    def find_ban(self, path: str) -> tuple[str, str] | None:
        """Return the rule by which a path may not be changed, and why; None if it may."""
        if is_match(path, self.never):
            return "scope-never", "the contract says never to touch it"
        if (
            not self.touch
            or self.may_bring(path)
            or is_match(path, (*self.touch, *self.may_change))
        ):
            return None
        return "scope-touch", "it lies outside the contract's scope"

    def find_criterion(self, criterion_id: str) -> Criterion | None:
        return next((c for c in self.criteria if c.id == criterion_id), None)


MOST_HOURS = 24 * 3660
_PATHS = ListOf(RepositoryPath())
_TEXTS = ListOf(Text())
_CRITERION = RecordShape(
    {
        "id": Field(
            Text("an id such as C1", r"[A-Za-z][A-Za-z0-9_-]{0,31}"), "", required=True
        ),
        "text": Field(Text(), "", required=True, help="what will be true, in words"),
        "check": Field(CheckShape(), help="one kind of check with its options"),
        "paths": Field(_PATHS, (), help="what the check depends on; passes are cached by them"),
        "guard": Field(Flag(), default=False, help="green on base, and must stay green"),
        "new_tests": Field(
            Flag(), default=False,
            help="the work brings tests that fail on base's code; all others stay green",
        ),
        "held_out": Field(
            ListOf(OutsidePath(), or_one=True), (),
            help="files outside the repository, put into held_out/ of the checkout",
        ),
        "held_out_at": Field(
            RepositoryPath(), HELD_OUT,
            help="the folder that gets them instead, for tests that are not in Python",
        ),
    }
)  # fmt: skip
_MANIFEST = RecordShape(
    {
        "expected_paths": Field(_PATHS, ()),
        "min_file_count": Field(WholeNumber(0), 0),
        "commit_message_pattern": Field(RegexPattern(), ""),
        "bash_syntax_check": Field(_PATHS, ()),
        "forbidden_paths": Field(_PATHS, ()),
        "must_contain": Field(ListOf(MUST_CONTAIN), ()),
    }
)
SHAPE = RecordShape(
    {
        "criteria": Field(ListOf(_CRITERION), (), help="what is judged, one check each"),
        "manifest": Field(_MANIFEST, {}, help="what the change must contain"),
        "scope": Field(
            RecordShape({"touch": Field(_PATHS, ()), "never": Field(_PATHS, ())}), {},
            help="what the change may touch, and what never",
        ),
        "may_change": Field(
            ListOf(Text("a path or test id")), (),
            help="protected paths and test ids that this goal may change",
        ),
        "tests": Field(
            FileTexts(), {}, help="test files that the contract brings, each a path and its text"
        ),
        "depends_on": Field(ListOf(Text("a goal id", r"\S+")), (), help="goals that come first"),
        "checkpoint": Field(Text(), "", help="the message of the commit with the work"),
        "on_failure": Field(
            Choice(tuple(OnFailure)), "",
            help="what follows when the work is not proven; default: retry",
        ),
        "outcomes": Field(_TEXTS, (), help="for people to confirm; never judged by a program"),
        "outcomes_agent_leg": Field(_TEXTS, ()),
        "user_leg_scope": Field(Text(), ""),
        "participants": Field(ListOf(Choice(("agent", "user"))), ()),
        "hypothesis": Field(
            RecordShape({
                "id": Field(Text("an id without spaces", r"\S{1,100}"), "", required=True),
                "resolves_no_earlier_than": Field(Moment(), "", help="it is not started before"),
                "resolves_by": Field(Moment(), "", help="after this moment it may expire"),
            }), None, help="the goal asks whether something is so",
        ),
        "recurring": Field(
            RecordShape({
                "interval_hours": Field(WholeNumber(1, MOST_HOURS)),
                "remind_days": Field(
                    WholeNumber(1, MOST_HOURS // 24), help="if no interval is given"
                ),
            }), None, help="the goal is done again and again, by default every 24 hours",
        ),
    }
)  # fmt: skip

_SUBJECTIVE = late_pattern(
    r"\b(looks?|feels?|seems?|nice|nicer|good|clean|cleaner|beautiful|elegant|intuitive|"
    r"user[- ]friendly|polished|better|reasonable|appropriate|robust|properly)\b",
    re.IGNORECASE,
)
_CAPACITY = 1000


def read_text(text: str, first_line: int = 1) -> Contract | tuple[Problem, ...]:
    """Read a contract as somebody wrote it. Problems name lines, which count from `first_line`."""
    if not text.strip():
        return Contract()
    from goalkeeper.core import yaml_nodes  # noqa: PLC0415  YAML, for those who bring some

    root = yaml_nodes.compose_nodes(text, first_line)
    return read_node(root) if isinstance(root, Node) else root


def read_plain(plain: Mapping[str, Any]) -> Contract | tuple[Problem, ...]:
    """Read a contract as it was frozen."""
    return read_node(Node.from_plain(plain))


def read_node(root: Node) -> Contract | tuple[Problem, ...]:
    notes = Notes()
    fields = SHAPE.read_node(root, "", notes)
    written = root.value.get("criteria") if isinstance(root.value, Mapping) else None
    nodes = written.value if written and isinstance(written.value, tuple) else ()
    criteria = tuple(
        _read_criterion(node, raw, notes)
        for node, raw in zip(nodes, fields["criteria"], strict=False)
    )
    _check_unique_ids(nodes, criteria, notes)
    timing = _read_timing_fields(root, fields, notes)
    if len(criteria) > _CAPACITY:
        notes.add_problem(root, "criteria", f"at most {_CAPACITY}")
    if notes.problems:
        return tuple(notes.problems)
    return _make_contract(fields, criteria).replace(timing=timing)


def _read_timing_fields(root: Node, fields: Mapping[str, Any], notes: Notes) -> Timing | None:
    if not fields["hypothesis"] and fields["recurring"] is None:
        return None
    read = read_timing(fields["hypothesis"], fields["recurring"])
    if read.closes and read.closes <= read.opens:
        notes.add_problem(root, "hypothesis", "resolves_by is not after resolves_no_earlier_than")
    return read


def _make_contract(fields: Mapping[str, Any], criteria: tuple[Criterion, ...]) -> Contract:
    scope = fields["scope"] or {"touch": (), "never": ()}
    names = ("may_change", "depends_on", "outcomes", "outcomes_agent_leg", "participants",
             "user_leg_scope", "checkpoint", "on_failure")  # fmt: skip
    plain = _without_empty({name: fields[name] for name in names})
    plain["criteria"] = [criterion.to_plain() for criterion in criteria]
    if fields["tests"]:
        plain["tests"] = dict(fields["tests"])
    for name in ("scope", "manifest"):
        said = _without_empty(fields[name] or {})
        plain |= {name: said} if said else {}
    for name in ("hypothesis", "recurring"):
        plain |= {} if fields[name] is None else {name: _without_empty(fields[name])}
    return Contract(
        criteria, _manifest_checks(fields["manifest"]), scope["touch"], scope["never"],
        fields["may_change"], fields["depends_on"], fields["outcomes"], plain,
        agent_leg=fields["outcomes_agent_leg"] if "user" in fields["participants"] else (),
        user_leg_scope=fields["user_leg_scope"],
        tests=fields["tests"] or {},
        checkpoint=fields["checkpoint"],
    )  # fmt: skip


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {n: list(v) if isinstance(v, tuple) else v for n, v in fields.items() if v}


def _manifest_checks(fields: Mapping[str, Any]) -> tuple[Check, ...]:
    """Make checks of the manifest: an empty part asks for nothing."""
    if not fields:
        return ()
    found: list[dict[str, Any]] = []
    if fields["expected_paths"] or fields["min_file_count"]:
        count = {"min_file_count": fields["min_file_count"]}
        found.append({"expected_paths": fields["expected_paths"], **count})
    if fields["commit_message_pattern"]:
        found.append({"commit_message_pattern": fields["commit_message_pattern"], "min_count": 1})
    names = ("bash_syntax_check", "forbidden_paths", "must_contain")
    found += [{name: fields[name]} for name in names if fields[name]]
    return tuple(Check(next(iter(options)), options) for options in found)


def _read_criterion(node: Node, raw: Mapping[str, Any], notes: Notes) -> Criterion:
    where = f"criterion {raw['id']}" if raw["id"] else "criterion"
    check = raw["check"]
    if check is None:
        notes.add_problem(node, where, _no_check(raw["text"]))
        check = Check("manual", {"manual": "none"})
    reason = why_vacuous(check)
    if reason:
        notes.add_problem(node, where, f"vacuous: {reason}")
    place = raw["held_out_at"]
    if place != HELD_OUT and (find_python(check, place) or not raw["held_out"]):
        alone = "no file is held out"
        across = "Python tests ask the product across a pipe, and lie in held_out/ for that"
        notes.add_problem(node, f"{where}: held_out_at", across if raw["held_out"] else alone)
    misused = _explain_misuse(raw, check) if raw["new_tests"] else ""
    if misused:
        notes.add_problem(node, f"{where}: new_tests", misused)
    return Criterion(
        raw["id"], raw["text"], check, raw["paths"], raw["guard"], raw["held_out"], place,
        raw["new_tests"],
    )  # fmt: skip


def _explain_misuse(raw: Mapping[str, Any], check: Check) -> str:
    """Say why the tests of this criterion cannot come with the work; empty if they can."""
    if check.kind not in TEST_KINDS:
        return f"{check.kind} names no tests; use {', '.join(sorted(TEST_KINDS))}"
    if raw["held_out"]:
        return "held-out tests are there before the work; leave one of the two out"
    return "it guards all other tests by itself; leave guard out" if raw["guard"] else ""


def _no_check(text: str) -> str:
    if _SUBJECTIVE.search(text):
        return (
            f"'{text}' is for people to judge; give a check that can fail, or write it "
            "under outcomes"
        )
    return "it has no check; give one, such as check: {command: [make, test]}"


def _check_unique_ids(nodes: Sequence[Node], criteria: tuple[Criterion, ...], notes: Notes) -> None:
    seen: dict[str, int] = {}
    for node, criterion in zip(nodes, criteria, strict=False):
        if criterion.id and criterion.id in seen:
            said = f"id {criterion.id} is taken by line {seen[criterion.id]}"
            notes.add_problem(node, "criteria", said)
        seen.setdefault(criterion.id, node.line)


def json_schema() -> dict[str, Any]:
    said = SHAPE.json_schema()
    # The shape does not ask for it, because the reader has better words than "check is missing".
    said["properties"]["criteria"]["items"]["required"].append("check")
    return publish_schema("goalkeeper contract", said)
