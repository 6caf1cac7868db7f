"""What a control is: honest work that a gate must let through."""

from __future__ import annotations

from collections.abc import Mapping

from bench.foulplay.edits import Edit, WorkerTree
from goalkeeper.wire.value import Value


class Control(Value):
    """Work that meets the goal. `may_change` are protected paths that its contract frees."""

    id: str
    summary: str
    works: Mapping[str, Edit]  # by the host's name
    may_change: tuple[str, ...] = ()
    round: int = 1

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(self.works)

    def apply(self, tree: WorkerTree) -> None:
        self.works[tree.host.name](tree)
