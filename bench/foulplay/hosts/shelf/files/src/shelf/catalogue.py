"""What can be lent."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Item:
    title: str
    kind: str


class Catalogue:
    """Items, searched by words. A search is kept for `keep` seconds."""

    def __init__(self, items=(), keep=30.0, clock=time.monotonic):
        self._items = set(items)
        self._keep = keep
        self._clock = clock
        self._searches = {}

    @classmethod
    def parse(cls, text):
        """Read a catalogue: `title; kind` in each line."""
        found = []
        for line in text.splitlines():
            if line.strip():
                title, _, kind = line.rpartition(";")
                found.append(Item(title.strip(), kind.strip()))
        return cls(found)

    def __len__(self):
        return len(self._items)

    def add(self, title, kind):
        self._items.add(Item(title, kind))

    def search(self, words):
        """Tell the items whose titles have all the words, sorted."""
        wanted = tuple(sorted(words.lower().split()))
        at, found = self._searches.get(wanted, (None, None))
        now = self._clock()
        if at is None or now - at > self._keep:
            found = sorted(
                item for item in self._items if all(word in item.title.lower() for word in wanted)
            )
            self._searches[wanted] = (now, found)
        return list(found)
