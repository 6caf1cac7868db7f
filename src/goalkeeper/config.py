"""Settings of a repository: parsed and validated, every problem reported at once."""

from __future__ import annotations

import json
from collections.abc import Mapping

from goalkeeper.core.model import Problem
from goalkeeper.wire.value import Value

VERSION = 1
AGENTS = ("claude", "codex", "gemini", "opencode")
_KNOWN = {"": {"version", "verify", "agents"}, "verify": {"commands"}, "agents": {"default"}}

Argv = tuple[str, ...]


class Settings(Value):
    verify: tuple[Argv, ...] = ()
    agent: str = ""


def parse(raw: Mapping[str, object]) -> Settings | tuple[Problem, ...]:
    """Settings, or everything that is wrong with them."""
    problems = _unknown(raw, "")
    version = raw.get("version", VERSION)
    if version is True or version != VERSION:
        problems.append(Problem("version", f"must be {VERSION}, not {version!r}"))
    verify = _table(raw, "verify", problems)
    agents = _table(raw, "agents", problems)
    settings = Settings(
        _commands(verify.get("commands", []), problems), _agent(agents.get("default", ""), problems)
    )
    return tuple(problems) or settings


def dump(settings: Settings) -> str:
    """A config.toml that a person likes to read."""
    commands = "".join(f"  {_list(argv)},\n" for argv in settings.verify)
    verify = f"commands = [\n{commands}]\n" if commands else 'commands = []  # [["make", "test"]]\n'
    agent = f'default = "{settings.agent}"\n' if settings.agent else '# default = "claude"\n'
    return (
        f"version = {VERSION}\n\n"
        "# What must pass before this project is healthy; each command is a list of words.\n"
        f"[verify]\n{verify}\n"
        "# The agent that works when none is named.\n"
        f"[agents]\n{agent}"
    )


def _unknown(table: Mapping[str, object], where: str) -> list[Problem]:
    known = _KNOWN[where]
    path = f"{where}." if where else ""
    expected = ", ".join(sorted(known))
    return [
        Problem(f"{path}{name}", f"unknown; expected one of {expected}")
        for name in table
        if name not in known
    ]


def _table(raw: Mapping[str, object], name: str, problems: list[Problem]) -> Mapping[str, object]:
    value = raw.get(name, {})
    if not isinstance(value, Mapping):
        problems.append(Problem(name, "must be a table"))
        return {}
    problems += _unknown(value, name)
    return value


def _commands(value: object, problems: list[Problem]) -> tuple[Argv, ...]:
    if not isinstance(value, list) or not all(_is_argv(item) for item in value):
        problems.append(Problem("verify.commands", 'must be lists of words: [["make", "test"]]'))
        return ()
    return tuple(tuple(item) for item in value)


def _is_argv(item: object) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(word, str) for word in item)


def _agent(value: object, problems: list[Problem]) -> str:
    if value not in ("", *AGENTS):
        problems.append(Problem("agents.default", f"must be one of {', '.join(AGENTS)}"))
        return ""
    return str(value)


def _list(argv: Argv) -> str:
    return json.dumps(argv)  # TOML and JSON agree on lists of strings
