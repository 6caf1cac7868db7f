"""A lane is a reviewer in a process and a session of its own, in a worktree it cannot change."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from goalkeeper.app.contracts import JudgeContext, contract_of
from goalkeeper.app.gating import Assessor
from goalkeeper.clients.client import Asked, Launch
from goalkeeper.clients.program import find_client_program
from goalkeeper.clients.spawn import end_marked
from goalkeeper.core import strict_json
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.drive.phases import Ending, Phase, Record
from goalkeeper.core.drive.state import Budget, Running
from goalkeeper.core.plan.model import Base, Goal
from goalkeeper.core.review.lane import Lane, LaneRole, LaneWord
from goalkeeper.git.places import find_common_dir
from goalkeeper.git.worktrees import Worktrees
from goalkeeper.loop.phase import PhaseRunner, Tell, record_end
from goalkeeper.loop.prompting import ANSWER, write_lane_prompt
from goalkeeper.system.safe_open import NotPlain, read_file_below
from goalkeeper.wire.value import Value
from goalkeeper.witness.isolation import build_read_only_prefix

FOLDER = "GOALKEEPER_LANE"
_MOST_ANSWER = 4 << 20


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

    runner: PhaseRunner
    worktrees: Worktrees
    judge_context: JudgeContext
    commit_of: Callable[[Base], str]
    limits: Budget
    trust: str

    def run_lane(self, asking: LaneRequest, tell: Tell) -> Lane:
        """Run a lane from the prompt to the answer; `tell` is told of each step."""
        running = Running(
            asking.goal.id, asking.iteration, Phase(asking.role), asking.attempt, uuid4().hex,
            asking.candidate.tree,
        )  # fmt: skip
        end_stray_reviewers(self.worktrees)
        folder = self.runner.folder_for(running)
        commit = self.commit_of(asking.candidate)
        name = f"{asking.goal.id}-{running.phase}-{running.marker}"
        place = self.worktrees.lend_worktree(name, commit)
        try:
            record, pid = self._run_process(asking, running, place, folder, tell)
            moved = self.worktrees.describe_changes(place, commit)
        finally:
            self.worktrees.take_back(place)
        return self._read_lane(asking, record, folder, moved).replace(pid=pid)

    def _run_process(
        self, asking: LaneRequest, running: Running, place: str, folder: str, tell: Tell
    ) -> tuple[Record, int]:
        runner, most = self.runner, self.limits.microdollars
        asked = Asked(place, str(uuid4()), model=asking.model, microdollars=most)
        prompt = self._write_prompt(asking, folder)
        begun = runner.begin_phase(
            running, prompt, asked, tell,
            lambda launch: _shut_in(launch, self.worktrees, place, folder),
        )  # fmt: skip
        if isinstance(begun, Record):
            record, pid = begun, 0
        else:
            record, pid = runner.follow(running, begun, place, self.limits), begun.pid
        tell(record_end(running, record, running.tree))
        runner.shorten(running)
        return record, pid

    def _write_prompt(self, asking: LaneRequest, folder: str) -> str:
        contract = contract_of(asking.goal) or Contract()
        base = asking.goal.frozen.base if asking.goal.frozen else asking.candidate
        return write_lane_prompt(
            asking.role, asking.goal, contract, constraints=asking.constraints,
            start=self.commit_of(base), folder=folder, unusable=asking.unusable,
        )  # fmt: skip

    def _read_lane(self, asking: LaneRequest, record: Record, folder: str, moved: str) -> Lane:
        lane = Lane(
            asking.role, asking.candidate.tree,
            asking.goal.frozen.digest if asking.goal.frozen else "", LaneWord.UNUSABLE, record,
            folder=folder, trust=self.trust,
        )  # fmt: skip
        raw = _read_answer(folder)
        problem = moved or (raw if isinstance(raw, str) else "")
        if record.ending is not Ending.OK:
            problem = f"it ended as {record.ending}: {record.problem}"
        if problem or isinstance(raw, str):
            return lane.replace(objections=(problem,))
        assessor = Assessor(self.judge_context, asking.goal, asking.candidate)
        answer, document = assessor.read_lane(asking.role, raw, folder)
        kept = self.judge_context.witness.keep_document(document)
        return lane.replace(word=answer.word, answer=kept, objections=answer.objections)


def end_stray_reviewers(worktrees: Worktrees) -> None:
    """End reviewers whose goalkeeper was killed. Nobody else may drive the run meanwhile."""
    for path in worktrees.list_lent():
        end_marked(path.rpartition("-")[2])
        worktrees.take_back(path)


def _read_answer(folder: str) -> Mapping[str, Any] | str:
    """Read what the reviewer wrote down, or say why nobody can read it."""
    try:
        raw = strict_json.parse(read_file_below(folder, ANSWER, _MOST_ANSWER))
    except NotPlain as exc:
        return f"there is no {ANSWER}: {exc.word}"
    except ValueError as exc:
        return f"{ANSWER} is not JSON: {exc}"
    return raw if isinstance(raw, dict) else f"{ANSWER} is not an object"


def _shut_in(launch: Launch, worktrees: Worktrees, place: str, folder: str) -> Launch:
    """Make the user's files and all worktrees read-only, where the system can do that."""
    launch = launch.replace(env={**launch.env, FOLDER: folder})
    program = find_client_program(launch.argv[0], launch.env, (worktrees.root, place))
    if program is None:
        return launch  # the caller of the lane says so
    root = os.path.realpath(worktrees.root)
    home = os.path.realpath(launch.env.get("HOME", "/"))
    sealed = [worktrees.place, find_common_dir(root)]
    if os.path.commonpath([home, root]) != root:  # otherwise an agent could not even log in
        sealed.insert(0, root)
    walls = build_read_only_prefix(sealed, [folder], cwd=place, environ=launch.env)
    return launch.replace(argv=(*walls, program, *launch.argv[1:]))
