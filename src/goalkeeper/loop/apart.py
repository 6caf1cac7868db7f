"""A process apart: an agent in a session of its own, in a worktree that it cannot change.

Reviewers and examiners are asked so. All that counts of them is the answer that they write.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from goalkeeper.clients.client import Asked, Launch
from goalkeeper.clients.spawn import end_marked
from goalkeeper.core import strict_json
from goalkeeper.core.drive.phases import Ending, Record
from goalkeeper.core.drive.state import Budget, Running
from goalkeeper.git.places import find_common_dir
from goalkeeper.git.worktrees import Worktrees
from goalkeeper.loop.phase import PhaseRunner, Tell, record_end
from goalkeeper.loop.prompting import ANSWER
from goalkeeper.system.safe_open import NotPlain, read_file_below
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value

FOLDER = "GOALKEEPER_LANE"
_MOST_ANSWER = 4 << 20


class ApartRequest(Value):
    """What a process apart is asked, and on which commit."""

    running: Running
    commit: str
    write_prompt: Callable[[str], str]  # for the folder into which the answer belongs
    model: str = ""
    prepare: Callable[[str], object] | None = None  # it lays what is needed into the worktree


class ApartAnswer(Value):
    """What a process apart came to: its record, and its answer or why it cannot be used."""

    record: Record
    pid: int
    folder: str
    raw: Mapping[str, Any]
    problem: str = ""
    prompt: str = ""  # its digest


class ProcessApart(Value):
    """What processes apart are run with."""

    runner: PhaseRunner
    worktrees: Worktrees
    limits: Budget

    def ask(self, asking: ApartRequest, tell: Tell) -> ApartAnswer:
        """Run a process from the prompt to the answer; `tell` is told of each step."""
        running, commit = asking.running, asking.commit
        end_strays_apart(self.worktrees)
        folder = self.runner.folder_for(running)
        prompt = asking.write_prompt(folder)
        name = f"{running.goal_id}-{running.phase}-{running.marker}"
        place = self.worktrees.lend_worktree(name, commit)
        try:
            if asking.prepare:
                asking.prepare(place)
            record, pid = self._run_process(asking, prompt, place, folder, tell)
            moved = self.worktrees.describe_changes(place, commit)
        finally:
            self.worktrees.take_back(place)
        raw = read_written_answer(folder)
        problem = moved or (raw if isinstance(raw, str) else "")
        if record.ending is not Ending.OK:
            problem = f"it ended as {record.ending}: {record.problem}"
        raw = {} if isinstance(raw, str) else raw
        return ApartAnswer(record, pid, folder, raw, problem, digest(prompt))

    def _run_process(
        self, asking: ApartRequest, prompt: str, place: str, folder: str, tell: Tell
    ) -> tuple[Record, int]:
        runner, running, most = self.runner, asking.running, self.limits.microdollars
        asked = Asked(place, str(uuid4()), model=asking.model, microdollars=most)
        begun = runner.begin_phase(
            running, prompt, asked, tell,
            lambda launch: self._shut_in(launch, running, place, folder),
        )  # fmt: skip
        if isinstance(begun, Record):
            record, pid = begun, 0
        else:
            record, pid = runner.follow(running, begun, place, self.limits), begun.pid
        tell(record_end(running, record, running.tree))
        runner.shorten(running)
        return record, pid

    def _shut_in(self, launch: Launch, running: Running, place: str, folder: str) -> Launch:
        """Make the user's files and all worktrees read-only, where the system can do that."""
        launch = launch.replace(env={**launch.env, FOLDER: folder})
        root = os.path.realpath(self.worktrees.root)
        home = os.path.realpath(launch.env.get("HOME", "/"))
        sealed = [self.worktrees.place, find_common_dir(root)]
        if os.path.commonpath([home, root]) != root:  # otherwise an agent could not even log in
            sealed.insert(0, root)
        walls = self.runner.find_walls(place, self.runner.find_copy(running))
        walls = walls.replace(sealed=[*sealed, *walls.sealed], free=[folder], apart=())
        return self.runner.wall_in(launch, place, walls)


def end_strays_apart(worktrees: Worktrees) -> None:
    """End processes whose goalkeeper was killed. Nobody else may drive the run meanwhile."""
    for path in worktrees.list_lent():
        end_marked(path.rpartition("-")[2])
        worktrees.take_back(path)


def read_written_answer(folder: str) -> Mapping[str, Any] | str:
    """Read what was written down, or say why nobody can read it."""
    try:
        raw = strict_json.parse(read_file_below(folder, ANSWER, _MOST_ANSWER))
    except NotPlain as exc:
        return f"there is no {ANSWER}: {exc.word}"
    except ValueError as exc:
        return f"{ANSWER} is not JSON: {exc}"
    return raw if isinstance(raw, dict) else f"{ANSWER} is not an object"
