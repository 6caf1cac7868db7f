"""What comes next in a campaign. It is asked after every event, and remembers nothing.

Sessions are admitted as soon as a place is free: there are no waves. Nothing lands on its own proof
alone, so the queue has one proof at a time, of as many sessions as wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from goalkeeper.core.campaign.overlap import do_fences_overlap
from goalkeeper.core.campaign.state import (
    Allowance,
    Campaign,
    CampaignReason,
    CampaignTerms,
    SessionState,
    SessionStatus,
)
from goalkeeper.core.moments import milliseconds_between
from goalkeeper.wire.value import Value


class Admit(Value):
    """Let a session begin or go on, with so much of what is left."""

    session_id: str
    slice: Allowance = Allowance()


class ProveBatch(Value):
    """Merge these sessions onto the head, in this order, and prove what must hold there."""

    session_ids: tuple[str, ...]


class LandBatch(Value):
    """Move the branch to the merge that was proven."""


class ProveEverything(Value):
    """Prove on the head everything that landed, without a cache."""


class PushHead(Value):
    """Push the head: everything has landed and holds."""


class WaitUntil(Value):
    """Nothing can be done before this moment."""

    until: str
    why: str


class EndCampaign(Value):
    reason: CampaignReason
    detail: str = ""


CampaignStep: TypeAlias = (
    Admit | ProveBatch | LandBatch | ProveEverything | PushHead | WaitUntil | EndCampaign
)


def next_steps(campaign: Campaign, now: str) -> tuple[CampaignStep, ...]:
    """Say all that can be done now; nothing while all that is left is to wait for others."""
    terms = campaign.terms
    if terms is None or campaign.ended:
        return ()
    if campaign.stop_asked:  # sessions at work go on when the campaign does
        return (EndCampaign(CampaignReason.STOPPED, campaign.stop_asked),)
    queued = _choose_queue_step(campaign)
    limit = _find_limit(campaign, terms, now)
    working = campaign.list_sessions(SessionStatus.WORKING)
    admitted = () if limit else tuple(_choose_admitted(campaign, terms, working, now))
    steps = (*queued, *admitted)
    if steps or working:
        return steps
    return (limit or _choose_end(campaign, terms, now),)


def _choose_queue_step(campaign: Campaign) -> tuple[CampaignStep, ...]:
    """Choose what the queue does next: half of those that do not fit together, or all."""
    if campaign.proven:
        return (LandBatch(),)
    if campaign.suspects:
        return (ProveBatch(campaign.suspects[: max(1, len(campaign.suspects) // 2)]),)
    return (ProveBatch(campaign.queue),) if campaign.queue else ()


def _find_limit(campaign: Campaign, terms: CampaignTerms, now: str) -> EndCampaign | None:
    """Find the limit that is used up, if one is; then no session is admitted."""
    most, spend = terms.allowance, campaign.spend
    if most.seconds and milliseconds_between(campaign.began_at, now) >= most.seconds * 1000:
        return EndCampaign(CampaignReason.MAX_TIME, f"{most.seconds} s")
    if most.microdollars and (spend.microdollars or 0) >= most.microdollars:
        return EndCampaign(CampaignReason.MAX_COST, f"${(spend.microdollars or 0) / 1e6:.2f}")
    if most.tokens and spend.tokens >= most.tokens:
        return EndCampaign(CampaignReason.MAX_TOKENS, f"{spend.tokens} tokens")
    return None


def _choose_admitted(
    campaign: Campaign, terms: CampaignTerms, working: list[SessionState], now: str
) -> Iterator[Admit]:
    """Choose sessions for the free places, those with the longest way behind them first."""
    if campaign.find_pause(terms.agent, now):
        return
    free = terms.parallel - len(working)
    ready = _list_ready(campaign, now) if free > 0 else []
    if not ready:
        return
    ready.sort(key=lambda each: -campaign.ranks[each.planned.id])
    busy = [*working, *campaign.list_sessions(SessionStatus.QUEUED)]
    left = _find_left(campaign, terms, working, now)
    for session in ready:
        if free <= 0:
            return
        if any(_overlap(session, other) for other in busy):
            if not session.planned.touch and session is ready[0]:
                return  # it needs the place for itself, and is the most urgent
            continue
        share = _cut_slice(campaign, left, free)
        if share is None:
            return
        yield Admit(session.id, share)
        left = _take_off(left, share)
        busy.append(session)
        free -= 1


def _list_ready(campaign: Campaign, now: str) -> list[SessionState]:
    """List the sessions that only need a place: all that they depend on has landed."""
    landed = {*campaign.settled_ids}
    return [
        each
        for each in campaign.list_sessions(SessionStatus.WAITING)
        if each.not_before <= now and landed.issuperset(each.planned.depends_on)
    ]


def _overlap(one: SessionState, other: SessionState) -> bool:
    """Return whether both may change the same file; nobody knows if one has no fence."""
    here, there = one.planned, other.planned
    return do_fences_overlap(here.touch, here.never, there.touch, there.never)


# The following functions share what is left of the budget.


def _find_left(
    campaign: Campaign, terms: CampaignTerms, working: list[SessionState], now: str
) -> Allowance:
    """Find what nobody has used, and no session at work was promised; -1 means nothing."""
    most, spend = terms.allowance, campaign.spend
    promised = [each.slice for each in working]
    money = (spend.microdollars or 0) + sum(each.microdollars for each in promised)
    tokens = spend.tokens + sum(each.tokens for each in promised)
    passed = milliseconds_between(campaign.began_at, now) // 1000
    return Allowance(
        max(1, most.seconds - passed) if most.seconds else 0,
        (most.microdollars - money or -1) if most.microdollars else 0,
        (most.tokens - tokens or -1) if most.tokens else 0,
    )


def _cut_slice(campaign: Campaign, left: Allowance, free: int) -> Allowance | None:
    """Cut as much as the dearest phase took so far, or a fair share; None if too little is left."""
    if left.microdollars < 0 or left.tokens < 0:
        return None
    dearest = campaign.dearest
    money = min(dearest.microdollars or left.microdollars // free, left.microdollars)
    tokens = min(dearest.tokens or left.tokens // free, left.tokens)
    return Allowance(
        left.seconds,
        max(1, money) if left.microdollars else 0,
        max(1, tokens) if left.tokens else 0,
    )


def _take_off(left: Allowance, share: Allowance) -> Allowance:
    return left.replace(
        microdollars=(left.microdollars - share.microdollars or -1) if left.microdollars else 0,
        tokens=(left.tokens - share.tokens or -1) if left.tokens else 0,
    )


# The following functions are asked when nobody works and the queue is empty.


def _choose_end(campaign: Campaign, terms: CampaignTerms, now: str) -> CampaignStep:
    sessions = campaign.sessions.values()
    is_settled = all(each.is_settled for each in sessions)
    is_moved = bool(campaign.moved_to and campaign.settled_ids)  # what landed may be gone
    if (is_settled or is_moved) and campaign.whole != campaign.head.tree:
        return ProveEverything()
    if is_settled:
        if campaign.unproven:
            return EndCampaign(CampaignReason.NOT_WHOLE, "; ".join(campaign.unproven))
        is_away = terms.push is None or campaign.pushed == campaign.head.commit
        return EndCampaign(CampaignReason.DONE) if is_away else PushHead()
    if paused := campaign.find_pause(terms.agent, now):
        return WaitUntil(paused, f"the rate limit of {terms.agent}")
    later = [each.not_before for each in sessions if each.not_before > now and not each.is_over]
    if later:
        return WaitUntil(min(later), "a session waits for this moment")
    return EndCampaign(CampaignReason.PARTIAL, explain_rest(campaign))


def explain_rest(campaign: Campaign) -> str:
    """Say which sessions did not land, and why."""
    stuck = [each for each in campaign.sessions.values()
             if each.status in {SessionStatus.BLOCKED, SessionStatus.FAILED}]  # fmt: skip
    said = [f"{each.id} {each.status}: {'; '.join(each.why)}" for each in stuck]
    waiting = [each.id for each in campaign.list_sessions(SessionStatus.WAITING)]
    lost = [f"not on the branch any more: {each}" for each in campaign.unproven]
    return "; ".join([*said, *([f"{', '.join(waiting)} wait"] if waiting else []), *lost])
