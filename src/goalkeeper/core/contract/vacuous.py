"""Checks that cannot fail, seen by reading them."""

from __future__ import annotations

import re

from goalkeeper.core.contract.check_kinds import Check

_ALWAYS = frozenset({"true", ":", "echo", "printf", "/bin/true", "/usr/bin/true", "sleep"})
_ANY_FILE = frozenset({".", "*", "**", "**/*"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh"})
_EASY = r"[\s({]*((/usr)?/bin/)?(true|:|exit\s+0|echo\b[^|&;]*)[\s;)}]*(#.*)?$"
_SHRUG = re.compile(r"(\|\||\|)" + _EASY)  # not &&: what failed before it has failed
_SHRUG_LAST = re.compile(r"(;|\n)" + _EASY)
_STOPS = re.compile(r"^\s*set\s+-[a-z]*e[a-z]*(\s+(-o\s+)?pipefail)?\s*(;|&&|\n)")
_EXITS = re.compile(r"\bexit\s+(?!0\b)\S")
_NOTHING = re.compile(r"^\s*(true|:|exit(\s+0)?|echo\b[^|&;`$]*|\(\s*exit\s+0\s*\))\s*;?\s*$")


def why_vacuous(check: Check) -> str:
    """Why the check cannot fail; empty when nothing of the kind is seen."""
    if check.kind == "shell":
        return _why_text_vacuous(str(check.main_option)) if not _expects_more(check) else ""
    if check.kind == "metric" and check.options["min"] is None and check.options["max"] is None:
        return "give min or max; without them every number will do"
    if check.kind == "file" and check.main_option in _ANY_FILE and not _looks_inside(check):
        return "any file satisfies it"
    if check.kind == "json" and not check.options["field"]:
        return "" if check.options["min_count"] is not None else "give the field it must have"
    if check.kind in {"must_contain", "commit_message_pattern"}:
        return _why_patterns_vacuous(check)
    return (
        _why_program_vacuous(check) if check.kind == "command" and not _expects_more(check) else ""
    )


def _looks_inside(check: Check) -> bool:
    asked = check.options
    return bool(asked["is"] == "absent" or asked["contains"] or asked["sha256"])


def _expects_more(check: Check) -> bool:
    """Whether more than success is asked for."""
    asked = [check.options["stdout"], check.options["stderr"]]
    telling = any(pattern and not re.search(pattern, "") for pattern in asked)
    return telling or check.options["exit"] != 0


def _why_program_vacuous(check: Check) -> str:
    argv = check.main_option
    name = argv[0].rsplit("/", 1)[-1] if argv else ""
    if name in _ALWAYS:
        return f"{argv[0]} always succeeds"
    inner = argv[2] if len(argv) > 2 and name in _SHELLS and argv[1].endswith("c") else ""  # noqa: PLR2004
    return _why_text_vacuous(inner) if inner else ""


def _why_text_vacuous(text: str) -> str:
    if _NOTHING.match(text):
        return f"'{text.strip()}' always succeeds"
    return "it ends in a command that always succeeds" if _hides_failures(text) else ""


def _hides_failures(text: str) -> bool:
    """Whether the last command hides what the others said."""
    if _EXITS.search(text):
        return False
    stops = _STOPS.match(text)  # set -e: what failed before the last command has failed
    if not stops:
        return bool(_SHRUG.search(text) or _SHRUG_LAST.search(text))
    rest = text[stops.end() :]
    shrug = _SHRUG.search(rest)
    return shrug is not None and not re.search(r"[;\n]", rest[: shrug.start()].strip())


def _why_patterns_vacuous(check: Check) -> str:
    if check.kind == "commit_message_pattern":
        patterns = [check.main_option]
    else:
        patterns = [item["pattern"] for item in check.main_option]
    return "the pattern matches everything" if any(re.search(p, "") for p in patterns) else ""
