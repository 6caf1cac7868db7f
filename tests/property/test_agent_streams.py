"""Whatever a client prints, there is a record that the ledger can keep."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.clients.client import Activity, Reader
from goalkeeper.clients.command.run import Command
from goalkeeper.clients.limits import Complaint, find_last_complaint, understand_complaint
from goalkeeper.clients.streams import LINE_LIMIT, read_events, read_moment
from goalkeeper.clients.table import find_client
from goalkeeper.core.drive.phases import SAID_LIMIT, Ending, Record
from goalkeeper.wire.clients import AGENTS
from tests.unit.clients.transcripts import DATA

TRANSCRIPTS = {path: path.read_bytes().splitlines() for path in sorted(DATA.glob("*/*.jsonl"))}
WORDS = sorted(
    {
        key
        for lines in TRANSCRIPTS.values()
        for line in lines
        for event in read_events(line)
        if isinstance(event.raw, dict)
        for key in (*event.raw, *(told for told in event.raw.values() if isinstance(told, str)))
    }
)
NOW = read_moment("2026-11-15T11:05:43Z")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(), inner, max_size=6)
    ),
    max_leaves=20,
)
odd_lines = st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode())
real_lines = st.sampled_from([line for lines in TRANSCRIPTS.values() for line in lines])
cut_lines = st.tuples(real_lines, st.integers(0, 400)).map(lambda cut: cut[0][: cut[1]])
streams = st.lists(odd_lines | real_lines | cut_lines, max_size=12)
exit_codes = st.none() | st.integers(-70, 260)
readers = st.sampled_from([*AGENTS, "command"])


def reader_of(name: str) -> Reader:
    return Command(("x",)).make_reader() if name == "command" else find_client(name).make_reader()


def followed(name: str, lines: list[bytes]) -> tuple[Reader, list[Activity]]:
    reader = reader_of(name)
    return reader, [activity for line in lines if (activity := reader.read_line(line))]


@given(readers, streams, exit_codes, st.binary(max_size=300))
def test_any_stream_gives_a_record_that_can_be_kept(
    name: str, lines: list[bytes], code: int | None, errors: bytes
) -> None:
    reader, activities = followed(name, lines)
    record = reader.make_record(exit_code=code, errors=errors)

    json.dumps(record.as_dict() | {"spend": record.spend.as_dict()}).encode()
    assert len(record.said) <= SAID_LIMIT
    assert max(map(len, (record.problem, record.session, record.model))) <= LINE_LIMIT
    assert min(record.spend.input_tokens, record.spend.output_tokens, record.tool_calls) >= 0
    assert not record.resets_at or record.ending is Ending.RATE_LIMITED
    assert not record.resets_at or read_moment(record.resets_at) is not None
    for activity in activities:
        assert activity.kind in {"says", "uses", "notes"}
        assert activity.text
        assert len(activity.text) <= LINE_LIMIT
        assert {"\n", "\r", "\x1b", "\x07"}.isdisjoint(activity.text)


@given(st.sampled_from(sorted(TRANSCRIPTS)), st.data())
def test_foreign_lines_in_between_change_no_record(path: Path, data: st.DataObject) -> None:
    lines = TRANSCRIPTS[path]
    foreign = st.sampled_from([b"", b"(node:1) Warning: x", b"\xff\xfe", b'{"type":"new"}', b"{"])
    mixed = []
    for line in lines:
        mixed += [data.draw(foreign), line]

    def record(stream: list[bytes]) -> Record:
        return followed(path.parent.name, stream)[0].make_record(exit_code=0, errors=b"")

    assert record(mixed).replace(resets_at="") == record(lines).replace(resets_at="")


@given(st.text(), st.text(), st.integers(-1000, 1000), st.binary())
def test_any_complaint_is_understood_somehow(
    message: str, kind: str, status: int, errors: bytes
) -> None:
    assert NOW is not None
    for complaint in (Complaint(message, kind, status), find_last_complaint(errors)):
        verdict = understand_complaint(complaint, NOW)
        assert verdict.ending is not Ending.OK


@given(st.from_regex(r"(resets|try again|retry) (at|in|after)? ?[\w:, ()+]{1,40}"))
def test_any_words_about_time_give_a_moment_or_none(words: str) -> None:
    assert NOW is not None
    verdict = understand_complaint(Complaint(words, "rate_limit"), NOW)

    assert verdict.resets_at == "" or read_moment(verdict.resets_at) is not None
