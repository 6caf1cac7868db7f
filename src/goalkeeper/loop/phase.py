"""A phase is an agent's process, from its prompt to the record of how it went."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from functools import partial

from goalkeeper.clients import spawn
from goalkeeper.clients.client import Activity, Asked, Client, Launch, Reader
from goalkeeper.clients.program import find_client_program
from goalkeeper.clients.spawn import Spawned, Traces
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import Ending, Record
from goalkeeper.core.drive.state import Budget, Running
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.procfs import read_start_time
from goalkeeper.system.redaction import Redactor
from goalkeeper.system.removal import remove_tree
from goalkeeper.system.run import read_free_mb
from goalkeeper.system.safe_open import (
    NEW,
    make_folder,
    open_plain_file,
    open_without_links,
    replace_file,
)
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value
from goalkeeper.witness.evidence import drop_half_words
from goalkeeper.witness.isolation import Walls, build_walls

PHASE = "GOALKEEPER_PHASE"
MOST_OUTPUT = 2 << 30
KEPT_BYTES = 256 << 10  # so much of both ends of what an agent printed is kept
_FREE_MB = 256
_LOOK_SECONDS = 1.0
Tell = Callable[[happened.DriveEvent], object]


class PhaseRunner(Value):
    """Starts and follows agents, and keeps the traces of their phases."""

    client: Client
    environ: Mapping[str, str]
    redactor: Redactor
    folder: str
    hear: Callable[[Activity], None]  # people who watch hear it
    walls: tuple[str, ...]  # no client that lies there is started
    # What an agent in a worktree cannot see or change, where the system can do that. The folder is
    # for a copy of the record.
    find_walls: Callable[[str, str], Walls] = lambda *_: Walls()

    def stem(self, running: Running) -> str:
        """Return the name of its files, for people; the marker keeps a repeated phase apart."""
        name = f"{running.goal_id}-{running.iteration}-{running.phase}-{running.attempt}"
        return os.path.join(self.folder, f"{name}-{running.marker[:6]}")

    def traces(self, running: Running) -> Traces:
        return Traces.at(self.stem(running))

    def write(self, running: Running, prompt: str) -> str:
        """Write the prompt to its file and return its digest."""
        path = self._find_prompt_file(running)
        with disk_errors("write the prompt", path):
            make_folder(self.folder, 0o700)
            with open(open_without_links(path, NEW), "wb") as file:
                file.write(prompt.encode(errors="replace"))
        return digest(prompt)

    def folder_for(self, running: Running) -> str:
        """Make a new folder for what a phase hands in."""
        path = f"{self.stem(running)}.lane"
        with disk_errors("make the folder", path):
            make_folder(self.folder, 0o700)
            os.mkdir(path, mode=0o700)
        return path

    def find_copy(self, running: Running) -> str:
        """Return the folder for the copy of the record that a phase finds."""
        return f"{self.stem(running)}.copy"

    def _find_prompt_file(self, running: Running) -> str:
        return f"{self.stem(running)}.md"

    def launch(self, running: Running, asked: Asked) -> Launch:
        launch = self.client.launch(asked, self.environ)
        where = f"{running.goal_id}/{running.iteration}/{running.phase}/{running.attempt}"
        return launch.replace(env={**launch.env, PHASE: where})

    def begin_phase(
        self,
        running: Running,
        prompt: str,
        asked: Asked,
        tell: Tell,
        shut_in: Callable[[Launch], Launch] | None = None,
    ) -> Spawned | Record:
        """Begin a phase; `tell` is told of each step. Return a record if it could not start."""
        tell(happened.PhaseBegan(running, self.client.name, self.write(running, prompt)))
        launch = self.launch(running, asked)
        walled = shut_in(launch) if shut_in else self._hold_back(launch, asked, running)
        spawned = self.spawn(running, walled, asked.worktree)
        if isinstance(spawned, str):
            return Record(self.client.name, Ending.NOT_STARTED, problem=spawned)
        argv = digest(list(launch.argv))
        tell(happened.PhaseSpawned(running.goal_id, spawned.pid, spawned.born, argv))
        return spawned

    def _hold_back(self, launch: Launch, asked: Asked, running: Running) -> Launch:
        worktree = asked.worktree
        walls = self.find_walls(worktree, self.find_copy(running))
        if walls == Walls():
            return launch
        return self.wall_in(launch, worktree, walls.replace(free=(worktree, *walls.free)))

    def wall_in(self, launch: Launch, worktree: str, walls: Walls) -> Launch:
        """Return how to start a client behind walls; a client that is missing stays as it is."""
        program = find_client_program(launch.argv[0], launch.env, (*self.walls, worktree))
        if program is None:
            return launch  # whoever starts it says so
        before = build_walls(walls, cwd=worktree, environ=launch.env)
        return launch.replace(argv=(*before, program, *launch.argv[1:]))

    def spawn(self, running: Running, launch: Launch, worktree: str) -> Spawned | str:
        """Start the process, or say why it could not be started."""
        program, *words = launch.argv
        place = find_client_program(program, launch.env, (*self.walls, worktree))
        if place is None:
            return f"there is no program {program}"
        try:
            return spawn.start(
                launch.replace(argv=(place, *words)),
                cwd=worktree,
                prompt_file=self._find_prompt_file(running),
                traces=self.traces(running),
                marker=running.marker,
            )
        except (OSError, ValueError) as exc:
            return str(exc)

    def follow(self, running: Running, spawned: Spawned, worktree: str, limits: Budget) -> Record:
        """Follow the process until it ends or a limit ends it; leave nothing of it running."""
        traces, reader, began = self.traces(running), self.client.make_reader(), time.monotonic()
        over, ended = PhaseLimits(worktree, limits, began), False
        try:
            ended = spawn.follow(spawned, traces, hear=partial(self._hear, reader), over=over)
        finally:  # an interrupt ends it, too
            spawn.end(spawned.pid, running.marker, grace=0 if ended else spawn.TERM_SECONDS)
        record = _make_record(reader, traces, over.ending, over.problem)
        return record.replace(milliseconds=int((time.monotonic() - began) * 1000))

    def recover(self, running: Running, *, interrupted: bool = False) -> Record:
        """End a phase that nobody followed to its end, if it still runs, and make its record."""
        traces, reader = self.traces(running), self.client.make_reader()
        alive = bool(running.pid and read_start_time(running.pid) == running.born and running.born)
        if alive:
            spawn.end(running.pid, running.marker)
        spawn.end_marked(running.marker)
        printed = spawn.Growing(traces.out)
        for line in printed.read():
            reader.read_line(line)
        reader.read_line(printed.take_rest())
        finished = traces.exit_code is not None and not alive and not interrupted
        return _make_record(reader, traces, None if finished else Ending.INTERRUPTED)

    def shorten(self, running: Running) -> None:
        """Keep both ends of what was printed, without secrets, once there is a record of it."""
        remove_tree(self.find_copy(running))
        for path in (self.traces(running).out, self.traces(running).err):
            _shorten_file(path, self.redactor)

    def _hear(self, reader: Reader, line: bytes) -> None:
        activity = reader.read_line(line)
        if activity:
            self.hear(activity.replace(text=self.redactor.clean_text(activity.text)))


def record_end(running: Running, record: Record, tree: str) -> happened.PhaseEnded:
    return happened.PhaseEnded(
        running.goal_id, running.iteration, running.phase, running.attempt, record, tree
    )


def _make_record(reader: Reader, traces: Traces, cut: Ending | None, why: str = "") -> Record:
    """Make the record. What cut a process short counts more than what the client says of itself."""
    record = reader.make_record(exit_code=traces.exit_code, errors=traces.read_errors())
    record = record.replace(out=_digest_file(traces.out))
    if cut is None or (cut in _WAITED and record.ending in _WAITED_FOR):
        return record
    return record.replace(ending=cut, problem=why or record.problem or str(cut))


# Some clients wait for a service for ever and say so only on their error output.
_WAITED = {Ending.STALLED, Ending.TIMEOUT}
_WAITED_FOR = {Ending.RATE_LIMITED, Ending.OUTAGE, Ending.AUTH}


class PhaseLimits:
    """Says when a phase is over and which limit ended it."""

    def __init__(
        self,
        worktree: str,
        limits: Budget,
        began: float,
        read_clock: Callable[[], float] = time.time,
    ) -> None:
        self.ending: Ending | None = None
        self.problem = ""
        self._worktree = worktree
        self._limits = limits
        self._began = began
        self._size = 0
        self._quiet_since = began
        self._read_clock = read_clock
        self._ahead = read_clock() - time.monotonic()  # the clock goes on while the machine sleeps
        self._next_look = began

    def __call__(self, size: int) -> bool:
        now = time.monotonic()
        if size != self._size:
            self._size, self._quiet_since = size, now
        self.ending = self._find_limit(size, now)
        return self.ending is not None

    def _find_limit(self, size: int, now: float) -> Ending | None:
        if self._limits.phase_seconds and now - self._began > self._limits.phase_seconds:
            return Ending.TIMEOUT
        if size > MOST_OUTPUT:
            self.problem = f"it printed more than {MOST_OUTPUT >> 30} GB"
            return Ending.CRASH
        if now < self._next_look:
            return None
        self._next_look = now + _LOOK_SECONDS
        quiet = now - self._quiet_since
        if self._limits.stall_seconds and quiet > self._limits.stall_seconds:
            clock = self._read_clock()
            jump = max(0.0, clock - now - self._ahead)  # sleep is no silence
            self._quiet_since = now - max(0.0, clock - jump - _find_last_change(self._worktree))
            if now - self._quiet_since > self._limits.stall_seconds:
                return Ending.STALLED
        if read_free_mb(self._worktree) < _FREE_MB:
            self.problem = f"less than {_FREE_MB} MB are free in {self._worktree}"
            return Ending.CRASH
        return None


def _find_last_change(place: str) -> float:
    """Find when a file below the folder was written last."""
    newest = 0.0
    for folder, folders, files in os.walk(place):
        folders[:] = [name for name in folders if name not in {".git", "node_modules"}]
        for name in (*files, "."):
            try:
                newest = max(newest, os.lstat(os.path.join(folder, name)).st_mtime)
            except OSError:
                continue
    return newest


def _digest_file(path: str) -> str:
    found = hashlib.sha256()
    try:
        with open_plain_file(path) as file:
            while data := file.read(1 << 20):
                found.update(data)
    except OSError:
        return ""
    return found.hexdigest()


def _shorten_file(path: str, redactor: Redactor) -> None:
    """Cut the middle out of a file, and secrets; the digest in the record is of the whole file."""
    try:
        with open_plain_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(KEPT_BYTES)
            if size > 2 * KEPT_BYTES:
                file.seek(size - KEPT_BYTES)
                data, tail = drop_half_words(data, file.read())
                left_out = size - len(data) - len(tail)
                data += f"\n[{left_out} bytes left out]\n".encode() + tail
            else:
                data += file.read()
        text = redactor.clean_text(data.decode(errors="surrogateescape"))
        cleaned = text.encode(errors="surrogateescape")
        if size > 2 * KEPT_BYTES or cleaned != data:
            replace_file(path, cleaned)
    except OSError:
        return
