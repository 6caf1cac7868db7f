"""When a drive ends, and in whose name: met, limits, honest exits."""

from goalkeeper.core import next_step
from goalkeeper.core.contract.criteria import CriterionStatus, Decision, Verdict
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.decide import Decided, decide
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import Depth, Ending, Phase, Spend
from goalkeeper.core.drive.state import Budget, ExitKind, Reason
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import (
    ContractFrozen,
    GoalCheckpointed,
    GoalCompleted,
    GoalJudged,
    GoalStarted,
    GoalUnblocked,
    HonestExit,
    StandingJudged,
    StateCleared,
)
from goalkeeper.core.plan.model import ENGINE, GoalStatus, Plan
from tests.tables import for_each
from tests.unit.core.helpers import (
    AT,
    FINDING,
    FROZEN,
    HUMAN,
    after,
    frozen_plan,
    judgement_of,
    new,
    plan_of,
    start,
    supersede,
)
from tests.unit.core.stories import Story, judged, record_of, settled, stop, work

HOUR = 3600
IMPL = Phase.IMPL


def done(goal_id: str, tree: str = "tree1") -> GoalCompleted:
    return GoalCompleted(goal_id, "proven", judgement=judgement_of("pp", tree=tree))


# The decision after a judgement


def test_all_met_is_to_be_completed() -> None:
    assert judged("pp").next == next_step.Complete("G001")


def test_met_but_with_a_blocking_finding_is_not() -> None:
    story = settled().work("tree1").judge("pp", FINDING)

    assert story.next == work(iteration=2)


def test_all_met_on_the_last_iteration_is_completion() -> None:
    assert judged("pp", iterations=1).next == next_step.Complete("G001")


@for_each(
    ("limits", "reason"),
    [
        ({"seconds": 60}, Reason.MAX_TIME),
        ({"tokens": 100}, Reason.MAX_TOKENS),
        ({"microdollars": 500}, Reason.MAX_COST),
    ],
)
def test_what_is_met_is_completed_though_a_limit_is_reached(
    limits: dict[str, int], reason: Reason
) -> None:
    used = Spend(90, 10, 0, 500)
    done = settled(**limits).work("tree1", seconds=60, spend=used)
    assert done.next == next_step.Judge("G001")
    assert done.judge("pp").next == next_step.Complete("G001")

    left = settled(**limits).work("tree1", seconds=60, spend=used).judge("pf")
    assert stop(left) is reason


def test_the_last_iteration_that_is_not_met_is_a_reason_to_stop() -> None:
    story = judged("pf", iterations=2)
    assert story.next == work(iteration=2)

    story.work("tree2").judge("pf")

    assert story.next == next_step.Stop(Reason.MAX_ITERATIONS, "G001: 2 iterations")


def test_iterations_without_a_limit_go_on() -> None:
    story = judged("uu", iterations=0)
    for number in range(2, 20):
        story.work(f"tree{number}").judge("uu")

    assert story.next == work(iteration=20)


def test_what_could_not_be_checked_is_judged_again_before_anybody_works() -> None:
    story = judged("po", iterations=1)
    assert story.next == next_step.Judge("G001")
    assert story.judge("pp").next == next_step.Complete("G001")
    assert story.goal.iteration == 1  # nobody worked in between

    again = judged("po").judge("po")
    assert again.next == next_step.Stop(Reason.UNKNOWN, "G001: C2: why 2")
    again.tell(happened.DriveEnded(Reason.UNKNOWN))
    again.tell(happened.DriveBegan("rehearsal", Depth.QUICK, Budget()))
    assert again.next == next_step.Judge("G001")
    assert stop(again.judge("po")) is Reason.UNKNOWN


