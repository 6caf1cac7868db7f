"""The texts of hooks. Every text begins with a mark by which we recognize it.

Texts for a model are observations, not orders: models take orders from outside for an attack. No
text has an empty line, because a text that comes back as a prompt ends there.
"""

from __future__ import annotations

import time

from goalkeeper.wire.hold import SENTINEL, Hold, HoldVerdict, so_many_blocks
from goalkeeper.wire.hook import HookAnswer

_LONGEST = 1500
_OBJECTIVE = 500
_WAYS_OUT = 420  # so many characters are left for them
_CLAIMS = frozenset(
    {"done", "complete", "completed", "finished", "fixed", "pass", "passes", "ready"}
)
# "t" comes from don't.
_DENIALS = frozenset({"not", "no", "cannot", "never", "fail", "fails", "failing", "t"})
# The user is told these. `notify` fills in the fields.
_NOTICES = {
    "proven": "Proven on tree {verdict.tree:.12}: {verdict.text}",
    "given-up": "Ultrawork ends, NOT proven: {verdict.text}",
    "unknown": "Let go for now, NOT proven: it could not be checked. {verdict.text}",
    "waiting": "Let go for now, NOT proven: work goes on in the background.",
    "moving": "Let go for now, NOT proven: files change while they are checked.",
    "observing": "Not held, NOT proven: a goal of {hold.client}'s own is active in this session, "
    "and two loops would fight.\n{verdict.text}",
    "still-proving": "Let go for now, NOT proven: the checks are still running after "
    "{hold.limits.wait} seconds. goalkeeper ulw status shows what comes of it; the next stop is "
    "answered by it.",
    "not-checked": "Let go for now, NOT proven: the checks could not be run (exit {code}). "
    "goalkeeper ulw prove says why.",
    "was-off": "Ultrawork was turned off at {at} ({hold.ended_why}). NOT proven.",
    "off": "Ultrawork is off for this session, after {blocks}. NOT proven.",
    "off-unwritten": "Ultrawork is off for this session, NOT proven; it could not be noted: {why}.",
    "overridden": "{hold.client} let the agent stop after {blocks}, NOT proven; ultrawork is off. "
    "Say ulw again to go on from zero.",
    "lost": "Let go, NOT proven: what is known of this ultrawork cannot be used: {why}.",
    "switched-off": "{why}, so hooks are not called any more: from now on nothing holds this "
    "session, and nothing is proven. goalkeeper doctor says more.",
    "not-on": "Ultrawork is NOT on: {why}",
}
_TRIPS = {
    "max_blocks": "it was held as often as is allowed, {blocks} in all",
    "time": "it was held for more than {minutes} minutes",
    "no_progress": "three stops in a row came with the same files and the same failures",
    "fast_return": "it came back at once, twice in a row, without work in between",
}


