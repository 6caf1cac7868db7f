"""One phase with a real agent's process: from its prompt to the record of how it went."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from goalkeeper.clients import spawn
from goalkeeper.clients.client import Activity, Asked, Launch
from goalkeeper.clients.rehearsal.run import Rehearsal
from goalkeeper.clients.spawn import Spawned
from goalkeeper.core.drive.events import PhaseBegan
from goalkeeper.core.drive.phases import Ending, Phase, Record, Spend
from goalkeeper.core.drive.state import Budget, Running
from goalkeeper.loop.phase import KEPT_BYTES, PHASE, PhaseRunner
from goalkeeper.system.procfs import read_start_time
from goalkeeper.system.redaction import Redactor
from goalkeeper.wire.canonical import digest
from tests.doubles import MISHAPS

USAGE = {"usage": {"input": 100, "output": 10, "cost": 0.25}}
WORK = {"write": {"path": "done.txt", "text": "done\n"}}
FOR_EVER = {"sleep": 1000}


class Play:
    """A stage with a scripted agent, and a tree that it works in."""

    def __init__(self, place: Path) -> None:
        self.tree = place / "tree"
        self.tree.mkdir()
        self._script = place / "script.json"
        self.seen: list[Activity] = []
        client = Rehearsal(str(self._script))
        self.stage = PhaseRunner(
            client, os.environ, Redactor(os.environ), str(place / "phases"), self.seen.append, ()
        )
        marker = os.urandom(8).hex()
        self.running = Running("G001", 2, Phase.IMPL, 1, marker, "tree")

    def begin(self, *acts: object, prompt: str = "do it") -> Spawned:
        self._script.write_text(json.dumps({"acts": MISHAPS, "*": list(acts)}))
        self.stage.write(self.running, prompt)
        launch = self.stage.launch(self.running, Asked(str(self.tree), "session"))
        spawned = self.stage.spawn(self.running, launch, str(self.tree))
        assert isinstance(spawned, Spawned), spawned
        self.running = self.running.replace(pid=spawned.pid, born=spawned.born)
        return spawned

    def play(self, *acts: object, prompt: str = "do it", **limits: int) -> Record:
        budget = Budget(phase_seconds=0, stall_seconds=0).replace(**limits)
        spawned = self.begin(*acts, prompt=prompt)
        return self.stage.follow(self.running, spawned, str(self.tree), budget)

    def leave(self, *acts: object) -> None:
        """Until it has ended, with nobody who makes a record of it."""
        spawned = self.begin(*acts)
        spawn.follow(spawned, self.traces, hear=lambda line: None, over=lambda size: False)
        spawn.end(spawned.pid, self.running.marker, grace=0)

    @property
    def traces(self) -> spawn.Traces:
        return self.stage.traces(self.running)


@pytest.fixture
def play(tmp_path: Path) -> Play:
    return Play(tmp_path)


def test_an_agent_works_and_is_recorded(play: Play) -> None:
    record = play.play(WORK, USAGE, {"say": "All done."})

    printed = Path(play.traces.out).read_bytes()
    assert (record.ending, record.exit_code, record.tool_calls) == (Ending.OK, 0, 1)
    assert record.spend == Spend(100, 10, 0, 250_000)
    assert record.said == "All done."
    assert record.out == hashlib.sha256(printed).hexdigest()
    assert (play.tree / "done.txt").read_text() == "done\n"
    assert [each.kind for each in play.seen] == ["uses", "says"]
    assert spawn.list_marked(play.running.marker) == []


def test_the_agent_is_told_which_phase_it_is(play: Play) -> None:
    play.begin(WORK)

    launch = play.stage.launch(play.running, Asked(str(play.tree), "session"))

    assert launch.env[PHASE] == "G001/2/impl/1"
    play.stage.recover(play.running)


def test_the_prompt_is_kept_as_it_was_given(play: Play) -> None:
    words = "an odd prompt: \0 $x {y} é 𝄞 \ud800 " + "x" * 200_000

    record = play.play(
        {"expect_prompt": {"contains": "an odd prompt: \0 $x {y} é 𝄞"}}, prompt=words
    )

    assert record.ending is Ending.OK, record
    assert play.stage.write(play.running.replace(marker="f" * 32), words) == digest(words)
    sizes = [len(prompt.read_text()) for prompt in Path(play.stage.folder).glob("*.md")]
    assert sizes == [len(words)] * 2


def test_the_traces_of_two_phases_never_mix(play: Play) -> None:
    again = play.running.replace(marker="f" * 32)

    assert play.stage.stem(again) != play.stage.stem(play.running)


@pytest.mark.parametrize("how", ["missing", "no folder", "NUL"])
def test_an_agent_that_cannot_be_started_says_why(play: Play, how: str) -> None:
    def change(launch: Launch) -> Launch:
        if how == "missing":
            return launch.replace(argv=("no-such-agent",))
        return launch.replace(argv=(sys.executable, "a\0b")) if how == "NUL" else launch

    tree = str(play.tree / "gone") if how == "no folder" else str(play.tree)
    told: list[object] = []

    record = play.stage.begin_phase(
        play.running, "do it", Asked(tree, "session"), told.append, change
    )

    said = {"missing": "there is no program no-such-agent", "no folder": "gone", "NUL": "null"}
    assert isinstance(record, Record)
    assert record.ending is Ending.NOT_STARTED
    assert said[how] in record.problem
    assert [type(event) for event in told] == [PhaseBegan]


def test_an_agent_that_takes_too_long_is_ended(play: Play) -> None:
    record = play.play(USAGE, FOR_EVER, phase_seconds=1)

    assert record.ending is Ending.TIMEOUT
    assert record.problem
    assert spawn.list_marked(play.running.marker) == []


def test_an_agent_that_is_silent_and_idle_is_ended(play: Play) -> None:
    os.utime(play.tree, (1, 1))

    assert play.play({"silence": 1000}, stall_seconds=1).ending is Ending.STALLED


def test_an_agent_that_crashes_after_its_work_is_recorded_so(play: Play) -> None:
    record = play.play(WORK, {"die": "SIGKILL"})

    assert record.ending is Ending.CRASH
    assert record.exit_code == 128 + signal.SIGKILL
    assert record.spend.microdollars is None
    assert (play.tree / "done.txt").exists()


def test_an_interrupt_ends_the_agent_and_is_raised(play: Play) -> None:
    def interrupted(activity: Activity) -> None:
        raise KeyboardInterrupt

    stage = play.stage.replace(hear=interrupted)
    spawned = play.begin(USAGE, {"say": "hello"}, FOR_EVER)

    with pytest.raises(KeyboardInterrupt):
        stage.follow(play.running, spawned, str(play.tree), Budget())

    assert spawn.list_marked(play.running.marker) == []
    assert play.stage.recover(play.running, interrupted=True).ending is Ending.INTERRUPTED


# Of a phase that nobody followed to its end


def test_an_agent_that_finished_meanwhile_is_recorded_as_if_it_had_been_followed(
    play: Play,
) -> None:
    play.leave(WORK, USAGE, {"say": "All done."})

    record = play.stage.recover(play.running)

    assert (record.ending, record.exit_code) == (Ending.OK, 0)
    assert (record.spend, record.said) == (Spend(100, 10, 0, 250_000), "All done.")
    assert record.out == hashlib.sha256(Path(play.traces.out).read_bytes()).hexdigest()


def test_recovering_twice_says_the_same(play: Play) -> None:
    """Goalkeeper may be killed while it recovers."""
    play.leave({"flood": {"mb": 2, "line_mb": 0.25}}, USAGE)

    assert play.stage.recover(play.running) == play.stage.recover(play.running)


@pytest.mark.thorough
def test_an_agent_that_still_runs_is_ended_and_was_interrupted(play: Play) -> None:
    play.begin(WORK, USAGE, FOR_EVER)

    record = play.stage.recover(play.running)

    assert record.ending is Ending.INTERRUPTED
    assert record.spend.microdollars is None  # it had no time to tell
    assert read_start_time(play.running.pid) == ""
    assert spawn.list_marked(play.running.marker) == []


def test_a_phase_that_never_came_to_a_process_was_interrupted(play: Play) -> None:
    play.stage.write(play.running, "do it")

    record = play.stage.recover(play.running)

    assert (record.ending, record.exit_code, record.out) == (Ending.INTERRUPTED, None, "")


def test_a_process_that_has_the_number_by_now_is_left_alone(play: Play) -> None:
    play.leave(WORK)
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as other:
        running = play.running.replace(pid=other.pid, born="1")

        assert play.stage.recover(running).ending is Ending.OK

        assert other.poll() is None
        other.kill()


# What is kept


def test_of_a_flood_both_ends_are_kept_once_it_is_recorded(play: Play) -> None:
    record = play.play({"flood": {"mb": 3, "line_mb": 0.5}}, USAGE)
    whole = Path(play.traces.out).read_bytes()
    assert record.out == hashlib.sha256(whole).hexdigest()

    play.stage.shorten(play.running)

    kept = Path(play.traces.out).read_bytes()
    assert len(kept) < 2 * KEPT_BYTES + 100
    head, _, tail = kept.partition(b"\n[")
    assert KEPT_BYTES - 5000 < len(head) < KEPT_BYTES  # a word at the cut may be half of a secret
    assert whole.startswith(head)
    assert kept.endswith(whole[-1000:])
    said, _, rest = tail.partition(b"]\n")
    assert said == f"{len(whole) - len(head) - len(rest)} bytes left out".encode()


def test_what_is_small_stays_whole(play: Play) -> None:
    play.play(WORK)
    before = Path(play.traces.out).read_bytes()

    play.stage.shorten(play.running)

    assert Path(play.traces.out).read_bytes() == before


def test_where_nothing_was_printed_nothing_is_shortened(play: Play) -> None:
    play.stage.shorten(play.running)

    assert not Path(play.traces.out).exists()
