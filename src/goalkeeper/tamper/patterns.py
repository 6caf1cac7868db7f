"""Matches patterns of the catalogue with the pieces of code that readers find."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.catalog import CodePattern, review_rules
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.wire.value import Value

_WITHIN = frozenset({"module", "top"})  # facts that hold in some places of a file

_BETWEEN_LINES = "\n\0\n"  # no blank, so that no pattern looks for its end in the next line

NamedPatterns = tuple[tuple[str, tuple[CodePattern, ...]], ...]


class CodePart(Value):
    """An added line, a call or another piece of code, in the words that patterns ask for."""

    kind: str
    name: str
    line: int
    facts: frozenset[str]  # product, tests, module, top and others say where it stands
    write: Callable[[str], str]  # gives its text, arguments, key and so on; few are asked for


def match_code_patterns(language: str, path: str, parts: Iterable[CodePart]) -> Iterator[Sighting]:
    """Match code; of the patterns of one rule, the first that matches a part decides."""
    for part in parts:
        for rule, patterns in find_named_patterns(language, path, part.kind, part.name):
            for each in patterns:
                found = _match_part(each, part)
                if found is not None:
                    shown = {aspect: part.write(aspect).strip() for aspect in ("text", "arguments")}
                    text = each.message.format(found=found, name=part.name, **shown)
                    mild = each.level is Level.ADVISORY
                    yield Sighting(rule, path, part.line, text, part.write("key"), mild)
                    break


def _match_part(pattern: CodePattern, part: CodePart) -> str | None:
    named = pattern.name.fullmatch(part.name)
    if named is None or not pattern.where <= part.facts:
        return None
    found = next(filter(None, named.groups()), "")
    for aspect, expected in pattern.texts:
        match = expected.search(part.write(aspect))
        if match is None:
            return None
        found = next(filter(None, match.groups()), found or match[0].strip())
    return found


def may_match_lines(path: str, lines: Iterable[str], facts: frozenset[str]) -> bool:
    """Return whether a pattern may match one of many lines, which are searched as one text."""
    whole = _BETWEEN_LINES.join(lines)
    return any(
        each.where <= facts
        and all(_by_line(want).search(whole) for aspect, want in each.texts if aspect == "text")
        for _, patterns in _find_patterns(_find_rules("any", path)).get("line", ())
        for each in patterns
    )


@cache
def _by_line(pattern: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(pattern.pattern, pattern.flags | re.MULTILINE)


def find_named_patterns(language: str, path: str, kind: str, name: str) -> NamedPatterns:
    """Return the patterns that a part of this kind and name can match, by rule."""
    return _find_named(_find_rules(language, path), kind, name)


class NamedParts:
    """Tells which parts of a file any pattern of the wanted rules may match."""

    def __init__(
        self, language: str, path: str, facts: frozenset[str], wanted: frozenset[str] | None
    ) -> None:
        """`facts` are those about the file; `wanted` are all rules if it is None."""
        self._chosen = _find_rules(language, path)
        self._facts, self._wanted = facts | _WITHIN, wanted
        self._known: dict[tuple[str, str], bool] = {}
        patterns = _find_patterns(self._chosen).items()
        self.kinds = {kind for kind, rules in patterns if self._may_match(rules)}

    def has(self, kind: str, name: str) -> bool:
        if kind not in self.kinds:
            return False
        found = self._known.get((kind, name))
        if found is None:
            found = self._may_match(_find_named(self._chosen, kind, name))
            self._known[kind, name] = found
        return found

    def _may_match(self, rules: Iterable[tuple[str, Sequence[CodePattern]]]) -> bool:
        return any(
            each.where <= self._facts
            for rule, patterns in rules
            if self._wanted is None or rule in self._wanted
            for each in patterns
        )


@lru_cache(maxsize=1 << 15)  # most parts of a program have a name that no pattern asks for
def _find_named(chosen: frozenset[int], kind: str, name: str) -> NamedPatterns:
    known = _find_patterns(chosen).get(kind, ())
    found = (
        (rule, tuple(each for each in patterns if each.name.fullmatch(name)))
        for rule, patterns in known
    )
    return tuple((rule, patterns) for rule, patterns in found if patterns)


@lru_cache(maxsize=4096)
def _find_rules(language: str, path: str) -> frozenset[int]:
    """Return which patterns are for such a file: few files differ in that."""
    return frozenset(
        place
        for place, each in enumerate(_list_patterns())
        if language in each.languages and each.files.fullmatch(path)
    )


@cache
def _list_patterns() -> tuple[CodePattern, ...]:
    return tuple(each for rule in review_rules().values() for each in rule.code)


@lru_cache(maxsize=256)
def _find_patterns(
    chosen: frozenset[int],
) -> Mapping[str, list[tuple[str, list[CodePattern]]]]:
    """Return, for each kind of part, the rules that have patterns for it."""
    chosen_ids = {id(_list_patterns()[place]) for place in chosen}
    found: dict[str, list[tuple[str, list[CodePattern]]]] = {}
    for rule in review_rules().values():
        mine = [each for each in rule.code if id(each) in chosen_ids]
        for kind in dict.fromkeys(kind for each in mine for kind in each.kinds):
            patterns = [each for each in mine if kind in each.kinds]
            found.setdefault(kind, []).append((rule.id, patterns))
    return found
