"""Work that is there already, on a branch of its own, and what is handed in about it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.project import Files, Project, belongings, contract, criterion
from tests.e2e.world import Answer, Env, Word

BEFORE: Files = {"greet.sh": "echo hello\n", "notes.txt": "nothing yet\n"}
AFTER: Files = {"greet.sh": 'echo "hello $1"\n'}
GREETS = {"command": ["sh", "greet.sh", "Ada"], "stdout": "^hello Ada$"}
IS_SHELL = {"command": ["sh", "-n", "greet.sh"]}
ASKED = contract(criterion("C1", GREETS))

Document = dict[str, Any]


def replayed(name: str, *words: str, prints: str) -> Document:
    record = {
        "schemaVersion": 1, "kind": "cli-replay", "replaySafe": True,
        "command": ["sh", "greet.sh", *words], "recordedStdout": prints,
    }  # fmt: skip
    return {"id": name, "kind": "command-replay", "description": "it is run", "replay": record}


def report(about: str = "C1") -> Document:
    """What somebody hands in who tried to break it, and could not."""
    return {
        "status": "passed", "e2eStatus": "passed", "redTeamStatus": "passed",
        "evidence": "it was run with names, without one, and with odd ones",
        "e2eCommands": ["sh greet.sh Ada"], "redTeamCommands": ["sh greet.sh"],
        "artifactRefs": [
            replayed("named", "Ada", prints="hello Ada\n"),
            replayed("odd", "$(id)", prints="hello $(id)\n"),
        ],
        "contractCoverage": [
            {"id": "cover", "contractRef": about, "obligation": "it names whom it greets",
             "status": "covered", "surfaceEvidenceRefs": ["cli"], "adversarialCaseRefs": ["case"]},
        ],
        "surfaceEvidence": [
            {"id": "cli", "contractRef": about, "surface": "cli", "verdict": "passed",
             "invocation": "sh greet.sh Ada", "artifactRefs": ["named"]},
        ],
        "adversarialCases": [
            {"id": "case", "contractRef": about, "scenario": "a name that a shell would run",
             "expectedBehavior": "it is printed", "verdict": "passed", "artifactRefs": ["odd"]},
        ],
        "blockers": [],
    }  # fmt: skip


def changed(change: Callable[[Document], object], about: str = "C1") -> Document:
    document = report(about)
    change(document)
    return document


class Submitted(Project):
    """A repository on branch `work`, one commit from `main`; specs and reports lie beside it."""

    def __init__(self, place: Path, before: Files = BEFORE, after: Files = AFTER) -> None:
        self.after = after
        super().__init__(place, before, *sorted(after.items()))

    def build(self) -> None:
        super().build()
        self.git("checkout", "--quiet", "-b", "work")
        self.write(self.after)
        self.commit("work")

    def beside(self, name: str, content: str) -> Path:
        path = self.home.parent / name
        path.write_text(content)
        return path

    def spec(self, given: object = ASKED) -> Path:
        return self.beside("spec.yaml", given if isinstance(given, str) else json.dumps(given))

    def review(self, *words: Word, qa: Document | None = None, env: Env | None = None) -> Answer:
        """As a human, who may hand in files from anywhere; by the strict gate if none is named."""
        handed: tuple[Word, ...] = ()
        if qa is not None:
            handed = ("--executor-qa-json", self.beside("qa.json", json.dumps(qa)))
        human = {**self.human(), **(env or {})}
        gate = () if "--gate" in words else ("--gate", "strict")
        return self.run("review", *gate, *words, *handed, "--json", env=human)

    def said(self, *words: Word, qa: Document | None = None, env: Env | None = None) -> Any:  # noqa: ANN401  JSON
        """The verdict's document, which agrees with its exit code."""
        answer = self.review(*words, qa=qa, env=env)
        assert answer.code == (0 if answer.json["ok"] else 1), answer
        assert answer.json["ok"] is (answer.json["verdict"] == "pass"), answer
        assert answer.err == "", answer
        return answer.json

    def everything(self) -> dict[str, str]:
        """All of the repository: files, git's own, refs, goalkeeper's state."""
        refs = self.git("for-each-ref")
        return {**belongings(self.root), **self.bytes_of_state(), "refs": refs}


def codes(said: Any) -> list[tuple[str, str]]:  # noqa: ANN401  JSON
    return [(found["path"], found["code"]) for found in said["findings"]]
