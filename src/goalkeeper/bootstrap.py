"""The composition root: the outside world in, an App out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import BinaryIO, TextIO

from goalkeeper.app.ports import Clock, Suffix
from goalkeeper.core.plan import actors
from goalkeeper.core.plan.model import ENGINE, Actor, ActorKind, Plan
from goalkeeper.errors import GoalkeeperError, NoPlan, PlaceGone, RunBoundElsewhere, UsageError
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.places import State, find_root, worktree
from goalkeeper.storage.run import FileRun
from goalkeeper.storage.runs import Runs
from goalkeeper.wire import layout
from goalkeeper.wire.clients import AGENTS
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.app.judging import Court
    from goalkeeper.app.receipting import Notary
    from goalkeeper.clients.client import Client
    from goalkeeper.config import Settings
    from goalkeeper.core.contract.judgement import Judgement
    from goalkeeper.git.worktrees import Yard
    from goalkeeper.hold.sessions import Means
    from goalkeeper.hold.store import Holds
    from goalkeeper.loop.driver import Driver, Onlooker
    from goalkeeper.loop.lanes import Lanes
    from goalkeeper.storage.keys import Keys
    from goalkeeper.storage.missing import MissingCriteria
    from goalkeeper.wire.hold import Hold
    from goalkeeper.witness.witness import Witness

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
    """Everything a command may look at or change outside of itself."""

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
        """This process's own. What was closed or deleted under us is empty."""
        try:
            cwd = os.getcwd()
        except OSError:
            cwd = ""
        return cls(os.environ, cwd, _stdin(), _output(sys.stdout), _output(sys.stderr))


def _stdin() -> BinaryIO:
    return sys.stdin.buffer if sys.stdin else open(os.devnull, "rb")


def _output(stream: TextIO | None) -> TextIO:
    return stream or open(os.devnull, "w", encoding="utf-8")


