"""What the witness saw, as a document without secrets, kept under its own digest."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from goalkeeper.errors import DiskFailed
from goalkeeper.system.run import Exited, LimitHit, NotStarted, Ran, Signalled, Stream
from goalkeeper.wire.canonical import compact, sha256
from goalkeeper.witness.redaction import Redactor

VERSION = 1

_LONGEST_WORD = 4096  # a cut goes through no word shorter than this
_DIGEST = re.compile(r"[0-9a-f]{64}")


def record(
    ran: Ran, *, argv: Sequence[str], redactor: Redactor, facts: Mapping[str, object]
) -> dict[str, object]:
    """A JSON document of one run; facts are the caller's and come as they are."""
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
    """Documents by their digest. One that was changed is as good as gone."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def put(self, document: Mapping[str, object]) -> str:
        data = _canonical(document)
        digest = sha256(data)
        path = self._path(digest)
        if self._read(path) != data:
            try:
                _write_whole(path, data)
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
    """The same without secrets, in every text of it."""
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
    """The end of what a check printed when it failed, for whoever must mend it; both streams."""
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
    # An option and its value tell only together: `--password`, `x`.
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
        # Half a secret at the cut would be known to nobody, and is half the secret.
        head, tail = _without_last_word(stream.head), _without_first_word(stream.tail)
        stream = stream.replace(head=head, tail=tail)
    text = redactor.clean(stream.text)
    return {"text": text, "bytes": stream.size, "sha256": stream.sha256}


def _without_last_word(head: bytes) -> bytes:
    before, last = head[:-_LONGEST_WORD], head[-_LONGEST_WORD:]
    return before + last[: max(map(last.rfind, (b" ", b"\n", b"\t"))) + 1]


def _without_first_word(tail: bytes) -> bytes:
    gap = re.search(rb"\s", tail[:_LONGEST_WORD])
    return tail[gap.start() if gap else _LONGEST_WORD :]


def sound(text: str) -> str:
    """Text that any reader of UTF-8 can take: arguments and names of files may hold stray bytes."""
    return text.encode(errors="backslashreplace").decode()


def _canonical(document: Mapping[str, object]) -> bytes:
    # In JSON that is an escape, so a stray surrogate comes back as what it was.
    return compact(_sorted(document)).encode(errors="backslashreplace")


def _sorted(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    return value


def _write_whole(path: str, data: bytes) -> None:
    folder = os.path.dirname(path)
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    fd, temp = tempfile.mkstemp(dir=folder, suffix=".tmp")  # 0600, and ours alone
    try:
        with open(fd, "wb") as file:
            file.write(data)
        os.replace(temp, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temp)
        raise
