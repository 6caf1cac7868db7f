"""What an agent does in a worktree: files and programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from goalkeeper.rehearsal.reading import ScriptFields, ScriptMalformed
from goalkeeper.rehearsal.stage import Deed, Leave, RehearsalStage

HONEST_EXITS = ("blocked", "impossible", "needs-human")
LANE = "GOALKEEPER_LANE"  # the folder of a lane, set for its agent
NOT_FOUND = 127  # as shells say it

_GIT = (
    "git", "-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@localhost",
    "-c", "commit.gpgsign=false",
)  # fmt: skip


# Files


def deed_write(given: object) -> Deed:
    fields = ScriptFields(given, "write", "path", "text")
    path, data = fields.read_argument("path"), fields.text_or_nothing("text").encode()

    def deed(stage: RehearsalStage) -> None:
        stage.use_tool("write", path)
        put_file(path, data, "wb")

    return deed


def deed_answer(given: object) -> Deed:
    """As a lane: into the folder that goalkeeper gave it."""
    if not isinstance(given, dict):
        raise ScriptMalformed("answer needs an object: what the lane answers")
    data = json.dumps(given).encode()

    def deed(stage: RehearsalStage) -> None:
        folder = os.environ.get(LANE, "")
        if not folder:
            raise Leave(1, f"{LANE} is not set: this is no lane")
        stage.use_tool("answer", folder)
        put_file(os.path.join(folder, "answer.json"), data, "wb")

    return deed


def deed_append(given: object) -> Deed:
    fields = ScriptFields(given, "append", "path", "text")
    path, data = fields.read_argument("path"), fields.text_or_nothing("text").encode()

    def deed(stage: RehearsalStage) -> None:
        stage.use_tool("append", path)
        put_file(path, data, "ab")

    return deed


def deed_replace(given: object) -> Deed:
    fields = ScriptFields(given, "replace", "path", "old", "new")
    path, old = fields.read_argument("path"), fields.read_text("old").encode()
    new = fields.text_or_nothing("new").encode()

    def deed(stage: RehearsalStage) -> None:
        stage.use_tool("replace", path)
        with open(path, "rb") as file:
            before = file.read()
        if old not in before:
            raise Leave(1, f"{path} does not contain what is to be replaced")
        put_file(path, before.replace(old, new), "wb")

    return deed


def deed_delete(given: object) -> Deed:
    path = ScriptFields(given, "delete", "path").read_argument("path")

    def deed(stage: RehearsalStage) -> None:
        stage.use_tool("delete", path)
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil  # noqa: PLC0415  slow

            shutil.rmtree(path)
        else:
            os.remove(path)

    return deed


def put_file(path: str, data: bytes, mode: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, mode) as file:
        file.write(data)


# Programs


def deed_run(given: object) -> Deed:
    return _make_running("run", ScriptFields(given, "run", "argv").read_arguments("argv"))


def deed_git(given: object) -> Deed:
    return _make_running("git", (*_GIT, *ScriptFields(given, "git", "args").read_arguments("args")))


def deed_commit(given: object) -> Deed:
    message = ScriptFields(given, "commit", "message").read_argument("message")
    return _make_running("commit", ("git", "add", "-A"), (*_GIT, "commit", "-m", message))


def deed_branch(given: object) -> Deed:
    name = ScriptFields(given, "branch", "name").read_argument("name")
    return _make_running("branch", ("git", "checkout", "-b", name))


def honest_exit(given: object) -> Deed:
    fields = ScriptFields(given, "signal", "kind", "evidence")
    kind = fields.one_of("kind", HONEST_EXITS)
    said = ("blocked", "--as", kind, "--evidence", fields.read_argument("evidence"))
    # -P: what lies in the worktree must not be taken for a module of ours.
    return _make_running("signal", (sys.executable, "-P", "-m", "goalkeeper", *said))


def _make_running(name: str, *programs: Sequence[str]) -> Deed:
    def deed(stage: RehearsalStage) -> None:
        stage.use_tool(name, "; ".join(" ".join(argv) for argv in programs))
        for argv in programs:
            stage.tell_event("ran", exit=_exit_of(argv))

    return deed


def _exit_of(argv: Sequence[str]) -> int:
    import subprocess  # noqa: PLC0415  slow

    nothing = subprocess.DEVNULL
    try:
        ran = subprocess.run(argv, stdin=nothing, stdout=nothing, stderr=nothing, check=False)
    except OSError:
        return NOT_FOUND
    return ran.returncode
