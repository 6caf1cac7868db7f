"""The acts that a script can name: what each is given, and what the agent then does.

What a script gives is read before anything is played. If it cannot be used, people are told why.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from goalkeeper.rehearsal.stage import MICRO, Deed, Leave, RehearsalStage

TYPE_CHECKING = False
if TYPE_CHECKING:  # it is slow to load, and agents start often
    from typing import Any

DOES_NOT_FIT = 9  # the exit code if the prompt is not what the script expects
NOT_FOUND = 127  # shells use the same code
HONEST_EXITS = ("blocked", "impossible", "needs-human", "contract-wrong")
LANE = "GOALKEEPER_LANE"  # the folder of a lane, set for its agent

_SIGN_OF_LIFE_SECONDS = 0.2
_GIT = (
    "git", "-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@localhost",
    "-c", "commit.gpgsign=false",
)  # fmt: skip
# -P keeps Python from taking files of the worktree for modules of ours.
_BLOCKED = (sys.executable, "-P", "-m", "goalkeeper", "blocked")
MOST_SECONDS = 24 * 60 * 60
MOST_COUNT = 10**12
_ABSENT = object()  # all readers but optional ones refuse it


# These are the readers of what acts are given.


class ScriptMalformed(ValueError):
    """A script, or how the program was started, cannot be used; the message says why."""


FieldReader = Callable[[object, str], object]  # it gets a value and what people call it
ActReader = Callable[[object, str], Deed]  # it gets what the script says, and the act's name


def take_fields(play: Callable[..., None], **readers: FieldReader) -> ActReader:
    """Make a reader of an object, with whose fields the act plays."""

    def read(given: object, act: str) -> Deed:
        fields = read_fields(given, act, **readers)
        return lambda stage: play(stage, **fields)

    return read


def take_value(play: Callable[..., None], read_value: FieldReader, what: str) -> ActReader:
    """Make a reader of one value, with which the act plays."""

    def read(given: object, _act: str) -> Deed:
        value = read_value(given, what)
        return lambda stage: play(stage, value)

    return read


def read_fields(given: object, act: str, **readers: FieldReader) -> dict[str, Any]:
    names = "{" + ", ".join(readers) + "}"
    if not isinstance(given, dict):
        raise ScriptMalformed(f"{act} needs an object, {names}")
    strange = sorted(str(name) for name in given if name not in readers)
    if strange:
        raise ScriptMalformed(f"{act} does not know {strange[0]!a}: it takes {names}")
    return {
        name: read(given.get(name, _ABSENT), f"{name} of {act}") for name, read in readers.items()
    }


def make_optional(read: FieldReader, default: object) -> FieldReader:
    return lambda value, what: default if value is _ABSENT else read(value, what)


def read_any_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ScriptMalformed(f"{what} must be text")
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise ScriptMalformed(f"{what} is not text that can be written: {exc.reason}") from exc
    return value


def read_text(value: object, what: str) -> str:
    if not value or not isinstance(value, str):
        raise ScriptMalformed(f"{what} must be text, and not empty")
    return read_any_text(value, what)


def read_argument(value: object, what: str) -> str:
    """Read a text that can be an argument of a program."""
    return _refuse_nul(read_text(value, what), what)


def read_arguments(value: object, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ScriptMalformed(f"{what} must be a list of texts, and not empty")
    return tuple(_refuse_nul(read_any_text(item, what), what) for item in value)


def _refuse_nul(text: str, what: str) -> str:
    if "\0" in text:
        raise ScriptMalformed(f"{what} must not contain a NUL")
    return text


def make_number(least: float, most: float, *, whole: bool = False) -> FieldReader:
    wanted = "a whole number" if whole else "a number"

    def read(value: object, what: str) -> float:
        known = value if isinstance(value, int if whole else int | float) else least - 1
        if isinstance(value, bool) or not least <= known <= most:
            raise ScriptMalformed(f"{what} must be {wanted} from {least} to {most}")
        return known

    return read


def make_choice(known: Sequence[str]) -> FieldReader:
    def read(value: object, what: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise ScriptMalformed(f"{what} must be one of {', '.join(known)}")
        return value

    return read


def read_instant(value: object, what: str) -> datetime:
    text = read_text(value, what)
    with suppress(ValueError, OverflowError):
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is not None:
            return instant.astimezone(UTC)
    raise ScriptMalformed(f"{what} must be a time with its zone: 2026-01-01T12:00:00Z")


read_seconds = make_number(0, MOST_SECONDS)
read_count = make_optional(make_number(0, MOST_COUNT, whole=True), 0)


# These acts change files.


def write_text(stage: RehearsalStage, path: str, text: str) -> None:
    stage.use_tool("write", path)
    _put_file(path, text.encode())


def append_text(stage: RehearsalStage, path: str, text: str) -> None:
    stage.use_tool("append", path)
    _put_file(path, text.encode(), "ab")


def replace_text(stage: RehearsalStage, path: str, old: str, new: str) -> None:
    stage.use_tool("replace", path)
    with open(path, "rb") as file:
        before = file.read()
    if old.encode() not in before:
        raise Leave(1, f"{path} does not contain what is to be replaced")
    _put_file(path, before.replace(old.encode(), new.encode()))


def delete_path(stage: RehearsalStage, path: str) -> None:
    stage.use_tool("delete", path)
    if not os.path.isdir(path) or os.path.islink(path):
        os.remove(path)
        return
    for folder, folders, files in os.walk(path, topdown=False):
        for name in (*files, *folders):
            inside = os.path.join(folder, name)
            is_folder = os.path.isdir(inside) and not os.path.islink(inside)
            (os.rmdir if is_folder else os.remove)(inside)
    os.rmdir(path)


def write_answer(stage: RehearsalStage, answer: str) -> None:
    folder = os.environ.get(LANE, "")
    if not folder:
        raise Leave(1, f"{LANE} is not set: this is no lane")
    stage.use_tool("answer", folder)
    _put_file(os.path.join(folder, "answer.json"), answer.encode())


def _read_answer(given: object, act: str) -> str:
    if not isinstance(given, dict):
        raise ScriptMalformed(f"{act} needs an object: what the lane answers")
    return json.dumps(given)


def _put_file(path: str, data: bytes, mode: str = "wb") -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, mode) as file:
        file.write(data)


# These acts run programs.


def run_program(stage: RehearsalStage, argv: Sequence[str]) -> None:
    _run_all(stage, "run", argv)


def run_git(stage: RehearsalStage, args: Sequence[str]) -> None:
    _run_all(stage, "git", (*_GIT, *args))


def commit_all(stage: RehearsalStage, message: str) -> None:
    _run_all(stage, "commit", ("git", "add", "-A"), (*_GIT, "commit", "-m", message))


def make_branch(stage: RehearsalStage, name: str) -> None:
    _run_all(stage, "branch", ("git", "checkout", "-b", name))


def report_blocked(stage: RehearsalStage, kind: str, evidence: str) -> None:
    _run_all(stage, "signal", (*_BLOCKED, "--as", kind, "--evidence", evidence))


def _run_all(stage: RehearsalStage, name: str, *programs: Sequence[str]) -> None:
    stage.use_tool(name, "; ".join(" ".join(argv) for argv in programs))
    for argv in programs:
        stage.tell_event("ran", exit=_run(argv))


def _run(argv: Sequence[str]) -> int:
    """Run it without output and return its exit code. The module subprocess is slow to load."""
    nothing = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    try:
        pid = os.posix_spawnp(argv[0], list(argv), os.environ, file_actions=nothing)
    except OSError:
        return NOT_FOUND
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# These acts say something, or do nothing at all.


def _read_expectation(given: object, act: str) -> Deed:
    text = make_optional(read_text, "")
    expected = read_fields(given, act, contains=text, lacks=text)
    if not any(expected.values()):
        raise ScriptMalformed(f"{act} needs contains, lacks, or both")
    return lambda stage: expect_prompt(stage, **expected)


def expect_prompt(stage: RehearsalStage, contains: str, lacks: str) -> None:
    if contains not in stage.prompt:
        raise Leave(DOES_NOT_FIT, f"the prompt does not contain: {contains}")
    if lacks and lacks in stage.prompt:
        raise Leave(DOES_NOT_FIT, f"the prompt contains: {lacks}")


def sleep_busily(stage: RehearsalStage, seconds: float) -> None:
    stage.use_tool("sleep", f"{seconds} s")
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        time.sleep(min(left, _SIGN_OF_LIFE_SECONDS))
        stage.tell_event("alive")


# These acts tell what it costs, what the service says, and how it ends.


def use_tokens(stage: RehearsalStage, cost: float, **tokens: int) -> None:
    stage.use_tokens(tokens, round(cost * MICRO))


def _read_limit(given: object, act: str) -> Deed:
    after, at = make_optional(read_seconds, None), make_optional(read_instant, None)
    limit = read_fields(given, act, resets_in=after, resets_at=at)
    if None not in limit.values():
        raise ScriptMalformed(f"{act} takes resets_in or resets_at, not both")
    return lambda stage: hit_limit(stage, **limit)


def hit_limit(stage: RehearsalStage, resets_in: float | None, resets_at: datetime | None) -> None:
    if resets_in is not None:
        resets_at = datetime.now(UTC) + timedelta(seconds=resets_in)
    told = resets_at.isoformat(timespec="microseconds") if resets_at else ""
    stage.tell_event("limit", resets_at=told.replace("+00:00", "Z"))
    stage.will_end("rate-limited", "a rate limit was hit")


def leave_with(_stage: RehearsalStage, code: int) -> None:
    raise Leave(code)


ACTS: Mapping[str, ActReader] = {
    "write": take_fields(write_text, path=read_argument, text=read_any_text),
    "append": take_fields(append_text, path=read_argument, text=read_any_text),
    "replace": take_fields(replace_text, path=read_argument, old=read_text, new=read_any_text),
    "delete": take_fields(delete_path, path=read_argument),
    "run": take_fields(run_program, argv=read_arguments),
    "git": take_fields(run_git, args=read_arguments),
    "commit": take_fields(commit_all, message=read_argument),
    "branch": take_fields(make_branch, name=read_argument),
    "signal": take_fields(report_blocked, kind=make_choice(HONEST_EXITS), evidence=read_argument),
    "answer": take_value(write_answer, _read_answer, "answer"),
    "say": take_value(RehearsalStage.say_text, read_text, "what it says"),
    "think": take_value(
        lambda stage, text: stage.tell_event("think", text=text), read_text, "what it thinks"
    ),
    "expect_prompt": _read_expectation,
    "sleep": take_value(sleep_busily, read_seconds, "sleep"),
    "silence": take_value(lambda _, seconds: time.sleep(seconds), read_seconds, "silence"),
    "usage": take_fields(
        use_tokens, input=read_count, output=read_count, cached=read_count,
        cost=make_optional(make_number(0, MICRO), 0),
    ),
    "rate_limit": _read_limit,
    "auth": take_fields(lambda stage: stage.will_end("auth", "not logged in")),
    "outage": take_fields(
        lambda stage, status: stage.will_end("outage", f"the service answered {status}"),
        status=make_number(400, 599, whole=True),
    ),
    "context": take_fields(lambda stage: stage.will_end("context", "the prompt is too long")),
    "exit": take_value(leave_with, make_number(0, 255, whole=True), "the code of exit"),
}  # fmt: skip
LAST = "exit"  # nothing is played after it