def test_an_agent_is_asked_once_about_a_limit_that_was_hit_twice() -> None:
    story = judged("pl").judge("pl")
    assert story.next == work(iteration=2)
    assert story.work("tree1").next == next_step.Stop(Reason.UNKNOWN, "G001: C2: why 2")
    for asked in ((), (happened.JudgementAsked(),)):
        story.tell(happened.DriveEnded(Reason.UNKNOWN))
        story.tell(happened.DriveBegan("rehearsal", Depth.QUICK, Budget()), *asked)
        assert story.next == next_step.Judge("G001")
        assert stop(story.judge("pl")) is Reason.UNKNOWN

    assert judged("pl").judge("pl").work("tree2").judge("pp").next == next_step.Complete("G001")


def test_work_helps_where_something_failed_or_the_tree_itself_cannot_be_checked() -> None:
    for told in ("fo", "pu"):
        assert judged(told).next == work(iteration=2)
    assert settled().work("tree1").judge("po", FINDING).next == work(iteration=2)


def test_whoever_asks_for_it_gets_the_same_tree_judged_again() -> None:
    story = judged("pf").tell(happened.JudgementAsked())
    assert story.next == next_step.Judge("G001")
    assert story.judge("pf").next == work(iteration=2)

    story.tell(happened.DriveEnded(Reason.FAILED))
    story.tell(happened.DriveBegan("rehearsal", Depth.QUICK, Budget()), happened.JudgementAsked())
    assert story.judge("pp").next == next_step.Complete("G001")


def test_a_step_that_escalates_stops_each_drive_once_and_the_next_drive_works_on_it() -> None:
    frozen = FROZEN.replace(contract='{"on_failure": "escalate"}')
    story = Story(frozen_plan(frozen=frozen)).settle()

    for number in (1, 2):
        assert story.next == work(iteration=number)
        assert stop(story.work(f"tree{number}").judge("pf")) is Reason.NEEDS_HUMAN
        story.tell(happened.DriveEnded(Reason.NEEDS_HUMAN))
        story.tell(happened.DriveBegan("rehearsal", Depth.QUICK, Budget()))


def test_iterations_are_counted_for_each_goal() -> None:
    story = judged("pp", iterations=1)

    story.tell(GoalCompleted("G001", "proven"), GoalStarted("G002"))
    story.tell(ContractFrozen("G002", FROZEN)).settle("G002")

    assert story.next == next_step.Exec("G002", 1, IMPL, 1)


def test_what_failed_three_times_is_left_when_all_else_is_met() -> None:
    story = settled(iterations=9)
    for number in (1, 2, 3):
        story.work(f"tree{number}").judge("pf")

    assert story.next == next_step.SetAside("G001", "C2 failed three times")
    left = GoalCheckpointed("G001", commands.CheckpointStatus.BLOCKED, "C2 failed three times")
    assert story.tell(left).next == next_step.Start()  # others go on
    story.tell(GoalStarted("G002"), done("G002", tree="tree3"))
    assert story.next == next_step.Stop(Reason.PARTIAL, "G001: C2 failed three times")

    story.tell(GoalUnblocked("G001", "the service is there now"))
    assert [state.status for state in story.plan.goals[0].criteria] == ["PASS", "FAIL"]
    assert story.next == work(iteration=4)


def test_a_criterion_that_can_still_be_met_is_worked_on_beside_a_blocked_one() -> None:
    story = settled(iterations=9)
    for number, told in enumerate(("pf", "pf", "ff"), 1):
        story.work(f"tree{number}").judge(told)

    assert story.next == work(iteration=4)


def test_in_part_is_no_end_while_a_finding_blocks() -> None:
    story = settled(iterations=9)
    for number in (1, 2, 3):
        story.work(f"tree{number}").judge("pf", FINDING)

    assert story.next == work(iteration=4)


def test_partial_is_said_before_the_limit_of_iterations() -> None:
    story = settled(iterations=3)
    for number in (1, 2, 3):
        story.work(f"tree{number}").judge("pf")

    assert story.next == next_step.SetAside("G001", "C2 failed three times")


def test_a_last_proof_that_does_not_hold_is_worked_on() -> None:
    story = judged("pp")

    story.tell(GoalJudged("G001", 2, judgement_of("pf", tree="tree1"), Decision.REPLAN))

    assert story.next == work(iteration=3)


