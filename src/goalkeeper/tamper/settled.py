"""Finds what a change left as it was, so that only the rest is read closely.

A function or statement is settled if both sides have it word for word, and it uses nothing that
the change touches, also through others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

Places = frozenset[int]  # where the settled units of a side begin: lines, or bytes

NOWHERE = -1  # what is compared, but is read whatever becomes of it
WORD = late_pattern(r"[^\W\d]\w*")
_LAYOUT = late_pattern(r"[\s'\"(),;\\]+")
# These words decide about every test of a file, a class or a group; so does a mark that skips.
_WIDE = frozenset({"__test__", "skip", "importorskip", "SkipTest", "only", "setattr"})
_SKIPPING = frozenset({"skipif", "xfail", "skipIf", "skipUnless", "expectedFailure"})


class Unit(Value):
    """A function, a statement, or the head of a class or group; `owner` is what is around it."""

    owner: str
    text: str
    place: int
    defines: frozenset[str]
    words: frozenset[str]
    is_function: bool = False


def make_unit(
    owner: str,
    text: str,
    place: int,
    defines: Iterable[str] | None,
    *,
    is_function: bool = False,
    reserved: AbstractSet[str] = frozenset(),
) -> Unit:
    """Make a unit; one of which nobody knows what it defines may define all its words.

    Nothing can have a name that is `reserved` in its language.
    """
    words = frozenset(WORD.findall(text))
    defined = words - reserved if defines is None else frozenset(defines)
    return Unit(owner, text, place, defined, words, is_function)


def make_import(owner: str, text: str, defines: Iterable[str]) -> Unit:
    """Make a unit that gives names to what stands elsewhere, and so uses no name of this file."""
    return Unit(owner, text, NOWHERE, frozenset(defines), frozenset())


def find_settled(
    others: Sequence[Unit], mine: Sequence[Unit], touched: Iterable[str] = ()
) -> Places:
    """Return the places of what is settled in `mine`; `touched` names changed elsewhere."""
    changed = find_changed_names(others, mine, touched)
    if changed is None:
        return frozenset()
    fresh = {id(unit) for unit in _subtract(mine, others)}
    return frozenset(
        unit.place
        for unit in mine
        if id(unit) not in fresh and not unit.words & changed and unit.owner not in changed
    )


def find_same(others: Sequence[Unit], mine: Sequence[Unit], renamed: AbstractSet[str]) -> Places:
    """Return the places of what stands on both sides, and uses no name that was renamed."""
    fresh = {id(unit) for unit in _subtract(mine, others)}
    return frozenset(
        unit.place for unit in mine if id(unit) not in fresh and unit.words.isdisjoint(renamed)
    )


def unify_layout(
    before: Sequence[Unit], after: Sequence[Unit], is_same: Callable[[str, str], bool]
) -> list[Unit]:
    """Give what was only laid out anew the text of `after`; `is_same` says that two are alike.

    Only what differs in signs of layout alone is asked about, and the first such.
    """
    fresh: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    for unit in _subtract(after, before):
        fresh[unit.owner, _LAYOUT.sub("", unit.text)].append(unit)
    stale = {id(unit) for unit in _subtract(before, after)} if fresh else set()
    found: list[Unit] = []
    for unit in before:
        plain = _LAYOUT.sub("", unit.text) if id(unit) in stale else ""
        others = fresh.get((unit.owner, plain), [])
        is_alike = bool(others) and is_same(unit.text, others[0].text)
        found.append(unit.replace(text=others.pop(0).text) if is_alike else unit)
    return found


def find_changed_names(
    others: Sequence[Unit], mine: Sequence[Unit], touched: Iterable[str] = ()
) -> frozenset[str] | None:
    """Return the names that may mean something else now; None if that may be all of them."""
    rest = [*_subtract(others, mine), *_subtract(mine, others)]
    if any(_is_wide(unit) for unit in rest):
        return None
    changed = frozenset(touched).union(*(unit.defines for unit in rest))
    if not changed:
        return changed
    users: dict[str, list[Unit]] = defaultdict(list)
    for unit in mine:
        for word in {*unit.words, unit.owner}:
            users[word].append(unit)
    known, waiting = set(changed), list(changed)
    while waiting:
        # Each word is asked for once, however long the chain is in which names use others.
        for unit in users.pop(waiting.pop(), ()):
            waiting += unit.defines - known
            known |= unit.defines
    return frozenset(known)


def _is_wide(unit: Unit) -> bool:
    is_mark = "pytestmark" in unit.words and unit.words & _SKIPPING
    return not unit.is_function and bool(is_mark or unit.words & _WIDE)


def find_owners(units: Iterable[Unit], names: frozenset[str]) -> frozenset[str]:
    """Return the classes of which a member has one of the names."""
    return frozenset(unit.owner for unit in units if unit.defines & names)


def _subtract(these: Sequence[Unit], those: Sequence[Unit]) -> list[Unit]:
    known = Counter((unit.owner, unit.text) for unit in those)
    rest: list[Unit] = []
    for unit in these:
        if known[unit.owner, unit.text] > 0:
            known[unit.owner, unit.text] -= 1
        else:
            rest.append(unit)
    return rest
