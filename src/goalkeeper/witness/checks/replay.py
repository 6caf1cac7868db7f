"""`replay`: a recorded run of a program comes out the same when the witness runs it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import tomllib
from collections.abc import Mapping

from goalkeeper import process
from goalkeeper.core.checks import Check
from goalkeeper.core.replays import (
    INTERPRETERS,
    Output,
    Replay,
    differs,
    is_allowed,
    normalized,
    read_replay,
)
from goalkeeper.process import Limits
from goalkeeper.witness.checks import decoys
from goalkeeper.witness.place import (
    Call,
    Ended,
    Files,
    Place,
    Seen,
    exited,
    failed,
    passed,
    unknown,
)

_KEEP_BYTES = 8 << 20
_MOST_RECORD = 4 << 20
_SEARCH_SECONDS = 5.0
# Searched in a process of its own: a pattern may take longer than the world lasts.
_SEARCH = "import re,sys; sys.exit(0 if re.search(sys.argv[1], open(sys.argv[2]).read()) else 1)"


def replay(check: Check, place: Place) -> Seen:
    """The record is a file of the tree, or written in place by whoever asks."""
    record = _record(check, place.files)
    if not isinstance(record, Replay):
        return failed(record)
    allowed = is_allowed(record.command, place.work.replays)
    if not allowed and not is_own(record.command, place.files):
        said = " ".join(record.command)[:80]
        return failed(f"not-allowed: '{said}' is no entry point of the project, nor in [replay]")
    options = {"env": record.env, "cwd": record.cwd, "timeout": record.seconds}
    call = Call(record.command, options, decoy=decoys.for_node(), keep_bytes=_KEEP_BYTES)
    return _compared(record, place.run(call))


def _record(check: Check, files: Files) -> Replay | str:
    raw = check.main
    if isinstance(raw, str):
        data = files.read(raw)
        if data is None or len(data) > _MOST_RECORD:
            return f"there is no record {raw} in the tree"
        try:
            raw = json.loads(data)
        except (ValueError, RecursionError) as exc:
            return f"{raw} is not JSON: {exc}"
    read = read_replay(raw, "record")
    return read if isinstance(read, Replay) else "; ".join(map(str, read))


def _compared(record: Replay, ended: Ended) -> Seen:
    ran = exited(ended)
    if isinstance(ran, Seen):
        return ran
    if ran.out.whole is None or ran.err.whole is None:
        return unknown("it printed too much to be compared", ended)
    seen = Output(ran.code, ran.out.text, ran.err.text, ended.root)
    found = differs(record, seen, _matches(record, seen))
    return failed(found, ended) if found else passed("it came out the same", ended)


def _matches(record: Replay, seen: Output) -> dict[str, bool]:
    patterns = [value for kind, value in record.invariants if kind == "regex"]
    if not patterns:
        return {}
    text = normalized(seen.stdout, record.normalization, seen.root)
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "output")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return {pattern: _is_found(pattern, path, place) for pattern in patterns}


def _is_found(pattern: str, path: str, place: str) -> bool:
    argv = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _SEARCH, pattern, path]
    limits = Limits(seconds=_SEARCH_SECONDS, free_mb=0)
    ran = process.run(argv, cwd=place, env={}, limits=limits)
    return isinstance(ran, process.Exited) and ran.code == 0


def is_own(command: tuple[str, ...], files: Files) -> bool:
    """Whether it is an entry point of the project itself, as the tree has it."""
    program, rest = command[0], command[1:]
    paths = set(files.paths())
    if program.removeprefix("./") in paths or program in _scripts(files):
        return True
    if program not in INTERPRETERS or not rest:
        return False
    if rest[0] == "-m" and program.startswith("python"):
        return len(rest) > 1 and _is_module(rest[1], paths)
    return os.path.normpath(rest[0]) in paths


def _is_module(name: str, paths: set[str]) -> bool:
    place = name.replace(".", "/")
    ends = (f"{place}.py", f"{place}/__main__.py")
    return any(path in paths for end in ends for path in (end, f"src/{end}"))


def _scripts(files: Files) -> set[str]:
    """Programs that the project installs."""
    found: set[str] = set()
    try:
        project = tomllib.loads((files.read("pyproject.toml") or b"").decode()).get("project")
        package = json.loads(files.read("package.json") or b"{}")
    except (ValueError, RecursionError):
        return found
    if isinstance(project, Mapping) and isinstance(project.get("scripts"), Mapping):
        found |= set(project["scripts"])
    binaries = package.get("bin") if isinstance(package, Mapping) else None
    if isinstance(binaries, str):  # one program, called as the package
        binaries = {str(package.get("name")): binaries}
    return found | set(binaries if isinstance(binaries, Mapping) else ())
