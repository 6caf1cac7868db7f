"""Agents that will not end, hide, flood, or outlive whoever started them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalkeeper.clients import spawn
from goalkeeper.system.procfs import read_start_time
from tests.contract.clients.hands import SH, Hand
from tests.contract.system.programs import alive_until_closed, next_from
from tests.fault.rig import wait_until

ROOT = Path(__file__).parents[2]
MB = 1 << 20
# Holds the pipe, says so, and waits: what comes after `hold` runs once it holds it.
HOLD = "exec 3> pipe; echo held >&3; "
HIDE = """
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        fd = os.open("pipe", os.O_WRONLY)
        os.set_inheritable(fd, True)
        os.write(fd, b"held\\n")
        env = {} if sys.argv[1] == "bare" else os.environ
        os.execve("/bin/sleep", ["sleep", "1000"], env)
    os._exit(0)
os.wait()
if sys.argv[2] == "stay":
    os.execv("/bin/sleep", ["sleep", "1000"])
"""


@pytest.fixture
def hand(tmp_path: Path) -> Hand:
    return Hand(tmp_path)


@pytest.fixture
def pipe(hand: Hand) -> Iterator[int]:
    with alive_until_closed(hand.place / "pipe") as fd:
        yield fd


# The end of it


def test_an_agent_may_save_its_state_when_it_is_asked_to_end(hand: Hand, pipe: int) -> None:
    script = "trap 'echo saving; cat < later; echo saved; exit 5' TERM; "
    os.mkfifo(hand.place / "later")
    spawned = hand.start(*SH, script + HOLD + "while :; do sleep 0.01; done")
    assert next_from(pipe) == b"held\n"
    with subprocess.Popen([*SH, "echo is > later"], cwd=hand.place):
        hand.end(spawned, grace=60)

    assert Path(hand.traces.out).read_text() == "saving\nis\nsaved\n"
    assert hand.traces.exit_code == 5


def test_an_agent_that_ignores_all_requests_is_killed(hand: Hand, pipe: int) -> None:
    spawned = hand.start(*SH, "trap '' TERM INT HUP; " + HOLD + "while :; do sleep 1000; done")
    assert next_from(pipe) == b"held\n"

    hand.end(spawned, grace=0.1)

    assert next_from(pipe) == b""
    assert read_start_time(spawned.pid) == ""
    assert hand.traces.exit_code is None


def test_an_agent_that_was_stopped_is_killed(hand: Hand, pipe: int) -> None:
    spawned = hand.start(*SH, HOLD + "kill -STOP $$")
    assert next_from(pipe) == b"held\n"

    hand.end(spawned, grace=0.1)

    assert next_from(pipe) == b""


def test_what_runs_on_in_the_background_ends_with_the_agent(hand: Hand, pipe: int) -> None:
    spawned = hand.start(*SH, "(" + HOLD + "trap '' TERM; sleep 1000) & exit 0")
    assert next_from(pipe) == b"held\n"
    assert hand.follow(spawned)

    hand.end(spawned)

    assert next_from(pipe) == b""
    assert hand.traces.exit_code == 0


@pytest.mark.parametrize("environment", ["marked", "bare"])
@pytest.mark.parametrize("agent", ["stay", "leave"])
def test_a_grandchild_in_a_session_of_its_own_ends_with_the_agent(
    hand: Hand, pipe: int, environment: str, agent: str
) -> None:
    spawned = hand.python(HIDE, environment, agent)
    assert next_from(pipe) == b"held\n"
    if agent == "leave":
        assert hand.follow(spawned)

    hand.end(spawned, grace=0.1)

    assert next_from(pipe) == b""
    assert spawn.list_marked(hand.marker) == []


def test_another_agent_is_left_alone(hand: Hand, pipe: int, tmp_path: Path) -> None:
    other = Hand(tmp_path, marker=hand.marker + "2")
    spared = hand.start(*SH, HOLD + "sleep 1000")
    assert next_from(pipe) == b"held\n"
    other.traces = spawn.Traces.at(str(tmp_path / "other"))

    ended = other.start("sleep", "1000")
    other.end(ended)

    assert read_start_time(ended.pid) == ""
    assert read_start_time(spared.pid) == spared.born
    hand.end(spared)
    assert next_from(pipe) == b""


def test_ending_twice_or_what_is_gone_harms_nobody(hand: Hand) -> None:
    spawned = hand.start("true")
    assert hand.follow(spawned)

    for _ in range(2):
        hand.end(spawned, grace=60)

    assert hand.traces.exit_code == 0


# Whoever started it is dead

# The shell that would end the agent with its starter: the other child of the agent's parent.
KILL_ENDER = "for p in $(cat /proc/$PPID/task/*/children); do [ $p = $$ ] || kill -9 $p; done; "
STARTER = """
import os, signal, sys
from pathlib import Path
from tests.contract.clients.hands import Hand
hand = Hand(Path(sys.argv[1]), sys.argv[2])
spawned = hand.start(*sys.argv[3:])
print(spawned.pid, spawned.born, flush=True)
signal.pause()
"""
ENDER = """
import sys
from goalkeeper.clients import spawn
pid, marker = int(sys.argv[1]), sys.argv[2]
spawn.end(pid, marker, grace=float(sys.argv[3]))
print("alive", spawn.list_marked(marker))
"""


def python(code: str, *words: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, words)]


def orphaned(hand: Hand, pipe: int, *argv: str) -> tuple[int, str]:
    """An agent whose starter was killed when it held the pipe: its pid and birth."""
    words = python(STARTER, hand.place, hand.marker, *argv)
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout
        pid, birth = starter.stdout.readline().split()
        assert next_from(pipe) == b"held\n"
        starter.send_signal(signal.SIGKILL)
    return int(pid), birth


def ended_by_another(hand: Hand, pid: int, grace: float = 0.1) -> str:
    done = subprocess.run(
        python(ENDER, pid, hand.marker, grace), cwd=ROOT, capture_output=True, text=True,
        check=False, start_new_session=True,
    )  # fmt: skip
    assert done.returncode == 0, done
    return done.stdout.strip()


def test_an_agent_ends_with_its_starter_and_leaves_its_traces(hand: Hand, pipe: int) -> None:
    orphaned(hand, pipe, *SH, "trap '' TERM HUP; echo before; " + HOLD + "sleep 1000; exit 6")

    assert next_from(pipe) == b""
    wait_until(lambda: not spawn.list_marked(hand.marker), "the end of all its processes")
    assert Path(hand.traces.out).read_text() == "before\n"
    assert hand.traces.exit_code is None


def test_what_hid_from_its_agent_ends_with_the_starter_too(hand: Hand, pipe: int) -> None:
    orphaned(hand, pipe, sys.executable, "-c", HIDE, "marked", "leave")

    assert next_from(pipe) == b""


def test_an_orphan_is_known_by_pid_and_birth_and_found_by_its_marker(hand: Hand, pipe: int) -> None:
    pid, birth = orphaned(hand, pipe, *SH, KILL_ENDER + HOLD + "sleep 1000")

    assert read_start_time(pid) == birth
    assert pid in spawn.list_marked(hand.marker)
    assert ended_by_another(hand, pid) == "alive []"
    assert next_from(pipe) == b""


def test_what_an_orphan_left_is_found_by_its_marker_alone(hand: Hand, pipe: int) -> None:
    hidden = f"{KILL_ENDER} exec {sys.executable} -c '{HIDE}' marked stay"
    pid, _ = orphaned(hand, pipe, *SH, hidden)

    os.kill(pid, signal.SIGKILL)

    assert ended_by_another(hand, 0) == "alive []"

    assert next_from(pipe) == b""


def test_whoever_ends_a_process_that_is_gone_does_not_end_itself(hand: Hand) -> None:
    assert ended_by_another(hand, 0, grace=5) == "alive []"


# Floods

FLOOD = """
import os, resource, sys
from pathlib import Path
from goalkeeper.clients import spawn
from tests.contract.clients.hands import Hand
hand = Hand(Path(sys.argv[1]))
longest = count = 0
def hear(line):
    global longest, count
    longest, count = max(longest, len(line)), count + 1
