"""What a drive counts: time, tokens and money; and how long it pauses."""

from goalkeeper.core import next_step
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.artifacts import PhaseTrace
from goalkeeper.core.drive.pauses import find_pause_end, why_not_paused
from goalkeeper.core.drive.phases import Depth, Ending, Phase, Spend
from goalkeeper.core.drive.state import Budget, LineOfWork, Reason
from goalkeeper.core.moments import add_seconds
from tests.tables import for_each
from tests.unit.core.stories import NOON, record_of, settled, worktree_of

HOUR = 3600
OUTAGES = (Ending.OUTAGE, Ending.RATE_LIMITED)


def test_the_time_from_event_to_event_is_working_time() -> None:
    story = settled().begin(seconds=5).end(record_of(), "tree1", seconds=60)

    assert story.drive.used_ms(story.now) == 65_000
    assert story.drive.used_ms(add_seconds(story.now, 1.5)) == 66_500


def test_time_is_counted_to_the_millisecond() -> None:
    story = settled().work(seconds=0.0015)

    assert story.drive.milliseconds == 1


def test_a_phase_may_use_what_is_left_of_time_and_money() -> None:
    story = settled(seconds=100, microdollars=500, phase_seconds=60)
    before = story.drive.find_limits(story.now)
    story.work(spend=Spend(microdollars=200), seconds=70)
    after = story.drive.find_limits(story.now)

    assert (before.phase_seconds, before.microdollars) == (60, 500)
    assert (after.phase_seconds, after.microdollars) == (30, 300)
    assert story.drive.find_limits(add_seconds(story.now, HOUR)).phase_seconds == 1
    assert settled().drive.find_limits(NOON) == Budget()


def test_pauses_are_not_counted() -> None:
    story = settled().work(ending=Ending.OUTAGE, seconds=10)

    story.tell(happened.DrivePaused(add_seconds(story.now, HOUR), "outage"))
    assert story.drive.used_ms(add_seconds(story.now, HOUR)) == 10_000
    story.begin(Phase.IMPL, seconds=HOUR).end(record_of(), "tree1", seconds=7)

    assert story.drive.milliseconds == 17_000


def test_the_time_between_two_processes_is_not_counted() -> None:
    story = settled().begin(seconds=3)

    story.tell(happened.DriveResumed(), seconds=HOUR).end(record_of(), seconds=4)

    assert story.drive.milliseconds == 7_000


def test_time_that_the_clock_jumped_over_is_not_counted() -> None:
    story = settled().begin().tell(happened.ClockJumped(HOUR * 1000), seconds=HOUR + 3)
    story.end(record_of(ending=Ending.RATE_LIMITED), seconds=4)
    assert story.drive.milliseconds == 7_000

    story.tell(happened.DrivePaused(add_seconds(story.now, HOUR), "a limit"))
    story.tell(happened.ClockJumped(HOUR * 1000), seconds=HOUR)
    assert story.drive.milliseconds == 7_000


def test_a_jump_of_the_clock_takes_nothing_from_what_was_counted_before() -> None:
    story = settled().work(seconds=10)

    story.tell(happened.ClockJumped(HOUR * 1000), seconds=5)

    assert story.drive.milliseconds == 10_000


def test_the_rest_of_a_pause_is_not_counted_when_another_process_goes_on() -> None:
    story = settled().work(ending=Ending.OUTAGE, seconds=10)
    story.tell(happened.DrivePaused(add_seconds(story.now, HOUR), "outage"))

    story.tell(happened.DriveResumed(), seconds=HOUR / 2)
    story.begin(Phase.IMPL, seconds=HOUR / 2).end(record_of(), seconds=5)

    assert story.drive.milliseconds == 15_000


def test_after_a_pause_that_is_over_the_clock_goes_on_with_the_process() -> None:
    story = settled().work(ending=Ending.OUTAGE, seconds=10)
    story.tell(happened.DrivePaused(add_seconds(story.now, HOUR), "outage"))

    story.tell(happened.DriveResumed(), seconds=2 * HOUR).begin(Phase.IMPL, seconds=3)

    assert story.drive.milliseconds == 13_000


