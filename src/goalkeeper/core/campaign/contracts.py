"""What a session's agent is judged by: contracts of its steps, and the brief of its run.

Both follow from the plan and from nothing else. A plan that asks for what no contract can say
gives problems instead, all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Mapping
from typing import Any

from goalkeeper.core.campaign.expectations import is_kept_by_drive, make_criterion
from goalkeeper.core.campaign.plan import MasterPlan, PlannedCommand, PlannedSession, PlannedStep
from goalkeeper.core.campaign.security import GUARDED_FILES, SECURITY_RULES
from goalkeeper.core.contract.document import Contract, read_plain, read_text
from goalkeeper.core.contract.on_failure import OnFailure
from goalkeeper.core.contract.protected import is_test
from goalkeeper.core.plan import ids
from goalkeeper.core.problems import Problem, clip_line
from goalkeeper.core.schema import Node, Notes, RepositoryPath
from goalkeeper.wire.pattern import late_pattern

_MARKS = ("sandbox_preflight", "legacy_synthesis")  # they say where a manifest is from
_PREFIX = late_pattern(r"\w+(?:\([^()]*\))?!?:")
_PATH = late_pattern(r"(?!(?i:none|n/a|nothing)$)(?=.*[/.]|[A-Z])[^\s`'\"<>|;:]+")
_NAMED_TEST = late_pattern(r"(?<![\w./-])[\w.@+-]+(?:/[\w.@+-]+)*\.\w+")
_APART = late_pattern(r"^(?=@goal(?:[:\s]|$)|```contract\s*$)", re.MULTILINE)


def make_contract(
    plan: MasterPlan, session: PlannedSession, step: PlannedStep, known: Container[str] = ()
) -> dict[str, Any] | tuple[Problem, ...]:
    """Make the contract of a step, as plain data that can be frozen; `known` are files of its base.

    The exit condition of the session belongs to its last step. Its entry condition guards the
    first one: it holds before the work, or the work is not begun.
    """
    where = name_step(session.id, step)
    own = read_text(step.contract, step.line or 1)
    manifest = read_manifest(find_manifest(plan, step), step.line or 1)
    problems = [each for read in (own, manifest) if isinstance(read, tuple) for each in read]
    written = dict(own.plain) if isinstance(own, Contract) else {}
    criteria: list[dict[str, Any]] = list(written.get("criteria", ()))
    _add_criteria(criteria, "C", step.verify, problems)
    if step == session.steps[-1]:
        _add_criteria(criteria, "X", session.exit, problems)
    if step == session.steps[0]:
        entry: list[dict[str, Any]] = []
        _add_criteria(entry, "E", session.entry_commands, problems)
        criteria += ({**criterion, "guard": True} for criterion in entry)
    if problems or isinstance(manifest, tuple):
        return _locate(problems, where)
    scope = written.get("scope", {})
    test = find_test(step.test_first)
    if test and test not in known:
        criteria = [_expect_new_test(criterion, test) for criterion in criteria]
    made = {
        **written,
        "criteria": criteria,
        "manifest": {**written.get("manifest", {}), **manifest},
        "scope": {
            "touch": list(session.touch or scope.get("touch", ())),
            "never": _unite(list_forbidden(session), scope.get("never", ())),
        },
        "may_change": _unite(written.get("may_change", ()), [test] if test else []),
        "on_failure": str(step.on_failure),
    }
    if step.checkpoint:
        made["checkpoint"] = step.checkpoint
    made.pop("depends_on", None)  # ids of goals are the brief's
    read = read_plain(made)
    return dict(read.plain) if isinstance(read, Contract) else _locate(read, where)


def make_contracts(
    plan: MasterPlan, session: PlannedSession, known: Container[str]
) -> tuple[Contract, ...]:
    """Make the contracts of all steps; the critic has seen that they can be made."""
    made = (make_contract(plan, session, step, known) for step in session.steps)
    read = (read_plain(each) for each in made if isinstance(each, dict))
    return tuple(each for each in read if isinstance(each, Contract))


def _expect_new_test(criterion: dict[str, Any], test: str) -> dict[str, Any]:
    """Ask that a test which the work brings fails without the work, where a check names it."""
    paths = criterion["check"].get("pytest", ())
    named = [paths] if isinstance(paths, str) else paths
    is_named = any(path.partition("::")[0] == test for path in named)
    return {**criterion, "new_tests": True} if is_named else criterion


def name_step(session_id: str, step: PlannedStep) -> str:
    return f"{session_id} step {step.number}" if session_id else f"step {step.number}"


def _locate(problems: Iterable[Problem], where: str) -> tuple[Problem, ...]:
    places = {"contract": where, "plan": where}
    return tuple(
        each.replace(where=places.get(each.where, f"{where}, {each.where}")) for each in problems
    )


def _add_criteria(
    criteria: list[dict[str, Any]],
    letter: str,
    commands: Iterable[PlannedCommand],
    problems: list[Problem],
) -> None:
    """Add what commands ask for; what a criterion asks for already is not asked for twice."""
    taken = {criterion["id"] for criterion in criteria}
    free = (name for n in range(1, 10_000) if (name := f"{letter}{n}") not in taken)
    for command in commands:
        if is_kept_by_drive(command):
            continue
        made = make_criterion(command, "")
        if isinstance(made, Problem):
            problems.append(made)
        elif not any(made["check"] == criterion["check"] for criterion in criteria):
            criteria.append({**made, "id": next(free)})


def _unite(*lists: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(item for each in lists for item in each))


def list_forbidden(session: PlannedSession) -> list[str]:
    """Return what the session may not touch, whatever else it may.

    What belongs to other sessions needs no mention: it lies outside of the fence.
    """
    return [path for path in _unite(session.never, GUARDED_FILES) if lies_inside(path)]


def lies_inside(path: str) -> bool:
    """Return whether a path lies in the repository; nobody's change can lie elsewhere."""
    notes = Notes()
    RepositoryPath().read_node(Node(path, 0), "", notes)
    return not notes.problems


