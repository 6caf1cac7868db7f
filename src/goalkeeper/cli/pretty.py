"""Pages for a terminal, through rich. NO_COLOR is honoured by rich itself."""

from __future__ import annotations

from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from goalkeeper.cli.reply import Page, Table, visible

_STYLES = {
    "complete": "green",
    "active": "bold cyan",
    "failed": "red",
    "blocked": "yellow",
    "review_blocked": "yellow",
    "superseded": "dim",
    "pending": "default",
}


def show(page: Page, stream: TextIO) -> None:
    console = Console(file=stream, highlight=False, soft_wrap=True)
    for block in page:
        console.print(_table(block) if isinstance(block, Table) else _line(block))


def _line(line: str) -> Text:
    text = visible(line)
    if text.startswith("refused"):
        return Text(text, style="bold yellow")
    return Text(text, style="dim" if text.lstrip().startswith(("next:", "goalkeeper ")) else "")


def _table(table: Table) -> RichTable:
    shown = RichTable(*table.headers, box=box.SIMPLE, header_style="bold", pad_edge=False)
    for row in table.rows:
        shown.add_row(*(Text(visible(cell), style=_STYLES.get(cell, "")) for cell in row))
    return shown
