"""A check is shut in by a bubblewrap command, which is built and run here.

In the sandbox the root is read-only, and of it only the system's folders are shown; homes, the
temporary folders and what the caller hides are empty; there is no network, and no other process is
visible. Tools on PATH that lie below an emptied folder are mounted again, read-only, and without
the credentials beside them.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from signal import SIGXFSZ, Signals

from goalkeeper.system.environment import find_system_program, lies_in_any
from goalkeeper.system.family import PRIVATE
from goalkeeper.system.run import (
    KEEP_BYTES,
    MB,
    Exited,
    LimitHit,
    NotStarted,
    ProgramLimits,
    Ran,
    Signalled,
    build_limiting_words,
    run,
)
from goalkeeper.system.seccomp import build_filter
from goalkeeper.wire.value import Value
from goalkeeper.witness.credentials import list_without_credentials, scan_folder
from goalkeeper.witness.sockets import list_sockets

# Checks need the system's folders. All other folders beside them hold somebody's data.
SYSTEM = {
    "/": frozenset(
        "bin dev etc gnu lib lib32 lib64 libx32 nix opt proc sbin snap sys usr var".split()  # noqa: SIM905
    ),
    "/var": frozenset({"cache", "lib"}),
}
# Below these, so deep, what not everybody may read is hidden; root can read it without any right.
_UNSHARED = {"/etc": 8, "/opt": 1, "/var/cache": 1, "/var/lib": 1}
PROGRAMS = ("/bin", "/sbin", "/usr")  # accounts of the system have these as their homes
# root can write to these even without any capability; bubblewrap covers only some of them.
KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/mtrr", "/proc/acpi", "/proc/scsi")
KEYS = ("/proc/keys", "/proc/key-users")  # they name the keys that the user's session has
HOME_BYTES = 256 * MB
HIDDEN_BYTES = MB

# Tool managers have these folders, most below a home; their programs need the whole folder.
TOOL_HOMES = frozenset(
    """
    .asdf .bun .cargo .deno .fnm .ghcup .goenv .jenv .juliaup .linuxbrew .mise .nix-profile .nodenv
    .nvm .opam .phpenv .plenv .proto .pyenv .rbenv .rustup .rvm .rye .sdkman .swiftenv .volta
    """.split()  # noqa: SIM905  a column of quoted names says no more
)
# Programs in any other folder need these beside them to run.
BESIDE = ("lib", "lib64", "libexec", "include", "conf", "pyvenv.cfg")
ALSO = {
    ".cargo": (".rustup",),
    ".local/bin": (
        ".local/pipx", ".local/share/pipx", ".local/share/uv/python", ".local/share/uv/tools",
    ),
}  # fmt: skip
# Tools keep caches in these folders of what was lent; each check finds them empty.
CACHES = {"node_modules": (".cache", ".vite", ".vite-temp")}
_COUNTS_NAMESPACES = (5, 14)  # since then the kernel counts processes in each user namespace
BUBBLEWRAP = "bwrap"
_NAMES = ("dev", "user", "build")


class PlainAccount(Value):
    """The account that a check in a sandbox seems to have: its name and folders tell nothing."""

    name: str
    around: str  # where accounts have their homes

    @property
    def home(self) -> str:
        return os.path.join(self.around, self.name)

    @property
    def tmp(self) -> str:
        return os.path.join(self.around, "tmp")

    @property
    def project(self) -> str:
        return os.path.join(self.around, "project")


def find_plain_account() -> PlainAccount | None:
    """Return an account that nobody has here: what a user installed for himself is not a check's.

    There is none where the system has no folder for homes.
    """
    around = os.path.realpath("/home")
    names = (name for name in _NAMES if not os.path.lexists(os.path.join(around, name)))
    return PlainAccount(next(names, _NAMES[-1]), around) if os.path.isdir(around) else None


def build_sandbox_command(
    argv: Sequence[str],
    *,
    checkout: str,
    home: str,
    tmp: str,
    hidden: Sequence[str],
    path: str,
    user_homes: Sequence[str],
    cwd: str = "",
    fetching: str = "",
    seen_at: str = "",
    lent: Mapping[str, str] | None = None,
    shown: Sequence[str] = (),
    account: PlainAccount | None = None,
) -> list[str]:
    """Return the command that runs argv in a sandbox; the caller passes the environment.

    The checkout is seen at `seen_at`, else where it lies, and home and tmp are where an account
    has them, if there is one. What is `lent` stands in the checkout, by its path
    there, read-only. The command runs in `cwd`, else in the checkout itself. One that fetches has
    the network, and the folder `fetching` stands where the checkout is. What is `shown` is visible
    wherever it lies, read-only.
    """
    hidden = [os.path.realpath(place) for place in hidden]
    at = os.path.realpath(seen_at or checkout)
    own = {os.path.realpath(place): os.path.realpath(place) for place in (home, tmp)}
    if account:
        own = dict(zip((account.home, account.tmp), own, strict=True))
    emptied = [*_list_emptied(user_homes)]
    covered = [mount.path for mount in emptied]
    mounts = [*emptied, *_list_hidden(hidden), *_list_tools(path, covered, hidden)]
    if account:  # an empty folder of the system is shown as it is, and nothing can be made in it
        mounts.append(_make_empty_mount(account.around, _COVER, HIDDEN_BYTES))
    mounts += [_Mount(place, _OWN, ("--bind", source)) for place, source in own.items()]
    mounts.append(_Mount(at, _OWN, ("--bind", os.path.realpath(fetching or checkout))))
    mounts += _list_lent(at, lent or {})
    mounts += map(_make_shown_mount, shown)
    if fetching and os.path.isdir("/run/systemd/resolve"):
        mounts.append(_make_shown_mount("/run/systemd/resolve"))
    return [
        find_system_program(BUBBLEWRAP, path) or BUBBLEWRAP,
        *("--unshare-all", *(["--share-net"] if fetching else []), "--die-with-parent"),
        *("--new-session", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(word for file in KERNEL for word in ("--ro-bind-try", file, file)),
        *(w for file in KEYS if os.path.exists(file) for w in ("--ro-bind", "/dev/null", file)),
        *("--remount-ro", "/dev"),
        *(option for mount in _order_mounts(mounts) for option in (*mount.options, mount.path)),
        *("--chdir", cwd or at, "--", *argv),
    ]


def run_in_sandbox(
    command: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    limits: ProgramLimits,
    keep_bytes: int = KEEP_BYTES,
    inherited: Sequence[int] = (),
) -> Ran:
    """Run what `build_sandbox_command` returned; the kernel refuses calls that no check needs."""
    reading, writing = os.pipe()  # bubblewrap reads the filter from a file that is open already
    try:
        with open(writing, "wb") as pipe:
            pipe.write(build_filter())
        begin = command.index("--") + 1
        # Inside, processes are counted for the sandbox alone.
        limiting = build_limiting_words(limits, **_limit_processes(limits.processes))
        argv = [command[0], "--seccomp", str(reading), *command[1:begin]]
        ran = run(
            [*argv, *limiting, *command[begin:]],
            cwd=cwd,
            env=env,
            limits=limits,
            keep_bytes=keep_bytes,
            inherited=(reading, *inherited),
            limits_itself=bool(limiting),
        )
    finally:
        os.close(reading)
    return _unwrap_outcome(ran)


def _limit_processes(most: int) -> dict[str, int]:
    """Return the limit of processes that the kernel is asked to enforce.

    The kernel limits root nowhere, and before 5.14 it counted all processes of a user, also those
    outside. The watch ends a program before it comes to this limit.
    """
    version = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
    return {} if os.getuid() == 0 or version < _COUNTS_NAMESPACES else {"NPROC": 2 * most}


def _unwrap_outcome(ran: Ran) -> Ran:
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
    """Return a mount that hides what is there; a file becomes an empty one."""
    if os.path.isdir(place):
        return _Mount(place, rank, ("--size", str(size), "--tmpfs"))
    return _Mount(place, rank, ("--ro-bind", "/dev/null"))


def _make_shown_mount(place: str) -> _Mount:
    return _Mount(place, _SHOWN, ("--ro-bind", os.path.realpath(place)))


def _make_link(place: str) -> _Mount:
    """Return a link as it is: what it leads to is visible only if that is shown, too."""
    return _Mount(place, _SHOWN, ("--symlink", os.readlink(place)))


def _list_emptied(homes: Sequence[str]) -> Iterator[_Mount]:
    parents = [*SYSTEM, *_UNSHARED]
    changed = tuple(os.stat(place).st_mtime_ns for place in parents if os.path.isdir(place))
    for place in filter(os.path.lexists, _list_private_places(changed)):
        yield _make_empty_mount(place, _COVER, HIDDEN_BYTES)
    for place, size in PRIVATE.items():
        if os.path.isdir(place):
            yield _make_empty_mount(os.path.realpath(place), _COVER, size)
    for home in homes:
        if home == "/":  # it cannot be emptied, but what a home keeps for itself begins with a dot
            for name in os.listdir(home):
                if name.startswith("."):
                    yield _make_empty_mount(os.path.realpath(f"/{name}"), _COVER, HIDDEN_BYTES)
        elif os.path.isdir(home) and not lies_in_any(home, PROGRAMS):
            yield _make_empty_mount(home, _COVER, HOME_BYTES)


@cache
def _list_private_places(_: tuple[int, ...]) -> tuple[str, ...]:
    """Return folders that are none of the system's, and what not everybody may read of these.

    They are listed again when anything comes to one of the system's folders.
    """
    found = []
    for parent, shown in SYSTEM.items():
        with os.scandir(parent) as entries:
            found += [
                entry.path
                for entry in entries
                if entry.name not in shown
                and entry.is_dir(follow_symlinks=False)
                and _is_filled(entry)
            ]
    for place, depth in _UNSHARED.items():
        found += _list_unshared(place, depth)
    return tuple(found)


def _is_filled(entry: os.DirEntry[str]) -> bool:
    """Return whether there is anything to hide; what we may not read we take for full."""
    try:
        return bool(os.listdir(entry.path) if entry.is_dir() else entry.stat().st_size)
    except OSError:
        return True


def _list_unshared(place: str, depth: int) -> Iterator[str]:
    """Yield what we may read of a folder and not everybody else may."""
    for entry in scan_folder(place):
        if entry.is_symlink():
            continue
        mode = entry.stat(follow_symlinks=False).st_mode
        needed = stat.S_IROTH | stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH
        if mode & needed != needed:
            if os.access(entry.path, os.R_OK) and _is_filled(entry):
                yield entry.path
        elif stat.S_ISDIR(mode) and depth > 1:
            yield from _list_unshared(entry.path, depth - 1)


def _list_lent(at: str, lent: Mapping[str, str]) -> Iterator[_Mount]:
    for path, source in lent.items():
        place = os.path.join(at, path)
        yield _Mount(place, _OWN, ("--ro-bind", source))
        for name in CACHES.get(os.path.basename(path), ()):
            yield _Mount(os.path.join(place, name), _OWN, ("--tmpfs",))


def _list_hidden(hidden: Sequence[str]) -> Iterator[_Mount]:
    for place in (*hidden, *list_sockets()):
        if os.path.exists(place):
            yield _make_empty_mount(place, _HIDDEN, HIDDEN_BYTES)


def _list_tools(path: str, covered: Sequence[str], hidden: Sequence[str]) -> Iterator[_Mount]:
    """Yield mounts of what PATH and this interpreter need, where it would be invisible."""
    for entry in dict.fromkeys(path.split(os.pathsep)):
        for place in _list_spellings(entry, covered):
            if lies_in_any(place, covered) and not lies_in_any(place, hidden):
                yield from _list_around(place, covered)
    for prefix in (sys.base_prefix, sys.prefix):
        for place in _list_spellings(prefix, covered):
            is_home = any(lies_in_any(spot, [place]) for spot in covered)
            if lies_in_any(place, [*covered, *hidden]) and not is_home:
                yield from _list_shown(place)


def _list_spellings(place: str, covered: Sequence[str]) -> Iterator[str]:
    """Yield the real path; and the path as it is written, if the link to it becomes invisible."""
    real = os.path.realpath(place)
    if os.path.isabs(place) and os.path.isdir(real):
        yield real
        parent, name = os.path.split(os.path.normpath(place))
        spelled = os.path.join(os.path.realpath(parent), name)
        if spelled != real and lies_in_any(spelled, covered):
            yield spelled


def _list_around(entry: str, covered: Sequence[str]) -> Iterator[_Mount]:
    """Yield an entry of PATH, with what its programs need to run."""
    steps = entry.split(os.sep)
    known = [n for n, step in enumerate(steps) if step in TOOL_HOMES or step == ".local"]
    home, below = (steps[: known[0]], steps[known[0] :]) if known else (steps, [""])
    also = [
        os.path.join("/", *home, name) for name in ALSO.get(below[0], ALSO.get("/".join(below), ()))
    ]
    if below[0] in TOOL_HOMES:
        whole = [os.path.join("/", *home, below[0]), *also]
    elif below[:2] == [".local", "share"] and len(below) > len([".local", "share"]):
        whole = [os.path.join("/", *home, *below[:3])]
    else:
        whole = [*_list_beside(entry, covered), *also]
    for place in filter(os.path.exists, whole):
        yield from _list_shown(place)


def _list_shown(place: str) -> Iterator[_Mount]:
    for shown in list_without_credentials(place):
        is_link = shown != place and os.path.islink(shown)
        yield _make_link(shown) if is_link else _make_shown_mount(shown)


def _list_beside(entry: str, covered: Sequence[str]) -> Iterator[str]:
    if entry not in covered:
        yield entry
    for name in BESIDE:
        place = os.path.join(os.path.dirname(entry), name)
        if os.path.exists(place) and os.path.basename(entry) == "bin":
            yield place


def _order_mounts(mounts: Sequence[_Mount]) -> list[_Mount]:
    """Put outer mounts first, and leave out those that the one around them makes needless."""
    firmest: dict[str, _Mount] = {}
    for mount in sorted(mounts, key=lambda mount: mount.rank):
        firmest[mount.path] = mount
    kept: list[_Mount] = []
    for mount in sorted(firmest.values(), key=lambda mount: mount.path.split(os.sep)):
        around = [other for other in kept if lies_in_any(mount.path, [other.path])]
        is_gone = mount.rank == _HIDDEN and around and around[-1].is_emptying
        is_seen = mount.rank == _SHOWN and around and around[-1].rank == _SHOWN
        if not is_gone and not is_seen:
            kept.append(mount)
    return kept
