"""Goals that ask whether something is so: not before their time, and expired only by our clock."""

from datetime import datetime

from goalkeeper.core.answers.rules import not_yet
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.plan import commands, graph
from goalkeeper.core.plan.model import GoalStatus
from tests.tables import for_each
from tests.unit.core.helpers import AGENT, HUMAN, blocked, failed, goal_of, statuses
from tests.unit.core.verifications import Story, asked, at, hypothesis, questions, read

OPENS, CLOSES = "2026-03-13T20:00:00", "2026-03-14T20:00:00"
TIMED = hypothesis(resolves_no_earlier_than=OPENS, resolves_by=CLOSES)
BEFORE, THEN = "2026-03-13T19:59:00.000000Z", "2026-03-13T20:00:00.000000Z"
LAST, OVER = "2026-03-14T20:00:00.000000Z", "2026-03-14T20:00:00.000001Z"
EXPIRE = commands.Expire("G001")


def hours(moment: str) -> float:
    return (datetime.fromisoformat(moment) - datetime.fromisoformat(at(0))).total_seconds() / 3600


def test_T52b_it_is_not_started_before_its_time_and_the_reason_is_known() -> None:
    story = Story(asked(TIMED))

    assert story.must(commands.StartNext(), hours(BEFORE)).goal_ids == ()
    assert graph.not_before(story.plan.goals[0], BEFORE) == THEN
    assert graph.next_action(story.plan, BEFORE) is graph.NextAction.WAIT
    assert story.must(commands.StartNext(), hours(THEN)).goal_ids == ("G001",)


def test_a_hypothesis_that_has_not_resolved_yet_lets_others_go_on_and_comes_back() -> None:
    story, defer = Story(asked(TIMED), "two"), commands.Defer("G001")
    assert story.must(defer).events == ()  # it is pending already
    story.must(commands.StartNext(), hours(THEN))

    story.must(defer, hours(THEN))

    assert statuses(story.plan) == {"G001": "pending", "G002": "pending"}
    assert graph.not_before(story.plan.goals[0], THEN) == LAST
    assert story.must(commands.StartNext(), hours(THEN)).goal_ids == ("G002",)
    story.must(failed("G002"), hours(THEN))
    assert story.must(commands.StartNext(), hours(LAST)).goal_ids == ("G001",)
    assert story.no(defer, hours(OVER)).reason == "hypothesis-over"
    story.must(blocked("G001"), hours(LAST))
    assert story.no(defer, hours(LAST)).reason == "goal-not-active"
    assert Story("two").no(defer).reason == "not-a-hypothesis"


@for_each("text", ["session_end", "tomorrow", "2026-13-01"])
def test_T52b_a_time_that_is_none_is_refused_with_its_reason(text: str) -> None:
    problems = read_text(hypothesis(resolves_by=text))

    assert not isinstance(problems, Contract)
    (problem,) = problems
    assert f"expected an ISO 8601 time, not '{text}'" in str(problem)


def test_a_window_that_closes_before_it_opens_is_refused() -> None:
    problems = read_text(hypothesis(resolves_no_earlier_than=CLOSES, resolves_by=OPENS))

    assert not isinstance(problems, Contract)
    assert "resolves_by is not after resolves_no_earlier_than" in str(problems[0])


@for_each("written", ["2026-03-13T20:00:00", "2026-03-13T20:00:00Z", "2026-03-13T22:00:00+02:00"])
def test_times_are_compared_as_moments_and_without_a_zone_they_are_utc(written: str) -> None:
    timing = read(hypothesis(resolves_by=written)).timing

    assert timing is not None
    assert timing.closes == THEN


def test_T25_expired_is_believed_only_when_our_clock_says_so() -> None:
    story = Story(asked(TIMED))

    for moment in (BEFORE, THEN, LAST):
        refused = story.no(EXPIRE, hours(moment))
        assert refused.reason == "not-expired"
        assert "it resolves by 2026-03-14T20:00:00Z" in refused.message
    story.must(EXPIRE, hours(OVER) + 1e-6)

    assert statuses(story.plan) == {"G001": "expired"}
    assert story.plan.goals[0].evidence == "hypothesis h1 did not resolve by 2026-03-14T20:00:00Z"


