"""What people see while a campaign runs: a block that stays in place, else a line a change."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Self, TextIO

from goalkeeper import wiring
from goalkeeper.app.ports import Clock
from goalkeeper.app.queries.campaign_rows import Plans, list_rows, show_rows
from goalkeeper.app.queries.campaigns import (
    describe_state,
    show_campaign,
    suggest_after_campaign,
)
from goalkeeper.bootstrap import App
from goalkeeper.cli.pages.campaign import campaign_page, head_line, session_page
from goalkeeper.cli.pages.campaign_block import Room, draw_block
from goalkeeper.cli.render import write_unheard
from goalkeeper.cli.reply import Page, Reply, Table, keep_line, visible
from goalkeeper.core.campaign.state import (
    MOST_RECOVERIES,
    Campaign,
    CampaignReason,
    SessionState,
    SessionStatus,
)
from goalkeeper.storage.campaigns import FileCampaign
from goalkeeper.storage.lock import is_held
from goalkeeper.wire.canonical import compact

_FIRST = "goalkeeper campaign plan --from plan.md"


class CampaignLines:
    """Tells a line for each change of a session."""

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._shown: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def see(self, campaign: Campaign, plans: Plans) -> None:  # noqa: ARG002  the board draws them
        for session in campaign.sessions.values():
            text = self._describe(campaign, session)
            if text and self._shown.get(session.id) != text:
                self._shown[session.id] = text
                self._tell(session, text)

    def tell_note(self, text: str) -> None:
        write_unheard(self._stream, visible(keep_line(text)))

    def _describe(self, campaign: Campaign, session: SessionState) -> str:
        return describe_change(campaign, session, self._clock())

    def _tell(self, session: SessionState, text: str) -> None:
        self.tell_note(f"{session.id} {session.planned.title}: {text}")


class CampaignEvents(CampaignLines):
    """Tells programs the same as JSON, with one object a line."""

    def tell_note(self, text: str) -> None:
        write_unheard(self._stream, compact({"note": text}))

    def _tell(self, session: SessionState, text: str) -> None:
        told = {"session": session.id, "status": str(session.status), "state": text}
        write_unheard(self._stream, compact(told))


def describe_change(campaign: Campaign, session: SessionState, now: str) -> str:
    """Say how far a session is, without what grows every second; nothing before it begins."""
    if session.status is SessionStatus.WAITING and not session.why:
        return ""
    if session.status is not SessionStatus.WORKING:
        return describe_state(campaign, session, now)
    if not session.depth:
        return "at work"
    again = f"at work, recovery {session.depth} of {MOST_RECOVERIES}"
    return f"{again}, because {'; '.join(session.why)}" if session.why else again


def open_view(app: App, *, as_json: bool) -> CampaignLines:
    """Open a block that stays in place on a terminal, else lines, or JSON when asked for."""
    stream = app.world.stderr
    if as_json:
        return CampaignEvents(stream, app.clock)
    if not stream.isatty() or app.world.environ.get("TERM") == "dumb":
        return CampaignLines(stream, app.clock)
    board = import_module("goalkeeper.cli.campaign_board")  # importing rich takes time
    shown: CampaignLines = board.CampaignBoard(stream, app.clock)
    return shown


def find_room(stream: TextIO, *, kept_lines: int = 0) -> Room:
    """Find out how much the stream shows, without the lines that others need."""
    if not stream.isatty():
        return Room()
    try:
        size = os.get_terminal_size(stream.fileno())
    except OSError:
        return Room()
    if not size.columns or not size.lines:  # a terminal that nobody has given a size
        return Room()
    return Room(size.columns, max(1, size.lines - kept_lines))


def show_status(app: App, store: FileCampaign) -> Reply:
    """Show the block once."""
    campaign = store.read()
    plans, now = wiring.read_worked_plans(app, campaign), app.clock()
    work = show_rows(list_rows(campaign, plans, now))
    shown = {"ok": True, **show_campaign(campaign, now), "work": work}
    room = find_room(app.world.stdout, kept_lines=2)  # for what follows, and the next prompt
    page = tuple(line.text for line in draw_block(campaign, plans, now, room))
    return Reply(shown, page, **_follow(store, campaign))


def show_report(app: App, store: FileCampaign) -> Reply:
    """Show every session, with why it is where it is."""
    campaign, now = store.read(), app.clock()
    page = [*campaign_page(campaign, now)]
    for session in campaign.sessions.values():
        page += ["", *session_page(campaign, session, now)]
    moved = wiring.list_moved_refs(app, campaign)
    page += [f"moved while its agent was at work: {each}" for each in moved]
    is_fine = campaign.ended in {"", CampaignReason.DONE}
    shown = {"ok": is_fine, **show_campaign(campaign, now), "moved_refs": list(moved)}
    return Reply(shown, tuple(page), **_follow(store, campaign))


def _follow(store: FileCampaign, campaign: Campaign) -> dict[str, Any]:
    """Say what follows; a campaign that began and did not end may have lost its process."""
    if not campaign.terms or campaign.ended or is_held(store.files.drive_lock):
        return {"next": suggest_after_campaign(campaign)}
    warned = ("nobody runs this campaign now: its process was ended before its work",)
    return {"next": "goalkeeper campaign resume", "warnings": warned}


def show_campaigns(app: App) -> Reply:
    """Show a line for each campaign, the newest first."""
    campaigns = wiring.open_campaigns(app)
    found = [campaigns.named(each).read() for each in reversed(campaigns.ids())]
    rows = [(each.campaign_id, each.plan.title, head_line(each, app.clock())) for each in found]
    shown = [{"campaign_id": each, "title": title, "state": state} for each, title, state in rows]
    page: Page = (Table(("campaign", "title", "state"), tuple(rows)),)
    told = page if rows else ("There is no campaign in this repository yet.",)
    follow = "goalkeeper campaign status --campaign ID" if rows else _FIRST
    return Reply({"ok": True, "campaigns": shown}, told, next=follow)
