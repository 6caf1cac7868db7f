"""The two sides of a change as text, and the kind of the file."""

from __future__ import annotations

from collections.abc import Callable

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.protected import (
    Role,
    is_checking_name,
    is_partly,
    is_runner_file,
    role_of_path,
)
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.tamper.words import read_pattern
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

MOST_BYTES = 1_000_000
LINK = "120000"
SUBMODULE = "160000"

Tree = Callable[[str], bytes | None]

_PYTHON = late_pattern(r".*\.pyi?w?")
_SCRIPT = late_pattern(r".*\.[cm]?[jt]sx?")
_SHELL = late_pattern(r".*\.(sh|bash|bats|ksh|zsh)")
_SHELL_BANG = late_pattern(r"#!.*\b(ba|da|k|z)?sh\b")
_OTHER_CODE = late_pattern(r".*\.(go|rb|java|kt|kts|rs|c|cc|cpp|h|hpp|cs|lua|pl|t|php|swift|scala)")


class ChangedFile(Value):
    """A change, of which both sides were read. A side that is no plain, small file is None."""

    change: FileChange
    old: Source | None
    new: Source | None

    @property
    def path(self) -> str:
        return self.change.path


def read_pair(change: FileChange) -> ChangedFile:
    return ChangedFile(
        change,
        _read_side(change.old_path or change.path, change.old, change.old_mode),
        _read_side(change.path, change.new, change.new_mode),
    )


def _read_side(path: str, data: bytes | None, mode: str) -> Source | None:
    if data is None or mode in {LINK, SUBMODULE} or len(data) > MOST_BYTES:
        return None
    return Source(path, text_of(data))


def base_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def folder(path: str) -> str:
    return path.rpartition("/")[0]


def is_python(path: str) -> bool:
    return bool(_PYTHON.fullmatch(base_name(path)))


def is_script(path: str) -> bool:
    return bool(_SCRIPT.fullmatch(base_name(path)))


def is_shell(source: Source) -> bool:
    name = base_name(source.path)
    return bool(_SHELL.fullmatch(name)) or ("." not in name and has_shell_bang(source))


def has_shell_bang(source: Source) -> bool:
    return bool(_SHELL_BANG.match(source.text))


def is_other_code(path: str) -> bool:
    return bool(_OTHER_CODE.fullmatch(base_name(path)))


def is_code(source: Source) -> bool:
    path = source.path
    return is_python(path) or is_script(path) or is_other_code(path) or is_shell(source)


def is_product(path: str) -> bool:
    is_setting = is_partly(path) or read_pattern("build-config").fullmatch(base_name(path))
    return role_of_path(path) is None and not is_setting


def is_test_code(path: str) -> bool:
    return role_of_path(path) is Role.TEST or base_name(path) == "conftest.py"


def find_facts(source: Source) -> frozenset[str]:
    """Return facts about a file, which patterns of the catalogue may ask for under `where`."""
    is_of_tests = is_test_code(source.path)
    known = {
        "product": is_product(source.path),
        "no-role": role_of_path(source.path) is None,
        "not-state": role_of_path(source.path) is not Role.STATE,
        "tests": is_of_tests,
        "not-tests": not is_of_tests,
        "checks": is_of_tests or is_checking_name(source.path),
        "make": is_runner_file(source.path, "make") or is_runner_file(source.path, "just"),
    }
    return frozenset(name for name, holds in known.items() if holds)
