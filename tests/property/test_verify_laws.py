"""Laws of verification, whoever asks for what, and whatever the clock says."""

import json
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core import codec, fold
from goalkeeper.core.answers.document import ROUTINE
from goalkeeper.core.answers.procedure import StageResult
from goalkeeper.core.decide import decide, record_of_refusal
from goalkeeper.core.plan import commands
from goalkeeper.core.plan import events as happened
from goalkeeper.core.plan.commands import Command
from goalkeeper.core.plan.events import Event, GoalCompleted
from goalkeeper.core.plan.model import ENGINE, Actor, ActorKind, GoalStatus, Plan, Refused
from goalkeeper.wire.canonical import compact
from tests.unit.core.helpers import AGENT, HUMAN, complete, goal_of, judgement_of
from tests.unit.core.verifications import Story, asked, at, questions, read

BOTH = questions("- {id: C2, text: it looks right, check: {manual: look at it}}\n")
TIMED = BOTH + (
    "hypothesis: {id: h1, resolves_no_earlier_than: '2026-03-01T14:00:00Z', "
    "resolves_by: '2026-03-02T14:00:00Z'}\n"
)
CLAIMED = (ROUTINE, "I am tired")
AGAIN = BOTH + "recurring: {interval_hours: 4}\n"
TEXTS = {"G001": BOTH, "G002": TIMED, "G003": AGAIN}
DIGESTS = {goal_id: read(text).digest for goal_id, text in TEXTS.items()}

steps = st.sampled_from(["q1", "q1_5", "q2", "q3", "agent_leg"])
inputs = st.sampled_from(["i", "j"])
trees = st.sampled_from(["tree1", "tree2"])
hours = st.integers(-5, 60)
actors = st.sampled_from([AGENT, AGENT, HUMAN, ENGINE])
criteria = st.sampled_from([("C1",), ("C2",), ("C1", "C2")])
told = st.lists(st.tuples(steps, inputs), max_size=5).map(tuple)


def started() -> Story:
    story = Story(*(asked(text) for text in TEXTS.values()))
    for goal_id in TEXTS:
        story.freeze(goal_id)
    return story


START = started()


def of(goal_id: str) -> st.SearchStrategy[Command]:
    """All that may be asked of a goal."""
    goal, contract = st.just(goal_id), st.just(DIGESTS[goal_id])
    frozen = goal_of(START.plan, goal_id).frozen
    assert frozen is not None
    proofs = [
        complete(goal_id).replace(judgement=judgement_of("pp", frozen=frozen, tree=tree), cycle=key)
        for tree in ("tree1", "tree2")
        for key in (("", "monday") if goal_id == "G003" else ("",))
    ]
    note = st.just("note")
    return st.one_of(
        st.just(commands.StartNext()),
        st.builds(commands.RecordStep, goal, contract, steps, inputs, note),
        st.builds(
            commands.RecordAnswers, goal, contract, trees, criteria, told, note, note,
            st.just(()), st.sampled_from(["", *StageResult]), st.sampled_from(["", *CLAIMED]),
        ),
        st.builds(
            commands.ClaimAbbreviation, goal, st.just("q1_5"), st.sampled_from(CLAIMED),
        ),
        st.builds(
            commands.ConfirmCriterion, goal, st.sampled_from(["C1", "C2"]), contract, trees, note
        ),
        st.just(commands.Expire(goal_id)),
        st.just(commands.Defer(goal_id)),
        st.sampled_from(proofs),
    )  # fmt: skip


def whole(goal_id: str) -> st.SearchStrategy[tuple[Command, ...]]:
    """All steps, and then the answers; one of the steps may be left out."""
    contract, names = DIGESTS[goal_id], ("q1", "q1_5", "q2", "q3")

    def asked(left: str, inputs: str, result: str, tree: str) -> tuple[Command, ...]:
        given = tuple((name, inputs) for name in names)
        answers = commands.RecordAnswers(
            goal_id, contract, tree, ("C1",), given, "doc", "reason", result=result
        )
        passed = (
            commands.RecordStep(goal_id, contract, name, inputs, "note")
            for name in names
            if name != left
        )
        return (*passed, answers)

    results = st.sampled_from(["CONFIRMED"] if goal_id == "G002" else [""])
    return st.builds(asked, st.sampled_from(["", "", *names]), inputs, results, trees)


single = st.one_of(*map(of, TEXTS)).map(lambda command: (command,))
asked_for_all = st.lists(
    st.tuples(single | st.one_of(*map(whole, TEXTS)), hours, actors), max_size=12
).map(lambda turns: [(each, hour, actor) for asked, hour, actor in turns for each in asked])


class Happened(NamedTuple):
    before: Plan
    event: Event
    at: str
    actor: Actor


def history(asked_for: list[tuple[Command, int, Actor]]) -> tuple[Plan, list[Happened]]:
    plan, found = START.plan, []
    for command, hour, actor in asked_for:
        decision = decide(plan, command, at=at(hour), actor=actor)
        refused = isinstance(decision, Refused)
        events = (
            record_of_refusal(command, decision, actor)
            if isinstance(decision, Refused)
            else decision.events
        )
        for event in events:
            found.append(Happened(plan, event, at(hour), actor))
            after = fold.apply(plan, event, at(hour))
            assert not refused or after == plan
            plan = after
    return plan, found


@given(asked_for=asked_for_all)
def test_what_is_recorded_of_a_verification_was_earned(
    asked_for: list[tuple[Command, int, Actor]],
) -> None:
    plan, found = history(asked_for)

    for before, event, moment, actor in found:
        match event:
            case happened.QuestionsAnswered(goal_id, ("C2",)):
                assert actor.kind is ActorKind.HUMAN
            case happened.QuestionsAnswered(goal_id, criteria):
                assert criteria == ("C1",)
                passed = {step.step for step in goal_of(before, goal_id).steps}
                assert "q1" in passed
                assert goal_id != "G001" or {"q1", "q1_5", "q2", "q3"} <= passed
            case happened.HypothesisExpired(goal_id):
                assert (goal_id, moment > "2026-03-02T14:00:00.000000Z") == ("G002", True)
            case GoalCompleted(goal_id):
                assert goal_id != "G003"
            case _:
                pass
    assert goal_of(plan, "G003").status is not GoalStatus.COMPLETE
    assert "G003" not in {goal.id for goal in plan.required_goals}
    cycles = [event.cycle for _, event, _, _ in found if isinstance(event, happened.CycleAchieved)]
    streak = goal_of(plan, "G003").streak
    assert len(cycles) == len(set(cycles)) == (streak.count if streak else 0)


@given(asked_for=asked_for_all)
def test_the_plan_follows_from_the_written_events(
    asked_for: list[tuple[Command, int, Actor]],
) -> None:
    plan, found = history(asked_for)

    again = START.plan
    for each in found:
        kind, version, data = codec.encode_event(each.event)
        event = codec.decode_event(kind, version, json.loads(compact(data)))
        again = fold.apply(again, event, each.at)
    assert again == plan
