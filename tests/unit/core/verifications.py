"""Goals that recur, ask whether something is so, or ask questions; and moments to look at them."""

from datetime import UTC, datetime, timedelta

from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.decide import Decided, decide
from goalkeeper.core.moments import format_moment
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Actor, NewGoal, Plan, Refused
from tests.unit.core.helpers import (
    AGENT,
    frozen_of,
    goal_of,
    judgement_of,
    plan_of,
    proven,
    recorded,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
_CRITERION = "criteria:\n- {id: C1, text: it holds, check: {command: [make, one]}}\n"
_QUESTION = "criteria:\n- {id: C1, text: it is so, check: {question: is it so?}}\n"


def at(hours: float = 0) -> str:
    """So many hours after noon."""
    return format_moment(NOON + timedelta(hours=hours))


def recurring(**fields: int) -> str:
    told = ", ".join(f"{name}: {value}" for name, value in fields.items())
    return f"{_CRITERION}recurring: {{{told}}}\n"


def hypothesis(**fields: str) -> str:
    told = "".join(f", {name}: '{value}'" for name, value in fields.items())
    return f"{_QUESTION}hypothesis: {{id: h1{told}}}\n"


def questions(more: str = "") -> str:
    return _QUESTION + more


def read(text: str) -> Contract:
    contract = read_text(text)
    assert isinstance(contract, Contract), contract
    return contract


def asked(text: str, *depends_on: str) -> NewGoal:
    return NewGoal("One", "do one", depends_on, text, read(text).timing)


class Story:
    """A plan, and the commands it is asked, each at a moment."""

    def __init__(self, *goals: NewGoal | str) -> None:
        self.plan: Plan = plan_of(*goals)
        self.answer: Decided | Refused | None = None

    def ask(
        self, command: commands.Command, hours: float = 0, actor: Actor = AGENT
    ) -> Decided | Refused:
        answer = decide(self.plan, command, at=at(hours), actor=actor)
        if isinstance(answer, Decided):
            self.plan = recorded(self.plan, *answer.events, at=at(hours))
        return answer

    def must(self, command: commands.Command, hours: float = 0, actor: Actor = AGENT) -> Decided:
        answer = self.ask(command, hours, actor)
        assert isinstance(answer, Decided), answer
        return answer

    def no(self, command: commands.Command, hours: float = 0, actor: Actor = AGENT) -> Refused:
        answer = self.ask(command, hours, actor)
        assert isinstance(answer, Refused), answer
        return answer

    def freeze(self, goal_id: str = "G001") -> "Story":
        frozen = frozen_of(goal_of(self.plan, goal_id).contract)
        self.must(commands.FreezeContract(goal_id, frozen))
        return self

    def achieve(
        self, hours: float, *, tree: str = "tree1", cycle: str = "", goal_id: str = "G001"
    ) -> Decided:
        """Start the recurring goal if it is due, prove it, and set it down as complete."""
        self.ask(commands.StartNext(), hours)
        goal = goal_of(self.plan, goal_id)
        assert goal.frozen is not None
        seen = judgement_of("p", frozen=goal.frozen, tree=tree)
        return self.must(proven(goal_id, seen).replace(cycle=cycle), hours)