def test_expired_told_twice_is_one_event() -> None:
    story = Story(asked(TIMED))
    story.must(EXPIRE, hours(OVER) + 1)

    assert story.must(EXPIRE, hours(OVER) + 2).events == ()


@for_each(
    ("text", "reason"),
    [(questions(), "not-a-hypothesis"), (hypothesis(), "not-expired")],
)
def test_no_goal_is_dropped_by_calling_it_expired(text: str, reason: str) -> None:
    story = Story(asked(text))

    for actor in (AGENT, HUMAN):
        assert story.no(EXPIRE, 10**4, actor).reason == reason
    assert statuses(story.plan) == {"G001": "pending"}


def test_whatever_state_it_is_in_an_unfinished_hypothesis_expires() -> None:
    for command in (None, failed("G001"), blocked("G001")):
        story = Story(asked(TIMED))
        story.must(commands.StartNext(), hours(THEN))
        if command:
            story.must(command, hours(THEN))
        story.must(EXPIRE, hours(OVER) + 1)
        assert story.plan.goals[0].status is GoalStatus.EXPIRED


def test_an_expired_goal_is_not_required_and_cannot_be_started_judged_or_amended() -> None:
    story = Story(asked(TIMED), "two").freeze()
    story.must(EXPIRE, hours(OVER) + 1)

    assert [goal.id for goal in story.plan.required_goals] == ["G002"]
    assert story.must(commands.StartNext(), hours(OVER) + 2).goal_ids == ("G002",)
    frozen = goal_of(story.plan, "G001").frozen
    assert frozen is not None
    assert story.no(commands.FreezeContract("G001", frozen)).reason == "goal-is-over"
    amended = commands.AmendContract("G001", frozen.replace(digest="other"), "why")
    assert story.no(amended, actor=HUMAN).reason == "goal-is-over"


def test_T46_what_depends_on_an_expired_goal_waits_at_a_dead_end() -> None:
    story = Story(asked(TIMED), asked(questions(), "G001"))
    story.must(EXPIRE, hours(OVER) + 1)
    second = goal_of(story.plan, "G002")

    assert not graph.is_satisfied(story.plan, "G001")
    assert not graph.is_ready(story.plan, second)
    assert [goal.id for goal in graph.dead_ends(story.plan, second)] == ["G001"]
    assert not story.plan.is_complete


@for_each(
    ("text", "result", "moment", "reason"),
    [
        (TIMED, "", THEN, "result-missing"),
        (TIMED, "CONFIRMED", BEFORE, "not-yet"),
        (questions(), "CONFIRMED", THEN, "not-a-hypothesis"),
        (TIMED, "CONFIRMED", THEN, ""),
        (TIMED, "CORRECTED", OVER, ""),
        (questions(), "", THEN, ""),
    ],
)
def test_T25_a_result_is_told_of_a_hypothesis_and_not_before_it_can_have_one(
    text: str, result: str, moment: str, reason: str
) -> None:
    refused = not_yet(Story(asked(text)).plan.goals[0], result, moment)

    assert (refused.reason if refused else "") == reason


def test_an_agent_can_make_no_goal_a_hypothesis() -> None:
    story, frozen = Story("one"), Story(asked(TIMED)).freeze().plan.goals[0].frozen
    assert frozen is not None

    assert story.no(commands.FreezeContract("G001", frozen)).reason == "timing-needs-human"
    story.must(commands.FreezeContract("G001", frozen), actor=HUMAN)
    assert story.plan.goals[0].timing is not None


def test_what_a_human_amends_away_no_longer_holds() -> None:
    story = Story(asked(TIMED)).freeze()
    plain = Story(asked(questions())).freeze().plan.goals[0].frozen
    assert plain is not None

    story.must(commands.AmendContract("G001", plain, "it is no question of time"), actor=HUMAN)

    assert story.plan.goals[0].timing is None
