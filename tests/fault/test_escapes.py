"""Real programs that try to get out; `escapes` says what becomes of each."""

import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.system.reaper import end_strays
from goalkeeper.system.run import Exited, LimitHit
from goalkeeper.witness.isolation import Isolation
from tests.fault.escapes import ESCAPES, TRIED_TOGETHER, Escape
from tests.fault.yard import HOMES, MB, SECRET, Yard, make_yard, pipe_in
from tests.patience import patience


def met(escape: Escape, level: Isolation) -> bool:
    return {Isolation.CHECKOUT: escape.checkout, Isolation.SANDBOX: escape.sandbox}[level].stopped


# Each tells whether it was stopped.


def waits_for_input(yard: Yard) -> bool:
    return yard.succeeds("import sys; sys.exit(sys.stdin.read() != '')")


def prints_without_end(yard: Yard) -> bool:
    ran = yard.run("yes", output_mb=4)

    return isinstance(ran, LimitHit) and ran.limit == "output" and len(ran.out.text) < MB


def prints_invalid_utf8(yard: Yard) -> bool:
    ran = yard.run("printf", r"a\377\300z")

    return isinstance(ran, Exited) and ran.out.text == r"a\xff\xc0z"


def ignores_sigterm(yard: Yard) -> bool:
    ran = yard.run("sh", "-c", "trap '' TERM; while :; do :; done", seconds=0.2)

    return isinstance(ran, LimitHit) and ran.limit == "time" and ran.seconds < 30


def allocates_too_much(yard: Yard) -> bool:
    ran = yard.python("bytearray(1 << 30)", memory_mb=300)

    return isinstance(ran, Exited) and ran.code == 1 and "MemoryError" in ran.err.text


SPREAD = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        kept = bytearray(b"x" * (40 << 20))
        time.sleep(1000)
time.sleep(1000)
"""
MAPPED = """
import mmap, time
kept = [mmap.mmap(-1, 40 << 20) for _ in range(6)]
for each in kept:
    each.write(b"x" * (40 << 20))
time.sleep(1000)
"""
FILLED = """
import sys, time
for number in range(6):
    with open(f"/dev/shm/{sys.argv[1]}-{number}", "wb") as file:
        file.write(b"x" * (40 << 20))
time.sleep(float(sys.argv[2]))
"""
UNSEEN = """
import mmap, sys, time
kept = [mmap.mmap(-1, 40 << 20) for _ in range(6)]
for each in kept:
    for start in range(0, 40 << 20, 1 << 20):
        each.write(b"x" * (1 << 20))
        each.madvise(mmap.MADV_DONTNEED, start, 1 << 20)
time.sleep(0.3)
"""


def hits_the_memory_limit(yard: Yard, code: str, *args: object) -> bool:
    ran = yard.python(code, *args, memory_mb=150)
    return isinstance(ran, LimitHit) and ran.limit == "memory"


def spreads_memory(yard: Yard) -> bool:
    return hits_the_memory_limit(yard, SPREAD)


def shares_by_a_mapping(yard: Yard) -> bool:
    return hits_the_memory_limit(yard, MAPPED)


def fills_a_folder_in_memory(yard: Yard) -> bool:
    name = f"filled-{os.getpid()}"
    seconds = 1000 if yard.level is Isolation.SANDBOX else 0.3
    try:
        return hits_the_memory_limit(yard, FILLED, name, seconds)
    finally:
        for path in Path("/dev/shm").glob(f"{name}-*"):
            path.unlink()


def keeps_unseen_memory(yard: Yard) -> bool:
    return hits_the_memory_limit(yard, UNSEEN)


MANY = """
import os, time
for _ in range(180):
    if os.fork() == 0:
        time.sleep(1000)
