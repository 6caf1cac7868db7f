"""What a drive remembers: what was done, and what went wrong in a row."""

from goalkeeper.core.contract.criteria import Decision
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import WORK, Depth, Ending, Phase
from goalkeeper.core.drive.state import LineOfWork, Reason
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.events import GoalCheckpointed, GoalJudged
from tests.tables import for_each
from tests.unit.core.helpers import FINDING, HINT, judgement_of, plan_of
from tests.unit.core.stories import Story, judged, record_of, settled, worktree_of

OUTAGES = (Ending.OUTAGE, Ending.RATE_LIMITED)

# How a phase counts, written out independently of the code: (worked, crashes, stalls, outages).
WORKED = (True, 0, 0, 0)
UNTOUCHED = {
    Ending.OK: WORKED,
    Ending.MOST_TURNS: WORKED,
    Ending.MOST_COST: WORKED,
    Ending.CONTEXT: WORKED,
    Ending.RATE_LIMITED: (False, 0, 0, 1),
    Ending.OUTAGE: (False, 0, 0, 1),
    Ending.AUTH: (False, 0, 0, 0),
    Ending.STALLED: (False, 0, 1, 0),
    Ending.TIMEOUT: (False, 1, 0, 0),
    Ending.INTERRUPTED: (False, 0, 0, 0),
    Ending.CRASH: (False, 1, 0, 0),
    Ending.NOT_STARTED: (False, 0, 0, 0),
}
CHANGED = UNTOUCHED | {
    Ending.STALLED: WORKED,
    Ending.TIMEOUT: WORKED,
    Ending.CRASH: WORKED,
    Ending.NOT_STARTED: WORKED,
}


def counts(line: LineOfWork) -> tuple[bool, int, int, int]:
    return Phase.IMPL in line.done, line.crashes, line.stalls, line.outages


def test_the_tables_speak_of_every_ending() -> None:
    assert set(UNTOUCHED) == set(CHANGED) == set(Ending)


@for_each("ending", Ending)
def test_a_phase_that_left_the_tree_as_it_was(ending: Ending) -> None:
    story = settled().work(ending=ending)

    assert counts(story.line) == UNTOUCHED[ending]
    assert story.line.running is None
    assert story.line.last == record_of(ending)


@for_each("ending", Ending)
def test_a_phase_that_changed_the_tree(ending: Ending) -> None:
    story = settled().work("tree1", ending)

    assert counts(story.line) == CHANGED[ending]
    assert story.line.tree == "tree1"


@for_each("ending", [e for e, told in UNTOUCHED.items() if not told[0]])
def test_what_was_not_worked_is_tried_again_under_a_new_number(ending: Ending) -> None:
    story = settled().work(ending=Ending.INTERRUPTED).work(ending=ending)

    assert story.line.attempts == 2
    assert story.missing == (Phase.IMPL,)


def test_work_begins_to_count_its_attempts_anew() -> None:
    story = settled(Depth.FULL).work(ending=Ending.CRASH).work("tree1")

    assert (story.line.done, story.line.attempts) == ((Phase.PLAN,), 0)


@for_each(
    ("ending", "name"),
    [
        (Ending.CRASH, "crashes"),
        (Ending.TIMEOUT, "crashes"),
        (Ending.STALLED, "stalls"),
        (Ending.OUTAGE, "outages"),
        (Ending.RATE_LIMITED, "outages"),
    ],
)
def test_what_goes_wrong_is_counted_in_a_row(ending: Ending, name: str) -> None:
    story = settled()

    for number in (1, 2, 3, 4):
        story.begin(Phase.IMPL).end(record_of(ending))
        assert getattr(story.line, name) == number


@for_each("ending", [Ending.CRASH, Ending.STALLED, Ending.OUTAGE])
def test_work_that_comes_to_its_own_end_begins_all_counts_anew(ending: Ending) -> None:
    story = settled(Depth.FULL).begin(Phase.PLAN).end(record_of(ending))

    story.begin(Phase.PLAN).end(record_of())

    assert (story.line.crashes, story.line.stalls, story.line.outages) == (0, 0, 0)


