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


ESCAPES = (
    Escape("waits for input", *both("its input is empty")),
    Escape("prints without end", *both("killed at the limit; only head and tail are kept")),
    Escape("prints invalid UTF-8", *both("the bytes are shown as escapes")),
    Escape("runs without end and ignores SIGTERM", *both("killed half a second later")),
    Escape("allocates too much memory", *both("not given; to the program it is an error")),
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
