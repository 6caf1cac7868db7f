"""Windows of tmux in which people watch sessions. Nothing depends on them.

A window runs `goalkeeper campaign attach`, which only reads. So whoever closes one, or ends tmux,
ends nothing else.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping

from goalkeeper.core.campaign.state import Campaign, SessionState, SessionStatus
from goalkeeper.wire import layout

_SECONDS = 5  # tmux answers at once, or never
# A server that runs already has an environment of its own; the campaign's state is found by these.
_TOLD = ("HOME", "PATH", "LANG", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
_HIDDEN = (layout.RUN, layout.SPAWNED)


class TmuxWindows:
    """Opens a window for each session that is worked on, all in one session of tmux."""

    def __init__(
        self, program: str, campaign_id: str, cwd: str, environ: Mapping[str, str]
    ) -> None:
        self.name = f"goalkeeper-{campaign_id}"
        self._program = program
        self._campaign_id = campaign_id
        self._cwd = cwd
        self._environ = {name: text for name, text in environ.items() if name not in _HIDDEN}
        self._opened: set[str] = set()
        self._is_lost = False

    def show_working(self, campaign: Campaign, tell: Callable[[str], None]) -> None:
        """Open windows for sessions that have none. What goes wrong is told once, and left so."""
        for session in campaign.list_sessions(SessionStatus.WORKING):
            if session.id in self._opened or self._is_lost:
                continue
            problem = self._open_window(session)
            if problem:
                self._is_lost = True
                tell(f"tmux shows no sessions: {problem}")
            elif not self._opened:
                tell(f"tmux shows the sessions: tmux attach -t {self.name}")
            self._opened.add(session.id)

    def _open_window(self, session: SessionState) -> str:
        """Open a window that stays when its program ends; return why it cannot be opened.

        Nobody's current window changes by that, and one of an earlier process is used again.
        """
        told = [f"-e{name}={self._environ[name]}" for name in _TOLD if name in self._environ]
        words = [
            *("-c", self._cwd.replace("#", "##"), *told, "--"),
            *(sys.executable, "-P", "-m", "goalkeeper", "campaign", "attach", session.id),
            *("--campaign", self._campaign_id),
        ]
        words = [re.sub(r";$", r"\\;", word) for word in words]  # it would end the command
        window = f"={self.name}:={session.id}"
        stays = [";", "set-option", "-w", "-t", window, "remain-on-exit", "on"]
        is_there, windows = self._ask("list-windows", "-t", f"={self.name}", "-F", "#W")
        if is_there and session.id in windows.split():
            done, said = self._ask("respawn-window", "-k", "-t", window, *words)
        elif is_there:
            new = ("new-window", "-d", "-t", f"={self.name}:", "-n", session.id)
            done, said = self._ask(*new, *words, *stays)
        else:
            new = ("new-session", "-d", "-s", self.name, "-n", session.id)
            done, said = self._ask(*new, *words, *stays)
        return "" if done else said

    def _ask(self, *words: str) -> tuple[bool, str]:
        """Ask tmux for something; return whether it did so, and what it said."""
        try:
            done = subprocess.run(
                [self._program, *words], cwd=self._cwd, env=self._environ, timeout=_SECONDS,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as exc:
            return False, str(exc)
        return not done.returncode, done.stdout.decode(errors="replace").strip()
