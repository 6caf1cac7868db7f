"""Hooks that are killed, crowded, starved of disk or given half a file: never a block that was
not counted first, never a hold that is half written, never an agent that is frozen."""

import fcntl
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from tests.e2e.holds import CHECK, PROMPT, Held, heard, installed
from tests.fault.rig import wait_until

AT_ONCE = 12
FEW_AT_ONCE = 4  # where each starts a proof
GATED = 'cooldown = 0\n[witness]\nisolation = "checkout"'


def stop_payload(world: Held) -> bytes:
    return json.dumps(world.payload("claude", "Stop", "s1")).encode()


def give(process: subprocess.Popen[bytes], payload: bytes) -> None:
    assert process.stdin
    process.stdin.write(payload)
    process.stdin.close()
    process.stdin = None


def killed(process: subprocess.Popen[bytes]) -> None:
    """kill -9 to the hook and all that it started in its own session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


@contextmanager
def clogged() -> Iterator[int]:
    """A pipe that takes nothing more."""
    outlet, inlet = os.pipe()
    os.set_blocking(inlet, False)
    with suppress(BlockingIOError):
        while True:
            os.write(inlet, b"x" * 4096)
    os.set_blocking(inlet, True)
    yield inlet
    os.close(outlet)
    os.close(inlet)


def test_a_block_is_on_disk_before_it_is_printed(armed: Held) -> None:
    """Scenario 9, and a kill between the two: what was not printed counts, too."""
    with clogged() as stdout:
        process = armed.begin("claude", "Stop", stdout=stdout)
        give(process, stop_payload(armed))
        wait_until(lambda: armed.hold()["blocks"] == 1, "the block to be written")
        assert process.poll() is None
        killed(process)

    assert armed.hold()["blocks"] == 1
    assert "block 2 of 8" in armed.stop().block


def test_an_end_is_on_disk_before_it_is_printed(armed: Held) -> None:
    armed.rewrite(blocks=8)
    with clogged() as stdout:
        process = armed.begin("claude", "Stop", stdout=stdout)
        give(process, stop_payload(armed))
        wait_until(lambda: not armed.is_watched(), "the session to be let go")
        killed(process)

    assert (armed.hold()["ended"], armed.hold()["ended_why"]) == ("tripped", "max_blocks")
    assert armed.stop().out == ""


def test_a_hook_that_is_killed_at_any_moment_leaves_a_whole_hold(armed: Held, rounds: int) -> None:
    """A compaction is counted by a write, and by nothing else."""
    payload = json.dumps(armed.payload("claude", "PreCompact", "s1")).encode()
    chance = Random(rounds)
    before = 0
    for _ in range(rounds):
        process = armed.begin("claude", "PreCompact")
        give(process, payload)
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, 0.04))
        killed(process)
        after = armed.hold()["compactions"]
        assert after in {before, before + 1}
        before = after

    assert armed.hook("claude", "PreCompact").out == ""
    assert armed.hold()["compactions"] == before + 1
    assert armed.stop().block


def test_what_a_killed_hook_left_behind_is_in_nobodys_way(armed: Held) -> None:
    """Its file bears the number of its process, and numbers come back: in a container, soon."""
    with subprocess.Popen(["true"]) as process:
        last = process.pid
    for number in range(last + 1, last + 3000):
        armed.hold_file().with_suffix(f".json.{number}").write_bytes(b"half a ho")

    assert armed.stop().block


def is_waiting(process: subprocess.Popen[bytes]) -> bool:
    """Whether the interpreter that the shell starts has loaded all, and sleeps until it reads."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    if not children:
        return False
    words = Path(f"/proc/{children[0]}/cmdline").read_bytes().split(b"\0")
    state = Path(f"/proc/{children[0]}/stat").read_text().rpartition(")")[2].split()[0]
    return b"-I" in words and state == "S"


def test_stops_that_come_at_once_count_once(armed: Held) -> None:
    """Scenario 25."""
    processes = [armed.begin("claude", "Stop") for _ in range(AT_ONCE)]
    payload = stop_payload(armed)
    wait_until(lambda: all(map(is_waiting, processes)), "all to wait for their payload")
    for process in processes:
        give(process, payload)
    reasons = {heard(process).block for process in processes}

    assert len(reasons) == 1
    assert "block 1 of 8" in reasons.pop()
    assert armed.hold()["blocks"] == 1


