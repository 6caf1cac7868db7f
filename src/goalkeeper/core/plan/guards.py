"""Decides whether an agent may pause the run or ask the user, for CLI, tools and hooks."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.plan.model import Classification, Plan, Refused
from goalkeeper.core.problems import is_blank


class Interruption(StrEnum):
    PAUSE = "pause"
    ASK = "ask"


_CLASSIFY = (
    "goalkeeper classify-blocker --classification human_blocked "
    "--evidence <what only a human can do>"
)


def refuse_interruption(plan: Plan | None, action: Interruption) -> Refused | None:
    """Return None when it may. A run that is absent, finished or closed refuses nothing."""
    if plan is None or not plan.is_live:
        return None
    if action is Interruption.PAUSE:
        return _refuse_pause(plan)
    if opens_questions(plan.handoff):
        return None
    return Refused(
        "questions-closed",
        f"Run {plan.run_id} is active: questions to the user are closed; record them instead.",
        "goalkeeper record-review-blockers --goal-id <id> --title <decision needed> "
        "--objective <what would settle it> --evidence <why>",
        {"run": plan.run_id},
    )


def opens_questions(handoff: str) -> bool:
    """Return whether a run that was handed back so waits for answers; planning needs none."""
    return handoff not in {"", "planning"}


def _refuse_pause(plan: Plan) -> Refused | None:
    blocker = plan.blocker
    if blocker is None or is_blank(blocker.evidence):
        said = "A run is paused only for a blocker that is classified human_blocked; none is."
        return Refused("blocker-not-classified", said, _CLASSIFY)
    if blocker.classification is not Classification.HUMAN_BLOCKED:
        said = "The latest blocker is classified resolvable: go on and resolve it."
        facts = {"evidence": blocker.evidence}
        return Refused("blocker-resolvable", said, "goalkeeper complete-goals", facts)
    if blocker.revision != plan.revision:
        said = "The plan changed after the blocker was classified; classify it again."
        revisions = {"classified_at_revision": blocker.revision, "revision": plan.revision}
        return Refused("classification-stale", said, _CLASSIFY, revisions)
    return None
