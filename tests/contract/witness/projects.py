"""A small pytest project, its contract frozen on its base, judged as often as one likes."""

import os
import time
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from bench.lean import lean_python
from goalkeeper.app.trials import Examination, Trial
from goalkeeper.config import Settings
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.contract.findings import Level
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.storage.settings import parse_settings
from goalkeeper.system.redaction import Redactor
from goalkeeper.witness.evidence import EvidenceStore
from goalkeeper.witness.folders import WitnessFolders
from goalkeeper.witness.witness import GitWitness
from tests.contract.witness.repository import Repository
from tests.prepared import prepare

BUGGY = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
TESTS = """\
from calc import add


def test_zero():
    assert add(0, 0) == 0


def test_add():
    assert add(1, 2) == 3
"""
CONFIG = "version = 1\n[witness]\nisolation = 'checkout'\n"
QUICK = "env: {PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1'}"
SUITE = f"""
criteria:
  - id: C1
    text: add adds
    check: {{pytest: tests, {QUICK}}}
"""
NEW_TESTS = f"""
criteria:
  - id: C1
    text: add adds
    check: {{pytest: tests/test_new.py, {QUICK}}}
may_change: [tests/test_new.py]
"""

_examined: dict[Hashable, Examination] = {}


class Project:
    def __init__(self, place: Path) -> None:
        self.place = place
        self.repo = Repository(place / "repo")
        self.write("calc.py", BUGGY)
        self.write("tests/test_calc.py", TESTS)
        self.write(".goalkeeper/config.toml", CONFIG)
        self.environ = {
            **os.environ,
            "PATH": f"{lean_python()}:{os.environ['PATH']}",
        }
        self.trial = Trial(Contract(), self.repo.trees().take_snapshot(), Settings())

    def write(self, path: str, text: str) -> None:
        self.repo.write(path, text)

    @property
    def witness(self) -> GitWitness:
        root = str(self.repo.root)
        cache = str(self.place / "cache")
        return GitWitness(
            WitnessFolders(root=root, worktree=root, state=cache, cache=cache, hidden=(root,)),
            self.environ,
            redactor=Redactor(self.environ),
            evidence=EvidenceStore(str(self.place / "evidence")),
            held_out=EvidenceStore(str(self.place / "held_out")),
            now=time.time,
            read_settings=parse_settings,
        )

    def freeze(self, text: str = SUITE, **options: Any) -> Examination:  # noqa: ANN401  of Trial
        """The working tree as it is becomes the base."""
        self._take_base(text, **options)
        examined = self.witness.examine_base(self.trial)
        self._keep(examined)
        return examined

    def begin(self, text: str = SUITE) -> Examination:
        """As `freeze`, but such a base is examined once in a process, whoever begins with it."""
        self._take_base(text)
        plain = {
            n: v for n, v in self.environ.items() if not n.startswith(("HOME", "PYTEST", "XDG"))
        }
        key = (text, self.trial.base.tree, *sorted(plain.items()))

        def examine() -> None:
            _examined[key] = self.witness.examine_base(self.trial)

        prepare(self.place / "evidence", key, examine)
        self._keep(_examined[key])
        return _examined[key]

    def _take_base(self, text: str, **options: Any) -> None:  # noqa: ANN401  of Trial
        contract = read_text(text)
        assert isinstance(contract, Contract), contract
        base = self.witness.take_snapshot()
        self.trial = Trial(contract, base, self.witness.settings_of(base), **options)

    def _keep(self, examined: Examination) -> None:
        evidence = tuple((judged.id, judged.evidence) for judged in examined.criteria)
        self.trial = self.trial.replace(protected=examined.digest, base_evidence=evidence)

    def prove(self, **options: Any) -> Judgement:  # noqa: ANN401  of Trial
        """The working tree as it is, against the contract."""
        return self.witness.prove_candidate(
            self.trial.replace(**options), self.witness.take_snapshot()
        )

    def judged(self, **options: Any) -> Judged:  # noqa: ANN401  of Trial
        (judged,) = self.prove(**options).criteria
        return judged

    def document(self, judged: Judged) -> dict[str, Any]:
        found = EvidenceStore(str(self.place / "evidence")).get(judged.evidence)
        assert found is not None
        return found


def rules(judgement: Judgement, level: Level | None = None) -> set[str]:
    """The rules of findings of this level; without one, of those that close the gate."""
    return {f.rule for f in judgement.findings if (f.level is level if level else f.is_open)}


def prove_work(
    project: Project, contract: str, base: dict[str, str], work: dict[str, str]
) -> Judgement:
    """Have work judged that passes."""
    for path, text in base.items():
        project.write(path, text)
    project.begin(contract)
    for path, text in work.items():
        project.write(path, text)
    judgement = project.prove()
    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    return judgement


def knows_only_the_tests_inputs(
    project: Project, contract: str, base: dict[str, str], work: dict[str, str]
) -> bool:
    """Whether this is found in work that passes."""
    return "only-the-tests-inputs" in rules(prove_work(project, contract, base, work))


def command(text: str, **more: str) -> str:
    extra = "".join(f"\n    {name}: {value}" for name, value in more.items())
    return (
        f"criteria:\n  - id: C1\n    text: it holds\n    check: {{command: [sh, -c, '{text}']}}"
        f"{extra}\n"
    )
