"""Durable appends per second, against the bare system calls with the same bytes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from bench import plans
from bench.timing import median, table
from goalkeeper.core.plan.events import CommandRefused
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.ledger import GENESIS, Ledger, seal_events

_EVENT = (CommandRefused("Checkpoint", "gate-not-available", "G001"),)
_BURST = 200


def appends(work: Path, *, rounds: int) -> str:
    """Ours and the bare calls take turns in short bursts, so that noise hits both alike."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    ours = os.open(work / "ours.jsonl", flags, 0o644)
    bare = os.open(work / "bare.jsonl", flags, 0o644)
    ledger = Ledger(ours, "ours.jsonl", plans.RUN_ID, Disk())
    line, position = seal_events(_EVENT, at=plans.AT, actor=plans.AGENT, after=GENESIS)[0], GENESIS
    our_seconds, bare_seconds = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(_BURST):
            position = ledger.append(_EVENT, at=plans.AT, actor=plans.AGENT, after=position)
        middle = time.perf_counter()
        for _ in range(_BURST):
            os.write(bare, line)
            os.fdatasync(bare)
        our_seconds.append((middle - start) / _BURST)
        bare_seconds.append((time.perf_counter() - middle) / _BURST)
    ratio = median(bare_seconds) / median(our_seconds)
    rows = [
        ["write + fdatasync, bare", f"{1 / median(bare_seconds):,.0f}", "100 %"],
        [
            "ledger append",
            f"{1 / median(our_seconds):,.0f}",
            f"{ratio:.0%}",
        ],
    ]
    return table(["what", "appends per second", "of bare"], rows)
