"""Denies a held agent some tools: to touch our files or protected ones, and to ask the user."""

from __future__ import annotations

import os

from goalkeeper.wire import layout
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.hold import SENTINEL, Hold
from goalkeeper.wire.hook import QUESTION_TOOLS, HookEvent

_SHELLS = frozenset({"Bash", "run_shell_command", "bash", "shell", "Shell"})
_WRITERS = frozenset(
    {
        "write", "edit", "multiedit", "notebookedit", "write_file", "replace", "apply_patch",
        "patch", "create", "create_file", "edit_file", "delete", "delete_file", "str_replace",
        "search_replace",
    }
)  # fmt: skip
_PATHS = ("file_path", "notebook_path", "filePath", "path", "absolute_path")
_PATCHED = ("*** Update File: ", "*** Delete File: ", "*** Add File: ", "*** Move to: ")
_READING = frozenset(
    {
        "cat", "ls", "head", "tail", "less", "grep", "rg", "jq", "wc", "stat", "find", "file",
        "sort", "uniq", "cut", "diff", "goalkeeper", "cd", "echo", "pwd", "true", "test",
    }
)  # fmt: skip
_GIT_READS = [["status"], ["log"], ["diff"], ["show"], ["add"], ["commit"], ["ls-files"]]
_WRITING = (">", "-delete", "-exec", "$(", "`")
_OURS = (layout.STATE_DIR, "state/goalkeeper")


def find_denial(
    hold: Hold, asked: HookEvent, protected: frozenset[str], settings: list[str]
) -> str:
    """Say why the tool may not be used; return an empty text if it may.

    `settings` are the files by which the client's hooks can be turned off.
    """
    if asked.tool in QUESTION_TOOLS:
        return "" if hold.asks or not hold.limits.protects else _say_no_questions(hold)
    if asked.tool in _SHELLS:
        command = asked.tool_input.get("command")
        return _find_shell_denial(asked, command, settings) if isinstance(command, str) else ""
    if asked.tool.lower() not in _WRITERS:
        return ""
    for path in _list_paths(asked):
        inside = _resolve(hold.worktree, path)
        if _is_ours(inside) or "/state/goalkeeper/" in path:
            return _say_not_ours(f"{inside} would change")
        full = os.path.normpath(os.path.join(hold.worktree, inside))
        if full in map(os.path.realpath, settings):
            return _say_settings(f"{inside} decides")
        if hold.limits.protects and inside in protected:
            return _say_protected(inside)
    return ""


def _is_ours(path: str) -> bool:
    """Return whether a path is in our folder, but not a file that an agent hands to a command."""
    top, *rest = path.split("/")
    is_handed = rest[:1] == [layout.CACHE] and len(rest) == 2  # noqa: PLR2004  folders there are ours
    return top == layout.STATE_DIR and not is_handed


def _list_paths(asked: HookEvent) -> list[str]:
    """List what the tool writes to."""
    found = [asked.tool_input.get(name) for name in _PATHS]
    patch = asked.tool_input.get("command") or asked.tool_input.get("patchText")
    for line in patch.splitlines() if isinstance(patch, str) else ():
        found += [line[len(start) :].strip() for start in _PATCHED if line.startswith(start)]
    return [path for path in found if isinstance(path, str)]


def _resolve(worktree: str, path: str) -> str:
    full = os.path.normpath(os.path.join(worktree, path))
    real = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
    return os.path.relpath(real, worktree)


def _find_shell_denial(asked: HookEvent, command: str, settings: list[str]) -> str:
    """Deny a command that names our files or the client's settings, and does more than read."""
    is_ours = any(name in command for name in _OURS)
    if not is_ours and not _is_naming_settings(asked.client, command, settings):
        return ""
    if _is_only_reading(command):
        return ""
    said = "this command does more than read, and names"
    return _say_not_ours(said) if is_ours else _say_settings(f"{said} what decides")


def _is_naming_settings(client: str, command: str, settings: list[str]) -> bool:
    """Return whether a command names such a file, in one piece or as folder and file."""
    of = CLIENTS[client].settings
    keys = [key for key in of.switch.split()[:-1] if not key.islower()]
    if any(key in command for key in keys):
        return True
    names = {path.rpartition("/")[2] for path in settings} | {"skills/goalkeeper", "goalkeeper.js"}
    is_there = of.folder.rpartition("/")[2] in command
    return is_there and any(name in command for name in names)


def _is_only_reading(command: str) -> bool:
    command = command.replace("2>&1", "").replace(">/dev/null", "").replace("> /dev/null", "")
    if any(mark in command for mark in _WRITING):
        return False
    for separator in (";", "&", "|"):
        command = command.replace(separator, "\n")
    parts = (part.split() for part in command.splitlines())
    return all(_is_reading(part) for part in parts if part)


def _is_reading(argv: list[str]) -> bool:
    program = os.path.basename(argv[0])
    return program in _READING or (program == "git" and argv[1:2] in _GIT_READS)


def _say_not_ours(what: str) -> str:
    return (
        f"{SENTINEL} Denied: {what} {layout.STATE_DIR}/, goalkeeper's record of what was judged; "
        "only goalkeeper's own commands change it."
    )


def _say_settings(what: str) -> str:
    return (
        f"{SENTINEL} Denied: {what} whether this client calls hooks, and ultrawork holds this "
        "session by them. Only the user changes it, after ultrawork has ended."
    )


def _say_protected(path: str) -> str:
    return (
        f"{SENTINEL} Denied: {path} is protected while ultrawork holds this session: the checks "
        "use it as it was at the beginning, so a change would not count. New tests belong into "
        "new files. Only the user can free it: by a contract with may_change, or by the settings."
    )


def _say_no_questions(hold: Hold) -> str:
    return (
        f"{SENTINEL} Denied: while run {hold.run} is active, questions to the user are closed. "
        "Decide by what is known and say so; or, if only a human can: goalkeeper blocked "
        f'--run {hold.run} --as needs-human --evidence "<the question>".'
    )
