"""What a control is: honest work that a gate must let through."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from bench.foulplay.edits import Edit, WorkerTree
from goalkeeper.wire.value import Value


class Control(Value):
    """Work that meets the goal. `may_change` are protected paths that its contract frees."""

    id: str
    summary: str
    works: Mapping[str, Edit]  # by the host's name
    may_change: tuple[str, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(self.works)

    def apply(self, tree: WorkerTree) -> None:
        self.works[tree.host.name](tree)

    def amended(self, contract: str) -> str:
        """The contract that this work was done under."""
        if not self.may_change:
            return contract
        fields = yaml.safe_load(contract)
        fields["may_change"] += self.may_change
        fields["scope"]["touch"] += self.may_change
        return yaml.safe_dump(fields, sort_keys=False)
