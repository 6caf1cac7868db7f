"""Tells which files pytest collects by its settings."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from fnmatch import fnmatchcase
from itertools import pairwise

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.harness.naming import NAMING, begins_as
from goalkeeper.tamper.source import MOST_BYTES, ChangedFile, Tree, base_name, is_python
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

Settings = Mapping[str, tuple[str, ...]]

CHOOSING = frozenset({"norecursedirs", "python_files", "testpaths"})
_NAMES = ("test_*.py", "*_test.py")
_LEFT_OUT = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")
_TEXTS = (".txt", ".rst")
_OF_PLUGINS = (".yml", ".yaml", ".ipynb")  # plugins find tests in these, where they are told to
_PLAIN = late_pattern(r"(?:\./)?[\w*?-][\w.*?-]*(?:/[\w*?-][\w.*?-]*)*/?|\.")
_SIGNS_OF_PATTERN = frozenset("*?[")
_MOST_WORDS = 30  # others are not looked at one by one


class _Kind(Enum):
    TESTS = auto()
    EXAMPLES = auto()
    OTHER = auto()


_DEFINED = late_pattern(r"(?m)^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(\w+)[ \t]*=")
_SIGNS = {
    _Kind.TESTS: late_pattern(r"\bassert\b|\bassert[A-Z]\w*\(|\bdef test|\braises\b"),
    _Kind.EXAMPLES: late_pattern(r">>> "),
    _Kind.OTHER: late_pattern(""),
}


class BothTrees(Value):
    """The paths of both sides, and where each file of the candidate was in the base."""

    old: frozenset[str]
    new: frozenset[str]
    origins: Mapping[str, str]  # by path of the candidate; those that are not in it are new
    tree: Tree


def read_both_trees(pairs: Sequence[ChangedFile], paths: Iterable[str], tree: Tree) -> BothTrees:
    """`paths` are those of the candidate; some may be of the base alone."""
    changed = {pair.path: pair for pair in pairs}
    before = {pair.change.old_path for pair in pairs if pair.change.old_path}
    rest = {*filter(None, paths)}.difference(before, changed)
    there = {path: each for path, each in changed.items() if each.change.new is not None}
    origins = {path: each.change.old_path for path, each in there.items() if each.change.old_path}
    origins |= {path: path for path in rest}
    return BothTrees(frozenset(rest | before), frozenset(rest | there.keys()), origins, tree)


def find_lost_file(before: Settings, after: Settings, place: str, trees: BothTrees) -> str:
    """Return a file with tests that pytest collected and does not any more.

    `place` is the folder of the settings.
    """
    took = _Collection(before, place, trees.old)
    takes = _Collection(after, place, trees.new)
    gone = trees.old.difference(trees.origins.values())
    # Tests that were written anew elsewhere stand for those of files that are gone.
    rewritten = frozenset().union(*(took.list_kinds(path) for path in gone if is_test(path)))
    for path in sorted(trees.new):
        origin = trees.origins.get(path)
        were = took.list_kinds(origin) if origin else rewritten if is_test(path) else frozenset()
        lost = were - takes.list_kinds(path)
        if lost and _may_hold(lost, path, trees.tree, before):
            return path
    return ""


def list_test_files(settings: Settings, place: str, trees: BothTrees) -> Iterator[Source]:
    """Yield the files that pytest took for tests, and those that look like tests."""
    took = _Collection(settings, place, trees.old)
    for path in sorted(filter(is_python, trees.new)):
        origin = trees.origins.get(path, path)
        data = trees.tree(path) if is_test(path) or _Kind.TESTS in took.list_kinds(origin) else None
        if data is not None:
            yield Source(path, text_of(data))


def is_clear(key: str, words: Sequence[str]) -> bool:
    """Return whether we surely read a setting as pytest does."""
    plain = (word.strip("[]\"',") for word in words)
    is_plain = key != "testpaths" or all(map(_PLAIN.fullmatch, filter(None, plain)))
    return is_plain and len(words) <= _MOST_WORDS


def list_options(settings: Settings, place: str, trees: BothTrees) -> Sequence[str]:
    """Return the options that pytest is given, but for those that ignore what holds no tests."""
    given = settings.get("addopts", ())
    idle = {
        target
        for word, following in pairwise((*given, ""))
        if (target := _find_ignored(word, following))
    }
    if not idle or len(idle) > _MOST_WORDS:
        return given
    takes = _Collection({**settings, "testpaths": ()}, place, trees.new)
    for path in trees.new:
        kinds = takes.list_kinds(path)
        if kinds and _may_hold(kinds, path, trees.tree):
            idle -= {each for each in idle if _lies_in(path, place, each)}
    kept: list[str] = []
    is_target = False
    for word, following in pairwise((*given, "")):
        is_idle = not is_target and _find_ignored(word, following) in idle
        if not is_idle and not is_target:
            kept.append(word)
        is_target = is_idle and "=" not in word
    return kept


def _find_ignored(word: str, following: str) -> str:
    flag, sign, target = word.partition("=")
    target = target if sign else following
    return target if flag == "--ignore" and _PLAIN.fullmatch(target) else ""


def _lies_in(path: str, place: str, target: str) -> bool:
    whole = posixpath.normpath(posixpath.join(place, target))
    return path == whole or path.startswith(f"{whole}/")


class _Collection:
    def __init__(self, settings: Settings, place: str, paths: frozenset[str]) -> None:
        self._root = f"{place}/" if place else ""
        named = [*map(posixpath.normpath, _bare_words(settings.get("testpaths", ()))[:_MOST_WORDS])]
        inside = (path for path in paths if named and path.startswith(self._root))
        below = [path.removeprefix(self._root) for path in inside]
        # Where none of the places is there, pytest looks everywhere.
        self._places = [each for each in named if any(_split_off(each, p) for p in below)] or ["."]
        self._is_told = self._places != ["."]
        self._left_out = _bare_words(settings.get("norecursedirs", ()))[:_MOST_WORDS] or _LEFT_OUT
        self._names = settings.get("python_files", ())[:_MOST_WORDS] or _NAMES
        options = " ".join(settings.get("addopts", ()))
        self._has_examples = "doctest-modules" in options
        self._texts = _find_globs(options) if "doctest-glob" in options else ("test*.txt",)

    def list_kinds(self, path: str) -> frozenset[_Kind]:
        """Return what pytest would look for in the file."""
        if not path.startswith(self._root):
            return frozenset()
        below = path.removeprefix(self._root)
        return frozenset(
            kind
            for place in self._places
            for rest in _split_off(place, below)
            if not rest or not self._is_left_out(rest)
            for kind in self._list_kinds(path, is_named=not rest)
        )

    def _is_left_out(self, rest: str) -> bool:
        folders = rest.split("/")[:-1]
        parts = ("/".join(folders[: n + 1]) for n in range(len(folders)))
        return any(_matches(word, each) for each in parts for word in self._left_out)

    def _list_kinds(self, path: str, *, is_named: bool) -> Iterator[_Kind]:
        if not is_python(path):
            if self._is_told and path.endswith(_OF_PLUGINS):
                yield _Kind.OTHER
            if any(_matches(word, path) for word in self._texts) or (
                is_named and path.endswith(_TEXTS)
            ):
                yield _Kind.EXAMPLES
            return
        if is_named or any(_matches(word, path) for word in self._names):
            yield _Kind.TESTS
        if self._has_examples:
            yield _Kind.EXAMPLES


def _bare_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words, also without the brackets of a list that was written as in TOML."""
    return tuple(dict.fromkeys(w for word in words for w in (word, word.strip("[]\"',")) if w))


