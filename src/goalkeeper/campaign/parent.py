"""The parent of a campaign takes the steps that `core.campaign.next_steps` asks for.

It is only a ledger: everything is recorded before it has an effect, or can be repeated without
harm. A session whose drive lock is held is followed; one whose lock is free is started again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from goalkeeper.app.ports import Clock
from goalkeeper.campaign.attempts import Attempts, find_traces
from goalkeeper.campaign.executor import Executor
from goalkeeper.campaign.following import read_object
from goalkeeper.campaign.resuming import find_resumption
from goalkeeper.core.campaign import events, next_steps
from goalkeeper.core.campaign.state import (
    Allowance,
    Campaign,
    CampaignReason,
    Handoff,
    MissingStep,
    ProvenBatch,
    PushTarget,
    SessionState,
    SessionStatus,
    is_too_late,
)
from goalkeeper.core.decode import decode
from goalkeeper.core.drive.state import CANNOT_WORK, MET_ELSEWHERE, Drive, Reason
from goalkeeper.core.plan.graph import next_goal
from goalkeeper.core.plan.model import Base, Plan
from goalkeeper.core.plan.standing import list_unseen
from goalkeeper.errors import ConfigError, DiskFailed, GoalkeeperError, LedgerError, TryAgain
from goalkeeper.wire.value import Value

_PAUSE_SECONDS = 0.1
MOST_MOVES = 100  # of its branch, while one process runs a campaign
MOST_WAITS = 12  # each of them lasts as long as one waits for a lock
_QUEUE = "queue"  # the name of the process that proves merges


class ParentDeps(Value):
    """What the parent of a campaign works with."""

    read: Callable[[], Campaign]
    record: Callable[[events.CampaignEvent], Campaign]
    executor: Executor
    make_run: Callable[[Campaign, SessionState], None]  # it makes the run that was admitted
    find_run_id: Callable[[], str]  # a new id
    read_plan: Callable[[str], Plan | None]  # the plan of a run; None if there is no such run
    is_driven: Callable[[str], bool]  # whether a process drives a run
    pause_run: Callable[[str, str, str], None]  # a run waits until a moment, for a reason
    find_head: Callable[[], str]  # the last commit of the campaign's branch; empty if it is gone
    read_commit: Callable[[str], Base | None]  # None if this names no commit
    make_head: Callable[[Base], None]  # it makes the branch again
    is_known: Callable[[Base], bool]  # whether git has a commit
    move_head: Callable[[Base, Base], bool]  # from one commit to another; no if it is elsewhere
    find_missing: Callable[[SessionState, Plan], tuple[MissingStep, ...]]
    clear_session: Callable[[SessionState], None]  # it removes the worktrees of what landed
    push: Callable[[Campaign, PushTarget], str]  # it pushes the head; why it could not, or nothing
    describe_landed: Callable[[SessionState, ProvenBatch], Handoff]
    words: Callable[..., list[str]]  # the command line of goalkeeper with these words
    see: Callable[[Campaign], None]  # it shows the campaign to whoever looks on
    clock: Clock


class Parent:
    def __init__(self, deps: ParentDeps) -> None:
        self._deps = deps
        self._attempts = Attempts()
        self._is_proving = False
        self._waits = 0  # it counts turns in a row that were not taken to their end
        self._moves = 0  # it counts how often somebody else moved the branch

    def run_to_end(self) -> Campaign:
        """Take steps until the campaign ends. Whoever interrupts it can go on later."""
        self._is_proving = self._deps.executor.is_running(_QUEUE)  # who started it was killed
        try:
            campaign = self._deps.read()
            while not campaign.ended:
                campaign = self._take_turn_or_end(campaign)
                time.sleep(_PAUSE_SECONDS)
        finally:
            self._deps.executor.interrupt_all()  # whatever can be read now, nobody works unattended
        for session in campaign.sessions.values():
            if session.is_settled:
                self._deps.clear_session(session)
        return campaign

    def _take_turn_or_end(self, before: Campaign) -> Campaign:
        """Take a turn; what nobody can go on with ends the campaign, and its ledger says why."""
        try:
            campaign = self._take_turn()
            self._waits = 0
            return campaign
        except TryAgain:  # git was killed, or somebody holds a lock; the turn is taken once more
            self._waits += 1
            if self._waits >= MOST_WAITS:
                raise
            return before
        except DiskFailed:  # where a record has no room, the end of the campaign has none either
            raise
        except GoalkeeperError as exc:
            with suppress(GoalkeeperError):
                ended = events.CampaignEnded(CampaignReason.FAILED, explain_error(exc))
                return self._deps.record(ended)
            raise

    def _take_turn(self) -> Campaign:
        campaign = self._notice_head(self._deps.read())
        campaign = self._collect_proof(campaign)
        for session in campaign.list_sessions(SessionStatus.WORKING):
            campaign = self._follow_session(campaign, session)
        for step in next_steps.next_steps(campaign, self._deps.clock()):
            campaign = self._take_step(campaign, step)
        self._deps.see(campaign)
        return campaign

    def _take_step(self, campaign: Campaign, step: next_steps.CampaignStep) -> Campaign:
        match step:
            case next_steps.Admit(session_id, share):
                return self._admit(campaign, campaign.sessions[session_id], share)
            case next_steps.ProveBatch(session_ids):
                self._start_proof(session_ids)
            case next_steps.ProveEverything():
                self._start_proof(())
            case next_steps.LandBatch():
                return self._land(campaign, campaign.proven) if campaign.proven else campaign
            case next_steps.PushHead():
                return self._push(campaign)
            case next_steps.WaitUntil():
                pass  # the next turn comes soon enough
            case next_steps.EndCampaign(reason, detail):
                return self._deps.record(events.CampaignEnded(reason, detail))
        return campaign

    # These methods follow sessions.

    def _admit(self, campaign: Campaign, session: SessionState, share: Allowance) -> Campaign:
        """Admit a session: into its own run, or into a new one when it begins or bounced."""
        goes_on = bool(session.run_id) and not session.begins_anew
        run_id = session.run_id if goes_on else self._deps.find_run_id()
        base = session.base if goes_on and session.base else campaign.head
        self._attempts.forget(session.id)
        if not goes_on:  # whoever works on it still, does so by a plan that counts no more
            self._deps.executor.interrupt(session.id)
        self._deps.executor.take_exit(session.id)  # it told of another admission
        return self._deps.record(events.SessionAdmitted(session.id, run_id, base, share))

    def _follow_session(self, campaign: Campaign, session: SessionState) -> Campaign:
        """Follow it; what its own agent has spoilt in its record ends it, and others go on."""
        try:
            plan = [self._deps.read_plan(run_id) for run_id in session.run_ids][-1]
        except TryAgain:
            raise
        except GoalkeeperError as exc:
            return self._give_up(session, exc)
        try:
            return self._follow_run(campaign, session, plan)
        except (ConfigError, LedgerError) as exc:
            return self._give_up(session, exc)

    def _give_up(self, session: SessionState, exc: GoalkeeperError) -> Campaign:
        self._deps.executor.interrupt(session.id)
        used, milliseconds = session.spend, session.milliseconds
        said = f"{explain_error(exc)}; or a human unblocks {session.id}, and it begins anew"
        ended = events.SessionEnded(session.id, Reason.FAILED, said, used, milliseconds)
        return self._deps.record(ended)

    def _follow_run(self, campaign: Campaign, session: SessionState, plan: Plan | None) -> Campaign:
        """See whether the session has ended; start it where nobody works on it."""
        deps = self._deps
        drive = plan.drive if plan else None
        if deps.executor.is_running(session.id) or deps.is_driven(session.run_id):
            return self._share_pause(campaign, session, plan) if plan else campaign
        end = self._find_end(session, plan, drive) if plan and drive else None
        if plan and drive and end:
            return deps.record(self._describe_end(session, plan, drive, end))
        exit_code = deps.executor.take_exit(session.id)
        if exit_code is not None:
            self._attempts.count_end(session.id, exit_code, find_traces(plan))
        if exit_code == MET_ELSEWHERE:
            return deps.record(events.SessionMet(session.id))
        if exit_code == CANNOT_WORK:
            return deps.record(self._describe_failure(session, plan, Reason.PREFLIGHT))
        if self._attempts.is_hopeless(session.id):
            return deps.record(self._describe_failure(session, plan, Reason.FAILED))
        if self._attempts.is_resting(session.id):
            return campaign
        deps.make_run(campaign, session)
        named = ("--campaign", campaign.campaign_id, "--json")
        words = deps.words("campaign", "work", session.id, *named)
        deps.executor.start(session.id, words)
        return campaign

    def _find_end(self, session: SessionState, plan: Plan, drive: Drive) -> Reason | None:
        """Find why the drive of this admission has ended; None if it is to go on.

        A driver that was killed after its last proof leaves no end, and a new one has nothing to
        do and records nothing.
        """
        if drive.ended and drive.began_at >= session.admitted_at:
            return Reason(drive.ended)
        is_ready = next_goal(plan, retry_failed=False, at=self._deps.clock())
        is_proven = plan.is_complete and not is_ready and not list_unseen(plan)
        return Reason.DONE if is_proven else None

    def _describe_end(
        self, session: SessionState, plan: Plan, drive: Drive, reason: Reason
    ) -> events.SessionEnded:
        is_proven = reason is Reason.DONE and plan.base is not None
        missing = self._deps.find_missing(session, plan)  # steps may be skipped
        detail, until = drive.detail, find_resumption(plan, drive, reason, self._deps.clock())
        if is_too_late(until, self._deps.clock()):
            detail = f"{reason}, and nobody waits so long: {detail}"
            reason = Reason.NEEDS_HUMAN
        return self._describe_use(session, reason, detail).replace(
            work=plan.base if is_proven else None, missing=missing, resets_at=until
        )

    def _describe_failure(
        self, session: SessionState, plan: Plan | None, reason: Reason
    ) -> events.SessionEnded:
        """Describe the end of a session whose process said why it cannot work here."""
        said = read_last_object(self._deps.executor.read_output(session.id))
        error = said.get("error", {})
        hint = f" ({error['hint']})" if error.get("hint") else ""
        detail = error.get("message", self._attempts.explain(session.id)) + hint
        missing = self._deps.find_missing(session, plan) if plan else ()
        return self._describe_use(session, reason, detail).replace(missing=missing)

    def _describe_use(
        self, session: SessionState, reason: Reason, detail: str
    ) -> events.SessionEnded:
        """Say what all runs of the session have used so far."""
        plans = [self._deps.read_plan(run_id) for run_id in session.run_ids]
        drives = [plan.drive for plan in plans if plan and plan.drive]
        spend = sum((drive.total for drive in drives), session.lost_spend)
        milliseconds = sum(drive.used_ms(self._deps.clock()) for drive in drives)
        dearest = Allowance(0, spend.microdollars or 0, spend.tokens)
        return events.SessionEnded(session.id, reason, detail, spend, milliseconds, dearest)

    def _share_pause(self, campaign: Campaign, session: SessionState, plan: Plan) -> Campaign:
        """Let all sessions of a client wait that has met its rate limit.

        A session can say what it likes; if nobody waits so long, it ends alone.
        """
        drive, now = plan.drive, self._deps.clock()
        until = drive.paused_until if drive else ""
        if drive is None or until <= max(now, campaign.find_pause(drive.agent, now)):
            return campaign
        if is_too_late(until, now):
            self._deps.executor.interrupt(session.id)
            said = f"{drive.paused_for}, and nobody waits until {until}"
            missing = self._deps.find_missing(session, plan)
            ended = self._describe_use(session, Reason.NEEDS_HUMAN, said)
            return self._deps.record(ended.replace(missing=missing))
        for other in campaign.list_sessions(SessionStatus.WORKING):
            with suppress(GoalkeeperError):  # when it is looked at itself, it is blocked
                if other.id != session.id and self._deps.read_plan(other.run_id):
                    self._deps.pause_run(other.run_id, until, drive.paused_for)
        return self._deps.record(events.ClientPaused(drive.agent, until, drive.paused_for))

    # These methods land what is proven.

    def _start_proof(self, session_ids: tuple[str, ...]) -> None:
        """Start the proof of these sessions on the head; of everything if none is named."""
        if self._is_proving or self._attempts.is_resting(_QUEUE):
            return
        self._is_proving = True
        what = session_ids or ("--whole",)
        campaign_id = self._deps.read().campaign_id
        words = self._deps.words("campaign", "prove", *what, "--campaign", campaign_id, "--json")
        self._deps.executor.start(_QUEUE, words, answers=True)

    def _collect_proof(self, campaign: Campaign) -> Campaign:
        """Record what the process of the queue found, if the head is still the one it saw."""
        if not self._is_proving or self._deps.executor.is_running(_QUEUE):
            return campaign
        self._is_proving = False
        exit_code = self._deps.executor.take_exit(_QUEUE)
        said = read_last_object(self._deps.executor.take_answer(_QUEUE))
        event = _read_proof(said)
        if event:
            self._attempts.forget(_QUEUE)
            return self._record_proof(campaign, event)
        if exit_code is not None:
            self._attempts.count_end(_QUEUE, exit_code)
        if self._attempts.is_hopeless(_QUEUE):
            why = f"the proof of the queue has no answer: {self._attempts.explain(_QUEUE)}"
            detail = said.get("error", {}).get("message", why)
            return self._deps.record(events.CampaignEnded(CampaignReason.FAILED, detail))
        return campaign

    def _record_proof(self, campaign: Campaign, event: Proof) -> Campaign:
        """Record what was found, if it is about the head and the queue as they are."""
        if event.head != campaign.head:
            return campaign
        if isinstance(event, events.WholeProven):
            return self._deps.record(event)
        if not {*campaign.queue}.issuperset(event.session_ids):
            return campaign
        campaign = self._deps.record(event)
        if isinstance(event, events.BatchRefused) and not event.session_ids:
            detail = "; ".join(event.reasons)
            return self._deps.record(events.CampaignEnded(CampaignReason.NOT_WHOLE, detail))
        return campaign

    def _land(self, campaign: Campaign, batch: ProvenBatch) -> Campaign:
        """Move the branch from the head that the proof was about, and from no other."""
        if not self._deps.is_known(batch.merged):  # git has thrown it away; it is made again
            return self._deps.record(events.HeadMoved(campaign.head))
        if not self._deps.move_head(batch.head, batch.merged):
            return self._notice_head(campaign)
        handoffs = tuple(
            self._deps.describe_landed(campaign.sessions[each], batch) for each in batch.session_ids
        )
        return self._deps.record(events.BatchLanded(batch.session_ids, batch.merged, handoffs))

    def _push(self, campaign: Campaign) -> Campaign:
        """Push the head; after a crash that is done again, and then git has nothing to do."""
        target = campaign.terms.push if campaign.terms else None
        if target is None:
            return campaign
        commit = campaign.head.commit
        if problem := self._deps.push(campaign, target):
            return self._deps.record(events.CampaignEnded(CampaignReason.NOT_PUSHED, problem))
        return self._deps.record(events.CampaignPushed(target.remote, target.branch, commit))

    def _notice_head(self, campaign: Campaign) -> Campaign:
        """Record that somebody else moved the branch; the merge that we were about to land is ours.

        A crash may have come between the move and its record. A branch that is gone comes back, and
        what names no commit is no branch.
        """
        commit = self._deps.find_head()
        if commit == campaign.head.commit:
            return campaign
        if campaign.proven and commit == campaign.proven.merged.commit:
            return campaign
        self._moves += 1
        if self._moves > MOST_MOVES:
            said = f"its branch was moved or spoilt {MOST_MOVES} times by somebody else"
            return self._deps.record(events.CampaignEnded(CampaignReason.FAILED, said))
        moved = self._deps.read_commit(commit) if commit else None
        if moved is None:
            self._deps.make_head(campaign.head)
        return self._deps.record(events.HeadMoved(moved or campaign.head))


Proof = events.BatchProven | events.BatchRefused | events.WholeProven
_PROOFS: Mapping[str, type[Proof]] = {
    "proven": events.BatchProven,
    "refused": events.BatchRefused,
    "whole": events.WholeProven,
}


def _read_proof(said: Mapping[str, Any]) -> Proof | None:
    for name, shape in _PROOFS.items():
        if name in said:
            with suppress(GoalkeeperError, ValueError):
                return decode(shape, said[name])
    return None


def explain_error(error: GoalkeeperError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message


def read_last_object(text: str) -> dict[str, Any]:
    """Return the last JSON object that stands in a line of its own."""
    found = map(read_object, reversed(text.splitlines()))
    return next(filter(None, found), {})
