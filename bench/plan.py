"""What it costs that a plan holds as a whole: twenty goals beside one goal, twenty times."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from bench.timing import table

GOALS, CRITERIA = 20, 5
_CHECK = "import sys, time; time.sleep(0.05); sys.exit('done' not in open(sys.argv[1]).read())"


class PlanProject:
    """A repository in which each goal has two files of its own, and five checks read them."""

    def __init__(self, place: Path, goalkeeper: str, goals: int) -> None:
        self.root, self.home = place / "repository", place / "home"
        self.goalkeeper = goalkeeper
        self.home.mkdir(parents=True)
        for number in range(1, GOALS + 1):
            for name in ("code", "more"):
                file = self._file(number, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("open\n")
        for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "-m", "base")):
            who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
            subprocess.run(["git", *who, *words], cwd=self.root, check=True, capture_output=True)
        brief = "\n".join(self._story(number) for number in range(1, goals + 1))
        self.call("create-goals", "--gate", "standard", "--brief", brief)
        self.call("complete-goals")

    def _file(self, number: int, name: str) -> Path:
        return self.root / f"src/{name}{number}.txt"

    def _story(self, number: int) -> str:
        lines = ["criteria:"]
        for each in range(CRITERIA):
            name = ("code", "more")[each % 2]
            argv = json.dumps(["python3", "-ISc", _CHECK, f"src/{name}{number}.txt"])
            lines.append(f"  - {{id: C{each + 1}, text: t, check: {{command: {argv}}}}}")
        fence = "\n".join(lines)
        return f"@goal: Part {number}\nDo it.\n```contract\n{fence}\n```\n"

    def work(self, number: int) -> None:
        for name in ("code", "more"):
            self._file(number, name).write_text("done\n")

    def call(self, *words: str) -> float:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8"}
        start = time.perf_counter()
        done = subprocess.run(
            [self.goalkeeper, *words, "--json"], cwd=self.root, env=env, capture_output=True,
            check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{words}: {done.stdout.decode()} {done.stderr.decode()}")
        return time.perf_counter() - start

    def prove(self, number: int) -> tuple[float, float]:
        """The seconds of a judgement of the goal, and of its completion."""
        self.work(number)
        goal = ("--goal-id", f"G{number:03d}")
        self.call("contract", "freeze", *goal)
        judged = self.call("judge", *goal, "--no-cache")
        done = self.call("checkpoint", *goal, "--status", "complete", "--evidence", "it is done")
        return judged, done


def whole_plan(work: Path, goalkeeper: str) -> str:
    plan = PlanProject(work / "plan", goalkeeper, GOALS)
    whole = [plan.prove(number) for number in range(1, GOALS + 1)]
    alone = [PlanProject(work / f"alone{number}", goalkeeper, 1).prove(1) for number in range(1, 4)]
    judged, completed = (sum(each[n] for each in whole) for n in (0, 1))
    of_one = [GOALS * sum(each[n] for each in alone) / len(alone) for n in (0, 1)]
    first, last = whole[0][1], whole[-1][1]
    rows = [
        [
            "judge, all goals",
            f"{judged:.2f}",
            f"{judged / of_one[0]:.2f}× of goals alone, limit 1.6×",
        ],
        ["complete, all goals", f"{completed:.2f}", f"{completed / of_one[1]:.2f}× of goals alone"],
        ["complete, the first goal", f"{first:.2f}", "1.00×"],
        [f"complete, goal {GOALS}", f"{last:.2f}", f"{last / first:.2f}×, limit 2×"],
    ]
    return table([f"{GOALS} goals of {CRITERIA} criteria", "seconds", ""], rows)
