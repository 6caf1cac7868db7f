"""`lanes`: reviews by processes of goalkeeper's own, whatever those processes do."""

import json
import os
from pathlib import Path

import pytest

from goalkeeper.clients.spawn import list_marked
from tests.e2e.drives import Act, Acts, shell, write
from tests.e2e.project import belongings, contract, story
from tests.e2e.strict import (
    PRODUCT,
    Strict,
    answer,
    lanes,
    objects,
    said,
    shows,
    why,
)
from tests.tables import for_each
from tests.unit.core.lane_answers import CLEANER, CRITIC, finding, spoiled

CRITIC_LANE = ("--role", "critic")
QA_LANE = ("--role", "qa")
OKAY = answer(CRITIC)
IN_LANE = "cd $GOALKEEPER_LANE && "


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Strict:
    """Work that is done; what a lane says of it replaces what it said before."""
    return Strict(tmp_path_factory.mktemp("lanes")).worked()


@pytest.fixture
def worked(tmp_path: Path) -> Strict:
    return Strict(tmp_path).worked()


# Who looks, and what is recorded of it


def test_all_lanes_that_are_needed_look_once_in_processes_of_their_own(worked: Strict) -> None:
    looked = worked.look({"G001": lanes()})

    assert (looked.code, looked.json["ok"]) == (0, True), looked
    assert said(looked) == dict.fromkeys(("cleaner", "architect", "qa"), "clear")
    told = looked.json["lanes"]
    assert {each["tree"] for each in told} == {looked.json["tree"]}
    assert len({each["session"] for each in told}) == len({each["pid"] for each in told}) == 3
    assert all(each["transcript"] and each["answer"] and each["current"] for each in told)
    assert worked.validated() == []
    assert worked.worktrees() == []
    assert {event["actor"]["kind"] for event in worked.events("lane_reported")} == {"engine"}

    before = worked.ledger()
    assert worked.look({"G001": lanes()}).code == 0  # they have seen it all
    assert worked.ledger() == before


def test_a_lane_is_asked_by_name_and_the_others_are_missed(worked: Strict) -> None:
    looked = worked.look({"G001": lanes()}, "--role", "architect")

    assert (looked.code, said(looked)) == (1, {"architect": "clear"})
    assert worked.validated() == ["missing-section", "missing-section"]  # QA, and the full rerun


def test_what_lanes_said_is_shown_and_is_no_longer_about_files_that_changed(
    worked: Strict,
) -> None:
    slop = answer({**CLEANER, "findings": [finding("advisory")]})
    worked.look({"G001": {**lanes(), "*/cleaner": [slop]}})

    shown = worked.run("lanes", "show", "--goal-id", "G001", "--json")
    assert (shown.code, len(shown.json["lanes"])) == (0, 3)
    assert shown.json["lanes"][0]["advisory"] == ["dead-code in product.txt:1: nobody needs it"]
    page = worked.run("lanes", "show", "--goal-id", "G001").out
    assert "cleaner, in passing: dead-code in product.txt:1" in page

    worked.write({"notes.txt": "nothing yet.\n"})

    shown = worked.run("lanes", "show", "--goal-id", "G001", "--json")
    assert (shown.code, {each["current"] for each in shown.json["lanes"]}) == (1, {False})
    assert worked.validated() == ["missing-section"] * 3
    assert worked.complete().reason == "gate-closed"


@for_each("role", ["cleaner", "architect", "qa", "critic"])
def test_the_schema_of_an_answer_is_published(desk: Strict, role: str) -> None:
    printed = desk.run("lanes", "schema", "--role", role)

    assert (printed.code, printed.err) == (0, "")
    assert json.loads(printed.out)["additionalProperties"] is False


def test_a_lane_is_told_where_to_answer_and_what_the_change_is(desk: Strict) -> None:
    folder = {"expect_prompt": {"contains": f"{desk.state}/runs/"}}
    change = {"expect_prompt": {"contains": "git diff "}}

    assert said(desk.look([folder, change, OKAY], *CRITIC_LANE))["critic"] == "clear"


# Blockers


