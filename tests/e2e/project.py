"""A small repository with something to prove, and the steps of those who work in it."""

import json
import os
from collections.abc import Hashable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.lean import lean_python
from tests.e2e.world import COMMAND, PLAIN_PATH, Answer, Env, Word, World

Files = Mapping[str, str | bytes | None]  # None: gone
Contract = Mapping[str, Any]

PATH = f"{lean_python()}:{COMMAND.parent}:{PLAIN_PATH}"
BROKEN: Files = {"product.txt": "broken\n", "notes.txt": "nothing yet\n"}
MENDED: Files = {"product.txt": "fixed\n"}
IS_FIXED = {"command": ["grep", "-q", "fixed", "product.txt"]}

# A package with one test that fails and one that holds, for what only a real runner shows.
SUM_TEST = "from total import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
SUITE: Files = {
    "total.py": "def total(items):\n    return 0\n",
    "tests/test_total.py": SUM_TEST,
    "tests/test_other.py": "def test_other():\n    assert 1 + 1 == 2\n",
    "tests/conftest.py": "import sys\nsys.path.insert(0, '.')\n",
}
RIGHT = "def total(items):\n    return sum(items)\n"
# What the first test asks, where it is not the point who asks: pytest takes half a second.
_ASKING = "from total import total\ndef ask():\n    assert total([1, 2]) == 3\nask()\n"
ADDS = {"command": ["python3", "-c", _ASKING]}


def criterion(name: str, check: Mapping[str, Any], **more: object) -> dict[str, Any]:
    return {"id": name, "text": f"{name} holds", "check": check, **more}


def contract(*criteria: Mapping[str, Any], **more: object) -> Contract:
    return {"criteria": list(criteria or [criterion("C1", IS_FIXED)]), **more}


def story(title: str, given: Contract | None) -> str:
    """A goal of a brief; JSON is YAML, too."""
    fenced = f"\n```contract\n{json.dumps(given)}\n```\n" if given else ""
    return f"@goal: {title}\nSee to it that {title.lower()}.\n{fenced}"


class Project(World):
    def __init__(self, place: Path, files: Files = BROKEN, *key: Hashable) -> None:
        self.files = files
        super().__init__(place, key=(*sorted(files.items()), *key))

    def build(self) -> None:
        super().build()
        self.write(self.files)
        self.commit("base")

    def environ(self, more: Env | None = None) -> dict[str, str | bytes]:
        return super().environ({"PATH": PATH, **(more or {})})

    def write(self, files: Files) -> None:
        for name, content in files.items():
            path = self.root / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").strip()

    def begin(self, *contracts: Contract | None, env: Env | None = None) -> "Project":
        """A plan with a goal for each contract, the first one active."""
        stories = [story(f"Part {n}", given) for n, given in enumerate(contracts, 1)]
        self.plan("\n".join(stories), env=env)
        self.start()
        return self

    def judge(self, *more: Word, env: Env | None = None) -> Any:  # noqa: ANN401  JSON
        """The judgement, which agrees with its exit code."""
        answer = self.run("judge", *more, "--json", env=env)
        assert answer.code == (0 if answer.json["ok"] else 1), answer
        assert "error" not in answer.json, answer
        return answer.json

    def check(self, *more: Word, goal: str = "G001", env: Env | None = None) -> Answer:
        return self.run("contract", "check", "--goal-id", goal, *more, "--json", env=env)

    def complete(self, goal: str = "G001", env: Env | None = None) -> Answer:
        words = ("--status", "complete", "--evidence", "it is done")
        return self.run("checkpoint", "--goal-id", goal, *words, "--json", env=env)

    def human(self) -> dict[str, str]:
        """What a human sets who acts without a terminal: the key that init made."""
        key = self.home / ".config/goalkeeper/approval.key"
        if not key.exists():
            elsewhere = self.home.parent / "elsewhere"
            elsewhere.mkdir(exist_ok=True)
            self.ok("init", "--yes", cwd=elsewhere)
        return {"GOALKEEPER_APPROVAL": key.read_text().strip()}

    def evidence(self, digest: str) -> Any:  # noqa: ANN401  JSON
        (found,) = self.state.glob(f"runs/*/evidence/*/{digest}.json")
        return json.loads(found.read_bytes())

    def ledger(self) -> bytes:
        (path,) = self.state.glob("runs/*/ledger.jsonl")
        return path.read_bytes()


def status_of(judged: Any) -> dict[str, str]:  # noqa: ANN401  JSON
    return {each["id"]: each["status"] for each in judged["criteria"]}


def verdicts(judged: Any) -> dict[str, str]:  # noqa: ANN401  JSON
    return {each["id"]: each["verdict"] for each in judged["criteria"]}


def rules(judged: Any) -> set[tuple[str, str]]:  # noqa: ANN401  JSON
    return {(each["rule"], each["path"]) for each in judged["findings"]}


def belongings(place: Path) -> dict[str, str]:
    """All that is the user's, git's own files included: contents, modes, times.

    But for the times of objects, which git renews when it would have written one again.
    """
    return {
        path.relative_to(place).as_posix(): _print_of(path)
        for path in sorted(place.rglob("*"))
        if ".goalkeeper" not in path.relative_to(place).parts
    }


def _print_of(path: Path) -> str:
    stat = path.lstat()
    if path.is_symlink():
        return f"link {os.readlink(path)}"
    if path.is_dir():
        return f"folder {stat.st_mode:o}"
    time = "" if "objects" in path.parts else stat.st_mtime_ns
    return f"{stat.st_mode:o} {time} {sha256(path.read_bytes()).hexdigest()}"
