"""Which findings may stand, and who may say so.

A worker answers a question about its change with a reason. What blocks is a human's to let stand.
"""

from __future__ import annotations

from goalkeeper.core.contract.findings import FindingAnswer
from goalkeeper.core.plan import commands, events, gate
from goalkeeper.core.plan.actors import explain_actor
from goalkeeper.core.plan.model import Actor, ActorKind, Goal, Refused
from goalkeeper.core.problems import is_reasoned


def decide_answer(
    goal: Goal, command: commands.AnswerFindings, actor: Actor
) -> tuple[events.Event, ...] | Refused:
    refused = _refuse_goal(goal, command) or _refuse_answer(goal, command, actor)
    if refused:
        return refused
    by = str(actor.kind)
    contents = dict.fromkeys(finding.content for finding in command.findings)
    answers = [_make_answer(command, content, by) for content in contents]
    new = [answer for answer in answers if answer not in goal.finding_answers]
    return tuple(events.FindingAnswered(goal.id, answer) for answer in new)


def _make_answer(command: commands.AnswerFindings, content: str, by: str) -> FindingAnswer:
    about = [finding for finding in command.findings if finding.content == content]
    messages = tuple(dict.fromkeys(finding.message for finding in about))
    return FindingAnswer(about[0].rule, about[0].path, messages, content, command.reason, by)


def _refuse_goal(goal: Goal, command: commands.AnswerFindings) -> Refused | None:
    if goal.is_over:
        said = f"{goal.id} is {goal.status}; nothing of it is open."
        return Refused("goal-is-over", said, "goalkeeper status", {"goal_id": goal.id})
    if goal.frozen is None:
        return gate.refuse_no_contract(goal)
    if goal.frozen.digest != command.contract:
        said = f"What was judged is not the contract that {goal.id} has frozen."
        return Refused("contract-changed", said, f"goalkeeper judge --goal-id {goal.id}")
    return None


def _refuse_answer(goal: Goal, command: commands.AnswerFindings, actor: Actor) -> Refused | None:
    facts = {"goal_id": goal.id, "findings": [each.as_dict() for each in command.findings]}
    blocking = [str(each) for each in command.findings if not each.is_question]
    if blocking and actor.kind is not ActorKind.HUMAN:
        said = f"Only a human lets stand what blocks; {explain_actor(actor)}. It is {blocking[0]}"
        mend = next((each.mend for each in command.findings if not each.is_question), "")
        hint = f"{mend} Or ask a human to run it in a terminal" if mend else "ask a human to run it"
        return Refused("letting-stand-needs-human", said, hint, facts)
    if not is_reasoned(command.reason):
        said = "The reason says too little: whoever reviews the change reads it first."
        hint = "say what the change is for and why it weakens nothing, in five words or more"
        return Refused("reason-missing", said, hint, facts)
    return None
