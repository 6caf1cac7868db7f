"""Events make the campaign. No rule stands here: every event is accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from goalkeeper.core.campaign import events
from goalkeeper.core.campaign.ranking import rank_sessions
from goalkeeper.core.campaign.state import (
    MOST_RECOVERIES,
    Allowance,
    Campaign,
    Handoff,
    ProvenBatch,
    SessionState,
    SessionStatus,
)
from goalkeeper.core.drive.phases import Spend
from goalkeeper.core.drive.state import SAFEGUARDS, Reason
from goalkeeper.core.plan.model import Base

# The run goes on where it is: the slice is used up, or the client asks to wait.
_GOES_ON = frozenset({
    Reason.MAX_COST, Reason.MAX_TOKENS, Reason.RATE_LIMITED, Reason.OUTAGE, Reason.NOT_DUE,
})  # fmt: skip
# Another agent may do better with what is there.
_RECOVERS = (SAFEGUARDS - _GOES_ON) | {Reason.PARTIAL, Reason.CRASHED, Reason.UNKNOWN}


def begin_campaign(event: events.CampaignMade, at: str) -> Campaign:
    sessions = {each.id: SessionState(each) for each in event.plan.sessions}
    ranks = rank_sessions(event.plan.sessions)
    return Campaign(
        event.campaign_id, event.plan, event.branch, event.base, event.base, sessions, ranks, at
    )


def apply_event(now: Campaign, event: events.CampaignEvent, at: str) -> Campaign:
    """Return the campaign after the event."""
    match event:
        case events.CampaignBegan(terms, skips):
            known = _forget_whole(now) if now.unproven else now  # it is looked for again
            # Whoever begins it again may have another agent, or know that the limit is gone.
            known = _change(known, known.sessions, lambda each: each.replace(not_before=""))
            return known.replace(
                terms=terms, began_at=at, ended="", detail="", stop_asked="",
                skipped_preflight=now.skipped_preflight or skips,
            )  # fmt: skip
        case events.SessionAdmitted():
            return _change(now, (event.session_id,), lambda each: _admit(each, event, at))
        case events.SessionEnded():
            return _end_session(now, event)
        case events.SessionMet(session_id):
            met = _change(now, (session_id,), lambda each: each.replace(
                status=SessionStatus.MET, slice=Allowance(), why=(), files=(), missing=(),
            ))  # fmt: skip
            return _forget_whole(met).replace(settled_ids=(*now.settled_ids, session_id))
        case events.SessionAmended():
            return _amend(now, event)
        case events.SessionUnblocked(session_id, is_run_lost=is_lost):
            return _change(now, (session_id,), lambda each: _unblock(each, is_lost=is_lost))
        case events.BatchProven(session_ids, head, merged):
            return now.replace(proven=ProvenBatch(session_ids, head, merged))
        case events.BatchRefused():
            return _refuse_batch(now, event)
        case events.BatchLanded(session_ids, head, handoffs):
            return _land(now, session_ids, head, handoffs)
        case events.HeadMoved(head):
            moved = () if head == now.head else (head.commit,)  # a branch that was gone is back
            return _forget_whole(now).replace(
                head=head, proven=None, moved_to=(*now.moved_to, *moved)
            )
        case events.ClientPaused(agent, until):
            return now.replace(paused={**now.paused, agent: until})
        case events.WholeProven(head, unproven, receipt):
            return now.replace(head=head, whole=head.tree, unproven=unproven, receipt=receipt)
        case events.CampaignPushed(commit=commit):
            return now.replace(pushed=commit)
        case events.CampaignLanded():
            return now.replace(brought=now.head.commit)
        case events.StopAsked(reason):
            return now.replace(stop_asked=reason)
        case events.CampaignEnded(reason, detail):
            return now.replace(ended=str(reason), detail=detail)
        case _:
            return now


def _change(
    now: Campaign, session_ids: Iterable[str], change: Callable[[SessionState], SessionState]
) -> Campaign:
    known = [each for each in session_ids if each in now.sessions]
    return now.replace(sessions={**now.sessions, **{i: change(now.sessions[i]) for i in known}})


def _admit(session: SessionState, event: events.SessionAdmitted, at: str) -> SessionState:
    run_ids = session.run_ids
    if event.run_id != session.run_id:
        run_ids = (*run_ids, event.run_id)
    return session.replace(
        status=SessionStatus.WORKING, run_ids=run_ids, base=event.base, slice=event.slice,
        admitted_at=at, not_before="", work=None,
        begins_anew=False,
    )  # fmt: skip


def _end_session(now: Campaign, event: events.SessionEnded) -> Campaign:
    ended = _change(now, (event.session_id,), lambda each: _record_end(each, event))
    queue = now.queue
    if event.work and event.session_id not in queue and event.session_id in now.sessions:
        queue = (*queue, event.session_id)
    before = now.sessions[event.session_id].spend if event.session_id in now.sessions else Spend()
    return ended.replace(
        queue=queue,
        dearest=_take_larger(now.dearest, event.dearest),
        spend=_exchange(now.spend, before, event.spend),
    )


def _exchange(total: Spend, before: Spend, after: Spend) -> Spend:
    """Count what a session has used by now instead of what it had used before."""
    return Spend(
        total.input_tokens + after.input_tokens - before.input_tokens,
        total.output_tokens + after.output_tokens - before.output_tokens,
        total.cached_tokens + after.cached_tokens - before.cached_tokens,
        (total.microdollars or 0) + (after.microdollars or 0) - (before.microdollars or 0),
    )


def _record_end(session: SessionState, event: events.SessionEnded) -> SessionState:
    used = session.replace(
        spend=event.spend, milliseconds=event.milliseconds, slice=Allowance(),
        missing=event.missing, why=(f"{event.reason}: {event.detail}",),
    )  # fmt: skip
    if event.work:
        return used.replace(status=SessionStatus.QUEUED, work=event.work, why=())
    if event.reason in _GOES_ON:
        return used.replace(status=SessionStatus.WAITING, not_before=event.resets_at)
    return (
        _recover(used) if event.reason in _RECOVERS else used.replace(status=SessionStatus.BLOCKED)
    )


def _recover(session: SessionState) -> SessionState:
    """Let the session be tried once more, unless that was done often enough."""
    if session.depth >= MOST_RECOVERIES:
        return session.replace(status=SessionStatus.FAILED)
    return session.replace(status=SessionStatus.WAITING, depth=session.depth + 1)


def _amend(now: Campaign, event: events.SessionAmended) -> Campaign:
    """Change what a session is to do; whatever was proven for it before counts no more."""
    plan, amended = now.plan.with_session(event.planned), (event.session_id,)
    changed = _change(now, amended, lambda each: SessionState(
        event.planned, run_ids=each.run_ids, begins_anew=True, why=(f"amended: {event.reason}",),
        spend=each.spend, milliseconds=each.milliseconds,
    ))  # fmt: skip
    queue, suspects = (
        tuple(each for each in listed if each not in amended)
        for listed in (now.queue, now.suspects)
    )
    ranks = rank_sessions(plan.sessions)
    return changed.replace(plan=plan, ranks=ranks, queue=queue, suspects=suspects, proven=None)


def _unblock(session: SessionState, *, is_lost: bool) -> SessionState:
    if session.status not in {SessionStatus.BLOCKED, SessionStatus.FAILED}:
        return session
    if is_lost:  # it begins in a new run, and what the lost ones cost stays counted
        session = session.replace(run_ids=(), base=None, lost_spend=session.spend)
    return session.replace(status=SessionStatus.WAITING, depth=0)


def _refuse_batch(now: Campaign, event: events.BatchRefused) -> Campaign:
    """Bounce a session that was refused alone; of several, some one is not to blame."""
    session_ids = event.session_ids
    if len(session_ids) > 1:
        return now.replace(suspects=session_ids, proven=None)
    bounced = _change(now, session_ids, lambda each: _bounce(each, event))
    queue = tuple(each for each in now.queue if each not in session_ids)
    return bounced.replace(queue=queue, suspects=(), proven=None)


def _bounce(session: SessionState, event: events.BatchRefused) -> SessionState:
    """Send it back: it goes on in a new run, from the head that it does not fit."""
    return _recover(session).replace(
        begins_anew=True,
        why=event.reasons,
        files=event.files,
        earlier=session.work,
        earlier_base=session.base,
    )


def _land(
    now: Campaign, session_ids: tuple[str, ...], head: Base, handoffs: Iterable[Handoff]
) -> Campaign:
    told = {each.session_id: each for each in handoffs}
    landed = _change(
        now,
        session_ids,
        lambda each: each.replace(
            status=SessionStatus.LANDED, landed=head, before=now.head,
            handoff=told.get(each.id), why=(), files=(),
        ),
    )  # fmt: skip
    left = [
        tuple(each for each in listed if each not in session_ids)
        for listed in (now.queue, now.suspects)
    ]
    return _forget_whole(landed).replace(
        head=head,
        queue=left[0],
        suspects=left[1],
        proven=None,
        settled_ids=(*now.settled_ids, *session_ids),
    )


def _forget_whole(now: Campaign) -> Campaign:
    """Forget the last proof of everything: it was about another head."""
    return now.replace(whole="", unproven=(), receipt="")


def _take_larger(one: Allowance, other: Allowance) -> Allowance:
    return Allowance(
        max(one.seconds, other.seconds),
        max(one.microdollars, other.microdollars),
        max(one.tokens, other.tokens),
    )
