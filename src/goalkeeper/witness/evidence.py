"""Documents of what the witness saw, without secrets, stored under their digests."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from goalkeeper.errors import DiskFailed
from goalkeeper.system.run import Exited, LimitHit, NotStarted, Ran, Signalled, Stream
from goalkeeper.system.safe_open import replace_file
from goalkeeper.wire.canonical import compact, sha256
from goalkeeper.witness.redaction import Redactor

VERSION = 1

_LONGEST_WORD = 4096  # a cut goes through no word shorter than this
_DIGEST = re.compile(r"[0-9a-f]{64}")


def record(
    ran: Ran, *, argv: Sequence[str], redactor: Redactor, facts: Mapping[str, object]
) -> dict[str, object]:
    """Return a JSON document of one run; the caller's facts are added unchanged."""
    document: dict[str, object] = {
        "v": VERSION,
        "argv": _clean_argv(argv, redactor),
        "outcome": _outcome(ran, redactor),
    }
    if not isinstance(ran, NotStarted):
        document["seconds"] = round(ran.seconds, 3)
        document["stdout"] = _stream(ran.out, redactor)
        document["stderr"] = _stream(ran.err, redactor)
    return {**document, "facts": dict(facts)}


class Store:
    """Documents by their digests. A document that was changed counts as missing."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def put(self, document: Mapping[str, object]) -> str:
        # A stray surrogate becomes an escape in JSON, so it is read back as it was.
        data = compact(_sorted(document)).encode(errors="backslashreplace")
        digest = sha256(data)
        path = self._path(digest)
        if self._read(path) != data:
            try:
                for folder in (self._directory, os.path.dirname(path)):
                    os.makedirs(folder, mode=0o700, exist_ok=True)
                replace_file(path, data, mode=0o600)
            except OSError as exc:
                reason = exc.strerror or str(exc)
                raise DiskFailed(action="keep evidence in", path=path, reason=reason) from exc
        return digest

    def get(self, digest: str) -> dict[str, object] | None:
        if not _DIGEST.fullmatch(digest):
            return None
        data = self._read(self._path(digest))
        if data is None or sha256(data) != digest:
            return None
        document: dict[str, object] = json.loads(data)
        return document

    def _path(self, digest: str) -> str:
        return os.path.join(self._directory, digest[:2], f"{digest}.json")

    def _read(self, path: str) -> bytes | None:
        with suppress(OSError), open(path, "rb") as file:
            return file.read()
        return None


def cleaned(document: Mapping[str, object], redactor: Redactor) -> dict[str, object]:
    """Return the document with no secret in any text."""
    return {name: _cleaned(value, redactor) for name, value in document.items()}


def _cleaned(value: object, redactor: Redactor) -> object:
    if isinstance(value, str):
        return redactor.clean(sound(value))
    if isinstance(value, Mapping):
        return cleaned(value, redactor)
    if isinstance(value, list | tuple):
        return [_cleaned(item, redactor) for item in value]
    return value


EXCERPT_CHARACTERS = 1500


def excerpt(document: Mapping[str, object] | None) -> str:
    """Return the end of both streams of a check that failed, for whoever must correct the work."""
    runs = (document or {}).get("runs")
    for run in runs if isinstance(runs, list) else ():
        if run["facts"].get("verdict") != "passed":
            texts = [str(run[name]["text"]).strip() for name in ("stdout", "stderr") if name in run]
            return "\n".join(text[-EXCERPT_CHARACTERS:] for text in texts if text)
    return ""


def _outcome(ran: Ran, redactor: Redactor) -> dict[str, object]:
    match ran:
        case Exited(code=code):
            return {"kind": "exited", "code": code}
        case Signalled(signal=number):
            return {"kind": "signalled", "signal": number}
        case LimitHit(limit=limit):
            return {"kind": "limit", "limit": limit}
        case NotStarted(reason=reason):
            return {"kind": "not-started", "reason": sound(redactor.clean(reason))}


def _clean_argv(argv: Sequence[str], redactor: Redactor) -> list[str]:
    # Only an option and its value together show a secret: `--password`, `x`.
    words = [sound(word) for word in argv]
    cleaned = [redactor.clean(word) for word in words]
    for number, (option, value) in enumerate(pairwise(words), start=1):
        if option.startswith("-") and "=" not in option:
            joined = f"{option.lstrip('-')}={value}"
            if redactor.clean(joined) != joined:
                cleaned[number] = redactor.clean(joined).partition("=")[2]
    return cleaned


def _stream(stream: Stream, redactor: Redactor) -> dict[str, object]:
    if stream.whole is None:
        # Half a secret at the cut would not be recognized, so the words at the cut are left out.
        last = stream.head[-_LONGEST_WORD:]
        end = max(map(last.rfind, (b" ", b"\n", b"\t"))) + 1
        gap = re.search(rb"\s", stream.tail[:_LONGEST_WORD])
        head = stream.head[:-_LONGEST_WORD] + last[:end]
        tail = stream.tail[gap.start() if gap else _LONGEST_WORD :]
        stream = stream.replace(head=head, tail=tail)
    text = redactor.clean(stream.text)
    return {"text": text, "bytes": stream.size, "sha256": stream.sha256}


def sound(text: str) -> str:
    """Return text that is valid UTF-8; arguments and names of files may contain other bytes."""
    return text.encode(errors="backslashreplace").decode()


def _sorted(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    return value
