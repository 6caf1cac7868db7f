"""Recorded sessions in the documents: run them again, so that they stay true.

In a page, a fence ```console holds commands (`$ …`, continued with a backslash) and what they
print, a fence ```markdown NAME is a file that is there from then on. All fences of a page are
one session in one fresh repository. `python tools/transcripts.py` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/quickstart.md")

_FENCE = re.compile(r"^```(console|markdown \S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VARYING = (
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{4}\b"), "20261115-093012-5f2c"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+Z)?"), "2026-11-15T09:30:12"),
    (re.compile(r"head [0-9a-f]{12}\b"), "head 3b1f0c9a77de"),
)


def replayed(page: str) -> str:
    """The page with every output as it is today."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder).resolve())
        return _FENCE.sub(lambda found: session.fence(found[1], found[2]), page)


class Session:
    def __init__(self, folder: Path) -> None:
        self._home = folder / "home"
        self._repository = self._home / "intake"
        self._repository.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", self._repository], check=True)

    def fence(self, kind: str, body: str) -> str:
        if kind == "console":
            body = "".join(f"$ {command}\n{self._output(command)}" for command in _commands(body))
        else:
            (self._repository / kind.split()[1]).write_text(body)
        return f"```{kind}\n{body}```"

    def _output(self, command: str) -> str:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", command], cwd=self._repository, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env={"PATH": path, "HOME": str(self._home), "LANG": "C.UTF-8"},
        )  # fmt: skip
        output = done.stdout.replace(str(self._home), "~")
        for pattern, steady in _VARYING:
            output = pattern.sub(steady, output)
        return output + (f"[exit {done.returncode}]\n" if done.returncode else "")


def _commands(body: str) -> list[str]:
    found: list[str] = []
    for line in body.splitlines():
        if found and found[-1].endswith("\\"):
            found[-1] += "\n" + line
        elif line.startswith("$ "):
            found.append(line[2:])
    return found


if __name__ == "__main__":
    for name in PAGES:
        page = ROOT / name
        page.write_text(replayed(page.read_text()))
