"""A campaign as its ledger tells it: its sessions, its queue, and what it may use.

All that a campaign must not forget is in its events. `campaign.fold` makes this state of them, and
`campaign.next_steps` says what comes next. So it goes on after a crash as after any other event.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession
from goalkeeper.core.drive.phases import Spend
from goalkeeper.core.moments import DAY_SECONDS, add_seconds
from goalkeeper.core.plan.model import Base
from goalkeeper.wire.value import MaybeEmpty, Value

MOST_RECOVERIES = 2
MOST_SECONDS = 8 * DAY_SECONDS  # of a pause; some limits of clients are weekly


def is_too_late(until: str, now: str) -> bool:
    """Return whether a moment is so far away that a human should decide."""
    return until > add_seconds(now, MOST_SECONDS)


class SessionStatus(StrEnum):
    WAITING = "waiting"
    WORKING = "working"
    QUEUED = "queued"  # its goals are proven on its branch; it waits for its proof on the head
    LANDED = "landed"
    MET = "met"  # others have met all its criteria, so there was nothing left to do
    BLOCKED = "blocked"  # it cannot be worked on here, or a human must decide
    FAILED = "failed"  # all its recoveries came to nothing


class CampaignReason(StrEnum):
    """The reasons why a campaign stops."""

    DONE = "done"
    PARTIAL = "partial"  # the rest failed, is blocked, or waits for what is
    NOT_WHOLE = "not-whole"  # all has landed, and the last proof of everything failed
    NOT_PUSHED = "not-pushed"  # all has landed and holds, and the remote does not take it
    MAX_TIME = "max-time"
    MAX_COST = "max-cost"
    MAX_TOKENS = "max-tokens"
    STOPPED = "stopped"  # somebody asked for it
    FAILED = "failed"  # git or the disk failed


class Allowance(Value):
    """What may be used; 0 means that there is no limit."""

    seconds: int = 0
    microdollars: int = 0
    tokens: int = 0


class PushTarget(Value):
    """Where the campaign's branch goes when everything has landed and holds."""

    remote: str
    branch: str
    commanding: tuple[str, ...] = ()  # what git runs, with digests, as the user asked for it


class CampaignTerms(Value):
    """How a campaign is run."""

    agent: str
    agent_options: tuple[str, ...] = ()  # further words for the command line of every session
    parallel: int = 1
    allowance: Allowance = Allowance()
    model: MaybeEmpty = ""  # for all sessions; if empty, the plan names one for each
    push: PushTarget | None = None


class MissingStep(Value):
    """A step that is not proven, and what an audit of the repository found of it."""

    number: int
    found: str


class Handoff(Value):
    """What the next session needs to know of one that landed; facts, but for `said`."""

    session_id: str
    commits: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()  # names and commands that the change adds
    proven: tuple[str, ...] = ()  # criteria, by names such as G001/C1
    said: str = ""  # the agent's own words, which decide nothing


class SessionState(Value):
    """One session: its plan, how far it is, and what it has used."""

    planned: PlannedSession
    status: SessionStatus = SessionStatus.WAITING
    depth: int = 0  # it counts recoveries
    run_ids: tuple[str, ...] = ()  # a bounced session goes on in a new run; the newest is last
    base: Base | None = None  # its last run began here
    slice: Allowance = Allowance()  # what it was admitted with
    work: Base | None = None  # its proven work
    begins_anew: bool = False  # its next run begins at the head: it bounced, or was amended
    earlier: Base | None = None  # the proven work with which it bounced last
    earlier_base: Base | None = None  # that work began here
    landed: Base | None = None
    before: Base | None = None  # the head that it landed on
    handoff: Handoff | None = None
    why: tuple[str, ...] = ()  # why it bounced, stopped or is blocked
    files: tuple[str, ...] = ()  # files in which it conflicted with the head
    missing: tuple[MissingStep, ...] = ()
    not_before: str = ""
    admitted_at: str = ""
    spend: Spend = Spend()
    lost_spend: Spend = Spend()  # what runs have used that nobody can read any more
    milliseconds: int = 0

    @property
    def id(self) -> str:
        return self.planned.id

    @property
    def run_id(self) -> str:
        """Return its last run; it is empty before the first."""
        return self.run_ids[-1] if self.run_ids else ""

    @property
    def is_settled(self) -> bool:
        """Return whether all that it was to prove holds on the head."""
        return self.status in {SessionStatus.LANDED, SessionStatus.MET}

    @property
    def is_over(self) -> bool:
        return self.is_settled or self.status in {SessionStatus.BLOCKED, SessionStatus.FAILED}


class ProvenBatch(Value):
    """Sessions whose merge onto a head was proven, and that have not landed yet."""

    session_ids: tuple[str, ...]
    head: Base
    merged: Base


class Campaign(Value):
    campaign_id: str
    plan: MasterPlan
    branch: str  # sessions land on it; the user's own branches are not touched
    origin: Base
    head: Base  # the last commit of the branch that is known
    sessions: Mapping[str, SessionState]
    ranks: Mapping[str, int]  # how much work waits for each session
    created_at: str
    terms: CampaignTerms | None = None
    began_at: str = ""
    queue: tuple[str, ...] = ()  # proven sessions in the order in which they came
    suspects: tuple[str, ...] = ()  # of the queue, some of which are known not to fit together
    proven: ProvenBatch | None = None
    settled_ids: tuple[str, ...] = ()  # settled sessions in the order in which they became so
    paused: Mapping[str, str] = {}  # clients with a rate limit, and when it ends
    dearest: Allowance = Allowance()  # what the dearest session has used so far
    whole: str = ""  # the tree of the head on which everything was proven once more
    unproven: tuple[str, ...] = ()  # what that last proof did not find
    receipt: str = ""  # the digest of the receipt for the tree that was proven last as a whole
    stop_asked: str = ""  # the reason why somebody asked it to stop
    ended: str = ""
    detail: str = ""
    pushed: str = ""  # the commit that the remote has
    brought: str = ""  # the head that came to the user's branch
    moved_to: tuple[str, ...] = ()  # commits that somebody else moved the branch to
    skipped_preflight: bool = False
    spend: Spend = Spend()

    def find_pause(self, agent: str, now: str) -> str:
        """Return until when a client waits; empty if it does not, or if nobody waits so long."""
        until = self.paused.get(agent, "")
        return until if until > now and not is_too_late(until, now) else ""

    def list_sessions(self, status: SessionStatus) -> list[SessionState]:
        return [each for each in self.sessions.values() if each.status is status]
