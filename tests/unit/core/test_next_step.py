"""What comes next in a drive, whatever came before."""

from goalkeeper.core import next_step
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import WORK, Depth, Ending, Phase
from goalkeeper.core.drive.state import Reason
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import (
    ContractFrozen,
    GoalCompleted,
    GoalStarted,
)
from tests.tables import for_each
from tests.unit.core.helpers import (
    FROZEN,
    after,
    frozen_plan,
    judgement_of,
    plan_of,
    start,
)
from tests.unit.core.stories import Story, judged, record_of, settled, stop, work

HOUR = 3600
IMPL = Phase.IMPL


# From the plan to the first work


def test_a_plan_is_begun_with_its_first_goal() -> None:
    assert Story(plan_of("one")).next == next_step.Start()


def test_a_goal_is_frozen_before_anything_is_done_about_it() -> None:
    story = Story(after(plan_of("one"), start()))

    assert story.next == next_step.Freeze("G001")


def test_a_frozen_goal_gets_a_worktree_of_its_own() -> None:
    assert Story().next == next_step.MakeWorktree("G001")


def test_in_its_worktree_an_agent_is_put_to_work() -> None:
    assert settled().next == work()


@for_each("depth", Depth)
def test_all_phases_of_a_depth_are_worked_in_order_and_then_judged(depth: Depth) -> None:
    wanted = {Depth.QUICK: ["impl"], Depth.FULL: ["plan", "impl", "verify", "refine", "ship"]}
    story, seen = settled(depth), []

    while isinstance(story.next, next_step.Exec):
        seen.append(str(story.next.phase))
        story.work(f"tree{len(seen)}")

    assert seen == wanted[depth]
    if depth is Depth.FULL:
        assert isinstance(story.next, happened.ArtifactsChecked)
        story.tell(story.next)
    assert story.next == next_step.Judge("G001")


def test_a_phase_that_is_skipped_is_not_asked_for() -> None:
    story = settled(Depth.FULL).tell(happened.PhaseSkipped("G001", 1, Phase.PLAN, "small"))

    assert story.next == work(phase=IMPL)


def test_a_phase_is_tried_again_under_its_next_number() -> None:
    story = settled().work(ending=Ending.INTERRUPTED)

    assert story.next == work(attempt=2)


def test_after_a_judgement_comes_the_next_iteration() -> None:
    assert judged("pf").next == work(iteration=2)


def test_what_lies_there_already_is_not_judged_before_it_is_worked_on() -> None:
    """A goal that people judged by hand before is new to the drive."""
    plan = after(frozen_plan(), commands.RecordJudgement("G001", judgement_of("pp"), 5))

    assert Story(plan).settle(tree="tree1").next == work(iteration=2)


# A phase that runs, and pauses


def test_a_phase_without_an_end_is_recovered_before_all_else() -> None:
    story = judged("pp").tell(GoalCompleted("G001", "it works"), GoalStarted("G002"))
    story.tell(ContractFrozen("G002", FROZEN)).settle("G002").begin()
    running = story.line.running
    assert running

    story.tell(
        GoalCompleted("G002", "by hand"), happened.DrivePaused(add_seconds(story.now, 9), "x")
    )

    assert story.plan.is_complete
    assert story.next == next_step.Recover(running)


def test_the_process_to_recover_is_named_by_pid_and_birth() -> None:
    story = settled().begin().tell(happened.PhaseSpawned("G001", 77, "123", "argv"))

    assert isinstance(story.next, next_step.Recover)
    assert (story.next.running.pid, story.next.running.born) == (77, "123")


@for_each("ending", [Ending.RATE_LIMITED, Ending.OUTAGE])
def test_a_rate_limit_or_an_outage_asks_for_a_pause(ending: Ending) -> None:
    story = settled().work(ending=ending, problem="503")

    assert story.next == happened.DrivePaused(add_seconds(story.now, 30), f"{ending}: 503")


def test_a_pause_that_is_recorded_is_waited_for_to_its_end() -> None:
    story = settled().work(ending=Ending.RATE_LIMITED)
    until = add_seconds(story.now, HOUR)
    story.tell(happened.DrivePaused(until, "rate-limited: 5 h"))

    assert story.next == next_step.Wait(until, "rate-limited: 5 h")
    story.seconds += HOUR - 1
    assert story.next == next_step.Wait(until, "rate-limited: 5 h")
    story.seconds += 1
    assert story.next == work(attempt=2)


def test_a_pause_spends_no_iteration() -> None:
    story = judged("pf", iterations=2).work(ending=Ending.RATE_LIMITED)
    story.tell(happened.DrivePaused(add_seconds(story.now, HOUR), "rate-limited"))
    story.seconds += HOUR

    assert story.next == work(iteration=2, attempt=2)