# Limits


def test_time_is_up_when_work_has_used_it() -> None:
    story = settled(seconds=100).work(ending=Ending.INTERRUPTED, seconds=99.9)
    assert story.next == work(attempt=2)

    story.seconds += 0.1

    assert story.next == next_step.Stop(Reason.MAX_TIME, "100 s")


def test_a_pause_uses_no_time() -> None:
    story = settled(seconds=100).work(ending=Ending.OUTAGE, seconds=50)
    story.tell(happened.DrivePaused(add_seconds(story.now, HOUR), "outage"))
    story.seconds += HOUR

    assert story.next == work(attempt=2)


def test_a_limit_that_is_used_up_is_not_given_back_by_a_restart() -> None:
    story = settled(tokens=100).work(ending=Ending.CRASH, spend=Spend(100))

    story.tell(happened.DriveResumed(), seconds=HOUR)

    assert story.next == next_step.Stop(Reason.MAX_TOKENS, "100 tokens")


def test_tokens_that_were_read_from_a_cache_are_not_counted_twice() -> None:
    story = settled(tokens=100).work(ending=Ending.CRASH, spend=Spend(90, 9, 90))

    assert story.next == work(attempt=2)


def test_money_is_used_up_by_what_is_known() -> None:
    story = settled(microdollars=2_500_000).work(
        ending=Ending.CRASH, spend=Spend(1, 1, 0, 2_499_999)
    )
    story.work(ending=Ending.INTERRUPTED, spend=Spend(1, 1, 0, None))
    assert story.next == work(attempt=3)

    story.work(ending=Ending.INTERRUPTED, spend=Spend(1, 1, 0, 1))

    assert story.next == next_step.Stop(Reason.MAX_COST, "$2.50")


def test_nobody_waits_for_a_service_that_could_not_be_paid() -> None:
    story = settled(tokens=100).work(ending=Ending.RATE_LIMITED, spend=Spend(100))

    assert stop(story) is Reason.MAX_TOKENS


def test_a_login_that_fails_is_said_before_a_limit() -> None:
    story = settled(tokens=100).work(ending=Ending.AUTH, spend=Spend(100))

    assert stop(story) is Reason.AUTH


# Several goals, and honest exits


def chain() -> Plan:
    """G002 waits for G001; G003 for nobody."""
    plan = plan_of("one", new("two", "G001"), "three")
    return after(plan, start(), commands.FreezeContract("G001", FROZEN))


def test_the_next_goal_that_is_ready_is_begun_when_one_is_complete() -> None:
    story = Story(chain()).settle().tell(GoalCompleted("G001", "proven"))

    assert story.next == next_step.Start()
    story.tell(GoalStarted("G002"))
    assert story.next == next_step.Freeze("G002")
    story.tell(ContractFrozen("G002", FROZEN))
    assert story.next == next_step.MakeWorktree("G002")


def test_a_goal_that_cannot_be_met_does_not_hold_up_the_others() -> None:
    story = Story(chain()).settle().begin()
    story.tell(HonestExit("G001", ExitKind.NEEDS_HUMAN, "no key")).end(record_of())

    assert story.next == next_step.Start()
    story.tell(GoalStarted("G003"), ContractFrozen("G003", FROZEN)).settle("G003")
    assert story.next == next_step.Exec("G003", 1, IMPL, 1)
    story.tell(GoalCompleted("G003", "proven"))

    assert story.next == next_step.Stop(Reason.NEEDS_HUMAN, "G001: no key")


@for_each("kind", [kind for kind in ExitKind if kind is not ExitKind.CONTRACT_WRONG])
def test_an_honest_exit_of_the_only_goal_ends_the_drive_in_its_own_name(kind: ExitKind) -> None:
    story = settled().begin().tell(HonestExit("G001", kind, "no key")).end(record_of(), "tree1")
    story.plan = story.plan.replace(goals=story.plan.goals[:1])

    assert story.next == next_step.Stop(Reason(kind), "G001: no key")


