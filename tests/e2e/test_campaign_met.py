"""Sessions that others have met, and sessions whose plan a human changes."""

import json
from pathlib import Path

import pytest

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.test_campaign_seed import count_phases
from tests.e2e.world import Answer, Env

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


# A human changes the plan.


def plan_too_much(campaigned: Campaigned) -> Path:
    """Sessions, of which the second asks for what nobody can do; return its spec."""
    never = Step(B.path, verify="grep -q heaven parts/b.txt", text="fixed")
    campaigned.plan_sessions(
        Session("one", [A]),
        Session("two", [never], after="Session 1"),
        Session("three", [C], after="Session 2"),
        scripts=[{"*": [mend(each.path)]} for each in (A, B, C)],
    )
    assert campaigned.work("--max-iterations", "1").code == 1
    spec = campaigned.root / "S02.md"
    spec.write_text(campaigned.ok("campaign", "show", "S02", "--spec")["spec"])
    return spec


def amend(campaigned: Campaigned, name: str, spec: Path, env: Env | None = None) -> Answer:
    words = ("campaign", "amend", name, "--from", str(spec), "--reason", "too much", "--json")
    return campaigned.run(*words, env=campaigned.human() if env is None else env)


def test_an_amended_session_begins_anew_and_lands(campaigned: Campaigned) -> None:
    spec = plan_too_much(campaigned)
    spec.write_text(spec.read_text().replace("heaven", "fixed"))

    answer = amend(campaigned, "S02", spec)

    assert answer.code == 0, answer.json
    assert campaigned.show()["sessions"][1]["why"] == ["amended: too much"]
    again = campaigned.work()
    assert again.code == 0, again.json
    assert campaigned.read_head(B.path) == "fixed"
    kept = campaigned.ok("campaign", "show", "S02", "--spec")["spec"]
    assert "heaven" not in kept


def test_only_a_human_amends_and_only_what_the_critic_lets_through(campaigned: Campaigned) -> None:
    spec = plan_too_much(campaigned)
    before = campaigned.list_events()
    as_it_was = spec.read_text()

    assert amend(campaigned, "S02", spec, {"CLAUDECODE": "1"}).reason == "human-needed"
    assert "there is a Session 2 already" in amend(campaigned, "S01", spec).err
    spec.write_text(as_it_was.replace("grep -q heaven", "rm -rf / ; grep -q fixed"))
    refused = amend(campaigned, "S02", spec)
    assert refused.reason == "plan-refused"
    assert {each["rule"] for each in refused.json["findings"] if each["is_blocking"]}
    spec.write_text(campaigned.ok("campaign", "show", "S01", "--spec")["spec"])
    assert amend(campaigned, "S01", spec).reason == "session-settled"
    assert campaigned.list_events() == before


def test_who_is_not_blocked_is_not_let_go_on(campaigned: Campaigned) -> None:
    campaigned.plan_sessions(Session("one", [A]), scripts=[{"*": [mend(A.path)]}])

    words = ("campaign", "unblock", "S01", "--reason", "why not", "--json")
    answer = campaigned.run(*words, env=campaigned.human())

    assert answer.reason == "not-blocked"
    assert campaigned.list_events() == ["campaign_made"]


def test_the_run_of_another_session_is_no_earlier_run(campaigned: Campaigned) -> None:
    stops = Step(A.path, on_failure="escalate")
    campaigned.plan_sessions(
        Session("stops", [stops]), Session("two", [B]),
        scripts=[{"*": [mend(A.path, "wrong")]}, {"*": [mend(B.path)]}],
    )  # fmt: skip

    assert campaigned.work(parallel=1).code == 1

    ledgers = [path.read_text() for path in campaigned.state.glob("runs/*/ledger.jsonl")]
    lines = [json.loads(line) for text in ledgers for line in text.splitlines()]
    began = [line["data"] for line in lines if line["kind"] == "drive_began"]
    assert [each["prior"] for each in began] == [["none"], ["none"]]
