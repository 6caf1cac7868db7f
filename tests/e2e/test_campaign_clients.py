"""How plans of many sessions failed, each as a story of a rehearsed worker and of Claude Code."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from goalkeeper.core.drive.state import CANNOT_WORK
from tests.e2e.campaign_workers import DONE, ClaudeCampaign, RehearsedCampaign, Try
from tests.e2e.campaigns import Session, Step
from tests.scripted_model.server import Models, serving
from tests.tables import thorough

FIVE = [Step(f"parts/{name}.txt") for name in "abcde"]
MENDS = {number: [Try(f"echo fixed > {step.path}")] for number, step in enumerate(FIVE, 1)}
CLAIMS = Try("cat parts/f.txt")  # it looks at a file that has nothing to do with it, and is done
ONCE = ("--max-iterations", "1")
WORKERS = ("rehearsal", "claude")


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with serving() as models:
        yield models


@pytest.fixture
def campaign(request: pytest.FixtureRequest, tmp_path: Path, models: Models) -> RehearsedCampaign:
    if request.param == "claude":
        return ClaudeCampaign(tmp_path, models)
    return RehearsedCampaign(tmp_path)


def assert_last_three_are_missing(missing: Mapping[int, str]) -> None:
    """They are known by their numbers, and what is wrong with each is told."""
    assert [*missing] == [3, 4, 5]
    for step, found in zip(FIVE[2:], missing.values(), strict=True):
        assert f"{step.path} has fixed: does not match" in found


@pytest.mark.thorough
@pytest.mark.parametrize("campaign", WORKERS, indirect=True)
def test_who_claims_to_be_done_after_two_of_five_steps_lands_when_all_five_are_proven(
    campaign: RehearsedCampaign,
) -> None:
    campaign.plan_stories(Session("five", FIVE), stories=[{**MENDS, 3: [CLAIMS, *MENDS[3]]}])

    answer = campaign.work(*ONCE)

    assert answer.code == 0, answer
    stopped, done = campaign.list_data("session_ended")
    assert (stopped["reason"], done["reason"]) == ("max-iterations", "done")
    assert_last_three_are_missing({e["number"]: e["found"] for e in stopped["missing"]})
    assert campaign.list_events()[2:] == [
        "session_admitted", "session_ended", "session_admitted", "session_ended",
        "batch_proven", "batch_landed", "whole_proven", "campaign_ended",
    ], "nothing landed before all was proven"  # fmt: skip
    said = [each["record"]["said"] for each in campaign.list_run_data("phase_ended")]
    assert said == [DONE] * 6, "whatever it did, it claimed the same"
    assert campaign.list_landed() == [
        f"fix(step{number}): mend {step.path} for good" for number, step in enumerate(FIVE, 1)
    ]
    assert campaign.ok("campaign", "audit", "S01")["ok"]
    assert campaign.list_survivors() == []


@pytest.mark.parametrize("campaign", ["rehearsal"], indirect=True)
def test_who_goes_on_to_claim_so_lands_nothing_and_the_missing_steps_are_named(
    campaign: RehearsedCampaign,
) -> None:
    campaign.plan_stories(Session("five", FIVE), stories=[{**MENDS, 3: [CLAIMS]}])

    answer = campaign.work(*ONCE)

    assert (answer.code, answer.json["ended"]) == (1, "partial")
    (session,) = answer.json["sessions"]
    assert (session["status"], session["recovery"]) == ("failed", 2)
    assert_last_three_are_missing({e["step"]: e["found"] for e in session["missing"]})
    told = campaign.run("campaign", "why", "S01").out
    assert [n for n in range(1, 6) if f"step {n} is missing: " in told] == [3, 4, 5]
    assert campaign.list_landed() == []
    drift = campaign.run("campaign", "audit", "S01", "--json").json["drift"]
    assert {row["step"] for row in drift if not row["is_there"]} == {3, 4, 5}
    assert campaign.refused("campaign", "land") == "nothing-proven"
    assert campaign.list_survivors() == []


@pytest.mark.thorough
@pytest.mark.parametrize("campaign", WORKERS, indirect=True)
def test_a_push_that_will_be_denied_is_found_before_any_worker_is_asked_and_works_when_allowed(
    campaign: RehearsedCampaign,
) -> None:
    remote, hook = campaign.home / "remote.git", campaign.root / ".git/hooks/pre-push"
    campaign.git("init", "--quiet", "--bare", str(remote))
    campaign.git("remote", "add", "origin", str(remote))
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this sandbox may not push\nexit 1\n")
    hook.chmod(0o755)
    sessions = [Session(f"part {number}", [step]) for number, step in enumerate(FIVE[:2], 1)]
    campaign.plan_stories(*sessions, stories=[{1: MENDS[1]}, {1: MENDS[2]}])

    denied = campaign.work("--push", "origin:topic")

    assert (denied.code, denied.reason) == (CANNOT_WORK, "preflight")
    assert campaign.list_events() == ["campaign_made"]
    assert campaign.list_run_data("phase_began") == []
    assert campaign.count_asked() == 0
    hook.unlink()
    allowed = campaign.work("--push", "origin:topic")
    assert (allowed.code, allowed.json["ended"]) == (0, "done"), allowed
    assert campaign.git("rev-parse", "topic", cwd=remote).strip() == allowed.json["head"]
    assert len(campaign.list_landed()) == 2


@pytest.mark.parametrize("campaign", ["rehearsal", thorough("claude")], indirect=True)
@pytest.mark.thorough
def test_whoever_ends_on_an_arbitrary_call_of_a_tool_is_judged_and_goes_on_until_it_lands(
    campaign: RehearsedCampaign,
) -> None:
    words = ("first", "second", "fixed")
    step = Step("parts/a.txt", " && ".join(f"grep -q {word} parts/a.txt" for word in words))
    story = [
        Try("echo first >> parts/a.txt; cat parts/b.txt", says=""),
        Try("echo second >> parts/a.txt; cat parts/b.txt", is_killed=True),
        Try("echo fixed >> parts/a.txt"),
    ]
    campaign.plan_stories(Session("one", [step]), stories=[{1: story}])

    answer = campaign.work()

    assert answer.code == 0, answer
    ended = [each["record"] for each in campaign.list_run_data("phase_ended")]
    assert [(each["ending"], each.get("said", "")) for each in ended] == [
        ("ok", ""), ("crash", ""), ("ok", DONE),
    ]  # fmt: skip
    judged = [each["decision"] for each in campaign.list_run_data("goal_judged")]
    assert judged == ["REPLAN", "REPLAN", "DONE"], "every end is judged, whatever came last"
    assert campaign.read_head("parts/a.txt").split() == ["broken", *words]
    assert campaign.list_landed() == ["fix(step1): mend parts/a.txt for good"]
    (session,) = campaign.show()["sessions"]
    told = campaign.git("log", "--format=%h %s", "--abbrev=12", "-1", campaign.show()["branch"])
    assert session["handoff"]["commits"] == [told.strip()], "others are told what landed"
    assert campaign.list_survivors() == []


@pytest.mark.thorough
@pytest.mark.parametrize("campaign", ["claude"], indirect=True)
def test_six_sessions_at_once_land_each_with_the_commits_of_its_plan_and_leave_nothing(
    campaign: RehearsedCampaign,
) -> None:
    meeting = campaign.home / "meeting"
    meeting.mkdir()
    all_here = f"timeout 100 sh -c 'until [ $(ls {meeting} | wc -l) = 6 ]; do sleep 0.1; done'"
    planned = {name: [Step(f"parts/{name}.txt")] for name in "abcdef"}
    for name in "ab":  # the others would show the same, and take as long again
        planned[name].append(Step(f"notes/{name}.txt"))
    stories = []
    for name, (part, *notes) in planned.items():
        meets = Try(f"touch {meeting}/{name} && {all_here} && echo fixed > {part.path}")
        notes_it = [Try(f"mkdir -p notes && echo fixed > {note.path}") for note in notes]
        stories.append({number: [each] for number, each in enumerate((meets, *notes_it), 1)})
    campaign.plan_stories(*(Session(f"part {n}", s) for n, s in planned.items()), stories=stories)
    before = campaign.git("rev-parse", "HEAD").strip()

    answer = campaign.work(parallel=6)

    assert answer.code == 0, answer
    told = [(each["status"], each["recovery"]) for each in answer.json["sessions"]]
    assert told == [("landed", 0)] * 6
    assert campaign.list_survivors() == []
    assert campaign.git("worktree", "list").count("\n") == 1
    assert [*campaign.home.glob(".local/state/goalkeeper/worktrees/*/*/*")] == []
    assert campaign.ok("campaign", "land")["how"] == "fast-forward"
    log = campaign.git("log", "--reverse", "--format=%x00%s", "--name-only", f"{before}..HEAD")
    commits = [tuple(each.split("\n\n")) for each in log.split("\0")[1:]]
    for steps in planned.values():
        mine = [(f"fix(step{n}): mend {s.path} for good", f"{s.path}\n")
                for n, s in enumerate(steps, 1)]  # fmt: skip
        assert [each for each in commits if each in mine] == mine
    assert len(commits) == sum(map(len, planned.values()))
    paths = [step.path for steps in planned.values() for step in steps]
    assert campaign.git("diff", "--name-only", before).split() == sorted(paths)
    assert {(campaign.root / path).read_text() for path in paths} == {"fixed\n"}
    assert campaign.git("status", "--porcelain") == ""
