"""A worktree is prepared for work on a goal: on all that the goal builds on, with its tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from goalkeeper.app.contracts import choose_goal, contract_of, find_beginnings
from goalkeeper.app.trials import Trial, WitnessPort
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.drive.state import Worktree
from goalkeeper.core.plan.model import Base, Goal, Plan
from goalkeeper.git.worktrees import GoalWorktree, Worktrees
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.safe_open import make_folder, replace_file
from goalkeeper.wire.value import Value


class WorktreeMaker(Value):
    """What worktrees are made with."""

    worktrees: Worktrees
    commit_of: Callable[[Base], str]
    merge: Callable[[str, str], str]

    def make_worktree(self, plan: Plan, goal_id: str) -> tuple[Worktree, str]:
        """Make the worktree of a goal; return it, and the tree that lies there."""
        goal = choose_goal(plan, goal_id)
        if plan.drive is None or plan.drive.line(goal_id) is None:
            self.worktrees.clear_place(goal_id)
        begun = [self.commit_of(base) for base in find_beginnings(plan, goal)]
        for commit in begun:
            self.worktrees.move_work(goal_id, commit, self.merge)
        made = self.worktrees.make_worktree(goal_id, begun[-1])
        lay_tests(made.path, (contract_of(goal) or Contract()).tests)
        return made, GoalWorktree(made, self.worktrees).write_tree()


def lay_tests(folder: str, tests: Mapping[str, str]) -> None:
    """Write the tests that a contract brings, for those who work there; they land with the work."""
    for path, text in tests.items():
        place = os.path.join(folder, path)
        with disk_errors("write the test", place):
            make_folder(os.path.dirname(place))
            replace_file(place, text.encode())


def lay_setup(witness: WitnessPort, isolation: str, goal: Goal, place: str) -> tuple[str, ...]:
    """Lay what checks of a goal are set up with into a worktree; return the folders."""
    if goal.frozen is None:
        return ()
    base, contract = goal.frozen.base, contract_of(goal) or Contract()
    trial = Trial(contract, base, witness.settings_of(base), isolation=isolation)
    return witness.lay_setup(trial, place)
