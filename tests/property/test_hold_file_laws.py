"""What is known of a held session, on disk: ours is read back, all else is foreign."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goalkeeper import config
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import (
    LONGEST_WAIT_SECONDS,
    Block,
    Counts,
    Foreign,
    Hold,
    HoldVerdict,
    Limits,
)
from goalkeeper.wire.light_json import NotJson, dumps, loads
from goalkeeper.wire.value import Value
from tests.property.strategies import json_values
from tests.tables import for_each

KEY = b"a key of thirty-two bytes, always"
LONGEST_KEY = 64  # BLAKE2b's own limit

# Paths come from the system: bytes that are no UTF-8 are lone surrogates in them.
texts = st.text(st.characters(exclude_categories=["Cs"]) | st.characters(
    min_codepoint=0xDC80, max_codepoint=0xDCFF, categories=["Cs"]), max_size=12)  # fmt: skip
floats = st.floats(allow_nan=False)
words = st.lists(texts, max_size=3).map(tuple)
blocks = st.builds(Block, texts, floats, texts, texts)
BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "str": texts,
    "float": floats,
    "int": st.integers(),
    "bool": st.booleans(),
    "tuple[str, ...]": words,
    "tuple[tuple[str, ...], ...]": st.lists(words, max_size=3).map(tuple),
    "Block | None": st.none() | blocks,
}


def built(kind: type[Value]) -> st.SearchStrategy[Any]:
    return st.builds(kind, **{name: BY_TYPE[each] for name, each in kind.__annotations__.items()})


BY_TYPE["HoldVerdict | None"] = st.none() | built(HoldVerdict)
BY_TYPE["Limits"] = built(Limits)
BY_TYPE["Counts"] = built(Counts)
holds = built(Hold)
keys = st.binary(max_size=LONGEST_KEY)
HOLD = Hold("claude", "s1", "a1", 1.0, "t", "/w", "r", own=True, bare=("G001",), ledger="/l",
            objective="né", verify=(("make",),), counts=Counts(last=Block("k", 2.0, "claude", "t")),
            verdict=HoldVerdict(
                "failed", "0" * 40, 3.0, "m", failing=("C1",), text="no"))  # fmt: skip


def read(data: bytes, key: bytes = KEY) -> Hold | None:
    """What is read from it; None when it is foreign. Nothing else may be raised."""
    try:
        return wire.load(data, key)
    except Foreign:
        return None


@given(hold=holds, key=keys)
def test_a_hold_is_read_back_as_it_was_written(hold: Hold, key: bytes) -> None:
    data = wire.dump(hold, key)

    assert wire.load(data, key) == hold
    assert wire.dump(wire.load(data, key), key) == data
    assert data.isascii()


@given(hold=holds, key=keys, other=keys)
def test_another_key_makes_it_foreign(hold: Hold, key: bytes, other: bytes) -> None:
    found = read(wire.dump(hold, key), other)

    assert found == (hold if other == key else None)


def test_a_key_that_is_no_key_makes_it_foreign() -> None:
    with pytest.raises(Foreign):
        wire.load(wire.dump(HOLD, KEY), b"k" * (LONGEST_KEY + 1))


@given(hold=holds, data=st.data())
def test_a_changed_byte_makes_it_foreign_or_changes_nothing(
    hold: Hold, data: st.DataObject
) -> None:
    """White space, and the case of digits in an escape, say nothing."""
    whole = wire.dump(hold, KEY)
    place = data.draw(st.integers(0, len(whole) - 1))
    more = data.draw(st.binary(max_size=2) | st.sampled_from([b'"', b"{", b"1", b"\\", b"\xff"]))
    cut = data.draw(st.integers(0, 2))

    assert read(whole[:place] + more + whole[place + cut :]) in (None, hold)


def test_every_single_byte_counts() -> None:
    whole = wire.dump(HOLD, KEY)

    for place in range(len(whole)):
        for mark in (b"", b"0", b"}", b"\x00", b"\xff"):
            assert read(whole[:place] + mark + whole[place + 1 :]) in (None, HOLD)
        assert read(whole[:place]) is None or not whole[place:].strip()


@given(value=json_values, name=st.sampled_from([*HOLD.as_dict(), "more"]))
@example(value="x", name="verify")
@example(value={"failing": 1}, name="verdict")
@example(value={"last": {"key": 1, "self": 1}}, name="counts")
def test_fields_of_another_shape_are_foreign_even_with_our_code(value: object, name: str) -> None:
    told = json.loads(wire.dump(HOLD, KEY))["hold"] | {name: value}

    found = read(signed(told))

    assert found is None or isinstance(found, Hold)
    assert name != "more" or found is None


@given(name=st.sampled_from([*HOLD.as_dict()]))
def test_a_field_that_is_missing_has_its_default_or_makes_it_foreign(name: str) -> None:
    told = json.loads(wire.dump(HOLD, KEY))["hold"]
    del told[name]

    found = read(signed(told))

    assert found is None or getattr(found, name) == Hold._defaults[name]


def signed(told: object, version: object = wire.VERSION) -> bytes:
    code = wire._seal_text(dumps(told), KEY)
    return dumps({"version": version, "code": code, "hold": told}).encode()


@given(version=json_values.filter(lambda value: value != wire.VERSION))
def test_another_version_is_foreign(version: object) -> None:
    assert read(signed(json.loads(wire.dump(HOLD, KEY))["hold"], version)) is None


@given(value=json_values)
def test_any_other_document_is_foreign(value: object) -> None:
    document = {"version": wire.VERSION, "code": "", "hold": value}

    assert read(dumps(value).encode()) is None
    assert read(dumps(document).encode()) is None


@given(data=st.binary(max_size=40))
def test_any_other_bytes_are_foreign(data: bytes) -> None:
    assert read(data) is None


@for_each("depth", [10, 900, 990, 1000, 100_000])
def test_a_hold_nested_without_end_is_foreign(depth: int) -> None:
    nested = b"[" * depth + b"]" * depth

    assert read(b'{"version":1,"code":"x","hold":{"a":' + nested + b"}}") is None


numbers = st.floats(allow_nan=False) | st.integers()


@given(value=json_values | numbers, indent=st.none() | st.integers(0, 4), ascii_=st.booleans())
def test_light_json_reads_all_that_json_writes(
    value: object, indent: int | None, ascii_: bool
) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_).encode()

    for written in (data, b"\xef\xbb\xbf" + data, b" \r\n\t" + data + b"\n "):
        assert loads(written) == value
        assert type(loads(written)) is type(value)


@given(value=json_values | numbers)
def test_light_json_is_read_back_by_itself_and_by_json(value: object) -> None:
    text = dumps(value)

    assert loads(text.encode()) == value
    assert text == json.dumps(value, separators=(",", ":"))


pieces = st.sampled_from([*'{}[],:"\\ \n', "1", "-", "e9", ".5", "true", "nul", "NaN", '"a"', "é"])
like_json = st.lists(pieces, max_size=8).map("".join)


@given(text=like_json | st.text(max_size=8))
@example("[1,]")
@example('{"a":1,}')
@example("01")
@example('"\x01"')
@example("-Infinity")
@example("1 2")
def test_light_json_reads_what_json_reads_and_names_the_rest(text: str) -> None:
    try:
        expected = json.loads(text.strip(), strict=False)
    except ValueError:
        with pytest.raises(NotJson):
            loads(text.encode())
    else:
        assert repr(loads(text.encode())) == repr(expected)


@given(data=st.binary(max_size=20))
def test_any_bytes_are_read_or_are_not_json(data: bytes) -> None:
    try:
        loads(data)
    except NotJson:
        return


@for_each("opened", [b"[", b'{"a":', b'[{"a":'], ids=["lists", "objects", "both"])
@for_each("closed", [False, True])
def test_nesting_without_end_is_not_json(opened: bytes, closed: bool) -> None:
    ends = opened.replace(b'"a":', b"")[::-1].translate(bytes.maketrans(b"[{", b"]}"))
    data = opened * 100_000 + (b"1" + ends * 100_000 if closed else b"")

    with pytest.raises(NotJson):
        loads(data)


@for_each("data", [b"", b" ", b"9" * 5000, b'"open', b"\xff\xfe{\x00}\x00", b"\0"])
def test_what_has_no_value_is_not_json(data: bytes) -> None:
    with pytest.raises(NotJson):
        loads(data)


LEAST = {"max_blocks": 1, "cooldown": 0, "minutes": 1, "wait": 1}
WORDS = {"stop_hook_active": config.STOP_POLICIES, "vendor_goal": config.VENDOR_POLICIES}
settings = st.dictionaries(
    st.sampled_from([*LEAST, *WORDS, "protect", "colour"]),
    json_values | st.integers(-1, 9) | st.sampled_from(sum(WORDS.values(), ())),
)


@given(table=settings)
def test_settings_of_a_hold_are_taken_or_every_problem_is_named(table: dict[str, object]) -> None:
    wrong = {name for name, value in table.items() if not is_fit(name, value)}
    places = {"hold" if name == "colour" else f"hold.{name}" for name in wrong}

    parsed = config.parse_settings_table({"hold": table})

    if isinstance(parsed, tuple):
        assert {problem.message.partition(": ")[0] for problem in parsed} == places
    else:
        assert not wrong
        told = parsed.hold.as_dict()
        assert {name: told[name] for name in LEAST} == {
            name: table.get(name, default)
            for name, default in Limits().as_dict().items()
            if name in LEAST
        }
        assert told["yields"] is (table.get("stop_hook_active") == config.YIELD)
        assert told["observes"] is (table.get("vendor_goal") != config.HOLD)
        assert told["protects"] is table.get("protect", True)


def is_fit(name: str, value: object) -> bool:
    if name in LEAST:
        most = LONGEST_WAIT_SECONDS if name == "wait" else 1 << 31
        return type(value) is int and LEAST[name] <= value <= most
    return value in WORDS[name] if name in WORDS else name == "protect" and isinstance(value, bool)
