"""What happened in a campaign, named in the past tense. An event never changes its meaning."""

from __future__ import annotations

from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession
from goalkeeper.core.campaign.state import (
    Allowance,
    CampaignReason,
    CampaignTerms,
    Handoff,
    MissingStep,
)
from goalkeeper.core.drive.phases import Spend
from goalkeeper.core.drive.state import Reason
from goalkeeper.core.plan.model import Base
from goalkeeper.wire.value import MaybeEmpty, Value


class CampaignMade(Value):
    """A plan was frozen."""

    campaign_id: str
    plan: MasterPlan
    text: MaybeEmpty  # the plan word for word
    branch: str
    base: Base


class CampaignBegan(Value):
    """Somebody runs the campaign, for the first time or again."""

    terms: CampaignTerms
    skips_preflight: bool = False


class SessionAdmitted(Value):
    """A session may begin, or go on. Its run is made and its driver started after this event."""

    session_id: str
    run_id: str
    base: Base
    slice: Allowance = Allowance()


class SessionEnded(Value):
    """The driver of a session has ended; `work` is what is proven if all of it is."""

    session_id: str
    reason: Reason
    detail: MaybeEmpty
    spend: Spend  # what the runs of the session have used so far
    milliseconds: int
    dearest: Allowance = Allowance()  # what it has used, in money and tokens
    work: Base | None = None
    missing: tuple[MissingStep, ...] = ()
    resets_at: str = ""  # when a rate limit ends


class SessionMet(Value):
    """All criteria of a session held where it was to begin: others have met them."""

    session_id: str


class SessionAmended(Value):
    """A human changed the plan of a session; it begins anew."""

    session_id: str
    planned: PlannedSession
    text: MaybeEmpty  # the new spec word for word
    reason: str


class SessionUnblocked(Value):
    """A blocked or failed session is tried once more, because something is different now."""

    session_id: str
    reason: str
    is_run_lost: bool = False  # the record of its run cannot be read, so it begins in a new one


class BatchProven(Value):
    """Everything holds on the merge of these sessions onto the head."""

    session_ids: tuple[str, ...]
    head: Base
    merged: Base


class BatchRefused(Value):
    """The merge of these sessions conflicts, or something does not hold on it."""

    session_ids: tuple[str, ...]  # up to the first that conflicts, if one does
    head: Base
    reasons: tuple[str, ...]
    files: tuple[str, ...] = ()


class BatchLanded(Value):
    """The branch of the campaign has the merge now."""

    session_ids: tuple[str, ...]
    head: Base
    handoffs: tuple[Handoff, ...] = ()


class HeadMoved(Value):
    """Somebody else moved the branch of the campaign."""

    head: Base


class ClientPaused(Value):
    """A client met its rate limit; no session of it begins before the end."""

    agent: str
    until: str
    why: MaybeEmpty


class WholeProven(Value):
    """Everything that landed was proven once more on the head, without a cache."""

    head: Base
    unproven: tuple[str, ...] = ()
    receipt: str = ""  # the digest of what was signed


class CampaignPushed(Value):
    """A branch of a remote has what the campaign made."""

    remote: str
    branch: str
    commit: str


class StopAsked(Value):
    reason: str


class CampaignEnded(Value):
    reason: CampaignReason
    detail: MaybeEmpty


class CampaignLanded(Value):
    """What the campaign made came to the user's branch."""

    commit: str


CampaignEvent = (
    CampaignMade | CampaignBegan | SessionAdmitted | SessionEnded
    | SessionMet | SessionAmended | SessionUnblocked | BatchProven | BatchRefused | BatchLanded
    | HeadMoved | ClientPaused | WholeProven | CampaignPushed | StopAsked | CampaignEnded
    | CampaignLanded
)  # fmt: skip
