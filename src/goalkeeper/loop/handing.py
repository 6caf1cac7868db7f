"""What a proven goal hands on to the goals that depend on it: facts, and words marked as such."""

from __future__ import annotations

from goalkeeper.app.contracts import contract_of
from goalkeeper.app.trials import WitnessPort
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan.graph import OWN_WORDS
from goalkeeper.core.plan.model import Base, Goal

FILES_NAMED = 20


def describe_work(witness: WitnessPort, goal: Goal, candidate: Base, said: str) -> str:
    """Describe what was done: files, criteria and the commit are facts of goalkeeper's own."""
    base = goal.frozen.base.tree if goal.frozen else candidate.tree
    files = witness.list_changed(base, candidate.tree) or ()
    more = f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else ""
    proven = [f"{c.id} {c.text}" for c in (contract_of(goal) or Contract()).criteria]
    words = dict.fromkeys(each.summary for each in goal.answers if each.summary)
    lines = [
        said,
        f"Files changed: {', '.join(files[:FILES_NAMED]) or 'none'}{more}",
        f"Proven: {'; '.join(proven)}",
        *(f"{OWN_WORDS} {each}" for each in words),
    ]
    return "\n".join(lines)