@for_each("ending", OUTAGES)
def test_progress_before_an_outage_forgives_crashes_but_not_outages(ending: Ending) -> None:
    story = settled().work(ending=Ending.CRASH).work(ending=Ending.STALLED)

    story.begin(Phase.IMPL).end(record_of(ending), "tree1")

    assert counts(story.line) == (False, 0, 0, 1)
    assert story.line.tree == "tree1"


def test_the_first_work_is_judged_even_if_it_changed_nothing() -> None:
    story = settled().work()

    assert story.missing == ()
    assert (story.line.unchanged, story.line.idle) == (0, 0)


def test_work_that_leaves_the_tree_as_judged_is_not_judged_again() -> None:
    story = judged("ff").work()

    assert (story.line.done, story.line.unchanged, story.line.idle) == ((), 1, 0)


def test_work_without_a_single_use_of_a_tool_is_idle() -> None:
    story = judged("ff").work(tool_calls=0).work()

    assert (story.line.unchanged, story.line.idle) == (2, 1)


def test_only_the_whole_round_of_phases_tells_that_nothing_changed() -> None:
    story = settled(Depth.FULL)
    for phase in WORK:
        story.begin(phase).end(record_of(), "tree1")
    story.judge("ff")

    for phase in WORK:
        assert story.line.unchanged == 0
        story.begin(phase).end(record_of())

    assert (story.line.unchanged, story.line.done) == (1, ())


def test_there_and_back_again_within_a_round_is_no_change() -> None:
    story = settled(Depth.FULL)
    for phase in WORK:
        story.begin(phase).end(record_of(), "tree1")
    story.judge("ff")

    for phase in WORK:
        story.begin(phase).end(record_of(), "tree1" if phase is Phase.SHIP else "tree2")

    assert story.line.unchanged == 1


def test_a_fresh_tree_that_is_judged_begins_the_count_of_changes_anew() -> None:
    story = judged("ff").work(tool_calls=0).work("tree2").judge("ff")

    assert (story.line.unchanged, story.line.idle) == (0, 0)
    assert (story.line.judged_tree, story.line.done) == ("tree2", ())


def test_a_judgement_that_stands_counts_like_one_that_is_new() -> None:
    story = judged("ff")
    story.tell(happened.WorktreeMade(worktree_of("G001"), "tree1")).work()

    story.judge("ff")

    assert story.goal.iteration == 1
    assert (story.line.judged_tree, story.line.done) == ("tree1", ())


def test_the_findings_are_those_of_the_last_judgement() -> None:
    story = settled().work("tree1").judge("ff", FINDING, HINT)
    assert story.line.findings == (FINDING, HINT)

    assert story.work("tree2").judge("ff").line.findings == ()


def test_a_judgement_of_another_tree_says_nothing_of_the_work_that_lies_there() -> None:
    """A human may judge the own checkout while the drive waits."""
    story = judged("ff").begin().end(record_of(Ending.RATE_LIMITED), "tree2")
    before = story.drive

    story.tell(GoalJudged("G001", 2, judgement_of("pf", FINDING, tree="other"), Decision.REPLAN))

    assert story.drive == before
    assert story.goal.iteration == 2


def test_a_judgement_of_another_goal_says_nothing_of_this_one() -> None:
    story = judged("ff").work("tree2")
    before = story.drive

    story.tell(GoalJudged("G002", 1, judgement_of("pf", tree="tree2"), Decision.REPLAN))

    assert story.drive == before


def test_while_a_phase_runs_no_judgement_ends_it() -> None:
    story = judged("ff").begin()
    running = story.line.running

    story.tell(GoalJudged("G001", 2, judgement_of("pf", tree="tree1"), Decision.REPLAN))

    assert story.line.running == running


