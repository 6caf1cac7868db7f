"""Real Claude Code follows each skill from the user's one sentence to a proven end.

The model's script does the work, and beyond that only what stands in the skill it has read.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.clients.install.parts import read_skill
from tests.e2e.hold_desk import PROVEN, Desk, Ran, Turn, adding
from tests.e2e.project import contract, criterion, story
from tests.e2e.real_clients import CLIENTS
from tests.e2e.skills import CACHE, GREETER, GREETING, files_of, find_line
from tests.e2e.world import COMMAND
from tests.scripted_model.server import Models, serving

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with serving() as models:
        yield models


class Student(Desk):
    """Claude Code as its user has it, with a model that does what skills say."""

    def __init__(self, place: Path, models: Models) -> None:
        super().__init__(place, "claude", models)
        self.environ["PATH"] += f":{COMMAND.parent}"
        for name, text in GREETER.items():
            self._write(name, str(text))
        self._git("add", "-A")
        self._git("commit", "-q", "-m", "a greeter")

    def asks(self, prompt: str, *turns: Turn, rules: Sequence[Mapping[str, object]] = ()) -> Ran:
        self.says(*turns, "That is all.", rules=rules)
        ran = self.prompt(prompt)
        assert (ran.code, "That is all." in ran.shown) == (0, True), ran.shown
        return ran

    def uses(self, skill: str) -> Turn:
        return {"tool": "Skill", "input": {"skill": f"goalkeeper:{skill}"}}

    def reads(self, skill: str, part: str) -> Turn:
        folder = self.home / ".claude/skills/goalkeeper/skills" / skill
        return {"tool": "Read", "input": {"file_path": str(folder / "references" / part)}}

    def keeps(self, name: str, content: str) -> Turn:
        return self.write(f"{CACHE}/{name}", content)

    def assert_read(self, skill: str) -> None:
        """The model was given the whole text of the skill."""
        _, _, text = read_skill(skill)["SKILL.md"].decode().split("---\n", 2)
        assert text.strip() in self.asked[-1].all

    def asked_of(self, *words: str) -> Any:  # noqa: ANN401  a JSON document
        """Call goalkeeper about the run, which belongs to the session of the client."""
        run = (self.root / ".goalkeeper/current").read_text().strip()
        return self.call(*words, "--run", run)

    def statuses(self) -> list[str]:
        return [goal["status"] for goal in self.asked_of("status")["goals"]]

    def recorded_kinds(self) -> list[str]:
        return [entry["kind"] for entry in self.asked_of("ledger", "show")["entries"]]


def follow(skill: str, *starts: str) -> Turn:
    """A command of the shell: lines of the skill, one after the other while they succeed."""
    return CLIENTS["claude"].shell(" && ".join(find_line(skill, start) for start in starts))


GREETS = {"command": ["python3", "greet.py", "Ada"], "stdout": "^hello, Ada$"}
ONE_GOAL = story("Greet by name", contract(criterion("C1", GREETS)))
GREET = f"printf %s {shlex.quote(GREETING)} > greet.py"


def test_ultragoal_without_a_plan_makes_one_with_ultraplan_and_works_it_to_the_end(
    models: Models, tmp_path: Path
) -> None:
    student = Student(tmp_path, models)
    gate = files_of("ultragoal")["gate.json"]

    student.asks(
        "ultragoal: greet by name",
        student.uses("ultragoal"),
        follow("ultragoal", "goalkeeper status"),
        student.uses("ultraplan"),
        student.reads("ultraplan", "contracts.md"),
        student.keeps("brief.md", ONE_GOAL),
        follow(
            "ultraplan",
            "goalkeeper create-goals --gate strict --brief-file",
            "goalkeeper contract check --goal-id G001",
            "goalkeeper steer --kind annotate_ledger",
            "goalkeeper contract freeze --goal-id G001",
        ),
        follow("ultragoal", "goalkeeper complete-goals"),
        student.shell(GREET),
        follow("ultragoal", "goalkeeper judge"),
        student.reads("ultragoal", "gate.md"),
        student.keeps("gate.json", gate),
        follow(
            "ultragoal",
            "goalkeeper quality-gate validate",
            'goalkeeper checkpoint --goal-id G001 --status complete --evidence "greet.py greets by '
            'name; reviewed"',
            "goalkeeper ledger verify",
        ),
    )

    student.assert_read("ultragoal")
    student.assert_read("ultraplan")
    assert student.statuses() == ["complete"]
    kinds = student.recorded_kinds()
    order = ["plan_created", "steering_accepted", "contract_frozen", "goal_started", "goal_judged"]
    assert [kind for kind in kinds if kind in order][:5] == order
    assert kinds.count("receipt_issued") == 2
    assert gate.splitlines()[1] in student.asked[-1].all


def test_ralph_drives_another_claude_until_the_plan_is_proven_and_landed(
    models: Models, tmp_path: Path
) -> None:
    student = Student(tmp_path, models)
    student.call("create-goals", "--gate", "standard", "--brief", ONE_GOAL)

    student.asks(
        "ralph: drive the open plan until it is proven",
        student.uses("ralph"),
        follow("ralph", "goalkeeper status"),
        follow("ralph", "goalkeeper run --agent claude --max-iterations 5"),
        follow("ralph", "goalkeeper report", "goalkeeper land", "goalkeeper receipt list"),
        rules=[{"when": {"all": "Goal G001"}, "turns": [student.shell(GREET), {"text": "Done."}]}],
    )

    student.assert_read("ralph")
    assert student.statuses() == ["complete"]
    assert (student.root / "greet.py").read_text() == GREETING


def test_ultrawork_is_followed_until_a_held_session_is_proven(
    models: Models, tmp_path: Path
) -> None:
    student = Student(tmp_path, models)

    ran = student.asks(
        "ulw make add add",
        student.uses("ultrawork"),
        follow("ultrawork", "goalkeeper ulw status"),
        student.shell(adding("a + b")),
        follow("ultrawork", "goalkeeper ulw prove"),
    )

    student.assert_read("ultrawork")
    assert PROVEN in ran.shown
    assert student.blocks == []


def test_aspirations_verify_ends_in_a_recorded_verification(models: Models, tmp_path: Path) -> None:
    student = Student(tmp_path, models)
    asked = contract(criterion("C1", {"question": "is the choice explained?"}))
    student.call("create-goals", "--gate", "standard", "--brief", story("Choose", asked))
    student.call("complete-goals")

    student.asks(
        "aspirations-verify: is the choice really explained?",
        student.uses("aspirations-verify"),
        student.write("docs/choice.md", "We chose SQLite, because it is one file.\n"),
        follow("aspirations-verify", "goalkeeper verify --template"),
        student.reads("aspirations-verify", "answers.md"),
        student.keeps("answers.json", files_of("aspirations-verify")["answers.json"]),
        follow(
            "aspirations-verify",
            "goalkeeper verify --goal-id G001 --answers .goalkeeper/cache/answers.json",
            "goalkeeper judge",
            "goalkeeper checkpoint",
        ),
    )

    student.assert_read("aspirations-verify")
    assert student.statuses() == ["complete"]
    assert student.recorded_kinds().count("step_verified") == 4
