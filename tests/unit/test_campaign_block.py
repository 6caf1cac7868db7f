"""The block that shows a campaign: what it says, and that nothing breaks its lines."""

from __future__ import annotations

from rich.cells import cell_len

from goalkeeper.app.queries.campaigns import estimate_left
from goalkeeper.cli.pages.campaign_block import Room, draw_block
from goalkeeper.core.campaign import events
from goalkeeper.core.campaign.fold import apply_event, begin_campaign
from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession
from goalkeeper.core.campaign.state import Allowance, Campaign, CampaignTerms
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.drive.phases import Spend
from goalkeeper.core.drive.state import Reason
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan.model import Base, Plan
from tests.tables import for_each
from tests.unit.core.campaign.small_plans import session, step
from tests.unit.core.stories import NOON, judged, settled

HEAD = Base("tree", "8b14ce4aa")
WIDE = "日本語の見出し"


def plan_session(number: int, title: str = "", after: tuple[int, ...] = ()) -> PlannedSession:
    names = tuple(f"S{each:02d}" for each in after)
    title = title or f"part {number}"
    return session(step(), id=f"S{number:02d}", title=title, depends_on=names)


def begin(*sessions: PlannedSession, parallel: int = 4, dollars: int = 0) -> Campaign:
    made = events.CampaignMade("c1", MasterPlan("", "t", "1.7", sessions=sessions), "", "b", HEAD)
    terms = CampaignTerms("claude", (), parallel, Allowance(microdollars=dollars * 1_000_000))
    return apply_event(begin_campaign(made, NOON), events.CampaignBegan(terms), NOON)


def admit(campaign: Campaign, *numbers: int, at: str = NOON) -> Campaign:
    for number in numbers:
        event = events.SessionAdmitted(f"S{number:02d}", f"r{number}", HEAD)
        campaign = apply_event(campaign, event, at)
    return campaign


def end(campaign: Campaign, number: int, *, seconds: int = 60, dollars: float = 0) -> Campaign:
    spend = Spend(microdollars=int(dollars * 1_000_000))
    work = Base(f"t{number}", f"c{number}")
    done = events.SessionEnded(f"S{number:02d}", Reason.DONE, "", spend, seconds * 1000, work=work)
    return apply_event(admit(campaign, number), done, NOON)


def land(campaign: Campaign, number: int) -> Campaign:
    return apply_event(campaign, events.BatchLanded((f"S{number:02d}",), HEAD), NOON)


def draw(
    campaign: Campaign, plans: dict[str, Plan] | None = None, seconds: int = 0, *, room: Room
) -> list[str]:
    now = add_seconds(NOON, seconds)
    return [line.text for line in draw_block(campaign, plans or {}, now, room)]


def test_a_row_says_what_a_session_does_and_what_the_last_judgement_said() -> None:
    campaign = begin(
        plan_session(1, "prices"), plan_session(2, "docs"), plan_session(3, "api"),
        plan_session(4, "price"), plan_session(5, "deploy", after=(3,)), dollars=10,
    )  # fmt: skip
    campaign = land(end(campaign, 1, seconds=90, dollars=3), 1)
    campaign = end(campaign, 2, seconds=90, dollars=1)
    refused = events.BatchRefused(("S04",), HEAD, ("S02 C1 breaks",))
    campaign = apply_event(end(campaign, 4, seconds=90), refused, NOON)
    story = judged("fp").begin()

    drawn = draw(admit(campaign, 3), {"r3": story.plan}, 62, room=Room())

    assert drawn == [
        "Campaign 1 of 5 landed   1 at work   $4.00 of 10   ~1 min left",
        "S03 api     G001 impl 2/5  C1 FAIL C2 PASS  rehearsal  1:02",
        "S02 docs    in the queue, proving on 8b14ce4",
        "S04 price   bounced: S02 C1 breaks; recovery 1 of 2",
        "S05 deploy  waits for S03",
        "S01 prices  landed in 8b14ce4",
    ]


def test_the_money_of_sessions_at_work_counts() -> None:
    campaign = admit(end(begin(plan_session(1), plan_session(2)), 1, dollars=1.5), 2)
    story = settled().work("tree1", spend=Spend(microdollars=250_000))

    assert "$1.75" in draw(campaign, {"r2": story.plan}, room=Room())[0]