def _find_globs(options: str) -> tuple[str, ...]:
    words = options.replace("=", " ").split()
    named = (word for flag, word in pairwise(words) if flag.endswith("--doctest-glob"))
    return tuple(word.strip("\"'") for word in named)


def _split_off(place: str, path: str) -> list[str]:
    """Return what is left of the path below the place, in each way in which it lies there."""
    if place == ".":
        return [path]
    if not _SIGNS_OF_PATTERN.intersection(place):
        whole = f"{path}/".startswith(f"{place}/")
        return [path[len(place) + 1 :]] if whole else []
    parts = path.split("/")
    depths = range(1, len(parts) + 1) if "**" in place else (place.count("/") + 1,)
    return [
        "/".join(parts[depth:])
        for depth in depths
        if depth <= len(parts) and fnmatchcase("/".join(parts[:depth]), place)
    ]


def _matches(word: str, path: str) -> bool:
    """Return whether a pattern is meant for the path or, without a slash, for its last name."""
    word = word.rstrip("/")
    if "/" in word:
        return fnmatchcase(f"/{path}", f"*/{word}")
    return fnmatchcase(base_name(path), word)


def _may_hold(
    kinds: frozenset[_Kind], path: str, tree: Tree, settings: Settings | None = None
) -> bool:
    data = tree(path)
    if data is None or len(data) > MOST_BYTES:
        return True
    said = text_of(data)
    words = [word for key in NAMING for word in (settings or {}).get(key, NAMING[key])]
    names = (one or other for one, other in _DEFINED.findall(said))
    return any(_SIGNS[kind].search(said) for kind in kinds) or (
        _Kind.TESTS in kinds and any(begins_as(name, words) for name in names)
    )
