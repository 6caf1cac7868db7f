"""A file of answers that is ready to be filled in, with all that is known of the goal."""

from __future__ import annotations

from typing import Any

from goalkeeper.core.answers.document import DIMENSIONS, FEWEST_ITEMS, MOST_ITEMS, leave_open
from goalkeeper.core.answers.procedure import QUESTIONS, StageResult
from goalkeeper.core.contract.criteria import ANSWERED_KINDS
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan.model import Goal
from goalkeeper.wire.value import Value

FILES_NAMED = 20
RULES = (
    "Replace every text that begins with '<fill in' and send the file back; leave about as it is.",
    "A claim or finding has the form: X is Y because Z.",
    "Z names what shows it: a file, `code`, a number, a commit or an exit code.",
    "What was seen is told without seems, might or probably.",
    "What nobody knows is a sentence of its own that begins with 'Unknown:'.",
    "goalkeeper reads every file that is named, and looks for what it is said to contain.",
    "goalkeeper runs the check of q2; it must be able to fail.",
    "What is said to be absent, down or zero needs evidence: goalkeeper schema answers.",
)
_CLAIM = leave_open("X is Y because Z")


class Background(Value):
    """What is known before anybody answers."""

    stored: tuple[str, ...] = ()  # stages that have passed for the files as they are
    changed: tuple[str, ...] = ()  # the files that the work made or changed
    lessons: tuple[str, ...] = ()  # what earlier judgements taught about the same checks
    missing_criteria: tuple[str, ...] = ()  # what earlier checklists found, and no criterion asks


def make_template(goal: Goal, contract: Contract, known: Background) -> dict[str, Any]:
    """Make the file. Stages that are stored are left out: they need not be sent again."""
    is_hypothesis = bool(goal.timing and goal.timing.hypothesis)
    asked = QUESTIONS[:1] if is_hypothesis else QUESTIONS
    parts = _list_parts(contract, known)
    if contract.agent_leg:
        open_ = {"agent_leg": _list_legs(contract)}
    else:
        open_ = {name: parts[name] for name in asked if name not in known.stored}
    told = {"about": _describe(goal, contract, known), **open_}
    is_whole = contract.agent_leg or asked[-1] in open_  # the summary belongs to the last stage
    more = {"summary": leave_open("what was produced, in one line")} if is_whole else {}
    return {**told, **more}


def _describe(goal: Goal, contract: Contract, known: Background) -> dict[str, Any]:
    asked = [
        {"id": c.id, "text": c.text, **c.check.to_plain()}
        for c in contract.criteria
        if c.check.kind in ANSWERED_KINDS
    ]
    command = f"goalkeeper verify --goal-id {goal.id} --answers FILE"
    if goal.timing and goal.timing.hypothesis:
        command += f" --result {StageResult.CONFIRMED}|{StageResult.CORRECTED}"
    told: dict[str, Any] = {
        "goal": goal.id,
        "title": goal.title,
        "asked": asked,
        "outcomes": list(contract.outcomes),
        "outcomes_agent_leg": list(contract.agent_leg),
        "files_changed": list(known.changed[:FILES_NAMED]),
        "stored": [
            {"step": step.step, "note": step.note}
            for step in goal.steps
            if step.step in known.stored
        ],
        "failed_before": list(goal.failed_answers),
        "lessons": list(known.lessons),
        "missing_criteria": list(known.missing_criteria),
        "rules": list(RULES),
        "send_it": command,
    }
    return {name: value for name, value in told.items() if value}


def _list_parts(contract: Contract, known: Background) -> dict[str, Any]:
    files = ", ".join(known.changed[:FILES_NAMED]) or "none yet"
    return {
        "q1": {
            "artifact": leave_open(f"a file that the work made or changed ({files}), or commit:ID"),
            "claim": _CLAIM,
        },
        "q1_5": {"items": _list_items(contract)},
        "q2": {
            "failure_mode": leave_open("how it could look met and not be, in a sentence"),
            "check": {"command": [leave_open("a program, with one word an entry")]},
            "finding": _CLAIM,
        },
        "q3": {
            "scope": leave_open("unit if it was looked at alone, integration if with its callers"),
            "claim": _CLAIM,
        },
    }


def _list_items(contract: Contract) -> list[dict[str, str]]:
    """List what the goal itself asks, and a question of each dimension beyond it."""
    own = [f"Is it so: {each}?" for each in (*contract.outcomes, *_list_texts(contract))]
    most = MOST_ITEMS - len(DIMENSIONS)
    items = [_make_item(question, "covered", DIMENSIONS[1]) for question in own[:most]]
    more = [*DIMENSIONS, *DIMENSIONS[:1]][: max(len(DIMENSIONS), FEWEST_ITEMS - len(items))]
    ask = leave_open("a property that the result must have, as a question")
    cover = leave_open("covered if a criterion asks it, else uncovered")
    return items + [_make_item(ask, cover, dimension) for dimension in more]


def _list_texts(contract: Contract) -> list[str]:
    return [c.text for c in contract.criteria if c.check.kind in ANSWERED_KINDS]


def _make_item(question: str, coverage: str, dimension: str) -> dict[str, str]:
    result = leave_open("pass, fail or na")
    told = {"question": question, "result": result, "coverage": coverage}
    return {**told, "dimension": dimension}


def _list_legs(contract: Contract) -> list[dict[str, str]]:
    artifact = leave_open("a file that the work made or changed, or commit:ID")
    return [
        {"outcome": outcome, "artifact": artifact, "claim": _CLAIM}
        for outcome in contract.agent_leg
    ]
