"""Reads what make, just, package scripts and CI run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from goalkeeper.core.contract.protected import (
    Role,
    is_checking_name,
    is_prose,
    is_runner_file,
    role_of_path,
)
from goalkeeper.tamper.lines import MOST_CHARACTERS, find_added_lines
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import ChangedFile, base_name
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.words import read_pattern
from goalkeeper.wire.pattern import late_pattern

_STAGE = late_pattern(r"^(?:pre|post)")
_TARGET = late_pattern(r"(?P<names>[A-Za-z_][\w.%/ -]*?)(?P<params>\s[^:=]*)?:(?![=:])(?P<rest>.*)")
_NOTHING = late_pattern(r"[@-]*\s*(true|:|exit\s+0|/bin/true|(echo|printf)\b[^|;&]*)?\s*(#.*)?")
_OF_MATRIX = late_pattern(
    r"\s*(?:-\s+)?continue-on-error:\s*\$\{\{\s*matrix\.[\w.-]+(?:\s*==\s*'[^'{}]*')?\s*\}\}\s*"
)
_PLAIN = late_pattern(r"[\w./*-]+")
_REPORTER = late_pattern(r"(?<!\S)(?:--reporter|-R)[ =]\S+")
_WORD_MADE = late_pattern(
    r"\$\(\s*(?:echo|printf)\b[^();&|]*(?:\|\s*(?:awk|cut|sed|tr)\b[^();&|]*)*\)"
)
_TEST_PATH = late_pattern(r"(^|/)(tests?|spec|e2e)(/|$)|\*\.(test|spec)\.|test_\*")
_QUIET = late_pattern(
    r"(?<![\w-])(?:(npm run|yarn run|pnpm run)(?: -s| -q| --silent| --quiet)+|npx(?: -\S+)*)(?= )"
)
_SCRIPT_END = late_pattern(r"(?:/index)?\.[cm]?[jt]s$")
_USUAL = {"test", "tests", "check", "lint", "verify", "ci"}  # others come and go

Commands = Mapping[str, tuple[str, ...]]


def find_command_tricks(pair: ChangedFile, tests: Sequence[str]) -> Iterator[Sighting]:
    """Compare commands; `tests` are the paths of test files that there are now."""
    name = base_name(pair.path)
    if role_of_path(pair.change.old_path or pair.path) is Role.CI and is_prose(pair.path):
        return  # words of people are no steps
    if role_of_path(pair.change.old_path or pair.path) is Role.CI:
        yield from _find_ci_tricks(pair)
    elif name == "package.json":
        yield from _compare_commands(pair, tests, _read_scripts, "script")
    elif is_runner_file(pair.path, "make") or is_runner_file(pair.path, "just"):
        yield from _compare_commands(pair, tests, _read_targets, "target")


def _compare_commands(
    pair: ChangedFile,
    tests: Sequence[str],
    read: Callable[[Source | None], Commands],
    what: str,
) -> Iterator[Sighting]:
    old, new = read(pair.old), read(pair.new)
    folder = pair.path.rpartition("/")[0]
    for name, before in old.items():
        after = new.get(name)
        if after == before or not (is_checking_name(name) or any(map(find_checks, before))):
            continue
        main = _STAGE.sub("", name) if what == "script" else name
        if main != name and main in old and main in new:
            continue  # it is compared with the script before or after which it runs
        line = _find_line(pair.new, name)
        if after is None:
            if any(set(before) <= set(commands) for commands in new.values()):
                continue  # it has another name now
            text = f"the {what} {name} is gone"
            mild = name not in _USUAL or pair.new is None  # what still asks for it has the base's
            yield Sighting("command-neutered", pair.path, line, text, mild=mild)
        elif reason := _find_weakness(before, after, [_lay_below(folder, each) for each in tests]):
            text = f"the {what} {name} {reason}"
            # What only measures checks nothing.
            mild = not is_checking_name(name) or "bench" in name
            yield Sighting("command-neutered", pair.path, line, text, mild=mild)
        else:
            text = f"the {what} {name} runs something else: {'; '.join(after)}"
            yield Sighting("runner-config-changed", pair.path, line, text)


def _lay_below(folder: str, path: str) -> str:
    return path.removeprefix(f"{folder}/") if folder else path


def _find_weakness(before: Sequence[str], after: Sequence[str], tests: Sequence[str]) -> str:
    added = [command for command in after if command not in before]
    if not all(map(_is_nothing, before)) and all(map(_is_nothing, after)):
        return "does nothing any more"
    for command in added:
        if is_swallowed(command):
            return f"succeeds whatever happens: {command}"
        plain = command.lstrip("@+")
        if plain.startswith("-") and not any(plain in each for each in before):
            return f"ignores a failure: {command}"
        if re.match(r"@?exit\s+0|@?true\s*$", command):
            return f"ends early: {command}"
    for option in find_narrowing(after, before):
        return f"has the option {option} now"
    for path in _lost_paths(before, after):
        plain = path.removeprefix("./")
        if tests and _PLAIN.fullmatch(path) and not any(_covers(plain, each) for each in tests):
            continue  # there is nothing left to run
        return f"no longer runs {path}"
    kept = " ".join(after)
    files = {
        _SCRIPT_END.sub("", word) for word in kept.split()
    }  # node finds `test/index.js` as `test`
    lost = [
        check
        for each in before
        for check in find_checks(each)
        if check not in kept and _SCRIPT_END.sub("", check) not in files
    ]
    runs_other = any(map(find_checks, added)) or not lost
    return "" if runs_other else f"no longer runs {lost[0]}"


def _lost_paths(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Find paths of tests that were named and that no path named now covers."""
    now = [word.strip("'\"") for command in after for word in command.split()]
    kept = [word for word in now if _TEST_PATH.search(word)]
    for command in before:
        for word in _REPORTER.sub("", command).split():
            path = word.strip("'\"")
            if _TEST_PATH.search(path) and kept and not any(_covers(each, path) for each in kept):
                yield path


