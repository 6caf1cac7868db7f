"""What a hostile check may try, and what stops it at which level of isolation.

The documentation prints this table; test_escapes.py tries every row.
"""

from typing import NamedTuple


class Met(NamedTuple):
    stopped: bool
    how: str


class Escape(NamedTuple):
    name: str
    checkout: Met
    sandbox: Met


def both(how: str) -> tuple[Met, Met]:
    return Met(stopped=True, how=how), Met(stopped=True, how=how)


def only_sandboxed(how: str) -> tuple[Met, Met]:
    return Met(stopped=False, how="as the user may"), Met(stopped=True, how=how)


READ_ONLY = (
    Met(stopped=False, how="as root; nobody else may"),
    Met(stopped=True, how="read-only, also for root"),
)


def as_root(how: str) -> tuple[Met, Met]:
    return Met(stopped=False, how="as root; nobody else may"), Met(stopped=True, how=how)


def open_in_both(how: str) -> tuple[Met, Met]:
    return Met(stopped=False, how=how), Met(stopped=False, how=how)


REFUSED = "the kernel is told to refuse it"
NO_RIGHTS = "it has no rights of root"
NOT_THERE = "there is none"
EMPTY = "the place is empty"
OF_THE_KERNEL = (
    "makes a user namespace", "forks into a user namespace", "forks so by the new call",
    "reads the session's keys", "adds a key to a keyring", "asks for a key",
    "watches the machine's counters", "handles page faults itself", "asks the kernel by rings",
    "opens a file by its number", "reads the kernel's messages", "keeps memory without a file",
    "keeps large memory by number", "types into a terminal", "uses the kernel's ciphers",
    "talks to the host of a virtual machine", "talks over bluetooth", "enters another namespace",
    "copies a tree of mounts", "mounts by the new calls", "loads a program into the kernel",
)  # fmt: skip
OF_ROOT = (
    "mounts a file system", "takes a mount away", "moves a mount", "changes a mount",
    "exchanges the root", "loads a module", "loads a module from a file", "takes a module out",
    "loads another kernel", "restarts the machine", "adds swap space", "turns accounting on",
    "changes quotas",
)  # fmt: skip
OF_RIGHTS = (
    "changes its root", "names the machine", "makes a device", "becomes another user",
    "gives a file away", "has rights of root", "may get rights of root", "sends raw packets",
)  # fmt: skip
OF_FILES = (
    "reads the passwords", "reads the passwords of groups", "reads the memory of the kernel",
    "reads a disk", "lists keys by name", "counts keys",
)  # fmt: skip
OF_WRITING = (
    "presses the kernel's emergency keys", "changes a setting of a device", "replaces a tool",
    "replaces a library of the interpreter",
)  # fmt: skip
OF_PLACES = (
    "reads the system's logs", "reads other projects", "reads another check's checkout",
    "looks into the account's home", "lists the homes of others", "reads shared memory of others",
    "attaches shared memory of others",
)  # fmt: skip
OF_PROCESSES = (
    "signals a process outside", "traces a process outside",
    "reads the memory of a process outside", "reads the variables of a process outside",
    "holds a handle of a process outside", "slows a process outside", "limits a process outside",
)  # fmt: skip
OF_NETWORKS = (
    "asks over IPv6", "sends a datagram", "sees the machine's networks",
    "calls a socket without a file", "calls a socket in a temporary folder",
    "calls a socket in a folder of the system",
)  # fmt: skip
# `tries.py` tries these, in one program. What happens in a checkout depends on the machine.
TRIED_TOGETHER = (
    *(Escape(name, *only_sandboxed(REFUSED)) for name in OF_THE_KERNEL),
    *(Escape(name, *as_root(REFUSED)) for name in OF_ROOT),
    *(Escape(name, *as_root(NO_RIGHTS)) for name in OF_RIGHTS),
    *(Escape(name, *as_root(EMPTY)) for name in OF_FILES),
    *(Escape(name, *READ_ONLY) for name in OF_WRITING),
    *(Escape(name, *only_sandboxed(EMPTY)) for name in OF_PLACES),
    *(Escape(name, *only_sandboxed(NOT_THERE)) for name in OF_PROCESSES),
    *(Escape(name, *only_sandboxed(NOT_THERE)) for name in OF_NETWORKS),
    Escape("gains rights by a program of root", *only_sandboxed("such programs gain none")),
    Escape("finds a first process without a filter", *only_sandboxed("it has the same filter")),
    Escape(
        "writes to a pipe in a folder of the system",
        *open_in_both("it can, where somebody put one; only root can put one there"),
    ),
    Escape(
        "locks a file that others see",
        *open_in_both("it can, and whoever watches locks, load or time outside may learn from it"),
    ),
)
ESCAPES = (
    Escape("waits for input", *both("its input is empty")),
    Escape("prints without end", *both("killed at the limit; only head and tail are kept")),
    Escape("prints invalid UTF-8", *both("the bytes are shown as escapes")),
    Escape("runs without end and ignores SIGTERM", *both("killed half a second later")),
    Escape("allocates too much memory", *both("not given; to the program it is an error")),
    Escape("spreads memory over processes", *both("killed when all together have too much")),
    Escape("shares memory by a mapping", *both("killed when all together have too much")),
    Escape(
        "fills a folder in memory",
        Met(stopped=False, how="as the user may"),
        Met(stopped=True, how="killed when all together have too much"),
    ),
    Escape(
        "keeps shared memory that no process has in sight",
        *open_in_both("it can, until less than 256 MB of the machine's memory are free"),
    ),
    Escape("starts processes without end", *both("killed when there are too many")),
    Escape("starts threads without end", *both("killed when there are too many")),
    Escape("writes a huge file", *both("ended at the size limit")),
    Escape("fills the disk with many files", *both("killed while space is left")),
    Escape("forks away into its own session", *both("found by the marker and killed")),
    Escape("forks away and clears its environment", *both("found among our orphans and killed")),
    Escape(
        "locks its checkout",
        Met(stopped=False, how="it can; we own the files and unlock them"),
        Met(stopped=False, how="it can; we own the files and unlock them"),
    ),
    Escape("writes beside its checkout", *only_sandboxed("lands in a private, empty place")),
    Escape("writes into the user's home", *only_sandboxed("lands in a private, empty place")),
    Escape("writes into the repository", *only_sandboxed("lands in a private, empty place")),
    Escape("reads the user's home", *only_sandboxed("the home is empty")),
    Escape("reads the ledger", *only_sandboxed("the repository is not there")),
    Escape("reads the approval key", *only_sandboxed("the place of the key is empty")),
    Escape("opens the network", *only_sandboxed("there is none")),
    Escape("looks into other processes", *only_sandboxed("there are none")),
    Escape("kills its parent", *only_sandboxed("its parent is the sandbox's own first process")),
    Escape("changes a kernel setting", *READ_ONLY),
    Escape("writes into the system's folders", *READ_ONLY),
)
