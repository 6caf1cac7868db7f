"""Whether a stop is let through, and what else a hook answers. Values in, values out.

The default is to let go. A block needs a hold that is ours, a verdict about the tree as it is,
and a breaker that has not tripped.
"""

from __future__ import annotations

from _blake2 import blake2b

from goalkeeper.hooks.clients import CURSOR, HOST_CAPS, NOTHING, Answer, Event
from goalkeeper.hooks.words import (
    blocked_text,
    given_up_text,
    let_go_text,
    observed_text,
    overridden_text,
    proven_text,
    still_proving_text,
    tripped_text,
    unknown_text,
)
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import OBJECTIVE_CHARACTERS, Block, Hold, Verdict

SAME_EVIDENCE = 3  # stops on the same tree with the same failures
FAST_RETURNS = 2  # in a row
_TOGETHER_SECONDS = 0.25  # hooks that a client starts at once for one stop
_BRIDGED_SECONDS = 2.0  # the same stop through the settings of another client

# What a host says when a turn did not end by the agent's own will. Holding it would freeze it.
_ABNORMAL = (
    "context_limit", "context_window", "context window", "max_tokens", "max_output_tokens",
    "token_limit", "conversation_too_long", "user_cancel", "cancelled", "interrupt", "aborted",
    "401", "403", "auth", "oauth", "rate_limit", "overloaded", "billing",
)  # fmt: skip


def is_let_go(asked: Event) -> bool:
    """Whether the stop is none that we hold, whatever the state of things is."""
    why = asked.why.lower()
    return (
        bool(asked.agent)  # a subagent's
        or asked.mode == "plan"
        or asked.status not in ("", "completed")
        or any(word in why for word in _ABNORMAL)
    )


class Needs:
    """A proof is needed before there is an answer."""


def stop(
    hold: Hold,
    asked: Event,
    *,
    now: float,
    mark: str,
    since: float,
    waited: bool,
    observes: bool = False,
) -> tuple[Hold, Answer] | Needs:
    """`since`: a verdict counts that was begun then or later, or that bears this mark.

    `observes`: what would be said is said to the user, and nothing is held.
    """
    hold = hold.replace(awaiting=False)
    if asked.is_busy:
        return hold.replace(waiting="work in the background"), NOTHING
    if hold.yields and asked.follows_block:
        return hold, NOTHING
    again = _told_already(hold, asked, now, mark)
    if again is not None:
        return hold.replace(awaiting=True), again
    verdict = _current(hold, mark, since)
    if verdict is None:
        return (hold, Answer(notice=still_proving_text(hold))) if waited else Needs()
    if observes and verdict.outcome == wire.FAILED:
        waiting = f"a goal of {asked.client}'s own"
        return hold.replace(waiting=waiting), Answer(notice=observed_text(asked.client, verdict))
    return _ruled(hold.replace(waiting=""), asked, verdict, now, mark)


def _current(hold: Hold, mark: str, since: float) -> Verdict | None:
    verdict = hold.verdict
    if verdict is None:
        return None
    seen = bool(mark) and verdict.mark == mark and verdict.outcome != wire.UNKNOWN
    return verdict if seen or verdict.began >= since else None


def _told_already(hold: Hold, asked: Event, now: float, mark: str) -> Answer | None:
    """The answer to the same stop, delivered once more: it counts once."""
    last = hold.last
    if last is None or last.key != stop_key(hold, asked, mark):
        return None
    bridged = last.source != asked.source
    if now - last.at > (_BRIDGED_SECONDS if bridged else _TOGETHER_SECONDS):
        return None
    # Two follow-ups might both be queued there; elsewhere several blocks are one.
    return NOTHING if asked.client == CURSOR else Answer(block=last.text)


def stop_key(hold: Hold, asked: Event, mark: str) -> str:
    """One turn of Codex has many stops; so the turn alone does not tell them apart."""
    turn = asked.turn or hold.turn
    told = (hold.activation, turn, str(asked.follows_block), mark, asked.last_message)
    return blake2b("\0".join(told).encode(errors="replace"), digest_size=8).hexdigest()


def _ruled(
    hold: Hold, asked: Event, verdict: Verdict, now: float, mark: str
) -> tuple[Hold, Answer]:
    if verdict.outcome == wire.PASSED:
        return ended(hold, wire.PROVEN, "", now), Answer(notice=proven_text(verdict))
    if verdict.outcome == wire.BLOCKED:
        told = Answer(notice=given_up_text(verdict))
        return ended(hold, wire.GIVEN_UP, verdict.text, now), told
    if verdict.outcome == wire.UNKNOWN:
        return hold, Answer(notice=unknown_text(verdict))
    return _held(hold, asked, verdict, now, mark)


def _held(hold: Hold, asked: Event, verdict: Verdict, now: float, mark: str) -> tuple[Hold, Answer]:
    evidence = f"{verdict.tree} {' '.join(verdict.failing)}"
    same = hold.same_evidence + 1 if evidence == hold.evidence else 1
    is_fast = hold.last is not None and now - hold.last.at < hold.cooldown
    fast = hold.fast_returns + 1 if is_fast else 0
    tripped = _breaker(hold, asked, now, same, fast)
    if tripped:
        return (
            ended(hold, wire.TRIPPED, tripped, now),
            Answer(notice=tripped_text(hold, tripped, verdict)),
        )
    text = blocked_text(hold, verdict, asked.last_message)
    # Its time is when it is written; only what it is compared with must be told later.
    last = Block(stop_key(hold, asked, mark), now, asked.source, text)
    return (
        hold.replace(
            blocks=hold.blocks + 1,
            same_evidence=same,
            evidence=evidence,
            fast_returns=fast,
            last=last,
            awaiting=True,
        ),
        Answer(block=text),
    )


def _breaker(hold: Hold, asked: Event, now: float, same: int, fast: int) -> str:
    if hold.blocks >= hold.max_blocks or asked.loops >= hold.max_blocks:
        return "max_blocks"
    if now - hold.armed_at > hold.minutes * 60:
        return "time"
    if fast >= FAST_RETURNS:
        return "fast_return"
    return "no_progress" if same >= SAME_EVIDENCE else ""


def ended(hold: Hold, how: str, why: str, now: float) -> Hold:
    return hold.replace(ended=how, ended_why=why, ended_at=now, awaiting=False)


def anew(hold: Hold, activation: str, turn: str, objective: str, now: float) -> Hold:
    return hold.replace(
        activation=activation,
        armed_at=now,
        turn=turn,
        objective=objective[:OBJECTIVE_CHARACTERS],
        blocks=0,
        fast_returns=0,
        same_evidence=0,
        evidence="",
        last=None,
        awaiting=False,
        waiting="",
    )


def switched_off(hold: Hold, now: float) -> tuple[Hold, Answer]:
    return ended(hold, wire.OFF, "the user said so", now), Answer(notice=let_go_text(hold))


def prompted(hold: Hold, asked: Event, now: float) -> tuple[Hold, Answer]:
    """A prompt that asks for nothing of ours, while the session is held."""
    cap = HOST_CAPS.get(asked.client)
    if hold.awaiting and cap is not None and hold.blocks >= cap:
        over = ended(hold, wire.OVERRIDDEN, f"{asked.client} let the agent stop itself", now)
        return over, Answer(notice=overridden_text(hold))
    return hold.replace(turn=asked.timestamp or hold.turn, awaiting=False), NOTHING
