"""The rehearsal as a client: how it is started, and what is made of what it prints."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.clients.client import Activity, Asked, Client, Launch
from goalkeeper.clients.rehearsal.run import Rehearsal
from goalkeeper.core.drive.phases import Ending, Record, Spend
from goalkeeper.core.plan import actors
from goalkeeper.core.plan.model import ActorKind
from tests.doubles import MISHAPS
from tests.tables import for_each

START = {"type": "start", "session": "s", "model": "rehearsal"}
WELL = {"type": "result", "ending": "ok", "usage": {"input": 5}, "cost": 0.25, "said": "done"}
RESET = "2031-01-01T12:00:00.000000Z"


class Agency:
    """Starts the agent as a loop would, and reads what it prints."""

    def __init__(self, place: Path) -> None:
        self.tree = place / "tree"
        self.tree.mkdir()
        self._script = place / "script.json"
        self.seen: list[Activity] = []

    def launch(self) -> Launch:
        client: Client = Rehearsal(str(self._script))
        return client.launch(Asked(str(self.tree), session="0f6e"), os.environ)

    def work(self, *acts: object) -> Record:
        self._script.write_text(json.dumps({"acts": MISHAPS, "G001": {"1": list(acts)}}))
        launch, reader = self.launch(), Rehearsal(str(self._script)).make_reader()
        ended = subprocess.run(
            launch.argv,
            cwd=self.tree,
            env={**launch.env, "GOALKEEPER_PHASE": "G001/1/impl/1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        seen = [reader.read_line(line) for line in ended.stdout.split(b"\n")]
        self.seen = [activity for activity in seen if activity]
        return reader.make_record(exit_code=ended.returncode, errors=ended.stderr)


@pytest.fixture
def agency(tmp_path: Path) -> Agency:
    return Agency(tmp_path)


def read(*lines: object, exit_code: int | None = 0, errors: bytes = b"") -> Record:
    reader = Rehearsal("script.json").make_reader()
    for line in lines:
        reader.read_line(line if isinstance(line, bytes) else json.dumps(line).encode())
    return reader.make_record(exit_code=exit_code, errors=errors)


def test_without_its_script_it_cannot_be_used(tmp_path: Path) -> None:
    assert "there is no script" in Rehearsal(str(tmp_path / "missing.json")).probe({}).problem


def test_it_can_be_used_and_tells_what_it_costs(tmp_path: Path) -> None:
    (tmp_path / "story.json").write_text("{}")
    probe = Rehearsal(str(tmp_path / "story.json")).probe({})

    assert (probe.client, probe.program, probe.problem) == ("rehearsal", sys.executable, "")
    assert probe.version
    assert probe.cost_known


def test_it_is_started_with_a_script_that_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    launch = Rehearsal("s.json").launch(Asked("tree", session="0f6e"), {})

    program = (sys.executable, "-P", "-m", "goalkeeper.rehearsal")
    assert launch.argv == (*program, "--script", str(tmp_path / "s.json"))


def test_its_environment_is_an_agents_and_holds_no_keys() -> None:
    kept = {
        "PATH": "/bin",
        "HOME": "/h",
        "LANG": "C",
        "LC_ALL": "C",
        "XDG_STATE_HOME": "/s",
        "GOALKEEPER_RUN": "ours",
    }
    lost = {
        "GOALKEEPER_APPROVAL": "key",
        "CLAUDE_CODE_SESSION_ID": "x",
        "PYTHONPATH": "/x",
        "GIT_DIR": "/x",
        "API_KEY": "x",
    }
    asked = Asked("tree", session="0f6e")

    env = Rehearsal("s.json").launch(asked, {**kept, **lost}).env

    assert env == {**kept, "GOALKEEPER_AGENT": "rehearsal", "GOALKEEPER_SESSION": "0f6e"}
    assert actors.decide_actor(env, on_terminal=True, approval_key="key").kind is ActorKind.AGENT


def test_a_session_of_ours_is_gone_on_with() -> None:
    asked = Asked("tree", session="new", resume="old")

    assert Rehearsal("s.json").launch(asked, {}).env["GOALKEEPER_SESSION"] == "old"


def test_work_is_recorded(agency: Agency) -> None:
    record = agency.work(
        {"think": "what\nnow"},
        {"write": {"path": "src/a.py", "text": ""}},
        {"run": {"argv": ["true"]}},
        {"usage": {"input": 100, "output": 20, "cached": 60, "cost": 0.000003}},
        {"say": "done"},
    )

    assert record == Record(
        "rehearsal",
        Ending.OK,
        session="0f6e",
        model="rehearsal",
        exit_code=0,
        spend=Spend(100, 20, 60, 3),
        tool_calls=2,
        said="done",
    )
    assert agency.seen == [
        Activity("notes", "what now"),
        Activity("uses", "write src/a.py"),
        Activity("uses", "run true"),
        Activity("says", "done"),
    ]


def test_nothing_in_the_worktree_is_taken_for_a_module(agency: Agency) -> None:
    for name in ("json", "signal", "goalkeeper"):
        (agency.tree / f"{name}.py").write_text("raise SystemExit(42)")

    assert agency.work({"say": "here"}).ending is Ending.OK


@pytest.mark.parametrize(
    ("act", "ending", "problem"),
    [
        ({"auth": {}}, Ending.AUTH, "not logged in"),
        ({"outage": {"status": 503}}, Ending.OUTAGE, "the service answered 503"),
        ({"context": {}}, Ending.CONTEXT, "the prompt is too long"),
        ({"exit": 4}, Ending.CRASH, "it ended with exit code 4"),
        ({"delete": {"path": "x"}}, Ending.CRASH, "[Errno 2] No such file or directory: 'x'"),
        ({"expect_prompt": {"contains": "C1"}}, Ending.CRASH, "the prompt does not contain: C1"),
    ],
)
def test_how_it_ends_and_why_is_recorded(
    agency: Agency, act: object, ending: Ending, problem: str
) -> None:
    record = agency.work(act)

    assert (record.ending, record.problem, record.resets_at) == (ending, problem, "")
    assert record.spend.microdollars == 0


def test_the_end_of_a_rate_limit_is_recorded(agency: Agency) -> None:
    record = agency.work({"rate_limit": {"resets_at": "2031-01-01T13:00:00+01:00"}})

    assert (record.ending, record.resets_at) == (Ending.RATE_LIMITED, RESET)
    assert agency.seen == [Activity("notes", f"rate limit until {RESET}")]


def test_a_death_is_a_crash_and_what_it_cost_is_unknown(agency: Agency) -> None:
    record = agency.work({"usage": {"cost": 1}}, {"say": "last words"}, {"die": "SIGKILL"})

    assert record.ending is Ending.CRASH
    assert record.exit_code == -signal.SIGKILL
    assert record.problem == "it told no result; it was ended by SIGKILL"
    assert record.said == "last words"
    assert record.spend == Spend(microdollars=None)


def test_a_script_that_cannot_be_used_is_the_problem(agency: Agency) -> None:
    record = agency.work({"dance": {}})

    assert (record.ending, record.exit_code) == (Ending.CRASH, 2)
    assert "there is no act 'dance'" in record.problem


def test_floods_and_garbage_do_not_hide_the_result(agency: Agency) -> None:
    record = agency.work({"flood": {"mb": 8, "line_mb": 4}}, {"garbage": {}}, {"say": "done"})

    assert (record.ending, record.said) == (Ending.OK, "done")


@for_each(
    ("exit_code", "problem"),
    [
        (None, "it told no result; nobody saw it end"),
        (0, "it told no result; it ended with exit code 0"),
        (3, "it told no result; it ended with exit code 3"),
        (143, "it told no result; it was ended by SIGTERM"),  # as a shell around it says
        (-11, "it told no result; it was ended by SIGSEGV"),
        (255, "it told no result; it ended with exit code 255"),
    ],
)
def test_without_a_result_it_crashed(exit_code: int | None, problem: str) -> None:
    record = read(START, exit_code=exit_code)

    assert (record.ending, record.problem) == (Ending.CRASH, problem)


def test_its_last_words_on_errors_are_the_problem() -> None:
    assert read(exit_code=1, errors=b"first\nlast \xff\n\n").problem == "last \ufffd"


def test_a_result_holds_although_nobody_saw_the_end() -> None:
    assert read(START, WELL, exit_code=None).ending is Ending.OK


def test_a_good_result_and_a_bad_exit_do_not_go_together() -> None:
    record = read(START, WELL, exit_code=1)

    assert record.ending is Ending.CRASH
    assert record.problem == "it told that all is well; it ended with exit code 1"


@for_each("ending", ["stalled", "interrupted", "not-started", "splendid", "", None])
def test_it_cannot_tell_ends_that_are_not_its_own(ending: str | None) -> None:
    assert read({**WELL, "ending": ending}).ending is Ending.CRASH


@for_each("cost", [None, "1", True, -1, float("nan"), float("inf"), 1e300])
def test_a_cost_that_is_none_is_unknown_and_not_nothing(cost: object) -> None:
    assert read({**WELL, "cost": cost}).spend == Spend(input_tokens=5, microdollars=None)


@for_each("usage", [None, 5, [], {"input": -1}, {"input": "5"}, {"input": True}])
def test_usage_that_is_none_counts_as_nothing(usage: object) -> None:
    assert read({**WELL, "usage": usage}).spend.tokens == 0


@for_each("told", [None, 5, "soon", "2031-01-01T12:00:00", "9999-12-31T23:00-05:00"])
def test_a_reset_that_is_no_moment_is_not_known(told: object) -> None:
    limit = {"type": "limit", "resets_at": told}

    assert read(limit, {**WELL, "ending": "rate-limited"}).resets_at == ""


def test_half_a_character_cannot_reach_the_record() -> None:
    assert read(b'{"type":"result","ending":"ok","said":"\\ud800"}').said == "?"


def test_what_is_seen_is_one_short_line() -> None:
    reader = Rehearsal("script.json").make_reader()

    seen = reader.read_line(json.dumps({"type": "say", "text": "a\nb" + "x" * 999}).encode())

    assert seen
    assert seen.text.startswith("a bxx")
    assert len(seen.text) == 200


hostile = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([b"[" * 10_000, b'{"type":' + b"9" * 5000 + b"}", b"null", b"[]", b"\0"]),
    st.dictionaries(
        st.sampled_from(["type", "text", "name", "ending", "usage", "cost", "said", "resets_at"]),
        st.none()
        | st.integers()
        | st.floats()
        | st.sampled_from(["start", "tool", "say", "think", "limit", "result", "ok", "\ud800"])
        | st.lists(st.integers(), max_size=2)
        | st.dictionaries(st.sampled_from(["input", "cached"]), st.integers()),
    ).map(lambda told: json.dumps(told).encode()),
)


@given(st.lists(hostile), st.none() | st.integers(-70, 260), st.binary(max_size=40))
def test_whatever_it_prints_a_record_can_be_made(
    lines: list[bytes], exit_code: int | None, errors: bytes
) -> None:
    record = read(*lines, exit_code=exit_code, errors=errors)

    json.dumps(record.as_dict(), default=str, ensure_ascii=False).encode()
    assert record.exit_code == exit_code
