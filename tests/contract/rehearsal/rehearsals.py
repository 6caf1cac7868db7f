"""Rehearsals as real processes, in a tree of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goalkeeper.wire.value import Value
from tests.doubles import MISHAPS

PROGRAM = (sys.executable, "-m", "goalkeeper.rehearsal")
MOMENT = "G001/2/impl/1"


class Played(Value):
    code: int
    out: bytes
    errors: str

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def kinds(self) -> list[str]:
        return [told["type"] for told in self.told]

    @property
    def result(self) -> dict[str, Any]:
        (result,) = (told for told in self.told if told["type"] == "result")
        return result

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [told for told in self.told if told["type"] == kind]


class House:
    """A tree to work in, and a script beside it."""

    def __init__(self, place: Path) -> None:
        self.tree = place / "tree"
        self.tree.mkdir()
        self.script = place / "script.json"

    def play(self, *acts: object, prompt: str = "") -> Played:
        return self.follow({"acts": MISHAPS, "*": list(acts)}, prompt=prompt)

    def follow(self, script: object, *, prompt: str = "", moment: str = MOMENT) -> Played:
        self.script.write_text(json.dumps(script))
        return self.start("--script", str(self.script), prompt=prompt, moment=moment)

    def start(self, *argv: str, prompt: str = "", moment: str = MOMENT) -> Played:
        ended = subprocess.run(
            [*PROGRAM, *argv],
            cwd=self.tree,
            env=environment(moment),
            input=prompt.encode(),
            capture_output=True,
            check=False,
        )
        return Played(ended.returncode, ended.stdout, ended.stderr.decode())

    def begin(self, *acts: object) -> subprocess.Popen[bytes]:
        self.script.write_text(json.dumps({"acts": MISHAPS, "*": list(acts)}))
        return subprocess.Popen(
            [*PROGRAM, "--script", str(self.script)],
            cwd=self.tree,
            env=environment(MOMENT),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )

    def git(self, *args: str) -> str:
        ran = subprocess.run(
            ["git", *args], cwd=self.tree, check=True, capture_output=True, text=True
        )
        return ran.stdout.strip()


def environment(moment: str) -> Mapping[str, str]:
    return {**os.environ, "GOALKEEPER_PHASE": moment}
