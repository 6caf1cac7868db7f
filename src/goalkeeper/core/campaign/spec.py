"""The session spec: what the agent of a session is given, and what `campaign show --spec` prints.

It is a projection of the frozen plan. Nobody edits it; `core.campaign.document` reads it back.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from goalkeeper.core.campaign.contracts import find_manifest
from goalkeeper.core.campaign.markdown import escape_prose, write_code, write_fence
from goalkeeper.core.campaign.plan import MasterPlan, PlannedCommand, PlannedSession, PlannedStep
from goalkeeper.core.campaign.security import SECURITY_RULES
from goalkeeper.core.campaign.session_manifest import sum_manifests
from goalkeeper.core.campaign.written_fields import flatten_words
from goalkeeper.wire.value import Value

PREFLIGHT_STATUS = 77  # how Step 0 says that no work can be done here

_PREFLIGHT_MANIFEST = """\
manifest:
  expected_paths: []
  min_file_count: 0
  commit_message_pattern: ""
  bash_syntax_check: []
  forbidden_paths: []
  must_contain: []
  sandbox_preflight: true"""
_FAILURE_HANDLING = """\
- A step that is still not proven when its On failure is used up ends the session: no later step
  is begun.
- What was proven until then stays committed.
- The report names the step that failed, the error, and what was tried."""


class Recovery(Value):
    """Why a session is done again, for the steps that an audit did not find."""

    of: str  # the session whose steps are missing
    depth: int
    missing: tuple[tuple[int, str], ...]  # numbers of steps, and what is missing of each
    entry: str = ""  # what must be true instead of the entry condition
    parent: str = ""  # where the campaign's ledger lies


def write_spec(plan: MasterPlan, session_id: str, recovery: Recovery | None = None) -> str:
    """Write the spec of a session of the plan, every section and every field of it."""
    session = plan.find_session(session_id)
    if session is None:
        raise KeyError(session_id)
    sections = {
        "Context": escape_prose(session.context or "none"),
        "Dependencies": _write_dependencies(plan, session),
        "Scope Fence": [
            f"- Touch: {_write_paths(session.touch, 'not known — this session runs alone')}",
            f"- Never touch: {_write_paths(session.never, 'none')}",
        ],
        "Session Manifest": _write_session_manifest(plan, session),
        "Steps": _write_steps(plan, session),
        "Exit Condition": _write_exit(session),
        "Failure Handling": [_FAILURE_HANDLING],
        "Security Constraints": [SECURITY_RULES],
        "Handoff State": escape_prose(session.handoff or "none"),
        "Metadata": _write_metadata(plan, session),
    }
    if recovery:
        sections["Recovery Metadata"] = _write_recovery(recovery)
    lines = [
        f"# Session {_number_of(session.id)}: {session.title}",
        "",
        f"> From master plan: {plan.path or 'none'}",
        f"> Session {_number_of(session.id)} of {len(plan.sessions)}",
    ]
    for name, body in sections.items():
        lines += ["", f"## {name}", "", *body]
    return "\n".join(lines) + "\n"


def _number_of(session_id: str) -> int:
    return int(session_id.removeprefix("S"))


def _name_sessions(ids: Iterable[str]) -> str:
    return ", ".join(f"Session {_number_of(each)}" for each in ids)


def _write_dependencies(plan: MasterPlan, session: PlannedSession) -> list[str]:
    blocked = [each.id for each in plan.sessions if session.id in each.depends_on]
    before = _name_sessions(session.depends_on) or "none — can run in parallel"
    return [
        f"- Depends on: {before}",
        f"- Blocks: {_name_sessions(blocked) or 'none'}",
        *_write_prose("Entry condition", session.entry),
        *_write_list(session.entry_commands, "  "),
    ]


def _write_paths(paths: Iterable[str], if_none: str) -> str:
    return ", ".join(map(write_code, paths)) or if_none


def _write_prose(label: str, text: str) -> list[str]:
    """Write a field: one line behind its label, or several below it."""
    if "\n" not in text:
        return [f"- {label}: {text or 'none'}"]
    return [f"- {label}:", *_indent(escape_prose(text))]


def _indent(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" if line else line for line in lines]


def _write_session_manifest(plan: MasterPlan, session: PlannedSession) -> list[str]:
    from goalkeeper.core import yaml_nodes  # noqa: PLC0415  YAML, for those who write some

    text = yaml_nodes.write_yaml({"session_manifest": sum_manifests(session, plan.version)})
    said = "What the manifests of all steps ask for together; the audit of the session reads it."
    return [said, "", *write_fence(text.rstrip("\n"), "yaml", "")]


def _write_steps(plan: MasterPlan, session: PlannedSession) -> list[str]:
    lines = _write_preflight(session.id)
    for step in session.steps:
        lines += ["", *_write_step(step, find_manifest(plan, step))]
    return lines


def _write_preflight(session_id: str) -> list[str]:
    command = f"goalkeeper campaign preflight {session_id}"
    instructions = (
        f"{PREFLIGHT_STATUS} means that this sandbox cannot do the work; nothing is begun, and the "
        "session is blocked until its terms change"
    )
    return [
        "### Step 0: Sandbox pre-flight (generated; not for editing)",
        "",
        "- Files: none (nothing is changed)",
        "- Changes: find out, where the work will run, whether it can be done and handed in",
        f"- Verify: {write_code(command)} → expected: non-{PREFLIGHT_STATUS} exit code",
        f"- On failure: escalate — {instructions}",
        "- Checkpoint: none (nothing is changed)",
        "- Manifest:",
        *write_fence(_PREFLIGHT_MANIFEST, "yaml", "  "),
        "",
        "It runs in the sandbox, the worktree and the environment of the steps below.",
        "`GOALKEEPER_SKIP_PREFLIGHT=1` leaves it out; the ledger and the report say so.",
    ]


def _write_step(step: PlannedStep, manifest: str) -> list[str]:
    policy = f"{step.on_failure} — {step.instructions}" if step.instructions else step.on_failure
    lines = [
        f"### Step {step.number}: {step.title}",
        "",
        f"- Files: {_write_paths(step.files, 'none')}",
        *_write_prose("Changes", step.changes),
        *_write_prose("Reuses", step.reuses),
        *_write_prose("Test first", step.test_first),
        *_write_verify(step.verify),
        *_write_prose("On failure", policy),
        *_write_checkpoint(step.checkpoint),
        *_write_words("Manifest", manifest, "yaml"),
    ]
    if step.depends_on:
        lines.append(f"- Depends on: {', '.join(f'Step {each}' for each in step.depends_on)}")
    if step.goal:
        lines += _write_prose("Goal", step.goal)
    if step.contract:
        lines += _write_words("Contract", step.contract, "contract")
    return lines


def _write_words(label: str, text: str, info: str) -> list[str]:
    """Write a text word for word."""
    return [f"- {label}:", *write_fence(text, info, "  ")] if text else [f"- {label}: none"]


def _write_verify(commands: tuple[PlannedCommand, ...]) -> list[str]:
    if len(commands) == 1 and "\n" not in commands[0].command:
        return [f"- Verify: {_write_command(commands[0])}"]
    return ["- Verify:", *_write_list(commands, "  ")] if commands else ["- Verify: none"]


def _write_command(command: PlannedCommand) -> str:
    expected = flatten_words(command.expected)
    return (
        f"{write_code(command.command)} → expected: {expected}"
        if expected
        else write_code(command.command)
    )


def _write_list(commands: Iterable[PlannedCommand], indent: str) -> list[str]:
    lines: list[str] = []
    for each in commands:
        if "\n" not in each.command:
            lines.append(f"{indent}- {_write_command(each)}")
            continue
        first, *rest = write_fence(each.command, "sh", f"{indent}  ")
        behind = f"{indent}  → expected: {flatten_words(each.expected)}".rstrip()
        lines += [f"{indent}- {first.lstrip()}", *rest, behind]
    return lines


def _write_checkpoint(message: str) -> list[str]:
    if not message:
        return ["- Checkpoint: none"]
    words = " ".join(f"-m {_quote(part)}" for part in message.split("\n\n"))
    command = f"git commit {words}"
    if "\n" in command:
        return ["- Checkpoint:", *write_fence(command, "sh", "  ")]
    return [f"- Checkpoint: {write_code(command)}"]


def _quote(text: str) -> str:
    return shlex.quote(text) if any(mark in text for mark in '"\\$`!\n') else f'"{text}"'


def _write_exit(session: PlannedSession) -> list[str]:
    return [
        "The session is complete when all of this holds on its last tree:",
        "",
        *_write_list(session.exit, ""),
        "- Every change is committed, each with a message that says what it does",
        "- Nothing is left uncommitted (`git status` is clean)",
    ]


def _write_metadata(plan: MasterPlan, session: PlannedSession) -> list[str]:
    numbers = [step.number for step in session.steps]
    ends = dict.fromkeys(f"Step {each}" for each in (numbers[0], numbers[-1]))
    why = f" — {session.rationale}" if session.rationale else ""
    return [
        f"- Master plan: {plan.path or 'none'}",
        f"- Steps from plan: {'–'.join(ends)}",
        f"- Estimated complexity: {session.complexity}",
        *_write_prose("Model recommendation", f"{session.model or 'none'}{why}"),
    ]


def _write_recovery(recovery: Recovery) -> list[str]:
    missing = "; ".join(
        f"Step {number}: {flatten_words(what)}" for number, what in recovery.missing
    )
    return [
        f"- Recovery of: {recovery.of}",
        f"- Recovery depth: {recovery.depth}",
        f"- Missing steps (reason for recovery): {missing or 'none'}",
        f"- Entry condition override: {recovery.entry or 'none'}",
        f"- Parent progress file: {recovery.parent or 'none'}",
    ]
