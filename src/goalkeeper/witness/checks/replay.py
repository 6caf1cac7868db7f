"""`replay`: the witness runs a recorded command again and gets the same result."""

from __future__ import annotations

import json
import os
import shutil
import string
import sys
import tomllib
from collections.abc import Mapping

from goalkeeper.app.trials import Files
from goalkeeper.core import strict_json
from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.review.own_tools import is_tool, name_interpreter
from goalkeeper.core.review.replays import (
    INTERPRETERS,
    LEAST_LETTERS,
    WEAK,
    WEAKNESS,
    Output,
    Replay,
    describe_difference,
    is_allowed,
    normalize_output,
    read_replay,
)
from goalkeeper.system.run import Exited, ProgramLimits, run
from goalkeeper.system.scratch import make_scratch
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    ProgramCall,
    ProgramRun,
    make_failed,
    make_result,
    make_unknown,
)

_KEEP_BYTES = 8 << 20
_MOST_RECORD = 4 << 20
_SYSTEM = "/usr/bin:/bin"
# A worker's pattern is searched for in a process of its own, because a search may never end.
_SECONDS = 5.0
_FOUND, _NOT_FOUND = 0, 3
# It is reversed, so that no word stands in it.
_NOISE = "\n".join(["", string.printable[::-1], " " * 8, ""])
_LINE = "".join(filter(str.isprintable, string.printable[::-1])) + "\n"  # $ needs a line end
_SEARCH = """
import re, sys
pattern, path, least = sys.argv[1:]
with open(path, newline="") as file:
    found = re.finditer(pattern, file.read())
    sys.exit(0 if any(len(each.group()) >= int(least) for each in found) else 3)
"""


def check_replay(check: Check, place: CheckContext) -> CheckResult:
    """Check a record, which is a file of the tree or stands in the check."""
    record = _read_record(check, place.files)
    if not isinstance(record, Replay):
        return make_failed(record)
    if not _may_replay(record, place):
        said = " ".join(record.command)[:80]
        return make_failed(
            f"not-allowed: '{said}' is no entry point of the project, nor in [replay]"
        )
    weak = [pattern for pattern in _list_patterns(record) if is_weak(pattern)]
    if weak:
        return make_failed(f"{WEAK}: '{weak[0][:80]}': {WEAKNESS}")
    options = {"env": record.env, "cwd": record.cwd, "timeout": record.seconds}
    call = ProgramCall(record.command, options, keep_bytes=_KEEP_BYTES)
    return _compare_output(record, place.run_program(call))


def _may_replay(record: Replay, place: CheckContext) -> bool:
    command, tools = record.command, place.work.tools
    if is_allowed(command, place.work.replays) or is_own(record, place.files):
        return True
    if tools is None:
        return False
    plain = record.replace(command=name_interpreter(command, record.cwd))
    return is_tool(command, record.cwd, tools) or is_own(plain, place.files)


def _read_record(check: Check, files: Files) -> Replay | str:
    raw = check.main_option
    if isinstance(raw, str):
        data = files.read_file(raw)
        if data is None or len(data) > _MOST_RECORD:
            return f"there is no record {raw} in the tree"
        try:
            raw = strict_json.parse(data)
        except ValueError as exc:
            return f"{raw} is not JSON: {exc}"
    read = read_replay(raw, "record")
    return read if isinstance(read, Replay) else "; ".join(map(str, read))


def _compare_output(record: Replay, ended: ProgramRun) -> CheckResult:
    ran = ended.require_exit()
    if ran.out.whole is None or ran.err.whole is None:
        return make_unknown("it printed too much to be compared", ended)
    seen = Output(ran.code, ran.out.text, ran.err.text, ended.root)
    text = normalize_output(seen.stdout, record.normalization, seen.root)
    found = describe_difference(
        record, seen, {each: is_found(each, text) for each in _list_patterns(record)}
    )
    return make_result(found, "it came out the same", ended)


def _list_patterns(record: Replay) -> list[str]:
    return [value for kind, value in record.invariants if kind == "regex"]


def is_own(record: Replay, files: Files) -> bool:
    """Return whether the command is an entry point of the project itself."""
    program, rest = record.command[0], record.command[1:]
    paths = set(files.list_paths())
    if "/" in program:
        return _join_path(record.cwd, program) in paths
    if program in INTERPRETERS:
        if rest[:1] == ("-m",) and program.startswith("python"):
            place = rest[1].replace(".", "/") if len(rest) > 1 else ""
            ends = (f"{place}.py", f"{place}/__main__.py") if place else ()
            return any(
                p in paths for end in ends for p in (_join_path(record.cwd, end), f"src/{end}")
            )
        return (
            bool(rest) and not rest[0].startswith("-") and _join_path(record.cwd, rest[0]) in paths
        )
    # A program of the system is not the project's, even if the project has one of the same name.
    return program in _list_scripts(files) and shutil.which(program, path=_SYSTEM) is None


def _join_path(cwd: str, path: str) -> str:
    return os.path.normpath(os.path.join(cwd, path))


def _list_scripts(files: Files) -> set[str]:
    found: set[str] = set()
    try:
        project = tomllib.loads((files.read_file("pyproject.toml") or b"").decode()).get("project")
        package = json.loads(files.read_file("package.json") or b"{}")
    except (ValueError, RecursionError):
        return found
    if isinstance(project, Mapping) and isinstance(project.get("scripts"), Mapping):
        found |= set(project["scripts"])
    binaries = package.get("bin") if isinstance(package, Mapping) else None
    if isinstance(binaries, str):  # then it is one program, which has the name of the package
        binaries = {str(package.get("name")).rpartition("/")[2]: binaries}
    return found | set(binaries if isinstance(binaries, Mapping) else ())


def is_weak(pattern: str) -> bool:
    """Return whether the pattern matches in noise, even an empty text, or does not end."""
    return any(_search_text(pattern, noise, least=0) != _NOT_FOUND for noise in (_NOISE, _LINE))


def is_found(pattern: str, text: str) -> bool:
    return _search_text(pattern, text, least=LEAST_LETTERS) == _FOUND


def _search_text(pattern: str, text: str, *, least: int) -> int | None:
    with make_scratch("replay") as place:
        path = os.path.join(place, "text")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        argv = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _SEARCH, pattern, path, str(least)]
        limits = ProgramLimits(seconds=_SECONDS, free_mb=0)
        ran = run(argv, cwd=place, env={}, limits=limits)
    return ran.code if isinstance(ran, Exited) else None
