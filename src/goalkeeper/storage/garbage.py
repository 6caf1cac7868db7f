"""Finds evidence of runs that nothing needs any more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from goalkeeper.app.cleaning import BLOCK_BYTES, YOUNG_SECONDS, Garbage
from goalkeeper.core.decode import plain
from goalkeeper.core.keeping import find_ids
from goalkeeper.core.plan.model import Plan
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import (
    open_plain_file,
    read_plain_file,
    refuse_links,
)
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import compact


def find_recorded_ids(run: FileRun) -> set[str]:
    """Find every id that the ledger of a run names, also if it cannot be read as a ledger."""
    found: set[str] = set()
    with suppress(OSError), open_plain_file(run.files.ledger) as file:
        rest = b""
        while piece := file.read(1 << 20):
            whole, newline, rest = (rest + piece).rpartition(b"\n")
            found |= find_ids(whole + newline)
        found |= find_ids(rest)
    return found


def find_needed_ids(run: FileRun, plan: Plan) -> set[str]:
    """Find every id that the plan as it stands and the receipts of a run name."""
    found = find_ids(compact(plain(plan)).encode(errors="surrogatepass"))
    receipts = os.path.join(run.files.dir, layout.RECEIPTS)
    with suppress(OSError):
        for entry in os.scandir(receipts):
            found |= find_ids(entry.name.encode(errors="replace") + read_plain_file(entry.path))
    return found


def find_stale_evidence(
    folder: str, run_id: str, *, needed: set[str], recorded: set[str], now: float
) -> Iterator[Garbage]:
    """Find the documents in a folder that are not needed, all of them as one thing."""
    documents = {entry.name.removesuffix(".json"): entry for entry in _list_documents(folder)}
    stale = documents.keys() - needed
    waiting = [*(documents.keys() & needed)]
    while stale and waiting:  # a document may name another one
        named = find_ids(read_plain_file(documents[waiting.pop()].path)) & stale
        stale -= named
        waiting += named
    sizes = {
        documents[name].path: about.st_blocks * BLOCK_BYTES
        for name in stale
        if (about := documents[name].stat(follow_symlinks=False)).st_mtime < now - YOUNG_SECONDS
        or name in recorded
    }
    if sizes:
        what = f"evidence of run {run_id} that nothing names"
        yield Garbage(what, folder, sum(sizes.values()), partial(_remove_files, [*sizes]))


def _list_documents(folder: str) -> Iterator[os.DirEntry[str]]:
    with suppress(OSError):
        for shelf in os.scandir(folder):
            if shelf.is_dir(follow_symlinks=False):
                yield from (each for each in os.scandir(shelf.path) if each.is_file())


def _remove_files(paths: list[str]) -> None:
    for path in paths:
        refuse_links(path)
        with suppress(FileNotFoundError):
            os.unlink(path)
        with suppress(OSError):  # others are in it
            os.rmdir(os.path.dirname(path))
