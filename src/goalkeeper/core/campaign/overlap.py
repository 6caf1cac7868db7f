"""Whether two lists of path patterns can mean the same file, decided on the patterns alone.

Patterns mean what `core.contract.globs` says. Each becomes a small machine that reads a path letter
by letter, and two of them overlap if some path brings both to their ends. A character class counts
as `?`, and patterns that are too long to be compared count as overlapping, so that two patterns may
be said to overlap and do not; never the other way round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from goalkeeper.core.contract.globs import is_match
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_PARTS = late_pattern(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|(?s:.)")
_ONE, _STAR, _ALL, _FOLDERS = "?", "*", "**", "**/"
_ANY = "[]"  # one letter of whatever kind; no literal has two letters
_EVERYTHING = "**"
_MOST_PAIRS = 250_000  # of letters; a longer comparison could take for ever, and is not made


def can_overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether some path matches a pattern of each list."""
    return _can_meet(tuple(one), tuple(other))


@lru_cache(maxsize=1 << 17)
def do_fences_overlap(
    touch: tuple[str, ...],
    never: tuple[str, ...],
    other_touch: tuple[str, ...],
    other_never: tuple[str, ...],
) -> bool:
    """Return whether two sessions may change the same file.

    Nobody knows what a session without a list touches, so it overlaps with everything.
    """
    if not touch or not other_touch:
        return True
    if not _can_meet(touch, other_touch):
        return False
    excluded = (*never, *other_never)
    return not excluded or any(
        not (is_covered(mine, excluded) or is_covered(theirs, excluded))
        for mine, theirs in find_meeting_patterns(touch, other_touch)
    )