class App(Value):
    world: World
    runs: Runs
    actor: Actor

    @property
    def state(self) -> State:
        return self.runs.state

    @property
    def root(self) -> str:
        return self.state.root

    @property
    def worktree(self) -> str:
        """The checkout we are called in: the root, or a linked one."""
        return worktree(self.world.cwd)

    @property
    def clock(self) -> Clock:
        return self.world.clock

    def settings(self) -> Settings:
        """config.toml as it is now; the defaults where there is none."""
        from goalkeeper.config import Settings  # noqa: PLC0415  TOML; few commands read it
        from goalkeeper.storage.settings import read_settings  # noqa: PLC0415  as above

        path = self.state.config
        return read_settings(path) if os.path.exists(path) else Settings()

    def which(self, name: str) -> str | None:
        """Where a program is, as the user finds it."""
        from shutil import which  # noqa: PLC0415  few commands look for one

        return which(name, path=self.world.environ.get("PATH"))

    @property
    def holds(self) -> Holds:
        from goalkeeper.hold.store import Holds  # noqa: PLC0415  few commands look at them

        return Holds(self.state.dir, state_home(self.world.environ), self.world.disk)

    def run(self, named: str | None) -> FileRun | None:
        """`--run`, then GOALKEEPER_RUN, then the session's binding, then `current`."""
        wanted = named or self.world.environ.get(layout.RUN, "")
        return self.runs.choose(named=wanted, actor=self.actor)

    def plan(self, named: str | None) -> Plan | None:
        """The plan of that run, for questions; a run that is another's is as good as none."""
        try:
            chosen = self.run(named)
        except RunBoundElsewhere:
            return None
        return chosen.read() if chosen else None

    def court(self, chosen: FileRun, isolation: str = "") -> Court:
        """Who judges a run, and with what. Imported when asked for: most commands judge nothing."""
        from goalkeeper.app.judging import Court  # noqa: PLC0415
        from goalkeeper.storage.upkeep import verify  # noqa: PLC0415

        witness = self.witness(os.path.join(chosen.files.dir, layout.EVIDENCE), chosen.run_id)
        return Court(
            chosen, witness, self.actor, self.clock, lambda: verify(chosen), isolation,
            self.certify(chosen),
        )  # fmt: skip

    @property
    def keys(self) -> Keys:
        from goalkeeper.storage.keys import Keys  # noqa: PLC0415  as above

        return Keys(os.path.join(config_home(self.world.environ), "keys"), self.world.disk)

    def certify(self, chosen: FileRun) -> Callable[[Court, str, Judgement], None]:
        """Issue receipts for what was completed. What cannot be signed is complete all the same."""

        def issue(court: Court, goal_id: str, judgement: Judgement) -> None:
            from goalkeeper.app.receipting import certify  # noqa: PLC0415  as above

            try:
                missing = certify(court, self.notary(chosen), goal_id, judgement).missing
            except GoalkeeperError as exc:
                missing = f"{exc.message} (goalkeeper receipt issue tries again)"
            if missing:
                chosen.warnings.append(f"no receipt: {missing}")

        return issue

    def notary(self, chosen: FileRun) -> Notary:
        """Who signs receipts of a run. Imported when asked for, as above."""
        from goalkeeper import __version__  # noqa: PLC0415
        from goalkeeper.app.receipting import Notary  # noqa: PLC0415
        from goalkeeper.storage.receipts import Receipts  # noqa: PLC0415

        kept = Receipts(chosen.files.dir, self.world.disk)
        return Notary(self.keys.signed, kept.put, kept.has, chosen.head, __version__)

    def witness(self, evidence: str, run_id: str = "") -> Witness:
        from goalkeeper.storage.settings import parse_settings  # noqa: PLC0415
        from goalkeeper.witness.evidence import Store  # noqa: PLC0415
        from goalkeeper.witness.witness import Places, Witness  # noqa: PLC0415

        environ = self.world.environ
        here = self.worktree
        homes = (config_home(environ), state_home(environ), cache_home(environ))
        places = Places(
            root=self.root,
            worktree=here,
            state=os.path.join(state_home(environ), "trees"),
            cache=os.path.join(cache_home(environ), "witness"),
            hidden=(self.root, here, *homes),
        )
        return Witness(
            places,
            environ,
            evidence=Store(evidence),
            held_out=Store(os.path.join(state_home(environ), "held_out", run_id)),
            now=time.time,
            read_settings=parse_settings,
        )

    def driver(
        self, chosen: FileRun, client: Client, onlooker: Onlooker, isolation: str = ""
    ) -> Driver:
        """Who drives a run, with which agent. Imported when asked for, as above."""
        from goalkeeper.loop.driver import Driver, DriverDeps  # noqa: PLC0415
        from goalkeeper.loop.memory import Memory  # noqa: PLC0415
        from goalkeeper.loop.phase import PhaseRunner  # noqa: PLC0415

        environ, run_id = self.world.environ, chosen.run_id
        phases = os.path.join(chosen.files.dir, layout.PHASES)
        means = DriverDeps(
            run=chosen,
            runner=PhaseRunner(client, {**environ, layout.RUN: run_id}, phases, onlooker.hear),
            yard=self.yard(run_id),
            court=lambda where: self._engine_at(where).court(chosen, isolation),
            commit_of=self.witness("", run_id).trees.commit_of,
            output=self.excerpts(chosen),
            memory=Memory(os.path.join(self.state.dir, layout.LESSONS), run_id),
            onlooker=onlooker,
            clock=self.clock,
            trust=self._trust_in(client),
        )
        return Driver(means)

    def lanes(self, chosen: FileRun, client: Client) -> Lanes:
        """Who reviews for a run, with which agent. Imported when asked for, as above."""
        from goalkeeper.core.drive.state import Budget  # noqa: PLC0415
        from goalkeeper.loop.lanes import Lanes  # noqa: PLC0415
        from goalkeeper.loop.phase import PhaseRunner  # noqa: PLC0415

        environ = {**self.world.environ, layout.RUN: chosen.run_id}
        phases = os.path.join(chosen.files.dir, layout.PHASES)
        return Lanes(
            PhaseRunner(client, environ, phases, lambda _: None),
            self.yard(chosen.run_id),
            self.court(chosen),
            self.witness("").trees.commit_of,
            Budget(),
            self._trust_in(client),
        )

    def _trust_in(self, client: Client) -> str:
        from goalkeeper.core.plan.gate import trust_in  # noqa: PLC0415  as above

        return trust_in(self.actor, is_known=client.name in AGENTS)

    def excerpts(self, chosen: FileRun) -> Callable[[str], str]:
        """What a check of the run printed, by the digest of its evidence."""
        from goalkeeper.witness.evidence import Store, excerpt  # noqa: PLC0415  as above

        evidence = Store(os.path.join(chosen.files.dir, layout.EVIDENCE))
        return lambda digest: excerpt(evidence.get(digest))

    def holding(self) -> Means:
        """What it takes to hold sessions. Imported when asked for, as above."""
        from goalkeeper.app.plans import Maker  # noqa: PLC0415
        from goalkeeper.hold.sessions import Means  # noqa: PLC0415
        from goalkeeper.hold.watch import looked_at, mark  # noqa: PLC0415
        from goalkeeper.storage.lock import is_held  # noqa: PLC0415
        from goalkeeper.wire import fingerprint  # noqa: PLC0415

        world = self.world
        snapshot = self.witness("").snapshot
        return Means(
            self.holds,
            Maker(self.runs, self.actor, self.clock, world.suffix, snapshot),
            lambda run: is_held(self.state.run(run.run_id).drive_lock),
            lambda hold: self._at(hold).court(self.runs.named(hold.run)),
            lambda hold, digest: self.excerpts(self.runs.named(hold.run))(digest),
            lambda hold: looked_at(hold, self._at(hold).witness("").trees, self._ledger(hold)),
            mark,
            lambda hold: fingerprint.of_ledger(hold, os.stat),
            time.time,
        )

    def _at(self, hold: Hold) -> App:
        """Ourselves, where the session works."""
        return self.replace(world=self.world.replace(cwd=hold.worktree))

    def _ledger(self, hold: Hold) -> str:
        return self.state.run(hold.run).ledger

    def _engine_at(self, place: str) -> App:
        """Ourselves, in another worktree."""
        return self.replace(world=self.world.replace(cwd=place), actor=ENGINE)

    def yard(self, run_id: str) -> Yard:
        """Where the goals of a run are worked on."""
        from goalkeeper.git.worktrees import Yard  # noqa: PLC0415  as above
        from goalkeeper.wire.canonical import sha256  # noqa: PLC0415  as above

        name = f"{os.path.basename(self.root)}-{sha256(os.fsencode(self.root))[:8]}"
        place = os.path.join(state_home(self.world.environ), "worktrees", name)
        return Yard(self.root, place, run_id)

    @property
    def missing_criteria(self) -> MissingCriteria:
        """What checklists found wrong, and no contract asked for."""
        from goalkeeper.storage.missing import MissingCriteria  # noqa: PLC0415  as above

        path = os.path.join(self.state.dir, layout.MISSING_CRITERIA)
        lock = os.path.join(self.state.cache, f"{layout.MISSING_CRITERIA}.lock")
        timeout = _lock_timeout(self.world.environ)
        return MissingCriteria(path, lock, self.world.disk, timeout_seconds=timeout)

    def need_run(self, named: str | None) -> FileRun:
        run = self.run(named)
        if run is None:
            raise NoPlan(root=self.root)
        return run


