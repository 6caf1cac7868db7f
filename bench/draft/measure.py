"""Every task with every kind of examiners: a draft by the real command, judged by the witness."""

from __future__ import annotations

import io
import json
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from bench.draft import report
from bench.draft.examiners import KINDS, REAL, Scene, make_scene
from bench.draft.report import Drafting, RatedTest
from bench.draft.task import DraftTask, Files, load_tasks
from bench.draft.validate import lay_files
from bench.foulplay.edits import git
from bench.lean import lean_python
from goalkeeper.bootstrap import World
from goalkeeper.cli.main import main
from goalkeeper.errors import UsageError
from goalkeeper.wire.value import Value

_KEY = "bench"  # the user of each place acts with it


class Place(Value):
    """A repository with a home of its own, where the real command is called."""

    folder: Path
    agent: str  # a real examiner; empty if it is scripted
    cache: Path  # many places share it, so what they declare is fetched once

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    def build(self, scene: Scene) -> None:
        self.tree.mkdir(parents=True)
        lay_files(self.tree, scene.base)
        git(self.tree, "init", "--quiet")
        git(self.tree, "add", "--all")
        git(self.tree, "commit", "--quiet", "--message", "base")
        script: dict[str, object] = {"*": [{"say": "I only wait."}]}  # this is the worker
        for number, answer in enumerate(scene.answers, 1):
            script[f"{number}/examiner"] = [{"answer": answer}]
        (self.folder / "script.json").write_text(json.dumps({"*": script}))
        key = self.folder / "config" / "goalkeeper" / "approval.key"
        key.parent.mkdir(parents=True)
        key.write_text(_KEY)

    def call(self, *words: str, as_user: bool = False) -> tuple[int, dict[str, Any]]:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        environ = self._make_environ() | ({"GOALKEEPER_APPROVAL": _KEY} if as_user else {})
        code = main([*words, "--json"], World(environ, str(self.tree), io.BytesIO(), out, err))
        out.seek(0)
        told = out.read()
        return code, json.loads(told) if told.strip() else {}

    def _make_environ(self) -> dict[str, str]:
        path = os.pathsep.join([str(lean_python()), os.environ["PATH"]])
        kept = dict(os.environ) if self.agent else {"HOME": str(self.folder), "LANG": "C.UTF-8"}
        own = {f"XDG_{x.upper()}_HOME": str(self.folder / x) for x in ("config", "state")}
        return {**kept, **own, "XDG_CACHE_HOME": str(self.cache), "PATH": path}

    def draft(self, scene: Scene) -> tuple[tuple[RatedTest, ...], dict[str, str], str]:
        """Return what became of the tests, those that a worker sees, and why there is no draft."""
        worker = ("--agent", "rehearsal", "--script", str(self.folder / "script.json"))
        given = (scene.sentence, *worker, *(("--examiner", self.agent) if self.agent else ()))
        code, said = self.call("draft", *given)
        if code:
            error = said["error"]
            first = scene.answers[0] if scene.answers else {"criteria": ()}
            own = sum(len(each["tests"]) for each in first["criteria"])
            rules = enumerate(error.get("facts", {}).get("rules", ()))
            tests = (RatedTest(1 + (n >= own), "dropped", rule) for n, (_, rule) in rules)
            return tuple(tests), {}, error["code"]
        [drafted] = said["drafts"]
        rated = tuple(
            RatedTest(t["examiner"], t["standing"], t.get("rule", ""))
            for t in drafted["draft"]["tests"]
        )
        if all(test.standing != "binding" for test in rated):
            return rated, {}, "nothing is binding"
        _, said = self.call("run", *given, "--accept-draft", "--max-iterations", "1")
        refused = said.get("error", {}).get("code", "")
        return rated, json.loads(drafted["draft"]["contract"]).get("tests", {}), refused

    def judge(self, solution: Files, visible: Files) -> str:
        """Judge a solution beside the tests that its worker would have seen; say why it fails."""
        git(self.tree, "checkout", "--quiet", "--force", ".")
        lay_files(self.tree, visible, solution)
        code, said = self.call("judge", "--goal-id", "G001", as_user=True)
        if code not in (0, 1) or "criteria" not in said:
            raise RuntimeError(f"{self.folder}: {said}")
        red = [each["id"] for each in said["criteria"] if each["verdict"] != "passed"]
        found = {each["rule"] for each in said.get("findings", []) if each["level"] != "advisory"}
        return ", ".join([*red, *sorted(found)] or ["refused"]) if code else ""


def measure_scene(task: DraftTask, kind: str, cache: Path, agent: str = "") -> Drafting | None:
    """Draft, accept, and judge all solutions; None if the task has nothing for the kind."""
    scene = make_scene(task, kind)
    if scene is None:
        return None
    with tempfile.TemporaryDirectory(prefix="draft-") as name:
        place = Place(Path(name), agent, cache)
        place.build(scene)
        tests, visible, refused = place.draft(scene)
        if refused:
            return Drafting(task.name, kind, tests, refused)
        correct = {name: place.judge(files, visible) for name, files in scene.correct.items()}
        wrong = {name: place.judge(files, visible) for name, files in scene.wrong.items()}
    return Drafting(
        task.name, kind, tests, "", len(correct), len(wrong),
        tuple(f"{name} ({why})" for name, why in correct.items() if why),
        tuple(name for name, why in wrong.items() if not why),
    )  # fmt: skip


def measure(
    *, only: str = "", kinds: str = "", agent: str = "", jobs: int = 2
) -> tuple[dict[str, Any], str]:
    """Return the figures as data and as a page; `only` and `kinds` have words to choose by."""
    named = [REAL] if agent else kinds.split() or [*KINDS]
    tasks = load_tasks(only)
    if not tasks or not {REAL, *KINDS}.issuperset(named):
        problem = "no task or no kind of examiners has such a name"
        raise UsageError(problem=problem, hint=f"kinds: {', '.join(KINDS)}")
    with tempfile.TemporaryDirectory(prefix="draft-") as name, ProcessPoolExecutor(jobs) as pool:
        chosen = [(task, kind) for kind in named for task in tasks]
        waiting = [
            pool.submit(measure_scene, task, kind, Path(name), agent) for task, kind in chosen
        ]
        return report.write_report([found for each in waiting if (found := each.result())])
