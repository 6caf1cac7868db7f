"""The composition root takes the outside world and makes an App.

Every command imports this module, so it imports little. What only some commands need is wired in
`wiring/`; a command imports the module there that it needs, and the table of commands imports one
command at a time. That is how the heavy ports are loaded late.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, TextIO

from goalkeeper.app.ports import Clock, Suffix
from goalkeeper.core.plan import actors
from goalkeeper.core.plan.model import Actor, ActorKind, Plan
from goalkeeper.errors import NoPlan, PlaceGone, RunBoundElsewhere, UsageError
from goalkeeper.storage.ancestry import find_agent_above
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.places import State, find_root, find_worktree
from goalkeeper.storage.run import FileRun
from goalkeeper.storage.runs import Runs
from goalkeeper.system.environment import find_user_home
from goalkeeper.wire import layout
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from goalkeeper.system.redaction import Redactor

LOCK_TIMEOUT = "GOALKEEPER_LOCK_TIMEOUT"
_LOCK_TIMEOUT_SECONDS = "10"
_LONGEST_LOCK_TIMEOUT_SECONDS = 3600
APPROVAL_FILE = "approval.key"


def now() -> str:
    seconds, nanos = divmod(time.time_ns(), 1_000_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{nanos // 1000:06d}Z"


def random_suffix() -> str:
    return os.urandom(2).hex()


class World(Value):
    """Holds everything a command may look at or change outside of itself."""

    environ: Mapping[str, str]
    cwd: str
    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
    clock: Clock = now
    suffix: Suffix = random_suffix
    disk: Disk = Disk()

    @classmethod
    def real(cls) -> World:
        """Open what this process has. A closed stream and a folder that is gone are empty."""
        try:
            cwd = os.getcwd()
        except OSError:
            cwd = ""
        environ = dict(os.environ)
        if "HOME" in environ:
            environ["HOME"] = find_user_home(environ)
        return cls(environ, cwd, _open_stdin(), _open_output(sys.stdout), _open_output(sys.stderr))


def _open_stdin() -> BinaryIO:
    return sys.stdin.buffer if sys.stdin else open(os.devnull, "rb")


def _open_output(stream: TextIO | None) -> TextIO:
    return stream or open(os.devnull, "w", encoding="utf-8")


class App(Value):
    world: World
    runs: Runs
    actor: Actor
    warned: list[str]  # what was said on stderr before the answer, which repeats it for programs

    def tell(self, warning: str) -> None:
        """Warn at once, and only once: the answer may come hours later."""
        if warning not in self.warned:
            self.warned.append(warning)
            with suppress(OSError):
                self.world.stderr.write(f"goalkeeper: warning: {warning}\n")
                self.world.stderr.flush()

    def tell_progress(self, text: str) -> None:
        """Tell whoever sits at a terminal what is done while they wait."""
        with suppress(OSError):
            if self.world.stderr.isatty():
                self.world.stderr.write(f"goalkeeper: {text}\n")
                self.world.stderr.flush()

    @property
    def state(self) -> State:
        return self.runs.state

    @property
    def root(self) -> str:
        return self.state.root

    @property
    def worktree(self) -> str:
        """Find the checkout we are called in: the root, or a linked one."""
        return find_worktree(self.world.cwd)

    @property
    def redactor(self) -> Redactor:
        return self.runs.redactor

    @property
    def clock(self) -> Clock:
        return self.world.clock

    def run(self, named: str | None) -> FileRun | None:
        """Look at `--run`, then GOALKEEPER_RUN, then the session's binding, then `current`."""
        wanted = named or self.world.environ.get(layout.RUN, "")
        return self.runs.choose(named=wanted, actor=self.actor)

    def plan(self, named: str | None) -> Plan | None:
        """Read the plan of that run, for questions. A run of another session counts as none."""
        try:
            chosen = self.run(named)
        except RunBoundElsewhere:
            return None
        return chosen.read() if chosen else None

    def need_run(self, named: str | None) -> FileRun:
        run = self.run(named)
        if run is None:
            raise NoPlan(root=self.root)
        return run


def open_app(world: World) -> App:
    if not world.cwd:
        raise PlaceGone
    state = State(find_root(world.cwd), layout.state_home(world.environ))
    runs = Runs(
        state,
        world.disk,
        timeout_seconds=read_lock_timeout(world.environ),
        environ=world.environ,
    )
    return App(world, runs, _find_actor(world, state), [])


def config_home(environ: Mapping[str, str]) -> str:
    """Find the user's own configuration, outside every repository."""
    return layout.find_xdg_folder(environ, "XDG_CONFIG_HOME", ".config")


def cache_home(environ: Mapping[str, str]) -> str:
    """Find the folder for what can be made again, outside every repository."""
    return layout.find_xdg_folder(environ, "XDG_CACHE_HOME", ".cache")


def _find_actor(world: World, state: State) -> Actor:
    key = ""
    if world.environ.get(actors.APPROVAL):
        key = _read_approval_key(os.path.join(config_home(world.environ), APPROVAL_FILE))
    found = actors.decide_actor(world.environ, on_terminal=world.stdin.isatty(), approval_key=key)
    above = find_agent_above(state) if found.kind is ActorKind.HUMAN else ""
    return found.replace(kind=ActorKind.AGENT, how=above) if above else found


def _read_approval_key(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def read_lock_timeout(environ: Mapping[str, str]) -> float:
    text = environ.get(LOCK_TIMEOUT, _LOCK_TIMEOUT_SECONDS)
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST_LOCK_TIMEOUT_SECONDS:
        problem = f"{LOCK_TIMEOUT} must be seconds, 0 to {_LONGEST_LOCK_TIMEOUT_SECONDS}: '{text}'"
        raise UsageError(problem=problem, hint=f"unset {LOCK_TIMEOUT}")
    return seconds
