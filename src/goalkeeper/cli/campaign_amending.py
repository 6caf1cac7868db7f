"""How a human changes the plan of a session that has not landed."""

from __future__ import annotations

from goalkeeper.bootstrap import App
from goalkeeper.cli.campaigning import (
    Findings,
    criticise_plan,
    read_plan_text,
    refuse_reading,
)
from goalkeeper.core.campaign.document import read_plan, read_specs
from goalkeeper.core.campaign.events import SessionAmended
from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession
from goalkeeper.core.campaign.spec import write_spec
from goalkeeper.core.campaign.state import Campaign, SessionState
from goalkeeper.core.plan.model import Refused
from goalkeeper.errors import UsageError


def amend_session(
    app: App, campaign: Campaign, session: SessionState, source: str, reason: str
) -> tuple[SessionAmended | Refused, Findings]:
    """Read the new spec of a session, and criticise the plan as it would be with it."""
    text = read_plan_text(app, source)
    planned = _read_session(campaign, session.id, source, text)
    if session.is_settled:
        said = f"{session.id} is {session.status}, and what it has proven stays as it is."
        return Refused("session-settled", said, "goalkeeper campaign plan"), ()
    if campaign.proven and session.id in campaign.proven.session_ids:
        said = f"{session.id} is proven on the head, and about to land."
        return Refused("session-settled", said, "goalkeeper campaign resume"), ()
    event = SessionAmended(session.id, planned, text, reason)
    found = criticise_plan(campaign.plan.with_session(planned))
    if any(each.is_blocking for each in found):
        count = sum(each.is_blocking for each in found)
        said = f"With this change {count} findings speak against the plan, and it stays as it was."
        hint = f"mend {source}, then repeat the command"
        return Refused("plan-refused", said, hint), found
    return event, found


def _read_session(campaign: Campaign, session_id: str, source: str, text: str) -> PlannedSession:
    """Read a session from a spec, or from a whole plan; a spec is read with those of all others."""
    read = read_plan(text, source)
    if not isinstance(read, MasterPlan) or len(read.sessions) == 1:
        ids = [each.id for each in campaign.plan.sessions if each.id != session_id]
        others = {f"{each}.md": write_spec(campaign.plan, each) for each in ids}
        read = read_specs({**others, source: text})
    if isinstance(read, tuple):
        hint = f"mend {source} and repeat the command; its Session Manifest may be left out"
        raise refuse_reading(source, read, hint)
    planned = read.find_session(session_id)
    if planned is None:
        given = ", ".join(each.id for each in read.sessions) or "no session"
        problem = f"{source} is about {given}, and not about {session_id}"
        hint = f"goalkeeper campaign show {session_id} --spec > {session_id}.md, and change that"
        raise UsageError(problem=problem, hint=hint)
    return planned
