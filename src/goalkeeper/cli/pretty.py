"""Pages for a terminal, made with rich, which honours NO_COLOR itself."""

from __future__ import annotations

from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from goalkeeper.cli.reply import Reply, Table, keep_line, visible

_STYLES = {
    "complete": "green",
    "active": "bold cyan",
    "failed": "red",
    "blocked": "yellow",
    "review_blocked": "yellow",
    "superseded": "dim",
    "pending": "default",
}


def show(reply: Reply, stream: TextIO) -> None:
    console = Console(file=stream, highlight=False, soft_wrap=True)
    style = "bold yellow" if reply.exit_code else ""
    for block in reply.page:
        if isinstance(block, Table):
            console.print(_table(block))
        else:
            console.print(Text(visible(keep_line(block)), style))
    if reply.next:
        console.print(Text(visible(keep_line(f"  next: {reply.next}")), "dim"))


def _table(table: Table) -> RichTable:
    shown = RichTable(box=box.SIMPLE, header_style="bold", pad_edge=False)
    for header in table.headers:
        shown.add_column(header, overflow="fold")  # nothing is cut off: people copy names
    for row in table.rows:
        shown.add_row(*(Text(visible(cell), style=_STYLES.get(cell, "")) for cell in row))
    return shown
