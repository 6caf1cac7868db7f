"""The literals that the work has added to the product."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from goalkeeper.core.contract.protected import is_prose
from goalkeeper.git.trees import Trees
from goalkeeper.tamper.literals.languages import find_language
from goalkeeper.tamper.literals.model import Literal, is_named_in
from goalkeeper.tamper.source import MOST_BYTES, is_product
from goalkeeper.tamper.syntax import text_of
from goalkeeper.wire.value import Value

_MOST_FILES = 500


class WorkLiterals(Value):
    trees: Trees
    base: str
    tree: str

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Return the files of the product that the work changed, as far as they can be read."""
        base = self.trees.list_entries(self.base)
        changed = {
            path: blob.id
            for path, blob in self.trees.list_entries(self.tree).items()
            if is_product(path) and find_language(path) and base.get(path) != blob
        }
        return self._read(dict(list(changed.items())[:_MOST_FILES]))

    def _read(self, blobs: Mapping[str, str]) -> dict[str, str]:
        data = self.trees.read_blobs(sorted({*blobs.values()}))
        found = {path: data.get(blob, b"") for path, blob in blobs.items()}
        return {path: text_of(each) for path, each in found.items() if len(each) <= MOST_BYTES}

    @cached_property
    def old_texts(self) -> Mapping[str, str]:
        """Return what the base says outside of tests."""
        entries = self.trees.list_entries(self.base)
        blobs = {path: blob.id for path, blob in entries.items() if is_product(path)}
        return self._read(dict(list(blobs.items())[:_MOST_FILES]))

    @cached_property
    def literals(self) -> Mapping[str, list[Literal]]:
        found = {path: _read_literals(path, text) for path, text in self.texts.items()}
        return {path: each for path, each in found.items() if each}

    def is_old(self, path: str, literal: Literal) -> bool:
        """Return whether a literal of the base has it."""
        if not isinstance(literal.value, str):
            old = _read_literals(path, self.old_texts.get(path, ""))
            return literal.value in {each.value for each in old}
        named = {p: text for p, text in self.old_texts.items() if literal.value in text}
        return any(_is_code(p, text, literal.value) for p, text in named.items())

    def find_told(self, literal: Literal, told: str) -> list[str]:
        """Return the lines of goal and base that name it, each with the next."""
        return [
            "\n".join(lines[n : n + 2])
            for text in (told, *self.old_texts.values())
            for lines in (text.splitlines(),)
            for n, line in enumerate(lines)
            if is_named_in(literal, line)
        ]


def _read_literals(path: str, text: str) -> list[Literal]:
    language = find_language(path)
    try:
        return language.read(text, path) if language else []
    except RecursionError:
        return []


def _is_code(path: str, text: str, value: str) -> bool:
    """Return whether a text stands in a literal of a file, or in data."""
    if find_language(path):
        return any(each.is_text and value in str(each.value) for each in _read_literals(path, text))
    return not is_prose(path)
