"""Does a command cost more when the history is long?"""

from __future__ import annotations

import sys
from pathlib import Path

from bench import plans
from bench.timing import ROUND, measure, median, table

GOALS = 100


def growth(work: Path, goalkeeper: str, *, sizes: tuple[int, ...], rounds: int) -> str:
    cases: dict[str, list[str]] = {}
    places: dict[str, Path] = {}
    for size in sizes:
        print(f"  making a ledger of {size:,} events …", file=sys.stderr)
        place = work / f"events-{size}"
        plans.make(place, goals=GOALS, ledger_events=size)
        for name, argv in commands(goalkeeper).items():
            cases[f"{name} {size}"] = argv
            places[f"{name} {size}"] = place
    seconds = measure(cases, rounds=rounds, cwd=places)
    rows = [_row(name, sizes, seconds) for name in commands(goalkeeper)]
    return table(["command", *(f"{size:,} events" for size in sizes), "growth"], rows)


def commands(goalkeeper: str) -> dict[str, list[str]]:
    note = ["--evidence", "bench", "--rationale", "bench"]
    return {
        "status --json": [goalkeeper, "status", "--json"],
        "steer": [goalkeeper, "steer", "--kind", "revise_pending_wording", "--goal-id", "G100",
                  "--title", f"Title {ROUND}", *note, "--json"],
    }  # fmt: skip


def _row(name: str, sizes: tuple[int, ...], seconds: dict[str, list[float]]) -> list[str]:
    medians = [median(seconds[f"{name} {size}"]) for size in sizes]
    cells = [f"{1000 * value:.1f} ms" for value in medians]
    return [name, *cells, f"{medians[-1] / medians[0]:.2f}×"]
