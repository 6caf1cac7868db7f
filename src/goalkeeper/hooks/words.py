"""What hooks say. Every text begins with a mark by which we know it again.

Texts for a model are observations, not orders: orders from outside are taken for an attack.
None has an empty line, which is where a text of ours would end if it came back as a prompt.
"""

from __future__ import annotations

from goalkeeper.wire.hold import SENTINEL, Hold, Verdict

_LONGEST = 1500
_CLAIMS = ("done", "complete", "finish", "fixed", "pass", "works now", "ready")
_TRIPS = {
    "max_blocks": "it was held {blocks} times, which is the most that is allowed",
    "time": "it was held for more than {minutes:g} minutes",
    "no_progress": "three stops in a row came with the same files and the same failures",
    "fast_return": "it came back at once, twice in a row, without work in between",
}


def plain(text: str) -> str:
    """Without empty lines, and no longer than a model should be told."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    said = "\n".join(lines)
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def _said(text: str) -> str:
    return f"{SENTINEL} {plain(text)}"


def blocked_text(hold: Hold, verdict: Verdict, last_message: str) -> str:
    claims = any(word in last_message.lower() for word in _CLAIMS)
    claimed = "The last message claims otherwise; the checks decide. " if claims else ""
    head = (
        f"Ultrawork holds this session: not proven on tree {verdict.tree[:12]} "
        f"(block {hold.blocks + 1} of {hold.max_blocks}). {claimed}"
    )
    room = _LONGEST - len(head) - 400
    told = verdict.text if len(verdict.text) <= room else verdict.text[: room - 1] + "…"
    return _said(f"{head}\n{told}\n{_ways_out(hold)}")


def _ways_out(hold: Hold) -> str:
    return (
        f"The checks run in a clean checkout of the files as they are; goalkeeper ulw status says "
        f"more. If only a human can go on: goalkeeper blocked --run {hold.run} --as needs-human "
        '--evidence "<why>". The user ends this by saying "stop ultrawork".'
    )


def proven_text(verdict: Verdict) -> str:
    return _said(f"Proven on tree {verdict.tree[:12]}: {verdict.text}")


def given_up_text(verdict: Verdict) -> str:
    return _said(f"Ultrawork ends, NOT proven: {verdict.text}")


def unknown_text(verdict: Verdict) -> str:
    return _said(f"Let go, NOT proven: it could not be checked. {verdict.text}")


def observed_text(client: str, verdict: Verdict) -> str:
    return _said(
        f"Not held, NOT proven: a goal of {client}'s own is active in this session, and two loops "
        f"would fight.\n{verdict.text}"
    )


def still_proving_text(hold: Hold) -> str:
    return _said(
        f"Let go, NOT proven yet: the checks are still running after {hold.wait:g} seconds. "
        "goalkeeper ulw status shows what comes of it; the next stop is answered by it."
    )


def tripped_text(hold: Hold, why: str, verdict: Verdict) -> str:
    said = _TRIPS[why].format(blocks=hold.blocks, minutes=hold.minutes)
    return _said(
        f"Ultrawork lets go, NOT proven ({why}): {said}.\n{verdict.text}\n"
        "Say ulw again to go on from zero."
    )


def anew_text(hold: Hold) -> str:
    return _said(f"Ultrawork goes on from zero: {hold.max_blocks} blocks, run {hold.run}.")


def let_go_text(hold: Hold) -> str:
    return _said(f"Ultrawork is off for this session, after {hold.blocks} blocks. NOT proven.")


def overridden_text(hold: Hold) -> str:
    return _said(
        f"{hold.client} let the agent stop after {hold.blocks} blocks, NOT proven; "
        "ultrawork is off. Say ulw again to go on from zero."
    )


def lost_text(why: str) -> str:
    return _said(f"Let go, NOT proven: what is known of this ultrawork cannot be used: {why}.")


def regained_text(hold: Hold) -> str:
    """After a compaction, or when a session is resumed."""
    verdict = hold.verdict
    told = verdict.text if verdict else "Nothing was judged yet."
    return _said(
        f"Ultrawork holds this session (run {hold.run}, block {hold.blocks} of "
        f"{hold.max_blocks} used).\nAsked for: {hold.objective}\nLast seen: {told}\n"
        + _ways_out(hold)
    )


def status_text(hold: Hold) -> str:
    failing = ", ".join(hold.verdict.failing) if hold.verdict else ""
    state = hold.ended or (f"open: {failing}" if failing else "not judged yet")
    return f"ultrawork {hold.blocks}/{hold.max_blocks} · {state}"