def test_a_judgement_in_a_pause_does_not_let_the_clock_run() -> None:
    story = settled().work("tree1", Ending.RATE_LIMITED, seconds=10)
    story.tell(happened.DrivePaused(add_seconds(story.now, HOUR), "rate-limited"))

    story.judge("ff")
    story.begin(Phase.IMPL, seconds=HOUR)

    assert story.drive.milliseconds == 10_000


def test_a_clock_that_goes_backwards_adds_nothing() -> None:
    story = settled().begin(seconds=10).end(record_of(), "tree1", seconds=-HOUR)

    assert story.drive.milliseconds == 10_000


def test_a_moment_that_tells_no_time_adds_nothing() -> None:
    story = settled().begin(seconds=10)

    assert story.drive.used_ms("yesterday, or so") == 10_000
    assert story.drive.used_ms("2026-01-01T13:00:00") == 10_000  # where?


def test_nothing_is_counted_after_the_end() -> None:
    story = settled().work("tree1", seconds=5).tell(happened.DriveEnded(Reason.FAILED, "disk"))

    story.judge("ff")

    assert story.drive.used_ms(add_seconds(story.now, HOUR)) == 5_000


def test_limits_and_what_was_used_of_them_last_across_restarts() -> None:
    budget = Budget(seconds=100, tokens=1000, microdollars=10**6)
    story = settled(seconds=100, tokens=1000, microdollars=10**6).work(
        ending=Ending.CRASH, seconds=60, spend=Spend(10, 20, 5, 30)
    )

    story.tell(happened.DriveResumed(), seconds=HOUR)

    drive = story.drive
    assert (drive.budget, drive.milliseconds) == (budget, 60_000)
    assert (drive.spend, story.line.crashes) == (Spend(10, 20, 5, 30), 1)


def test_other_terms_change_nothing_of_what_was_used_and_done() -> None:
    story = settled(tokens=100).work("tree1", seconds=60, spend=Spend(10, 20, 5, 30))
    before, terms = story.drive, Budget(tokens=500)

    story.tell(happened.TermsChanged("codex", Depth.FULL, terms), seconds=HOUR)

    assert story.drive == before.replace(agent="codex", depth=Depth.FULL, budget=terms)


# What it cost


def test_what_phases_cost_adds_up_whatever_became_of_them() -> None:
    story = settled()
    for ending in (Ending.CRASH, Ending.STALLED, Ending.OUTAGE, Ending.OK):
        story.begin(Phase.IMPL).end(record_of(ending, spend=Spend(100, 10, 50, 2500)))

    assert story.drive.spend == Spend(400, 40, 200, 10_000)
    assert (story.drive.spend.tokens, story.drive.unpriced) == (440, 0)


def test_unknown_cost_is_counted_apart_and_never_taken_for_nothing() -> None:
    story = settled()
    for dollars in (None, 2500, None):
        story.begin(Phase.IMPL).end(record_of(spend=Spend(100, 10, 0, dollars)))

    assert story.drive.spend == Spend(300, 30, 0, 2500)
    assert story.drive.unpriced == 2


def test_free_is_not_unknown() -> None:
    story = settled().work(spend=Spend(1, 1, 0, 0))

    assert story.drive.unpriced == 0


def test_a_new_drive_forgets_neither_time_nor_cost() -> None:
    story = settled().work(ending=Ending.CRASH, seconds=60, spend=Spend(100, 10, 0, None))
    story.tell(happened.DriveEnded(Reason.CRASHED))

    story.tell(happened.DriveBegan("codex", Depth.FULL, Budget()))
    story.work("tree1", spend=Spend(1, 2, 3, 4))

    drive = story.drive
    assert (drive.agent, drive.depth, drive.ended) == ("codex", "full", "")
    assert drive.milliseconds == 60_000
    assert (drive.spend, drive.total) == (Spend(1, 2, 3, 4), Spend(101, 12, 3, 4))
    assert (drive.unpriced, story.line.crashes) == (1, 0)


def test_a_limit_is_of_the_run_and_not_of_each_drive() -> None:
    budget = Budget(microdollars=900)
    story = settled(microdollars=900).work("tree1", spend=Spend(1, 1, 0, 1000)).judge("pf")
    story.tell(happened.DriveEnded(Reason.MAX_COST))

    for most, expected in ((900, next_step.Stop(Reason.MAX_COST, "$0.00")), (2000, None)):
        anew = budget.replace(microdollars=most)
        story.tell(happened.DriveBegan("rehearsal", Depth.QUICK, anew))
        assert next_step.find_limit(story.drive, story.now) == expected


