"""A process with goalkeeper loaded, which forks a child for each command it is given.

Starting the interpreter is nine tenths of a command; a fork is as real a process to kill.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pkgutil import iter_modules

from goalkeeper import wiring
from goalkeeper.cli.table import COMMANDS, parser_for
from tests.doubles import faults
from tests.fault.rig import Repo


class Forks:
    def __init__(self, parent: subprocess.Popen[str]) -> None:
        self._parent = parent

    def run(self, repo: Repo, where: str, *argv: str) -> int:
        """Run the command line in a child that meets a fault; how the child ended."""
        assert self._parent.stdin
        assert self._parent.stdout
        order = {"root": str(repo.root), "env": repo.environ, "argv": [where, *argv]}
        self._parent.stdin.write(json.dumps(order) + "\n")
        self._parent.stdin.flush()
        return int(self._parent.stdout.readline())


@contextmanager
def forking() -> Iterator[Forks]:
    argv = [sys.executable, "-m", __name__]
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=root, stdin=pipe, stdout=pipe, text=True) as parent:
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
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
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
