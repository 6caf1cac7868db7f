"""What is shown of a campaign: its sessions, its queue, what it used, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalkeeper.core.campaign.findings import CriticFinding
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
    CampaignReason.NOT_PUSHED: "goalkeeper campaign run",
    CampaignReason.STOPPED: "goalkeeper campaign run",
    CampaignReason.FAILED: "goalkeeper campaign run",
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
    order = {each: number for number, each in enumerate(campaign.landed_ids)}
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
    if session.status is SessionStatus.LANDED and session.landed:
        return f"landed in {session.landed.commit[:7]}"
    if session.status is SessionStatus.MET:
        return "nothing to do: others have met its criteria"
    said = f": {'; '.join(session.why)}" if session.why else ""
    return f"{session.status}{said}"


def estimate_left(campaign: Campaign, now: str) -> int | None:
    """Estimate the seconds that are left; nothing is promised before the first session ended."""
    ended = [s for s in campaign.sessions.values() if s.is_over and s.milliseconds]
    terms = campaign.terms
    if not ended or terms is None or campaign.ended:
        return None
    average = sum(each.milliseconds for each in ended) / len(ended) / 1000
    open_ = [each for each in campaign.sessions.values() if not each.is_over]
    worked = [
        milliseconds_between(each.admitted_at, now) / 1000
        for each in open_
        if each.status is SessionStatus.WORKING
    ]
    left = average * len(open_) - sum(min(each, average) for each in worked)
    return int(left / max(1, terms.parallel))


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
    stuck = next((s.id for s in campaign.sessions.values() if s.is_over and not s.is_settled), "")
    known = _LIKE_COMMAND.get(CampaignReason(campaign.ended))
    return known or (f"goalkeeper campaign why {stuck}" if stuck else "goalkeeper campaign run")
