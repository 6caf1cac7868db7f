"""Packages that a host declares: installed once for a lockfile, beside our own environment."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

_DECLARED = ("package.json", "package-lock.json")
_TIMEOUT_SECONDS = 300
_lock = threading.Lock()


class PackagesMissing(Exception):
    """npm, or the registry that it asks, is not there."""


def lay_packages(tree: Path) -> None:
    """Give a tree its node_modules, if it has a lockfile and no packages yet."""
    modules = tree / "node_modules"
    if (tree / "package-lock.json").is_file() and not modules.exists():
        modules.symlink_to(_install([tree / name for name in _DECLARED]))


def _install(declared: list[Path]) -> Path:
    told = hashlib.sha256(b"\0".join(path.read_bytes() for path in declared)).hexdigest()[:16]
    place = Path(sys.prefix, "foulplay-packages", told)
    with _lock:
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            made = Path(tempfile.mkdtemp(dir=place.parent))
            for path in declared:
                shutil.copy(path, made)
            _run_npm(made)
            made.rename(place)
    return place / "node_modules"


def _run_npm(folder: Path) -> None:
    argv = ["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        subprocess.run(argv, cwd=folder, check=True, capture_output=True, timeout=_TIMEOUT_SECONDS)
    except (OSError, subprocess.SubprocessError) as exc:
        raise PackagesMissing(str(exc)) from exc
