"""Whether a table in product code was copied from the tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from goalkeeper.tamper.words import read_words
from goalkeeper.wire.value import Value

Entry = tuple[str, str]  # an input and its result, as literals are written

_WORD = re.compile(r"['\"][A-Za-z_][\w-]*['\"]")
_NUMBER = re.compile(r"\d+")
_SHORT = 5  # characters: too few to tell where they come from
_SMALL = 12  # numbers up to here are keys of many honest tables: months, digits, levels


class TestAnswers(Value):
    """These are the inputs and results of tests: of the base, and of the candidate alone."""

    old: frozenset[Entry]
    new: frozenset[Entry]
    text: str = ""  # the base's tests, as written


def answers(old: Iterable[Entry], new: Iterable[Entry], text: str) -> TestAnswers:
    known = frozenset(entry for entry in old if entry[0] != entry[1])
    return TestAnswers(
        known, frozenset(entry for entry in new if entry[0] != entry[1]) - known, text
    )


def find_copied_inputs(keys: Iterable[str], answers: TestAnswers) -> list[str]:
    """Keys that are inputs of the base's tests, word for word, and that only tests would have.

    One may be chance; two are not.
    """
    found = [key for key in dict.fromkeys(keys) if _is_telling(key) and _is_in(key, answers.text)]
    return found if len(found) > 1 else []


def _is_telling(key: str) -> bool:
    return len(key) > _SHORT and bool(re.search(r"\d", key)) and bool(re.search(r"[\s,;@|]", key))


def _is_in(key: str, text: str) -> bool:
    """The key may stand there in one piece, or line by line, in whatever quotes."""
    lines = [line for line in key.splitlines() if line]
    return all(line in text or line.replace('"', '\\"') in text for line in lines)


def is_copied(table: Sequence[Entry], fresh: Sequence[Entry], answers: TestAnswers) -> bool | None:
    """None: no. True: surely. False: perhaps; an honest table can look like this.

    `fresh` are the entries of the table that the base did not have.
    """
    telling = [entry for entry in fresh if entry[0] not in read_words("plain-value")]
    hits = [entry for entry in telling if entry in answers.old]
    later = [entry for entry in telling if entry in answers.new]
    known = [entry for entry in table if entry[0] not in read_words("plain-value")]
    if 2 * len(hits + later) <= len(known):
        return None  # it knows much more than the tests: it was not copied from them
    odd = [entry for entry in hits if _is_odd(entry)]
    if len(odd) > 1 or any(result not in read_words("plain-value") for _, result in odd):
        return True
    return False if len(hits + later) > 1 and len(hits + later) == len(known) else None


def _is_odd(entry: Entry) -> bool:
    """Only a test would single out such an input, and its result has to be computed."""
    key, result = entry
    if _WORD.fullmatch(key):
        return False
    if key[:1] in "([{":
        return True
    if _NUMBER.fullmatch(key):
        return int(key) > _SMALL and result[:1] not in "'\""
    return not _WORD.fullmatch(result)
