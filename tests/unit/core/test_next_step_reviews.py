"""What comes next in a drive of a plan with the strict gate: lanes look before it completes."""

from goalkeeper.core import next_step
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import Ending, Phase, Spend
from goalkeeper.core.drive.state import Budget, Reason, Running
from goalkeeper.core.entitled import find_unentitled_changes
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan.events import ContractAmended, LaneReported
from goalkeeper.core.plan.model import STRICT
from goalkeeper.core.review.lane import NEEDED, Lane, LaneRole, LaneWord
from tests.tables import for_each
from tests.unit.core.helpers import FROZEN, contract_of, frozen_of, frozen_plan
from tests.unit.core.stories import Story, record_of, stop, work

FIRST = NEEDED[0]


def strict(told: str = "pp", /, **limits: int) -> Story:
    """After one iteration that was judged so, on tree1."""
    plan = frozen_plan().replace(gate=STRICT)
    story = Story(plan, budget=Budget().replace(**limits)).settle()
    return story.work("tree1").judge(told)


def review(role: LaneRole = FIRST, iteration: int = 1, attempt: int = 1) -> next_step.Review:
    return next_step.Review("G001", role, iteration, attempt)


# Who looks, and when


def test_what_is_proven_is_reviewed_by_every_lane_and_then_completed() -> None:
    story = strict()

    for role in (LaneRole.CLEANER, LaneRole.ARCHITECT, LaneRole.QA):
        assert story.next == review(role)
        story.look()

    assert story.next == next_step.Complete("G001")


def test_what_is_not_proven_is_not_reviewed() -> None:
    assert strict("pf").next == work(iteration=2)


def test_a_plan_without_the_strict_gate_has_no_lanes() -> None:
    story = Story().settle().work("tree1").judge("pp")

    assert story.next == next_step.Complete("G001")


def test_what_the_cleaner_objects_to_is_mended_before_others_look() -> None:
    assert strict().look(LaneWord.OBJECTS).next == work(iteration=2)


def test_all_others_have_their_say_before_anybody_mends_anything() -> None:
    story = strict().look().look(LaneWord.OBJECTS)
    assert story.next == review(LaneRole.QA)

    assert story.look().next == work(iteration=2)


@for_each("objects", range(1, 3))
def test_one_objection_is_work(objects: int) -> None:
    story = strict()
    for number in range(3):
        story.look(LaneWord.OBJECTS if number == objects else LaneWord.CLEAR)

    assert story.next == work(iteration=2)


def test_another_tree_is_looked_at_by_all_of_them_again() -> None:
    story = strict().look().look(LaneWord.OBJECTS).look()

    story.work("tree2").judge("pp")

    assert story.next == review(FIRST, iteration=2)
    assert story.look().look().look().next == next_step.Complete("G001")


def test_another_contract_is_looked_at_by_all_of_them_again() -> None:
    story = strict().look().look().look()
    other = frozen_of(contract_of(C1="one", C2="other"))

    story.tell(ContractAmended("G001", other, "it asks for more"))

    assert story.next == review()


def test_a_critic_that_rejects_is_in_the_way_though_nobody_asked_for_one() -> None:
    story = strict().look().look().look()
    rejects = Lane(LaneRole.CRITIC, "tree1", FROZEN.digest, LaneWord.OBJECTS, record_of())

    assert story.tell(LaneReported("G001", rejects)).next == work(iteration=2)


def test_an_objection_that_is_not_settled_ends_as_stagnation() -> None:
    story = strict().look().look(LaneWord.OBJECTS).look()

    assert story.work().next == work(iteration=2)
    assert story.work().next == work(iteration=2, otherwise=True)
    assert stop(story.work()) is Reason.STAGNATION


def test_objections_on_the_last_iteration_are_a_reason_to_stop() -> None:
    story = strict(iterations=1).look().look().look(LaneWord.OBJECTS)

    assert story.next == next_step.Stop(Reason.MAX_ITERATIONS, "G001: 1 iterations")


# Lanes in trouble


def test_an_answer_that_cannot_be_used_is_asked_for_again() -> None:
    story = strict().look().look(LaneWord.UNUSABLE)

    assert story.next == review(LaneRole.ARCHITECT, attempt=2)
    assert story.look().next == review(LaneRole.QA)


def test_three_answers_that_cannot_be_used_end_the_drive() -> None:
    story = strict().look(LaneWord.UNUSABLE).look(LaneWord.UNUSABLE)
    assert story.next == review(attempt=3)

    story.look(LaneWord.UNUSABLE)

    said = "no answer of the cleaner lane can be used: what cleaner says"
    assert story.next == next_step.Stop(Reason.GATE_CLOSED, said)


