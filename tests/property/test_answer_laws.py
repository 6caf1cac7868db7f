"""Laws of answers: whatever is written is read or named, and what is read is decided."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.answers import document as answers_document
from goalkeeper.core.answers import procedure, scanning
from goalkeeper.core.answers.document import Answers
from goalkeeper.core.answers.procedure import Case, Scene
from tests.e2e.answering import answers as said
from tests.property.strategies import json_values
from tests.unit.core.schemas import fits
from tests.unit.core.verifications import questions, read

SCHEMA = answers_document.json_schema()
SCENE = Scene("tree", {"report.md": "new"}, {}, ())
WHOLE: dict[str, Any] = said(
    evidence=[{"search": {"tier": "tree", "query": "x"}}],
    overrides=[{"claim": "c", "reason": "r"}],
    result="It is done because report.md is there.",
)


def leaves(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*path, number))
    yield path


PLACES = [path for path in leaves(WHOLE) if path]


def changed(path: tuple[object, ...], value: object) -> dict[str, Any]:
    document: Any = deepcopy(WHOLE)
    inner = document
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    whole: dict[str, Any] = document
    return whole


def case(found: Answers) -> Case:
    return Case(read(questions()), found, SCENE)


@given(document=json_values)
def test_any_json_is_answers_or_has_named_problems(document: object) -> None:
    found = answers_document.read_answers(document)

    assert isinstance(found, Answers) or all(str(problem) for problem in found)


@given(path=st.sampled_from(PLACES), value=json_values | st.text(max_size=40))
def test_what_is_read_fits_the_schema_and_is_decided_without_a_mishap(
    path: tuple[object, ...], value: object
) -> None:
    found = answers_document.read_answers(changed(path, value))
    if not isinstance(found, Answers):
        assert found
        return

    assert fits(found.plain, SCHEMA)
    scanned = scanning.scan_answers(found, (), may_override=True)
    told = procedure.diagnose_stages(case(found).replace(texts=scanned.diagnostics))
    texts = [each for step in told.values() for each in step]
    assert all(each.path.startswith("answers") and each.mend for each in texts)
    assert set(scanned.diagnostics) <= set(texts)


@given(path=st.sampled_from(PLACES), value=st.text(min_size=1, max_size=20))
def test_an_answer_that_was_changed_voids_the_step_it_belongs_to(
    path: tuple[object, ...], value: str
) -> None:
    document = changed(path, value)
    found = answers_document.read_answers(document)
    if not isinstance(found, Answers) or document == WHOLE:
        return
    before, after = answers_document.read_answers(WHOLE), case(found)
    assert isinstance(before, Answers)

    same = {s for s in procedure.QUESTIONS
            if procedure.digest_inputs(case(before), s)
            == procedure.digest_inputs(after, s)}  # fmt: skip
    owner = procedure.stage_of_part(after, str(path[0]))
    assert owner not in same
