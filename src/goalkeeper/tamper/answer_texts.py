"""Finds answers of the tests in what a change adds to the product, in whatever form.

Tables and branches are read as code elsewhere. Here text is enough: data files of any ending, and
literals that hide their text in base64, hex and the like.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from urllib.parse import unquote_to_bytes

from goalkeeper.tamper.answers import Entry, TestAnswers, is_telling
from goalkeeper.tamper.lines import find_added_lines
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import ChangedFile, is_python, is_script, is_shell
from goalkeeper.tamper.words import read_pattern, read_words
from goalkeeper.wire.pattern import late_pattern

LEAST_PAIRS = 3  # so many inputs with their results do not stand together by chance
_NEAR = 400  # characters between an input and its result
_MOST_TEXT = 200_000
_MOST_DECODED = 20_000
_QUOTED = late_pattern(r"([\"'`])((?:(?!\1)[^\\\n]|\\.){6,400})\1")
_ESCAPE = r"(?:%[0-9A-Fa-f]{2}|\\x[0-9a-fA-F]{2})"
_ENCODED = late_pattern(rf"[A-Za-z0-9+/_-]{{16,}}={{0,2}}|(?:{_ESCAPE}[\w .,:;]{{0,8}}){{4,}}")
_TURNED = late_pattern(r"(?i)rot_?13")
_BLANK = late_pattern(r"[\s\"'`\\]+")
_COMMENT = late_pattern(r"\s*(#|//|\*|>>>|\.\.\.)")


def find_answer_texts(pair: ChangedFile, answers: TestAnswers) -> Iterator[Sighting]:
    """Find inputs of the base's tests that lie beside their results in what the change adds."""
    source = pair.new
    if source is None or read_pattern("written-for-people").fullmatch(pair.path):
        return
    is_code = is_python(pair.path) or is_script(pair.path) or is_shell(source)
    added = [line for _, line in find_added_lines(pair) if not _COMMENT.match(line)]
    decoded = list(_decode_all(added))
    if _TURNED.search(source.text):
        decoded += [codecs.decode(line, "rot13") for line in added]
    for said, lines in (("holds", [] if is_code else added), ("hides", decoded)):
        whole = "\n".join(lines)[:_MOST_TEXT]
        found = _find_pairs(whole, answers) if _count_shared(whole, answers) else []
        # Whoever knows much more than the tests has not copied from them.
        if len(found) >= LEAST_PAIRS and 2 * len(found) > len([x for x in lines if x.strip()]):
            shown = ", ".join(f"{key} → {value}" for key, value in found)
            text = f"{said} the tests' own answers: {shown}"
            yield Sighting("answer-table", pair.path, 0, text, shown)


def _count_shared(text: str, answers: TestAnswers) -> bool:
    """Return whether enough inputs of tests stand in the text to look closer."""
    if not text:
        return False
    plain = _BLANK.sub("", text)
    shared: set[str] = set()
    for found in _QUOTED.finditer(answers.text):
        word = found[2]
        if is_telling(word) and _BLANK.sub("", word) in plain:
            shared.add(word)
            if len(shared) >= LEAST_PAIRS:
                return True
    return False


def _find_pairs(text: str, answers: TestAnswers) -> list[Entry]:
    plain = _BLANK.sub("", text)
    found = []
    for key, value in answers.list_entries():
        given, result = _BLANK.sub("", key), _BLANK.sub("", value)
        if not is_telling(key) or value in read_words("plain-value") or not result:
            continue
        start = plain.find(given)
        if start >= 0 and result in plain[start + len(given) : start + len(given) + _NEAR]:
            found.append((key, value))
    return list(dict.fromkeys(found))


def _decode_all(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        for match in _ENCODED.finditer(line):
            yield from _decode(match[0])


def _decode(word: str) -> Iterator[str]:
    """Yield what a word may stand for; each layer is taken off once."""
    for data in _decode_bytes(word):
        for plain in (data, _inflate(data)):
            text = plain.decode("utf-8", errors="replace")
            if plain and text.count("\ufffd") * 4 < len(text):
                yield text[:_MOST_DECODED]


def _decode_bytes(word: str) -> Iterable[bytes]:
    if "%" in word:
        return [unquote_to_bytes(word)]
    if "\\x" in word:
        pairs = re.findall(r"\\x([0-9a-fA-F]{2})|(.)", word)
        return [b"".join(bytes.fromhex(h) if h else c.encode() for h, c in pairs)]
    found = []
    if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", word):
        found.append(bytes.fromhex(word))
    padded = word.rstrip("=") + "=" * (-len(word.rstrip("=")) % 4)
    with suppress(binascii.Error, ValueError):
        found.append(base64.b64decode(padded.translate(str.maketrans("-_", "+/")), validate=True))
    return found


def _inflate(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, _MOST_DECODED)
    except zlib.error:
        return b""
