"""Files of which only a part decides what checks say: that part comes from the base."""

from __future__ import annotations

import json
from typing import Any

from goalkeeper.core.contract.protected import read_names
from goalkeeper.wire.pattern import late_pattern

_TABLE = late_pattern(r"^\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")


def restore_file(path: str, base: bytes | None, candidate: bytes) -> bytes | None:
    """Return the candidate's file with the tools' tables of the base; None if it is impossible."""
    make = _restore_pyproject if path.endswith(".toml") else _restore_package_json
    try:
        return make(base, candidate)
    except (ValueError, RecursionError, TypeError, AttributeError):
        return None


def _restore_package_json(base: bytes | None, candidate: bytes) -> bytes:
    old: dict[str, Any] = json.loads(base) if base else {}
    new: dict[str, Any] = json.loads(candidate)
    fields = read_names("package_fields")
    before = {k: v for k, v in old.items() if k in fields}
    if before == {k: v for k, v in new.items() if k in fields}:
        return candidate
    merged = {k: v for k, v in new.items() if k not in fields} | before
    return (json.dumps(merged, indent=2, ensure_ascii=False) + "\n").encode()


def _restore_pyproject(base: bytes | None, candidate: bytes) -> bytes:
    import tomllib  # noqa: PLC0415  slow, and few changes touch such a file

    old, new = (base or b"").decode(), candidate.decode()
    before, after = _select_tools(tomllib.loads(old)), _select_tools(tomllib.loads(new))
    if before == after:
        return candidate
    merged = (
        "".join(_select_sections(new, tools=False))
        + "\n"
        + "".join(_select_sections(old, tools=True))
    )
    told = tomllib.loads(merged)
    if _select_tools(told) != before or _select_others(told) != _select_others(tomllib.loads(new)):
        raise ValueError("the tables cannot be told apart by their headings")
    return merged.encode()


def _select_tools(document: dict[str, Any]) -> dict[str, Any]:
    tools = read_names("pyproject_tools")
    return {name: table for name, table in document.get("tool", {}).items() if name in tools}


def _select_others(document: dict[str, Any]) -> dict[str, Any]:
    known = read_names("pyproject_tools")
    tools = {n: table for n, table in document.get("tool", {}).items() if n not in known}
    rest = {name: value for name, value in document.items() if name != "tool"}
    return {**rest, **({"tool": tools} if tools else {})}


def _select_sections(text: str, *, tools: bool) -> list[str]:
    """Return the lines that belong to the tools' tables, or those that do not."""
    known = read_names("pyproject_tools")
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        heading = _TABLE.match(line.rstrip("\r\n"))
        if heading:
            words = [word.strip().strip("\"'") for word in heading.group(1).split(".")]
            inside = words[0] == "tool" and len(words) > 1 and words[1] in known
        if inside == tools:
            kept.append(line if line.endswith("\n") else line + "\n")
    return kept
