"""The command line in this process, which looks to it like a process of its own."""

import ctypes
import io
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from goalkeeper.app.ports import Clock
from goalkeeper.bootstrap import World, now
from goalkeeper.cli.main import main
from goalkeeper.storage.disk import Disk
from goalkeeper.system import reaper

_SUBREAPER = 36  # as the kernel numbers it


class Printed(NamedTuple):
    """What a command left behind: its exit code and the bytes of its two streams."""

    code: int
    out: bytes
    err: bytes


def run_in_process(
    words: Sequence[str | bytes | Path],
    *,
    cwd: Path,
    environ: Mapping[str, str | bytes],
    input: bytes = b"",  # noqa: A002  as subprocess names it
    clock: Clock = now,
    disk: Disk | None = None,
) -> Printed:
    """Run `goalkeeper` with these words; a process of its own would cost fifty times as much."""
    argv = [os.fsdecode(word) for word in words]
    variables = {name: os.fsdecode(value) for name, value in environ.items()}
    out, err = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(stream, encoding="utf-8") for stream in (out, err)]
    with _looking_like_a_process(argv, cwd, variables):
        here = os.getcwd()  # as the kernel spells it
        world = World(variables, here, io.BytesIO(input), streams[0], streams[1], clock=clock)
        code = main(argv, world.replace(disk=disk or Disk()))
    for stream in streams:
        stream.flush()
    return Printed(code, out.getvalue(), err.getvalue())


@contextmanager
def _looking_like_a_process(
    argv: Sequence[str], cwd: Path, environ: Mapping[str, str]
) -> Iterator[None]:
    """Lend this process a folder, an environment and arguments; take them back afterwards.

    The World carries them, too; this is for git and other programs, which inherit them.
    """
    here, ours, words = os.getcwd(), dict(os.environ), sys.argv
    _replace_environment(environ)
    sys.argv = ["goalkeeper", *argv]
    try:
        os.chdir(cwd)
        yield
    finally:
        os.chdir(here)
        sys.argv = words
        _replace_environment(ours)
        _disown_orphans()


def _disown_orphans() -> None:
    """Stop inheriting orphans, as the end of a process does: what hooks leave is not ours."""
    if reaper.become_subreaper.cache_info().currsize:
        ctypes.CDLL(None).prctl(_SUBREAPER, 0, 0, 0, 0)
        reaper.become_subreaper.cache_clear()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)


def _replace_environment(environ: Mapping[str, str]) -> None:
    for name in os.environ.keys() - environ.keys():
        del os.environ[name]
    for name, value in environ.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
