"""The files of a project as they lie on disk, and a witness that tries its set-up."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from goalkeeper.app.preparing import Preparation, choose_untried, prepare_project
from goalkeeper.bootstrap import App
from goalkeeper.config import Settings
from goalkeeper.core.projects.detect import DetectedProject, detect_project
from goalkeeper.core.projects.environments import is_environment
from goalkeeper.core.projects.ways import ProjectFiles
from goalkeeper.errors import OutsideError
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.system.scratch import make_scratch
from goalkeeper.wiring.judging import open_witness
from goalkeeper.wiring.stores import find_program
from goalkeeper.witness.isolation import explain_no_sandbox

_DEEPEST = 3
_MOST_FILES = 20_000
_LIMIT_BYTES = 4 << 20


def detect_here(app: App, place: str) -> DetectedProject:
    """Recognize the project whose files lie in a folder."""
    return detect_project(read_project_files(place), lambda name: bool(find_program(app, name)))


def read_project_files(place: str) -> ProjectFiles:
    """List the files of a project, as deep as its manifests lie; they are read when asked for."""
    paths = frozenset(path for path, _ in zip(_walk(place), range(_MOST_FILES), strict=False))

    def read_text(path: str) -> str:
        if path not in paths:
            return ""
        full = os.path.join(place, path)
        return read_plain_file(full, _LIMIT_BYTES).decode(errors="replace")

    return ProjectFiles(paths, read_text)


def _walk(place: str) -> Iterator[str]:
    for folder, names, files in os.walk(place):
        below = os.path.relpath(folder, place)
        prefix = "" if below == "." else f"{below}/"
        yield from (prefix + name for name in files)
        is_deep = prefix.count("/") >= _DEEPEST
        names[:] = sorted(
            name for name in names
            if not is_deep and not name.startswith(".") and not is_environment(prefix + name)
        )  # fmt: skip


def explain_unisolated(app: App) -> str:
    """Say why commands that are tried would run without a sandbox; nothing if they do not."""
    return explain_no_sandbox(app.world.environ)


def try_project(
    app: App, detected: DetectedProject, settings: Settings, tell: Callable[[str], None]
) -> Preparation:
    """Try the ways of the project in clean checkouts of the working tree as it is."""
    with make_scratch("tried") as evidence:
        witness = open_witness(app, evidence, tell=tell)
        try:
            base = witness.take_snapshot()
        except OutsideError as exc:
            untried = choose_untried(detected, settings)
            return untried.replace(problems=(f"nothing was tried: {exc.message}",))
        return prepare_project(
            witness, base, detected, settings, tell=tell, read_seconds=time.monotonic
        )
