"""The gate: every criterion is met on this tree, no finding blocks, and if strict, lanes agree."""

from __future__ import annotations

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import describe_lesson, let_stand, suggest_answer
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan.model import STRICT, Actor, ActorKind, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.review.lane import INDEPENDENT, REPORTED, Lane, find_standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.review.assessed import Quality

TOOL_MOVED = "tool-moved"
QUESTION_OPEN = "question-open"
_SHOWN = 3
_OVER = frozenset({GoalStatus.COMPLETE, GoalStatus.SUPERSEDED})


def open_blockers(plan: Plan, goal_id: str) -> tuple[Goal, ...]:
    return tuple(g for g in plan.goals if g.blocks == goal_id and g.status not in _OVER)


def settled_blockers(plan: Plan, goal_id: str) -> tuple[Goal, ...]:
    """List review blockers of a goal that are settled, in the order in which they were."""
    done = (g for g in plan.goals if g.blocks == goal_id and g.proven)
    return tuple(sorted(done, key=lambda goal: goal.completed_at))


def suggest_lanes(plan: Plan, goal_id: str, role: str = "") -> str:
    """Suggest a review by lanes, with the agent of the last drive or one to be named."""
    asked = f"goalkeeper lanes run --goal-id {goal_id}" + (f" --role {role}" if role else "")
    return f"{asked} {plan.drive.agent_options if plan.drive else '--agent <client>'}"


def why_closed(
    plan: Plan, goal: Goal, judgement: Judgement | None, quality: Quality | None
) -> Refused | None:
    """Say why the goal may not complete; return None when the gate is open."""
    if judgement is None or plan.gate != STRICT:
        return _why_standard_closed(plan, goal, judgement)
    refused = _why_standard_closed(plan, goal, judgement)
    if quality is None or quality.tree != judgement.tree:
        said = f"{goal.id} is in a plan with the strict gate, and nobody reviewed this tree."
        return refused or Refused("not-reviewed", said, suggest_lanes(plan, goal.id))
    return _with_diagnostics(goal, refused, quality) if quality.diagnostics else refused


def _with_diagnostics(goal: Goal, refused: Refused | None, quality: Quality) -> Refused:
    """Add all that is in the way, from the criteria and from the quality gate."""
    found = quality.diagnostics
    told = "; ".join(map(str, found[:_SHOWN]))
    more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
    said = f"the quality gate of {goal.id} has {len(found)} problem(s): {told}{more}"
    facts: dict[str, object] = {"goal_id": goal.id, "tree": quality.tree}
    hint = f"goalkeeper quality-gate validate --goal-id {goal.id}"
    if refused:
        facts |= refused.facts
        said, hint = f"{refused.message}; {said}", refused.hint
    facts["diagnostics"] = [diagnostic.as_dict() for diagnostic in found]
    reason = refused.reason if refused else "gate-closed"
    return Refused(reason, said[0].upper() + said[1:], hint, facts)


def _why_standard_closed(plan: Plan, goal: Goal, judgement: Judgement | None) -> Refused | None:
    if goal.frozen is None:
        return refuse_no_contract(goal)
    if judgement is None or judgement.contract != goal.frozen.digest:
        said = f"{goal.id} completes by a judgement of its frozen contract; there is none."
        return Refused("not-judged", said, f"goalkeeper judge --goal-id {goal.id}")
    waits = [blocker.id for blocker in open_blockers(plan, goal.id)]
    if waits:
        said = f"{goal.id} waits for {', '.join(waits)}."
        return Refused("review-blockers-open", said, "goalkeeper complete-goals")
    if not judgement.uncached:
        said = f"{goal.id} was judged with answers from the cache, which open no gate."
        return Refused("not-judged", said, f"goalkeeper judge --goal-id {goal.id} --no-cache")
    if judgement.isolation == "none":
        said = f"{goal.id} was judged in the worker's own tree, which opens no gate."
        return Refused("isolation-too-weak", said, f"goalkeeper judge --goal-id {goal.id}")
    if let_stand(judgement.findings, goal.finding_answers) != judgement.findings:
        said = f"{goal.id} was judged before its findings were answered, or by another contract."
        return Refused("not-judged", said, f"goalkeeper judge --goal-id {goal.id} --no-cache")
    return None if is_proven_by(goal, judgement) else _refuse_unproven(goal, judgement)


def is_proven_by(goal: Goal, judgement: Judgement) -> bool:
    """Return whether every criterion of the frozen contract passed, and no finding blocks."""
    return judgement.is_proven and not _find_unjudged(goal, judgement)


def _find_unjudged(goal: Goal, judgement: Judgement) -> tuple[Judged, ...]:
    judged = {criterion.id for criterion in judgement.criteria}
    left = (state.id for state in goal.criteria if state.id not in judged)
    return tuple(Judged(each, Verdict.UNKNOWN, "it was not judged") for each in left)


def refuse_no_contract(goal: Goal) -> Refused:
    given = bool(goal.contract)
    said = (
        f"The contract of {goal.id} is not frozen yet."
        if given
        else f"{goal.id} has no contract, and what cannot fail cannot be proven."
    )
    file = "" if given else " --file contract.yaml"
    hint = f"goalkeeper contract freeze --goal-id {goal.id}{file}"
    return Refused("contract-missing", said, hint, {"goal_id": goal.id})


def _refuse_unproven(goal: Goal, judgement: Judgement) -> Refused:
    """Refuse with all that is in the way, the first few in words."""
    unproven = (*judgement.unproven_criteria, *_find_unjudged(goal, judgement))
    missing = [f"{c.id} {c.verdict}: {c.reason}" for c in unproven]
    found = judgement.open_findings
    told = [*missing, *map(describe_lesson, found)] or ["nothing was judged"]
    more = f" (and {len(told) - _SHOWN} more)" if len(told) > _SHOWN else ""
    reason, hint = "not-proven", f"goalkeeper why {goal.id}"
    if found and not missing:
        is_asked = all(finding.is_question for finding in found)
        reason = QUESTION_OPEN if is_asked else "findings-stand"
        hint = f"{suggest_answer(found[0], goal.id)}, or mend it" if is_asked else hint
    return Refused(
        reason,
        f"{goal.id} is not proven on tree {judgement.tree[:12]}: "
        + "; ".join(told[:_SHOWN]) + more,
        hint,
        {
            "goal_id": goal.id,
            "tree": judgement.tree,
            "unproven": [{"id": c.id, "verdict": c.verdict, "reason": c.reason}
                         for c in unproven],
            "findings": [f.as_dict() for f in found],
        },
    )  # fmt: skip


def is_about_tools(refused: Refused) -> bool:
    """Return whether only the way in which checks run is wrong, which no change of files mends."""
    findings = refused.facts.get("findings")
    rules = {f["rule"] for f in findings} if isinstance(findings, list) else set()
    return rules == {TOOL_MOVED} and not refused.facts.get("unproven")


def trust_of_lane(actor: Actor, *, is_known: bool) -> str:
    """Say how a lane is trusted. An agent that brings its own program speaks through it."""
    return INDEPENDENT if is_known or actor.kind is ActorKind.HUMAN else REPORTED


def refuse_outweighed(goal: Goal, lane: Lane) -> Refused | None:
    """Nobody overrides an independent voice about the same files with a program of their own."""
    known = find_standing(goal.lanes, lane.tree, lane.contract).get(lane.role)
    if lane.trust == INDEPENDENT or known is None or known.trust != INDEPENDENT:
        return None
    said = f"The {lane.role} lane has looked at these files already, and counts for more."
    return Refused("lane-outweighed", said, f"goalkeeper lanes show --goal-id {goal.id}")
