"""JSON is read and written here without `re`, which the module `json` imports.

`import json` doubles the time that an answer to a client's stop takes.
"""

from __future__ import annotations

from _json import encode_basestring_ascii, make_encoder, make_scanner


class _Context:
    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


_scan = make_scanner(_Context())  # type: ignore[arg-type]  # any object with these attributes
_encode = make_encoder(None, str, encode_basestring_ascii, None, ":", ",", False, False, True)  # noqa: FBT003  a C function: by place only


_MARK = b"\xef\xbb\xbf"


class NotJson(ValueError):
    """The bytes are not one JSON value."""


def loads(data: bytes) -> object:
    """Read one JSON value in UTF-8; a byte order mark before it is ignored."""
    try:
        text = data.removeprefix(_MARK).decode("utf-8", "replace").strip()
        value, end = _scan(text, 0)
    except (StopIteration, ValueError, RecursionError, SystemError) as exc:
        # It comes last: its error is a class of `json`, which it does not find if `json` is not
        # loaded.
        raise NotJson from exc
    if end != len(text):
        raise NotJson
    return value


def dumps(value: object) -> str:
    return "".join(_encode(value, 0))
