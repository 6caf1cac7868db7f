"""The same as `campaign_view`, for a terminal: a block that is drawn anew in its place."""

from __future__ import annotations

from contextlib import suppress
from typing import Self, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from goalkeeper.app.ports import Clock
from goalkeeper.app.queries.campaign_rows import Plans, Urgency
from goalkeeper.cli.campaign_view import CampaignLines
from goalkeeper.cli.pages.campaign_block import BlockLine, Room, draw_block
from goalkeeper.cli.reply import keep_line, visible
from goalkeeper.core.campaign.state import Campaign, SessionState, SessionStatus

_STYLES = {Urgency.SENT_BACK: "yellow", Urgency.STUCK: "red", Urgency.WAITING: "dim",
           Urgency.SETTLED: "green"}  # fmt: skip
_VERDICTS = {r"\bPASS\b": "green", r"\b(FAIL|REGRESSED)\b": "red", r"\bBLOCKED\b": "yellow"}


class CampaignBoard(CampaignLines):
    """Shows all sessions at the bottom; what is settled moves up as a line."""

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        super().__init__(stream, clock)
        self._console = Console(file=stream, highlight=False)
        self._seen: tuple[Campaign, Plans] | None = None
        self._live = Live(get_renderable=self._render, console=self._console, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # the terminal may be gone
            self._live.stop()

    def see(self, campaign: Campaign, plans: Plans) -> None:
        self._seen = campaign, dict(plans)
        super().see(campaign, plans)

    def tell_note(self, text: str) -> None:
        with suppress(OSError):
            self._console.print(Text(visible(keep_line(text))), soft_wrap=True)

    def _describe(self, campaign: Campaign, session: SessionState) -> str:
        is_first_work = session.status is SessionStatus.WORKING and not session.depth
        is_shown_below = is_first_work or session.status is SessionStatus.QUEUED
        return "" if is_shown_below else super()._describe(campaign, session)

    def _render(self) -> Group:
        if self._seen is None:
            return Group()
        size = self._console.size
        room = Room(size.width, size.height - 1)  # a full screen would scroll
        campaign, plans = self._seen
        return Group(*map(_paint_line, draw_block(campaign, plans, self._clock(), room)))


def _paint_line(line: BlockLine) -> Text:
    style = "bold" if line.urgency is None else _STYLES.get(line.urgency, "")
    text = Text(line.text, style, no_wrap=True, overflow="crop")
    if line.urgency is Urgency.WORKING:
        for pattern, colour in _VERDICTS.items():
            text.highlight_regex(pattern, colour)
    return text
