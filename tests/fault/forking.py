"""A process with goalkeeper loaded, which forks a child for each command it is given.

Starting the interpreter is nine tenths of a command; a fork is as real a process to kill.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from goalkeeper import wiring
from goalkeeper.cli.table import COMMANDS, parser_for
from tests.doubles import faults
from tests.fault.rig import Repo


class Forks:
    def __init__(self, parent: subprocess.Popen[bytes]) -> None:
        self._parent = parent

    def run(self, repo: Repo, where: str, *argv: str) -> int:
        """Run the command line in a child that meets a fault; how the child ended."""
        self.start(repo.root, repo.environ, where, *argv)
        return self.end()

    def start(self, root: Path, env: Mapping[str, str], where: str, *argv: str) -> int:
        """Start it; the child's number. One child at a time."""
        assert self._parent.stdin
        order = {"root": str(root), "env": dict(env), "argv": [where, *argv]}
        self._parent.stdin.write(json.dumps(order).encode() + b"\n")
        return self._hear()

    def end(self) -> int:
        """Wait until the child has ended; how it did."""
        return self._hear()

    def has_ended(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        assert self._parent.stdout
        return bool(select.select([self._parent.stdout], [], [], seconds)[0])

    @contextmanager
    def stopped(self, repo: Repo, where: str, *argv: str) -> Iterator[None]:
        """A command that stands still at a write point; it dies with the block."""
        child = self.start(repo.root, repo.environ, f"{where},stop", *argv)
        assert self._hear() == -signal.SIGSTOP, "it ended before it was stopped"
        try:
            yield
        finally:
            os.kill(child, signal.SIGKILL)
            self.end()

    def _hear(self) -> int:
        assert self._parent.stdout
        return int(self._parent.stdout.readline())


@contextmanager
def forking() -> Iterator[Forks]:
    argv = [sys.executable, "-m", __name__]
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=root, stdin=pipe, stdout=pipe, bufsize=0) as parent:
        yield Forks(parent)


def serve() -> None:
    for name in COMMANDS:
        parser_for(name)  # loads the module, too
    for found in iter_modules(wiring.__path__):  # what commands load when they use it
        import_module(f"{wiring.__name__}.{found.name}")
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_carry_out(order["root"], order["env"], order["argv"]))
        _say(child)
        _, status = os.waitpid(child, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            _say(-os.WSTOPSIG(status))
            _, status = os.waitpid(child, 0)
        _say(os.waitstatus_to_exitcode(status))


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def _carry_out(root: str, env: dict[str, str], argv: list[str]) -> int:
    os.chdir(root)
    os.environ.clear()
    os.environ.update(env)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    return faults.run(argv)


if __name__ == "__main__":
    serve()
