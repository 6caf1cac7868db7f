"""What comes next in a campaign, decided from its events alone."""

from __future__ import annotations

import random
import statistics

import pytest

from bench.schedule import make_plan, simulate
from goalkeeper.core.campaign import events
from goalkeeper.core.campaign.codec import decode_event, encode_event
from goalkeeper.core.campaign.fold import apply_event, begin_campaign
from goalkeeper.core.campaign.next_steps import (
    Admit,
    CampaignStep,
    EndCampaign,
    LandBatch,
    ProveBatch,
    ProveEverything,
    WaitUntil,
    next_steps,
)
from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession, PlannedStep
from goalkeeper.core.campaign.state import (
    Allowance,
    Campaign,
    CampaignReason,
    CampaignTerms,
    SessionStatus,
)
from goalkeeper.core.drive.phases import Spend
from goalkeeper.core.drive.state import Reason
from goalkeeper.core.plan.model import Base

NOW = "2026-01-01T00:00:00.000000Z"
LATER = "2026-01-01T02:00:00.000000Z"
BASE = Base("t0", "c0")
TERMS = CampaignTerms("claude", parallel=4)


def plan_session(name: str, *, after: tuple[str, ...] = (), touch: str = "") -> PlannedSession:
    step = PlannedStep(1, f"step of {name}")
    return PlannedSession(name, name, (step,), depends_on=after, touch=(touch or f"src/{name}/**",))


def begin(*sessions: PlannedSession, terms: CampaignTerms = TERMS) -> Campaign:
    made = events.CampaignMade("c1", MasterPlan("", "t", "1.7", sessions=sessions), "", "b", BASE)
    return tell(begin_campaign(made, NOW), events.CampaignBegan(terms))


def tell(campaign: Campaign, *told: events.CampaignEvent, at: str = NOW) -> Campaign:
    """Apply events as they come back from a ledger."""
    for event in told:
        campaign = apply_event(campaign, decode_event(*encode_event(event)), at)
    return campaign


def admit(campaign: Campaign) -> Campaign:
    for step in next_steps(campaign, NOW):
        if isinstance(step, Admit):
            event = events.SessionAdmitted(step.session_id, "r" + step.session_id, BASE, step.slice)
            campaign = tell(campaign, event)
    return campaign


def end(name: str, reason: Reason = Reason.DONE, dollars: int = 0) -> events.SessionEnded:
    work = Base(f"t-{name}", f"c-{name}") if reason is Reason.DONE else None
    spend = Spend(microdollars=dollars)
    share = Allowance(microdollars=dollars)
    return events.SessionEnded(name, reason, "said", spend, 1000, share, work)


def land(campaign: Campaign, *names: str) -> Campaign:
    head = Base(f"t-{'-'.join(names)}", f"h-{'-'.join(names)}")
    proven = events.BatchProven(names, campaign.head, head)
    return tell(campaign, proven, events.BatchLanded(names, head))


def admitted(steps: tuple[CampaignStep, ...]) -> list[str]:
    return [step.session_id for step in steps if isinstance(step, Admit)]


def test_who_waits_for_a_moment_is_tried_at_once_when_somebody_begins_the_campaign_again() -> None:
    limited = end("a", Reason.RATE_LIMITED).replace(resets_at=LATER)
    campaign = tell(admit(begin(plan_session("a"))), limited)

    assert next_steps(campaign, NOW) == (WaitUntil(LATER, "a session waits for this moment"),)
    again = tell(campaign, events.CampaignEnded(CampaignReason.STOPPED, ""))
    assert admitted(next_steps(tell(again, events.CampaignBegan(TERMS)), NOW)) == ["a"]


def test_a_session_whose_run_is_lost_begins_in_a_new_one_and_its_costs_stay_counted() -> None:
    failed = end("a", Reason.FAILED, dollars=7)
    campaign = tell(admit(begin(plan_session("a"))), failed)

    lost = tell(campaign, events.SessionUnblocked("a", "why", is_run_lost=True)).sessions["a"]

    assert (lost.run_id, lost.base, lost.lost_spend.microdollars) == ("", None, 7)
    kept = tell(campaign, events.SessionUnblocked("a", "why")).sessions["a"]
    assert (kept.run_id, kept.lost_spend.microdollars) == ("ra", 0)


