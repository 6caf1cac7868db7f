"""Keeps what was read of texts, so that each file of a change is read once, however many there are.

A bound on the number of texts is either too small for a release or too large for the memory, so the
bound is on their characters: of a syntax tree, each takes some fifty times as much.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import Any, TypeVar, cast

Reader = TypeVar("Reader", bound=Callable[..., Any])

MOST_CHARACTERS = 6_000_000


class _Shelf:
    def __init__(self) -> None:
        self.readings: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.characters = 0
        self.lock = Lock()  # the witness reads the change beside whatever else it reads


_SHELVES: list[_Shelf] = []


def remember(measure: Callable[..., int]) -> Callable[[Reader], Reader]:
    """Keep what a reader gave; `measure` says how many characters its arguments stand for.

    When they are too many, what was asked for the longest time ago is forgotten.
    """

    def wrap(read: Reader) -> Reader:
        shelf = _Shelf()
        _SHELVES.append(shelf)

        @wraps(read)
        def look_up(*given: Hashable) -> Any:  # noqa: ANN401  it gives what the reader gives
            with shelf.lock:
                found = shelf.readings.get(given)
            if found is None:
                found = (read(*given), measure(*given))
            with shelf.lock:
                if given not in shelf.readings:
                    shelf.characters += found[1]
                shelf.readings[given] = found
                shelf.readings.move_to_end(given)
                while shelf.characters > MOST_CHARACTERS and len(shelf.readings) > 1:
                    _, (_, size) = shelf.readings.popitem(last=False)
                    shelf.characters -= size
            return found[0]

        return cast("Reader", look_up)

    return wrap


def forget_readings() -> None:
    """Forget every text, as a program that begins."""
    for shelf in _SHELVES:
        with shelf.lock:
            shelf.readings.clear()
            shelf.characters = 0


@contextmanager
def pause_collection() -> Iterator[None]:
    """Let nobody search for cycles: what is read has none, and a tenth of the time goes into it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # All of it would be looked through now, as what is young; so it becomes old.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
