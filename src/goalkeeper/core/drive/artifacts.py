"""What the phases of a full iteration must leave behind, and the gate that asks for it.

Words do not show that a phase was worked, and its traces do: a plan that names steps, files and
criteria, and a review by a process that changed nothing. Goalkeeper reads them when a phase ends.
An answer that nobody can use is told to the agent once; after that it counts as circumvention.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from goalkeeper.core.drive.phases import WORK, Phase
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

MOST_UNUSABLE = 2  # so many unusable answers of a phase close the gate
_STEP = late_pattern(r"^\s*(?:[-*+]|\d+[.)])\s+\S", re.MULTILINE)
_FILE = late_pattern(r"`[^`\s]+`|[\w-]+(?:[./][\w-]+)+")
_PLACE = late_pattern(r"[\w./-]+:\d+")
_CLEAR = late_pattern(r"^\W*no findings\W*$", re.MULTILINE | re.IGNORECASE)
_AGAIN = (
    "goalkeeper run works this iteration again in full; "
    "goalkeeper run --depth quick says that one process is enough"
)


class PhaseTrace(Value):
    """What is known of a phase of this iteration."""

    phase: Phase
    session: str = ""  # the client's own id of the session
    skipped: str = ""  # the reason, if it was skipped
    lacks: tuple[str, ...] = ()  # why nobody can use what it left
    unusable: int = 0  # it counts the times that nobody could use what it left
    is_clear: bool = False  # it is a review without findings


class ArtifactState(StrEnum):
    OK = "ok"
    SKIPPED = "skip-recorded"
    MISSING = "missing"
    NOT_REACHED = "not-reached"


class ArtifactCheck(Value):
    id: str
    name: str
    state: ArtifactState
    detail: str = ""


class ArtifactGate(Value):
    checks: tuple[ArtifactCheck, ...]

    @property
    def ok(self) -> bool:
        return not self.missing

    @property
    def missing(self) -> tuple[str, ...]:
        lacking = (check for check in self.checks if check.state is ArtifactState.MISSING)
        return tuple(f"{check.id} {check.name}: {check.detail}" for check in lacking)

    @property
    def remediation(self) -> str:
        return "" if self.ok else _AGAIN


def find_plan_faults(text: str, criteria: Sequence[str]) -> tuple[str, ...]:
    """Find what a plan lacks; it must be about each of the criteria, given by their ids."""
    if not text.strip():
        return ("there is no plan",)
    said = {
        "it lists no steps": not _STEP.search(text),
        "it names no file to change": not _FILE.search(text),
    }
    unnamed = [name for name in criteria if not _is_named(name, text)]
    if unnamed:
        said[f"it does not say how {', '.join(unnamed)} will be met"] = True
    return tuple(fault for fault, is_so in said.items() if is_so)


def find_review_faults(text: str, changed: Sequence[str]) -> tuple[str, ...]:
    """Find what a review lacks; it must be about the changed files."""
    if not text.strip():
        return ("there is no review",)
    said = {
        "it names none of the changed files": bool(changed)
        and not any(_is_named(path.rpartition("/")[2], text) for path in changed),
        'it names no place as file:line, and no line says "No findings"': not (
            _PLACE.search(text) or _CLEAR.search(text)
        ),
    }
    return tuple(fault for fault, is_so in said.items() if is_so)


def is_without_findings(review: str) -> bool:
    return bool(_CLEAR.search(review)) and not _PLACE.search(review)


def _is_named(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def is_worn_out(traces: Sequence[PhaseTrace]) -> bool:
    """Return whether a phase was told what its answer lacks, and its answer lacks it still."""
    return any(trace.unusable >= MOST_UNUSABLE for trace in traces)


def check_artifacts(traces: Sequence[PhaseTrace]) -> ArtifactGate:
    """Check what the phases of an iteration left; a phase that was not reached lacks nothing."""
    known = {trace.phase: trace for trace in traces}
    unreached = [phase for phase in WORK if phase not in known]
    stopped = f"not reached: {', '.join(unreached)}" if unreached else ""
    reached = ArtifactState.NOT_REACHED if stopped else ArtifactState.OK
    checks = (
        ArtifactCheck("A1", "phase records", reached, stopped),
        _check_phase("A2", "plan", Phase.PLAN, traces),
        _check_phase("A3", "review", Phase.VERIFY, traces),
        _check_phase("A4", "refinement", Phase.REFINE, traces),
    )
    return ArtifactGate(checks)


def _check_phase(name: str, what: str, phase: Phase, traces: Sequence[PhaseTrace]) -> ArtifactCheck:
    own = next((trace for trace in traces if trace.phase is phase), None)
    if own is None:
        return ArtifactCheck(name, what, ArtifactState.NOT_REACHED)
    if own.skipped:
        return ArtifactCheck(name, what, ArtifactState.SKIPPED, own.skipped)
    shared = [t.phase for t in traces if t is not own and own.session and t.session == own.session]
    session = (f"it is of the same session as {shared[0]}",) if shared else ()
    faults = "; ".join((*own.lacks, *session))
    state = ArtifactState.MISSING if faults else ArtifactState.OK
    return ArtifactCheck(name, what, state, faults)
