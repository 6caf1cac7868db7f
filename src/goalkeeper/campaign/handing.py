"""What a session that landed hands on: facts of the repository, and the agent's own words."""

from __future__ import annotations

import re
from collections.abc import Callable

from goalkeeper.core.campaign.state import Handoff, ProvenBatch, SessionState
from goalkeeper.core.plan.model import GoalStatus, Plan
from goalkeeper.git.trees import Trees
from goalkeeper.wire.pattern import late_pattern

_MOST = 200  # a hand-off names so many files, commits and names at most
# A line that adds a name which others can use: a function, a class, a command, a target.
_ADDED = late_pattern(
    r"^\+(?:export\s+(?:default\s+)?)?(?:async\s+)?"
    r"(?:def|class|function|fn|func|pub\s+fn|interface|type|const)\s+(\w+)",
    re.MULTILINE,
)
_COMMAND = late_pattern(r"""^\+\s*(?:\w+\.)?add_parser\(\s*["']([\w-]+)""", re.MULTILINE)
_TARGET = late_pattern(r"^\+([a-z][\w-]*):(?!=)", re.MULTILINE)


def describe_landed(
    trees: Trees,
    read_plan: Callable[[str], Plan | None],
    session: SessionState,
    batch: ProvenBatch,
) -> Handoff:
    """Describe what a session brought to the head."""
    base, work = session.base or batch.head, session.work or batch.merged
    changed = trees.list_differences(base.tree, work.tree)
    plan = read_plan(session.run_id)
    goals = [goal for goal in plan.goals if goal.status is GoalStatus.COMPLETE] if plan else []
    landed = trees.list_commits(batch.head.commit, batch.merged.commit)
    commits = [each for each in landed if f"Goalkeeper-Step: {session.run_id} " in each.message]
    lines = plan.drive.lines if plan and plan.drive else ()
    said = [line.last.said for line in lines if line.last and line.last.said]
    return Handoff(
        session.id,
        tuple(f"{each.id[:12]} {each.message.splitlines()[0]}" for each in commits[:_MOST]),
        tuple(sorted(changed))[:_MOST],
        find_exports(trees.show_difference(base.tree, work.tree))[:_MOST],
        tuple(f"{goal.id}/{state.id}" for goal in goals for state in goal.criteria),
        said[-1] if said else "",
    )  # fmt: skip


def find_exports(difference: str) -> tuple[str, ...]:
    """Find the names and commands that a change adds; private names are left out."""
    found = [
        *(name for name in _ADDED.findall(difference) if not name.startswith("_")),
        *_COMMAND.findall(difference),
    ]
    for part in difference.split("\ndiff --git ")[0:]:
        if re.match(r"(diff --git )?\S*[Mm]akefile", part):
            found += _TARGET.findall(part)
    return tuple(dict.fromkeys(found))