# Worktrees, and events out of order


def test_another_goal_begins_with_nothing_held_against_it() -> None:
    story = judged("ff").work(ending=Ending.CRASH).work(ending=Ending.STALLED)

    story.settle("G002", "tree9")

    assert story.line == LineOfWork(worktree_of("G002"), "tree9")
    assert [line.goal_id for line in story.drive.lines] == ["G001", "G002"]


def test_the_line_of_a_goal_that_is_worked_on_stays_as_it_is_when_another_begins() -> None:
    story = judged("ff").work(ending=Ending.CRASH)
    before = story.line

    story.settle("G002", "tree9")

    assert story.drive.line("G001") == before


def test_the_line_of_a_goal_that_nobody_works_on_is_set_down_when_another_begins() -> None:
    story = judged("ff").work(ending=Ending.CRASH)
    story.tell(GoalCheckpointed("G001", CheckpointStatus.FAILED, "no"))
    before = story.line
    assert before.crashes == 1

    story.settle("G002", "tree9")

    assert story.drive.line("G001") == LineOfWork(worktree_of("G001"))


def test_a_line_with_a_phase_without_an_end_is_never_set_down() -> None:
    story = judged("ff").begin().tell(GoalCheckpointed("G001", CheckpointStatus.FAILED, "no"))
    before = story.line

    story.settle("G002", "tree9")

    assert story.drive.line("G001") == before


def test_a_worktree_made_again_takes_the_place_of_the_first() -> None:
    moved = worktree_of("G001").replace(path="/elsewhere")

    story = settled().tell(happened.WorktreeMade(moved, "tree1"))

    assert story.drive.lines == (LineOfWork(moved, "tree1"),)
    assert story.drive.line("G001") == LineOfWork(moved, "tree1")
    assert story.drive.line("G002") is None


def test_a_process_is_remembered_with_its_phase() -> None:
    story = settled().begin().tell(happened.PhaseSpawned("G001", 77, "123", "argv"))

    running = story.line.running
    assert running
    assert (running.pid, running.born, running.marker) == (77, "123", "marker")


def test_a_process_whose_line_names_no_goal_belongs_to_the_phase_that_runs() -> None:
    """The first version of this event did not name it, and one phase ran at a time."""
    story = settled().settle("G002").begin()

    story.tell(happened.PhaseSpawned("", 77, "123", "argv"))

    assert [(phase.goal_id, phase.pid) for phase in story.drive.running] == [("G001", 77)]


def test_a_phase_that_is_skipped_is_not_missing() -> None:
    story = settled(Depth.FULL).tell(happened.PhaseSkipped("G001", 1, Phase.PLAN, "small"))

    assert story.missing[0] is Phase.IMPL


@for_each(
    "event",
    [
        happened.PhaseSpawned("G001", 1, "2", "argv"),
        happened.PhaseEnded("G001", 1, Phase.IMPL, 1, record_of(Ending.CRASH), "tree9"),
    ],
)
def test_an_end_without_a_beginning_changes_nothing_but_the_clock(
    event: happened.DriveEvent,
) -> None:
    story = settled()
    before = story.drive

    assert story.tell(event).drive == before


def test_nothing_is_driven_before_a_drive_begins() -> None:
    plan = plan_of("one")
    story = Story(plan)
    events: list[happened.DriveEvent] = [
        happened.DriveResumed(), happened.DrivePaused("x", "y"), happened.DriveEnded(Reason.DONE),
        happened.WorktreeMade(worktree_of("G001"), "tree"), happened.JudgementStood("G001"),
    ]  # fmt: skip
    story.plan = plan

    assert story.tell(*events).plan == plan


def test_refs_that_moved_are_for_the_record_only() -> None:
    story = settled()
    before = story.drive

    assert story.tell(happened.RefsMoved("G001", ("refs/heads/main 123",))).drive == before
