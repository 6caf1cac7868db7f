"""The bench: every subject through every gate."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.foulplay.control import Control
from bench.foulplay.corpus import Subject, build, composed, subjects
from bench.foulplay.gates import Gate
from bench.foulplay.operators.operator import Operator
from bench.foulplay.report import Result


def run(
    gates: Mapping[str, Gate],
    operators: Sequence[Operator],
    controls: Sequence[Control],
    *,
    composed_too: bool = False,
    jobs: int = 2,
    without: Collection[str] = (),
) -> list[Result]:
    """Results in the order of subjects, then gates. Threads do: the work is in other programs.

    `without` names hosts that cannot be played on here.
    """
    asked = subjects([*operators, *controls])
    if composed_too:
        with tempfile.TemporaryDirectory() as folder:
            asked += composed([one for one in operators if one.round == 1], Path(folder))
    asked = [subject for subject in asked if subject.host.name not in without]
    with ThreadPoolExecutor(jobs) as pool:
        return [
            one for results in pool.map(lambda asks: judge(asks, gates), asked) for one in results
        ]


def judge(subject: Subject, gates: Mapping[str, Gate]) -> list[Result]:
    family, decidable = "", True
    if isinstance(subject.work, Operator):
        family, decidable = subject.work.family, subject.work.decidable
    with tempfile.TemporaryDirectory(prefix="foulplay-") as folder:
        case = build(subject, Path(folder))
        rulings = [(name, gate(case)) for name, gate in gates.items()]
    return [
        Result(
            name,
            subject.id,
            family,
            decidable,
            ruling.accepted,
            ruling.why,
            subject.work.round,
            ruling.caught_by,
        )
        for name, ruling in rulings
    ]
