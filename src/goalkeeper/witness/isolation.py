"""A check is isolated by a bubblewrap command, which is built here.

In the sandbox the root is read-only; the user's home, the temporary folders and what the caller
hides are empty; there is no network, and no other process is visible. Tools on PATH that lie below
an emptied folder are mounted again, read-only, and without the credentials beside them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatch
from functools import cache
from signal import SIGXFSZ, Signals

from goalkeeper.core.contract.judgement import ISOLATIONS
from goalkeeper.errors import OutsideError
from goalkeeper.system.environment import lies_in_any
from goalkeeper.system.run import (
    MB,
    Exited,
    LimitHit,
    NotStarted,
    ProgramLimits,
    Ran,
    Signalled,
    run,
)
from goalkeeper.wire.value import Value

# These folders, to which every program may write, are emptied; so much may be written there.
PRIVATE = {
    **dict.fromkeys(("/tmp", "/var/tmp", "/dev/shm"), 1024 * MB), "/run": 16 * MB,  # noqa: S108  covered, not used
}  # fmt: skip
# root can write to these even without any capability; bubblewrap covers only some of them.
KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/mtrr", "/proc/acpi", "/proc/scsi")
HOME_BYTES = 256 * MB
HIDDEN_BYTES = MB

# Tool managers have these folders below the home; their programs need the whole folder.
TOOL_HOMES = frozenset(
    """
    .asdf .bun .cargo .deno .fnm .ghcup .goenv .jenv .juliaup .mise .nix-profile .nodenv .nvm
    .opam .phpenv .plenv .proto .pyenv .rbenv .rustup .rvm .rye .sdkman .swiftenv .volta
    """.split()  # noqa: SIM905  a column of quoted names says no more
)
# Programs in any other folder need these beside them to run.
BESIDE = ("lib", "lib64", "libexec", "include", "pyvenv.cfg")
ALSO = {
    ".cargo": (".rustup",),
    ".local/bin": (".local/pipx", ".local/share/pipx", ".local/share/uv"),
}
CREDENTIALS = (
    "*.key", "*.pem", "*credential*", "*secret*", "*token*", ".netrc", ".npmrc", ".pypirc",
    "auth.*", "config.json", "gradle.properties", "settings*.xml",
)  # fmt: skip


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
    reason = _explain_no_sandbox(environ)
    if reason and demanded:
        best = Isolation.CHECKOUT.value
        raise IsolationUnavailable(
            demanded=demanded.value, available=best, reason=reason, hint=hint
        )
    return Isolation.CHECKOUT if reason else Isolation.SANDBOX


def build_sandbox_command(
    argv: Sequence[str],
    *,
    checkout: str,
    home: str,
    tmp: str,
    hidden: Sequence[str],
    path: str,
    user_home: str,
    network: bool = False,
    cwd: str = "",
) -> list[str]:
    """Return the command that runs argv in a sandbox; the caller passes the environment.

    It runs in `cwd`, a folder of the checkout, else in the checkout itself.
    """
    user_home = os.path.realpath(user_home)
    hidden = [os.path.realpath(place) for place in hidden]
    own = [os.path.realpath(place) for place in (checkout, home, tmp)]
    mounts = [*_list_emptied(hidden, user_home), *_list_tools(path, user_home, hidden)]
    mounts += [_Mount(place, _OWN, ("--bind", place)) for place in own]
    if network:
        mounts += [
            _make_shown_mount(place) for place in ("/run/systemd/resolve",) if os.path.isdir(place)
        ]
    return [
        _find_bubblewrap(path) or "bwrap",
        *("--unshare-all", *(["--share-net"] if network else []), "--die-with-parent"),
        *("--new-session", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(word for file in KERNEL for word in ("--ro-bind-try", file, file)),
        *("--remount-ro", "/dev"),
        *(option for mount in _order_mounts(mounts) for option in (*mount.options, mount.path)),
        *("--chdir", os.path.realpath(cwd) if cwd else own[0], "--", *argv),
    ]


def build_read_only_prefix(
    sealed: Sequence[str], free: Sequence[str], *, cwd: str, environ: Mapping[str, str]
) -> list[str]:
    """Return the words to put before a command so that it can write anywhere but below `sealed`.

    It can write to folders below that are `free`. The list is empty if the system cannot do it.
    """
    if _explain_no_sandbox(environ):
        return []
    program = _find_bubblewrap(environ.get("PATH", os.defpath)) or "bwrap"
    sealed = [os.path.realpath(place) for place in sealed]
    free = [os.path.realpath(place) for place in free]
    return [
        *(program, "--dev-bind", "/", "/", "--die-with-parent"),
        *(word for place in sealed for word in ("--ro-bind", place, place)),
        *(word for place in free for word in ("--bind", place, place)),
        *("--chdir", os.path.realpath(cwd), "--"),
    ]


def unwrap_outcome(ran: Ran) -> Ran:
    """Return how the program in the sandbox ended; bubblewrap adds 128 to a signal."""
    if not isinstance(ran, Exited):
        return ran
    err = ran.err.whole or b""
    is_of_bubblewrap = err.startswith(b"bwrap: ") and err.count(b"\n") == 1
    if ran.code == 1 and ran.out.size == 0 and is_of_bubblewrap:
        return NotStarted(ran.err.text.strip())
    if ran.code == 128 + SIGXFSZ:
        return LimitHit("file", ran.out, ran.err, ran.seconds)
    if ran.code - 128 in {number.value for number in Signals}:
        return Signalled(ran.code - 128, ran.out, ran.err, ran.seconds)
    return ran


# These functions find out whether there is a sandbox.


_USUAL = ("/usr/bin", "/usr/local/bin", "/bin")  # the caller's PATH may lack them


def _explain_no_sandbox(environ: Mapping[str, str]) -> str:
    program = _find_bubblewrap(environ.get("PATH", os.defpath))
    return _try_sandbox(program) if program else "bubblewrap (bwrap) is not installed for all users"


def _find_bubblewrap(path: str) -> str | None:
    """Return the bwrap on PATH that root installed; an agent may have put another one there."""
    for entry in [*path.split(os.pathsep), *_USUAL]:
        program = os.path.realpath(os.path.join(entry, "bwrap"))
        if not os.path.isabs(entry) or not os.access(program, os.X_OK):
            continue
        if os.path.isfile(program) and os.stat(program).st_uid == 0:
            return program
    return None


@cache
def _try_sandbox(program: str) -> str:
    """Return why bubblewrap does not work: it may be too old, or namespaces are forbidden."""
    with tempfile.TemporaryDirectory() as place:
        argv = build_sandbox_command(
            ["/bin/sh", "-c", ":"],
            checkout=place,
            home=place,
            tmp=place,
            hidden=(),
            path=os.path.dirname(program),
            user_home=os.path.expanduser("~"),
        )
        limits = ProgramLimits(seconds=20.0, free_mb=0)
        ran = run([program, *argv[1:]], cwd=place, env={"PATH": os.defpath}, limits=limits)
    if isinstance(ran, NotStarted):
        return ran.reason
    is_good = isinstance(ran, Exited) and ran.code == 0
    return "" if is_good else ran.err.text.strip() or "its trial run failed"


# Mounts say what is visible inside. Of several mounts at one path the highest rank counts.

_COVER, _SHOWN, _HIDDEN, _OWN = range(4)


class _Mount(Value):
    path: str
    rank: int
    options: tuple[str, ...]

    @property
    def is_emptying(self) -> bool:
        return "--tmpfs" in self.options


def _make_empty_mount(place: str, rank: int, size: int) -> _Mount:
    return _Mount(place, rank, ("--size", str(size), "--tmpfs"))


def _make_shown_mount(place: str) -> _Mount:
    return _Mount(place, _SHOWN, ("--ro-bind", os.path.realpath(place)))


def _list_emptied(hidden: Sequence[str], home: str) -> Iterator[_Mount]:
    for place, size in PRIVATE.items():
        if os.path.isdir(place):
            yield _make_empty_mount(os.path.realpath(place), _COVER, size)
    if os.path.isdir(home) and home != "/":
        yield _make_empty_mount(home, _COVER, HOME_BYTES)
    for place in hidden:
        if os.path.isdir(place):
            yield _make_empty_mount(place, _HIDDEN, HIDDEN_BYTES)
        elif os.path.exists(place):
            yield _Mount(place, _HIDDEN, ("--ro-bind", "/dev/null"))


def _list_tools(path: str, home: str, hidden: Sequence[str]) -> Iterator[_Mount]:
    """Yield mounts of what PATH and this interpreter need, where it would be invisible."""
    covered = [home, *map(os.path.realpath, PRIVATE)]
    for entry in path.split(os.pathsep):
        for place in _list_spellings(entry, home):
            if lies_in_any(place, covered) and not lies_in_any(place, hidden):
                yield from _list_around(place, home)
    for prefix in (sys.base_prefix, sys.prefix):
        for place in _list_spellings(prefix, home):
            if lies_in_any(place, [*covered, *hidden]) and not lies_in_any(home, [place]):
                yield _make_shown_mount(place)


def _list_spellings(place: str, home: str) -> Iterator[str]:
    """Yield the real path; and the path as it is written, if the link to it becomes invisible."""
    real = os.path.realpath(place)
    if os.path.isabs(place) and os.path.isdir(real):
        yield real
        parent, name = os.path.split(os.path.normpath(place))
        spelled = os.path.join(os.path.realpath(parent), name)
        if spelled != real and lies_in_any(spelled, [home]):
            yield spelled


def _list_around(entry: str, home: str) -> Iterator[_Mount]:
    """Yield an entry of PATH, with what its programs need to run."""
    below = os.path.relpath(entry, home) if lies_in_any(entry, [home]) else ""
    steps = below.split(os.sep)
    also = [os.path.join(home, name) for name in ALSO.get(steps[0], ALSO.get(below, ()))]
    if steps[0] in TOOL_HOMES:
        whole = [os.path.join(home, steps[0]), *also]
    elif steps[:2] == [".local", "share"] and len(steps) > len([".local", "share"]):
        whole = [os.path.join(home, *steps[:3])]
    else:
        yield from map(_make_shown_mount, _list_beside(entry, home))
        whole = also
    for place in filter(os.path.isdir, whole):
        yield from map(_make_shown_mount, _without_credentials(place))


def _without_credentials(place: str) -> list[str]:
    """Return the folder, or all in it but credentials; tools would fail at empty files."""
    names = os.listdir(place)
    harmless = [
        name
        for name in names
        if not os.path.isfile(os.path.join(place, name))
        or not any(fnmatch(name.lower(), like) for like in CREDENTIALS)
    ]
    if len(harmless) == len(names):
        return [place]
    return [os.path.join(place, name) for name in harmless]


def _list_beside(entry: str, home: str) -> Iterator[str]:
    if entry != home:
        yield entry
    for name in BESIDE:
        place = os.path.join(os.path.dirname(entry), name)
        if os.path.exists(place) and os.path.basename(entry) == "bin":
            yield place


def _order_mounts(mounts: Sequence[_Mount]) -> list[_Mount]:
    """Put outer mounts first; a hidden path below an emptied folder needs no mount."""
    firmest: dict[str, _Mount] = {}
    for mount in sorted(mounts, key=lambda mount: mount.rank):
        firmest[mount.path] = mount
    kept: list[_Mount] = []
    for mount in sorted(firmest.values(), key=lambda mount: mount.path.split(os.sep)):
        around = [other for other in kept if lies_in_any(mount.path, [other.path])]
        if mount.rank == _HIDDEN and around and around[-1].is_emptying:
            continue
        kept.append(mount)
    return kept
