"""What an agent does in a worktree: files and programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from goalkeeper.rehearsal.reading import Fields, Malformed
from goalkeeper.rehearsal.stage import Deed, Leave, Stage

HONEST_EXITS = ("blocked", "impossible", "needs-human")
LANE = "GOALKEEPER_LANE"  # the folder of a lane, set for its agent
NOT_FOUND = 127  # as shells say it

_GIT = (
    "git", "-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@localhost",
    "-c", "commit.gpgsign=false",
)  # fmt: skip


# Files


def write(given: object) -> Deed:
    fields = Fields(given, "write", "path", "text")
    path, data = fields.argument("path"), fields.text_or_nothing("text").encode()

    def deed(stage: Stage) -> None:
        stage.tool("write", path)
        put(path, data, "wb")

    return deed


def answer(given: object) -> Deed:
    """As a lane: into the folder that goalkeeper gave it."""
    if not isinstance(given, dict):
        raise Malformed("answer needs an object: what the lane answers")
    data = json.dumps(given).encode()

    def deed(stage: Stage) -> None:
        folder = os.environ.get(LANE, "")
        if not folder:
            raise Leave(1, f"{LANE} is not set: this is no lane")
        stage.tool("answer", folder)
        put(os.path.join(folder, "answer.json"), data, "wb")

    return deed


def append(given: object) -> Deed:
    fields = Fields(given, "append", "path", "text")
    path, data = fields.argument("path"), fields.text_or_nothing("text").encode()

    def deed(stage: Stage) -> None:
        stage.tool("append", path)
        put(path, data, "ab")

    return deed


def replace(given: object) -> Deed:
    fields = Fields(given, "replace", "path", "old", "new")
    path, old = fields.argument("path"), fields.text("old").encode()
    new = fields.text_or_nothing("new").encode()

    def deed(stage: Stage) -> None:
        stage.tool("replace", path)
        with open(path, "rb") as file:
            before = file.read()
        if old not in before:
            raise Leave(1, f"{path} does not contain what is to be replaced")
        put(path, before.replace(old, new), "wb")

    return deed


def delete(given: object) -> Deed:
    path = Fields(given, "delete", "path").argument("path")

    def deed(stage: Stage) -> None:
        stage.tool("delete", path)
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil  # noqa: PLC0415  slow

            shutil.rmtree(path)
        else:
            os.remove(path)

    return deed


def put(path: str, data: bytes, mode: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, mode) as file:
        file.write(data)


# Programs


def run(given: object) -> Deed:
    return _running("run", Fields(given, "run", "argv").arguments("argv"))


def git(given: object) -> Deed:
    return _running("git", (*_GIT, *Fields(given, "git", "args").arguments("args")))


def commit(given: object) -> Deed:
    message = Fields(given, "commit", "message").argument("message")
    return _running("commit", ("git", "add", "-A"), (*_GIT, "commit", "-m", message))


def branch(given: object) -> Deed:
    name = Fields(given, "branch", "name").argument("name")
    return _running("branch", ("git", "checkout", "-b", name))


def honest_exit(given: object) -> Deed:
    fields = Fields(given, "signal", "kind", "evidence")
    kind = fields.one_of("kind", HONEST_EXITS)
    said = ("blocked", "--as", kind, "--evidence", fields.argument("evidence"))
    # -P: what lies in the worktree must not be taken for a module of ours.
    return _running("signal", (sys.executable, "-P", "-m", "goalkeeper", *said))


def _running(name: str, *programs: Sequence[str]) -> Deed:
    def deed(stage: Stage) -> None:
        stage.tool(name, "; ".join(" ".join(argv) for argv in programs))
        for argv in programs:
            stage.tell("ran", exit=_exit_of(argv))

    return deed


def _exit_of(argv: Sequence[str]) -> int:
    import subprocess  # noqa: PLC0415  slow

    nothing = subprocess.DEVNULL
    try:
        ran = subprocess.run(argv, stdin=nothing, stdout=nothing, stderr=nothing, check=False)
    except OSError:
        return NOT_FOUND
    return ran.returncode
