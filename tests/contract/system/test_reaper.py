"""What becomes of processes that outlive the program that made them."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from goalkeeper.system import reaper
from goalkeeper.system.reaper import end_runs, end_strays
from goalkeeper.system.run import Exited, LimitHit, Ran
from tests.contract.system.programs import alive_until_closed, children, next_from, python, started
from tests.fault.rig import wait_until
from tests.patience import patience
from tests.tables import for_each

AWAY = """
import os, signal, sys
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.set_inheritable(os.open(sys.argv[1], os.O_WRONLY), True)
        if sys.argv[2] == "below" and os.fork() == 0:
            os.setsid()
        elif sys.argv[2] == "below":
            os.close(tell)
            signal.pause()
        if sys.argv[2] in ("bare", "below"):
            os.execve("/bin/sleep", ["sleep", "1000"], {})
        if sys.argv[2] == "exec":
            os.execv("/bin/sleep", ["sleep", "1000"])
        os.close(tell)
        signal.pause()
    os._exit(0)
os.close(tell)
os.read(ready, 1)  # until it has gone its way
"""


@for_each("how", ["fork", "exec", "bare"])
def test_what_forks_away_is_dead_when_the_run_is_over(how: str, tmp_path: Path) -> None:
    before = children()
    with alive_until_closed(tmp_path / "pipe") as fd:
        ran = python(AWAY, str(tmp_path / "pipe"), how)

        assert isinstance(ran, Exited)
        assert children() <= before
        assert next_from(fd) == b""


@for_each("how", ["fork", "exec", "below"])
def test_what_forks_away_is_known_by_its_marker_while_another_program_runs(
    how: str, tmp_path: Path
) -> None:
    """It might belong to the other run, if its environment did not say whose it is."""
    with alive_until_closed(tmp_path / "pipe") as fd, ThreadPoolExecutor() as pool:
        other = pool.submit(started, "sleep", "1000")
        try:
            wait_until(lambda: bool(reaper.running), "the other to run")
            before = children()
            ran = python(AWAY, str(tmp_path / "pipe"), how)

            assert isinstance(ran, Exited)
            assert children() <= before
            assert next_from(fd) == b""
            assert reaper.running
        finally:
            end_runs()
            other.result()
            end_strays()


def test_a_stray_of_an_ended_run_is_ended_on_demand_and_others_are_spared(tmp_path: Path) -> None:
    """While another run is in progress it might belong to that; so it stays until asked for."""
    with alive_until_closed(tmp_path / "pipe") as stray, alive_until_closed(tmp_path / "go") as go:
        other = threading.Thread(
            target=started, args=("sh", "-c", f"echo on > {tmp_path}/go; sleep 1000")
        )
        other.start()
        own = subprocess.Popen(["sleep", "1000"])
        try:
            assert next_from(go) == b"on\n"
            python(AWAY, str(tmp_path / "pipe"), "bare")
            end_strays()
            assert next_from(stray) == b""
            assert own.poll() is None
            assert reaper.running
        finally:
            end_runs()
            other.join()
            own.kill()
            own.wait()


DEAD = """
import os
until_parent_is_dead, held = os.pipe()
ended, mine = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(held)
        os.read(until_parent_is_dead, 1)  # as an orphan it is ours
        os._exit(0)
    os._exit(0)
os.wait()
os.close(held)
os.close(mine)
os.read(ended, 1)  # until it is dead, too
"""


def test_the_dead_are_buried_while_others_run() -> None:
    """A sandbox leaves one behind each time; a long proof would fill the process table."""
    with ThreadPoolExecutor() as pool:
        other = pool.submit(started, "sleep", "1000")
        try:
            wait_until(lambda: bool(reaper.running), "the other to run")
            before = children()
            for _ in range(3):
                python(DEAD)
            python("pass")  # what died in the last moment is buried by the next

            assert children() <= before
        finally:
            end_runs()
            other.result()


MANY = "for n in $(seq 1200); do (true &); done; exec sleep 1000"


@pytest.mark.thorough
def test_more_dead_than_there_can_be_files_are_buried() -> None:
    before = children()
    ran = started("sh", "-c", MANY, seconds=5.0)

    assert isinstance(ran, LimitHit)
    assert children() <= before


def test_end_runs_ends_them_all() -> None:
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(started, "sleep", "1000") for _ in range(3)]
        wait_until(lambda: len(reaper.running) == 3, "all to run")
        end_runs()
        ran = [future.result() for future in futures]

    assert [getattr(one, "signal", None) for one in ran] == [signal.SIGKILL] * 3


INTERRUPTED = """
import sys, os
from goalkeeper.system.run import run, ProgramLimits
try:
    run(["sh", "-c", f"trap '' INT TERM; exec > {sys.argv[1]}; echo on; exec sleep 1000"],
        cwd="/", env=os.environ, limits=ProgramLimits(free_mb=0))
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_kills_the_group_before_it_goes_on(tmp_path: Path) -> None:
    with alive_until_closed(tmp_path / "pipe") as fd:
        argv = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "pipe")]
        caller = subprocess.Popen(argv, stdout=subprocess.PIPE)
        assert next_from(fd) == b"on\n"
        caller.send_signal(signal.SIGINT)
        out, _ = caller.communicate(timeout=patience(60))

        assert out == b"interrupted\n"
        assert next_from(fd) == b""


def test_a_request_to_end_is_heard_also_if_a_side_thread_starts_the_first_program() -> None:
    code = """
import os, signal, threading
from goalkeeper.system import reaper
from goalkeeper.system.reaper import end_runs
from goalkeeper.system.run import ProgramLimits, run
from goalkeeper.system.threads import SideThread
def ask():
    while not reaper.running:
        pass
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)  # it wakes no other thread
argv, limits = ["sleep", "1000"], ProgramLimits(seconds=999.0, free_mb=0)
threading.Thread(target=ask).start()
try:
    work = lambda: run(argv, cwd="/", env=os.environ, limits=limits)
    SideThread(work).wait_for_result()
except KeyboardInterrupt as exc:
    end_runs()
    print("asked by", *exc.args)
"""
    told = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, check=False, timeout=patience(60)
    )
    assert (told.returncode, told.stdout) == (0, b"asked by 15\n")


def test_many_run_at_once_and_keep_apart() -> None:
    before = children()

    def one(number: int) -> Ran:
        return started("sh", "-c", f"echo {number}; sleep 1000 & exit {number}")

    with ThreadPoolExecutor(8) as pool:
        ran = list(pool.map(one, range(40)))

    assert [(getattr(r, "code", None), r.out.text) for r in ran if isinstance(r, Exited)] == [
        (number, f"{number}\n") for number in range(40)
    ]
    assert children() <= before
    assert reaper.running == {}


@pytest.mark.needs("bwrap")
def test_a_run_that_never_began_costs_us_no_program_of_our_own() -> None:
    """In a container our session has the number 0, which also stands for no process."""
    code = """
import os, subprocess
from goalkeeper.system import reaper
own = subprocess.Popen(["sleep", "1000"])
reaper.end_family(0, b"INVOCATION_ID=nobody")
print(os.getsid(0), own.poll())
own.kill()
"""
    box = ["bwrap", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]

    told = subprocess.check_output([*box, sys.executable, "-c", code], text=True)

    assert told == "0 None\n"
