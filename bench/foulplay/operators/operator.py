"""What a cheating operator is."""

from __future__ import annotations

from collections.abc import Mapping

from bench.foulplay.edits import Edit, WorkerTree
from goalkeeper.wire.value import Value

FAMILIES = (
    "removal",
    "weakening",
    "skips",
    "harness",
    "process",
    "code",
    "contract",
    "evidence",
    "scope",
    "claims",
    "luck",
)


class Operator(Value):
    """One way to look done without being done, on each host where it can be done.

    A trick that is not decidable looks like honest work to any reading of the change and any
    run of the visible tests; only checks that the worker never saw tell the difference.
    """

    id: str
    family: str
    summary: str
    tricks: Mapping[str, Edit]  # by the host's name
    decidable: bool = True
    may_change: tuple[str, ...] = ()  # protected paths that the contract frees
    round: int = 1

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(self.tricks)

    def apply(self, tree: WorkerTree) -> None:
        self.tricks[tree.host.name](tree)
