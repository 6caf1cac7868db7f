"""Checks that cannot fail: each function returns the reason, from the check's options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.wire.pattern import late_pattern

_ALWAYS = frozenset({"true", ":", "echo", "printf", "/bin/true", "/usr/bin/true", "sleep"})
_ANY_FILE = frozenset({".", "*", "**", "**/*"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh"})
_EASY = r"[\s({]*((/usr)?/bin/)?(true|:|exit\s+0|echo\b[^|&;]*)[\s;)}]*(#.*)?$"
_SHRUG = late_pattern(r"(\|\||\|)" + _EASY)  # && is not in it: what failed before && has failed
_SHRUG_LAST = late_pattern(r"(;|\n)" + _EASY)
_STOPS = late_pattern(r"^\s*set\s+-[a-z]*e[a-z]*(\s+(-o\s+)?pipefail)?\s*(;|&&|\n)")
_EXITS = late_pattern(r"\bexit\s+(?!0\b)\S")
_NOTHING = late_pattern(r"^\s*(true|:|exit(\s+0)?|echo\b[^|&;`$]*|\(\s*exit\s+0\s*\))\s*;?\s*$")


def explain_program(argv: Sequence[str], options: Mapping[str, Any]) -> str:
    name = argv[0].rsplit("/", 1)[-1] if argv else ""
    if _expects_more(options):
        return ""
    if name in _ALWAYS:
        return f"{argv[0]} always succeeds"
    inner = argv[2] if len(argv) > 2 and name in _SHELLS and argv[1].endswith("c") else ""  # noqa: PLR2004
    return _explain_script(inner)


def explain_text(text: str, options: Mapping[str, Any]) -> str:
    return "" if _expects_more(options) else _explain_script(text)


def explain_bounds(_: object, options: Mapping[str, Any]) -> str:
    is_bounded = options["min"] is not None or options["max"] is not None
    return "" if is_bounded else "give min or max; without them every number will do"


def explain_glob(glob: str, options: Mapping[str, Any]) -> str:
    looks_inside = options["is"] == "absent" or options["contains"] or options["sha256"]
    return "any file satisfies it" if glob in _ANY_FILE and not looks_inside else ""


def explain_field(_: object, options: Mapping[str, Any]) -> str:
    is_telling = options["field"] or options["min_count"] is not None
    return "" if is_telling else "give the field it must have"


def explain_pattern(pattern: str, _: object) -> str:
    return "the pattern matches everything" if re.search(pattern, "") else ""


def explain_patterns(wanted: Sequence[Mapping[str, str]], _: object) -> str:
    return max((explain_pattern(item["pattern"], _) for item in wanted), default="")


def _expects_more(options: Mapping[str, Any]) -> bool:
    """Return whether more than success is asked for."""
    asked = (options["stdout"], options["stderr"])
    return options["exit"] != 0 or any(each and not re.search(each, "") for each in asked)


def _explain_script(text: str) -> str:
    if _NOTHING.match(text):
        return f"'{text.strip()}' always succeeds"
    return "it ends in a command that always succeeds" if _hides_failures(text) else ""


def _hides_failures(text: str) -> bool:
    """Return whether the last command hides what the others said."""
    if _EXITS.search(text):
        return False
    stops = _STOPS.match(text)  # with set -e, what failed before the last command has failed
    if not stops:
        return bool(_SHRUG.search(text) or _SHRUG_LAST.search(text))
    rest = text[stops.end() :]
    shrug = _SHRUG.search(rest)
    return shrug is not None and not re.search(r"[;\n]", rest[: shrug.start()].strip())