def find_test(test_first: str) -> str:
    """Return the test file that is to be written first; empty if none is named."""
    named = _NAMED_TEST.findall(test_first)
    return next((path for path in named if is_test(path) and lies_inside(path)), "")


def find_paths(files: Iterable[str]) -> list[str]:
    """Return what looks like paths in a list of files."""
    return _unite(path for path in files if _PATH.fullmatch(path) and lies_inside(path))


def find_manifest(plan: MasterPlan, step: PlannedStep) -> str:
    """Return the manifest of a step; in a legacy plan it may be made of the other fields."""
    is_missing = plan.is_legacy and not step.manifest.strip()
    return synthesize_manifest(step) if is_missing else step.manifest


def synthesize_manifest(step: PlannedStep) -> str:
    """Write a manifest for a step of a plan that is older than manifests."""
    from goalkeeper.core import yaml_nodes  # noqa: PLC0415  YAML, for those who write some

    paths, prefix = find_paths(step.files), _PREFIX.match(step.checkpoint)
    fields = {
        "expected_paths": paths,
        "commit_message_pattern": f"^{re.escape(prefix[0])}" if prefix else "",
    }
    said = {name: value for name, value in fields.items() if value}
    return yaml_nodes.write_yaml({"manifest": {**said, "legacy_synthesis": True}})


def read_manifest(text: str, first_line: int) -> dict[str, Any] | tuple[Problem, ...]:
    """Read a step's manifest as plain data, without marks that ask for nothing."""
    from goalkeeper.core import yaml_nodes  # noqa: PLC0415  YAML, for those who bring some

    root = yaml_nodes.compose_nodes(text, first_line)
    if isinstance(root, tuple):
        return root
    plain = _to_plain(root)
    if isinstance(plain, dict) and set(plain) == {"manifest"}:
        plain = plain["manifest"] or {}
    if not isinstance(plain, dict):
        return (Problem(f"line {first_line}", "manifest: expected names and values"),)
    return {
        name: value for name, value in plain.items() if name not in _MARKS and value is not None
    }


def _to_plain(node: Node) -> Any:  # noqa: ANN401  whatever YAML can say
    if isinstance(node.value, Mapping):
        return {name: _to_plain(item) for name, item in node.value.items()}
    if isinstance(node.value, tuple):
        return [_to_plain(item) for item in node.value]
    return node.value


def make_brief(
    plan: MasterPlan,
    session: PlannedSession,
    numbers: Collection[int],
    handoff: str = "",
    known: Container[str] = (),
) -> str | tuple[Problem, ...]:
    """Write the brief of a session's run: a goal for each of these steps, one after another.

    `handoff` is what the sessions that it depends on hand over. The last of the steps has the exit
    condition.
    """
    steps = tuple(step for step in session.steps if step.number in numbers)
    chosen = session.replace(steps=steps)
    blocks = [_describe_session(plan, session, handoff)]
    problems: list[Problem] = []
    for number, step in enumerate(steps, 1):
        made = make_contract(plan, chosen, step, known)
        if isinstance(made, tuple):
            problems += made
            continue
        # A step that may be skipped keeps nobody waiting.
        kept = [n for n in range(1, number) if steps[n - 1].on_failure is not OnFailure.SKIP]
        before = {"depends_on": [ids.goal_id(kept[-1])]} if kept else {}
        blocks.append(_write_goal(session, step, {**made, **before}))
    return tuple(problems) or "\n\n".join(blocks) + "\n"


def _write_goal(session: PlannedSession, step: PlannedStep, contract: Mapping[str, Any]) -> str:
    from goalkeeper.core import yaml_nodes  # noqa: PLC0415  YAML, for those who write some

    parts = {
        "Files": ", ".join(step.files),
        "Changes": step.changes,
        "Reuses": step.reuses,
        "Test first": step.test_first,
        "If it fails": step.instructions,
        "Commit message": step.checkpoint,
    }
    said = [f"{name}: {text}" for name, text in parts.items() if text.strip()]
    body = "\n\n".join([f"This is step {step.number} of session {session.id}.", *said])
    title = clip_line(step.title, 1000) or f"Step {step.number}"
    written = yaml_nodes.write_yaml(dict(contract))
    return f"@goal: {title}\n{_keep_apart(body)}\n\n```contract\n{written}```"


def _describe_session(plan: MasterPlan, session: PlannedSession, handoff: str) -> str:
    touch = ", ".join(session.touch) or "nobody said; change no more than the steps ask for"
    never = ", ".join(list_forbidden(session)) or "nothing more"
    parts = {
        "Context": "\n\n".join(filter(None, (plan.context.strip(), session.context.strip()))),
        "Fence": f"May be changed: {touch}\nNever touched: {never}",
        "Rules": SECURITY_RULES,
        "Handed over by earlier sessions": handoff,
        "What later sessions need": session.handoff,
    }
    said = [f"## {name}\n{text.strip()}" for name, text in parts.items() if text.strip()]
    return _keep_apart(
        "\n\n".join([f"Session {session.id}: {clip_line(session.title, 200)}", *said])
    )


def _keep_apart(text: str) -> str:
    """Indent what a brief would read as its own, because somebody else wrote it."""
    return _APART.sub(" ", text.replace("\r\n", "\n"))
