"""Real terminals: tmux holds one of any size, and says what stands on it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.e2e.world import PLAIN_PATH, Word, World
from tests.fault.rig import wait_until

TMUX = shutil.which("tmux", path=PLAIN_PATH)
_SCREEN = "screen"


class Tmux:
    """A server of its own, so that nobody's windows are touched and none is left."""

    def __init__(self, place: str) -> None:
        self.environ = {"TMUX_TMPDIR": place}

    def ask(self, *words: Word, world: World | None = None) -> str:
        """Ask for something; the answer is empty where the server or its target is gone."""
        env = world.environ(self.environ) if world else {**self.environ, "PATH": PLAIN_PATH}
        cwd = world.root if world else None
        done = subprocess.run(
            [TMUX or "tmux", "-f", "/dev/null", *words], env=env, cwd=cwd, check=False,
            capture_output=True,
        )  # fmt: skip
        return done.stdout.decode()

    def open_screen(self, world: World, *words: Word, columns: int, lines: int) -> None:
        """Run a command on a terminal of this size; it stays when the command has ended."""
        size = ("-x", str(columns), "-y", str(lines))
        stays = (";", "set-option", "-w", "-t", _SCREEN, "remain-on-exit", "on")
        self.ask("new-session", "-d", "-s", _SCREEN, *size, "--", *words, *stays, world=world)

    def resize(self, columns: int, lines: int) -> None:
        self.ask("resize-window", "-t", _SCREEN, "-x", str(columns), "-y", str(lines))

    def press(self, *keys: str) -> None:
        self.ask("send-keys", "-t", _SCREEN, *keys)

    def read(self, target: str = _SCREEN) -> list[str]:
        """The lines of a terminal, without the empty ones below."""
        return self.ask("capture-pane", "-p", "-t", target).rstrip().splitlines()

    def wait_for(self, *texts: str, target: str = _SCREEN) -> list[str]:
        """The first picture on which all of these stand."""
        seen: list[str] = []

        def is_there() -> bool:
            seen[:] = self.read(target)
            return all(any(text in line for line in seen) for text in texts)

        wait_until(is_there, f"{texts} in {seen}")
        return seen

    def list_windows(self) -> Sequence[str]:
        return sorted(self.ask("list-windows", "-a", "-F", "#S #W").splitlines())


@contextmanager
def serve_tmux() -> Iterator[Tmux]:
    if TMUX is None:
        pytest.skip("tmux is not installed")
    with TemporaryDirectory(prefix="tmux-") as place:  # the path of a socket must be short
        tmux = Tmux(place)
        try:
            yield tmux
        finally:
            tmux.ask("kill-server")


def write_gate(gate: Path) -> str:
    """A command that waits until the gate is there."""
    return f"until test -e {gate}; do sleep 0.05; done"
