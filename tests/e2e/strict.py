"""A product that can be shown, a plan with the strict gate, and lanes that look at it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.doubles import MISHAPS
from tests.e2e.drives import Act, Acts, Driven, End, Script
from tests.e2e.project import BROKEN, MENDED, Files, contract, story
from tests.e2e.receipts import CHECKOUT
from tests.e2e.world import COMMAND, Answer, Word
from tests.unit.core.lane_answers import ARCHITECT, CLEANER, CRITIC, qa, replay

PRODUCT: Files = {**BROKEN, "show.sh": "cat product.txt\n"}


def answer(given: object) -> Act:
    return {"answer": given}


def shows(prints: str = "fixed\n", about: str = "C1") -> dict[str, Any]:
    """What QA answers when the product prints that, whatever it is called with."""
    shown, tried = (
        replay("sh", "show.sh", prints=prints),
        replay("sh", "show.sh", "x", prints=prints),
    )
    return qa(shown, tried, about)


def lanes(prints: str = "fixed\n") -> dict[str, Acts]:
    """All that look have nothing to say against it."""
    return {
        "*/cleaner": [answer(CLEANER)],
        "*/architect": [answer(ARCHITECT)],
        "*/qa": [answer(shows(prints))],
        "*/critic": [answer(CRITIC)],
    }


def objection(what: str) -> dict[str, Any]:
    """The architect's."""
    said = {"codeStatus": "BLOCK", "recommendation": "REQUEST CHANGES", "blockers": [what]}
    return {**ARCHITECT, **said}


def objects(what: str) -> Act:
    return answer(objection(what))


class Strict(Driven):
    gate = "strict"

    def __init__(self, place: Path, files: Files = PRODUCT) -> None:
        super().__init__(place, files)
        self.ok("init", "--yes")
        self.write(CHECKOUT)
        self.commit("goalkeeper")

    def worked(self) -> "Strict":
        """A plan of one goal whose work is done, and nobody has looked at it."""
        self.ok("create-goals", "--gate", "strict", "--brief", story("Part 1", contract()))
        self.start()
        self.write(MENDED)
        self.ok("contract", "freeze", "--goal-id", "G001")
        return self

    def look(self, script: Script | Acts, *more: Word, goal: str = "G001") -> Answer:
        """By lanes, outside of a drive. A list is for all of them."""
        return self.run(*self.looking_words(script, *more, goal=goal))

    def looking(self, script: Script | Acts) -> "subprocess.Popen[bytes]":
        """Lanes that are under way."""
        argv, pipe = [COMMAND, *self.looking_words(script)], subprocess.PIPE
        return subprocess.Popen(
            argv,
            cwd=self.root,
            env=self.environ(),
            stdout=pipe,
            stderr=pipe,
            stdin=subprocess.DEVNULL,
        )

    def looking_words(
        self, script: Script | Acts, *more: Word, goal: str = "G001"
    ) -> tuple[Word, ...]:
        whole = script if isinstance(script, dict) else {"*": script}
        self.script.write_text(json.dumps({"acts": MISHAPS, **whole}))
        words = ("lanes", "run", "--goal-id", goal, "--script", str(self.script))
        return (*words, *more, "--json")

    def without_sandbox(self, *words: Word) -> Answer:
        """On a machine without bubblewrap, which bubblewrap makes of this one."""
        hidden = shutil.which("bwrap") or "bwrap"
        wall = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", hidden, COMMAND)
        done = subprocess.run(
            [*wall, *words], cwd=self.root, env=self.environ(), capture_output=True, check=False
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def drive_without_sandbox(self, script: Script, *more: str) -> End:
        return End(*self.without_sandbox(*self.words(script, *more)))

    def worktrees(self) -> list[str]:
        """As git lists them, the user's own left out."""
        listed = self.git("worktree", "list", "--porcelain").splitlines()
        return [line.split(" ", 1)[1] for line in listed if line.startswith("worktree ")][1:]

    def reported(self) -> list[tuple[str, str]]:
        return [(each["lane"]["role"], each["lane"]["word"]) for each in self.data("lane_reported")]

    def validated(self) -> list[str]:
        """What is in the way of the gate, by code."""
        answer = self.run("quality-gate", "validate", "--goal-id", "G001", "--json")
        assert answer.code == (1 if answer.json["diagnostics"] else 0), answer
        return [each["code"] for each in answer.json["diagnostics"]]


def said(looked: Answer) -> dict[str, str]:
    """What each lane says now, by role."""
    return {lane["role"]: lane["word"] for lane in looked.json["lanes"]}


def why(looked: Answer) -> str:
    """What the last lane objects to."""
    return "; ".join(looked.json["lanes"][-1]["objections"])
