"""The manifest of a session: what the manifests of its steps ask for, all together.

It is computed. One that stands in a spec is compared with what the steps say, because a
difference means that somebody edited it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from goalkeeper.core.campaign.plan import PlannedSession
from goalkeeper.core.problems import Problem
from goalkeeper.core.schema import Node, Notes

_MAY_BE_EMPTY = ("bash_syntax_check", "scope_touch", "scope_forbidden")  # as in the template
_LISTS = ("expected_paths", "bash_syntax_check", "forbidden_paths")
_PATTERN = "commit_message_pattern"
_WRAPPERS = ("manifest", "session_manifest")
_NULLS = ("", "~", "null")
_SHOWN = 200

ManifestEntries = Mapping[str, tuple[int, tuple[str, ...]]]  # by name: its line, what it says


@lru_cache(maxsize=1024)  # it is read to compare, and again to write
def read_entries(text: str, first_line: int) -> ManifestEntries | Problem:
    """Read the entries of a manifest that are texts or lists of texts, each with its line.

    Events are enough for that: composing thousands of manifests takes longer than all the rest.
    """
    import yaml  # noqa: PLC0415  for those who bring some

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return dict(_follow_events(yaml, yaml.parse(text, Loader=loader), first_line))
    except yaml.MarkedYAMLError as exc:
        line = first_line + (exc.problem_mark.line if exc.problem_mark else 0)
        return Problem(f"line {line}", f"not YAML: {exc.problem}")
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        return Problem(f"line {first_line}", f"not YAML: {exc}")


def _follow_events(
    yaml: Any,  # noqa: ANN401  the module, which is loaded late
    events: Iterable[Any],
    first_line: int,
) -> Iterator[tuple[str, tuple[int, tuple[str, ...]]]]:
    depth, level, key, line = 0, 1, "", 0  # entries stand at this level; a key waits for its value
    texts: list[str] = []
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            if depth == level and key:
                yield key, (line, tuple(texts))
                key = ""
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            if is_mapping and depth == 2 and level == 1 and key in _WRAPPERS:  # noqa: PLR2004
                level, key = 2, ""
            texts = texts if depth > level + 1 else []
        elif isinstance(event, yaml.ScalarEvent):
            is_null = event.implicit[0] and event.value.lower() in _NULLS
            if depth == level and not key:
                key, line = event.value, first_line + event.start_mark.line
            elif depth == level:
                yield key, (line, () if is_null or not event.value else (event.value,))
                key = ""
            elif depth == level + 1 and event.value and not is_null:
                texts.append(event.value)


def sum_manifests(session: PlannedSession, version: str) -> dict[str, Any]:
    """Compute the manifest of a session from its steps and its fence."""
    steps = [_read_lists(step.manifest) for step in session.steps]
    forbidden = _unite(each["forbidden_paths"] for each in steps)
    return {
        "plan_version": version,
        "legacy_synthesis": not version,
        "expected_paths": _unite(each["expected_paths"] for each in steps),
        "commit_count": len(session.steps),
        "commit_message_patterns": [pattern for each in steps for pattern in each[_PATTERN]],
        "bash_syntax_check": _unite(each["bash_syntax_check"] for each in steps),
        "scope_touch": list(session.touch),
        "scope_forbidden": _unite([session.never, forbidden]),
    }


def _read_lists(manifest: str) -> dict[str, tuple[str, ...]]:
    """Read what counts of a step's manifest; nothing of one that cannot be read."""
    read = read_entries(manifest, 1)
    entries = {} if isinstance(read, Problem) else read
    return {name: entries.get(name, (0, ()))[1] for name in (*_LISTS, _PATTERN)}


def _unite(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(item for each in lists for item in each))


def compare_manifest(written: ManifestEntries, session: PlannedSession, notes: Notes) -> None:
    """Report every entry of a written session manifest that is not what the steps say."""
    for name, computed in sum_manifests(session, "").items():
        if name not in written or name in {"plan_version", "legacy_synthesis"}:
            continue
        line, found = written[name]
        if not found and name in _MAY_BE_EMPTY:
            continue
        wanted = tuple(computed) if isinstance(computed, list) else (str(computed),)
        is_ordered = name == "commit_message_patterns"
        if found != wanted if is_ordered else {*found} != {*wanted}:
            shown = ", ".join(wanted) or "none"
            shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
            message = f"{name} is not what the steps say ({shown}): somebody edited it"
            notes.add_problem(Node("", line), "session_manifest", message)


def read_version(written: ManifestEntries) -> str | None:
    """Return the version that a session manifest gives: empty for a legacy plan, None if none."""
    legacy = written.get("legacy_synthesis", (0, ()))[1]
    if [word.lower() for word in legacy] == ["true"]:
        return ""
    said = written.get("plan_version")
    return None if said is None else "".join(said[1])
