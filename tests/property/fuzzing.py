"""Inputs that nobody writes on purpose: real ones with changes, and made-up ones."""

import json
from hashlib import sha256
from typing import Any

from hypothesis import strategies as st

# What has broken readers of files before.
NASTY = (
    b"", b"\0", b"\xff", b"\xc3\x28", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\x1b[31m", b"{", b"}",
    b"[",
    b"]", b'"', b"\\", b"\\u0000", b"\\ud800", b"'", b"#", b":", b"- ", b"&a ", b"*a",
    b"!!python/x",
    b"null", b"NaN", b"1e999", b"-1", b"9" * 400, b"[" * 2000, b"../..", b"/etc/passwd", b"~",
    b"$HOME",
    b"2026-99-99T99:99:99Z", b"G999", b"\xe2\x80\xa8", b"\x0b", b"@goal:", b"```", b"...", b"---",
)  # fmt: skip
ODD_TEXTS = (
    "", " ", "\0", "\ud800", "\x1b[31m", "\u2028", "..", "/", "G001", "G999", "C1", "x" * 5000,
    "{}",
    "2026-01-01T00:00:00.000000Z", "9999-99-99", "{0}", "%s", "{run}", "a\nb", "-", "0" * 40,
    "f" * 64,
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, 1.5, float("inf"), [], {}, [[]], [None],
    {"": None},
    *ODD_TEXTS,
)  # fmt: skip

json_values = st.recursive(
    st.sampled_from(ODD_VALUES) | st.text(max_size=8) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def change_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    """Cut, double, swap or replace pieces."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        length = draw(st.sampled_from((0, 1, 2, 7, 40, len(data))))
        piece = data[start : start + length]
        put = draw(st.sampled_from((*NASTY, piece + piece, piece[::-1], data[:20])))
        data = data[:start] + put + data[start + length :]
    return data


@st.composite
def change_value(draw: st.DrawFn, value: Any) -> Any:  # noqa: ANN401  JSON
    """Change a JSON value somewhere inside."""
    if isinstance(value, dict) and value and draw(st.integers(0, 9)):
        name = draw(st.sampled_from(sorted(value)))
        match draw(st.integers(0, 9)):
            case 0:
                return {key: each for key, each in value.items() if key != name}
            case 1:
                return {**value, draw(st.sampled_from(ODD_TEXTS)): value[name]}
            case _:
                return {**value, name: draw(change_value(value[name]))}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        place = draw(st.integers(0, len(value) - 1))
        if draw(st.booleans()):
            return [*value[:place], value[place], *value[place:]]
        return [*value[:place], draw(change_value(value[place])), *value[place + 1 :]]
    if isinstance(value, str) and draw(st.booleans()):
        return value[: draw(st.integers(0, len(value)))] + draw(st.sampled_from(ODD_TEXTS))
    return draw(json_values)


def seal_lines(lines: list[dict[str, Any]]) -> bytes:
    """Write lines so that the chain holds: then everything behind it has to bear them."""
    head, whole = "0" * 64, b""
    for number, line in enumerate(lines, 1):
        sealed = {**line, "seq": number, "prev": head}
        data = json.dumps(sealed, separators=(",", ":")).encode()
        head = sha256(data).hexdigest()
        whole += data + b"\n"
    return whole
