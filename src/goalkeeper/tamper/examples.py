"""Doctests stand in files of the product: these are the base's examples in the candidate's code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from textwrap import dedent

from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.source import is_python

_DOCUMENTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def list_docstrings(
    node: ast.Module | _DOCUMENTED, name: str = ""
) -> Iterator[tuple[str, ast.Constant]]:
    """Return docstrings by the names of what they are about; doctest looks into no function."""
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        yield name, first.value
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            if isinstance(child, _DOCUMENTED):
                yield from list_docstrings(child, f"{name}.{child.name}".lstrip("."))


def restore_examples(path: str, old: str, new: str) -> str | None:
    """Return the file with the docstrings of the base that have examples; None if it is the same.

    A page comes from the base as a whole. What has no docstring any more, or is gone, is missed by
    its name.
    """
    if not is_python(path):
        return old if ">>>" in old and old != new else None
    before, after = _read_docstrings(old), _read_docstrings(new)
    lines = new.splitlines(keepends=True)
    edits = [
        (after[name], said)
        for name, (_, _, said) in before.items()
        if ">>>" in said and name in after and after[name][2] != said
    ]
    for (first, end, _), said in sorted(edits, reverse=True):
        lines[first:end] = [said]
    return "".join(lines) if edits else None


def read_examples(path: str, text: str) -> dict[str, str]:
    """Return the docstrings of a module that have examples, by name, without their indent."""
    if not is_python(path) or ">>>" not in text:
        return {}
    told = {name: dedent(said) for name, (_, _, said) in _read_docstrings(text).items()}
    return {name: said for name, said in told.items() if ">>>" in said}


def _read_docstrings(text: str) -> dict[str, tuple[int, int, str]]:
    """Return whole lines that hold docstrings and nothing else, by name."""
    module = parse_python(text)
    lines = text.splitlines(keepends=True)
    found = {}
    for name, doc in list_docstrings(module) if module else ():
        first, end = doc.lineno - 1, doc.end_lineno or doc.lineno
        before = lines[first].encode()[: doc.col_offset]
        after = lines[end - 1].encode()[doc.end_col_offset or 0 :]
        if not before.strip() and not after.strip():
            found[name] = first, end, "".join(lines[first:end])
    return found
