"""Decides whether a stop is let through, and what else a hook answers. It does nothing else.

The default is to let go. A block needs a hold that is ours, a verdict about the tree as it is,
and a breaker that has not tripped.
"""

from __future__ import annotations

from _blake2 import blake2b

from goalkeeper.hooks import words
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import OBJECTIVE_CHARACTERS, Block, Counts, Hold, HoldVerdict
from goalkeeper.wire.hook import NOTHING, HookAnswer, HookEvent
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SAME_EVIDENCE = 3  # it counts stops on the same tree with the same failures
FAST_RETURNS = 2  # it counts them in a row
_TOGETHER_SECONDS = 0.25  # a client starts hooks for one stop within this time
_BRIDGED_SECONDS = 2.0  # the settings of another client deliver the same stop within this time
_BACKGROUND = "work in the background"

# With these words a host says that a turn did not end by the agent's own will. To hold it would
# freeze it.
_ABNORMAL = (
    "context_", "max_tokens", "max_output_tokens", "token_limit", "conversation_too_long",
    "user_cancel", "cancel", "interrupt", "abort", "oauth", "auth_", "authentication",
    "rate_limit", "overloaded", "billing",
)  # fmt: skip
_ABNORMAL_WORDS = frozenset({"401", "403", "auth", "error"})

HookRuling = tuple[Hold, HookAnswer]


def find_release(asked: HookEvent) -> str:
    """Say why we never hold such a stop; return an empty text if we may hold it."""
    if asked.agent:
        return "a subagent's"
    if asked.mode == "plan":
        return "plan mode"
    if asked.status not in ("", "completed"):
        return asked.status
    told = "".join(c if c.isalnum() or c == "_" else " " for c in asked.why.lower()).split()
    return next((w for w in told if w.startswith(_ABNORMAL) or w in _ABNORMAL_WORDS), "")


class Now(Value):
    """The moment of a stop: what the time is, and how tree and ledger look."""

    time: float
    looks: str  # a fingerprint that may be taken too early
    mark: str  # a fingerprint that is sure, or empty
    ledger: str
    since: float = float("inf")  # a verdict that was begun then or later is enough
    is_confirmed: bool = False  # the proof that this hook has started says that it passed


def rule_on_stop(
    hold: Hold, asked: HookEvent, now: Now, has_own_goal: Callable[[], bool]
) -> HookRuling | None:
    """Answer a stop; return None if a proof is needed before there is an answer."""
    if hold.ended:  # somebody turned it off, and the session's user is told here
        return hold, words.notify("was-off", hold)
    counts = hold.counts.replace(unanswered=False)
    hold = hold.replace(counts=counts, process=asked.process)
    if asked.is_busy:
        return _wait_for_work(hold, now)
    if hold.limits.yields and asked.follows_block:
        return hold, NOTHING
    again = _repeat_answer(hold, asked, now)
    if again is not None:
        return hold.replace(counts=hold.counts.replace(unanswered=True)), again
    verdict = hold.verdict
    if verdict is None or not _is_current(verdict, now):
        return None
    if verdict.outcome == wire.FAILED and hold.limits.observes and has_own_goal():
        paused = hold.replace(paused_for=f"a goal of {asked.client}'s own")
        return paused, words.notify("observing", hold, verdict=verdict)
    return _rule(hold.replace(paused_for=""), asked, verdict, now)


def _wait_for_work(hold: Hold, now: Now) -> HookRuling:
    """Let the stop through within the time limit: the session will be woken. Say so once."""
    if _is_overdue(hold, now):
        return _trip(hold, "time", "", now)
    told = NOTHING if hold.paused_for == _BACKGROUND else words.notify("waiting")
    return hold.replace(paused_for=_BACKGROUND), told


def _is_current(verdict: HoldVerdict, now: Now) -> bool:
    if verdict.outcome == wire.PASSED:
        return now.is_confirmed  # a file that says so may be of the agent's making
    if verdict.began >= now.since:
        return True
    same = bool(now.mark) and (verdict.mark, verdict.ledger) == (now.mark, now.ledger)
    return same and verdict.outcome in (wire.FAILED, wire.GIVEN_UP)


def _repeat_answer(hold: Hold, asked: HookEvent, now: Now) -> HookAnswer | None:
    """Give the same answer if a client delivers the same stop once more, and count it once."""
    last = hold.counts.last
    if last is None or last.key != _make_stop_key(hold, asked, now.looks):
        return None
    bridged = last.source != asked.source
    arrived = min(now.time, now.since)  # a proof may have taken long since then
    if arrived - last.at > (_BRIDGED_SECONDS if bridged else _TOGETHER_SECONDS):
        return None
    # Two follow-ups might both be queued there; elsewhere several blocks count as one.
    return NOTHING if asked.dialect.queues_blocks else HookAnswer(block=last.text)