def test_a_session_begins_when_all_that_it_depends_on_has_landed_and_not_before() -> None:
    campaign = begin(plan_session("S01"), plan_session("S02", after=("S01",)))
    assert admitted(next_steps(campaign, NOW)) == ["S01"]
    campaign = tell(admit(campaign), end("S01"))
    assert next_steps(campaign, NOW) == (ProveBatch(("S01",)),)
    campaign = tell(campaign, events.BatchProven(("S01",), BASE, Base("t1", "c1")))
    assert next_steps(campaign, NOW) == (LandBatch(),)
    campaign = tell(campaign, events.BatchLanded(("S01",), Base("t1", "c1")))
    assert admitted(next_steps(campaign, NOW)) == ["S02"]


def test_sessions_that_may_change_the_same_file_do_not_work_at_once() -> None:
    campaign = begin(plan_session("S01", touch="src/a.py"), plan_session("S02", touch="src/*.py"))
    campaign = admit(campaign)
    assert [s.id for s in campaign.list_sessions(SessionStatus.WORKING)] == ["S01"]
    campaign = tell(campaign, end("S01"))
    assert admitted(next_steps(campaign, NOW)) == []
    assert admitted(next_steps(land(campaign, "S01"), NOW)) == ["S02"]


def test_a_session_without_a_fence_works_alone() -> None:
    unknown = plan_session("S01").replace(touch=())
    campaign = begin(unknown, plan_session("S02"), plan_session("S03"))
    assert admitted(next_steps(campaign, NOW)) == ["S01"]
    campaign = begin(plan_session("S02"), plan_session("S03"), unknown)
    assert admitted(next_steps(campaign, NOW)) == ["S02", "S03"]


def test_the_session_that_most_work_waits_for_comes_first() -> None:
    chain = [plan_session("S02"), plan_session("S03", after=("S02",))]
    campaign = begin(plan_session("S01"), *chain, terms=TERMS.replace(parallel=1))
    assert admitted(next_steps(campaign, NOW)) == ["S02"]


def test_a_cap_of_money_is_shared_in_slices_and_no_more_is_promised_than_is_left() -> None:
    terms = TERMS.replace(allowance=Allowance(microdollars=100))
    campaign = begin(*(plan_session(f"S{n:02d}") for n in range(1, 7)), terms=terms)
    first = next_steps(campaign, NOW)
    assert sum(step.slice.microdollars for step in first if isinstance(step, Admit)) <= 100
    campaign = admit(campaign)
    campaign = tell(campaign, end("S01", Reason.MAX_COST, 20), end("S02", Reason.DONE, 20))
    assert campaign.spend.microdollars == 40
    promised = sum(s.slice.microdollars for s in campaign.list_sessions(SessionStatus.WORKING))
    more = [
        step.slice.microdollars for step in next_steps(campaign, NOW) if isinstance(step, Admit)
    ]
    assert more
    assert 40 + promised + sum(more) <= 100
    campaign = tell(campaign, end("S03", Reason.DONE, 30), end("S04", Reason.DONE, 30))
    campaign = land(campaign, "S02", "S03", "S04")
    assert next_steps(campaign, NOW) == (EndCampaign(CampaignReason.MAX_COST, "$0.00"),)


def test_a_session_whose_slice_is_used_up_goes_on_and_is_no_recovery() -> None:
    terms = TERMS.replace(allowance=Allowance(microdollars=100))
    campaign = tell(admit(begin(plan_session("S01"), terms=terms)), end("S01", Reason.MAX_COST, 30))
    assert campaign.sessions["S01"].depth == 0
    assert next_steps(campaign, NOW) == (Admit("S01", Allowance(microdollars=30)),)


