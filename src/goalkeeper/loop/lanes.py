"""A lane is a reviewer in a process apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import uuid4

from goalkeeper.app.contracts import contract_of
from goalkeeper.app.gating import HandedIn, ReadLane
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.drive.phases import Phase
from goalkeeper.core.drive.state import Running
from goalkeeper.core.plan.model import Base, Goal
from goalkeeper.core.review.lane import INDEPENDENT, Lane, LaneRole, LaneWord
from goalkeeper.core.review.words import Shelf
from goalkeeper.loop.apart import ApartAnswer, ApartRequest, ProcessApart
from goalkeeper.loop.phase import Tell
from goalkeeper.loop.prompting import write_lane_prompt
from goalkeeper.wire.value import Value


class LaneRequest(Value):
    """What a lane is asked to look at."""

    role: LaneRole
    goal: Goal
    candidate: Base
    constraints: str = ""
    iteration: int = 1
    attempt: int = 1
    model: str = ""
    unusable: tuple[str, ...] = ()  # what was wrong with its last answer


class Lanes(Value):
    """What lanes are run with."""

    apart: ProcessApart
    read_lane: ReadLane
    lay_setup: Callable[[Goal, str], object]  # it lays what checks are set up with into a worktree
    commit_of: Callable[[Base], str]
    trust: str

    def run_lane(self, asking: LaneRequest, tell: Tell) -> Lane:
        """Run a lane from the prompt to the answer; `tell` is told of each step."""
        running = Running(
            asking.goal.id, asking.iteration, Phase(asking.role), asking.attempt, uuid4().hex,
            asking.candidate.tree,
        )  # fmt: skip
        request = ApartRequest(
            running, self.commit_of(asking.candidate), partial(self._write_prompt, asking),
            asking.model,
        )  # fmt: skip
        if asking.role is LaneRole.QA:  # others read, and an environment can be large
            request = request.replace(prepare=partial(self.lay_setup, asking.goal))
        return self._make_lane(asking, self.apart.ask(request, tell))

    def _write_prompt(self, asking: LaneRequest, folder: str) -> str:
        contract = contract_of(asking.goal) or Contract()
        base = asking.goal.frozen.base if asking.goal.frozen else asking.candidate
        return write_lane_prompt(
            asking.role, asking.goal, contract, constraints=asking.constraints,
            start=self.commit_of(base), folder=folder, unusable=asking.unusable,
        )  # fmt: skip

    def _make_lane(self, asking: LaneRequest, asked: ApartAnswer) -> Lane:
        lane = Lane(
            asking.role, asking.candidate.tree,
            asking.goal.frozen.digest if asking.goal.frozen else "", LaneWord.UNUSABLE,
            asked.record, folder=asked.folder, trust=self.trust, pid=asked.pid,
        )  # fmt: skip
        if asked.problem:
            return lane.replace(objections=(asked.problem,))
        shelf = Shelf(asked.folder, self.trust == INDEPENDENT)
        given = HandedIn(asking.role, asking.goal, asking.candidate, asked.raw, shelf)
        answer, kept = self.read_lane(given)
        return lane.replace(word=answer.word, answer=kept, objections=answer.objections)
