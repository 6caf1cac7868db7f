"""Which contracts become binding, and who may change one that is."""

from __future__ import annotations

from goalkeeper.core.plan import commands, events, gate
from goalkeeper.core.plan.model import Actor, ActorKind, Frozen, Goal, Plan, Refused, is_outrun


def decide_freezing(
    plan: Plan, goal: Goal, command: commands.FreezeContract | commands.AmendContract, actor: Actor
) -> tuple[events.Event, ...] | Refused:
    frozen = command.frozen
    if isinstance(command, commands.AmendContract):
        return _decide_amend(goal, frozen, command.reason, actor)
    if goal.is_over:
        return _refuse_over(goal)
    if goal.frozen and goal.frozen.digest == frozen.digest:
        if not is_outrun(plan, goal):
            return ()
        return (events.ContractFrozen(goal.id, frozen.replace(author=goal.frozen.author)),)
    briefs = _briefs_digest(goal)
    refused = gate.refuse_unfreezable(goal, frozen, briefs, actor)
    author = "brief" if briefs == frozen.digest else str(actor.kind)
    return refused or (events.ContractFrozen(goal.id, frozen.replace(author=author)),)


def _briefs_digest(goal: Goal) -> str:
    """Of the contract that the brief gave the goal, if it gave one."""
    from goalkeeper.core.contract.document import Contract, read_text  # noqa: PLC0415  freezing is rare

    brief = read_text(goal.contract)
    return brief.digest if isinstance(brief, Contract) and brief.criteria else ""


def _decide_amend(
    goal: Goal, frozen: Frozen, reason: str, actor: Actor
) -> tuple[events.Event, ...] | Refused:
    if actor.kind is not ActorKind.HUMAN:
        return gate.refuse_needs_human(goal.id, actor)
    if goal.is_over:
        return _refuse_over(goal)
    if goal.frozen is None:
        return gate.refuse_no_contract(goal)
    if goal.frozen.digest == frozen.digest and goal.frozen.base == frozen.base:
        return ()
    amended = frozen.replace(author=str(actor.kind))
    return (events.ContractAmended(goal.id, amended, reason),)


def _refuse_over(goal: Goal) -> Refused:
    said = f"{goal.id} is {goal.status}; its contract is history."
    return Refused("goal-is-over", said, "goalkeeper status", {"goal_id": goal.id})
