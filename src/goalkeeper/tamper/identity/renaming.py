"""Tests that go by another name now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from goalkeeper.tamper.pairing import Clue, match_in_rounds
from goalkeeper.wire.value import Value

_NUMBERED = re.compile(r"(.*) #([0-9]{1,6})", re.DOTALL)


class ReportedTest(Value):
    """A test that a report names and that was found in the sources."""

    id: str
    key: str
    parameters: str  # "[…]"; they stay when a test is renamed
    fingerprint: str

    @property
    def body(self) -> tuple[str, ...]:
        return (self.fingerprint, self.parameters)

    @property
    def file(self) -> str:
        return self.key.partition("::")[0]

    @property
    def name(self) -> str:
        return self.key.partition("::")[2]


# Identical bodies are told apart by what else is the same: a moved test keeps its name, a renamed
# one its file.
_CLUES: tuple[Clue[ReportedTest], ...] = (
    lambda found: (*found.body, found.name),
    lambda found: (*found.body, found.file),
    lambda found: found.body,
)


def follow_renames(
    vanished: Sequence[str],
    appeared: Sequence[str],
    old_bodies: Mapping[str, str],
    new_bodies: Mapping[str, str],
) -> Mapping[str, str]:
    """Old id → new id, where the bodies are equal; each id is used once.

    `old_bodies` and `new_bodies` are what `read_suite` gives for the two sides. A test whose
    old name is still defined was not renamed: something keeps it from running.
    """
    old, new = SourceIndex(old_bodies), SourceIndex(new_bodies)
    gone = [test for test in old.find_all(vanished) if new.find(test.id) is None]
    fresh = new.find_all(appeared)
    pairs, _, _ = match_in_rounds(gone, fresh, [(clue, clue) for clue in _CLUES])
    return dict(sorted((before.id, after.id) for before, after in pairs))


class SourceIndex:
    """Finds the source of a test by its id in a report."""

    def __init__(self, bodies: Mapping[str, str]) -> None:
        self._bodies = bodies
        self._keys: dict[str, list[str]] = {}
        for key in sorted(bodies):
            for alias in dict.fromkeys(_find_aliases(key)):
                self._keys.setdefault(alias, []).append(key)

    def find_all(self, ids: Sequence[str]) -> list[ReportedTest]:
        return [found for test in sorted(set(ids)) if (found := self.find(test))]

    def find(self, test: str) -> ReportedTest | None:
        for name, parameters, place in _read_id(test):
            keys = self._keys.get(name, [])
            if place < len(keys):
                return ReportedTest(test, keys[place], parameters, self._bodies[keys[place]])
        return None


def _read_id(test: str) -> Iterator[tuple[str, str, int]]:
    """An id has a name, parameters, and the number of the test among those of that name."""
    numbered = _NUMBERED.fullmatch(test)
    meanings = [(test, 0)]
    if numbered and int(numbered[2]) > 1:
        meanings.append((numbered[1], int(numbered[2]) - 1))
    for whole, place in meanings:
        yield whole, "", place
        start = whole.find("[", max(whole.find("::"), 0))  # folders may have brackets, too
        if start > 0 and whole.endswith("]"):
            yield whole[:start], whole[start:], place


def _find_aliases(key: str) -> Iterator[str]:
    """Reports may call the test with this key by several names."""
    yield key
    path, _, name = key.partition("::")
    if path.endswith(".py") and name:
        *classes, function = name.split("::")
        yield ".".join([*path.removesuffix(".py").split("/"), *classes]) + f"::{function}"
    elif name:
        yield name
        yield name.replace(" > ", " ")
