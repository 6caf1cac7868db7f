"""Recorded sessions in the documents: run them again, so that they stay true.

In a page, a fence ```console holds commands (`$ …`, continued with a backslash) and what they
print, a fence with a language and a name (```python slug.py) is a file that is there from then
on; a fence may have more backticks than three. All fences of a page are one session in one fresh
repository; `cd` stays in force. `python -m tools.transcripts` writes the outputs anew, also of
pages that it is given.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.lean import lean_python

ROOT = Path(__file__).parent.parent
_SOMEBODY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A. Developer"), ("EMAIL", "dev@example.org"))
}
PAGES = (
    "docs/quickstart.md", "docs/plan.md", "docs/skills.md", "docs/demo.md", "docs/gate.md",
    "docs/campaigns.md",
)  # fmt: skip
FROM_REGISTRIES = ("docs/real-projects.md",)  # fetch packages; no test repeats them

FENCE = re.compile(r"^(`{3,})(console|\w+ \S+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_HIDDEN = "a test that the worker does not see"
_VARYING = (
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{4}\b"), "20261115-093012-5f2c"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+Z)?"), "2026-11-15T09:30:12"),
    (re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d\b"), "2026-11-15 09:30"),
    (re.compile(r"head [0-9a-f]{12}\b"), "head 3b1f0c9a77de"),
    (re.compile(r"HEAD is [0-9a-f]{12}\b"), "HEAD is c302d10b5357"),
    (re.compile(r"tree [0-9a-f]{12}\b"), "tree 81f702e83340"),
    (re.compile(r"\b(landed in|proving on) [0-9a-f]{7}\b"), r"\1 c302d10"),
    (re.compile(r"\b(began at|the head is) [0-9a-f]{12}\b"), r"\1 c302d10b5357"),
    (re.compile(r"\b[0-9a-f]{12} to [0-9a-f]{12}\b"), "81f702e83340 to c302d10b5357"),
    (re.compile(r"evidence/[0-9a-f]{2}/[0-9a-f]{64}"), "evidence/5e/5e0c…"),
    (re.compile(r"isolation (sandbox|checkout)"), "isolation sandbox"),
    (re.compile(r"\b\d+ min \d+ s of work"), "0 min 2 s of work"),
    # Chance says which half of a draft's tests is held out; pages show the second one.
    (
        re.compile(rf"^(C1 .*){_HIDDEN}  (.*\nC2 .*)(tests/\w+)_2(\.\w+)( +)", re.MULTILINE),
        rf"\1\3\4  \5\2{_HIDDEN}  ",
    ),
    (
        re.compile(r"^( +FAIL +C1  )(held-out: .*)(\n +FAIL +C2  )(.*)", re.MULTILINE),
        r"\1\4\3\2",
    ),
    (
        re.compile(r"(tests fail: tests\.test_separators)_2(\.Separators::)test_millions"),
        r"\1\2test_thousands",
    ),
    (
        re.compile(
            r"test_millions \(tests\.test_separators_2\.(\w+)\.test_millions\)(.*)'1,234,567'"
        ),
        r"test_thousands (tests.test_separators.\1.test_thousands)\2'1,234'",
    ),
)


def replayed(page: str) -> str:
    """The page with every output as it is today."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder).resolve())
        return FENCE.sub(lambda found: session.fence(found[1], found[2], found[3]), page)


class Session:
    def __init__(self, folder: Path) -> None:
        self._home = folder / "home"
        self._repository = self._home / "intake"
        self._repository.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", self._repository], check=True)

        self.here = self._repository

    def fence(self, marks: str, kind: str, body: str) -> str:
        if kind == "console":
            body = "".join(f"$ {command}\n{self._output(command)}" for command in _commands(body))
        else:
            file = self.here / kind.split()[1]
            file.parent.mkdir(exist_ok=True)
            file.write_text(body)
        return f"{marks}{kind}\n{body}{marks}"

    def _output(self, command: str) -> str:
        if command.startswith("cd "):
            self.here = (self.here / command[3:]).resolve()
            return ""
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.here, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, env=self.environ,
        )  # fmt: skip
        output = self.steady(done.stdout)
        return output + (f"[exit {done.returncode}]\n" if done.returncode else "")

    @property
    def environ(self) -> dict[str, str]:
        path = f"{lean_python()}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(self._home), "LANG": "C.UTF-8", **_SOMEBODY}

    def steady(self, output: str) -> str:
        """Return the output without what differs from time to time."""
        output = output.replace(str(self._home), "~")
        for pattern, steady in _VARYING:
            output = pattern.sub(steady, output)
        return output


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
