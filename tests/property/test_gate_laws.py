"""Laws of quality gates: no document makes the reader fall, and none but a clean one is clean."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.review.lane import LaneRole, LaneWord
from goalkeeper.core.review.lane_answers import read_answer
from goalkeeper.core.review.reading import read_gate
from goalkeeper.core.review.replays import read_replay
from goalkeeper.core.review.shape import json_schema
from tests.tables import for_each
from tests.unit.core.review.gates import ABOUT, CLEAN, Step, clean, found, places
from tests.unit.core.schemas import fits

SCHEMA = json_schema()
PLACES = list(places(CLEAN))
# One value of each type that JSON has, and one that only careless readers let in.
OF_EACH_TYPE: list[Any] = [None, True, False, 0, 7, 1.5, "", "x", [], ["x"], {}, {"x": 1}]
SHAPE = {"wrong-value", "unknown-key"}

texts = st.text(st.characters(), max_size=8)  # half surrogates, too
names = st.sampled_from(sorted({step for way in PLACES for step in way if isinstance(step, str)}))
words = st.sampled_from(
    ["CLEAR", "WATCH", "APPROVE", "passed", "failed", "todo", "not_applicable", "covered", "web",
     "cli", "C1", "G001", "screenshot", "command-replay", "typed-receipt", "again", "shot"]
)  # fmt: skip
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names | texts, inner, max_size=4),
    max_leaves=10,
)
gates = st.fixed_dictionaries(
    {}, optional={name: values | st.just(section) for name, section in CLEAN.items()}
)


def put(way: tuple[Step, ...], value: object) -> dict[str, Any]:
    gate = clean()
    place: Any = gate
    for step in way[:-1]:
        place = place[step]
    place[way[-1]] = value
    return gate


def taken_out(way: tuple[Step, ...]) -> dict[str, Any]:
    gate = clean()
    place: Any = gate
    for step in way[:-1]:
        place = place[step]
    del place[way[-1]]
    return gate


def standing_at(way: tuple[Step, ...]) -> object:
    value: Any = CLEAN
    for step in way:
        value = value[step]
    return value


def others(way: tuple[Step, ...]) -> list[Any]:
    """Values of every type but the one that stands there."""
    return [value for value in OF_EACH_TYPE if type(value) is not type(standing_at(way))]


@given(values | gates)
def test_no_document_makes_the_reader_fall(document: Any) -> None:  # noqa: ANN401
    reading = read_gate(document, ABOUT)

    assert reading.diagnostics or document == CLEAN
    assert all(d.path and d.code and d.message and d.mend for d in reading.diagnostics)


@given(st.sampled_from(LaneRole), values)
def test_no_answer_makes_the_reader_fall(role: LaneRole, document: Any) -> None:  # noqa: ANN401
    answer = read_answer(role, document, ABOUT)

    assert (answer.word is LaneWord.CLEAR) is not bool(answer.diagnostics)


@given(values)
def test_no_record_makes_the_reader_fall(document: Any) -> None:  # noqa: ANN401
    assert isinstance(read_replay(document, "replay"), tuple)


@given(st.sampled_from(PLACES), values)
def test_nothing_put_anywhere_makes_the_reader_fall(way: tuple[Step, ...], value: Any) -> None:  # noqa: ANN401
    diagnostics = found(put(way, value))

    assert diagnostics or type(value) is type(standing_at(way))


@for_each("way", PLACES, ids=lambda way: ".".join(map(str, way)))
def test_no_part_of_a_clean_gate_can_be_taken_out(way: tuple[Step, ...]) -> None:
    assert found(taken_out(way))


@for_each("way", PLACES, ids=lambda way: ".".join(map(str, way)))
def test_no_part_of_a_clean_gate_can_be_of_another_type(way: tuple[Step, ...]) -> None:
    assert [value for value in others(way) if not found(put(way, value))] == []


def test_the_schema_takes_a_clean_gate() -> None:
    assert fits(CLEAN, SCHEMA)


@given(gates)
def test_what_the_schema_refuses_the_reader_refuses(document: Any) -> None:  # noqa: ANN401
    if not fits(document, SCHEMA):
        assert {each.code for each in found(document)} & {*SHAPE, "missing"}


@for_each("way", PLACES, ids=lambda way: ".".join(map(str, way)))
def test_the_schema_and_the_reader_agree_on_types(way: tuple[Step, ...]) -> None:
    for value in others(way):
        gate = put(way, value)
        assert fits(gate, SCHEMA) is not bool({each.code for each in found(gate)} & SHAPE), value
