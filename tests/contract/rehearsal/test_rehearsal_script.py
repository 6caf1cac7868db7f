"""Scripts: which entry is played, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.core.drive.phases import Phase
from goalkeeper.rehearsal import script
from goalkeeper.rehearsal.acts import ACTS, ScriptMalformed
from tests.contract.rehearsal.rehearsals import House
from tests.doubles import MISHAPS
from tests.tables import for_each

# From the most exact to the least, for G001/2/impl/1.
ORDER = [
    ("G001", "2/impl/1"),
    ("G001", "2/impl"),
    ("G001", "2"),
    ("G001", "*/impl/1"),
    ("G001", "*/impl"),
    ("G001", "*"),
    ("*", "2/impl/1"),
    ("*", "2/impl"),
    ("*", "2"),
    ("*", "*/impl/1"),
    ("*", "*/impl"),
    ("*", "*"),
]
ELSEWHERE = [("G002", "*"), ("G001", "3"), ("G001", "2/plan"), ("G001", "2/impl/2"), ("*", "1")]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_the_most_exact_entry_is_played(house: House, first: int) -> None:
    entries: dict[str, dict[str, Any]] = {}
    for goal, key in reversed([*ORDER[first:], *ELSEWHERE]):
        entries.setdefault(goal, {})[key] = [{"say": f"{goal} {key}"}]

    played = house.follow(entries, moment="G001/2/impl/1")

    assert [told["text"] for told in played.of("say")] == [" ".join(ORDER[first])]


def test_a_list_instead_of_iterations_is_for_all_of_them(house: House) -> None:
    entries = {"G001": [{"say": "mine"}], "*": [{"say": "anybody's"}]}

    assert house.follow(entries, moment="G001/9/ship/3").result["said"] == "mine"
    assert house.follow(entries, moment="G1000/1/plan/1").result["said"] == "anybody's"


def test_an_entry_without_acts_does_nothing_without_a_word(house: House) -> None:
    assert house.follow({"G001": {"2": []}, "*": [{"say": "x"}]}).kinds == ["start", "result"]


def test_the_phases_are_those_of_the_loop() -> None:
    assert list(script.PHASES) == list(Phase)


def acts(*given: object) -> dict[str, object]:
    return {"acts": MISHAPS, "G001": {"2/impl": list(given)}}


REFUSED: list[tuple[object, str]] = [
    ([], "a script is an object: {GOAL: {ITERATION: [ACT, …]}}"),
    ({"acts": 1}, "acts must be text, and not empty"),
    ({"acts": "/nowhere/acts.py"}, "acts.py gives FileNotFoundError: [Errno 2]"),
    ({"acts": __file__.replace("test_rehearsal_script", "rehearsals")}, "has no table ACTS"),
    ({"G1": []}, "'G1' is neither a goal, such as G001, nor *"),
    ({"G001": 1}, "G001: it must be a list of acts, or an object of them by iteration"),
    ({"G001": {"0": []}}, "G001: '0' is not like 2, 2/impl, 2/impl/1, or * for the 2"),
    ({"G001": {"2/deploy": []}}, "G001: '2/deploy' is not like"),
    ({"G001": {"2": {}}}, "G001, 2: it must be a list of acts"),
    (acts("auth"), "G001, 2/impl, act 1: an act is an object with one name"),
    (acts({}), "act 1: an act is an object with one name"),
    (acts({"auth": {}, "say": "x"}), "act 1: an act is an object with one name"),
    (acts({"say": "x"}, {"dance": {}}), "act 2: there is no act 'dance'; there are write, append"),
    (acts({"write": "a"}), "act 1: write needs an object, {path, text}"),
    (acts({"write": {"path": "a"}}), "text of write must be text"),
    (acts({"write": {"path": "", "text": ""}}), "path of write must be text, and not empty"),
    (acts({"write": {"path": "a\0", "text": ""}}), "path of write must not contain a NUL"),
    (acts({"write": {"path": "a", "text": "\ud800"}}), "text of write is not text that can be"),
    (acts({"write": {"path": "a", "text": "", "mode": 1}}), "write does not know 'mode'"),
    (acts({"auth": True}), "auth needs an object, {}"),
    (acts({"run": {"argv": []}}), "argv of run must be a list of texts, and not empty"),
    (acts({"run": {"argv": ["a", 1]}}), "argv of run must be text"),
    (acts({"say": ""}), "what it says must be text, and not empty"),
    (acts({"sleep": -1}), "sleep must be a number from 0 to 86400"),
    (acts({"silence": float("nan")}), "silence must be a number from 0 to 86400"),
    (acts({"sleep": True}), "sleep must be a number"),
    (acts({"exit": 256}), "the code of exit must be a whole number from 0 to 255"),
    (acts({"exit": 1}, {"say": "x"}), "act 1: nothing can come after exit"),
    (acts({"die": "SIGCONT"}), "the signal to die of must be one of SIGABRT"),
    (acts({"usage": {"input": 1.5}}), "input of usage must be a whole number"),
    (acts({"outage": {}}), "status of outage must be a whole number from 400 to 599"),
    (acts({"rate_limit": {"resets_at": "noon"}}), "resets_at of rate_limit must be a time"),
    (acts({"rate_limit": {"resets_at": "2026-01-01T00:00:00"}}), "must be a time with its zone"),
    (acts({"rate_limit": {"resets_at": "0001-01-01T00:00:00+01:00"}}), "must be a time"),
    (
        acts({"rate_limit": {"resets_in": 1, "resets_at": "2026-01-01T12:00:00Z"}}),
        "resets_in or resets_at, not both",
    ),
    (acts({"flood": {"mb": 1, "line_mb": 0}}), "line_mb of flood must be a number from 0.001"),
    (acts({"signal": {"kind": "lazy", "evidence": "x"}}), "kind of signal must be one of blocked"),
    (acts({"expect_prompt": {}}), "expect_prompt needs contains, lacks, or both"),
]


@for_each(("raw", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_cannot_be_played_is_refused_by_name(raw: object, message: str) -> None:
    with pytest.raises(ScriptMalformed) as refused:
        script.read_script(raw)

    assert message in str(refused.value)


@for_each(
    ("source", "message"),
    [
        ("ACTS = []", "has no table ACTS, with a function for each name"),
        ("ACTS = {'dance': 1}", "has no table ACTS, with a function for each name"),
        ("1/0", "gives ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", "gives SystemExit: 0"),
        ("def", "gives SyntaxError: invalid syntax"),
    ],
)
def test_a_file_of_acts_that_cannot_be_used_is_refused(
    tmp_path: Path, source: str, message: str
) -> None:
    (tmp_path / "acts.py").write_text(source)

    with pytest.raises(ScriptMalformed) as refused:
        script.read_script({"acts": str(tmp_path / "acts.py")})

    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "Expecting value: line 1"),
        (b"\xff", "can't decode byte 0xff"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"G001": [], "G001": []}', "'G001' stands there twice"),
        (b'{"*": [{"exit": ' + b"9" * 5000 + b"}]}", "Exceeds the limit"),
        (b'{"*": [{"sleep": Infinity}]}', "*, act 1: sleep must be a number"),
    ],
)
def test_a_file_that_is_no_script_is_refused_before_anything_is_told(
    house: House, data: bytes, message: str
) -> None:
    house.script.write_bytes(data)

    played = house.start("--script", str(house.script))

    assert played.code == 2
    assert played.out == b""
    assert played.errors.startswith(f"rehearsal: {house.script}: ")
    assert message in played.errors
    assert played.errors.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "moment", "message"),
    [
        ([], "G001/1/impl/1", "give it --script FILE, and nothing else"),
        (["--script"], "G001/1/impl/1", "give it --script FILE, and nothing else"),
        (["--script", "missing"], "G001/1/impl/1", "missing: No such file or directory"),
        (["--script", "missing"], "", "GOALKEEPER_PHASE is '', and not like G001/2/impl/1"),
        (["--script", "missing"], "G001/1/nap/1", "GOALKEEPER_PHASE is 'G001/1/nap/1'"),
    ],
)
def test_a_start_that_makes_no_sense_is_refused(
    house: House, argv: list[str], moment: str, message: str
) -> None:
    played = house.start(*argv, moment=moment)

    assert (played.code, played.out) == (2, b"")
    assert played.errors.startswith(f"rehearsal: {message}")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["\ud800", "a\0b", "SIGKILL", "blocked", "2026-01-01T12:00:00Z"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["path", "text", "old", "new", "argv", "seconds", "cost", "resets_at"])
        | st.text(max_size=4),
        inner,
        max_size=4,
    ),
    max_leaves=8,
)  # fmt: skip
some_acts = st.lists(
    st.dictionaries(st.sampled_from([*ACTS, "dance"]), anything, min_size=1, max_size=1) | anything,
    max_size=4,
)
keys = st.sampled_from(["1", "2/impl", "2/impl/1", "*", "*/ship"]) | st.text(max_size=4)
scripts = st.dictionaries(
    st.sampled_from(["G001", "G002", "*", "x"]),
    some_acts | st.dictionaries(keys, some_acts | anything, max_size=3) | anything,
    max_size=3,
)


def refusal(raw: object) -> str:
    try:
        script.read_script(raw)
    except ScriptMalformed as exc:
        return str(exc)
    return ""


@given(scripts | anything)
@settings(max_examples=300)
def test_any_data_is_a_script_or_is_refused_in_words_that_can_be_printed(raw: object) -> None:
    assert refusal(raw).encode() or script.read_script(raw) is not None


@given(scripts.filter(refusal))
@settings(max_examples=10)
def test_any_script_that_refusal_ends_the_program_with_a_message(
    tmp_path_factory: pytest.TempPathFactory, raw: object
) -> None:
    house = House(tmp_path_factory.mktemp("house"))

    played = house.follow(raw)

    assert (played.code, played.out) == (2, b"")
    assert played.errors.startswith("rehearsal: ")
    assert "Traceback" not in played.errors
