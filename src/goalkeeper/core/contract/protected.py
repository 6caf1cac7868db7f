"""The files that decide what a check says, by their names: tests, their data, harness, CI, ours."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

from goalkeeper.core.shipped import read_tables


class Role(StrEnum):
    TEST = "test"
    DATA = "test data"
    HARNESS = "harness"
    CI = "CI"
    STATE = "goalkeeper's own"


PARTLY = ("pyproject.toml", "package.json")  # only the tools' tables of these are protected


def _read_table(name: str) -> dict[str, Any]:
    table: dict[str, Any] = read_tables(__package__, "protected.toml")[name]
    return table


@cache
def read_names(name: str) -> frozenset[str]:
    return frozenset(_read_table("names")[name].split())


@cache
def _read_pattern(name: str, table: str = "patterns") -> re.Pattern[str]:
    return re.compile("|".join(_read_table(table)[name]))


@lru_cache(maxsize=1 << 17)  # callers ask about every path of a tree many times
def role_of_path(path: str) -> Role | None:
    """Return what a path decides by its name alone; None for product code."""
    *folders, name = path.split("/")
    first = folders[0] if folders else name
    parts = {*folders, name}  # a link or a submodule may stand where a folder would
    if first == ".goalkeeper":
        return Role.STATE
    if first in read_names("ci_folders") or name in read_names("ci_files"):
        return Role.CI
    if read_names("harness_folders") & parts or _read_pattern("harness_file").fullmatch(name):
        return Role.HARNESS
    if "__pycache__" in folders or name.endswith((".pyc", ".pyo")):
        return Role.HARNESS  # Python may run it instead of the source it is named for
    if any(folder.endswith((".egg-info", ".dist-info")) for folder in folders):
        return Role.HARNESS  # runners load the plugins it names
    if read_names("data_folders") & parts or _read_pattern("snapshot_file").fullmatch(name):
        return Role.DATA
    if read_names("test_folders") & parts:
        is_code = _read_pattern("code_file").fullmatch(name)
        return Role.TEST if is_code or name in read_names("test_folders") else Role.DATA
    return Role.TEST if _read_pattern("test_file").fullmatch(name) else None


def is_test(path: str) -> bool:
    return role_of_path(path) is Role.TEST


def is_prose(path: str) -> bool:
    return bool(_read_pattern("prose_file").fullmatch(path.rsplit("/", 1)[-1]))


def is_partly(path: str) -> bool:
    return path.rsplit("/", 1)[-1] in PARTLY


def is_runner(program: str) -> bool:
    return program.rsplit("/", 1)[-1] in _read_table("runners")


def is_runner_file(path: str, program: str) -> bool:
    """Return whether `program`, as a check calls it, takes its orders from this file."""
    pattern = _read_pattern(program.rsplit("/", 1)[-1], "runners") if is_runner(program) else None
    return bool(pattern and pattern.fullmatch(path.rsplit("/", 1)[-1]))


def is_checking_name(path: str) -> bool:
    """Return whether a program that a check names is there to check, by its name."""
    return bool(_read_pattern("checking_name").search(path))


def is_launcher(program: str) -> bool:
    """Return whether a program runs a file that it is given."""
    return bool(_read_pattern("launcher").fullmatch(program.rsplit("/", 1)[-1]))
