"""Roles before the work: a planner writes a plan and no code, a critic only reads it.

Both are agents in processes apart. What they hand in is read as strictly as what people write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files
from string import Template
from typing import Any
from uuid import uuid4

from goalkeeper.core.campaign.findings import CriticFinding
from goalkeeper.core.drive.phases import Phase
from goalkeeper.core.drive.state import Running
from goalkeeper.core.schema import Field, ListOf, Node, Notes, RecordShape, Text, WholeNumber
from goalkeeper.errors import OutsideError
from goalkeeper.loop.apart import ApartAnswer, ApartRequest, ProcessApart
from goalkeeper.loop.prompting import ANSWER
from goalkeeper.wire.value import Value
from goalkeeper.witness.pool import remove_path

_GOAL = "WORK"  # as for reviews of work that belongs to no goal
_MOST_TRIES = 3
_DIMENSIONS = (
    "goal", "context", "steps", "files", "dependencies", "tests", "risks", "scope", "clarity",
)  # fmt: skip
_PLANNED = RecordShape({"plan": Field(Text(), "", required=True)})
_CRITICISED = RecordShape({
    "findings": Field(ListOf(RecordShape({
        "dimension": Field(WholeNumber(1, len(_DIMENSIONS)), required=True),
        "where": Field(Text(), "", required=True),
        "message": Field(Text(), "", required=True),
        "mend": Field(Text(), "", required=True),
    })), (), required=True),
})  # fmt: skip


class RoleUnusable(OutsideError, hint="goalkeeper agents probe --agent {agent}"):
    """The {role} ({agent}) handed in nothing that can be used: {problem}"""


class PlanningDesk(Value):
    """Asks agents about a plan, on one commit."""

    apart: ProcessApart
    commit: str
    model: str = ""

    def ask_planner(self, wish: str, find_problems: Callable[[str], Sequence[str]]) -> str:
        """Have a plan written; the planner is told what is wrong with it, and tries again."""
        problems: Sequence[str] = ()
        for attempt in range(1, _MOST_TRIES + 1):
            fields = {"wish": _indent(wish), "problems": _tell_problems(problems)}
            read = _read(self._ask(Phase.PLANNER, attempt, fields), _PLANNED)
            if isinstance(read, str):
                problems = (read,)
                continue
            problems = find_problems(read["plan"])
            if not problems:
                return str(read["plan"])
        said = "; ".join(problems[:5])
        raise RoleUnusable(role="planner", agent=self.apart.runner.client.name, problem=said)

    def ask_critic(self, plan: str) -> tuple[CriticFinding, ...]:
        """Have a plan read. What the critic finds is advice: a program or a human decides."""
        read = _read(self._ask(Phase.PLAN_CRITIC, 1, {"plan": _indent(plan)}), _CRITICISED)
        if isinstance(read, str):
            raise RoleUnusable(role="critic", agent=self.apart.runner.client.name, problem=read)
        return tuple(
            CriticFinding(
                f"critic-{_DIMENSIONS[each['dimension'] - 1]}", each["where"], 0, each["message"],
                each["mend"], is_blocking=False,
            )
            for each in read["findings"]
        )  # fmt: skip

    def _ask(self, phase: Phase, attempt: int, fields: dict[str, str]) -> ApartAnswer:
        running = Running(_GOAL, 1, phase, attempt, uuid4().hex, "")
        write = partial(_write_prompt, phase, fields)
        answer = self.apart.ask(
            ApartRequest(running, self.commit, write, self.model), lambda _: None
        )
        remove_path(answer.folder)
        return answer


def _write_prompt(phase: Phase, fields: dict[str, str], folder: str) -> str:
    text = files("goalkeeper.campaign").joinpath("prompts", f"{phase}.md").read_text("utf-8")
    return Template(text).safe_substitute(fields | {"answer": f"{folder}/{ANSWER}"})


def _read(answer: ApartAnswer, shape: RecordShape) -> dict[str, Any] | str:
    """Read what a role handed in, or say why it cannot be used."""
    if answer.problem:
        return answer.problem
    notes = Notes("answer")
    read: dict[str, Any] = shape.read_node(Node.from_plain(answer.raw), "", notes)
    return "; ".join(map(str, notes.problems)) or read


def _tell_problems(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    listed = "\n".join(f"- {each}" for each in problems[:20])
    return f"\n# What was wrong with the plan that you handed in before\n\n{listed}\n"


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