def test_a_new_drive_takes_the_work_over() -> None:
    story = settled(Depth.FULL).work("tree1").work("tree2")
    story.tell(happened.DriveEnded(Reason.AUTH))

    story.tell(happened.DriveBegan("codex", Depth.FULL, Budget()))

    done = (PhaseTrace(Phase.PLAN), PhaseTrace(Phase.IMPL))
    assert story.drive.lines == (LineOfWork(worktree_of("G001"), "tree2", traces=done),)


def test_a_phase_of_which_no_end_is_recorded_is_handed_to_the_next_drive() -> None:
    story = settled().begin().tell(happened.PhaseSpawned("G001", 77, "123", "argv"))
    running = story.line.running
    story.tell(happened.DriveEnded(Reason.FAILED, "the disk is full"))

    story.tell(happened.DriveBegan("codex", Depth.QUICK, Budget()))
    assert story.line.running == running
    story.end(record_of(Ending.INTERRUPTED, spend=Spend(5, 5, 0, 5)))

    assert (story.drive.spend, story.line.attempts) == (Spend(5, 5, 0, 5), 1)


# How long to pause


def limited(resets_at: str) -> LineOfWork:
    return settled().work(ending=Ending.RATE_LIMITED, resets_at=resets_at).line


@for_each(
    "told",
    ["2026-01-01T15:00:00.000000Z", "2026-01-01T15:00:00Z", "2026-01-01T17:00:00+02:00"],
)
def test_a_pause_lasts_until_the_reset_time_that_was_told(told: str) -> None:
    assert find_pause_end(limited(told), Budget(), NOON) == "2026-01-01T15:00:00.000000Z"


@for_each("told", ["", "soon", "2026-01-01T15:00:00", "0001-01-01T00:00:00+23:00"])
def test_a_reset_time_that_nobody_can_read_is_as_good_as_none(told: str) -> None:
    assert find_pause_end(limited(told), Budget(), NOON) == add_seconds(NOON, 30)


@for_each("ending", OUTAGES)
def test_each_pause_in_a_row_is_twice_as_long_as_the_last(ending: Ending) -> None:
    story, lengths = settled(), []
    for _ in range(5):
        story.begin(Phase.IMPL).end(record_of(ending))
        lengths.append(find_pause_end(story.line, story.drive.budget, NOON))

    assert lengths == [add_seconds(NOON, seconds) for seconds in (30, 60, 120, 240, 480)]


def test_pauses_begin_with_the_length_that_was_asked_for() -> None:
    story = settled(backoff_seconds=7).work(ending=Ending.OUTAGE)

    assert find_pause_end(story.line, story.drive.budget, NOON) == add_seconds(NOON, 7)


def test_a_pause_beyond_all_calendars_ends_with_the_calendar() -> None:
    story = settled(backoff_seconds=10**18).work(ending=Ending.OUTAGE)

    assert find_pause_end(story.line, story.drive.budget, NOON) == "9999-12-31T23:59:59.999999Z"


@for_each(("seconds", "too_long"), [(-5, False), (100, False), (100.5, True)])
def test_a_pause_may_be_as_long_as_was_allowed(seconds: float, too_long: bool) -> None:
    budget, until = Budget(pause_seconds=100), add_seconds(NOON, seconds)

    why = f"it lasts until {until}: " if too_long else None
    assert why_not_paused(limited(""), budget, until, NOON) == why


def test_a_pause_forgets_the_last_record_but_not_how_often() -> None:
    story = settled().work(ending=Ending.OUTAGE)

    story.tell(happened.DrivePaused(add_seconds(story.now, 30), "outage: 503"))

    assert (story.line.last, story.line.outages) == (None, 1)
    assert (story.drive.paused_for, story.line.attempts) == ("outage: 503", 1)


def test_the_next_phase_ends_the_pause() -> None:
    story = settled().work(ending=Ending.OUTAGE)
    story.tell(happened.DrivePaused(add_seconds(story.now, 30), "outage")).begin(seconds=31)

    assert story.drive.paused_until == ""
