"""Terminal captures: raw bytes as a program wrote them, or an asciicast recording.

They must contain control sequences, and at some moment show a screen with something on it.
"""

from __future__ import annotations

import re

from goalkeeper.witness.captures import asciicast
from goalkeeper.witness.captures.asciicast import TerminalCapture
from goalkeeper.witness.captures.unfit import Unfit, UnfitArtifact, require_some

MOST_BYTES = 16_000_000
_COLUMNS, _LINES = 132, 43  # of a raw capture, which has no size; large enough for most
_MOST_UNREADABLE = 0.05
_SEQUENCE = re.compile(
    r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-Z]|[78c=>DEHM])"
)
_UNREADABLE = re.compile("[\x00-\x06\x10-\x1a\x1c-\x1f\x7f\ufffd]")
_MEND = "record the program in a terminal, for example with script or asciinema"


def judge_pty(data: bytes) -> Unfit | None:
    try:
        require_some(data, MOST_BYTES, _MEND)
        capture = (
            asciicast.read_capture(data)
            if asciicast.is_asciicast(data)
            else TerminalCapture(_COLUMNS, _LINES, data.decode("utf-8", "replace"))
        )
        _require_terminal_output(capture)
        from goalkeeper.witness.captures import terminal  # noqa: PLC0415  dear: pyte

        terminal.require_screen(capture)
    except UnfitArtifact as worthless:
        return worthless.unfit
    return None


def _require_terminal_output(capture: TerminalCapture) -> None:
    unreadable = len(_UNREADABLE.findall(capture.output))
    if unreadable > _MOST_UNREADABLE * len(capture.output):
        raise UnfitArtifact("binary", f"{unreadable} of its characters are no text", _MEND)
    if not _SEQUENCE.search(capture.output):
        raise UnfitArtifact(
            "no-control-sequences",
            "it is plain text without a single terminal control sequence",
            _MEND,
        )