def find_meeting_patterns(one: Sequence[str], other: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Find the pairs of patterns that some path matches both of."""
    return tuple((mine, theirs) for mine in one for theirs in other if _do_meet(mine, theirs))


class PatternIndex:
    """Patterns that are found by where they begin, so that few of many need a look."""

    def __init__(self) -> None:
        self._by_head: dict[str, dict[str, None]] = {}
        self._by_ladder: dict[str, dict[str, None]] = {}

    def add(self, pattern: str) -> None:
        survey = _survey((pattern,))
        for known, keys in ((self._by_head, survey.heads), (self._by_ladder, survey.ladder)):
            for key in keys:
                known.setdefault(key, {})[pattern] = None

    def find_meeting(self, pattern: str) -> list[str]:
        """Find the patterns that some path matches together with this one."""
        survey = _survey((pattern,))
        near: dict[str, None] = {}
        for known, keys in ((self._by_head, survey.ladder), (self._by_ladder, survey.heads)):
            for key in keys:
                near |= known.get(key, {})
        return [other for other in near if _do_meet(pattern, other)]


def is_covered(pattern: str, by: Collection[str]) -> bool:
    """Return whether one of the patterns matches all that this one can match.

    It may miss that it does, where wildcards stand against others. That a folder is a file too is
    not thought of: `src/**` covers `src`.
    """
    return pattern in by or any(_covers(_name_folder(wide), pattern) for wide in by)


def _name_folder(pattern: str) -> str:
    folder = pattern.removesuffix("/**")
    return folder if folder.strip("/") else pattern


def _can_meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    mine, theirs = _survey(one), _survey(other)
    if mine.heads.isdisjoint(theirs.ladder) and theirs.heads.isdisjoint(mine.ladder):
        return False  # most pairs end here, without a look at any pattern
    return any(_do_meet(first, second) for first in one for second in other)


class _Survey(Value):
    """Where the patterns of a list begin: the folders that they name before any wildcard."""

    heads: frozenset[str]
    ladder: frozenset[str]  # the heads, and all folders above them


@lru_cache(maxsize=1 << 12)
def _survey(patterns: tuple[str, ...]) -> _Survey:
    heads = frozenset(map(_find_head, patterns))
    above = {head[:end] for head in heads for end, letter in enumerate(head) if letter == "/"}
    return _Survey(heads, heads | above | {""})


def _find_head(pattern: str) -> str:
    prefix = _read_pattern(pattern).prefix
    return prefix if prefix == _clean(pattern) else prefix.rpartition("/")[0]


def _clean(pattern: str) -> str:
    """Return a pattern without what people write beside it: `./src/` is `src`, `.` is all."""
    clean = pattern.removeprefix("./").rstrip("/")
    return _EVERYTHING if clean in {"", "."} else clean


class _Machine(Value):
    """States and what leads from one to the next.

    State 2n stands before token n; 2n+1 lies inside a token that takes more than one letter. The
    last two stand for the end, and for files below a folder that the pattern names.
    """

    prefix: str  # what every path that matches begins with
    tokens: tuple[str, ...]
    moves: tuple[tuple[tuple[str, int], ...], ...]  # by a letter
    jumps: tuple[tuple[int, ...], ...]  # by nothing

    @property
    def end(self) -> int:
        return 2 * len(self.tokens)


@lru_cache(maxsize=1 << 12)
def _read_pattern(pattern: str) -> _Machine:
    tokens = tuple(token for part in _PARTS.findall(_clean(pattern)) for token in _read_part(part))
    moves: list[tuple[tuple[str, int], ...]] = []
    jumps: list[tuple[int, ...]] = []
    for state, token in zip(range(0, 2 * len(tokens), 2), tokens, strict=True):
        if token in {_STAR, _ALL}:
            moves += [((_ONE if token == _STAR else _ANY, state),), ()]
            jumps += [(state + 2,), ()]
        elif token == _FOLDERS:
            moves += [(), ((_ANY, state + 1), ("/", state + 2))]
            jumps += [(state + 1, state + 2), ()]
        else:
            moves += [((token, state + 2),), ()]
            jumps += [(), ()]
    end = 2 * len(tokens)
    moves += [(("/", end + 1),), ((_ANY, end + 1),)]
    jumps += [(), ()]
    wild = {_ONE, _STAR, _ALL, _FOLDERS, _ANY}
    fixed = next((at for at, token in enumerate(tokens) if token in wild), len(tokens))
    return _Machine("".join(tokens[:fixed]), tokens, tuple(moves), tuple(jumps))


def _read_part(part: str) -> Iterable[str]:
    if len(part) == 1 or part in {_ALL, _FOLDERS}:
        return (part,)
    if is_match(part, (part,)):
        return part  # a class that cannot be is plain text, letter by letter
    return (_ANY if is_match("/", (part,)) else _ONE,)


@lru_cache(maxsize=1 << 16)
def _do_meet(one: str, other: str) -> bool:
    mine, theirs = _read_pattern(one), _read_pattern(other)
    common = min(len(mine.prefix), len(theirs.prefix))
    if mine.prefix[:common] != theirs.prefix[:common]:
        return False
    for machine in (mine, theirs):
        if machine.tokens[common : common + 1] in {(_ALL,), (_FOLDERS,)}:
            return True  # it takes all of the other's path, and goes on below that
    if _is_too_long(mine, theirs):
        return True
    start = (2 * common, 2 * common)  # what both begin with need not be walked
    waiting, seen = [start], {start}
    while waiting:
        here, there = waiting.pop()
        if here >= mine.end and there >= theirs.end:
            return True
        found = [(jump, there) for jump in mine.jumps[here]]
        found += [(here, jump) for jump in theirs.jumps[there]]
        found += [
            (after, beyond)
            for letter, after in mine.moves[here]
            for sign, beyond in theirs.moves[there]
            if _share_letter(letter, sign)
        ]
        waiting += [pair for pair in found if pair not in seen]
        seen.update(found)
    return False


def _is_too_long(one: _Machine, other: _Machine) -> bool:
    return len(one.tokens) * len(other.tokens) > _MOST_PAIRS


def _share_letter(one: str, other: str) -> bool:
    if _ANY in {one, other}:
        return True
    if _ONE in {one, other}:
        return "/" not in {one, other}
    return one == other


@lru_cache(maxsize=1 << 16)
def _covers(wide: str, narrow: str) -> bool:
    """Return whether the wide pattern swallows the narrow one, token by token."""
    if "[" in wide:
        return _clean(wide) == _clean(narrow)  # its classes are read as `?`, which takes more
    machine, other = _read_pattern(wide), _read_pattern(narrow)
    if not other.prefix.startswith(machine.prefix) or _is_too_long(machine, other):
        return False
    states = _jump(machine, {2 * len(machine.prefix)})
    for token in other.tokens[len(machine.prefix) :]:
        states = _jump(machine, _swallow(machine, states, token))
    return not states.isdisjoint({machine.end, machine.end + 1})


def _swallow(machine: _Machine, states: set[int], token: str) -> set[int]:
    """Return where the machine may be after whatever the token stands for."""
    if token in {_STAR, _ALL, _FOLDERS}:
        takes = {_ONE, _ANY} if token == _STAR else {_ANY}
        stay = {s for s in states if any(to == s and by in takes for by, to in machine.moves[s])}
        if token == _FOLDERS:  # nothing, or what ends with a slash: it also leaves such a token
            odd = {state for state in stay if state % 2 and state < machine.end}
            stay |= {state + 1 for state in odd if state + 1 in states}
        return stay
    return {to for s in states for by, to in machine.moves[s] if _takes_all(by, token)}


def _takes_all(letter: str, token: str) -> bool:
    return letter in {_ANY, token} or (letter == _ONE and token not in {"/", _ANY})


def _jump(machine: _Machine, states: set[int]) -> set[int]:
    found, waiting = set(states), list(states)
    while waiting:
        new = set(machine.jumps[waiting.pop()]) - found
        found |= new
        waiting += new
    return found