def _make_stop_key(hold: Hold, asked: HookEvent, looks: str) -> str:
    """Make the key of a stop. A turn may have many stops, so the turn alone is not enough."""
    turn = asked.turn or hold.turn
    told = (hold.activation, turn, str(asked.follows_block), looks, asked.last_message)
    return blake2b("\0".join(told).encode(errors="replace"), digest_size=8).hexdigest()


def _rule(hold: Hold, asked: HookEvent, verdict: HoldVerdict, now: Now) -> HookRuling:
    match verdict.outcome:
        case wire.PASSED if not now.mark or verdict.mark != now.mark:
            return hold.pause_for("files changed while they were checked"), words.notify("moving")
        case wire.PASSED:
            told = words.notify("proven", verdict=verdict)
            return hold.end_hold(wire.PROVEN, "", now.time), told
        case wire.GIVEN_UP:
            told = words.notify("given-up", verdict=verdict)
            return hold.end_hold(wire.GIVEN_UP, verdict.text, now.time), told
        case wire.FAILED:
            return _block(hold, asked, verdict, now)
        case _:
            told = words.notify("unknown", verdict=verdict)
            return hold.pause_for("it could not be checked"), told


def _block(hold: Hold, asked: HookEvent, verdict: HoldVerdict, now: Now) -> HookRuling:
    counts = _count(hold, verdict, now)
    tripped = _find_breaker(hold, counts, asked, now)
    if tripped:
        return _trip(hold, tripped, verdict.text, now)
    text = words.say_not_proven_yet(hold, verdict, asked.last_message)
    last = Block(_make_stop_key(hold, asked, now.looks), now.time, asked.source, text)
    counts = counts.replace(
        blocks=counts.blocks + 1, in_a_row=counts.in_a_row + 1, last=last, unanswered=True
    )
    first = words.say_first_block(hold, verdict) if counts.blocks == 1 else ""
    return hold.replace(counts=counts), HookAnswer(block=text, notice=first)


def _count(hold: Hold, verdict: HoldVerdict, now: Now) -> Counts:
    counts = hold.counts
    evidence = f"{verdict.tree} {' '.join(verdict.failing)}"
    is_same = evidence == counts.evidence
    soon = counts.last is not None and now.time - counts.last.at < hold.limits.cooldown
    return counts.replace(
        same_evidence=counts.same_evidence + 1 if is_same else 1,
        evidence=evidence,
        fast_returns=counts.fast_returns + 1 if soon and is_same else 0,
    )


def _find_breaker(hold: Hold, counts: Counts, asked: HookEvent, now: Now) -> str:
    most = hold.limits.max_blocks
    if counts.blocks >= most or asked.loops >= most:
        return "max_blocks"
    if _is_overdue(hold, now):
        return "time"
    if counts.fast_returns >= FAST_RETURNS:
        return "fast_return"
    return "no_progress" if counts.same_evidence >= SAME_EVIDENCE else ""


def _is_overdue(hold: Hold, now: Now) -> bool:
    return now.time - hold.armed_at > hold.limits.minutes * 60


def _trip(hold: Hold, why: str, told: str, now: Now) -> HookRuling:
    return hold.end_hold(wire.TRIPPED, why, now.time), HookAnswer(
        notice=words.say_tripped(hold, why, told)
    )


def rule_on_renewal(hold: Hold, activation: str, asked: HookEvent, now: float) -> HookRuling:
    """Begin again from zero, because ultrawork is asked for while it is on.

    A turn that is delivered twice counts once.
    """
    if asked.turn_key and asked.turn_key == hold.turn:
        return hold, NOTHING
    hold = hold.replace(
        activation=activation,
        armed_at=now,
        turn=asked.turn_key,
        objective=asked.prompt[:OBJECTIVE_CHARACTERS] or hold.objective,
        counts=Counts(),
        paused_for="",
        process=asked.process,
    )
    return hold, words.answer_renewed(hold)


def rule_on_prompt(hold: Hold, asked: HookEvent, now: float) -> HookRuling:
    """Answer a prompt that asks for nothing of ours, while the session is held."""
    counts, cap = hold.counts, asked.dialect.block_cap
    if counts.unanswered and cap and counts.in_a_row >= cap:
        over = hold.end_hold(wire.OVERRIDDEN, f"{asked.client} let the agent stop itself", now)
        return over, words.notify("overridden", hold)
    counts = counts.replace(in_a_row=0, unanswered=False)
    turn = asked.timestamp or hold.turn
    hold = hold.replace(turn=turn, counts=counts, paused_for="", process=asked.process)
    return hold, NOTHING
