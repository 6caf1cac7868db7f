"""The rehearsal agent in trouble: limits, ends, floods, and what it leaves behind."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.contract.rehearsal.rehearsals import House
from tests.doubles.mishaps import DEADLY

MB = 1 << 20


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.mark.parametrize(
    ("act", "ending", "problem"),
    [
        ({"rate_limit": {}}, "rate-limited", "a rate limit was hit"),
        ({"auth": {}}, "auth", "not logged in"),
        ({"outage": {"status": 529}}, "outage", "the service answered 529"),
        ({"context": {}}, "context", "the prompt is too long"),
    ],
)
def test_what_the_service_says_is_how_it_ends(
    house: House, act: dict[str, Any], ending: str, problem: str
) -> None:
    played = house.play(act, {"usage": {"input": 7}}, {"write": {"path": "a", "text": ""}})

    assert played.code == 1
    assert played.result["ending"] == ending
    assert played.result["problem"] == problem
    assert played.result["usage"]["input"] == 7
    assert (house.tree / "a").exists()


def test_a_rate_limit_tells_when_it_ends_in_universal_time(house: House) -> None:
    before = datetime.now(UTC)

    resets = [
        house.play({"rate_limit": given}).of("limit")[0]["resets_at"]
        for given in ({}, {"resets_at": "2026-01-01T12:00:00+05:45"}, {"resets_in": 90})
    ]

    assert resets[:2] == ["", "2026-01-01T06:15:00.000000Z"]
    told = datetime.fromisoformat(resets[2]) - timedelta(seconds=90)
    assert before <= told <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("acts", "code", "ending"),
    [
        ([{"exit": 0}], 0, "ok"),
        ([{"exit": 3}], 3, "crash"),
        ([{"auth": {}}, {"exit": 0}], 0, "auth"),
        ([{"auth": {}}, {"exit": 7}], 7, "auth"),
    ],
)
def test_an_exit_tells_its_result_first(
    house: House, acts: list[object], code: int, ending: str
) -> None:
    played = house.play(*acts)

    assert played.code == code
    assert played.result["ending"] == ending


@pytest.mark.parametrize("name", DEADLY)
def test_it_dies_of_a_signal_and_tells_nothing(house: House, name: str) -> None:
    played = house.play({"ignore_term": {}}, {"say": "still here"}, {"die": name})

    assert played.code == -signal.Signals[name]
    assert played.kinds == ["start", "say"]
    assert played.errors == ""
    assert list(house.tree.iterdir()) == []


def test_sleep_shows_signs_of_life_and_silence_does_not(house: House) -> None:
    assert house.play({"sleep": 0.01}).kinds == ["start", "tool", "alive", "result"]
    assert house.play({"silence": 0.01}).kinds == ["start", "result"]


@pytest.mark.parametrize(
    ("mb", "line_mb", "lines"), [(3, 1, 3), (2.5, 1, 3), (0.5, 2, 1), (0, 1, 0)]
)
def test_a_flood_is_as_long_as_it_is_asked_for(
    house: House, mb: float, line_mb: float, lines: int
) -> None:
    played = house.play({"flood": {"mb": mb, "line_mb": line_mb}})

    flood = [line for line in played.out.splitlines(keepends=True) if b'"flood"' in line[:30]]
    assert len(flood) == lines
    assert sum(map(len, flood)) == mb * MB
    assert all(len(line) <= line_mb * MB for line in flood)
    assert played.result["ending"] == "ok"


def test_garbage_is_not_text_not_json_and_not_the_end(house: House) -> None:
    lines = house.play({"garbage": {}}).out.splitlines()

    with pytest.raises(UnicodeDecodeError):
        b"".join(lines).decode()
    assert any(b"\x1b[" in line for line in lines)
    assert sum(line.startswith(b'{"type":"result"') for line in lines) == 1  # half of one
    assert lines[-1].startswith(b'{"type": "result"')


def test_it_can_ignore_a_request_to_end(house: House) -> None:
    agent = house.begin({"ignore_term": {}}, {"say": "ready"}, {"silence": 60})
    with agent:
        assert agent.stdout
        assert b"start" in agent.stdout.readline()
        assert b"ready" in agent.stdout.readline()
        status = Path(f"/proc/{agent.pid}/status").read_text()
        agent.kill()

    ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
    assert ignored & 1 << signal.SIGTERM - 1


def test_a_fork_outlives_it_in_another_session_and_holds_its_output(house: House) -> None:
    agent = house.begin({"fork": {"seconds": 60, "pid_file": "run/pid"}}, {"say": "done"})
    with agent:
        assert agent.wait() == 0
        left = int((house.tree / "run/pid").read_text())
        try:
            assert os.getsid(left) not in {os.getsid(0), agent.pid}
            assert agent.stdout
            assert b'"result"' in os.read(agent.stdout.fileno(), MB)
            assert not select.select([agent.stdout], [], [], 0)[0]  # open, and nothing to read
        finally:
            with suppress(ProcessLookupError):
                os.kill(left, signal.SIGKILL)
        assert agent.stdout.read() == b""


def test_what_comes_late_comes_after_its_end(house: House) -> None:
    os.mkfifo(house.tree / "meeting")  # whoever writes waits there for a reader

    agent = house.begin(
        {"fork": {"seconds": 60, "pid_file": "pid"}},
        {"late": {"seconds": 0, "path": "meeting", "text": "too late"}},
    )
    with agent:
        assert agent.wait() == 0
        left = int((house.tree / "pid").read_text())
        try:
            assert (house.tree / "meeting").read_text() == "too late"
        finally:
            os.kill(left, signal.SIGKILL)


def test_what_comes_late_does_not_hold_its_output(house: House) -> None:
    os.mkfifo(house.tree / "meeting")

    played = house.play({"late": {"seconds": 0, "path": "meeting", "text": "x"}})

    assert played.kinds == ["start", "tool", "result"]
    assert (house.tree / "meeting").read_text() == "x"
