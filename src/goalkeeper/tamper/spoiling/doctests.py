"""Spoils doctests: the first line that an example expects, in docstrings and in prose.

Reports name the doctest of a docstring `path::module.Class.method`, and that of a page
`path::page.md`, or by its ending, too: `path::rst::page.rst`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from goalkeeper.tamper.examples import list_docstrings
from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.source import is_python
from goalkeeper.tamper.spoiling.model import SpoiltFile
from goalkeeper.tamper.spoiling.values import Chooser, change_decimal, change_text
from goalkeeper.wire.pattern import late_pattern

PAGES = (".md", ".rst", ".txt")
_EXAMPLE = late_pattern(r"([ \t]*)>>>(?: .*|$)")
_END = late_pattern(r"\"\"\"|'''")
_OPPOSITES = {"True": "False", "False": "True"}
# These expect nothing, anything, or an exception, whose text need not be the same.
_LOOSE = late_pattern(r"\.\.\.|<BLANKLINE>|\\|^\s*Traceback|^\s*```")
_NOT_COMPARED = late_pattern(r"doctest:.*\+(?:SKIP|IGNORE_OUTPUT|IGNORE_WARNINGS)")


def spoil_doctests(text: str, seed: str, *, path: str) -> SpoiltFile | None:
    """Return a file whose examples expect something else; None if none of them could be changed."""
    lines = text.splitlines(keepends=True)
    chooser = Chooser(seed, path)
    spoilt: list[str] = []
    for names, (first, end) in _list_parts(text, path, len(lines)):
        edits = dict(_find_edits(lines, first, end, chooser))
        for number, line in edits.items():
            lines[number] = line
        if edits:
            spoilt += names
    return SpoiltFile("".join(lines), tuple(dict.fromkeys(spoilt))) if spoilt else None


def _list_parts(
    text: str, path: str, count: int
) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    """Return the lines of every docstring, or of the page, with what reports may call its test."""
    if not is_python(path):
        name = posixpath.basename(path)
        yield (name, f"{name.partition('.')[2]}::{name}"), (0, count)
        return
    module = parse_python(text)
    steps = path.removesuffix(".py").removesuffix("/__init__").split("/")
    modules = [".".join(steps[n:]) for n in range(len(steps))]
    for name, doc in list_docstrings(module) if module else ():
        names = tuple(f"{each}.{name}" if name else each for each in modules)
        yield names, (doc.lineno - 1, doc.end_lineno or doc.lineno)


def _find_edits(
    lines: Sequence[str], first: int, end: int, chooser: Chooser
) -> Iterator[tuple[int, str]]:
    number = first
    while number < end:
        begun = _EXAMPLE.match(lines[number].rstrip("\r\n"))
        number += 1
        if begun is None:
            continue
        asked, indent = [lines[number - 1]], begun[1]
        while number < end and lines[number].startswith(f"{indent}..."):
            asked.append(lines[number])
            number += 1
        at = number
        while number < end and lines[number].strip() and not _EXAMPLE.match(lines[number]):
            number += 1
        wanted = "".join(lines[at:number])
        if not wanted or _LOOSE.search(wanted) or _NOT_COMPARED.search("".join(asked)):
            continue
        closing = _END.search(lines[at])
        said = lines[at][: closing.start()] if closing else lines[at]
        if said.strip():
            yield at, _change_line(said, chooser.at(at)) + lines[at][len(said) :]


def _change_line(line: str, chooser: Chooser) -> str:
    said = line.strip()
    other = _OPPOSITES.get(said) or change_decimal(said, chooser) or change_text(said, chooser)
    return line.replace(said, other if other != said else chooser.choose_letters(8), 1)
