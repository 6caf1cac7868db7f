"""Sessions that are held: their state, and what their users and agents are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from goalkeeper.app.contracts import contract_of
from goalkeeper.core.plan.actors import explain_actor
from goalkeeper.core.plan.model import Actor, Plan, Refused
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import SENTINEL, Hold, so_many_blocks
from goalkeeper.wire.value import Value

_SHOWN = 8


def list_proofs(hold: Hold, plan: Plan) -> list[str]:
    """List every criterion in words, or the commands where there is no contract."""
    found = []
    for goal in plan.required_goals:
        contract = contract_of(goal)
        found += [f"{goal.id} {c.id}: {c.text}" for c in contract.criteria] if contract else []
        found += [] if contract else [f"{goal.id}: {' '.join(argv)}" for argv in hold.verify]
    return found


def make_notice(hold: Hold, by: Sequence[str], said: str) -> str:
    """Tell the user what holds the session, and how to leave."""
    more = f" (and {len(by) - _SHOWN} more)" if len(by) > _SHOWN else ""
    return (
        f"{SENTINEL} Ultrawork {said} (run {hold.run}). It ends when proven by: "
        f"{'; '.join(by[:_SHOWN])}{more}. At most {so_many_blocks(hold.limits.max_blocks)} and "
        f'{hold.limits.minutes} minutes. Say "stop ultrawork" to leave.'
    )


_WAY_OF_WORK = (
    "How work goes in ultrawork:\n"
    "1. Explore first: two to five subagents in parallel, each with one narrow question; "
    "keep their answers short. Some clients give those in the background fewer tools: what needs "
    "an MCP server is looked up in the foreground.\n"
    "2. Pick a slice of one to three atomic changes, and for each the check that will "
    "show it.\n"
    "3. Make the change; keep notes and checklists in step with it.\n"
    "4. Run the checks; mend what fails; repeat until they pass. What failed before is "
    "named as such.\n"
    "5. Stop only when all of it holds; otherwise the next slice.\n"
)


def make_instructions(hold: Hold, by: Sequence[str]) -> str:
    """Tell the model facts about this session. An empty line would end the text: hooks/words.py."""
    listed = "\n".join(f"   - {each}" for each in by[:_SHOWN])
    listed += f"\n   and {len(by) - _SHOWN} more: goalkeeper status" if len(by) > _SHOWN else ""
    return (
        f"{SENTINEL} The user has turned on ultrawork for this session (run {hold.run}).\n"
        "A stop is let through when these hold in a clean checkout of the files as they are, "
        "with the tests and tool settings as they were at the beginning:\n"
        f"{listed}\n{_WAY_OF_WORK}"
        "What is said is not taken as proof, and changed tests are not taken as passing. "
        "goalkeeper ulw prove runs the checks now. If only a human can go on: goalkeeper blocked "
        f'--run {hold.run} --as needs-human --evidence "<why>".'
    )


def add_way_of_work(refused: Refused) -> Refused:
    """Add what a model is told where ultrawork was asked for, and nothing can prove its work."""
    if refused.reason != "nothing-to-prove-by":
        return refused
    text = (
        f"{SENTINEL} The user asked for ultrawork. This session is not held, because "
        f"{refused.message}.\n{_WAY_OF_WORK}Nobody but you checks it: say what was run, and what "
        "it printed."
    )
    return refused.replace(facts={**refused.facts, "text": text})


def refuse_agent(hold: Hold, actor: Actor) -> Refused:
    said = (
        f"Ultrawork is ended by its user; {explain_actor(actor)}. "
        'The user says "stop ultrawork" in the session, or calls this in a terminal'
    )
    hint = f'goalkeeper blocked --run {hold.run} --as needs-human --evidence "<why>"'
    return Refused("hold-is-the-users", said, hint)


class HoldFacts(Value):
    """What is known of a session beside its hold, which its agent can write."""

    is_watched: bool = True
    is_proven: bool = True  # the ledger of its run has the proof
    is_gone: bool = False  # the client's process has ended
    hooks_off: str = ""  # what keeps the client from calling our hooks


def name_state(hold: Hold, facts: HoldFacts) -> str:
    if hold.ended == wire.TRIPPED:
        return f"{hold.ended} ({hold.ended_why})"
    if hold.ended == wire.PROVEN and not facts.is_proven:
        return "NOT proven (its ledger has no proof)"
    if hold.ended:
        return hold.ended
    if not facts.is_watched:
        return "lost (its watch is gone)"
    if facts.is_gone:
        return "left while paused" if hold.paused_for else "ended unasked"
    if facts.hooks_off:
        return "not held (hooks are off)"
    return "paused" if hold.paused_for else "held"


def explain_state(hold: Hold, facts: HoldFacts) -> str:
    """Say why a session is not held although nobody let it go; empty if it is, or somebody did."""
    if hold.ended:
        return hold.ended_why
    told = [hold.paused_for]
    if not facts.is_watched:
        told.append("the file by which hooks know that it is held was deleted")
    if facts.is_gone:
        told.append("the client has ended")
    told.append(facts.hooks_off)
    if not hold.paused_for and any(told):
        told.append("no stop was let through")
    return "; ".join(filter(None, told))


def show_hold(hold: Hold, facts: HoldFacts) -> dict[str, object]:
    verdict = hold.verdict
    return {
        "client": hold.client,
        "session": hold.session,
        "activation": hold.activation,
        "run_id": hold.run,
        "state": name_state(hold, facts),
        "worktree": hold.worktree,
        "why": explain_state(hold, facts) or None,
        "ended_at": hold.ended_at or None,
        "blocks": hold.counts.blocks,
        "max_blocks": hold.limits.max_blocks,
        "compactions": hold.compactions,
        "verdict": verdict.outcome if verdict else None,
        "tree": verdict.tree if verdict else None,
        "failing": list(verdict.failing) if verdict else [],
        "text": verdict.text if verdict else None,
    }


class HoldReader(Protocol):
    def all(self) -> Iterable[Hold]: ...

    def unreadable(self) -> list[str]: ...


class HeldSessions(Value):
    """The sessions of a repository that are or were held, the latest first."""

    holds: tuple[Hold, ...]
    document: dict[str, Any]


def find_held_sessions(
    store: HoldReader, client: str, session: str, find_facts: Callable[[Hold], HoldFacts]
) -> HeldSessions:
    """Find one session, or all of them."""
    found = [h for h in store.all() if not client or (h.client, h.session) == (client, session)]
    found.sort(key=lambda hold: hold.armed_at, reverse=True)
    document = {
        "ok": True,
        "holds": [show_hold(hold, find_facts(hold)) for hold in found],
        "unreadable": [] if client else store.unreadable(),
    }
    return HeldSessions(tuple(found), document)


def show_begun(hold: Hold, plan: Plan, *, is_new: bool) -> dict[str, Any]:
    by = list_proofs(hold, plan)
    return {
        "ok": True,
        **show_hold(hold, HoldFacts()),
        "is_new": is_new,
        "proven_by": by,
        "text": make_instructions(hold, by),
        "notice": make_notice(hold, by, "is on" if is_new else "was on already"),
    }