time.sleep(1000)
"""
MANY_THREADS = """
import threading, time
threading.stack_size(1 << 18)
for _ in range(180):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
time.sleep(1000)
"""


def starts_processes(yard: Yard) -> bool:
    ran = yard.python(MANY, processes=100)
    return isinstance(ran, LimitHit) and ran.limit == "processes"


def starts_threads(yard: Yard) -> bool:
    ran = yard.python(MANY_THREADS, processes=100)
    return isinstance(ran, LimitHit) and ran.limit == "processes"


def writes_a_huge_file(yard: Yard) -> bool:
    ran = yard.run("dd", "if=/dev/zero", "of=big", "bs=1M", "count=8", file_mb=2)

    assert (yard.checkout / "big").stat().st_size == 2 * MB
    return isinstance(ran, LimitHit) and ran.limit == "file"


def fills_the_disk(yard: Yard) -> bool:
    """In memory, where nobody else writes much meanwhile."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        yard.checkout = Path(place)
        disk = os.statvfs(place)
        spare = disk.f_bavail * disk.f_frsize // MB - 32
        code = "for n in $(seq 24); do head -c 8000000 /dev/zero > $n; done; sleep 1000"
        ran = yard.run("sh", "-c", code, free_mb=spare)
    return isinstance(ran, LimitHit) and ran.limit == "disk"


AWAY = """
import os, signal, sys
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.set_inheritable(os.open("pipe", os.O_WRONLY), True)
        if sys.argv[1] == "bare":
            os.execve("/bin/sleep", ["sleep", "1000"], {})
        os.execv("/bin/sleep", ["sleep", "1000"])
    os._exit(0)
os.close(tell)
os.read(ready, 1)  # until it has gone its way
"""


def is_forsaken(fd: int) -> bool:
    watch = select.poll()
    watch.register(fd, select.POLLHUP)
    return bool(watch.poll(60_000))


def forks_away(yard: Yard) -> bool:
    with pipe_in(yard.checkout) as fd:
        return yard.succeeds(AWAY, "marked") and is_forsaken(fd)


def forks_away_bare(yard: Yard) -> bool:
    with pipe_in(yard.checkout) as fd:
        assert yard.succeeds(AWAY, "bare")
        end_strays()
        return is_forsaken(fd)


def locks_its_checkout(yard: Yard) -> bool:
    (yard.checkout / "inner").mkdir()
    locked = yard.succeeds("import os; os.chmod('inner', 0); os.chmod('.', 0)")

    mode = yard.checkout.stat().st_mode & 0o777
    yard.checkout.chmod(0o700)
    (yard.checkout / "inner").chmod(0o700)
    (yard.checkout / "inner").rmdir()
    return not (locked and mode == 0)


WRITE = "import sys; open(sys.argv[1], 'w').write('x')"


def leaves_a_file(yard: Yard, path: Path) -> bool:
    yard.python(WRITE, path)
    return path.exists()


def writes_beside(yard: Yard) -> bool:
    return not leaves_a_file(yard, yard.base / "beside")


def writes_home(yard: Yard) -> bool:
    return not leaves_a_file(yard, yard.user_home / ".bashrc")


def writes_repository(yard: Yard) -> bool:
    return not leaves_a_file(yard, yard.repository / "planted")


def reads(yard: Yard, path: Path) -> bool:
    ran = yard.python("import sys; print(open(sys.argv[1]).read())", path)
    assert isinstance(ran, Exited)
    return SECRET in ran.out.text


def reads_home(yard: Yard) -> bool:
    return not reads(yard, yard.diary)


def reads_ledger(yard: Yard) -> bool:
    return not reads(yard, yard.ledger)


def reads_key(yard: Yard) -> bool:
    return not reads(yard, yard.key)


def opens_the_network(yard: Yard) -> bool:
    code = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 30)"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return not yard.succeeds(code, listener.getsockname()[1])


def looks_into_others(yard: Yard) -> bool:
    code = "import sys; sys.exit(sys.argv[2] not in open(f'/proc/{sys.argv[1]}/cmdline').read())"
    name = f"sleep-{os.getpid()}"
    neighbour = subprocess.Popen([name, "1000"], executable="sleep")
    try:
        return not yard.succeeds(code, neighbour.pid, name)
    finally:
        neighbour.kill()
        neighbour.wait()


REFEREE = """
import os, sys
from goalkeeper.system.run import run, ProgramLimits
print(run(sys.argv[2:], cwd=sys.argv[1], env=os.environ, limits=ProgramLimits(free_mb=0)).code)
"""


