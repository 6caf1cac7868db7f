"""Replies and errors as bytes on stdout and stderr. JSON on stdout, prose for people."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from goalkeeper.bootstrap import World
from goalkeeper.cli.reply import Page, Reply, Table, visible
from goalkeeper.core.fields import plain
from goalkeeper.errors import GoalkeeperError
from goalkeeper.wire.canonical import compact


def show(reply: Reply, world: World, *, as_json: bool) -> None:
    if as_json and reply.document:
        _write(world.stdout, compact(plain_data(reply.data)) + "\n")
    elif is_pretty(world):
        from goalkeeper.cli import pretty  # noqa: PLC0415  rich costs 60 ms; terminals only

        pretty.show(reply.page, world.stdout)
    else:
        _write(world.stdout, text(reply.page))
    for warning in reply.warnings:
        _write(world.stderr, f"goalkeeper: warning: {warning}\n")


def show_error(error: GoalkeeperError, world: World, *, as_json: bool) -> None:
    if as_json:
        shown = {"code": error.code, "message": error.message, "hint": error.hint}
        if error.facts:
            shown["facts"] = {name: str(fact) for name, fact in error.facts.items()}  # type: ignore[assignment]  # JSON, nested
        _write(world.stdout, compact({"ok": False, "error": shown}) + "\n")
    hint = f"\n  next: {error.hint}" if error.hint else ""
    _write(world.stderr, visible(f"goalkeeper: {error.message}{hint}\n"))


def text(page: Page) -> str:
    return visible(
        "".join(_table(block) if isinstance(block, Table) else f"{block}\n" for block in page)
    )


def is_pretty(world: World) -> bool:
    return world.stdout.isatty() and world.environ.get("TERM") != "dumb"


def plain_data(data: Mapping[str, object]) -> dict[str, object]:
    """Keys without a value are left out, as in every answer of ours."""
    return {name: plain(value) for name, value in data.items() if value is not None}


def _table(table: Table) -> str:
    rows = [table.headers, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.headers))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        + "\n"
        for row in rows
    )


def _write(stream: TextIO, words: str) -> None:
    try:
        stream.write(words)
        stream.flush()
    except BrokenPipeError:
        # The reader has gone; what was to be done is done, so the exit code still tells it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
