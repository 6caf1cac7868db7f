"""Reading asciicast, versions 2 and 3: a header, then one event in each line."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from goalkeeper.wire.value import Value
from goalkeeper.witness.captures.unfit import UnfitArtifact

_VERSIONS = (2, 3)
_EVENT_PARTS = 3
_MOST_EVENTS = 500_000
_MOST_COLUMNS, _MOST_LINES = 500, 200
_MEND = "record again with asciinema, or attach the raw bytes of the terminal"


class TerminalCapture(Value):
    columns: int
    lines: int
    output: str


def is_asciicast(data: bytes) -> bool:
    first = data.split(b"\n", 1)[0].strip()
    return first.startswith(b"{") and first.endswith(b"}") and b'"version"' in first


def read_capture(data: bytes) -> TerminalCapture:
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
        message = f"asciicast version {version!r}, known are 2 and 3"
        raise UnfitArtifact("bad-recording", message, _MEND)
    terminal, across, down = header, "width", "height"
    if version == _VERSIONS[1]:
        terminal, across, down = header.get("term"), "cols", "rows"
    sizes = []
    for name, most in ((across, _MOST_COLUMNS), (down, _MOST_LINES)):
        number = terminal.get(name) if isinstance(terminal, dict) else None
        if not isinstance(number, int) or number < 1:
            raise UnfitArtifact("bad-recording", f"the recording does not say its {name}", _MEND)
        sizes.append(min(number, most))
    return sizes[0], sizes[1]


def _read_output(event: Any) -> str:  # noqa: ANN401  any JSON
    if not isinstance(event, list) or len(event) != _EVENT_PARTS:
        raise UnfitArtifact("bad-recording", "an event that is not [time, kind, data]", _MEND)
    time, kind, data = event
    if type(time) not in (int, float) or not isinstance(kind, str) or not isinstance(data, str):
        raise UnfitArtifact("bad-recording", "an event that is not [time, kind, data]", _MEND)
    return data if kind == "o" else ""


def _decode_line(line: bytes, number: int) -> Any:  # noqa: ANN401  any JSON
    if number > _MOST_EVENTS:
        raise UnfitArtifact("bad-recording", f"the recording has over {_MOST_EVENTS} lines", _MEND)
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError) as exc:
        message = f"line {number} of the recording is not JSON in UTF-8"
        raise UnfitArtifact("bad-recording", message, _MEND) from exc
