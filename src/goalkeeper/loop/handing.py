"""What a proven goal hands on to the goals that depend on it: facts, and words marked as such."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.app.contracts import contract_of
from goalkeeper.app.trials import WitnessPort
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan.graph import OWN_WORDS
from goalkeeper.core.plan.model import Base, Goal
from goalkeeper.loop.offers import list_new_commands, list_new_exports

FILES_NAMED = 20


def describe_work(witness: WitnessPort, goal: Goal, candidate: Base, said: str) -> str:
    """Describe what was done: files, criteria and the commit are facts of goalkeeper's own."""
    base = goal.frozen.base.tree if goal.frozen else candidate.tree
    files = witness.list_changed(base, candidate.tree) or ()
    sides = (witness.open_tree(base), witness.open_tree(candidate.tree)) if files else ()
    exports = list_new_exports(*sides, files) if sides else []
    offered = list_new_commands(*sides, files) if sides else []
    proven = [f"{c.id} {c.text}" for c in (contract_of(goal) or Contract()).criteria]
    settled = " ".join(goal.finding.split())
    words = dict.fromkeys(each.summary for each in goal.answers if each.summary)
    lines = [
        said,
        *([f"Settled, found by the review of {goal.blocks}: {settled}"] if settled else ()),
        f"Files changed: {_name_some(files, ', ') or 'none'}",
        *([f"New names: {_name_some(exports, '; ')}"] if exports else ()),
        *([f"New commands: {_name_some(offered, ', ')}"] if offered else ()),
        f"Proven: {'; '.join(proven)}",
        f"Commit: {candidate.commit[:12]}",
        *(f"{OWN_WORDS} {each}" for each in words),
    ]
    return "\n".join(lines)


def _name_some(names: Sequence[str], between: str) -> str:
    more = f" and {len(names) - FILES_NAMED} more" if len(names) > FILES_NAMED else ""
    shown = (name.encode(errors="backslashreplace").decode() for name in names[:FILES_NAMED])
    return between.join(name.replace("\n", "\\n") for name in shown) + more
