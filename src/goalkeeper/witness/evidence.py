"""Documents of what the witness saw, without secrets, stored under their digests."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from goalkeeper.errors import DiskFailed
from goalkeeper.system.output import Stream
from goalkeeper.system.redaction import Redactor
from goalkeeper.system.run import Exited, LimitHit, NotStarted, Ran, Signalled
from goalkeeper.system.safe_open import make_folder, read_plain_file, replace_file
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.pattern import late_pattern

VERSION = 1

_LONGEST_WORD = 4096  # a cut goes through no word shorter than this
_DIGEST = late_pattern(r"[0-9a-f]{64}")


def describe_run(
    ran: Ran, *, argv: Sequence[str], redactor: Redactor, facts: Mapping[str, object]
) -> dict[str, object]:
    """Return a JSON document of one run; the caller's facts are added unchanged."""
    document: dict[str, object] = {
        "v": VERSION,
        "argv": _clean_argv(argv, redactor),
        "outcome": _describe_outcome(ran, redactor),
    }
    if not isinstance(ran, NotStarted):
        document["seconds"] = round(ran.seconds, 3)
        document["stdout"] = _describe_stream(ran.out, redactor)
        document["stderr"] = _describe_stream(ran.err, redactor)
    return {**document, "facts": dict(facts)}


class EvidenceStore:
    """Documents by their digests. A document that was changed, or is none, counts as missing.

    Documents are also read, and never written, in the folder `others` and in the stores in it.
    """

    def __init__(self, directory: str, *, others: str = "", most: int = 256 << 20) -> None:
        """Make the store; a document of more than `most` bytes counts as missing, too."""
        self._directory = directory
        self._others = others
        self._most = most

    def put(self, document: Mapping[str, object]) -> str:
        text = json.dumps(
            document, default=dict, ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )
        # A stray surrogate becomes an escape in JSON, so it is read back as it was.
        data = text.encode(errors="backslashreplace")
        digest = sha256(data)
        path = os.path.join(self._directory, _name_document(digest))
        if read_plain_file(path) != data:
            try:
                for folder in (self._directory, os.path.dirname(path)):
                    make_folder(folder, 0o700)
                replace_file(path, data, mode=0o600)
            except OSError as exc:
                reason = exc.strerror or str(exc)
                raise DiskFailed(action="keep evidence in", path=path, reason=reason) from exc
        return digest

    def get(self, digest: str) -> dict[str, object] | None:
        if not _DIGEST.fullmatch(digest):
            return None
        for directory in self._list_directories():
            data = read_plain_file(os.path.join(directory, _name_document(digest)), self._most)
            if sha256(data) == digest:
                return _read_document(data)
        return None

    def _list_directories(self) -> Iterator[str]:
        yield self._directory
        if self._others:
            yield self._others
            with suppress(OSError):
                yield from (os.path.join(self._others, name) for name in os.listdir(self._others))


def _read_document(data: bytes) -> dict[str, object] | None:
    with suppress(ValueError, RecursionError):  # it was never written by us
        document = json.loads(data)
        return document if isinstance(document, dict) else None
    return None


def _name_document(digest: str) -> str:
    return os.path.join(digest[:2], f"{digest}.json")


def clean_document(document: Mapping[str, object], redactor: Redactor) -> dict[str, object]:
    """Return the document with no secret in any text."""
    return {name: _clean_value(value, redactor) for name, value in document.items()}


def _clean_value(value: object, redactor: Redactor) -> object:
    if isinstance(value, str):
        return redactor.clean_text(make_valid_text(value))
    if isinstance(value, Mapping):
        return clean_document(value, redactor)
    if isinstance(value, list | tuple):
        return [_clean_value(item, redactor) for item in value]
    return value


EXCERPT_CHARACTERS = 1500


def excerpt_failure(document: Mapping[str, object] | None) -> str:
    """Return the end of both streams of a failed check, for those who must correct the work."""
    runs = (document or {}).get("runs")
    for run in runs if isinstance(runs, list) else ():
        if run["facts"].get("verdict") != "passed":
            texts = [str(run[name]["text"]).strip() for name in ("stdout", "stderr") if name in run]
            return "\n".join(text[-EXCERPT_CHARACTERS:] for text in texts if text)
    return ""


def _describe_outcome(ran: Ran, redactor: Redactor) -> dict[str, object]:
    match ran:
        case Exited(code=code):
            return {"kind": "exited", "code": code}
        case Signalled(signal=number):
            return {"kind": "signalled", "signal": number}
        case LimitHit(limit=limit):
            return {"kind": "limit", "limit": limit}
        case NotStarted(reason=reason):
            return {"kind": "not-started", "reason": make_valid_text(redactor.clean_text(reason))}


def _clean_argv(argv: Sequence[str], redactor: Redactor) -> list[str]:
    # Only an option and its value together show a secret: `--password`, `x`.
    words = [make_valid_text(word) for word in argv]
    cleaned = [redactor.clean_text(word) for word in words]
    for number, (option, value) in enumerate(pairwise(words), start=1):
        if option.startswith("-") and "=" not in option:
            joined = f"{option.lstrip('-')}={value}"
            if redactor.clean_text(joined) != joined:
                cleaned[number] = redactor.clean_text(joined).partition("=")[2]
    return cleaned


def _describe_stream(stream: Stream, redactor: Redactor) -> dict[str, object]:
    if stream.whole is None:
        head, tail = drop_half_words(stream.head, stream.tail)
        stream = stream.replace(head=head, tail=tail)
    text = redactor.clean_text(stream.text)
    return {"text": text, "bytes": stream.size, "sha256": stream.sha256}


def drop_half_words(head: bytes, tail: bytes) -> tuple[bytes, bytes]:
    """Leave out the words at a cut, because half a secret would not be recognized."""
    last = head[-_LONGEST_WORD:]
    end = max(map(last.rfind, (b" ", b"\n", b"\t"))) + 1
    gap = re.search(rb"\s", tail[:_LONGEST_WORD])
    return head[:-_LONGEST_WORD] + last[:end], tail[gap.start() if gap else _LONGEST_WORD :]


def make_valid_text(text: str) -> str:
    """Return text that is valid UTF-8; arguments and names of files may contain other bytes."""
    return text.encode(errors="backslashreplace").decode()