def test_an_answer_that_can_be_used_ends_the_count() -> None:
    story = strict().look(LaneWord.UNUSABLE).look(LaneWord.UNUSABLE).look()

    story.look(LaneWord.UNUSABLE).look(LaneWord.UNUSABLE)

    assert story.next == review(LaneRole.ARCHITECT, attempt=3)


@for_each(
    "ending",
    [Ending.CRASH, Ending.TIMEOUT, Ending.CONTEXT, Ending.MOST_TURNS, Ending.MOST_COST],
)
def test_three_lanes_that_come_to_no_answer_end_the_drive(ending: Ending) -> None:
    story = strict().look(ending=ending).look(ending=ending)
    assert story.next == review(attempt=3)

    story.look(ending=ending, problem="because")

    assert story.next == next_step.Stop(Reason.CRASHED, "because")


def test_a_lane_that_stalls_gets_a_second_chance_and_no_third() -> None:
    story = strict(stall_seconds=9).look(ending=Ending.STALLED)
    assert story.next == review(attempt=2)

    story.look(ending=Ending.STALLED)

    assert story.next == next_step.Stop(Reason.STALLED, "nothing for 9 s, twice")


@for_each(
    ("ending", "reason"),
    [(Ending.AUTH, Reason.AUTH), (Ending.NOT_STARTED, Reason.AGENT_MISSING)],
)
def test_what_no_other_attempt_can_mend_ends_the_drive_at_once(
    ending: Ending, reason: Reason
) -> None:
    assert strict().look(ending=ending, problem="because").next == next_step.Stop(reason, "because")


@for_each("ending", [Ending.RATE_LIMITED, Ending.OUTAGE])
def test_a_lane_waits_for_the_end_of_a_rate_limit_or_an_outage(ending: Ending) -> None:
    story = strict().look().look(ending=ending, problem="503")
    until = add_seconds(story.now, 30)
    assert story.next == happened.DrivePaused(until, f"{ending}: 503")

    story.tell(happened.DrivePaused(until, "503"))
    assert story.next == next_step.Wait(until, "503")
    story.seconds += 30

    assert story.next == review(LaneRole.ARCHITECT, attempt=2)


def test_a_lane_that_was_interrupted_is_asked_again_and_nobody_is_blamed() -> None:
    story = strict()
    for _ in range(9):
        story.look(ending=Ending.INTERRUPTED)

    assert story.next == review(attempt=10)


def test_a_lane_without_an_end_is_recovered_before_all_else() -> None:
    story = strict().look()
    running = Running("G001", 1, Phase.ARCHITECT, 1, "marker", "tree1")

    story.tell(happened.PhaseBegan(running, "rehearsal", "digest"))

    assert story.next == next_step.Recover(running)


@for_each(
    ("limits", "reason"),
    [
        ({"tokens": 100}, Reason.MAX_TOKENS),
        ({"microdollars": 500}, Reason.MAX_COST),
        ({"seconds": 60}, Reason.MAX_TIME),
    ],
)
def test_no_lane_is_asked_when_a_limit_is_reached(limits: dict[str, int], reason: Reason) -> None:
    story = strict(**limits).look(spend=Spend(90, 10, 0, 500))
    story.seconds += 60

    assert stop(story) is reason


def test_what_lanes_cost_is_counted() -> None:
    story = strict().look(spend=Spend(1, 2, 0, 3)).look(spend=Spend(10, 20, 0, None))

    assert story.drive.spend == Spend(11, 22, 0, 3)
    assert story.drive.unpriced == 1


# Whose word it is


def test_a_lane_that_somebody_else_reported_is_find_unentitled_changes() -> None:
    story = strict()
    before = story.plan
    forged = Lane(LaneRole.QA, "tree1", FROZEN.digest, LaneWord.CLEAR, record_of())

    story.tell(LaneReported("G001", forged))

    assert find_unentitled_changes(before, story.plan) == ("G001 was reviewed",)


@for_each("over", [True, False])
def test_a_lane_that_a_human_asked_for_changes_no_drive(over: bool) -> None:
    story = strict()
    if over:
        story.tell(happened.DriveEnded(Reason.MAX_TIME))
    before = story.drive
    unusable = Lane(LaneRole.QA, "tree1", FROZEN.digest, LaneWord.UNUSABLE, record_of())

    story.tell(LaneReported("G001" if over else "G002", unusable))

    assert story.drive == before
