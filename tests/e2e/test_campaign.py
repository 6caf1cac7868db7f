"""Campaigns: many sessions at once, and nothing lands that is not proven together."""

import json
import re
from pathlib import Path

import pytest

from goalkeeper.system.scratch import make_scratch
from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import contains, shell, write
from tests.e2e.project import contract, criterion, story
from tests.e2e.world import COMMAND


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    return Campaigned(tmp_path)


def states(shown: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {each["id"]: each["status"] for each in shown["sessions"]}


def test_sessions_land_with_the_plans_own_commits_and_hand_on_what_they_made(
    campaigned: Campaigned,
) -> None:
    a, b, c = (Step(f"parts/{name}.txt") for name in "abc")
    campaigned.plan_sessions(
        Session("first", [a, b]), Session("beside", [c]),
        Session("last", [Step("parts/d.txt")], after="Session 1"),
        scripts=(
            {"G001": [mend(a.path)], "G002": [mend(b.path)]},
            {"*": [mend(c.path)]},
            {"*": [contains("S01 first has landed"), contains("parts/b.txt"),
                   mend("parts/d.txt")]},
        ),
    )  # fmt: skip
    before = campaigned.git("rev-parse", "HEAD")
    answer = campaigned.work()
    assert answer.code == 0, answer
    assert answer.json["ended"] == "done"
    landed = campaigned.list_landed()
    assert sorted(landed) == [
        "fix(step1): mend parts/a.txt for good",
        "fix(step1): mend parts/c.txt for good",
        "fix(step1): mend parts/d.txt for good",
        "fix(step2): mend parts/b.txt for good",
    ]
    assert landed[-1].endswith("parts/d.txt for good")
    assert campaigned.git("rev-parse", "HEAD") == before
    assert campaigned.git("status", "--porcelain") == ""
    campaigned.git("switch", "--quiet", "--detach")
    assert "then goalkeeper campaign land" in campaigned.run("campaign", "land").out
    campaigned.git("switch", "--quiet", "main")
    assert campaigned.ok("campaign", "land")["how"] == "fast-forward"
    assert (campaigned.root / "parts/d.txt").read_text() == "fixed\n"
    assert campaigned.git("worktree", "list").count("\n") == 1


@pytest.mark.thorough
def test_work_comes_to_a_branch_that_moved_on_as_the_plans_own_commits(
    campaigned: Campaigned,
) -> None:
    a, b = (Step(f"parts/{name}.txt") for name in "ab")
    campaigned.plan_sessions(
        Session("both", [a, b]), scripts=({"G001": [mend(a.path)], "G002": [mend(b.path)]},)
    )
    assert campaigned.work().code == 0
    campaigned.write({"mine.txt": "of the user\n"})
    campaigned.commit("of the user")

    answer = campaigned.run("campaign", "land")

    assert answer.code == 0, answer
    assert "1 session is in main (commit)" in answer.out
    assert "the receipt is for that alone" in answer.err
    assert campaigned.git("log", "-3", "--format=%s").splitlines() == [
        "fix(step2): mend parts/b.txt for good",
        "fix(step1): mend parts/a.txt for good",
        "of the user",
    ]
    assert "next: goalkeeper campaign receipt --attach" in campaigned.run("campaign", "status").out


def test_what_nobody_works_on_is_said_so(campaigned: Campaigned) -> None:
    asked = [("stop",), ("audit", "S01"), ("attach", "S01")]
    assert campaigned.ok("campaign", "list")["campaigns"] == []
    none = campaigned.run("campaign", "status")
    assert (none.code, none.err.count("There is no campaign in this repository yet.")) == (2, 1)
    made = campaigned.plan_sessions(
        Session("one", [Step("parts/a.txt")]),
        Session("two", [Step("parts/b.txt")], after="Session 1"),
        scripts=({}, {}),
    )

    refused = [campaigned.refused("campaign", *words) for words in asked]

    assert refused == ["campaign-not-running", "session-not-begun", "session-not-begun"]
    assert "S02 two: waits for S01" in campaigned.run("campaign", "why", "S02").out
    assert made in campaigned.run("campaign", "list").out


@pytest.mark.thorough
def test_a_session_that_breaks_what_landed_bounces_by_the_name_of_the_criterion_and_recovers(
    campaigned: Campaigned,
) -> None:
    both = "test $(cat parts/a.txt parts/b.txt | grep -c fixed) -le 1 && grep -q fixed parts/b.txt"
    campaigned.plan_sessions(
        Session("quick", [Step("parts/a.txt")]), Session("slow", [Step("parts/b.txt", both)]),
        scripts=(
            {"*": [mend("parts/a.txt")]},
            {"*": [{"sleep": 2}, shell(
                "if grep -q fixed parts/a.txt; then printf 'fixed' > parts/b.txt;"
                " else echo fixed > parts/b.txt; fi")]},
        ),
    )  # fmt: skip
    answer = campaigned.work("--max-iterations", "1", parallel=2)
    # Nothing that the second session may do makes both hold, so it is tried three times in all.
    assert answer.code == 1
    shown = campaigned.show()
    assert states(shown) == {"S01": "landed", "S02": "failed"}
    (ledger,) = campaigned.state.glob("campaigns/*/ledger.jsonl")
    assert '"reasons":["S02 G001/C1 breaks: ' in ledger.read_text()


@pytest.mark.thorough
def test_what_a_plan_says_about_failures_is_done(campaigned: Campaigned) -> None:
    campaigned.plan_sessions(
        Session("skips", [Step("parts/a.txt", on_failure="skip"), Step("parts/b.txt")]),
        Session("reverts", [Step("parts/c.txt", on_failure="revert")]),
        Session("asks", [Step("parts/d.txt", on_failure="escalate")]),
        scripts=(
            {"G001": [mend("parts/a.txt", "wrong")], "G002": [mend("parts/b.txt")]},
            {"*": [mend("parts/c.txt", "wrong")]},
            {"*": [mend("parts/d.txt", "wrong")]},
        ),
    )
    shown = campaigned.work().json
    assert states(shown) == {"S01": "landed", "S02": "blocked", "S03": "blocked"}
    assert campaigned.read_head("parts/a.txt") == "broken"
    assert campaigned.read_head("parts/b.txt") == "fixed"
    why = {each["id"]: each["why"] for each in shown["sessions"]}
    assert "revert" in why["S02"][0]
    assert "escalate" in why["S03"][0]
    branch = f"goalkeeper/{shown['sessions'][1]['run_id']}/G001"
    assert campaigned.git("show", f"{branch}:parts/c.txt") == "broken\n"


@pytest.mark.thorough
def test_the_goals_of_an_ordinary_brief_are_worked_on_at_once(campaigned: Campaigned) -> None:
    looks = [{"command": ["grep", "-q", "fixed", f"parts/{name}.txt"]} for name in "ab"]
    given = [
        contract(criterion("C1", looks[0]), scope={"touch": ["parts/a.txt"]}),
        contract(criterion("C1", looks[1]), scope={"touch": ["parts/b.txt"]}, depends_on=["G001"]),
    ]
    text = "\n".join(story(f"Part {number}", each) for number, each in enumerate(given, 1))
    campaigned.write({"brief.md": text})
    campaigned.commit("the brief")
    for name, path in (("S01", "parts/a.txt"), ("S02", "parts/b.txt")):
        (campaigned.stories / f"{name}.json").write_text(json.dumps({"*": [mend(path)]}))
    words = [word for word in campaigned.words("--json", parallel=2) if word != "campaign"]
    answer = campaigned.run_process(*words, "--brief-file", "brief.md")
    assert answer.code == 0, answer
    assert campaigned.list_landed() == ["Part 1", "Part 2"]
    campaigned.write({"bare.md": "@goal: No contract\nDo it.\n"})
    assert campaigned.run(*words, "--brief-file", "bare.md").code == 3


def test_a_planner_writes_the_plan_and_is_told_what_is_wrong_and_a_critic_advises(
    campaigned: Campaigned,
) -> None:
    good = "plan_version: 1.7\n\n" + Session("mend", [Step("parts/a.txt")]).write(1)
    harmful = good.replace("grep -q fixed parts/a.txt", "rm -rf parts")
    finding = {"dimension": 6, "where": "S01 step 1", "message": "It is thin.", "mend": "ask more"}
    told = contains("What was wrong with the plan that you handed in before")
    story = campaigned.stories / "planner.json"
    story.write_text(json.dumps({"WORK": {
        "1/planner/1": [contains("Mend what is broken"), {"answer": {"plan": harmful}}],
        "1/planner/2": [told, contains("rm -rf parts"), {"answer": {"plan": good}}],
        "1/plan-critic": [contains("mend parts/a.txt"), {"answer": {"findings": [finding]}}],
    }}))  # fmt: skip
    words = ["campaign", "plan", "Mend what is broken", "--agent", "rehearsal"]
    made = campaigned.ok(*words, "--script", str(story), "--critic", "rehearsal")
    assert [each["rule"] for each in made["findings"]] == ["critic-tests"]
    assert not made["findings"][0]["is_blocking"]
    assert [each["id"] for each in made["sessions"]] == ["S01"]
    story.write_text(json.dumps({"WORK": {"1/planner": [{"answer": {"plan": harmful}}]}}))
    answer = campaigned.run(*words, "--script", str(story), "--json")
    assert answer.code == 5
    assert "rm -rf parts" in answer.json["error"]["message"]
    assert campaigned.git("worktree", "list").count("\n") == 1


@pytest.mark.thorough
def test_a_worker_cannot_touch_its_campaign(campaigned: Campaigned) -> None:
    tries = " ".join(
        f"{COMMAND} campaign {words} >> log 2>&1; env -u GOALKEEPER_SPAWNED {COMMAND} campaign "
        f"{words} >> log 2>&1;"
        for words in (
            "stop",
            "land",
            "plan --from plan.md",
            "unblock S01 --reason so",
            "amend S01 --from plan.md --reason so",
        )
    )
    campaigned.plan_sessions(
        Session("tries", [Step("parts/a.txt")]),
        scripts=({"*": [shell(f"{tries} cp log {campaigned.stories}/log; rm log"),
                        mend("parts/a.txt")]},),
    )  # fmt: skip
    assert campaigned.work().code == 0
    said = (campaigned.stories / "log").read_text()
    assert said.count("refused (driven)") == 10, said
    assert len(list(campaigned.state.glob("campaigns/2*"))) == 1
    assert not {"stop_asked", "campaign_landed"} & {*campaigned.list_events()}


def test_who_undoes_what_landed_is_refused_by_name(campaigned: Campaigned) -> None:
    campaigned.plan_sessions(
        Session("first", [Step("parts/a.txt")]),
        Session("second", [Step("parts/b.txt")], "Session 1", touch="parts/a.txt, parts/b.txt"),
        scripts=(
            {"*": [mend("parts/a.txt")]},
            {"*": [mend("parts/b.txt"), write("parts/a.txt", "broken\n")]},
        ),
    )
    assert campaigned.work().code == 1
    assert campaigned.read_head("parts/a.txt") == "fixed"
    (ledger,) = campaigned.state.glob("campaigns/*/ledger.jsonl")
    assert '"reasons":["S02 undoes what S01 changed in parts/a.txt"]' in ledger.read_text()


@pytest.mark.thorough
def test_what_is_left_behind_is_removed_once_when_the_campaign_ends(campaigned: Campaigned) -> None:
    """Each session would look through the runs of all others, and the next would wait for it."""
    place = campaigned.home / "tmp"
    with make_scratch("test") as ours:
        gone = re.sub(r"-(\d+)\.(\d+)\.", r"-\1.1.", Path(ours).name)  # its process ended long ago
    (place / gone).mkdir(parents=True)
    looks = shell(f"test -d {place / gone} && echo fixed > parts/b.txt")
    campaigned.plan_sessions(
        Session("first", [Step("parts/a.txt")]),
        Session("second", [Step("parts/b.txt", on_failure="escalate")], after="Session 1"),
        scripts=({"*": [mend("parts/a.txt")]}, {"*": [looks]}),
    )

    answer = campaigned.work(env={"TMPDIR": str(place)})

    assert states(answer.json) == {"S01": "landed", "S02": "landed"}
    assert not (place / gone).exists()
