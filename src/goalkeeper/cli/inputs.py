"""What a user gives us by flag, file or standard input is read with limits."""

from __future__ import annotations

import os
from typing import Any

from goalkeeper.bootstrap import App, World
from goalkeeper.cli.reply import keep_line, visible
from goalkeeper.core import strict_json
from goalkeeper.core.decode import Malformed, decode
from goalkeeper.core.plan.commands import GoalSnapshot
from goalkeeper.core.plan.model import ActorKind, ToolStatus
from goalkeeper.errors import InputUnreadable, NotAnObject, PathOutside
from goalkeeper.storage.places import find_worktree

BRIEF_LIMIT_BYTES = 1 << 20
JSON_LIMIT_BYTES = 16 << 20
# A goal whose budget is used up is still held: so Codex and older goal tools word it.
_STATUSES = dict.fromkeys(
    ("budgetLimited", "budget_limited", "budget-limited", "usageLimited", "usage_limited"),
    ToolStatus.ACTIVE,
)


def text_file(app: App, path: str, what: str, *, limit_bytes: int) -> str:
    full = confine_path(app, path)
    try:
        with open(full, "rb") as file:
            data = file.read(limit_bytes + 1)
    except OSError as exc:
        hint = "check the path, then repeat the command; nothing was written"
        raise InputUnreadable(what=what, path=path, reason=exc.strerror, hint=hint) from exc
    return decode_text(data, what, path, limit_bytes=limit_bytes)


def brief_file(app: App, path: str) -> str:
    return text_file(app, path, "the brief", limit_bytes=BRIEF_LIMIT_BYTES)


def standard_input(app: App, what: str, *, limit_bytes: int) -> str:
    data = app.world.stdin.read(limit_bytes + 1)
    return decode_text(data, what, "standard input", limit_bytes=limit_bytes)


def is_confirmed(world: World, *lines: str, default: bool) -> bool:
    """Ask whoever sits there; an empty line means the default, and the end of input means no."""
    asked = "\n".join(map(keep_line, lines))
    world.stderr.write(visible(f"{asked} [{'Y/n' if default else 'y/N'}] "))
    world.stderr.flush()
    line = world.stdin.readline().lower()
    return line.strip() in {b"y", b"yes"} or (default and line.isspace())


def prompt(app: App) -> str:
    """Read what a user said to a client as text, whatever bytes are in it."""
    data = app.world.stdin.read(BRIEF_LIMIT_BYTES + 1)
    text = data.decode(errors="replace").replace("\0", "").strip()
    text = app.redactor.clean_brief(text)
    return decode_text(text.encode(), "the prompt", "standard input", limit_bytes=BRIEF_LIMIT_BYTES)


def decode_text(data: bytes, what: str, where: str, *, limit_bytes: int) -> str:
    if len(data) > limit_bytes:
        reason = f"it is larger than {limit_bytes} bytes"
        raise InputUnreadable(what=what, path=where, reason=reason)
    try:
        text = data.decode()
    except UnicodeDecodeError as exc:
        reason = f"byte {exc.start} is not UTF-8"
        raise InputUnreadable(what=what, path=where, reason=reason) from exc
    if "\0" in text:
        reason = f"it is binary (a NUL at character {text.index(chr(0))})"
        raise InputUnreadable(what=what, path=where, reason=reason)
    return text


def confine_path(app: App, path: str) -> str:
    """Return a path inside the repository; only a human may name another, as an absolute path."""
    full = os.path.realpath(os.path.join(app.world.cwd, path))
    if any(is_inside(full, place) for place in (app.root, find_worktree(app.world.cwd))):
        return full
    if os.path.isabs(path) and app.actor.kind is ActorKind.HUMAN:
        return full
    raise PathOutside(path=path, root=app.root)


def is_inside(path: str, place: str) -> bool:
    return os.path.commonpath([path, place]) == place


def json_or_path(app: App, given: str, what: str) -> Any:  # noqa: ANN401  parsed by the caller
    """Read JSON that is written inline (it begins with a bracket), or the file at that path."""
    inline = given.lstrip()[:1] in {"{", "["}
    if not inline and not os.path.lexists(confine_path(app, given)):
        hint = f"give {what} as JSON or as the path of a file; nothing was written"
        reason = "it is neither JSON nor a file"
        raise InputUnreadable(what=what, path=f"'{given}'", reason=reason, hint=hint)
    text = given if inline else text_file(app, given, what, limit_bytes=JSON_LIMIT_BYTES)
    return parse_json(text, what)


def parse_json(text: str, what: str) -> Any:  # noqa: ANN401  as above
    try:
        return strict_json.parse(text)
    except ValueError as exc:
        raise NotAnObject(what=what, expected="document", problem=str(exc)) from exc


def json_object(app: App, given: str, what: str) -> dict[str, Any]:
    value = json_or_path(app, given, what)
    if not isinstance(value, dict):
        raise NotAnObject(what=what, expected="object", problem=f"it is {_name_kind(value)}")
    return value


def goal_snapshot(app: App, given: str | None) -> GoalSnapshot | None:
    """Read what a client's goal tool shows: its goal, or the document with the goal in it."""
    if given is None:
        return None
    shown = json_object(app, given, "--goal-json")
    held = shown.get("goal", shown)
    if held is None:
        return GoalSnapshot("", ToolStatus.NONE)
    try:
        snapshot = decode(GoalSnapshot, held)
    except Malformed as exc:
        raise NotAnObject(what="--goal-json", expected="object", problem=str(exc)) from exc
    return snapshot.replace(status=_STATUSES.get(snapshot.status, snapshot.status))


def json_list(app: App, given: str, what: str) -> list[Any]:
    value = json_or_path(app, given, what)
    if not isinstance(value, list):
        raise NotAnObject(what=what, expected="array", problem=f"it is {_name_kind(value)}")
    return value


def _name_kind(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a text", bool: "a truth value"}
    return names.get(type(value), "a number" if value is not None else "null")
