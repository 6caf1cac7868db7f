"""There is one reader of tests for each language."""

from __future__ import annotations

from goalkeeper.tamper.javascript.tests import read_script_tests
from goalkeeper.tamper.lines import read_line_tests
from goalkeeper.tamper.python.tests import read_python_tests
from goalkeeper.tamper.shell import read_shell_tests
from goalkeeper.tamper.source import (
    Tree,
    has_shell_bang,
    is_other_code,
    is_python,
    is_script,
    is_shell,
)
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.testing import TestFile


def read_tests(source: Source, tree: Tree | None) -> TestFile | None:
    """Read the tests of a file; return None if it cannot be parsed.

    `tree` gives the helpers that the file imports. Without it only names and fingerprints are read.
    """
    try:
        if is_python(source.path):
            return read_python_tests(source, tree)
        if is_script(source.path):
            return read_script_tests(source, tree)
        if is_shell(source) or has_shell_bang(source):
            return read_shell_tests(source)
    except RecursionError:
        return None
    return read_line_tests(source) if is_other_code(source.path) else TestFile()
