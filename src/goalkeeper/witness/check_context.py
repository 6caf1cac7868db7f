"""What a check gets: the files of one exact tree, facts of the work, and a way to run programs.

A check that only reads files reads them from the tree, where no other check can have changed
them. A check that runs a program runs it in a checkout of that tree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from signal import SIGKILL
from typing import Protocol, TypeAlias

from goalkeeper.app.trials import Files
from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.reads import Reads
from goalkeeper.core.contract.test_cases import TestCase
from goalkeeper.git.commits import Commit
from goalkeeper.system.run import (
    KEEP_BYTES,
    Exited,
    LimitHit,
    NotStarted,
    ProgramLimits,
    Ran,
    Signalled,
    describe_end,
)
from goalkeeper.wire.value import Value

TMP = "\0"  # no word of a command can have this character
OUTPUT_BYTES = 64 << 20  # the most bytes of a file that a program writes for a check
Cases: TypeAlias = tuple[TestCase, ...]
_NAMED = 3


class WorkFacts(Value):
    """Facts of the work besides the tree: the history, the plan, the time."""

    changed: tuple[str, ...]  # paths that differ from base, on both sides of renames
    is_clean: Callable[[], bool]  # returns whether everything in the working tree is committed
    commits: Callable[..., tuple[Commit, ...]]  # returns commits since base that touch paths
    moment: Callable[[str], float | None]  # returns the moment of an iso:, git: or file: reference
    completed: Mapping[str, str]  # it maps a goal id to the moment
    mtimes: Callable[[str], list[float]]  # returns times of files that match a glob
    now: float
    replays: tuple[tuple[str, ...], ...] = ()  # patterns of commands that may be replayed
    # The commands of [verify], where also all tools of the project may be replayed; else None.
    tools: tuple[tuple[str, ...], ...] | None = None


class CheckContext(Protocol):
    @property
    def files(self) -> Files: ...
    @property
    def work(self) -> WorkFacts: ...
    def run_program(self, call: ProgramCall) -> ProgramRun: ...


class ProgramCall(Value):
    """A program that a check wants to run, and its options."""

    argv: tuple[str, ...]  # TMP in it stands for the folder for temporary files
    options: Mapping[str, object]  # the options of the check
    outputs: tuple[str, ...] = ()  # files that it must write into the checkout, or below TMP
    keep_bytes: int = KEEP_BYTES

    @property
    def cwd(self) -> str:
        return str(self.options.get("cwd") or "")

    def list_words(self, tmp: str) -> tuple[str, ...]:
        return tuple(word.replace(TMP, tmp) for word in self.argv)

    def place_outputs(self, tree: str, tmp: str) -> list[str]:
        return [os.path.join(tree, path.replace(TMP, tmp)) for path in self.outputs]

    def choose_limits(self, usual: ProgramLimits) -> ProgramLimits:
        seconds = self.options.get("timeout") or usual.seconds
        return usual.replace(seconds=float(str(seconds)))

    def build_variables(self) -> dict[str, str]:
        """Return the variables to add to its environment."""
        more = self.options.get("env")
        return {str(k): str(v) for k, v in more.items()} if isinstance(more, Mapping) else {}


class ProgramRun(Value):
    """A program that ran in the checkout, and the files that it had to write."""

    argv: tuple[str, ...]
    ran: Ran
    outputs: tuple[bytes, ...] = ()  # an output is empty where there is no plain file of this run
    root: str = ""  # the checkout it ran in
    beside: Ran | None = None  # how the product's own process ended, if the two were a pair

    def require_exit(self) -> Exited:
        """Return how the program ended; raise CheckEnded if the check cannot judge that."""
        if isinstance(self.ran, Exited):
            return self.ran
        said = describe_end(self.ran, self.argv[0])
        if isinstance(self.ran, LimitHit) and self.ran.limit in _SETTINGS:
            said = f"{said} ({_SETTINGS[self.ran.limit]})"
        if isinstance(self.ran, Signalled) and self.ran.signal != SIGKILL:
            raise CheckEnded(make_failed(said, self))
        program = self.argv[0]
        is_of_tree = "/" in program and not os.path.isabs(program)
        outside = not (is_of_tree and isinstance(self.ran, NotStarted))
        raise CheckEnded(make_unknown(said, self, outside=outside))


class CheckResult(Value):
    """The result of a check: the verdict, the reason in a few words, and its evidence."""

    verdict: Verdict
    reason: str
    ended: ProgramRun | None = None
    cases: Cases = ()
    reads: Reads | None = None  # what it was seen to open of its tree; None if that is unknown
    outside: bool = False  # it is unknown for a reason that lies outside of the tree
    asked: str = ""  # how the product was asked, if not in the process of the tests

    @property
    def ran(self) -> Ran | None:
        """How its program ran, if it has one."""
        return self.ended.ran if self.ended else None


CheckRunner = Callable[[Check, CheckContext], CheckResult]


# Where each limit is set. The settings of the base tree count.
_SETTINGS = {
    "time": "timeout of the check, or else [witness] timeout in the base tree",
    "memory": "[witness] memory_mb in the base tree",
    "output": "[witness] output_mb in the base tree",
    "processes": "[witness] processes in the base tree",
}


class CheckEnded(Exception):
    """A check ended before its last step, with this result."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.reason)
        self.result = result


def require_file(place: CheckContext, path: str, problem: str = "is missing") -> bytes:
    """Return the bytes of a plain file of the tree; without one the check has failed."""
    data = place.files.read_file(path)
    if data is None:
        raise CheckEnded(make_failed(f"{path} {problem}"))
    return data


def list_some(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def make_passed(reason: str, ended: ProgramRun | None = None, cases: Cases = ()) -> CheckResult:
    return CheckResult(Verdict.PASSED, reason, ended, cases)


def make_failed(reason: str, ended: ProgramRun | None = None, cases: Cases = ()) -> CheckResult:
    return CheckResult(Verdict.FAILED, reason, ended, cases)


def make_unknown(
    reason: str, ended: ProgramRun | None = None, *, outside: bool = False
) -> CheckResult:
    return CheckResult(Verdict.UNKNOWN, reason, ended, outside=outside)


def make_result(
    problem: str, passed: str, ended: ProgramRun | None = None, cases: Cases = ()
) -> CheckResult:
    """Return a failure if there is a problem; otherwise the check has passed."""
    return make_failed(problem, ended, cases) if problem else make_passed(passed, ended, cases)
