"""This module decides which contracts become binding, and who may change one that is."""

from __future__ import annotations

import json

from goalkeeper.core.contract.timing import read_frozen_timing
from goalkeeper.core.plan import commands, events, gate
from goalkeeper.core.plan.actors import explain_actor
from goalkeeper.core.plan.model import (
    EXAMINER,
    Actor,
    ActorKind,
    Frozen,
    Goal,
    Plan,
    Refused,
    is_outrun,
)
from goalkeeper.wire.canonical import digest


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
    refused = _refuse_unfreezable(goal, frozen, briefs, actor)
    author = "brief" if briefs == frozen.digest else str(actor.kind)
    if frozen.digest == _digest_draft(goal):
        author = EXAMINER
    blocked = plan.find_goal(goal.blocks)
    if blocked and actor.kind is ActorKind.ENGINE:  # it takes over the contract of that goal
        author = blocked.frozen.author if blocked.frozen else "brief"
    return refused or (events.ContractFrozen(goal.id, frozen.replace(author=author)),)


def decide_drafting(
    goal: Goal,
    command: commands.RecordExaminer | commands.RecordDraft | commands.RecordOpinion,
    actor: Actor,
) -> tuple[events.Event, ...] | Refused:
    """Take what examiners said; no agent accepts a draft, its own least of all."""
    if goal.is_over:
        return _refuse_over(goal)
    if isinstance(command, commands.RecordOpinion):
        return (events.ContractChallenged(goal.id, command.opinion),)
    if isinstance(command, commands.RecordExaminer):
        return (events.ExaminerAnswered(goal.id, command.examiner),)
    if command.draft.accepted_by and not (actor.kind is ActorKind.HUMAN or actor.is_unattended):
        said = f"A draft is accepted by a human; {explain_actor(actor)}."
        hint = "ask a human to run goalkeeper run in a terminal"
        return Refused("draft-needs-human", said, hint, {"goal_id": goal.id})
    return (events.ContractDrafted(goal.id, command.draft),) if command.draft != goal.draft else ()


def _digest_draft(goal: Goal) -> str:
    """Return the digest of the contract that was drafted and accepted, or nothing."""
    return digest(json.loads(goal.drafted_contract)) if goal.drafted_contract else ""


def is_self_written(plan: Plan, goal: Goal, digest: str, actor: Actor) -> bool:
    """Return whether an agent writes a contract for itself in a plan that somebody else made."""
    known = {goal.frozen.digest if goal.frozen else "", _briefs_digest(goal), _digest_draft(goal)}
    is_others = plan.author != ActorKind.AGENT
    return is_others and actor.kind is ActorKind.AGENT and digest not in known


def _briefs_digest(goal: Goal) -> str:
    """Return the digest of the contract that the brief gave the goal, or nothing."""
    from goalkeeper.core.contract.document import Contract, read_text  # noqa: PLC0415  freezing is rare

    brief = read_text(goal.contract)
    return brief.digest if isinstance(brief, Contract) and brief.criteria else ""


def _decide_amend(
    goal: Goal, frozen: Frozen, reason: str, actor: Actor
) -> tuple[events.Event, ...] | Refused:
    if actor.kind is not ActorKind.HUMAN:
        return refuse_amendment_by(goal.id, actor)
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


def _refuse_unfreezable(goal: Goal, frozen: Frozen, briefs: str, actor: Actor) -> Refused | None:
    """Freezing only makes a gate stricter, so anyone may; but nobody replaces a frozen contract.

    `briefs` is the digest of the contract that the brief gave the goal, if it gave one.
    """
    if goal.frozen and goal.frozen.digest != frozen.digest:
        said = (
            f"{goal.id} has a frozen contract ({goal.frozen.digest[:12]}) that says other things."
        )
        hint = f"goalkeeper contract amend --goal-id {goal.id} --file FILE --reason <why>"
        facts = {"goal_id": goal.id, "frozen": goal.frozen.digest, "given": frozen.digest}
        return Refused("contract-frozen", said, hint, facts)
    if frozen.digest in {briefs, _digest_draft(goal)} or actor.kind is not ActorKind.AGENT:
        return None
    if briefs:
        said = (
            f"The brief gave {goal.id} its contract; an agent cannot give it another, and "
            f"{explain_actor(actor)}."
        )
        hint = f"goalkeeper contract freeze --goal-id {goal.id}"
        return Refused("contract-of-the-brief", said, hint, {"goal_id": goal.id})
    if read_frozen_timing(frozen.contract):
        # The plan may be complete although such a goal is not.
        said = f"An agent cannot make {goal.id} a hypothesis or a recurring goal."
        hint = (
            "leave hypothesis and recurring out; the brief or a human may say so; "
            f"{explain_actor(actor)}"
        )
        return Refused("timing-needs-human", said, hint, {"goal_id": goal.id})
    return None


def refuse_amendment_by(goal_id: str, actor: Actor) -> Refused:
    said = f"Only a human amends a contract or names its base; {explain_actor(actor)}."
    hint = (
        "ask a human to run it in a terminal; "
        f"goalkeeper why {goal_id} says what is left to prove as things are"
    )
    return Refused("amendment-needs-human", said, hint)
