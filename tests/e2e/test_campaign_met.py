"""Sessions that others have met, and sessions whose plan a human changes."""

from pathlib import Path

import pytest

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.test_campaign_seed import count_phases

A, B, C = (Step(f"parts/{name}.txt") for name in "abc")


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    return Campaigned(tmp_path)


def test_a_session_that_others_have_met_is_closed_without_work_and_lets_others_begin(
    campaigned: Campaigned,
) -> None:
    campaigned.plan_sessions(
        Session("one", [A]),
        Session("the same", [A], after="Session 1"),
        Session("three", [C], after="Session 2"),
        scripts=[{"*": [mend(A.path)]}, {}, {"*": [mend(C.path)]}],
    )

    answer = campaigned.work()

    assert answer.code == 0, answer.json
    states = [each["status"] for each in campaigned.show()["sessions"]]
    assert states == ["landed", "met", "landed"]
    assert count_phases(campaigned) == 2


def test_what_held_before_the_campaign_was_not_met_by_others(campaigned: Campaigned) -> None:
    green = Step(B.path, verify="test -e parts/b.txt")
    campaigned.plan_sessions(
        Session("one", [A]),
        Session("vacuous", [green], after="Session 1"),
        scripts=[{"*": [mend(A.path)]}, {"*": [mend(B.path)]}],
    )

    assert campaigned.work().code == 1
    _, vacuous = campaigned.show()["sessions"]
    assert vacuous["status"] == "blocked"
    assert "already green" in " ".join(vacuous["why"])


def test_who_breaks_what_was_met_bounces_with_the_criterion_by_name(
    campaigned: Campaigned,
) -> None:
    """Two is met by one, which promises less; three breaks what only two asked for."""
    loose, breaks = (
        Step(A.path, verify=f"grep -q {word} parts/a.txt", text=word) for word in ("ixed", "Mixed")
    )
    campaigned.plan_sessions(
        Session("one", [loose]),
        Session("two", [A], after="Session 1"),
        Session("three", [breaks], after="Session 2"),
        scripts=[{"*": [mend(A.path)]}, {}, {"*": [mend(A.path, "Mixed")]}],
    )

    assert campaigned.work().code == 1
    one, two, three = campaigned.show()["sessions"]
    assert (one["status"], two["status"], three["status"]) == ("landed", "met", "failed")
    assert "S02 C1 breaks" in " ".join(three["why"])
    assert campaigned.read_head(A.path) == "fixed"