def _limit(text: str, most: int = _LONGEST) -> str:
    """Leave out empty lines, and cut the text to what a model should be told."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return f"{SENTINEL} {_clip(chr(10).join(lines), most)}"


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def notify(what: str, hold: Hold | None = None, **about: object) -> HookAnswer:
    """Answer with one of the notices, and with nothing else."""
    if hold:
        at = time.strftime("%H:%M", time.localtime(hold.ended_at))
        about |= {"hold": hold, "blocks": so_many_blocks(hold.counts.blocks), "at": at}
    return HookAnswer(notice=_limit(_NOTICES[what].format(**about)))


def say_not_proven_yet(hold: Hold, verdict: HoldVerdict, last_message: str) -> str:
    said = {*"".join(c if c.isalnum() else " " for c in last_message.lower()).split()}
    claims = bool(said & _CLAIMS) and not said & _DENIALS
    claimed = "The last message claims otherwise; the checks decide." if claims else ""
    head = (
        f"Ultrawork holds this session: not proven on tree {verdict.tree[:12]} "
        f"(block {hold.counts.blocks + 1} of {hold.limits.max_blocks}). {claimed}"
    )
    told = _clip(verdict.text, _LONGEST - len(head) - _WAYS_OUT)
    return _limit(f"{head}\n{told}\n{_list_ways_out(hold)}")


def _list_ways_out(hold: Hold) -> str:
    return (
        "The checks run in a clean checkout of the files as they are; goalkeeper ulw status says "
        f"more. If only a human can go on: goalkeeper blocked --run {hold.run} --as needs-human "
        '--evidence "<why>". The user ends this by saying "stop ultrawork".'
    )


def say_first_block(hold: Hold, verdict: HoldVerdict) -> str:
    """Tell the user, once, that they must mend a check that cannot pass."""
    lines = [line for line in verdict.text.splitlines() if not line.startswith("  |")]
    told = _clip("\n".join(lines), _OBJECTIVE)
    return _limit(
        f"Not proven yet, so the agent goes on (at most {so_many_blocks(hold.limits.max_blocks)}):"
        f"\n{told}\nChecks run in a clean checkout, without what git ignores (.venv, "
        "node_modules): docs/hold.md says what to do where they need it."
    )


def say_tripped(hold: Hold, why: str, told: str) -> str:
    blocks = so_many_blocks(hold.counts.blocks)
    said = _TRIPS[why].format(blocks=blocks, minutes=hold.limits.minutes)
    return _limit(
        f"Ultrawork lets go, NOT proven ({why}): {said}.\n{_clip(told, _LONGEST - 300)}\n"
        "Say ulw again to go on from zero."
    )


def answer_renewed(hold: Hold) -> HookAnswer:
    most = so_many_blocks(hold.limits.max_blocks)
    said = _limit(f"Ultrawork goes on from zero: at most {most}, run {hold.run}.")
    return HookAnswer(context=say_regained(hold), notice=said)


def say_regained(hold: Hold) -> str:
    """Tell the facts again after a compaction, or when a session is resumed."""
    told = hold.verdict.text if hold.verdict else "Nothing was judged yet."
    return _limit(
        f"Ultrawork holds this session (run {hold.run}, {hold.counts.blocks} of "
        f"{hold.limits.max_blocks} blocks used).\nAsked for: {_clip(hold.objective, _OBJECTIVE)}\n"
        f"Last seen: {_clip(told, _LONGEST)}\n{_list_ways_out(hold)}",
        2 * _LONGEST,
    )


def say_plan(told: dict[str, object]) -> str:
    """Tell the plan of a session that is not held; nothing where no goal can be worked on."""
    if told.get("status") not in ("active", "pending", "failed"):
        return ""
    goal = told.get("current_goal")
    at_work = "No goal is at work."
    if isinstance(goal, dict):
        asked = _clip(str(goal.get("objective") or ""), _OBJECTIVE)
        named = f"{goal.get('id')}, {goal.get('title')} ({goal.get('why')})"
        at_work = f"At work is {named}.\nAsked for: {asked}"
    return _limit(
        f"Run {told.get('run_id')} is active in this repository. {at_work}\nQuestions to the user "
        "are closed while it is. goalkeeper status shows the plan; next: goalkeeper "
        "complete-goals, which shows the goal with its contract and the commands for it.",
        2 * _LONGEST,
    )


def say_questions_closed(error: dict[str, object]) -> str:
    """Say why the user may not be asked; nothing if the guard did not say that."""
    if error.get("code") != "questions-closed":
        return ""
    return _limit(f"Denied: {error.get('message')} Next: {error.get('hint')}")


def say_status(hold: Hold) -> str:
    failing = ", ".join(hold.verdict.failing) if hold.verdict else ""
    state = (
        f"open: {failing}" if failing else hold.verdict.outcome if hold.verdict else "not judged"
    )
    return f"ultrawork {hold.counts.blocks}/{hold.limits.max_blocks} · {state}"