def test_an_objection_becomes_one_blocker_and_reopens_the_goal_when_it_is_settled(
    worked: Strict,
) -> None:
    script = {"G001": {"*/architect": [objects("no words in show.sh:1")]}}
    architect = ("--role", "architect", "--record-blockers")

    looked = worked.look(script, *architect)
    assert (looked.code, said(looked)) == (1, {"architect": "objects"})
    assert "no words in show.sh:1" in why(looked)
    assert worked.look(script, *architect).code == 1  # the same once more
    goals = worked.goals()
    assert {name: goal["status"] for name, goal in goals.items()} == {
        "G001": "review_blocked",
        "G002": "pending",
    }
    assert "no words in show.sh:1" in goals["G002"]["objective"]
    assert worked.validated() == ["missing-section"] * 3 + ["lane-objects"]

    worked.start()
    worked.checkpoint("G002", "blocked", "it is settled in show.sh")
    reasons = ("--evidence", "show.sh:1", "--rationale", "the words are there")
    worked.ok("steer", "--kind", "mark_blocked_superseded", "--goal-id", "G002", *reasons)
    assert worked.goals()["G001"]["status"] == "active"


# Answers that cannot be used


@for_each(
    ("acts", "told"),
    [
        ([], "there is no answer.json: missing"),
        ([answer({**CRITIC, "approvedBy": "me"})], "unknown field 'approvedBy'"),
        ([OKAY, {"exit": 3}], "it ended as crash"),
    ],
)
def test_an_answer_that_cannot_be_used_counts_for_nothing(
    desk: Strict, acts: Acts, told: str
) -> None:
    looked = desk.look(acts, *CRITIC_LANE)

    assert (looked.code, said(looked)["critic"]) == (1, "unusable"), looked
    assert told in why(looked)
    assert looked.json["lanes"][-1]["current"] is False
    assert desk.worktrees() == []


def test_artifacts_of_a_lane_lie_in_its_own_folder(desk: Strict) -> None:
    given = spoiled(shows(), "artifactRefs.0.replay", None)
    given = spoiled(given, "artifactRefs.0.path", "way/passwd")

    looked = desk.look([shell(IN_LANE + "ln -s /etc way"), answer(given)], *QA_LANE)

    assert said(looked)["qa"] == "unusable"
    assert "a link is on the way to it" in why(looked)


@for_each(
    ("path", "value", "told"),
    [
        ("artifactRefs.0.replay.recordedStdout", "broken\n", "line 1 was 'broken', is 'fixed'"),
        ("artifactRefs.0.replay.command", ["echo", "fixed"], "no entry point of the project"),
    ],
)
def test_what_a_lane_shows_is_done_again(desk: Strict, path: str, value: object, told: str) -> None:
    looked = desk.look([answer(spoiled(shows(), path, value))], *QA_LANE)

    assert said(looked)["qa"] == "unusable"
    assert told in why(looked)


@pytest.mark.needs("bwrap")
def test_in_a_sandbox_a_lane_shows_tools_of_the_project_and_the_gate_runs_them_again(
    tmp_path: Path,
) -> None:
    strict = Strict(tmp_path, {**PRODUCT, "Makefile": "test show:\n\t@cat product.txt\n"})
    verify = "version = 1\n[verify]\ncommands = [['make', 'test']]\n"
    strict.write({".goalkeeper/config.toml": verify})
    strict.commit("no isolation is demanded")
    strict.worked()
    given = spoiled(shows(), "artifactRefs.0.replay.command", ["make", "show"])

    words = strict.looking_words({"G001": {**lanes(), "*/qa": [answer(given)]}})
    looked = strict.run(*words, env=strict.human())

    assert said(looked)["qa"] == "clear", looked
    assert strict.validated() == []


def test_an_artifact_that_changed_since_closes_the_gate(worked: Strict) -> None:
    record = shows()["artifactRefs"][0]["replay"]
    given = spoiled(
        spoiled(shows(), "artifactRefs.0.replay", None), "artifactRefs.0.path", "a.json"
    )
    lays = shell(IN_LANE + f"printf '%s' '{json.dumps(record)}' > a.json")
    assert worked.look({"G001": {**lanes(), "*/qa": [lays, answer(given)]}}).code == 0
    (laid,) = worked.state.glob("runs/*/phases/*.lane/a.json")

    laid.write_text(laid.read_text() + "\n")

    assert worked.validated() == ["artifact-changed"]
    assert worked.complete().reason == "gate-closed"