def open_app(world: World) -> App:
    if not world.cwd:
        raise PlaceGone
    state = State(find_root(world.cwd))
    runs = Runs(state, world.disk, timeout_seconds=_lock_timeout(world.environ))
    return App(world, runs, _actor(world, state))


def config_home(environ: Mapping[str, str]) -> str:
    """The user's own configuration, outside every repository."""
    return layout.home(environ, "XDG_CONFIG_HOME", ".config")


def state_home(environ: Mapping[str, str]) -> str:
    return layout.state_home(environ)


def cache_home(environ: Mapping[str, str]) -> str:
    """What can be made again: checkouts and passes; outside every repository."""
    return layout.home(environ, "XDG_CACHE_HOME", ".cache")


def _actor(world: World, state: State) -> Actor:
    key = ""
    if world.environ.get(actors.APPROVAL):
        key = _approval_key(os.path.join(config_home(world.environ), APPROVAL_FILE))
    found = actors.actor(world.environ, on_terminal=world.stdin.isatty(), approval_key=key)
    if found.kind is ActorKind.HUMAN:
        from goalkeeper.storage.ancestry import is_driven  # noqa: PLC0415  agents need no look

        if is_driven(state):
            return found.replace(kind=ActorKind.AGENT, how="started by an agent")
    return found


def _approval_key(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _lock_timeout(environ: Mapping[str, str]) -> float:
    text = environ.get(LOCK_TIMEOUT, _LOCK_TIMEOUT_SECONDS)
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST_LOCK_TIMEOUT_SECONDS:
        problem = f"{LOCK_TIMEOUT} must be seconds, 0 to {_LONGEST_LOCK_TIMEOUT_SECONDS}: '{text}'"
        raise UsageError(problem=problem, hint=f"unset {LOCK_TIMEOUT}")
    return seconds
