"""What is shown of a campaign: its sessions, its queue, what it used, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalkeeper.core.campaign.findings import CriticFinding
from goalkeeper.core.campaign.ranking import estimate_work, rank_sessions
from goalkeeper.core.campaign.spec import Recovery
from goalkeeper.core.campaign.state import (
    MOST_RECOVERIES,
    Campaign,
    CampaignReason,
    SessionState,
    SessionStatus,
)
from goalkeeper.core.moments import milliseconds_between

_LIKE_COMMAND = {
    CampaignReason.DONE: "goalkeeper campaign land",
    CampaignReason.NOT_PUSHED: "goalkeeper campaign resume",
    CampaignReason.STOPPED: "goalkeeper campaign resume",
    CampaignReason.FAILED: "goalkeeper campaign resume",
}


def show_campaign(campaign: Campaign, now: str) -> dict[str, Any]:
    spend = campaign.spend
    return {
        "campaign_id": campaign.campaign_id,
        "title": campaign.plan.title,
        "branch": campaign.branch,
        "head": campaign.head.commit,
        "receipt": campaign.receipt or None,
        "pushed": campaign.pushed or None,
        "ended": campaign.ended or None,
        "detail": campaign.detail or None,
        "is_legacy": campaign.plan.is_legacy,
        "skipped_preflight": campaign.skipped_preflight,
        "microdollars": spend.microdollars or 0,
        "tokens": spend.tokens,
        "seconds_left": estimate_left(campaign, now),
        "queue": list(campaign.queue),
        "sessions": [_show_session(campaign, each) for each in campaign.sessions.values()],
        "unproven": list(campaign.unproven),
        "moved_by_others": list(campaign.moved_to),
    }


def _show_session(campaign: Campaign, session: SessionState) -> dict[str, Any]:
    return {
        "id": session.id,
        "title": session.planned.title,
        "status": str(session.status),
        "depends_on": list(session.planned.depends_on),
        "waits_for": list_waited_for(campaign, session),
        "run_id": session.run_id or None,
        "recovery": session.depth,
        "why": list(session.why),
        "missing": [{"step": each.number, "found": each.found} for each in session.missing],
        "landed": session.landed.commit if session.landed else None,
        "microdollars": session.spend.microdollars or 0,
        "tokens": session.spend.tokens,
        "milliseconds": session.milliseconds,
        "handoff": session.handoff.as_dict() if session.handoff else None,
    }


def list_waited_for(campaign: Campaign, session: SessionState) -> list[str]:
    """List the sessions that must land before this one can begin."""
    needed = (campaign.sessions.get(each) for each in session.planned.depends_on)
    return [each.id for each in needed if each and not each.is_settled]


def list_in_order(campaign: Campaign) -> list[SessionState]:
    """List the sessions that landed, in the order in which they did."""
    order = {each: number for number, each in enumerate(campaign.settled_ids)}
    landed = campaign.list_sessions(SessionStatus.LANDED)
    return sorted(landed, key=lambda each: order[each.id])


def describe_state(campaign: Campaign, session: SessionState, now: str) -> str:
    """Say in a few words how far a session is."""
    if session.status is SessionStatus.WORKING:
        seconds = milliseconds_between(session.admitted_at, now) // 1000
        again = f", recovery {session.depth} of {MOST_RECOVERIES}" if session.depth else ""
        return f"at work for {seconds // 60}:{seconds % 60:02d}{again}"
    if session.status is SessionStatus.QUEUED:
        return f"in the queue, proving on {campaign.head.commit[:7]}"
    waited = list_waited_for(campaign, session)
    if session.status is SessionStatus.WAITING and waited:
        return f"waits for {', '.join(waited)}"
    if session.status is SessionStatus.WAITING and session.why:
        word = "bounced: " if session.work else "" if session.begins_anew else "stopped: "
        again = f"; recovery {session.depth} of {MOST_RECOVERIES}" if session.depth else ""
        return f"{word}{'; '.join(session.why)}{again}"
    if session.status is SessionStatus.WAITING:
        return "waits for a place"
    if session.status is SessionStatus.LANDED and session.landed:
        return f"landed in {session.landed.commit[:7]}"
    if session.status is SessionStatus.MET:
        return "nothing to do: others have met its criteria"
    said = f": {'; '.join(session.why)}" if session.why else ""
    return f"{session.status}{said}"


def estimate_left(campaign: Campaign, now: str) -> int | None:
    """Estimate the seconds of work that are left; nothing is said before a session has ended.

    It is as long as the longest way through what is left, or as all of it takes in the places that
    there are, in the time that ended sessions took for work of the same size.
    """
    terms, sessions = campaign.terms, campaign.sessions.values()
    ended = [each for each in sessions if each.milliseconds and _has_worked(each)]
    if not ended or terms is None or campaign.ended:
        return None
    size = sum(estimate_work(each.planned) for each in ended)
    unit = sum(each.milliseconds for each in ended) / size / 1000
    left = _list_left(campaign)
    own = {each.id: unit * estimate_work(each.planned) for each in left}
    done = {
        each.id: min(own[each.id], milliseconds_between(each.admitted_at, now) / 1000)
        for each in left
        if each.status is SessionStatus.WORKING
    }
    ranks = rank_sessions(each.planned for each in left)
    longest = max((unit * rank - done.get(name, 0) for name, rank in ranks.items()), default=0)
    shared = (sum(own.values()) - sum(done.values())) / terms.parallel
    return int(max(longest, shared)) or None  # the last proofs have no measure


def _has_worked(session: SessionState) -> bool:
    return session.status is SessionStatus.QUEUED or session.is_over


def _list_left(campaign: Campaign) -> list[SessionState]:
    """List the sessions with work to do; not those that wait for one which is stuck."""
    stuck = {each.id for each in campaign.sessions.values() if each.is_over and not each.is_settled}
    found: set[str] = set()
    while stuck != found:
        found = {*stuck}
        stuck |= {s.id for s in campaign.sessions.values() if found & {*s.planned.depends_on}}
    return [
        each
        for each in campaign.sessions.values()
        if each.id not in stuck and not _has_worked(each)
    ]


def describe_recovery(campaign: Campaign, session: SessionState) -> Recovery | None:
    """Describe why a session is tried once more; None for one that was never stopped."""
    if not session.depth:
        return None
    tried = session.base.commit[:12] if session.base else "its base"
    missing = tuple((each.number, each.found) for each in session.missing)
    if not missing and session.why:  # it bounced as a whole; of one that landed nothing is missing
        missing = tuple((step.number, "; ".join(session.why)) for step in session.planned.steps)
    entry = f"what was done before began at {tried}; the head is {campaign.head.commit[:12]}"
    ledger = f".goalkeeper/campaigns/{campaign.campaign_id}/ledger.jsonl"
    return Recovery(session.id, session.depth, missing, entry, ledger)


def show_findings(found: Sequence[CriticFinding]) -> list[dict[str, Any]]:
    return [each.as_dict() for each in found]


def suggest_after_campaign(campaign: Campaign) -> str:
    if not campaign.ended:
        return "goalkeeper campaign run" if campaign.terms is None else ""
    if campaign.ended == CampaignReason.DONE and campaign.brought == campaign.head.commit:
        return "goalkeeper campaign receipt --attach" if campaign.receipt else ""
    stuck = next((s.id for s in campaign.sessions.values() if s.is_over and not s.is_settled), "")
    known = _LIKE_COMMAND.get(CampaignReason(campaign.ended))
    return known or (f"goalkeeper campaign why {stuck}" if stuck else "goalkeeper campaign run")