def test_stops_of_many_turns_that_come_at_once_are_all_counted(tmp_path: Path) -> None:
    """They are held one after the other; none is lost, and none is counted twice."""
    held = Held(tmp_path, "cooldown = 0\nmax_blocks = 2")
    held.arm()
    processes = [held.begin("claude", "Stop") for _ in range(6)]
    plain = held.payload("claude", "Stop", "s1")
    for number, process in enumerate(processes):
        told = {**plain, "last_assistant_message": f"turn {number}"}
        give(process, json.dumps(told).encode())
    answers = [heard(process) for process in processes]

    assert len([said for said in answers if said.block]) == 2
    assert len([said for said in answers if "NOT proven" in said.notice]) == 1
    assert (held.hold()["blocks"], held.hold()["ended"]) == (2, "tripped")


@pytest.mark.thorough
def test_stops_that_come_at_once_after_a_change_count_once(held: Held) -> None:
    """Scenario 25: all of them wait for a proof, and none gets it at the same moment."""
    held.arm()
    held.work(number=1)
    held.rest()
    processes = [held.begin("claude", "Stop") for _ in range(FEW_AT_ONCE)]
    payload = stop_payload(held)
    wait_until(lambda: all(map(is_waiting, processes)), "all to wait for their payload")
    for process in processes:
        give(process, payload)
    reasons = {heard(process).block for process in processes}

    assert held.hold()["blocks"] == 1
    assert len(reasons) == 1


@pytest.mark.thorough
def test_stops_that_come_at_once_agree_that_it_is_proven(held: Held) -> None:
    """Scenario 25: whoever comes late finds no session that is held, and says nothing."""
    held.arm()
    held.mend()
    processes = [held.begin("claude", "Stop") for _ in range(FEW_AT_ONCE)]
    for process in processes:
        give(process, stop_payload(held))
    answers = [heard(process) for process in processes]

    assert any("Proven on tree" in said.notice for said in answers)
    assert [said for said in answers if said.out and "Proven on tree" not in said.notice] == []
    assert held.hold()["ended"] == "proven"


@pytest.mark.parametrize(
    ("client", "doors"),
    [
        ("cursor", [("cursor", "beforeSubmitPrompt"), ("claude", "UserPromptSubmit")]),
        ("claude", [("claude", "UserPromptSubmit"), ("claude", "UserPromptSubmit")]),
    ],
    ids=["a bridge", "a plugin and settings"],
)
def test_a_prompt_that_comes_through_two_doors_at_once_makes_one_hold(
    held: Held, client: str, doors: list[tuple[str, str]]
) -> None:
    told = {"prompt": "ulw mend it", "prompt_id": "p1"}
    payload = json.dumps({**held.payload(client, PROMPT[client], "c1"), **told}).encode()
    lines = [installed()[door] for door in doors]
    processes = [held.begin(client, PROMPT[client], "c1", line=line) for line in lines]
    for process in processes:
        give(process, payload)
    answers = [heard(process) for process in processes]
    held.settle()

    assert [said.notice for said in answers if "NOT on" in said.notice] == []
    assert [path.name for path in (held.state / "hold").glob("*.json")] == [f"{client}-c1.json"]
    assert len(list((held.state / "runs").glob("*/ledger.jsonl"))) == 1
    assert "V1 failed" in held.stop(client, "c1").block


def test_where_nothing_can_be_written_nothing_is_held(armed: Held) -> None:
    """Scenario 24: a block that cannot be counted would never end."""
    before = armed.hold_file().read_bytes()
    full = f"ulimit -f 0; {installed()['claude', 'Stop']}"

    said = armed.stop(line=full)

    assert said.block == ""
    assert "NOT proven" in said.notice
    assert armed.hold_file().read_bytes() == before
    assert sorted(path.name for path in armed.hold_file().parent.iterdir()) == ["claude-s1.json"]
    assert "block 1 of 8" in armed.stop().block  # there is room again


