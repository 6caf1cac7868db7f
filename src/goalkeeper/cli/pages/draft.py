"""The card of a draft: what would count, what is in doubt, and what was left out and why."""

from __future__ import annotations

import json
from collections.abc import Iterator

from goalkeeper.app.draft_goals import DraftedGoal
from goalkeeper.cli.reply import Page, Table
from goalkeeper.core.draft.model import DraftedTest, Standing
from goalkeeper.core.problems import clip_line

_WIDTH = 60
_SHOWN = 6


def draft_page(drafted: DraftedGoal) -> Page:
    goal, draft = drafted.goal, drafted.draft
    paths = {each.id: each.test.path for each in drafted.exam}
    counted = [*draft.list_tests(Standing.BINDING), *draft.list_tests(Standing.DISPUTED)]
    rows = tuple(
        (test.id, clip_line(test.text, _WIDTH), _describe_test(test, paths[test.id]),
         _describe_worth(test))
        for test in counted
    )  # fmt: skip
    guards = [each for each in json.loads(draft.contract)["criteria"] if each.get("guard")]
    rows += tuple(
        (each["id"], clip_line(each["text"], _WIDTH), "your own command", "green, must stay so")
        for each in guards
    )
    return (
        f"{goal.id}: {goal.title}",
        Table(("criterion", "what will be true", "shown by", "what it showed"), rows),
        *_list_doubts(drafted),
    )


def _describe_test(test: DraftedTest, path: str) -> str:
    return "a test that the worker does not see" if test.held_out else path


def _describe_worth(test: DraftedTest) -> str:
    if test.standing is Standing.DISPUTED:
        return "one examiner's reading"
    faults = f"notices {_count(test.killed, 'fault')}" if test.killed else "no fault was tried"
    return f"red now; {faults}"


def _list_doubts(drafted: DraftedGoal) -> Iterator[str]:
    draft = drafted.draft
    tests = draft.list_tests(Standing.BINDING)
    held = sum(test.held_out for test in tests)
    yield (
        f"Drafted by {_count(draft.examiners, 'examiner')}; held out: {held} of "
        f"{_count(len(tests), 'test')}; noticed: {draft.killed} of "
        f"{_count(draft.faults, 'fault')} planted in their solutions."
    )
    closed = json.loads(draft.contract).get("scope", {}).get("never", ())
    if closed:
        yield "The work may not change: CI configuration"
    left = [*draft.list_tests(Standing.WEAK), *draft.list_tests(Standing.DROPPED)]
    for test in left[:_SHOWN]:
        yield f"Left out: {clip_line(test.text, _WIDTH)} ({test.rule}: {test.reason})"
    if len(left) > _SHOWN:
        yield f"Left out: {len(left) - _SHOWN} more"
    if draft.names:
        yield f"New names that the worker is told: {', '.join(draft.names)}"
    for question in draft.questions[:_SHOWN]:
        yield f"Open: {question}"
    for text in draft.assumptions[:_SHOWN]:
        yield f"Assumed: {text}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