def test_one_bad_session_of_twenty_is_found_in_few_proofs_and_all_others_land() -> None:
    names = [f"S{n:02d}" for n in range(1, 21)]
    for bad in names:
        campaign = begin(*map(plan_session, names), terms=TERMS.replace(parallel=20))
        campaign = tell(admit(campaign), *map(end, names))
        proofs = 0
        while isinstance(step := next_steps(campaign, NOW)[0], ProveBatch):
            proofs += 1
            asked = step.session_ids
            if bad in asked:
                refused = events.BatchRefused(asked, campaign.head, ("S01 G001/C1 breaks",))
                campaign = tell(campaign, refused)
            else:
                campaign = land(campaign, *asked)
        assert {*campaign.settled_ids} == {*names} - {bad}
        assert campaign.sessions[bad].depth == 1
        assert proofs <= 11, bad


@pytest.mark.parametrize("how", ["bounced", "stopped"])
def test_a_session_is_recovered_twice_and_then_a_human_is_asked(how: str) -> None:
    campaign = begin(plan_session("S01"), plan_session("S02", after=("S01",)))
    for depth in (1, 2, 3):
        campaign = admit(campaign)
        if how == "bounced":
            campaign = tell(campaign, end("S01"))
            campaign = tell(campaign, events.BatchRefused(("S01",), campaign.head, ("it breaks",)))
        else:
            campaign = tell(campaign, end("S01", Reason.NO_OP))
        expected = SessionStatus.WAITING if depth < 3 else SessionStatus.FAILED
        assert campaign.sessions["S01"].status is expected
    (step,) = next_steps(campaign, NOW)
    assert isinstance(step, EndCampaign)
    assert step.reason is CampaignReason.PARTIAL
    assert "S01" in step.detail
    assert "S02" in step.detail
    again = tell(campaign, events.SessionUnblocked("S01", "another agent"))
    assert admitted(next_steps(again, NOW)) == ["S01"]


def test_a_session_that_cannot_work_here_is_blocked_and_others_go_on() -> None:
    campaign = admit(begin(plan_session("S01"), plan_session("S02")))
    campaign = tell(campaign, end("S01", Reason.PREFLIGHT), end("S02"))
    assert campaign.sessions["S01"].status is SessionStatus.BLOCKED
    assert next_steps(campaign, NOW) == (ProveBatch(("S02",)),)


def test_a_rate_limit_of_a_client_lets_nobody_begin_and_the_campaign_wait() -> None:
    campaign = tell(begin(plan_session("S01")), events.ClientPaused("claude", LATER, "limit"))
    assert next_steps(campaign, NOW) == (WaitUntil(LATER, "the rate limit of claude"),)
    assert admitted(next_steps(campaign, LATER)) == ["S01"]


def test_nobody_waits_for_a_limit_of_years() -> None:
    limited = events.ClientPaused("claude", "9998-01-01T00:00:00.000000Z", "limit")
    assert admitted(next_steps(tell(begin(plan_session("S01")), limited), NOW)) == ["S01"]


def test_all_is_proven_once_more_at_the_end_and_again_when_the_branch_moved() -> None:
    campaign = land(tell(admit(begin(plan_session("S01"))), end("S01")), "S01")
    assert next_steps(campaign, NOW) == (ProveEverything(),)
    proven = tell(campaign, events.WholeProven(campaign.head))
    assert next_steps(proven, NOW) == (EndCampaign(CampaignReason.DONE),)
    moved = tell(proven, events.HeadMoved(Base("t9", "c9")))
    assert next_steps(moved, NOW) == (ProveEverything(),)
    broken = tell(moved, events.WholeProven(moved.head, ("S01 G001/C1 breaks",)))
    assert next_steps(broken, NOW) == (EndCampaign(CampaignReason.NOT_WHOLE, "S01 G001/C1 breaks"),)
    again = tell(broken, events.CampaignBegan(TERMS))
    assert next_steps(again, NOW) == (ProveEverything(),)


def test_whoever_asks_it_to_stop_stops_it_while_sessions_are_at_work() -> None:
    campaign = tell(admit(begin(plan_session("S01"))), events.StopAsked("enough"))
    assert next_steps(campaign, NOW) == (EndCampaign(CampaignReason.STOPPED, "enough"),)


def test_places_are_filled_almost_as_well_as_can_be() -> None:
    chance = random.Random(1)
    found = [simulate(*make_plan(60, chance), parallel) for parallel in (2, 4, 8) for _ in range(4)]
    assert statistics.median(each.ratio for each in found) <= 1.1
