"""Replies and errors become bytes on stdout and stderr: JSON for programs, text for people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TextIO

from goalkeeper.bootstrap import World
from goalkeeper.cli.reply import Reply, Table, failure, keep_line, visible
from goalkeeper.core.decode import plain
from goalkeeper.errors import AnswerLost, GoalkeeperError
from goalkeeper.wire.canonical import compact


def show(reply: Reply, world: World, *, as_json: bool, warned: Sequence[str]) -> None:
    """Show a reply; `warned` are warnings that stand on stderr already."""
    if reply.raw is not None:
        _write_pieces(world.stdout, reply.raw)
    elif as_json:
        warnings = (*warned, *reply.warnings)
        more = {"warnings": warnings} if warnings else {}
        _write_json(world.stdout, plain_data({**reply.data, **more}))
    elif is_pretty(world):
        import_module("goalkeeper.cli.pretty").show(reply, world.stdout)  # rich loads slowly
    else:
        write(world.stdout, text(reply))
    for warning in reply.warnings:
        write(world.stderr, visible(keep_line(f"goalkeeper: warning: {warning}") + "\n"))


def show_error(error: GoalkeeperError, world: World, *, as_json: bool) -> None:
    if as_json and not isinstance(error, AnswerLost):
        facts = {name: str(fact) for name, fact in error.facts.items()}
        _write_json(world.stdout, failure(error.code, error.message, error.hint, facts))
    told = Reply({}, (f"goalkeeper: {error.message}",), next=error.hint)
    write(world.stderr, text(told))


def text(reply: Reply) -> str:
    blocks = [_table(b) if isinstance(b, Table) else f"{keep_line(b)}\n" for b in reply.page]
    blocks += [f"  next: {keep_line(reply.next)}\n"] if reply.next else []
    return visible("".join(blocks))


def is_pretty(world: World) -> bool:
    return world.stdout.isatty() and world.environ.get("TERM") != "dumb"


def plain_data(data: Mapping[str, object]) -> dict[str, object]:
    """Leave out keys without a value, as all our answers do."""
    return {name: plain(value) for name, value in data.items() if value is not None}


def _table(table: Table) -> str:
    rows = [[cell.replace("\n", " ") for cell in row] for row in (table.headers, *table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.headers))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        + "\n"
        for row in rows
    )


def write(stream: TextIO, words: str) -> None:
    with _lost_answers(stream):
        stream.write(words)
        stream.flush()


def _write_json(stream: TextIO, document: Mapping[str, object]) -> None:
    _write_pieces(stream, [(compact(document) + "\n").encode(errors="backslashreplace")])


def _write_pieces(stream: TextIO, pieces: Iterable[bytes | str]) -> None:
    """Write bytes as they are, so that JSON and exports are UTF-8, whatever the locale says."""
    with _lost_answers(stream):
        for piece in pieces:
            if isinstance(piece, bytes):
                stream.buffer.write(piece)
            else:
                stream.write(piece)
        stream.flush()


def silence_stream(stream: TextIO) -> None:
    """Let nothing more be written there, not even by the interpreter when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_unheard(stream: TextIO, line: str) -> None:
    """Write a line. Work goes on when nobody reads it any more."""
    try:
        stream.write(line + "\n")
        stream.flush()
    except OSError:
        silence_stream(stream)


@contextmanager
def _lost_answers(stream: TextIO) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        silence_stream(stream)
        if not isinstance(exc, BrokenPipeError):  # a reader who has seen enough causes no error
            raise AnswerLost(reason=exc.strerror) from exc
