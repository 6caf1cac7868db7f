"""Our own gates, asked the way an agent asks them: a plan, a frozen contract, a claim of done."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.foulplay.checkout import base_tree
from bench.foulplay.corpus import Case
from bench.foulplay.edits import WorkerTree, git
from bench.foulplay.gates import CRITERIA, Gate, Ruling
from bench.foulplay.host import Host
from bench.foulplay.oracle import HELD_OUT
from bench.lean import lean_python
from goalkeeper.bootstrap import World
from goalkeeper.wire.value import Value

_SAID = 300
_AGENT = {"GOALKEEPER_AGENT": "foulplay"}
_CLAIM = ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "all tests pass")


class Referee(Value):
    """goalkeeper in a folder of its own, where plans wait for workers.

    `main` is the command line: from arguments and a world to an exit code.
    """

    folder: Path
    main: Callable[[list[str], World], int]
    lock: threading.Lock
    answers: dict[Path, tuple[int, dict[str, Any]]]  # by the folder of the case

    def gates(self) -> Mapping[str, Gate]:
        return {
            "tamper rules alone": self.tamper_rules,
            "goalkeeper": self.standard,
            "goalkeeper with held-out checks": self.held_out,
        }

    def tamper_rules(self, case: Case) -> Ruling:
        audit = ("audit", "--goal-id", "G001")
        return _ruling(*self._ask(case, case.contract_with_held_out, audit))

    def standard(self, case: Case) -> Ruling:
        """As if the held-out criterion were not there: the other criteria do not depend on it."""
        code, answer = self._claimed(case)
        facts = answer.get("error", {}).get("facts", {})
        left = [told["id"] for told in facts.get("unproven", []) if told["id"] != HELD_OUT]
        met = "unproven" in facts and not left and not facts.get("findings")
        return Ruling(accepted=True, why="accepted") if met else _ruling(code, answer)

    def held_out(self, case: Case) -> Ruling:
        return _ruling(*self._claimed(case))

    def _claimed(self, case: Case) -> tuple[int, dict[str, Any]]:
        """One proof answers for both gates."""
        if case.folder not in self.answers:
            self.answers[case.folder] = self._ask(case, case.contract_with_held_out, _CLAIM)
        return self.answers[case.folder]

    def _ask(
        self, case: Case, contract: str, command: tuple[str, ...]
    ) -> tuple[int, dict[str, Any]]:
        """The worker works where a plan is under way, then says that it is done."""
        begun = self._begun(case.subject.host, contract)
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="case-") as name:
            folder = Path(name)
            shutil.copytree(begun / "tree", folder / "tree", symlinks=True)
            self._take_over(folder, begun, case.subject.host)
            tree = WorkerTree(folder / "tree", case.subject.host)
            tree.agent.mkdir()
            case.subject.work.apply(tree)
            return self.call(folder, *command)

    def _begun(self, host: Host, contract: str) -> Path:
        """A plan whose first goal is active and whose contract is frozen; made once."""
        place = self.folder / f"{host.name}-{abs(hash(contract)):x}"
        with self.lock:
            if not (place / "ready").exists():
                self._begin(place, host, contract)
                (place / "ready").touch()
        return place

    def _begin(self, place: Path, host: Host, contract: str) -> None:
        place.mkdir()
        base_tree(host, place / "tree")
        self._must(place, "init", "--yes", "--no-try")
        git(place / "tree", "add", "--all")
        git(place / "tree", "commit", "--quiet", "--amend", "--no-edit")
        goal = (host.folder / "goal.md").read_text().replace("@goal", "goal")
        brief = f"@goal: {host.name}\n{goal}\n```contract\n{contract}```\n"
        self._must(place, "create-goals", "--gate", "standard", "--brief", brief)
        self._must(place, "complete-goals")
        if host.has_packages:
            self._must(place, "trust", "--yes", who=_human(place))
        self._must(place, "contract", "freeze", "--goal-id", "G001")

    def _must(self, folder: Path, *command: str, who: Mapping[str, str] = _AGENT) -> None:
        code, answer = self.call(folder, *command, who=who)
        if code != 0:
            raise RuntimeError(f"{command[0]} in {folder}: {answer}")

    def _take_over(self, folder: Path, begun: Path, host: Host) -> None:
        """Say, as the human would after a move, that the plan in this copy is to be used."""
        shutil.copytree(begun / "home" / ".config", folder / "home" / ".config")
        self._must(folder, "trust", "--state", "--yes", who=_human(folder))
        if host.has_packages:
            self._must(folder, "trust", "--yes", who=_human(folder))

    def call(
        self, folder: Path, *command: str, who: Mapping[str, str] = _AGENT
    ) -> tuple[int, dict[str, Any]]:
        """The command line, as an agent calls it in the folder's tree; exit code and answer."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        # A set-up is made once.
        environ = {**_environ(folder), "XDG_CACHE_HOME": str(self.folder / "cache"), **who}
        world = World(environ, str(folder / "tree"), io.BytesIO(), out, err)
        code = self.main([*command, "--json"], world)
        out.seek(0)
        told = out.read()
        return code, json.loads(told) if told.strip() else {}


def _human(folder: Path) -> Mapping[str, str]:
    key = folder / "home" / ".config" / "goalkeeper" / "approval.key"
    return {"GOALKEEPER_APPROVAL": key.read_text().strip()}


def _environ(folder: Path) -> dict[str, str]:
    path = os.pathsep.join([str(lean_python()), os.environ.get("PATH", os.defpath)])
    return {
        "PATH": path,
        "HOME": str(folder / "home"),
        "LANG": "C.UTF-8",
    }


def _ruling(code: int, answer: dict[str, Any]) -> Ruling:
    error = answer.get("error", {})
    found = [f["rule"] for f in answer.get("findings", []) if f["level"] != "advisory"]
    said = error.get("message") or ", ".join(found) or "accepted"
    facts = error.get("facts", {})
    against = [f["rule"] for f in facts.get("findings", []) if f["level"] != "advisory"]
    left = [told["id"] for told in facts.get("unproven", []) if told["id"] != HELD_OUT]
    against += [CRITERIA] if left else []
    return Ruling(code == 0, f"exit {code}: {said}"[:_SAID], tuple(dict.fromkeys(against)))
