"""Sessions that others have met, and sessions whose plan a human changes."""

import json
from pathlib import Path

import pytest

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import shell
from tests.e2e.test_campaign_seed import count_phases
from tests.e2e.world import Answer, Env

A, B = (Step(f"parts/{name}.txt") for name in "ab")


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    return Campaigned(tmp_path)


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_a_session_that_others_have_met_is_closed_and_who_breaks_it_bounces_by_name(
    campaigned: Campaigned,
) -> None:
    """Two is met by one, which promises less; three breaks what only two asked for, at first."""
    tried = campaigned.stories / "tried"
    loose, breaks = (
        Step(A.path, verify=f"grep -q {word} parts/a.txt", text=word) for word in ("ixed", "Mixed")
    )
    campaigned.plan_sessions(
        Session("one", [loose]),
        Session("two", [A], after="Session 1"),
        Session("three", [breaks], after="Session 2"),
        scripts=[
            {"*": [mend(A.path)]},
            {},
            {"*": [shell(f"test -e {tried} && echo fixed Mixed > {A.path} || echo Mixed > {A.path}"
                         f"; touch {tried}")]},
        ],
    )  # fmt: skip

    answer = campaigned.work()

    assert answer.code == 0, answer.json
    shown = campaigned.show()["sessions"]
    assert [each["status"] for each in shown] == ["landed", "met", "landed"]
    assert [each["recovery"] for each in shown] == [0, 0, 1]
    (ledger,) = campaigned.state.glob("campaigns/*/ledger.jsonl")
    assert '"reasons":["S02 C1 breaks: ' in ledger.read_text()
    assert campaigned.read_head(A.path) == "fixed Mixed"
    assert count_phases(campaigned) == 3, "nobody worked on the second"


# A human changes the plan.


def plan_too_much(campaigned: Campaigned) -> Path:
    """Sessions, of which the second asks for what nobody can do; return its spec."""
    asked = "grep -q heaven parts/b.txt"
    never = Step(B.path, verify=asked, on_failure="escalate")
    campaigned.plan_sessions(
        Session("one", [A]),
        Session("two", [never], after="Session 1"),
        scripts=[{"*": [mend(each.path)]} for each in (A, B)],
    )
    assert campaigned.work().code == 1
    spec = campaigned.root / "S02.md"
    spec.write_text(campaigned.ok("campaign", "show", "S02", "--spec")["spec"])
    return spec


def amend(campaigned: Campaigned, name: str, spec: Path, env: Env | None = None) -> Answer:
    words = ("campaign", "amend", name, "--from", str(spec), "--reason", "too much", "--json")
    return campaigned.run(*words, env=campaigned.human() if env is None else env)


@pytest.mark.thorough
def test_only_a_human_amends_what_the_critic_lets_through_and_it_begins_anew_and_lands(
    campaigned: Campaigned,
) -> None:
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

    spec.write_text(as_it_was.replace("heaven", "fixed"))
    answer = amend(campaigned, "S02", spec)
    assert answer.code == 0, answer.json
    assert campaigned.show()["sessions"][1]["why"] == ["amended: too much"]
    again = campaigned.work()
    assert again.code == 0, again.json
    assert campaigned.read_head(B.path) == "fixed"
    kept = campaigned.ok("campaign", "show", "S02", "--spec")["spec"]
    assert "heaven" not in kept


def test_who_is_not_blocked_is_not_let_go_on(campaigned: Campaigned) -> None:
    campaigned.plan_sessions(Session("one", [A]), scripts=[{"*": [mend(A.path)]}])

    words = ("campaign", "unblock", "S01", "--reason", "why not", "--json")
    answer = campaigned.run(*words, env=campaigned.human())

    assert answer.reason == "not-blocked"
    assert campaigned.list_events() == ["campaign_made"]


@pytest.mark.thorough
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