def _covers(wide: str, path: str) -> bool:
    """Return whether a path or pattern names all that another does."""
    if path.startswith(wide.rstrip("/*")):
        return True
    start, _, _ = wide.partition("*")
    name, pattern = base_name(path).replace("*", "x"), base_name(wide)
    if "." not in name:  # all that is there
        name += pattern[pattern.rfind(".") :] if "." in pattern else ""
    return f"{path}/".startswith(start) and fnmatchcase(name, pattern)


def _read_scripts(source: Source | None) -> Commands:
    scripts = read_json(source).get("scripts")
    given = scripts if isinstance(scripts, dict) else {}
    known = {str(name): _QUIET.sub(r"\1", str(command)).strip() for name, command in given.items()}
    return {
        name: tuple(known[each] for each in (f"pre{name}", name, f"post{name}") if each in known)
        for name in known
    }


def read_json(source: Source | None) -> Mapping[str, object]:
    try:
        found = json.loads(source.text) if source else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_targets(source: Source | None) -> Commands:
    """Map targets to recipes. Of two recipes for one target, make runs the later one."""
    found: dict[str, tuple[str, ...]] = {}
    names: list[str] = []
    fresh = True
    for whole in source.text.splitlines() if source else ():
        line = whole[:MOST_CHARACTERS]
        if line[:1] in {"\t", " "} and line.strip() and names:
            for name in names:
                found[name] = (*(() if fresh else found.get(name, ())), line.strip())
            fresh = False
        elif (target := _TARGET.match(line)) and not line.startswith("."):
            names, fresh = target["names"].split(), True
            for name in names:
                inline = target["rest"].partition(";")[2].strip()
                deps = target["rest"].partition(";")[0].split("#")[0].strip()
                if inline or name not in found:
                    found[name] = (inline,) if inline else (deps,) if deps else ()
    return {name: commands for name, commands in found.items() if commands}


def _find_line(source: Source | None, name: str) -> int:
    pattern = re.compile(rf"\s*[\"']?{re.escape(name)}\b")
    lines = source.text.splitlines() if source else []
    return max((n for n, line in enumerate(lines, start=1) if pattern.match(line)), default=0)


def _find_ci_tricks(pair: ChangedFile) -> Iterator[Sighting]:
    for number, line in find_added_lines(pair):
        shown = line.strip()
        is_tolerant = bool(read_pattern("tolerant-job").search(line))
        if is_tolerant or (is_swallowed(line) and not shown.startswith("#")):
            # A workflow that is new takes nothing away.
            mild = pair.old is None or (not is_tolerant and not find_checks(line))
            mild = mild or bool(_OF_MATRIX.fullmatch(line))  # an interpreter to come, most often
            text = f"`{shown}` lets a failing job pass"
            yield Sighting("ci-failure-ignored", pair.path, number, text, mild=mild)
        elif find_checks(line) and any(find_narrowing([line], [pair.old.text if pair.old else ""])):
            text = f"`{shown}` runs fewer tests"
            yield Sighting("ci-failure-ignored", pair.path, number, text, mild=pair.old is None)
    before, after = _find_tools(pair.old), _find_tools(pair.new)
    if lost := sorted(before - after):
        text = f"CI no longer runs {', '.join(lost)}"
        yield Sighting("ci-failure-ignored", pair.path, 0, text, mild=True)


def _find_tools(source: Source | None) -> set[str]:
    lines = [line[:MOST_CHARACTERS] for line in source.text.splitlines()] if source else []
    run = [line for line in lines if not re.match(r"\s*#|\s*-?\s*(name|uses):", line)]
    return {check for line in run for check in find_checks(line)}


def find_checks(command: str) -> list[str]:
    """Return the programs in a command that run checks."""
    return read_pattern("check-command").findall(command)


def is_swallowed(command: str) -> bool:
    # A word that is put together within the command has no result that counts.
    return bool(read_pattern("tolerant-command").search(_WORD_MADE.sub("", command)))


def _is_nothing(command: str) -> bool:
    return bool(_NOTHING.fullmatch(command.strip()))


def find_narrowing(after: Sequence[str], before: Sequence[str]) -> list[str]:
    """Find new options that run fewer tests, or change what results are compared with."""
    known = _find_options(before)
    return [option for option in _find_options(after) if option not in known]


def _find_options(words: Sequence[str]) -> list[str]:
    # The -m that belongs to the interpreter, or to what measures it, is left out.
    text = re.sub(r"\b(python\S*|py|coverage\s+run)\s+(-\S+\s+)*?-m(?=\s)", "", " ".join(words))
    return [found[1] for found in read_pattern("narrowing-option").finditer(text)]
