"""Plans and workers by chance: when `run` exits 0, every criterion holds on what has landed."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.fault.drives import RUN, Driven

FILES = ("a.txt", "b.txt", "c.txt", "sub/d.txt", "sub/e.txt")
WORDS = ("one", "two", "three")
MOST_GOALS = 8
Act = dict[str, Any]


class RandomPlan:
    """A plan whose goals may need each other's files, and workers that may do anything."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._words = {file: chance.choice(WORDS) for file in FILES}
        count = chance.randint(2, MOST_GOALS)
        self.checks = {f"G{n:03d}": self._make_checks() for n in range(1, count + 1)}

    def _make_checks(self) -> list[str]:
        return [self._make_check() for _ in range(self._chance.randint(1, 3))]

    def _make_check(self) -> str:
        """A shell line; some open the file, others only look whether and how it is there."""
        file = self._chance.choice(FILES)
        agrees = self._chance.random() < 0.95  # else two goals may want what cannot be
        word = self._words[file] if agrees else self._chance.choice(WORDS)
        return self._chance.choice(
            [
                f"grep -qx {word} {file}",
                f'test "$(cat {file})" = {word}',
                f"test -s {file}",
                f'test "$(stat -c %s {file})" -gt 2',
                f'test "$(ls sub | wc -l)" -ge {self._chance.randint(1, 2)}',
                f"cat sub/*.txt {file} | grep -q {word}",
            ]
        )

    @property
    def brief(self) -> str:
        return "\n".join(self._tell(goal, lines) for goal, lines in self.checks.items())

    def _tell(self, goal: str, lines: Sequence[str]) -> str:
        criteria = [
            {"id": f"C{n}", "text": line, "check": {"shell": line}} for n, line in enumerate(lines)
        ]
        fence = json.dumps({"criteria": criteria})
        return f"@goal: Part {goal}\nDo it.\n```contract\n{fence}\n```\n"

    @property
    def story(self) -> dict[str, Any]:
        return {goal: {str(n): self._work(goal) for n in range(1, 6)} for goal in self.checks}

    def _work(self, goal: str) -> list[Act]:
        acts = [act for line in self.checks[goal] for act in self._mend(line)]
        if self._chance.random() < 0.5:
            acts.append(self._meddle())
        if self._chance.random() < 0.2:
            acts = acts[: len(acts) // 2]  # it stops early
        self._chance.shuffle(acts)
        return [*acts, {"say": "All done."}]

    def _mend(self, line: str) -> list[Act]:
        file = next((name for name in FILES if name in line), "sub/d.txt")
        word = next((word for word in WORDS if f" {word}" in line), self._words[file])
        made = {file: word}
        if "ls sub" in line:
            made = {name: self._words[name] for name in FILES if name.startswith("sub/")}
        return [{"write": {"path": name, "text": f"{text}\n"}} for name, text in made.items()]

    def _meddle(self) -> Act:
        file = self._chance.choice(FILES)
        shell = self._chance.choice(
            [
                f"rm -f {file}", f": > {file}", f"chmod +x {file}",
                f"mkdir -p sub; echo x > {file}",
                f"rm -f {file}; mkdir -p sub; ln -s /dev/null {file}", "rm -rf sub",
                "for f in .goalkeeper/runs/*/goals.json; do echo '{}' > $f; done",
                "goalkeeper state clear --force --mode ultragoal", "git commit -qam mine",
            ]
        )  # fmt: skip
        return {"run": {"argv": ["sh", "-c", f"{shell} || true"]}}


def test_when_a_run_is_done_everything_holds_on_what_has_landed(
    tmp_path: Path, rounds: int, record_property: Callable[[str, object], None]
) -> None:
    seed, done = random.SystemRandom().randrange(2**32), 0
    for number in range(max(1, rounds // 2)):
        chance = random.Random(seed + number)
        plan = RandomPlan(chance)
        driven = Driven(tmp_path / str(number), brief=plan.brief, story=plan.story)
        for _ in range(chance.choice((0, 0, 1, 2))):
            driven.kill_after(chance.uniform(0.1, 2))
        end = driven.call(*RUN)
        if not end["ok"]:
            continue
        done += 1
        driven.call("land")
        for goal, lines in plan.checks.items():
            for line in lines:
                said = f"seed {seed + number}: {goal} {line}"
                assert (
                    subprocess.run(["bash", "-c", line], cwd=driven.root, check=False).returncode
                    == 0
                ), said
    record_property("done", done)
    assert done or rounds < MOST_GOALS, f"seed {seed}: no plan at all was done"