def test_a_goal_that_people_set_down_as_blocked_is_blocked() -> None:
    story = Story(after(plan_of("one"), start()))
    blocked = commands.CheckpointStatus.BLOCKED

    story.tell(GoalCheckpointed("G001", blocked, "it waits"))

    assert story.next == next_step.Stop(Reason.BLOCKED, "G001: it waits")


def test_a_goal_that_people_set_down_as_failed_says_why() -> None:
    story = Story(after(plan_of("one", new("two", "G001")), start()))
    failed = commands.CheckpointStatus.FAILED

    story.tell(GoalCheckpointed("G001", failed, "it broke"))

    assert story.next == next_step.Stop(Reason.BLOCKED, "G001: it broke")


def test_goals_that_wait_for_what_will_never_be_are_named() -> None:
    story = Story(plan_of(new("one", "G009"), new("two", "G001")))

    assert story.next == next_step.Stop(Reason.BLOCKED, "nothing is ready: G001, G002")


def test_a_goal_that_is_free_again_goes_on_in_its_worktree() -> None:
    story = Story(chain()).settle().work("tree1").judge("pf")
    story.tell(HonestExit("G001", ExitKind.BLOCKED, "no key"), GoalStarted("G003"))
    story.tell(ContractFrozen("G003", FROZEN)).settle("G003")

    story.tell(GoalUnblocked("G001", "here is the key"))

    assert story.next == next_step.MakeWorktree("G001")
    story.settle("G001", "tree1")
    assert story.next == work(iteration=2)


def test_a_goal_that_nobody_wants_any_more_is_not_waited_for() -> None:
    story = settled().tell(HonestExit("G001", ExitKind.IMPOSSIBLE, "no way"))
    story.tell(GoalStarted("G002"), GoalCompleted("G002", "proven"))
    assert stop(story) is Reason.IMPOSSIBLE

    story.plan = after(story.plan, supersede("G001"), actor=HUMAN)

    assert story.next == next_step.Stop(Reason.DONE)


def test_a_plan_of_which_all_is_proven_is_done() -> None:
    story = judged("pp").tell(done("G001"), done("G002"))

    assert story.next == next_step.Stop(Reason.DONE)


def test_done_is_done_whatever_was_used() -> None:
    story = settled(tokens=1, seconds=1)
    story.work("tree1", seconds=HOUR, spend=Spend(100)).judge("pp")

    story.tell(done("G001"), done("G002"))

    assert story.next == next_step.Stop(Reason.DONE)


def test_what_was_not_seen_on_the_last_tree_is_proven_there_before_the_end() -> None:
    story = judged("pp").tell(done("G001"))

    story.tell(done("G002", tree="tree2"))
    assert story.next == next_step.ProveWhole()

    seen = [Judged(f"G001/C{n}", Verdict.PASSED, "", "seen") for n in (1, 2)]
    story.tell(StandingJudged("tree2", tuple(seen)))
    assert story.next == next_step.Stop(Reason.DONE)


def test_a_goal_that_does_not_hold_on_the_last_tree_is_worked_on_again() -> None:
    story = judged("pp").tell(done("G001"), done("G002", tree="tree2"))
    failed = Judged("G001/C2", Verdict.FAILED, "exit 1", "seen")

    told = decide(story.plan, commands.RecordStanding("tree2", (failed,)), at=AT, actor=ENGINE)

    assert isinstance(told, Decided)
    story.tell(*told.events)
    goal = story.plan.goals[0]
    assert (goal.status, goal.criteria[1].status) == (GoalStatus.PENDING, CriterionStatus.REGRESSED)
    assert goal.reopened == "on tree tree2 it does not hold: C2: exit 1"
    assert story.next == next_step.Start()
    assert story.tell(GoalStarted("G001")).next == next_step.Freeze("G001")


def test_a_run_that_was_closed_still_has_an_answer() -> None:
    assert settled().tell(StateCleared("enough")).next == work()
