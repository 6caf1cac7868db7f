"""Reads settings of test runners, coverage and linters."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch

from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.tamper.harness.commands import find_narrowing, read_json
from goalkeeper.tamper.lines import find_added_lines
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import ChangedFile, base_name
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.words import read_pattern
from goalkeeper.wire.pattern import late_pattern

Settings = Mapping[str, tuple[str, ...]]

_USUAL = late_pattern(r"[./*\w-]*([Tt]est|spec)[./*\w-]*|src|docs?|\.")
MOST_DOTS = 1000  # the limit for one line
_INI = {"pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg"}
_TOML = {"pyproject.toml", "pytest.toml", ".pytest.toml"}
_SECTIONS = ("pytest", "tool:pytest")
# In some settings fewer entries mean fewer tests, in others more entries do.
_GIVE = {"testpaths", "python_files", "python_classes", "python_functions"}
_DEFAULT = {"test_*.py", "*_test.py", "Test", "Test*", "test", "test_*", "test*"}
_TAKE = {"norecursedirs", "collect_ignore", "collect_ignore_glob"}
_STRICT = {"xfail_strict", "strict", "strict_markers", "strict_config", "strict_xfail"}
_PACKAGE_TOOLS = ("jest", "vitest", "mocha", "ava", "nyc", "c8", "tap")
_LINTERS = ("ruff", "mypy", "pylint", "flake8", "pyright", "black", "isort", "bandit")


def find_config_tricks(pair: ChangedFile) -> Iterator[Sighting]:
    name = base_name(pair.path)
    if name == "package.json":
        yield from _compare_package(pair)
    elif read_pattern("script-config").fullmatch(name):
        yield from _compare_script_config(pair)
    if name == "pyproject.toml":
        yield from _compare_lint_settings(pair)
    has_settings = role_of_path(pair.path) in {Role.HARNESS, Role.CI}
    has_settings = has_settings or bool(read_pattern("settings-file").fullmatch(name))
    if has_settings and name != "package-lock.json":
        yield from _find_lowered_thresholds(pair)


def find_settings_tricks(
    pairs: Sequence[ChangedFile], tests: Sequence[str], own: Sequence[str]
) -> Iterator[Sighting]:
    """Compare the settings of pytest over all files, because they move from one to another.

    `tests` are the paths of test files that there are now, `own` those of the rest and of the base.
    """
    read = [
        (pair, _read_settings(pair.old), _read_settings(pair.new))
        for pair in pairs
        if base_name(pair.path) in _INI | _TOML
    ]
    gone = {key: old[key] for _, old, new in read for key in old if key not in new}
    come = {key: new[key] for _, old, new in read for key in new if key not in old}
    for pair, old, new in read:
        if pair.new is None and not come and old.keys() & {"addopts", *_GIVE}:
            text = "the runner's settings are gone"
            yield Sighting("runner-options-narrowed", pair.path, 0, text)
            continue
        for key in sorted({*old, *new}):
            before, after = old.get(key) or gone.get(key, ()), new.get(key, ())
            if key not in new and key in come:
                continue  # it is compared where it stands now
            if key == "testpaths":
                before = tuple(w for w in before if not _has_moved(w, after, pairs, tests))
            if key in _TAKE:  # what is not there cannot be left out
                after = tuple(w for w in after if w in before or _has_part(w, (*tests, *own)))
            if before != after:
                yield from _compare_setting(pair, key, before, after)


def _has_part(pattern: str, paths: Sequence[str]) -> bool:
    """Return whether a name, or the beginning of a path, is like the pattern.

    Brackets are signs of a pattern, or of a list that was written as in TOML.
    """
    words = {pattern.rstrip("/"), pattern.strip("[]\"',").rstrip("/")}
    parts = {part for path in paths for part in path.split("/")}
    return any(
        any(_lies_in(path, word) or fnmatch(path, f"{word}*") for path in paths)
        if "/" in word
        else any(fnmatch(part, word) for part in parts)
        for word in words
    )


def _has_moved(
    place: str, named: Sequence[str], pairs: Sequence[ChangedFile], tests: Sequence[str]
) -> bool:
    """Return whether all tests of a place lie in places that are named now."""
    old = [pair for pair in pairs if _lies_in(pair.change.old_path or "", place)]
    moved = [pair.path for pair in old if pair.change.new is not None]  # others are gone
    kept = any(_lies_in(path, place) for path in tests)
    return (
        bool(moved)
        and not kept
        and all(any(_lies_in(path, each) for each in named) for path in moved)
    )


def _lies_in(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place.rstrip('/')}/")


def _compare_setting(
    pair: ChangedFile, key: str, before: tuple[str, ...], after: tuple[str, ...]
) -> Iterator[Sighting]:
    line = _find_line(pair.new, key)
    gained = [word for word in after if word not in before]
    lost = [word for word in before if word not in after]
    shown = f"{key} went from {' '.join(before) or 'nothing'} to {' '.join(after) or 'nothing'}"
    if key in _GIVE:
        # A setting that is new narrows, too, unless it only names the usual places; so does one
        # that is gone and had other names than pytest has by itself.
        narrows = bool(lost and after) or (not before and not all(map(_USUAL.fullmatch, after)))
        narrows = narrows or (not after and key != "testpaths" and not _DEFAULT.issuperset(lost))
    elif key in _TAKE:
        narrows = bool(gained)
    elif key == "addopts":
        narrows = any(find_narrowing(after, before)) or any("doctest" in word for word in lost)
    else:
        narrows = False
    if narrows:
        yield Sighting("runner-options-narrowed", pair.path, line, shown)
    elif key == "filterwarnings" or key in _STRICT or key in {"addopts", "pytest11", *_GIVE}:
        yield Sighting("runner-config-changed", pair.path, line, shown)


def _find_line(source: Source | None, key: str) -> int:
    lines = source.text.splitlines() if source else []
    pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=:]")
    return next((n for n, line in enumerate(lines, start=1) if pattern.match(line)), 0)


def _read_settings(source: Source | None) -> Settings:
    """Read the settings of pytest in a file, each as a tuple of words."""
    if source is None:
        return {}
    if source.path.endswith(".toml"):
        tables = _read_toml(source)
        found = _find_table(tables, "tool", "pytest", "ini_options") or _find_table(
            tables, "tool", "pytest"
        )
        if base_name(source.path) != "pyproject.toml":
            found = _find_table(tables, "pytest")
        plugins = _find_table(tables, "project", "entry-points", "pytest11")
        return {
            key: _split_words(value)
            for key, value in {**found, **({"pytest11": list(plugins)} if plugins else {})}.items()
        }
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(source.text)
    except configparser.Error:
        return {}
    return {
        key: _split_words(value)
        for section in _SECTIONS
        if parser.has_section(section)
        for key, value in parser.items(section)
    }


def _split_words(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(word) for word in value)
    return tuple(str(value).split())


def _read_toml(source: Source) -> Mapping[str, object]:
    # The parser takes a minute for a key with many thousand dots.
    if any(line.count(".") > MOST_DOTS for line in source.text.splitlines()):
        return {}
    try:
        return tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _find_table(tables: object, *names: str) -> Mapping[str, object]:
    for name in names:
        tables = tables.get(name) if isinstance(tables, dict) else None
    return tables if isinstance(tables, dict) else {}


def _compare_package(pair: ChangedFile) -> Iterator[Sighting]:
    old, new = read_json(pair.old), read_json(pair.new)
    for tool in _PACKAGE_TOOLS:
        before, after = _find_table(old, tool), _find_table(new, tool)
        for key in sorted({*before, *after}):
            if before.get(key) == after.get(key):
                continue
            narrows = bool(read_pattern("script-setting").fullmatch(key)) and key in after
            rule = "runner-options-narrowed" if narrows else "runner-config-changed"
            yield Sighting(rule, pair.path, _find_line(pair.new, key), f"{tool}.{key} was changed")
    for group in ("dependencies", "devDependencies", "overrides", "resolutions"):
        for name, version in _find_table(new, group).items():
            local = re.match(r"(file|link|portal):", str(version))
            if local and _find_table(old, group).get(name) != version:
                text = f"{name} comes from {version} now"
                yield Sighting("module-shadowed", pair.path, _find_line(pair.new, name), text)


def _compare_script_config(pair: ChangedFile) -> Iterator[Sighting]:
    if pair.old is None or pair.new is None:
        verb = "was added" if pair.old is None else "is gone"
        yield Sighting("runner-config-changed", pair.path, 0, f"the runner's configuration {verb}")
        return
    said = False
    for number, line in find_added_lines(pair):
        said = True
        if found := read_pattern("script-setting").search(line):
            text = f"{found[0]} decides which tests run"
            yield Sighting("runner-options-narrowed", pair.path, number, text)
        else:
            text = f"the runner's configuration has a new line: `{line.strip()}`"
            yield Sighting("runner-config-changed", pair.path, number, text)
    if not said:
        yield Sighting("runner-config-changed", pair.path, 0, "lines of the configuration are gone")


def _find_lowered_thresholds(pair: ChangedFile) -> Iterator[Sighting]:
    if pair.old is None:
        return
    after = _read_thresholds(pair.new)
    for name, value in _read_thresholds(pair.old).items():
        if name not in after or after[name] < value:
            shown = f"{after[name]:g}" if name in after else "nothing"
            text = f"{name} went from {value:g} to {shown}"
            # One that is gone may stand elsewhere now.
            line, mild = _find_line(pair.new, name), name not in after
            yield Sighting("threshold-lowered", pair.path, line, text, mild=mild)


def _read_thresholds(source: Source | None) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, number in read_pattern("coverage-threshold").findall(source.text if source else ""):
        found[name] = min(float(number), found.get(name, float(number)))
    return found


def _compare_lint_settings(pair: ChangedFile) -> Iterator[Sighting]:
    if pair.old is None or pair.new is None:
        return
    old, new = _read_toml(pair.old), _read_toml(pair.new)
    for tool in _LINTERS:
        before, after = _find_table(old, "tool", tool), _find_table(new, "tool", tool)
        if before and before != after:
            text = f"the settings of {tool} were changed"
            yield Sighting("runner-config-changed", pair.path, 0, text)
