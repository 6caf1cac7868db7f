"""A lane is one review, by a process that goalkeeper started itself."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.drive.phases import Record
from goalkeeper.wire.value import Value

INDEPENDENT, REPORTED = "independent", "reported"


class LaneRole(StrEnum):
    CLEANER = "cleaner"
    ARCHITECT = "architect"
    QA = "qa"
    CRITIC = "critic"


NEEDED = (LaneRole.CLEANER, LaneRole.ARCHITECT, LaneRole.QA)  # they look in this order


class LaneWord(StrEnum):
    CLEAR = "clear"
    OBJECTS = "objects"
    UNUSABLE = "unusable"  # there is no answer, or none that can be read


class Lane(Value):
    """What a reviewer saw, who it was, and what it said."""

    role: LaneRole
    tree: str
    contract: str
    word: LaneWord
    process: Record
    pid: int = 0
    answer: str = ""  # the digest of its document
    folder: str = ""  # the folder in which its artifacts lie
    objections: tuple[str, ...] = ()  # what it objects to, or why the answer cannot be used
    trust: str = INDEPENDENT

    @property
    def why_unusable(self) -> str:
        """Return why the answer cannot be used; empty if it can."""
        said = f"no answer of the {self.role} lane can be used: {'; '.join(self.objections)}"
        return said if self.word is LaneWord.UNUSABLE else ""


def find_standing(lanes: tuple[Lane, ...], tree: str, contract: str) -> dict[LaneRole, Lane]:
    """Find what lanes say of exactly this tree and this contract."""
    return {
        lane.role: lane
        for lane in lanes
        if (lane.tree, lane.contract) == (tree, contract) and lane.word is not LaneWord.UNUSABLE
    }
