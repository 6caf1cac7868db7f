"""The answer of an examiner: its shape, and what else must be so before anything of it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from goalkeeper.core.contract.check_kinds import PROCESS_KINDS, Check, CheckShape, why_vacuous
from goalkeeper.core.contract.held_out import HELD_OUT
from goalkeeper.core.contract.protected import is_test
from goalkeeper.core.draft.model import STANDS, WRONG
from goalkeeper.core.problems import Problem
from goalkeeper.core.schema import (
    Choice,
    Field,
    FileTexts,
    ListOf,
    Node,
    Notes,
    RecordShape,
    RepositoryPath,
    Text,
    publish_schema,
)
from goalkeeper.wire.value import Value

_MOST_CRITERIA, _MOST_TESTS, _MOST_NOTES = 12, 6, 20
_STATE = ".goalkeeper"
_TEST = RecordShape(
    {
        "path": Field(RepositoryPath(), "", required=True, help="a new file in a folder for tests"),
        "text": Field(Text("the text of the file"), "", required=True),
        "check": Field(CheckShape(), required=True, help="one check that runs this file alone"),
    }
)
_CRITERION = RecordShape(
    {
        "text": Field(Text(), "", required=True, help="what will be true, in words"),
        "why": Field(Text(), "", help="why this shows that the sentence is met"),
        "tests": Field(ListOf(_TEST, least=1, most=_MOST_TESTS), (), required=True),
    }
)
_QUESTION = RecordShape(
    {"text": Field(Text(), "", required=True), "why": Field(Text(), "", required=True)}
)
SHAPE = RecordShape(
    {
        "criteria": Field(ListOf(_CRITERION, most=_MOST_CRITERIA), (), required=True),
        "reference": Field(
            FileTexts(may_remove=True), {},
            help="a solution: the whole text of each file that it makes or changes; null removes",
        ),
        "surface": Field(
            ListOf(Text("a name"), most=_MOST_NOTES), (),
            help="names that the tests use and the base does not have",
        ),
        "questions": Field(
            ListOf(_QUESTION, most=_MOST_NOTES), (), help="what no check can settle"
        ),
        "touch": Field(ListOf(RepositoryPath()), (), help="what a solution may have to change"),
        "assumptions": Field(ListOf(Text(), most=_MOST_NOTES), ()),
    }
)  # fmt: skip

OPINION = RecordShape(
    {
        "verdict": Field(Choice((STANDS, WRONG)), "", required=True),
        "because": Field(Text("the reason"), "", required=True),
    }
)


class WrittenTest(Value):
    """A test file as an examiner wrote it, and the check that runs it."""

    path: str
    text: str
    check: Check
    criterion: str  # the words of the criterion that it is about


class DraftAnswer(Value):
    tests: tuple[WrittenTest, ...]
    reference: Mapping[str, str | None]
    surface: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    touch: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


def read_answer(raw: object) -> DraftAnswer | tuple[Problem, ...]:
    """Read an answer; return everything that is wrong with it if something is."""
    notes = Notes("answer")
    root = Node.from_plain(raw)
    fields = SHAPE.read_node(root, "", notes)
    if notes.problems:
        return tuple(notes.problems)
    tests = tuple(
        WrittenTest(test["path"], test["text"], test["check"], criterion["text"])
        for criterion in fields["criteria"]
        for test in criterion["tests"]
    )
    reference = fields["reference"] or {}
    for message in (*_find_bad_tests(tests), *_find_bad_reference(tests, reference)):
        notes.add_problem(root, "", message)
    return tuple(notes.problems) or DraftAnswer(
        tests, reference, fields["surface"],
        tuple(f"{question['text']} ({question['why']})" for question in fields["questions"]),
        fields["touch"], fields["assumptions"],
    )  # fmt: skip


def _find_bad_tests(tests: tuple[WrittenTest, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for test in tests:
        path = test.path
        if path in seen:
            yield f"{path}: two tests have this path"
        seen.add(path)
        if "/" not in path or not is_test(path) or path.startswith(f"{HELD_OUT}/"):
            yield f"{path}: a test lies in a folder of the project, such as tests/"
        if test.check.kind not in PROCESS_KINDS or test.check.kind == "replay":
            yield f"{path}: a check of kind {test.check.kind} runs no test"
        elif path not in json.dumps(test.check.to_plain(), ensure_ascii=False):
            yield f"{path}: its check does not name it"
        if reason := why_vacuous(test.check):
            yield f"{path}: its check cannot fail: {reason}"


def _find_bad_reference(
    tests: tuple[WrittenTest, ...], reference: Mapping[str, str | None]
) -> Iterator[str]:
    if tests and not reference:
        yield "reference: without a solution nobody knows that the tests can pass"
    for path in reference:
        if path == _STATE or path.startswith(f"{_STATE}/"):
            yield f"{path}: goalkeeper's own files are no part of a solution"
        if path in {test.path for test in tests}:
            yield f"{path}: it is a test, and not a part of a solution"


def json_schema() -> dict[str, Any]:
    return publish_schema("goalkeeper draft", SHAPE.json_schema())
