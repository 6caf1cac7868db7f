"""Lines that a change adds, for files that need no grammar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from goalkeeper.core.contract.protected import Role, is_checking_name, role_of_path
from goalkeeper.tamper.patterns import CodePart, match_code_patterns
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import (
    ChangedFile,
    Tree,
    find_facts,
    is_product,
    is_prose,
    is_python,
    is_script,
    is_shell,
)
from goalkeeper.tamper.words import read_pattern

_COOKIE_LINES = 2  # where Python looks for the encoding
MOST_CHARACTERS = 2000  # of a line; patterns must not take for ever
_TEST_FILE = re.compile(r"(?:tests?|specs?|__tests__|golden)/[\w./-]*\w")


def find_added_lines(pair: ChangedFile) -> Iterator[tuple[int, str]]:
    """This gives the lines that the candidate has more often than the base, with their numbers."""
    if pair.new is None:
        return
    known = Counter(line.strip() for line in pair.old.text.splitlines()) if pair.old else Counter()
    for number, line in enumerate(pair.new.text.splitlines(), start=1):
        stripped = line.strip()
        if known[stripped] > 0:
            known[stripped] -= 1
        elif stripped:
            yield number, line[:MOST_CHARACTERS]


def match_added_lines(pair: ChangedFile) -> Iterator[Sighting]:
    """Some rules are only patterns in the catalogue; this finds what they see in lines."""
    if pair.new is None or is_prose(pair.path):
        return
    facts = find_facts(pair.new)
    parts = (
        CodePart("line", "head" if number <= _COOKIE_LINES else "", number, facts, write)
        for number, line in find_added_lines(pair)
        for write in [partial(_write_line, line)]
    )
    yield from match_code_patterns("any", pair.path, parts)


def _write_line(line: str, aspect: str) -> str:
    return line if aspect == "text" else line.strip()


def find_test_names(pair: ChangedFile, tree: Tree) -> Iterator[Sighting]:
    """Product code has no reason to name a file of the tests."""
    source = pair.new
    if source is None or not is_product(pair.path):
        return
    if not (is_python(pair.path) or is_script(pair.path) or is_shell(source)):
        return
    helping = bool(read_pattern("helping-file").fullmatch(pair.path)) or is_checking_name(pair.path)
    for number, line in find_added_lines(pair):
        for found in _TEST_FILE.finditer(line):
            path = found[0]
            known = role_of_path(path) in {Role.TEST, Role.DATA} and tree(path) is not None
            if known and not line.lstrip().startswith(("#", "//", "*")):
                text = f"product code names {path}, which belongs to the tests"
                yield Sighting("tests-read", pair.path, number, text, line.strip(), helping)
