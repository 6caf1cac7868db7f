"""The published schema says what the reader says, as far as a schema can."""

import json
from typing import Any

import yaml

from goalkeeper.core.contract.check_kinds import CHECK_KINDS
from goalkeeper.core.contract.document import SHAPE, Contract, json_schema, read_text
from tests.tables import for_each
from tests.unit.core.check_examples import INVALID, VALID
from tests.unit.core.helpers import contract_of
from tests.unit.core.schemas import fits, inside
from tests.unit.core.written_contracts import WHOLE, contract, criterion

SCHEMA = json_schema()

# What only the reader sees: a schema has no word for it.
BEYOND = ("regular expression", "git's own", "what JSON can say", "expected text", "a word",
          "leads out", "expected a question", "what to look at", "shell text")  # fmt: skip


def plain(text: str) -> Any:  # noqa: ANN401
    return json.loads(json.dumps(yaml.safe_load(text), default=str))


def test_it_is_a_json_schema_of_a_named_thing() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["title"] == "goalkeeper contract"
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def test_asking_for_it_twice_gives_the_same() -> None:
    assert json_schema() == SCHEMA


def test_it_has_every_field_of_a_contract() -> None:
    assert list(SCHEMA["properties"]) == list(SHAPE.fields)
    assert SCHEMA["required"] == []


def test_no_object_takes_a_field_it_does_not_name() -> None:
    objects = [each for each in inside(SCHEMA) if "properties" in each]

    assert len(objects) > len(CHECK_KINDS)
    assert all(each["additionalProperties"] is False for each in objects)
    assert all(set(each["required"]) <= set(each["properties"]) for each in objects)


def test_a_criterion_has_an_id_a_text_and_a_check() -> None:
    items = SCHEMA["properties"]["criteria"]["items"]

    assert items["required"] == ["id", "text", "check"]


def test_a_check_is_one_of_the_kinds_and_names_it() -> None:
    kinds = SCHEMA["properties"]["criteria"]["items"]["properties"]["check"]["oneOf"]

    assert [kind["title"] for kind in kinds] == list(CHECK_KINDS)
    assert all(kind["title"] in kind["required"] for kind in kinds)
    assert all(kind["properties"][kind["title"]]["description"] for kind in kinds)


@for_each("written", [each for all_of in VALID.values() for each in all_of])
def test_a_check_that_is_read_fits_the_schema(written: str) -> None:
    text = criterion(written)

    assert fits(plain(text), SCHEMA)
    assert fits(dict(contract(text).plain), SCHEMA)


@for_each(
    "written",
    [
        written
        for all_of in INVALID.values()
        for written, said in all_of
        if not any(words in said for words in BEYOND) and ".nan" not in written
        and ".inf" not in written
    ],
)  # fmt: skip
def test_a_check_that_is_refused_for_its_shape_does_not_fit(written: str) -> None:
    assert not fits(plain(criterion(written)), SCHEMA)


def test_a_whole_contract_fits() -> None:
    assert fits(plain(WHOLE), SCHEMA)
    assert fits(json.loads(json.dumps(contract(WHOLE).plain)), SCHEMA)


@for_each(
    "text",
    [
        "critera: []",
        "criteria: {}",
        "criteria: [{id: C1, text: t}]",
        "criteria: [{id: C 1, text: t, check: {manual: m}}]",
        "criteria: [{id: C1, text: t, check: {manual: m}, gaurd: true}]",
        "criteria: [{id: C1, text: t, check: {manual: m, question: q}}]",
        "criteria: [{id: C1, text: t, check: {}}]",
        "criteria: [{id: C1, text: t, check: {manual: m}, guard: 'yes'}]",
        "criteria: [{id: C1, text: t, check: {manual: m}, held_out: a/b}]",
        "manifest: {must_contain: [{path: a}]}",
        "manifest: {min_file_count: -1}",
        "scope: {touch: [/etc]}",
        "scope: {touch: [../x]}",
        "scope: [a]",
        "participants: [robot]",
        "outcomes: fine",
    ],
)
def test_what_the_reader_refuses_for_its_shape_does_not_fit(text: str) -> None:
    assert not isinstance(read_text(text), Contract)
    assert not fits(plain(text), SCHEMA)


@for_each(
    "text", [contract_of(C1="one"), "criteria: []", "scope: {never: ['**']}", "may_change: [a::b]"]
)
def test_what_the_reader_accepts_fits(text: str) -> None:
    assert isinstance(read_text(text), Contract)
    assert fits(plain(text), SCHEMA)
