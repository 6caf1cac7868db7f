"""Recorded sessions in the documents: run them again, so that they stay true.

In a page, a fence ```console holds commands (`$ …`, continued with a backslash) and what they
print, a fence with a language and a name (```python slug.py) is a file that is there from then
on; a fence may have more backticks than three. All fences of a page are one session in one fresh
repository; `cd` stays in force. `python tools/transcripts.py` writes the outputs anew, also of
pages that it is given.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
_SOMEBODY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A. Developer"), ("EMAIL", "dev@example.org"))
}
PAGES = ("README.md", "docs/quickstart.md", "docs/gate.md", "docs/skills.md")
FROM_REGISTRIES = ("docs/real-projects.md",)  # fetch packages; no test repeats them

_FENCE = re.compile(r"^(`{3,})(console|\w+ \S+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_VARYING = (
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{4}\b"), "20261115-093012-5f2c"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+Z)?"), "2026-11-15T09:30:12"),
    (re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d\b"), "2026-11-15 09:30"),
    (re.compile(r"head [0-9a-f]{12}\b"), "head 3b1f0c9a77de"),
    (re.compile(r"tree [0-9a-f]{12}\b"), "tree 81f702e83340"),
    (re.compile(r"\b[0-9a-f]{12} to [0-9a-f]{12}\b"), "81f702e83340 to c302d10b5357"),
    (re.compile(r"evidence/[0-9a-f]{2}/[0-9a-f]{64}"), "evidence/5e/5e0c…"),
    (re.compile(r"isolation (sandbox|checkout)"), "isolation sandbox"),
    (re.compile(r"\b\d+ min \d+ s of work"), "0 min 2 s of work"),
)


def replayed(page: str) -> str:
    """The page with every output as it is today."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder).resolve())
        return _FENCE.sub(lambda found: session.fence(found[1], found[2], found[3]), page)


class Session:
    def __init__(self, folder: Path) -> None:
        self._home = folder / "home"
        self._repository = self._home / "intake"
        self._repository.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", self._repository], check=True)

        self._here = self._repository

    def fence(self, marks: str, kind: str, body: str) -> str:
        if kind == "console":
            body = "".join(f"$ {command}\n{self._output(command)}" for command in _commands(body))
        else:
            file = self._here / kind.split()[1]
            file.parent.mkdir(exist_ok=True)
            file.write_text(body)
        return f"{marks}{kind}\n{body}{marks}"

    def _output(self, command: str) -> str:
        if command.startswith("cd "):
            self._here = (self._here / command[3:]).resolve()
            return ""
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", command], cwd=self._here, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env={"PATH": path, "HOME": str(self._home), "LANG": "C.UTF-8", **_SOMEBODY},
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
    for name in sys.argv[1:] or PAGES:
        page = ROOT / name
        page.write_text(replayed(page.read_text()))
