"""The real clients that tests run: which versions, where they are, how they come there.

They are big, so they are kept outside the repository: below GOALKEEPER_CLIENTS, or in the user's
cache. `python -m tools.clients install` puts them there.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.patience import patience

PACKAGES = {
    "claude": ("@anthropic-ai/claude-code", "2.1.325"),
    "codex": ("@openai/codex", "0.166.0"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "opencode": ("opencode-ai", "1.18.18"),
}
# What keeps them from the network and from work that no test needs.
_NO_MODELS = Path(__file__).parent / "data" / "opencode" / "models.json"
QUIET = {
    "claude": {
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",  # tests may be run by root
    },
    "codex": {},
    # Else it starts itself again for more memory. Of the two variables that keep it from that, this
    # one is not taken away where clients are driven.
    "gemini": {"SANDBOX": "none"},
    "opencode": {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_MODELS_PATH": str(_NO_MODELS),  # else it reads thousands of models at each start
        "npm_config_offline": "true",
    },
}
# As it was when tests were collected: later every test has a home and settings of its own.
_ENVIRON = dict(os.environ)
_CACHE = Path(_ENVIRON.get("GOALKEEPER_CLIENTS") or Path.home() / ".cache" / "goalkeeper-clients")
_ALL_REQUIRED = _ENVIRON.get("GOALKEEPER_REQUIRE_ALL") == "1"
_INSTALL_SECONDS = 600


def installed(name: str) -> Path | None:
    """The client's program; None where it is not, and we are not to install it."""
    program = _folder(name) / "node_modules" / ".bin" / name
    if program.exists():
        return program
    return install(name) if _ALL_REQUIRED and shutil.which("npm") else None


def install(name: str) -> Path | None:
    """With npm; None when that does not work. Many may try at once."""
    _CACHE.mkdir(parents=True, exist_ok=True)
    with open(_CACHE / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = _folder(name)
        if not folder.exists() and (made := _made(name)):
            made.rename(folder)
    program = folder / "node_modules" / ".bin" / name
    return program if program.exists() else None


def _made(name: str) -> Path | None:
    package, version = PACKAGES[name]
    folder = Path(tempfile.mkdtemp(dir=_CACHE))
    argv = [
        "npm",
        "install",
        "--prefix",
        str(folder),
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]
    done = subprocess.run(
        [*argv, f"{package}@{version}"],
        env=_ENVIRON,
        check=False,
        capture_output=True,
        timeout=patience(_INSTALL_SECONDS),
    )
    if done.returncode == 0:
        return folder
    shutil.rmtree(folder)
    return None


def _folder(name: str) -> Path:
    return _CACHE / f"{name}-{PACKAGES[name][1]}"
