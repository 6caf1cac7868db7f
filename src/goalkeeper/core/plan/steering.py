"""Evidence-backed changes of the plan.

These rules always hold: the objective, the constraints, gates and completion are out of reach; no
goal is deleted; nothing becomes complete; the last required goal stays required.
"""

from __future__ import annotations

from goalkeeper.core.decode import plain
from goalkeeper.core.plan import commands, events, ids
from goalkeeper.core.plan.actors import explain_actor
from goalkeeper.core.plan.model import (
    Actor,
    ActorKind,
    Classification,
    Goal,
    GoalStatus,
    NewGoal,
    Plan,
    Refused,
    SteeringKey,
)
from goalkeeper.core.problems import is_blank
from goalkeeper.wire.canonical import compact, digest

_HELP = "goalkeeper steer --help"
_WHY = "--evidence <what you found> --rationale <why>"


def decide_steering(
    plan: Plan, steer: commands.Steer, actor: Actor
) -> events.SteeringAccepted | SteeringKey | Refused:
    """Return the accepted change, or the earlier steer that this one repeats."""
    request = digest([steer.change.kind, plain(steer)])
    for known in plan.steering_keys:
        if steer.key and known.key == steer.key and known.request != request:
            said = f"The key {steer.key} was used for another request."
            hint = "give this request a key of its own"
            return Refused("key-reused", said, hint, {"key": steer.key})
        same = known.key == steer.key if steer.key else known.revision == plan.revision
        if same and known.request == request:
            return known
    return (
        _without_reason(steer)
        or _against_the_rules(plan, steer.change, actor)
        or events.SteeringAccepted(
            **steer.as_dict(),
            request=request,
            goal_ids=_goal_ids(plan, steer.change),
            revision=plan.revision,
        )
    )


def _without_reason(steer: commands.Steer) -> Refused | None:
    missing = [name for name in ("evidence", "rationale") if is_blank(getattr(steer, name))]
    if not missing:
        return None
    said = f"Steering needs {' and '.join(f'--{name}' for name in missing)}."
    hint = (
        f"goalkeeper steer --kind {steer.change.kind} … "
        "--evidence <what you found> --rationale <why the plan must change>"
    )
    return Refused("missing-" + "-and-".join(missing), said, hint)


def _against_the_rules(plan: Plan, change: commands.Change, actor: Actor) -> Refused | None:
    match change:
        case commands.AddSubgoal(new):
            return _refuse_unworded((new,))
        case commands.SplitSubgoal(goal_id, replacements):
            return _refuse_not_pending(plan, goal_id) or _bad_split(replacements)
        case commands.ReorderPending(order):
            return _bad_order(plan, order)
        case commands.RevisePendingWording(goal_id, title, objective):
            given = [words for words in (title, objective) if words]
            if not given or any(map(is_blank, given)):
                said = "A rewording needs a new --title, --objective or both."
                return Refused("nothing-to-revise", said, _HELP)
            return _refuse_not_pending(plan, goal_id)
        case commands.AnnotateLedger():
            return None
        case commands.MarkBlockedSuperseded(goal_id):
            return _not_supersedable(plan, goal_id, actor)


def unknown_goal(goal_id: str) -> Refused:
    said = f"There is no goal {goal_id}."
    return Refused("unknown-goal", said, "goalkeeper status", {"goal_id": goal_id})


def _refuse_not_pending(plan: Plan, goal_id: str) -> Refused | None:
    goal = plan.find_goal(goal_id)
    if goal is None:
        return unknown_goal(goal_id)
    if goal.status is GoalStatus.PENDING:
        return None
    said = f"{goal.id} is {goal.status}; only a pending goal can be split or reworded."
    hint = f"goalkeeper steer --kind add_subgoal --title <title> --objective <objective> {_WHY}"
    return Refused("goal-not-pending", said, hint, {"goal_id": goal.id, "status": goal.status})


def _refuse_unworded(news: tuple[NewGoal, ...]) -> Refused | None:
    if not any(is_blank(new.title) or is_blank(new.objective) for new in news):
        return None
    said = "Every new goal needs a title and an objective."
    return Refused("empty-goal", said, _HELP)


def _bad_split(replacements: tuple[NewGoal, ...]) -> Refused | None:
    if len(replacements) < 2:  # noqa: PLR2004  one replacement is a rewording
        return Refused("too-few-replacements", "A split needs at least two replacements.", _HELP)
    if len(set(replacements)) < len(replacements):
        return Refused("duplicate-replacements", "Two replacements are the same.", _HELP)
    return _refuse_unworded(replacements)


def _bad_order(plan: Plan, order: tuple[str, ...]) -> Refused | None:
    pending = [goal.id for goal in plan.with_status(GoalStatus.PENDING)]
    if pending and sorted(order) == sorted(pending):
        return None
    said = "The order must name every pending goal once, and no other."
    hint = f"goalkeeper steer --kind reorder_pending --order-json '{compact(pending)}' {_WHY}"
    return Refused("order-not-pending", said, hint, {"given": list(order), "pending": pending})


def _not_supersedable(plan: Plan, goal_id: str, actor: Actor) -> Refused | None:
    goal = plan.find_goal(goal_id)
    if goal is None:
        return unknown_goal(goal_id)
    refused = not_releasable(goal, actor)
    if refused:
        return refused
    if goal.contract and actor.kind is ActorKind.AGENT:
        # Otherwise a split, with a contract of its own for the first half, would complete the plan.
        said = f"The brief gave {goal.id} its contract; an agent cannot let go of it."
        return Refused("contract-of-the-brief", said, _ask_human(actor), {"goal_id": goal.id})
    asked_for = [
        g for g in plan.required_goals or plan.asked_goals if g.origin in {"brief", "split_subgoal"}
    ]
    if asked_for == [goal]:
        said = f"{goal.id} is all that is left of the brief; without it nothing asked for remains."
        hint = f"goalkeeper unblock --goal-id {goal.id} --evidence <what changed>"
        return Refused("last-required-goal", said, hint)
    return None


def not_releasable(goal: Goal, actor: Actor) -> Refused | None:
    """Only a blocked goal is released, and one that waits for a human only by a human."""
    if goal.status is not GoalStatus.BLOCKED:
        said = f"{goal.id} is {goal.status}, not blocked."
        facts = {"goal_id": goal.id, "status": goal.status}
        return Refused("goal-not-blocked", said, "goalkeeper status", facts)
    if goal.classification != Classification.HUMAN_BLOCKED or actor.kind is ActorKind.HUMAN:
        return None
    said = f"{goal.id} is classified human_blocked: only a human may release it."
    facts = {"goal_id": goal.id, "actor": actor.kind, "decided_by": actor.how}
    return Refused("human-only", said, _ask_human(actor), facts)


def _ask_human(actor: Actor) -> str:
    return f"ask a human to run this command in a terminal of their own; {explain_actor(actor)}"


def _goal_ids(plan: Plan, change: commands.Change) -> tuple[str, ...]:
    """Return the goals that the change makes, or else the one it names."""
    after = len(plan.goals) + 1
    match change:
        case commands.AddSubgoal():
            return (ids.goal_id(after),)
        case commands.SplitSubgoal(_, replacements):
            return tuple(ids.goal_id(after + n) for n in range(len(replacements)))
        case commands.RevisePendingWording(goal_id) | commands.MarkBlockedSuperseded(goal_id):
            return (goal_id,)
        case commands.ReorderPending(order):
            return order
        case commands.AnnotateLedger():
            return ()
