"""What a test file says about one of its tests: not what others of its tests say."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goalkeeper.tamper.python.names import parse_python
from goalkeeper.wire.pattern import late_pattern

_WORD = late_pattern(r"\w+")
_ALWAYS = late_pattern(r"(?i)autouse|set_?up|tear_?down")  # runs for tests that do not name it
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def read_own_text(text: str, test: str) -> str:
    """Return the text of a test in Python and all that it may use; the whole if that is unclear."""
    module = parse_python(text) if test else None
    if module is None:
        return text
    lines = text.splitlines()
    used: list[str] = []
    waiting: dict[str, str] = {}
    for name, said in _list_pieces(module, lines):
        if not name or name == test or _ALWAYS.search(said):
            used.append(said)
        elif not name.startswith("test"):
            waiting[name] = f"{waiting.get(name, '')}\n{said}"
    known = set[str]()
    for said in used:  # it grows while what it names is found
        fresh = {*_WORD.findall(said)} - known
        known |= fresh
        used += [waiting.pop(word) for word in sorted(fresh) if word in waiting]
    return "\n".join(used)


def _list_pieces(module: ast.Module, lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield functions with their names, and all other statements."""
    bodies = [module.body]
    for body in bodies:
        for node in body:
            if isinstance(node, ast.ClassDef):
                bodies.append(node.body)
                continue
            marks = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(mark.lineno for mark in marks)])
            said = "\n".join(lines[first - 1 : node.end_lineno])
            yield (node.name if isinstance(node, _FUNCTIONS) else ""), said
