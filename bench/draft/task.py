"""The tasks of the corpus: one TOML file each, `tasks/<language>/<name>.toml`.

    sentence = "…"            what a user would write
    [base]                    the repository: a path and a text each, tests among them
    [hidden]                  one file with tests of ours, which no examiner and no worker sees
    [correct.NAME]            at least two ways to do it; the first two are references
    [wrong.NAME]              at least three ways to miss it
    [[examiner]]              two good ones: criteria, each with its tests
    [sloppy], [over-fitted], [disagreeing]     how less good ones differ, see `examiners.py`

A solution gives only the files that it changes or makes. Where a list of pairs stands in the place
of a text, the file is that of the first correct solution with the first text of each pair changed
to its second.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from goalkeeper.wire.value import Value

FOLDER = Path(__file__).parent / "tasks"
LANGUAGES = ("python", "javascript", "shell")
COMMON = {
    "python": {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n'},
    "javascript": {"package.json": '{"type": "module", "scripts": {"test": "node --test test"}}\n'},
    "shell": {},
}

Files = Mapping[str, str]
Edits = list[list[str]]


class DraftTask(Value):
    """A sentence about a small repository, and what is known about it."""

    name: str  # python/thousands
    raw: Mapping[str, Any]

    @property
    def language(self) -> str:
        return self.name.split("/")[0]

    @property
    def sentence(self) -> str:
        return str(self.raw["sentence"])

    @cached_property
    def base(self) -> Files:
        return {**COMMON[self.language], **self.raw["base"]}

    @property
    def hidden(self) -> Files:
        return dict(self.raw["hidden"])

    @cached_property
    def correct(self) -> Mapping[str, Files]:
        return {name: self.read_solution(raw) for name, raw in self.raw["correct"].items()}

    @cached_property
    def wrong(self) -> Mapping[str, Files]:
        return {name: self.read_solution(raw) for name, raw in self.raw["wrong"].items()}

    def read_solution(self, raw: Mapping[str, str | Edits]) -> Files:
        """Return the files of a solution, with edits applied to the first correct one."""
        first = next(iter(self.raw["correct"].values()))
        return {
            path: given if isinstance(given, str) else apply_edits(first[path], given)
            for path, given in raw.items()
        }


def apply_edits(text: str, edits: Edits) -> str:
    """Change each first text, which must be there, to its second; once."""
    for old, new in edits:
        if old not in text:
            raise LookupError(f"nothing like this to change: {old!r}")
        text = text.replace(old, new, 1)
    return text


def make_check(path: str) -> dict[str, list[str]]:
    """Return the check that runs one file with tests, by the ending of its name."""
    if path.endswith(".py"):
        return {"pytest": [path]}
    if path.endswith(".js"):
        return {"tap": ["node", "--test", "--test-reporter=tap", path]}
    return {"tap": ["bash", path]} if path.endswith(".tap.sh") else {"command": ["bash", path]}


def load_tasks(only: str = "") -> list[DraftTask]:
    """Read the tasks whose name contains one of the words in `only`; all without a word."""
    names = (
        f"{language}/{path.stem}"
        for language in LANGUAGES
        for path in sorted((FOLDER / language).glob("*.toml"))
    )
    words = only.split() or [""]
    return [
        DraftTask(name, tomllib.loads((FOLDER / f"{name}.toml").read_text()))
        for name in names
        if any(word in name for word in words)
    ]
