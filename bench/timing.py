"""Time whole commands side by side, the way a hook or a person starts them."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROUND = "%round%"  # in an argument: the number of the round
_NONE: Mapping[str, Any] = MappingProxyType({})


class CommandFailed(Exception):
    """A measured command did not exit with 0, so its time means nothing."""

    def __init__(self, *, case: str, argv: Sequence[str], code: int) -> None:
        super().__init__(case, argv, code)
        self.case = case
        self.argv = tuple(argv)
        self.code = code

    def __str__(self) -> str:
        return f"{self.__doc__} case={self.case!r} exit={self.code} argv={self.argv}"


def measure(
    cases: Mapping[str, Sequence[str]],
    *,
    rounds: int,
    warmup_rounds: int = 1,
    cwd: Mapping[str, Path] = _NONE,
    env: Mapping[str, Mapping[str, str]] = _NONE,
    before: Mapping[str, Callable[[], object]] = _NONE,
    stdin: Mapping[str, Path] = _NONE,
) -> dict[str, list[float]]:
    """Seconds per run of each case, `rounds` of them, after rounds that only warm the caches.

    Every round runs every case once: noise of the machine then hits all of them alike.
    `before` runs outside the clock. A case missing from `cwd` or `env` inherits ours; what is
    missing from `stdin` reads nothing.
    """
    if strays := (cwd.keys() | env.keys() | before.keys() | stdin.keys()) - cases.keys():
        raise ValueError(f"settings for cases that do not exist: {sorted(strays)}")
    seconds: dict[str, list[float]] = {case: [] for case in cases}
    for number in range(warmup_rounds + rounds):
        for case, argv in cases.items():
            if case in before:
                before[case]()
            numbered = [word.replace(ROUND, str(number)) for word in argv]
            given = stdin.get(case, Path(os.devnull))
            taken = _run(case, numbered, cwd=cwd.get(case), env=env.get(case), given=given)
            if number >= warmup_rounds:
                seconds[case].append(taken)
    return seconds


def _run(
    case: str,
    argv: Sequence[str],
    *,
    cwd: Path | None,
    env: Mapping[str, str] | None,
    given: Path,
) -> float:
    # No timeout: waiting with one polls, with sleeps of up to 50 ms that would be measured too.
    with given.open("rb") as stdin:
        start = time.perf_counter()
        code = subprocess.call(
            argv,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        taken = time.perf_counter() - start
    if code != 0:
        raise CommandFailed(case=case, argv=argv, code=code)
    return taken


def median(seconds: Sequence[float]) -> float:
    return statistics.median(seconds)


def p95(seconds: Sequence[float]) -> float:
    """The nearest rank, a value that was really seen: the 29th of 30."""
    rank = -(-95 * len(seconds) // 100)  # ceil in integers: 0.95 * n may land above a whole number
    return sorted(seconds)[rank - 1]


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, numbers to the right."""
    rule = ["---"] + ["--:"] * (len(headers) - 1)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headers, rule, *rows))
