"""How far a check is isolated: which levels there are, and which one can be had here.

A sandbox counts as one only if a program that tried to get out of it did not succeed. That is tried
once for each kernel, bubblewrap and goalkeeper; the result is kept in the user's cache.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache
from pathlib import PurePath

from goalkeeper import system, witness
from goalkeeper.core.contract.judgement import ISOLATIONS
from goalkeeper.errors import OutsideError
from goalkeeper.system.environment import find_homes, find_system_program, lies_in_any
from goalkeeper.system.run import Exited, NotStarted, ProgramLimits
from goalkeeper.system.safe_open import read_plain_file, replace_file
from goalkeeper.system.seccomp import build_filter, find_number
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value
from goalkeeper.witness.sandbox import (
    BUBBLEWRAP,
    PROGRAMS,
    build_sandbox_command,
    run_in_sandbox,
)


class Isolation(StrEnum):
    NONE = "none"
    CHECKOUT = "checkout"
    SANDBOX = "sandbox"


class IsolationUnavailable(
    OutsideError, hint="apt-get install bubblewrap, or demand less with --isolation {available}"
):
    """Isolation '{demanded}' was demanded, but only '{available}' can be had here: {reason}."""


def measure_strength(level: Isolation) -> int:
    return ISOLATIONS.index(level)


TRUST_HINT = (
    "goalkeeper trust shows what the settings of this repository ask for, and a human confirms it; "
    "or install bubblewrap"
)


def choose_isolation(
    demanded: Isolation | None, environ: Mapping[str, str], hint: str = ""
) -> Isolation:
    """Return what was demanded, or raise an error; without a demand return the best available."""
    if demanded is not None and demanded is not Isolation.SANDBOX:
        return demanded
    reason = explain_no_sandbox(environ)
    if reason and demanded:
        best = Isolation.CHECKOUT.value
        raise IsolationUnavailable(
            demanded=demanded.value, available=best, reason=reason, hint=hint
        )
    return Isolation.CHECKOUT if reason else Isolation.SANDBOX


# With these, root undoes a mount, reaches files by another way, looks into other processes, makes
# files that nobody can remove, or changes the clock, the network or the kernel of others.
_RIGHTS_OF_ROOT = (
    "CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_DAC_READ_SEARCH",
    "CAP_MKNOD", "CAP_LINUX_IMMUTABLE", "CAP_SYS_TIME", "CAP_NET_ADMIN", "CAP_SYS_BOOT",
)  # fmt: skip
# Root needs no right to write there: which program the kernel runs outside of all walls when one
# dies, and which processes it freezes or kills. Users own some of the last.
_OF_THE_KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/sys")


_SHUT_OFF = (
    "--unshare-pid", "--proc", "/proc",
    *(word for place in _OF_THE_KERNEL for word in ("--ro-bind-try", place, place)),
)  # fmt: skip
_EMPTY = ("--perms", "0700", "--tmpfs")


class Walls(Value):
    """What an agent's process cannot do with the user's files and processes."""

    sealed: Sequence[str] = ()  # it cannot change these files, nor anything below these folders
    hidden: Sequence[str] = ()  # it sees these folders empty, and cannot read these files
    free: Sequence[str] = ()  # folders below the others with which it can do as it likes
    apart: Sequence[
        str
    ] = ()  # it sees only what is sealed or free there; what it adds, only it sees
    copied: Sequence[tuple[str, str]] = ()  # it finds the first folder in the place of the second
    is_alone: bool = False  # it sees no processes but its own, and cannot signal others


def build_walls(walls: Walls, *, cwd: str, environ: Mapping[str, str]) -> list[str]:
    """Return the words to put before a command; none if the system cannot do it."""
    if explain_no_sandbox(environ):
        return []
    program = find_system_program(BUBBLEWRAP, environ.get("PATH", os.defpath)) or BUBBLEWRAP
    return [
        *(program, "--dev-bind", "/", "/", "--die-with-parent"),
        *(_SHUT_OFF if walls.is_alone else ()),
        *(word for right in _RIGHTS_OF_ROOT for word in ("--cap-drop", right)),
        *(word for mount in _list_mounts(walls) for word in mount),
        *("--chdir", os.path.realpath(cwd), "--"),
    ]


def _list_mounts(walls: Walls) -> Iterator[tuple[str, ...]]:
    """List the mounts; what lies inside comes later, because a mount covers what was there."""
    sealed, hidden, free, apart = (
        [os.path.realpath(place) for place in places]
        for places in (walls.sealed, walls.hidden, walls.free, walls.apart)
    )
    shut = [*sealed, *hidden]
    # Nobody can rename a mount point. Otherwise a copy could take the place of a folder above.
    above = {str(each) for place in shut for each in PurePath(place).parents} - {"/"}
    found: dict[str, tuple[str, ...]] = {}
    above = {place for place in above if os.path.isdir(place) and not lies_in_any(place, shut)}
    found |= {place: ("--dev-bind", place) for place in above}
    found |= dict.fromkeys(apart, _EMPTY)
    # Others may remove a file meanwhile.
    found |= {place: ("--ro-bind-try", place) for place in sealed if not _lies_below(place, hidden)}
    found |= {place: _hide(place) for place in hidden}
    found |= {place: ("--bind", place) for place in free}
    found |= {os.path.realpath(place): ("--bind", copy) for copy, place in walls.copied}
    for place in sorted(found, key=lambda place: place.count("/")):
        yield (*found[place], place)


def _lies_below(place: str, folders: Sequence[str]) -> bool:
    return lies_in_any(os.path.dirname(place), folders)


def _hide(place: str) -> tuple[str, ...]:
    is_file = os.path.exists(place) and not os.path.isdir(place)
    return ("--ro-bind", "/dev/null") if is_file else _EMPTY


def explain_no_sandbox(environ: Mapping[str, str]) -> str:
    """Return why there is no sandbox here; empty if there is one."""
    program = find_system_program(BUBBLEWRAP, environ.get("PATH", os.defpath))
    if not program:
        return "bubblewrap (bwrap) is not installed for all users"
    if not build_filter():
        return f"there is no filter of system calls for {os.uname().machine}"
    homes = find_homes(environ)
    if not homes:
        return "neither HOME nor the account names a home that could be hidden"
    if shown := [home for home in homes if os.path.isdir(home) and lies_in_any(home, PROGRAMS)]:
        return f"the home {shown[0]} lies among programs, so it cannot be hidden"
    return recall_trial(program, layout.find_xdg_folder(environ, "XDG_CACHE_HOME", ".cache"))


@cache
def recall_trial(program: str, folder: str) -> str:
    """Return what the last trial of exactly this sandbox found, or try it now."""
    key = _describe_sandbox(program)
    path = os.path.join(folder, "sandbox")
    kept = read_plain_file(path).decode(errors="replace").split("\n", 1)
    if kept == [key, ""]:
        return ""
    reason = try_sandbox(program)
    if not reason:  # what did not work once may work after the next update
        with suppress(OSError):  # the next process tries it again
            os.makedirs(folder, mode=0o700, exist_ok=True)
            replace_file(path, f"{key}\n".encode())
    return reason


def _describe_sandbox(program: str) -> str:
    """Return a digest of all on which the trial depends: another version may not hold."""
    files = [program, os.path.realpath(sys.executable)]
    for module in (system, witness):
        (folder,) = module.__path__
        files += sorted(entry.path for entry in os.scandir(folder) if entry.name.endswith(".py"))
    seen = [[path, os.stat(path).st_size, os.stat(path).st_mtime_ns] for path in files]
    return digest([seen, [*os.uname()], os.getuid()])


@cache
def try_sandbox(program: str) -> str:
    """Return why bubblewrap cannot be used: it is too old, something is forbidden, or is open.

    Of the homes only the account's is tried: all are hidden in the same way.
    """
    import socket  # noqa: PLC0415  slow, and a trial's result is remembered

    from goalkeeper.witness import attempts  # noqa: PLC0415  as above

    if not os.path.exists("/proc/thread-self/children"):
        return "the kernel does not list the children of a process, so nobody could count them"
    with (
        tempfile.TemporaryDirectory() as hidden,
        tempfile.TemporaryDirectory() as place,
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX) as answering,
    ):
        homes = find_homes({})
        answering.bind(f"\0{os.path.basename(hidden)}")
        answering.listen()
        known = {
            "calls": {n: find_number(n) for n in ("keyctl", "unshare", "io_uring_setup")},
            "port": listener.getsockname()[1],
            "socket": answering.getsockname().decode(),
            "secret": hidden,
            "homes": [(h, attempts.find_marks(h)) for h in homes if os.path.isdir(h) and h != "/"],
        }
        with open(attempts.__file__, encoding="utf-8") as file:
            argv = [sys.executable, "-I", "-S", "-c", file.read(), json.dumps(known)]
        command = build_sandbox_command(
            argv, checkout=place, home=place, tmp=place, hidden=(), path=os.path.dirname(program),
            user_homes=homes,
        )  # fmt: skip
        limits = ProgramLimits(seconds=20.0, free_mb=0)
        ran = run_in_sandbox(
            [program, *command[1:]], cwd=place, env={"PATH": os.defpath}, limits=limits
        )
    if isinstance(ran, NotStarted):
        return ran.reason
    said = ran.out.text.strip()
    if isinstance(ran, Exited) and ran.code == 0 and said:
        return "" if said == attempts.SHUT else f"a trial found these open: {said}"
    return ran.err.text.strip() or "its trial run failed"
