"""A capture is played in a terminal emulator until its screen shows something.

A capture may be hostile: a few bytes can cause a lot of work in the emulator. So every event has a
price, and only what fits into the budget is played. No clock is used, so that the same bytes get
the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unicodedata import combining

from pyte import Screen, Stream
from pyte.modes import IRM

from goalkeeper.witness.captures.unfit import TerminalCapture, UnfitArtifact

_LEAST_CELLS, _LEAST_KINDS = 8, 4  # a prompt with a command is a screen, a row of one letter is not
_BUDGET = 2_000_000  # so many cells are read or written: some seconds at worst
_PEN = 5  # drawing a character takes as long as reading so many
_CHUNK = 4096
_MOST_SAVED_CURSORS = 100
_WIPES = frozenset({"erase_in_display", "erase_in_line", "delete_lines", "reset"})
_PAINTS = frozenset(
    {"draw", "erase_in_display", "erase_in_line", "erase_characters"}
)  # these are written with colour
_MOVES = frozenset(
    {"insert_characters", "delete_characters", "erase_characters", "insert_lines"}
    | {"index", "reverse_index", "linefeed", "tab"}
)
_WIPING_MODES = frozenset({3, 5})  # these change the width, or reverse all colours
_MEND = "record the program while it shows its result"


class _ScreenShown(Exception):
    """The screen showed something."""


class _BudgetSpent(Exception):
    """The budget is used up."""


def require_screen(capture: TerminalCapture) -> None:
    player = _Player(capture)
    try:
        player.play_output(capture.output)
    except _ScreenShown:
        return
    except _BudgetSpent:
        raise UnfitArtifact(
            "too-laborious",
            "no screen with content in as much of it as is played",
            "record less before the moment that matters",
        ) from None
    if not player.cells:
        raise UnfitArtifact("blank-screen", "played in a terminal it shows nothing", _MEND)
    raise UnfitArtifact(
        "no-content",
        f"played in a terminal it shows {player.cells} characters, {player.kinds} of them "
        f"different; a screen has at least {_LEAST_CELLS}, {_LEAST_KINDS} of them different",
        _MEND,
    )


class _Player:
    """Gets the events of the parser and passes them to the screen."""

    def __init__(self, capture: TerminalCapture) -> None:
        self._screen = Screen(capture.columns, capture.lines)
        self._left = _BUDGET
        self._is_changed = False
        self.cells = self.kinds = 0
        for event in Stream.events:
            setattr(self, event, partial(self._handle_event, event, getattr(self._screen, event)))
        self._stream = Stream(self)  # type: ignore[arg-type]  # it has all the events

    def play_output(self, output: str) -> None:
        for start in range(0, len(output), _CHUNK):
            chunk = output[start : start + _CHUNK]
            self._spend_budget(len(chunk))
            try:
                self._stream.feed(chunk)
            except ValueError:
                continue  # it is a number that no terminal could read; the parser starts anew
            self._count_cells()

    def _handle_event(
        self,
        event: str,
        method: Callable[..., None],
        *args: Any,  # noqa: ANN401  as the event has them
        **private: bool,
    ) -> None:
        if event == "alignment_display":
            return  # a test pattern is much work and no content
        if event == "save_cursor" and len(self._screen.savepoints) >= _MOST_SAVED_CURSORS:
            return
        if event == "draw" and not args[0].isascii():  # endless marks can combine with a letter
            args = ("".join(char for char in args[0] if not combining(char)),)
        wipes = event in _WIPES or (event.endswith("_mode") and not _WIPING_MODES.isdisjoint(args))
        if wipes:
            self._count_cells()
        self._spend_budget(self._price_event(event, args, wipes=wipes))
        self._is_changed |= event in _PAINTS
        try:
            method(*args, **private)
        except (TypeError, UnboundLocalError, AssertionError):
            return  # the sequence has other parameters; terminals ignore it as well

    def _price_event(self, event: str, args: tuple[Any, ...], *, wipes: bool) -> int:
        columns, lines = self._screen.columns, self._screen.lines
        if event == "draw":
            return len(args[0]) * (columns if IRM in self._screen.mode else _PEN)
        if wipes:
            return columns * lines
        return columns + lines if event in _MOVES else _PEN + len(args)

    def _spend_budget(self, price: int) -> None:
        self._left -= price
        if self._left < 0:
            raise _BudgetSpent

    def _count_cells(self) -> None:
        """Count what is on the screen, once after each change; moving it changes no count."""
        if not self._is_changed:
            return
        self._is_changed = False
        self._spend_budget(self._screen.columns * self._screen.lines)
        seen = [
            (cell.data.strip(), cell.bg, cell.reverse)
            for line in self._screen.buffer.values()
            for cell in line.values()
            if cell.data.strip() or cell.bg != "default" or cell.reverse
        ]
        if len(seen) >= self.cells:
            self.cells, self.kinds = len(seen), len(set(seen))
        if len(seen) >= _LEAST_CELLS and len(set(seen)) >= _LEAST_KINDS:
            raise _ScreenShown
