"""The block that shows a campaign at work: a line for all of it, and one for each session."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from goalkeeper.app.queries.campaign_rows import (
    Plans,
    SessionRow,
    Urgency,
    add_spend,
    describe_rest,
    list_rows,
)
from goalkeeper.cli.pages.campaign import list_head_parts
from goalkeeper.cli.reply import visible
from goalkeeper.core.campaign.state import Campaign
from goalkeeper.wire.value import Value

_GAP = "   "
_LEAST_TITLE = 8
_TITLE_SHARE = 4  # titles take at most this part of a line
_HOUR = 3600


class Room(Value):
    """How much a terminal shows. What is no terminal shows everything."""

    columns: int = sys.maxsize
    lines: int = sys.maxsize


class BlockLine(Value):
    text: str
    urgency: Urgency | None = None  # the head and the last line have none


def draw_block(campaign: Campaign, plans: Plans, now: str, room: Room) -> list[BlockLine]:
    """Draw as many rows as there is room for, the most urgent ones, and count the rest."""
    parts = list_head_parts(campaign, add_spend(campaign, plans), now)
    head = [BlockLine(clip_cells(line, room)) for line in _fill_lines(parts, room)]
    rows = list_rows(campaign, plans, now)
    most = max(1, room.lines - len(head))
    shown = rows if len(rows) <= most else rows[: max(1, most - 1)]
    rest = describe_rest(rows[len(shown) :])
    foot = [BlockLine(clip_cells(rest, room))] if rest else []
    return [*head, *_draw_rows(shown, room), *foot]


def _fill_lines(parts: Sequence[str], room: Room) -> list[str]:
    """Put as many parts into a line as it takes."""
    lines = [_keep_plain(parts[0])]
    for part in map(_keep_plain, parts[1:]):
        longer = f"{lines[-1]}{_GAP}{part}"
        if cell_len(longer) <= room.columns:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _draw_rows(rows: Sequence[SessionRow], room: Room) -> list[BlockLine]:
    titles = [_keep_plain(row.title) for row in rows]
    widest = max(map(cell_len, titles), default=0)
    width = min(widest, max(_LEAST_TITLE, room.columns // _TITLE_SHARE))
    names = [
        f"{row.id} {_fit_cells(title, width)}  " for row, title in zip(rows, titles, strict=True)
    ]
    left = room.columns - max(map(cell_len, names), default=0)
    said = _describe_rows(rows, left)
    return [
        BlockLine(clip_cells(f"{name}{words}".rstrip(), room), row.urgency)
        for row, name, words in zip(rows, names, said, strict=True)
    ]


def _describe_rows(rows: Sequence[SessionRow], columns: int) -> list[str]:
    """Write what each session does; sessions at work stand in columns, as many as fit."""
    working = [row for row in rows if row.urgency is Urgency.WORKING]
    times = [_write_time(row.seconds or 0) for row in working]
    words = [_keep_plain(row.words) for row in working]
    verdicts = [_keep_plain(" ".join(row.criteria)) for row in working]
    agents = [_keep_plain(row.agent) for row in working]
    tables = ((words, verdicts, agents, times), (words, verdicts, times), (words, times))
    drawn = [_align_columns(table) for table in tables]
    fitting = (lines for lines in drawn if max(map(cell_len, lines), default=0) <= columns)
    lines = next(fitting, [f"{each}  {time}" for each, time in zip(words, times, strict=True)])
    return [*lines, *(_keep_plain(row.words) for row in rows[len(working) :])]


def _align_columns(table: Sequence[Sequence[str]]) -> list[str]:
    filled = [column for column in table if any(column)]
    widths = [max(map(cell_len, column)) for column in filled]
    return [
        "  ".join(_fit_cells(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*filled, strict=True)
    ]


def _write_time(seconds: int) -> str:
    minutes = f"{seconds // 60 % 60}:{seconds % 60:02d}"
    return f"{seconds // _HOUR}:{minutes:0>5}" if seconds >= _HOUR else minutes


def _keep_plain(text: str) -> str:
    """Return a text that moves no cursor and begins no line."""
    return visible(" ".join(text.split()))


def clip_cells(text: str, room: Room) -> str:
    return text if cell_len(text) <= room.columns else _fit_cells(text, room.columns)


def _fit_cells(text: str, width: int) -> str:
    """Return the text as so many cells of a terminal; wide characters take two."""
    if cell_len(text) > width:
        text = f"{set_cell_size(text, max(0, width - 1)).rstrip()}…"
    return set_cell_size(text, width)
