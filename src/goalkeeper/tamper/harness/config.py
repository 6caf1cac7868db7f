"""Reads settings of test runners, coverage and linters."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.tamper.harness.collecting import (
    CHOOSING,
    BothTrees,
    Settings,
    find_lost_file,
    is_clear,
    list_options,
    list_test_files,
    read_both_trees,
)
from goalkeeper.tamper.harness.commands import find_narrowing, read_json
from goalkeeper.tamper.harness.naming import NAMING, find_lost_name
from goalkeeper.tamper.lines import find_added_lines
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import ChangedFile, Tree, base_name, folder
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.words import read_pattern

MOST_DOTS = 1000  # the limit for one line
_INI = {"pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg"}
_TOML = {"pyproject.toml", "pytest.toml", ".pytest.toml"}
_SECTIONS = ("pytest", "tool:pytest")
_STRICT = {"xfail_strict", "strict", "strict_markers", "strict_config", "strict_xfail"}
_TOLD = {"filterwarnings", "addopts", "pytest11", "python_files", "testpaths", *NAMING, *_STRICT}
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
    pairs: Sequence[ChangedFile], paths: Sequence[str], tree: Tree
) -> Iterator[Sighting]:
    """Compare the settings of pytest over all files, because they move from one to another.

    `paths` are all of the candidate; some may be of the base alone.
    """
    read = [
        (pair, _read_settings(pair.old), _read_settings(pair.new))
        for pair in pairs
        if base_name(pair.path) in _INI | _TOML
    ]
    trees = read_both_trees(pairs, paths if read else (), tree)
    gone = {key: old[key] for _, old, new in read for key in old if key not in new}
    come = {key: new[key] for _, old, new in read for key in new if key not in old}
    for pair, old, new in read:
        if pair.new is None and not come and old.keys() & {"addopts", *NAMING, *CHOOSING}:
            text = "the runner's settings are gone"
            yield Sighting("runner-options-narrowed", pair.path, 0, text)
            continue
        # What is gone here and stands elsewhere now is compared there.
        keys = {key for key in {*old, *new} if key in new or key not in come}
        before = {key: words for key in keys if (words := old.get(key) or gone.get(key))}
        yield from _compare_settings(pair, before, {key: new[key] for key in keys & {*new}}, trees)


def _compare_settings(
    pair: ChangedFile, before: Settings, after: Settings, trees: BothTrees
) -> Iterator[Sighting]:
    changed = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    lost = _find_losses(folder(pair.path), before, after, changed, trees)
    for key in changed:
        was, now = before.get(key, ()), after.get(key, ())
        text = f"{key} went from {' '.join(was) or 'nothing'} to {' '.join(now) or 'nothing'}"
        line = _find_line(pair.new, key)
        if key in lost:
            yield Sighting("runner-options-narrowed", pair.path, line, text + lost[key])
        elif key in _TOLD:
            yield Sighting("runner-config-changed", pair.path, line, text)


def _find_losses(
    place: str, before: Settings, after: Settings, changed: Sequence[str], trees: BothTrees
) -> dict[str, str]:
    """Say, for each setting by which tests are left out now, which."""
    choosing = CHOOSING.intersection(changed)
    found = _find_left_out(place, before, after, choosing, trees)
    # A command may name places that the settings do not.
    open_before, open_after = ({**side, "testpaths": ()} for side in (before, after))
    found |= _find_left_out(place, open_before, open_after, choosing - {"testpaths"}, trees)
    for source in list_test_files(before, place, trees) if NAMING.keys() & {*changed} else ():
        for key in NAMING.keys() & {*changed} - found.keys():
            if name := find_lost_name(key, before.get(key, ()), after.get(key, ()), source):
                found[key] = f"{name} in {source.path}"
    said = {key: f", so {each} is left out" for key, each in found.items()}
    said |= {key: "" for key in choosing if not is_clear(key, after.get(key, ()))}
    if "addopts" in changed:
        was, now = before.get("addopts", ()), list_options(after, place, trees)
        lost = [word for word in was if word not in now]
        if any(find_narrowing(now, was)) or any("doctest" in word for word in lost):
            said["addopts"] = ""
    return said


def _find_left_out(
    place: str, before: Settings, after: Settings, changed: frozenset[str], trees: BothTrees
) -> dict[str, str]:
    """Return, for each setting by which a file is left out now, that file."""
    path = find_lost_file(before, after, place, trees) if changed else ""
    alone = {
        key
        for key in changed
        if path and find_lost_file(before, {**before, key: after.get(key, ())}, place, trees)
    }
    return dict.fromkeys(alone or changed, path) if path else {}


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