def kills_its_parent(yard: Yard) -> bool:
    kill = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"
    argv = yard.argv(sys.executable, "-c", kill)
    referee = subprocess.run(
        [sys.executable, "-c", REFEREE, str(yard.checkout), *argv],
        env={**yard.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        check=False,
        timeout=patience(60),
    )
    assert referee.returncode in {0, -signal.SIGKILL}
    return referee.stdout == b"0\n"


def changes_the_kernel(yard: Yard) -> bool:
    """It opens a setting for writing, and leaves it at that."""
    path = "/proc/sys/kernel/core_pattern"
    opened = yard.succeeds("import os, sys; os.open(sys.argv[1], os.O_WRONLY)", path)
    return not (opened or is_ordinary_user(yard))


def writes_into_the_system(yard: Yard) -> bool:
    """It makes a file in each folder; the file has no name and is gone with its process."""
    code = "import sys, tempfile; tempfile.TemporaryFile(dir=sys.argv[1])"
    written = [place for place in ("/etc", "/usr", "/opt") if yard.succeeds(code, place)]
    return not (written or is_ordinary_user(yard))


def is_ordinary_user(yard: Yard) -> bool:
    """Return whether the system itself stops whoever is not root, which is no merit of ours."""
    return yard.level is Isolation.CHECKOUT and os.geteuid() != 0


TRIED: dict[str, Callable[[Yard], bool]] = {
    "waits for input": waits_for_input,
    "prints without end": prints_without_end,
    "prints invalid UTF-8": prints_invalid_utf8,
    "runs without end and ignores SIGTERM": ignores_sigterm,
    "allocates too much memory": allocates_too_much,
    "spreads memory over processes": spreads_memory,
    "shares memory by a mapping": shares_by_a_mapping,
    "fills a folder in memory": fills_a_folder_in_memory,
    "keeps shared memory that no process has in sight": keeps_unseen_memory,
    "starts processes without end": starts_processes,
    "starts threads without end": starts_threads,
    "writes a huge file": writes_a_huge_file,
    "fills the disk with many files": fills_the_disk,
    "forks away into its own session": forks_away,
    "forks away and clears its environment": forks_away_bare,
    "locks its checkout": locks_its_checkout,
    "writes beside its checkout": writes_beside,
    "writes into the user's home": writes_home,
    "writes into the repository": writes_repository,
    "reads the user's home": reads_home,
    "reads the ledger": reads_ledger,
    "reads the approval key": reads_key,
    "opens the network": opens_the_network,
    "looks into other processes": looks_into_others,
    "kills its parent": kills_its_parent,
    "changes a kernel setting": changes_the_kernel,
    "writes into the system's folders": writes_into_the_system,
}


LEVELS = [Isolation.CHECKOUT, pytest.param(Isolation.SANDBOX, marks=pytest.mark.needs("bwrap"))]
# Programs of their own take long: all homes are tried by GOALKEEPER_ESCAPES=all.
HOMES_FOR_ALL = HOMES if os.environ.get("GOALKEEPER_ESCAPES") == "all" else ("elsewhere",)


@pytest.mark.parametrize("escape", ESCAPES, ids=lambda escape: escape.name)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", HOMES_FOR_ALL)
def test_an_escape_is_met_as_the_table_says(
    escape: Escape, level: Isolation, kind: str, tmp_path: Path, home: Path
) -> None:
    yard = make_yard(tmp_path, home, level, kind)

    assert TRIED[escape.name](yard) is met(escape, level)


def test_the_table_is_whole() -> None:
    assert [escape.name for escape in ESCAPES] == list(TRIED)
    assert len(ESCAPES) + len(TRIED_TOGETHER) >= 60


@pytest.mark.thorough
def test_a_gigabyte_of_output_costs_neither_memory_nor_disk(tmp_path: Path, home: Path) -> None:
    yard = Yard(tmp_path, home, Isolation.CHECKOUT)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    ran = yard.run("head", "-c", "1000000000", "/dev/zero", output_mb=1000)

    assert isinstance(ran, Exited)
    assert ran.out.size == 1_000_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024
    assert [path.name for path in tmp_path.iterdir() if any(path.iterdir())] == ["repository"]