def test_a_lane_whose_answer_is_gone_is_not_heard(worked: Strict) -> None:
    assert worked.look({"G001": lanes()}).code == 0
    lost = {each["lane"]["role"]: each["lane"]["answer"] for each in worked.data("lane_reported")}

    for role in ("architect", "qa"):
        (kept,) = worked.state.glob(f"runs/*/evidence/*/{lost[role]}.json")
        kept.unlink()

    assert worked.validated() == ["lane-lost", "lane-lost"]


# What lanes do to files


@pytest.mark.needs("bwrap")
def test_a_lane_in_a_sandbox_changes_no_file_of_anybodys(desk: Strict) -> None:
    acts: list[Act] = [
        shell("echo better > notes.txt"),
        shell(f"echo better > {desk.root}/notes.txt; rm {desk.root}/product.txt"),
        shell("git commit --allow-empty -m x; git branch mine; git stash"),
        shell(f"echo x | tee -a {desk.state}/runs/*/ledger.jsonl"),
    ]
    before = belongings(desk.root)

    looked = desk.look([*acts, OKAY], *CRITIC_LANE)

    assert said(looked)["critic"] == "clear"
    assert _without_admin(belongings(desk.root)) == _without_admin(before)
    assert desk.ok("ledger", "verify")["ok"] is True


def _without_admin(files: dict[str, str]) -> dict[str, str]:
    """The trees that goalkeeper's own worktrees came and went with are left out."""
    return {name: seen for name, seen in files.items() if not name.startswith(".git/objects")}


@pytest.mark.needs("bwrap")
@for_each(
    ("acts", "told"),
    [
        ([write("notes.txt", "better\n"), OKAY], "it changed files:  M notes.txt"),
        ([OKAY, shell('rm -rf "$GOALKEEPER_LANE"')], "there is no answer.json"),
    ],
)
def test_without_a_sandbox_a_lane_that_changes_files_is_not_heard(
    desk: Strict, acts: Acts, told: str
) -> None:
    before = belongings(desk.root)

    looked = desk.without_sandbox(*desk.looking_words(acts, *CRITIC_LANE))

    assert said(looked)["critic"] == "unusable"
    assert told in why(looked)
    assert _without_admin(belongings(desk.root)) == _without_admin(before)
    assert desk.worktrees() == []


# Killed, and at once


def test_a_lane_whose_goalkeeper_was_killed_leaves_nothing_behind(worked: Strict) -> None:
    looking = worked.looking([worked.waits()])
    waiting = worked.at_work()
    (place,) = map(Path, worked.worktrees())
    marker = place.name.rpartition("-")[2]
    looking.kill()
    looking.communicate()

    looked = worked.look({"G001": lanes()})

    os.close(waiting)
    assert looked.code == 0, looked
    assert not place.exists()
    assert list_marked(marker) == []
    assert worked.reported() == [(role, "clear") for role in ("cleaner", "architect", "qa")]
    assert worked.worktrees() == []


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("shut_in", [True, False])
def test_lanes_do_not_start_lanes(worked: Strict, shut_in: bool) -> None:
    told = worked.home.parent / "told"
    again = f"goalkeeper lanes run --goal-id G001 --script {worked.script} --role qa"
    words = worked.looking_words([shell(f"{again}; echo $? > {told}"), OKAY], *CRITIC_LANE)

    looked = worked.run(*words) if shut_in else worked.without_sandbox(*words)

    assert said(looked) == {"critic": "clear"}
    assert told.read_text() == ("5\n" if shut_in else "75\n")  # it may not, or is one too many


@for_each("role", ["", "critic"])
def test_lanes_of_a_goal_that_is_not_there_are_refused(desk: Strict, role: str) -> None:
    looked = desk.look([OKAY], *(("--role", role) if role else ()), goal="G009")

    assert (looked.code, looked.reason) == (2, "unknown-goal"), looked


def test_looking_at_lanes_writes_nothing(tmp_path: Path) -> None:
    strict = Strict(tmp_path)
    strict.ok("create-goals", "--gate", "strict", "--brief", story("Part 1", contract()))
    before = strict.bytes_of_state()

    shown = strict.run("lanes", "show", "--goal-id", "G001", "--json")

    assert (shown.code, shown.json["lanes"]) == (1, [])
    assert strict.bytes_of_state() == before
