"""Terminal captures: raw bytes as a program wrote them, or an asciicast recording.

They must contain control sequences, and at some moment show a screen with something on it.
An asciicast, version 2 or 3, has a header and then one event in each line.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.captures.unfit import TerminalCapture, Unfit, UnfitArtifact, require_some

MOST_BYTES = 16_000_000
_COLUMNS, _LINES = 132, 43  # a raw capture has no size; this is large enough for most
_MOST_UNREADABLE = 0.05
_SEQUENCE = late_pattern(
    r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-Z]|[78c=>DEHM])"
)
_UNREADABLE = late_pattern("[\x00-\x06\x10-\x1a\x1c-\x1f\x7f\ufffd]")
_VERSIONS = (2, 3)
_MOST_EVENTS = 500_000
_MOST_COLUMNS, _MOST_LINES = 500, 200
_MEND = "record the program in a terminal, for example with script or asciinema"


def judge_pty(data: bytes) -> Unfit | None:
    try:
        require_some(data, MOST_BYTES, _MEND)
        capture = (
            _read_asciicast(data)
            if _is_asciicast(data)
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


def _is_asciicast(data: bytes) -> bool:
    first = data.split(b"\n", 1)[0].strip()
    return first.startswith(b"{") and first.endswith(b"}") and b'"version"' in first


def _read_asciicast(data: bytes) -> TerminalCapture:
    events = (
        _decode_line(line, number)
        for number, line in enumerate(BytesIO(data), 1)
        if line.strip() and not line.startswith(b"#")  # version 3 has comments
    )
    columns, lines = _read_size(next(events))
    return TerminalCapture(columns, lines, "".join(map(_read_output, events)))


def _read_size(header: Any) -> tuple[int, int]:  # noqa: ANN401  any JSON
    version = header.get("version") if isinstance(header, dict) else None
    if version not in _VERSIONS:
        raise _recording_error(f"asciicast version {version!r}, known are 2 and 3")
    terminal, across, down = header, "width", "height"
    if version == _VERSIONS[1]:
        terminal, across, down = header.get("term"), "cols", "rows"
    sizes = []
    for name, most in ((across, _MOST_COLUMNS), (down, _MOST_LINES)):
        number = terminal.get(name) if isinstance(terminal, dict) else None
        if not isinstance(number, int) or number < 1:
            raise _recording_error(f"the recording does not say its {name}")
        sizes.append(min(number, most))
    return sizes[0], sizes[1]


def _read_output(event: Any) -> str:  # noqa: ANN401  any JSON
    match event:
        case [int() | float() as time, str(kind), str(data)] if not isinstance(time, bool):
            return data if kind == "o" else ""
        case _:
            raise _recording_error("an event that is not [time, kind, data]")


def _decode_line(line: bytes, number: int) -> Any:  # noqa: ANN401  any JSON
    if number > _MOST_EVENTS:
        raise _recording_error(f"the recording has over {_MOST_EVENTS} lines")
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError) as exc:
        raise _recording_error(f"line {number} of the recording is not JSON in UTF-8") from exc


def _recording_error(message: str) -> UnfitArtifact:
    mend = "record again with asciinema, or attach the raw bytes of the terminal"
    return UnfitArtifact("bad-recording", message, mend)