def test_another_process_waits_for_the_rest_of_a_pause() -> None:
    story = settled().work(ending=Ending.OUTAGE)
    until = add_seconds(story.now, HOUR)
    story.tell(happened.DrivePaused(until, "outage")).tell(happened.DriveResumed(), seconds=60)

    assert story.next == next_step.Wait(until, "outage")


@for_each(
    ("ending", "reason"),
    [(Ending.RATE_LIMITED, Reason.RATE_LIMITED), (Ending.OUTAGE, Reason.OUTAGE)],
)
def test_after_five_pauses_in_a_row_nobody_waits_any_more(ending: Ending, reason: Reason) -> None:
    story = settled()
    for _ in range(5):
        story.work(ending=ending, problem="503")
        assert isinstance(story.next, happened.DrivePaused)
        story.tell(story.next)
        story.seconds += HOUR

    story.work(ending=ending, problem="503")

    assert story.next == next_step.Stop(reason, "503")


@for_each("known", [True, False])
def test_a_pause_longer_than_allowed_is_a_reason_to_stop(known: bool) -> None:
    story = settled(pause_seconds=60, backoff_seconds=120)
    resets_at = add_seconds(story.now, HOUR) if known else ""

    story.work(ending=Ending.RATE_LIMITED, resets_at=resets_at, problem="weekly limit")

    until = add_seconds(story.now, HOUR if known else 120)
    assert story.next == next_step.Stop(
        Reason.RATE_LIMITED, f"it lasts until {until}: weekly limit"
    )


# Trouble


@for_each(
    ("ending", "reason"),
    [(Ending.AUTH, Reason.AUTH), (Ending.NOT_STARTED, Reason.AGENT_MISSING)],
)
def test_what_no_other_attempt_can_mend_ends_the_drive_at_once(
    ending: Ending, reason: Reason
) -> None:
    story = settled().work(ending=ending, problem="because")

    assert story.next == next_step.Stop(reason, "because")


@for_each("ending", [Ending.CRASH, Ending.TIMEOUT])
def test_three_crashes_in_a_row_end_the_drive(ending: Ending) -> None:
    story = settled().work(ending=ending).work(ending=ending)
    assert story.next == work(attempt=3)

    story.work(ending=ending, problem="killed")

    assert story.next == next_step.Stop(Reason.CRASHED, "killed")


def test_a_stalled_agent_gets_a_second_chance_and_no_third() -> None:
    story = settled(stall_seconds=9).work(ending=Ending.STALLED)
    assert story.next == work(attempt=2)

    story.work(ending=Ending.STALLED)

    assert story.next == next_step.Stop(Reason.STALLED, "nothing for 9 s, twice")


def test_an_agent_that_crashed_after_its_work_is_judged() -> None:
    assert settled().work("tree1", Ending.CRASH).next == next_step.Judge("G001")


def test_an_agent_whose_login_ended_in_the_middle_is_not_judged() -> None:
    assert stop(settled().work("tree1", Ending.AUTH)) is Reason.AUTH


def test_an_interrupt_is_nobodys_fault() -> None:
    story = settled()
    for _ in range(9):
        story.work(ending=Ending.INTERRUPTED)

    assert story.next == work(attempt=10)


# Nothing changes


def test_the_third_time_without_a_change_is_asked_for_in_other_words() -> None:
    story = judged("pf")
    assert story.next == work(iteration=2, otherwise=False)

    assert story.work().next == work(iteration=2, otherwise=False)
    assert story.work().next == work(iteration=2, otherwise=True)
    assert stop(story.work()) is Reason.STAGNATION


def test_an_agent_that_uses_no_tool_at_all_does_nothing() -> None:
    story = judged("pf").work(tool_calls=0).work(tool_calls=0).work(tool_calls=0)

    assert story.next == next_step.Stop(Reason.NO_OP, "3 times in a row nothing changed")


def test_one_use_of_a_tool_is_stagnation_and_not_nothing() -> None:
    story = judged("pf").work(tool_calls=0).work(tool_calls=1).work(tool_calls=0)

    assert stop(story) is Reason.STAGNATION


def test_the_other_way_is_asked_for_in_every_phase_of_the_round() -> None:
    story = settled(Depth.FULL)
    for phase in WORK:
        story.begin(phase).end(record_of(), "tree1")
    story.judge("pf")
    for phase in (*WORK, *WORK):
        story.begin(phase).end(record_of())

    for phase in WORK:
        assert story.next == work(iteration=2, phase=phase, otherwise=True)
        story.work()
    assert stop(story) is Reason.STAGNATION


def test_a_crash_on_the_way_does_not_take_the_other_way_back() -> None:
    story = judged("pf").work().work().work(ending=Ending.CRASH)

    assert story.next == work(iteration=2, attempt=2, otherwise=True)


def test_a_change_ends_the_count() -> None:
    story = judged("pf").work().work().work("tree2")
    assert story.next == next_step.Judge("G001")

    assert story.judge("pf").next == work(iteration=3)
