"""Wall time of the commands agents call all day, against a bare interpreter and the peer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench import peer_omx, plans
from bench.growth import GOALS, commands
from bench.timing import measure, median, p95, table

PYTHON = "python3 -c pass"


def startup(work: Path, goalkeeper: str, *, rounds: int) -> str:
    place = work / "startup"
    plans.make(place, goals=GOALS, ledger_events=1000)
    cases: dict[str, Sequence[str]] = {PYTHON: [sys.executable, "-c", "pass"]}
    ours = {f"goalkeeper {name}": argv for name, argv in commands(goalkeeper).items()}
    cases |= ours
    cwd = dict.fromkeys(ours, place)
    env: dict[str, Mapping[str, str]] = {}
    before: dict[str, Callable[[], None]] = {}
    omx = peer_omx.install(peer_omx.default_cache())
    if omx is not None:
        peer = peer_omx.prepare(omx, work / "omx", goals=GOALS)
        cases |= {"omx ultragoal status": peer.status_argv, "omx ultragoal steer": peer.steer_argv}
        for name in ("omx ultragoal status", "omx ultragoal steer"):
            cwd[name], env[name] = peer.repository, peer.env
        before["omx ultragoal steer"] = peer.restore
    seconds = measure(cases, rounds=rounds, cwd=cwd, env=env, before=before)
    floor = median(seconds[PYTHON])
    rows = [
        [
            name,
            f"{1000 * median(took):.1f}",
            f"{1000 * p95(took):.1f}",
            f"{median(took) / floor:.1f}×",
        ]
        for name, took in seconds.items()
    ]
    return table(["command", "median ms", "p95 ms", "of python3 -c pass"], rows)
