"""A checkout with all around it that a check must not touch, at one level of isolation."""

import os
import pwd
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from goalkeeper.system.environment import build_check_environment, find_homes
from goalkeeper.system.run import Exited, ProgramLimits, Ran, run
from goalkeeper.witness.isolation import Isolation
from goalkeeper.witness.sandbox import build_sandbox_command, run_in_sandbox

SECRET = "the-secret-of-the-user"
LIMITS = ProgramLimits(seconds=60.0, free_mb=0)
MB = 1 << 20
HOMES = ("usual", "elsewhere", "unset")  # what HOME is, for the user of a yard


class Yard:
    def __init__(self, base: Path, user_home: Path, level: Isolation) -> None:
        self.level = level
        self.user_environ = {**os.environ, "HOME": str(user_home)}
        self.base = base
        self.user_home = user_home
        self.checkout, self.home, self.tmp, self.repository = (
            self._made(name) for name in ("checkout", "home", "tmp", "repository")
        )
        self.ledger = self.repository / ".goalkeeper" / "ledger.jsonl"
        self.key = user_home / ".config" / "goalkeeper" / "approval.key"
        self.diary = user_home / "diary.txt"
        for file in (self.ledger, self.key, self.diary):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(SECRET)

    def _made(self, name: str) -> Path:
        (self.base / name).mkdir()
        return self.base / name

    def argv(self, *argv: str) -> list[str]:
        if self.level is not Isolation.SANDBOX:
            return list(argv)
        return build_sandbox_command(
            argv,
            checkout=str(self.checkout),
            home=str(self.home),
            tmp=str(self.tmp),
            hidden=[str(self.repository), str(self.key.parent)],
            path=self.env["PATH"],
            user_homes=find_homes(self.user_environ),
        )

    @property
    def env(self) -> dict[str, str]:
        hidden = [str(self.repository)]
        home, tmp = str(self.home), str(self.tmp)
        return build_check_environment(os.environ, home=home, tmp=tmp, keep=(), forbidden=hidden)

    def run(self, *argv: str, **limits: float) -> Ran:
        cwd = str(self.checkout)
        start = run_in_sandbox if self.level is Isolation.SANDBOX else run
        return start(self.argv(*argv), cwd=cwd, env=self.env, limits=LIMITS.replace(**limits))

    def python(self, code: str, *args: object, **limits: float) -> Ran:
        return self.run(sys.executable, "-c", code, *map(str, args), **limits)

    def succeeds(self, code: str, *args: object) -> bool:
        ran = self.python(code, *args)
        assert isinstance(ran, Exited), ran
        return ran.code == 0


def make_yard(base: Path, home: Path, level: Isolation, kind: str) -> Yard:
    """Return a yard; its user has the account's home, another one, or no HOME."""
    yard = Yard(base, home, level)
    account = pwd.getpwuid(os.getuid()).pw_dir
    yard.user_environ["HOME"] = {"usual": account, "elsewhere": str(home), "unset": ""}[kind]
    return yard


@contextmanager
def pipe_in(folder: Path) -> Iterator[int]:
    """A named pipe to read from: it ends when all who hold it are dead."""
    os.mkfifo(folder / "pipe")
    fd = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield fd
    finally:
        os.close(fd)
