"""Finds what paths, modes and small plain files show."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator, Sequence

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.protected import Role, is_test, role_of_path
from goalkeeper.tamper.lines import find_added_lines
from goalkeeper.tamper.patterns import CodePart, match_code_patterns
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import (
    LINK,
    MOST_BYTES,
    SUBMODULE,
    ChangedFile,
    Tree,
    base_name,
    find_facts,
    folder,
    is_product,
    is_python,
    is_script,
)
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.tamper.words import read_pattern, read_words

MOST_STARS = 6
_BEFORE_MAKEFILE = frozenset({"GNUmakefile", "makefile"})


def find_file_tricks(
    pairs: Sequence[ChangedFile], tree: Tree, tests: Sequence[str], *, base_decides: bool
) -> Iterator[Sighting]:
    for pair in pairs:
        change = pair.change
        if any(len(side or b"") > MOST_BYTES for side in (change.old, change.new)):
            text = "larger than 1 MB on one side: not read"
            # Of a test, the base's is run.
            is_put_back = base_decides and not change.may_change and change.old is not None
            is_code = is_python(change.path) or is_script(change.path)
            mild = not is_code or (is_put_back and is_test(change.path))
            yield Sighting("file-too-large", change.path, 0, text, mild=mild)
        yield from match_code_patterns("any", change.path, [_make_part(change)])
        yield from _find_mode_changes(change)
        yield from _find_records(change)
        yield from _find_changed_data(pair)
        if change.old is None and change.new is not None:
            yield from _find_odd_new_file(change, tree)
        if base_name(change.path) in {".gitignore", ".ignore"}:
            yield from _find_ignored_tests(pair, tests)


def _make_part(change: FileChange) -> CodePart:
    """Make a part of a file that was added, changed or removed, with its text in the base."""
    state = "added" if change.old is None else "removed" if change.new is None else "changed"

    def write(aspect: str) -> str:
        return text_of(change.old or b"") if aspect == "text" else ""

    return CodePart("file", state, 0, find_facts(Source(change.path, "")), write)


def _find_mode_changes(change: FileChange) -> Iterator[Sighting]:
    path, old, new = change.path, change.old_mode, change.new_mode
    if SUBMODULE in {new, old}:
        yield Sighting("mode-changed", path, 0, "a submodule points elsewhere")
    elif new == LINK and change.new is not None:
        target = text_of(change.new).strip("\0\n")
        if _is_outside(path, target):
            yield Sighting("link-outside", path, 0, f"a link to {target}, outside the tree")
        elif is_product(path) and _leads_to_tests(path, target):
            yield Sighting("tests-read", path, 0, f"a link to {target}, which tests compare with")
        elif change.old is not None and old != LINK:
            yield Sighting("mode-changed", path, 0, f"a file became a link to {target}")
    elif change.old is not None and change.new is not None and old != new:
        yield Sighting("mode-changed", path, 0, f"the mode went from {old} to {new}")


def _leads_to_tests(path: str, target: str) -> bool:
    place = posixpath.normpath(posixpath.join(folder(path), target))
    return role_of_path(place) in {Role.TEST, Role.DATA}


def _is_outside(path: str, target: str) -> bool:
    if target.startswith(("/", "~")) or re.match(r"[A-Za-z]:", target):
        return True
    place = posixpath.normpath(posixpath.join(folder(path), target))
    return place.split("/")[0] == ".."


def _find_records(change: FileChange) -> Iterator[Sighting]:
    for path in {change.path, change.old_path or change.path}:
        if role_of_path(path) is Role.STATE:
            yield Sighting("contract-edited", path, 0, "the contract or its state was changed")
            return


def _find_changed_data(pair: ChangedFile) -> Iterator[Sighting]:
    change = pair.change
    path = change.old_path or change.path
    if role_of_path(path) is not Role.DATA or change.old is None or change.old == change.new:
        return
    if not read_pattern("golden-file").fullmatch(path):
        verb = "was removed" if change.new is None else "was changed"
        yield Sighting("expectation-changed", change.path, 0, f"test data {verb}")
    elif pair.old is None or pair.new is None:
        yield Sighting("expectation-changed", change.path, 0, "an expected result was replaced")
    elif lost := _find_lost_results(pair.old.text, pair.new.text):
        text = f"expected results were changed or removed: {', '.join(lost)}"
        yield Sighting("expectation-changed", change.path, 0, text)


def _find_lost_results(old: str, new: str) -> list[str]:
    """Find lost entries: their value is gone. A new entry, or the same value renamed, is fine."""
    before, after = _read_entries(old), _read_entries(new)
    kept = set(after.values())
    return [
        name for name, value in before.items() if after.get(name) != value and value not in kept
    ]


def _read_entries(text: str) -> dict[str, str]:
    jest = re.findall(r"^exports\[`(.*?)`\] = `(.*?)`;$", text, re.DOTALL | re.MULTILINE)
    if jest:
        return dict(jest)
    syrupy = re.findall(r"^# name: (.*?)$(.*?)^# ---$", text, re.DOTALL | re.MULTILINE)
    return dict(syrupy) or {"the file": text}


def _find_odd_new_file(change: FileChange, tree: Tree) -> Iterator[Sighting]:
    path, name = change.path, base_name(change.path)
    stem = re.sub(r"\.(cmd|exe|bat|ps1)$", "", name)
    if read_pattern("vendored-file").fullmatch(path):
        return
    if stem in read_words("runner-program") and "." not in stem.removeprefix("py."):
        in_the_way = folder(path).rpartition("/")[2] in {"", "bin", ".bin", "scripts", "tools"}
        if in_the_way or change.new_mode == "100755":
            yield Sighting("fake-runner", path, 0, f"a program called {stem} can be run instead")
    elif name in _BEFORE_MAKEFILE and tree(posixpath.join(folder(path), "Makefile")) is not None:
        yield Sighting("command-neutered", path, 0, "make reads this before the Makefile")
    elif name.endswith(".py"):
        yield from _find_shadowing(path, tree)


def _find_shadowing(path: str, tree: Tree) -> Iterator[Sighting]:
    """Find modules that Python finds before the one that everybody means."""
    place, name = folder(path), base_name(path).removesuffix(".py")
    if name == "__init__":
        place, _, name = place.rpartition("/")
    if not name or tree(f"{place}/__init__.py" if place else "__init__.py") is not None:
        return
    is_library = name in read_words("test-library")
    if is_library or (name in sys.stdlib_module_names and name not in {"test", "this", "site"}):
        text = f"hides the module {name} from whoever imports it"
        yield Sighting("module-shadowed", path, 0, text)


def _find_ignored_tests(pair: ChangedFile, tests: Sequence[str]) -> Iterator[Sighting]:
    import pathspec  # noqa: PLC0415  slow, and few changes need it

    here = folder(pair.path)
    for number, line in find_added_lines(pair):
        if line.count("*") > MOST_STARS:
            continue  # matching it could take for ever, and it hardly matches anything
        try:
            spec = pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        inside = f"{here}/" if here else ""
        below = [path.removeprefix(inside) for path in tests if path.startswith(inside)]
        known = [path for path in below if is_test(path)]
        samples = (*read_words("sample-test"), *known)
        if line.strip() in {"*", "/*"} or any(map(spec.match_file, samples)):
            text = f"`{line.strip()}` keeps tests out of the repository"
            # A folder without tests, of built pages for example, is often ignored as a whole.
            mild = bool(here) and not below and not is_test(pair.path)
            yield Sighting("tests-ignored", pair.path, number, text, mild=mild)
