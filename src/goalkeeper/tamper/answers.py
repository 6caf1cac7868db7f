"""Finds tables in product code that were copied from the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.words import read_words
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

Entry = tuple[str, str]  # it is an input and its result, as literals are written

_WORD = late_pattern(r"['\"][A-Za-z_][\w-]*['\"]")
_NUMBER = late_pattern(r"\d+")
_TELLING = late_pattern(r"(?s)^(?=.*\d).*[\s,;@|]")  # it matches more than a word or a number
_PLAIN = late_pattern(r"[\w ]+")
_SHORT = 5  # so few characters do not tell where they come from
_SMALL = 12  # numbers up to here are keys of many honest tables: months, digits, levels


Table = tuple[int, list[Entry]]  # the line of a table, a chain of branches or the like
Keys = tuple[int, list[str]]  # the line of a table or function, and texts that it looks for


def _find_nothing(*_: object) -> tuple[()]:
    return ()


class AnswerReader(Value):
    """What a language tells about the answers in its tests, and about those in product code."""

    read_entries: Callable[[Source], Iterable[Entry]] = _find_nothing
    find_tables: Callable[[Source, Places], Iterable[Table]] = _find_nothing
    find_keys: Callable[[Source, Places], Iterable[Keys]] = _find_nothing


TestSource = tuple[Source, AnswerReader]  # a test file, and who reads it


class TestAnswers:
    """The inputs and results of tests: those of the base, and those of the candidate alone.

    A test file is read only if one of the literals that are asked for stands in it.
    """

    def __init__(
        self, read_old: Callable[[], Sequence[TestSource]], new: Sequence[TestSource]
    ) -> None:
        self._read_old, self._new = read_old, new
        self._known: dict[Source, list[Entry]] = {}

    @cached_property
    def _old(self) -> Sequence[TestSource]:
        return self._read_old()

    @cached_property
    def text(self) -> str:
        """Return the base's tests as they are written."""
        return "\n".join(source.text for source, _ in self._old)

    def find_entries(self, wanted: Iterable[Entry]) -> tuple[set[Entry], set[Entry]]:
        """Return which of the entries tests of the base have, and which only the candidate's."""
        asked = {entry for entry in wanted if entry[0] != entry[1]}
        known = self._find(self._old, asked)
        return known, self._find(self._new, asked - known)

    def _find(self, sources: Sequence[TestSource], wanted: set[Entry]) -> set[Entry]:
        found: set[Entry] = set()
        cores = {_find_core(key) for key, _ in wanted}
        for source, reader in sources if wanted else ():
            if any(core in source.text for core in cores):
                found |= wanted & {*self._read_entries(source, reader)}
        return found

    def _read_entries(self, source: Source, reader: AnswerReader) -> list[Entry]:
        """Read a file once, however many tables of the product are compared with it."""
        if source not in self._known:
            self._known[source] = list(reader.read_entries(source))
        return self._known[source]

    def list_entries(self) -> list[Entry]:
        """Return every input and result that the base's tests have."""
        return [
            entry
            for source, reader in self._old
            for entry in self._read_entries(source, reader)
            if entry[0] != entry[1]
        ]


def _find_core(literal: str) -> str:
    """Return the longest piece of a literal that is written the same way everywhere."""
    return max(_PLAIN.findall(literal), key=len, default=literal)


def find_copied_answers(
    reader: AnswerReader,
    old: Source | None,
    new: Source,
    answers: TestAnswers,
    settled: tuple[Places, Places],
) -> Iterator[Sighting]:
    """Find answers that were copied; what is settled on either side is no news."""
    was_settled, is_settled = settled
    tables = reader.find_tables(old, was_settled) if old else ()
    before = {entry for _, table in tables for entry in table}
    for line, table in reader.find_tables(new, is_settled):
        fresh = [entry for entry in table if entry not in before]
        if fresh and _is_copied(table, fresh, answers):
            shown = ", ".join(f"{key} → {value}" for key, value in fresh)
            text = f"gives the tests' own answers: {shown}"
            yield Sighting("answer-table", new.path, line, text, shown)
    known = {key for _, keys in (reader.find_keys(old, was_settled) if old else ()) for key in keys}
    for line, keys in reader.find_keys(new, is_settled):
        if given := _find_copied_inputs((key for key in keys if key not in known), answers):
            text = f"singles out the tests' own inputs: {'; '.join(given)}"
            yield Sighting("answer-table", new.path, line, text)


def is_telling(key: str) -> bool:
    """Return whether a text is so odd that it tells where it comes from."""
    return len(key) > _SHORT and bool(_TELLING.search(key))


def _find_copied_inputs(keys: Iterable[str], answers: TestAnswers) -> list[str]:
    """Find keys that are inputs of the base's tests, word for word, and that only tests have.

    One may be chance; two are not.
    """
    telling = [key for key in dict.fromkeys(keys) if is_telling(key)]
    found = [key for key in telling if _is_in(key, answers.text)]
    return found if len(found) > 1 else []


def _is_in(key: str, text: str) -> bool:
    """Return whether the key stands there in one piece, or line by line, in whatever quotes."""
    lines = [line for line in key.splitlines() if line]
    return all(line in text or line.replace('"', '\\"') in text for line in lines)


def _is_copied(table: Sequence[Entry], fresh: Sequence[Entry], answers: TestAnswers) -> bool:
    """Return whether `fresh`, the entries that the base did not have, are the tests' own."""
    telling = [entry for entry in fresh if entry[0] not in read_words("plain-value")]
    old, new = answers.find_entries(telling)
    hits = [entry for entry in telling if entry in old]
    later = [entry for entry in telling if entry in new]
    known = [entry for entry in table if entry[0] not in read_words("plain-value")]
    if 2 * len(hits + later) <= len(known):
        return False  # it knows much more than the tests, so it was not copied from them
    odd = [entry for entry in hits if _is_odd(entry)]
    if len(odd) > 1 or any(result not in read_words("plain-value") for _, result in odd):
        return True
    return len(hits + later) > 1 and len(hits + later) == len(known)


def _is_odd(entry: Entry) -> bool:
    """Return whether only a test would use such an input, and its result has to be computed."""
    key, result = entry
    if _WORD.fullmatch(key):
        return False
    if key[:1] in "([{":
        return True
    if _NUMBER.fullmatch(key):
        return int(key) > _SMALL and result[:1] not in "'\""
    return not _WORD.fullmatch(result)