@for_each("columns", [20, 40, 59, 80])
def test_no_line_is_longer_than_the_terminal(columns: int) -> None:
    titles = (WIDE * 9, "long words " * 9, "\x1b[31mred\x07\r\nlines\u202e", "e\u0301" * 50)
    campaign = begin(*(plan_session(n, title) for n, title in enumerate(titles, 1)), dollars=10)
    plan = judged("ff").begin().plan
    campaign = end(admit(campaign, 1, 2, 3), 4)

    drawn = draw(campaign, {"r1": plan, "r2": plan}, 4000, room=Room(columns, 30))

    assert max(map(cell_len, drawn)) <= columns
    assert not any(c in "\x1b\x07\r\n\u202e" for line in drawn for c in line)
    assert sum(line.startswith("S0") for line in drawn) == 4
    times = [line.endswith("1:06:40") for line in drawn if line.startswith(("S01", "S02"))]
    assert all(times) is (columns > 20)


def test_many_criteria_are_counted() -> None:
    campaign = admit(begin(plan_session(1)), 1)
    story = judged("fp").begin()
    passed = tuple(CriterionState(f"C{n}", CriterionStatus.PASS) for n in range(3, 7))
    goal = story.goal.replace(criteria=story.goal.criteria + passed)
    plan = story.plan.replace(goals=(goal, *story.plan.goals[1:]))

    drawn = draw(campaign, {"r1": plan}, room=Room())

    assert "1 FAIL 5 PASS" in drawn[1]


def test_of_two_hundred_sessions_those_that_matter_are_shown_and_the_rest_is_counted() -> None:
    campaign = begin(*(plan_session(n) for n in range(1, 201)))
    for number in range(1, 8):
        campaign = land(end(campaign, number), number)
    campaign = end(admit(campaign, 100, 150, 200), 199)

    drawn = draw(campaign, room=Room(80, 10))

    assert len(drawn) == 10
    assert drawn[0].startswith("Campaign 7 of 200 landed   3 at work   ~48 min left")
    assert [line[:5].strip() for line in drawn[1:5]] == ["S100", "S150", "S200", "S199"]
    assert drawn[-1] == "and 185 more wait, 7 done"


def test_all_are_shown_where_there_is_room_for_them() -> None:
    campaign = begin(*(plan_session(n) for n in range(1, 10)))

    assert len(draw(campaign, room=Room(80, 10))) == 10
    assert draw(campaign, room=Room(80, 9))[-1] == "and 2 more wait"
    assert len(draw(campaign, room=Room(80, 1))) == 3  # a head, one row and the rest


# The time that is left


def test_nothing_is_promised_before_the_first_session_has_ended() -> None:
    campaign = admit(begin(plan_session(1), plan_session(2)), 1)

    assert estimate_left(campaign, NOON) is None
    assert estimate_left(end(campaign, 1), NOON) == 60


def test_what_must_come_one_after_another_takes_its_time_whatever_the_places() -> None:
    chain = [plan_session(n, after=(n - 1,) if n > 1 else ()) for n in range(1, 6)]
    beside = [plan_session(n) for n in range(1, 6)]

    assert estimate_left(end(begin(*chain), 1), NOON) == 240
    assert estimate_left(end(begin(*beside), 1), NOON) == 60
    assert estimate_left(end(begin(*beside, parallel=2), 1), NOON) == 120


def test_time_that_was_worked_is_taken_off_and_larger_sessions_take_longer() -> None:
    campaign = begin(plan_session(1), plan_session(2).replace(steps=(step(1), step(2))))
    campaign = admit(end(campaign, 1), 2)

    assert estimate_left(campaign, add_seconds(NOON, 50)) == 70
    assert estimate_left(campaign, add_seconds(NOON, 500)) is None


def test_who_waits_for_a_session_that_is_stuck_takes_no_time() -> None:
    sessions = (plan_session(1), plan_session(2, after=(1,)), plan_session(3, after=(2,)))
    campaign = end(begin(*sessions, plan_session(4), plan_session(5)), 4)
    stuck = events.SessionEnded("S01", Reason.NEEDS_HUMAN, "", Spend(), 1000)

    assert estimate_left(apply_event(campaign, stuck, NOON), NOON) == 30
