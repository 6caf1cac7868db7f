"""What a plan promises of its sessions: each test is about a row of docs/campaign-coverage.md."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import Act, honest, shell, write

A, B, C = (Step(f"parts/{name}.txt") for name in "abc")
MENDS_A = {"*": [mend(A.path)]}


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    return Campaigned(tmp_path)


def freeze(campaigned: Campaigned, text: str, *words: str) -> Any:  # noqa: ANN401  JSON
    campaigned.write({"plan.md": text})
    campaigned.commit("the plan")
    return campaigned.ok("campaign", "plan", "--from", "plan.md", *words)


def first_session(shown: Any) -> Any:  # noqa: ANN401  JSON
    return shown["sessions"][0]


def count_phases(campaigned: Campaigned) -> int:
    """How often an agent was started in all runs."""
    ledgers = campaigned.state.glob("runs/*/ledger.jsonl")
    return sum(ledger.read_text().count('"kind":"phase_began"') for ledger in ledgers)


# Plans


def test_a_command_that_breaks_the_rules_is_refused_whatever_its_step_says(
    campaigned: Campaigned,
) -> None:
    bad = Step(A.path, "rm -rf build && grep -q fixed parts/a.txt", on_failure="skip")
    campaigned.write({"plan.md": f"plan_version: 1.7\n\n{Session('one', [bad]).write(1)}"})

    answer = campaigned.run("campaign", "plan", "--from", "plan.md", "--json")

    assert (answer.code, answer.reason) == (1, "plan-refused")
    assert {each["rule"] for each in answer.json["findings"]} >= {"dangerous-command"}
    assert not list(campaigned.state.glob("campaigns/*"))


def test_sessions_made_of_steps_have_their_manifests_word_for_word_and_a_step_0(
    campaigned: Campaigned,
) -> None:
    steps = [step.write(number) for number, step in enumerate((A, B, C), 1)]
    campaigned.write({"plan.md": "plan_version: 1.7\n\n" + "\n".join(steps)})
    campaigned.commit("the plan")

    campaigned.ok("campaign", "decompose", "--from", "plan.md", "--by", "2", "--out", "specs")

    texts = [path.read_text() for path in sorted((campaigned.root / "specs").iterdir())]
    assert len(texts) == 2
    for number, written in enumerate(steps, 1):
        manifest = written.split("```")[1]
        assert sum(manifest in text and f"### Step {number}: " in text for text in texts) == 1
    for number, text in enumerate(texts, 1):
        assert f"> Session {number} of 2\n" in text
        assert text.count("### Step 0: ") == text.count("sandbox_preflight: true") == 1
    campaigned.commit("the specs")
    made = campaigned.ok("campaign", "plan", "--from-specs", "specs")
    assert [each["id"] for each in made["sessions"]] == ["S01", "S02"]


@pytest.mark.thorough
def test_a_legacy_plan_is_frozen_with_advice_and_marked(campaigned: Campaigned) -> None:
    step = "Step 1: mend\n- Files: parts/a.txt\n- Verify: `grep -q fixed parts/a.txt`\n"
    (campaigned.stories / "S01.json").write_text(json.dumps(MENDS_A))

    made = freeze(campaigned, step)
    spec = campaigned.run("campaign", "show", "S01", "--spec").out
    answer = campaigned.work()

    assert made["is_legacy"] is True
    found = {each["rule"]: each["is_blocking"] for each in made["findings"]}
    assert found["manifest-missing"] is False
    assert "legacy_synthesis: true" in spec
    assert first_session(answer.json)["status"] == "landed"
    drift = campaigned.ok("campaign", "audit", "S01")["drift"]
    assert [row["expected"] for row in drift] == ["path parts/a.txt"]


# Step 0


@pytest.mark.thorough
def test_what_cannot_be_worked_on_here_is_blocked_with_77_before_any_agent_is_asked(
    campaigned: Campaigned,
) -> None:
    campaigned.plan_sessions(Session("one", [A]), scripts=(MENDS_A,))
    place = campaigned.home / ".local/state/goalkeeper/worktrees"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way")

    session = first_session(campaigned.work().json)

    assert session["status"] == "blocked"
    assert session["why"][0].startswith("preflight: ")
    assert count_phases(campaigned) == 0
    asked = campaigned.run("campaign", "preflight", "S01", "--json")
    assert (asked.code, asked.reason) == (77, "preflight")
    assert "no file can be written" in asked.json["error"]["message"]
    place.unlink()
    assert campaigned.run("campaign", "preflight", "S01").code == 0
    agent = {"CLAUDECODE": "1"}
    again = ("campaign", "unblock", "S01", "--reason", "there is room")
    assert campaigned.refused(*again, env=agent) == "human-needed"
    campaigned.ok(*again)
    assert first_session(campaigned.work().json)["status"] == "landed"


@pytest.mark.thorough
def test_a_pre_flight_that_is_skipped_is_not_asked_and_is_told(campaigned: Campaigned) -> None:
    campaigned.plan_sessions(Session("one", [A]), scripts=(MENDS_A,))
    place = campaigned.home / ".local/state/goalkeeper/worktrees"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way")

    shown = campaigned.work(env={"GOALKEEPER_SKIP_PREFLIGHT": "1"}).json

    assert shown["skipped_preflight"] is True
    assert "preflight" not in first_session(shown)["why"][0]  # the work itself failed
    assert "pre-flight was skipped" in campaigned.run("campaign", "report").out


def test_a_session_whose_entry_condition_does_not_hold_is_not_begun(
    campaigned: Campaigned,
) -> None:
    entry = "- Entry condition: the parts are painted\n  - `grep -q painted parts/b.txt`\n"
    text = Session("one", [A]).write(1).replace("- Entry condition: none\n", entry)
    (campaigned.stories / "S01.json").write_text(json.dumps(MENDS_A))
    freeze(campaigned, f"plan_version: 1.7\n\n{text}")

    session = first_session(campaigned.work().json)

    assert session["status"] == "blocked"
    assert count_phases(campaigned) == 0


# Steps


@pytest.mark.thorough
def test_neither_a_change_outside_the_fence_nor_of_settings_within_it_is_proven(
    campaigned: Campaigned,
) -> None:
    first, second = (Step(each.path, on_failure="escalate") for each in (A, B))
    settings = write(".claude/settings.json", '{"disableAllHooks": true}')
    campaigned.plan_sessions(
        Session("outside", [first]), Session("settings", [second], touch=f"{B.path}, .claude/**"),
        scripts=({"*": [mend(A.path), write("more.txt", "x\n")]}, {"*": [mend(B.path), settings]}),
    )  # fmt: skip

    outside, inside = campaigned.work().json["sessions"]

    assert (outside["status"], inside["status"]) == ("blocked", "blocked")
    assert campaigned.list_landed() == []
    told = [campaigned.run("why", "G001", "--run", s["run_id"]).out for s in (outside, inside)]
    assert "scope-touch" in told[0]
    assert "more.txt" in told[0]
    assert "scope-never" in told[1]
    assert ".claude/settings.json" in told[1]


@pytest.mark.thorough
def test_a_step_whose_manifest_is_not_met_is_not_proven_though_its_criteria_hold(
    campaigned: Campaigned,
) -> None:
    asks = Step(A.path, "grep -q wrong parts/a.txt", on_failure="escalate")
    campaigned.plan_sessions(Session("one", [asks]), scripts=({"*": [mend(A.path, "wrong")]},))

    session = first_session(campaigned.work().json)

    assert session["status"] == "blocked"
    assert session["missing"] == [{"step": 1, "found": "parts/a.txt has fixed: does not match"}]
    assert campaigned.list_landed() == []


def test_a_step_that_fails_stops_its_session_and_what_was_done_is_committed_and_named(
    campaigned: Campaigned,
) -> None:
    steps = [A, Step(B.path, on_failure="escalate"), C]
    script = {"G001": [mend(A.path)], "G002": [mend(B.path, "wrong")], "G003": [mend(C.path)]}
    campaigned.plan_sessions(Session("three", steps), scripts=(script,))

    session = first_session(campaigned.work().json)

    assert session["status"] == "blocked"
    assert [each["step"] for each in session["missing"]] == [2, 3]
    assert count_phases(campaigned) == 2  # nobody began the third
    branch = f"goalkeeper/{session['run_id']}/G002"
    assert campaigned.git("show", f"{branch}:parts/b.txt") == "wrong\n"
    assert campaigned.git("log", "--format=%s", f"main..{branch}").splitlines() == [
        "fix(step2): mend parts/b.txt for good",
        "fix(step1): mend parts/a.txt for good",
    ]
    told = campaigned.run("campaign", "why", "S01").out
    assert "step 2 is missing: parts/b.txt has fixed: does not match" in told
    assert "its plan says: escalate" in told


@pytest.mark.thorough
def test_steps_that_stopped_for_a_human_are_worked_on_again_when_one_lets_them(
    campaigned: Campaigned,
) -> None:
    stopping: dict[str, tuple[Step, Act]] = {
        "S01": (A._replace(on_failure="escalate"), mend(A.path, "wrong")),
        "S02": (B._replace(on_failure="revert"), mend(B.path, "wrong")),
        "S03": (C, honest("needs-human", "there is no key")),
    }
    campaigned.plan_sessions(
        *(Session("stops", [step]) for step, _ in stopping.values()),
        scripts=[{"*": [act]} for _, act in stopping.values()],
    )
    stopped = campaigned.work().json["sessions"]
    assert {each["id"]: each["status"] for each in stopped} == dict.fromkeys(stopping, "blocked")
    assert count_phases(campaigned) == 3

    for session, (step, _) in stopping.items():
        again = ("campaign", "unblock", session, "--reason", "it knows better now")
        campaigned.ok(*again, env=campaigned.human())
        (campaigned.stories / f"{session}.json").write_text(json.dumps({"*": [mend(step.path)]}))
    answer = campaigned.run_process("campaign", "run", "--json")  # all options as before

    landed = {each["id"]: each["status"] for each in answer.json["sessions"]}
    assert landed == dict.fromkeys(stopping, "landed"), answer
    assert count_phases(campaigned) == 6


# Agents


@pytest.mark.thorough
def test_two_agents_work_at_the_same_time(campaigned: Campaigned) -> None:
    def meet(mine: str, other: str) -> Act:
        here = campaigned.stories
        return shell(f"touch {here}/{mine}; until test -e {here}/{other}; do sleep 0.1; done")

    campaigned.plan_sessions(
        Session("one", [A]), Session("two", [B]),
        scripts=(
            {"*": [meet("a", "b"), mend(A.path)]},
            {"*": [meet("b", "a"), mend(B.path)]},
        ),
    )  # fmt: skip

    assert campaigned.work(parallel=2).json["ended"] == "done"


@pytest.mark.thorough
def test_an_agent_of_a_session_cannot_let_another_one_try_again_nor_resume_its_campaign(
    campaigned: Campaigned,
) -> None:
    told = campaigned.stories / "told"
    asks = f"{sys.executable} -m goalkeeper campaign"
    words = f"{{ {asks} unblock S01 --reason please; {asks} resume; }}"
    campaigned.plan_sessions(
        Session("stuck", [Step(A.path, on_failure="escalate")]), Session("helps", [B]),
        scripts=(
            {"*": [mend(A.path, "wrong")]},
            {"*": [shell(f"{words} > {told} 2>&1"), mend(B.path)]},
        ),
    )  # fmt: skip

    shown = campaigned.work(parallel=1).json

    assert told.read_text().count("refused (driven)") == 2
    assert campaigned.refused("campaign", "receipt") == "no-receipt", "it is not done"
    assert [each["status"] for each in shown["sessions"]] == ["blocked", "landed"]


@pytest.mark.thorough
def test_a_worker_may_commit_under_a_name_of_its_own(campaigned: Campaigned) -> None:
    """What lands has the plan's message, and it is the manifest's, too."""
    who = "git -c user.name=me -c user.email=me@here"
    own = shell(f"{who} add --all && {who} commit --quiet --message='my own words'")
    scripts = ({"*": [mend(A.path), own]},)
    campaigned.plan_sessions(Session("commits", [A]), scripts=scripts)

    assert campaigned.work("--max-iterations", "1").json["ended"] == "done"
    assert campaigned.list_landed() == [f"fix(step1): mend {A.path} for good"]