def test_where_nothing_can_be_written_nothing_begins(held: Held) -> None:
    said = held.prompt("ulw go", line=f"ulimit -f 0; {installed()['claude', 'UserPromptSubmit']}")

    assert "Ultrawork is NOT on" in said.notice
    assert held.stop().out == ""


def test_the_lock_of_a_dead_process_is_no_lock(armed: Held) -> None:
    """Scenario 23."""
    lock = armed.watches / ".claude-s1.lock"
    lock.write_text('{"pid": 4194303, "host": "elsewhere"}')

    assert "block 1 of 8" in armed.stop().block
    assert armed.hold()["blocks"] == 1


@pytest.mark.thorough
def test_a_lock_that_cannot_be_had_lets_go(armed: Held) -> None:
    """Scenario 23: somebody has it and does not let go."""
    before = armed.hold_file().read_bytes()
    with open(armed.watches / ".claude-s1.lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = armed.stop()

    assert said.block == ""
    assert "NOT proven" in said.notice
    assert armed.hold_file().read_bytes() == before
    assert "block 1 of 8" in armed.stop().block


def test_a_lock_that_is_no_file_lets_go(armed: Held) -> None:
    lock = armed.watches / ".claude-s1.lock"
    before = armed.hold()
    lock.unlink()
    lock.mkdir()
    assert "NOT proven" in armed.stop().notice
    lock.rmdir()
    lock.symlink_to("/dev/null")
    assert "NOT proven" in armed.stop().notice
    assert armed.hold() == before


def test_half_a_hold_is_none(armed: Held) -> None:
    whole = armed.hold_file().read_bytes()
    for length in range(0, len(whole) - 1, len(whole) // 8):
        armed.restore()
        armed.hold_file().write_bytes(whole[:length])
        said = armed.stop()
        assert (said.block, "Let go, NOT proven" in said.notice) == ("", True), length
        assert not armed.is_watched()


def test_half_a_watch_is_none(armed: Held) -> None:
    watch = armed.watches / "claude-s1"
    whole = watch.read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        watch.write_bytes(whole[:length])
        assert "Let go, NOT proven" in armed.stop().notice
        assert not armed.is_watched()


class Gate:
    """A check that tells when it has begun, and goes on when it is let."""

    def __init__(self, place: Path) -> None:
        self._open, self._seen = place / "open", place / "seen"
        self._open.touch()
        wait = f"touch {self._seen}\nuntil [ -e {self._open} ]; do sleep 0.01; done\n"
        self.held = Held(place, GATED, files={"check.sh": wait + CHECK})
        self.held.arm()

    def close(self) -> None:
        self._open.unlink()
        self._seen.unlink()

    def open(self) -> None:
        self._open.touch()
        self.held.settle()

    def stopping(self) -> subprocess.Popen[bytes]:
        """A stop that waits for the check, which has begun."""
        process = self.held.begin("claude", "Stop")
        give(process, stop_payload(self.held))
        wait_until(self._seen.exists, "the check to begin")
        return process


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    gate = Gate(tmp_path)
    yield gate
    gate.open()


def test_a_proof_outlives_the_hook_that_waits_for_it(gate: Gate) -> None:
    """A client whose patience ends kills its hook, and not what the hook began."""
    gate.close()
    gate.held.mend()
    killed(gate.stopping())

    assert gate.held.hold()["blocks"] == 0
    gate.open()

    assert gate.held.hold()["verdict"]["outcome"] == "passed"
    assert "Proven" in gate.held.stop().notice


def test_a_proof_that_is_killed_is_none(gate: Gate) -> None:
    gate.close()
    gate.held.mend()
    process = gate.stopping()

    os.kill(prover(gate.held), signal.SIGKILL)
    said = heard(process)

    assert said.block == ""
    assert "NOT proven" in said.notice
    assert gate.held.is_watched()
    gate.open()
    assert "Proven" in gate.held.stop().notice


def prover(world: Held) -> int:
    """The process that proves the hold of this repository."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (each / "cmdline").read_bytes().split(b"\0")
            if b"prove" in words and os.readlink(each / "cwd") == str(world.root):
                found.append(int(each.name))
    (pid,) = found
    return pid