spawned = hand.start("sh", "-c", sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
spawn.follow(spawned, hand.traces, hear=hear, over=lambda size: False)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
hand.end(spawned)
print(os.path.getsize(hand.traces.out), count, longest, after - before)
"""


def flooded(hand: Hand, script: str) -> tuple[int, int, int, int]:
    """Bytes printed, lines heard, the longest of them, and kilobytes of memory it took."""
    done = subprocess.run(
        python(FLOOD, hand.place, script), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done
    size, count, longest, memory = map(int, done.stdout.split())
    return size, count, longest, memory


def test_a_flood_of_lines_takes_no_memory(hand: Hand) -> None:
    size, count, longest, memory = flooded(hand, f"yes {'x' * 1023} | head -c {64 * MB}")

    assert (size, count, longest) == (64 * MB, 64 * 1024 + 1, 1023)
    assert memory < 8 * 1024


def test_of_a_line_without_end_only_the_beginning_is_kept(hand: Hand) -> None:
    size, count, longest, memory = flooded(hand, f"head -c {96 * MB} /dev/zero; echo; echo end")

    assert (size, count) == (96 * MB + 5, 3)
    assert longest == spawn.MOST_LINE
    assert memory < 4 * spawn.MOST_LINE // 1024


def test_a_flood_that_nobody_wants_is_cut_off(hand: Hand, pipe: int) -> None:
    spawned = hand.start(*SH, f"{HOLD}yes {'x' * 200}")
    assert next_from(pipe) == b"held\n"

    assert not hand.follow(spawned, over=lambda size: size > MB)

    hand.end(spawned)
    assert next_from(pipe) == b""
