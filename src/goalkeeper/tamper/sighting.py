"""A sighting is something a reader saw in one file, before it is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from goalkeeper.wire.value import Value


class Sighting(Value):
    rule: str
    path: str
    line: int  # 0 means the file as a whole
    message: str
    key: str = ""  # the same thing in base and candidate has the same key
    mild: bool = False  # an honest reading is likely, so it is advisory, whatever the rule says

    @property
    def identity(self) -> tuple[str, str, bool]:
        return (self.rule, self.key or self.message, self.mild)


def keep_new(old: Iterable[Sighting], new: Iterable[Sighting]) -> list[Sighting]:
    """Keep what only the candidate has. Code that moved, even to another file, is not new."""
    known = Counter((sighting.path, sighting.identity) for sighting in old)
    fresh: list[Sighting] = []
    for sighting in new:
        if known[sighting.path, sighting.identity] > 0:
            known[sighting.path, sighting.identity] -= 1
        else:
            fresh.append(sighting)
    elsewhere: Counter[tuple[str, str, bool]] = Counter()
    for (_, identity), count in known.items():
        elsewhere[identity] += count
    rest: list[Sighting] = []
    for sighting in fresh:
        if elsewhere[sighting.identity] > 0:
            elsewhere[sighting.identity] -= 1
        else:
            rest.append(sighting)
    return rest
