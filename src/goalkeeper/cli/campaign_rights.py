"""Who may change a campaign, and what of it."""

from __future__ import annotations

from goalkeeper.app.queries.campaigns import describe_state
from goalkeeper.bootstrap import App
from goalkeeper.core.campaign.state import Campaign, SessionState, SessionStatus
from goalkeeper.core.plan.model import ActorKind, Refused
from goalkeeper.storage.ancestry import is_below_drive
from goalkeeper.wire import layout


def refuse_agent(app: App, said: str) -> Refused | None:
    if app.actor.kind is ActorKind.HUMAN or app.actor.is_unattended:
        return None
    return Refused("human-needed", said, "ask your user")


def refuse_free(session: SessionState) -> Refused | None:
    if session.status in {SessionStatus.BLOCKED, SessionStatus.FAILED}:
        return None
    said = f"{session.id} is {session.status}, and nothing of it is blocked."
    return Refused("not-blocked", said, f"goalkeeper campaign why {session.id}")


def refuse_unbegun(campaign: Campaign, session: SessionState, now: str) -> Refused | None:
    if session.run_ids:
        return None
    state = describe_state(campaign, session, now)
    said = f"{session.id} {session.planned.title} has not begun: {state}."
    return Refused("session-not-begun", said, "goalkeeper campaign status")


def refuse_worker(app: App) -> Refused | None:
    """Refuse an agent that is at work for a session: its leader looks after the campaign."""
    if layout.SPAWNED not in app.world.environ and not is_below_drive(app.state):
        return None
    said = "You are at work for a session, and its campaign is not yours to change."
    return Refused("driven", said, "end your turn: your files are judged then")
