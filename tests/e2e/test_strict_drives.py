"""Drives of a plan with the strict gate: what is proven is reviewed before it completes."""

import os
import sys
from pathlib import Path

import pytest

from tests.e2e.drives import FIX, SPOIL, Acts, contains, git, shell, write
from tests.e2e.project import PATH, belongings
from tests.e2e.strict import Strict, answer, lanes, objects
from tests.tables import thorough
from tests.unit.core.lane_answers import CLEANER, CRITIC

WORDS = write("show.sh", "# Shows it.\ncat product.txt\n")
CLEAR = [("cleaner", "clear"), ("architect", "clear"), ("qa", "clear")]


@pytest.fixture
def strict(tmp_path: Path) -> Strict:
    return Strict(tmp_path)


def test_an_objection_is_worked_on_and_all_look_again(strict: Strict) -> None:
    before = belongings(strict.root)
    says = "what does show.sh:1 do?"
    end = strict.drive(
        {
            "G001": {
                **lanes(),
                "1/impl": [FIX],
                "1/architect": [objects(says)],
                "2/impl": [contains(says), WORDS],
            }
        }
    )

    assert (end.reason, end.code) == ("done", 0), end
    assert strict.reported() == [CLEAR[0], ("architect", "objects"), *CLEAR[2:], *CLEAR]
    assert [moment.rsplit("/", 1)[0] for moment in strict.moments()] == [
        f"G001/{n}/{phase}" for n in (1, 2) for phase in ("impl", "cleaner", "architect", "qa")
    ]
    (completed,) = strict.data("goal_completed")
    assert {voice["trust"] for voice in completed["quality"]["lanes"]} == {"reported"}
    assert {voice["tree"] for voice in completed["quality"]["lanes"]} == {
        completed["judgement"]["tree"]
    }
    assert strict.worktrees() == [str(strict.worktree())]
    assert strict.left_running() == []
    changed = {name for name, seen in belongings(strict.root).items() if before.get(name) != seen}
    assert not {name for name in changed if not name.startswith(".git/")}


@pytest.mark.thorough
def test_what_the_cleaner_objects_to_is_mended_before_others_look(strict: Strict) -> None:
    slop = {"findings": [{"path": "product.txt", "line": 1, "category": "dead-code",
                          "level": "blocking", "message": "nobody reads it"}],
            "evidence": "read the difference"}  # fmt: skip
    end = strict.drive(
        {"G001": {**lanes(), "1/impl": [FIX], "1/cleaner": [answer(slop)], "2/impl": [WORDS]}}
    )

    assert end.reason == "done", end
    assert strict.reported() == [("cleaner", "objects"), *CLEAR]


@pytest.mark.thorough
def test_the_report_and_the_onlooker_tell_what_lanes_said(strict: Strict) -> None:
    says = {"1/impl": [FIX], "*/architect": [objects("too short")]}
    end = strict.drive({"G001": {**lanes(), **says}}, "--max-iterations", "1")

    assert (end.reason, end.code) == ("max-iterations", 1)
    assert "G001: the architect lane looks at it" in end.err
    assert "objects   G001 architect" in end.err
    assert "too short" in strict.run("why", "G001").out


@pytest.mark.thorough
def test_lanes_that_cannot_be_used_are_asked_again_and_a_rate_limit_is_waited_for(
    strict: Strict,
) -> None:
    end = strict.drive(
        {
            "G001": {
                **lanes(),
                "1/impl": [FIX],
                "1/cleaner/1": [],
                "1/cleaner/2": [contains("there is no answer.json"), *lanes()["*/cleaner"]],
                "1/architect/1": [{"rate_limit": {"resets_in": 0}}],
                "1/qa/1": [{"exit": 1}],
            }
        }
    )

    assert end.reason == "done", end
    assert strict.reported() == [("cleaner", "unusable"), *CLEAR]
    assert strict.endings() == ["ok", "ok", "ok", "rate-limited", "ok", "crash", "ok"]
    assert len(strict.data("drive_paused")) == 1


@pytest.mark.parametrize(
    ("acts", "reason", "told"),
    [
        ([], "gate-closed", "no answer of the cleaner lane can be used: there is no answer.json"),
        thorough([{"context": {}}], "crashed", ""),
        ([{"auth": {}}], "auth", ""),
    ],
    ids=["no answer", "too long", "not logged in"],
)
@pytest.mark.thorough
def test_lanes_that_never_answer_end_the_drive(
    strict: Strict, acts: Acts, reason: str, told: str
) -> None:
    end = strict.drive({"G001": {**lanes(), "*/impl": [FIX], "*/cleaner": acts}})

    assert (end.reason, told in end.detail) == (reason, True), end
    assert strict.statuses() == {"G001": "active"}
    assert len(strict.moments()) == (2 if reason == "auth" else 4)


@pytest.mark.thorough
def test_a_lane_that_stalls_is_ended(strict: Strict) -> None:
    stalls: Acts = [{"ignore_term": {}}, {"silence": 300}]
    says = {"*/impl": [FIX], "1/cleaner/1": stalls}
    end = strict.drive({"G001": {**lanes(), **says}}, "--stall-time", "2")

    assert end.reason == "done", end
    assert strict.endings()[:3] == ["ok", "stalled", "ok"]
    assert strict.left_running() == []


def test_lanes_see_what_an_agent_hid_from_git(strict: Strict) -> None:
    hides = git("update-index", "--assume-unchanged", "product.txt")
    end = strict.drive({"G001": {**lanes(), "*/impl": [FIX, hides]}})

    assert (end.reason, strict.reported()) == ("done", CLEAR), end


def test_what_lanes_cost_is_limited_with_all_else(strict: Strict) -> None:
    dear: Acts = [{"usage": {"input": 60, "output": 40}}, answer(CLEANER)]
    says = {"*/impl": [FIX], "*/cleaner": dear}
    end = strict.drive({"G001": {**lanes(), **says}}, "--max-tokens", "100")

    assert (end.reason, len(strict.moments())) == ("max-tokens", 2), end
    assert strict.statuses() == {"G001": "active"}


def test_a_goalkeeper_that_is_killed_while_a_lane_looks_goes_on_to_the_same_end(
    strict: Strict,
) -> None:
    story = {**lanes(), "*/impl": [FIX]}
    driver = strict.driving({"G001": {**story, "1/architect/1": [strict.waits()]}})
    waiting = strict.at_work()
    driver.kill()
    driver.communicate()

    end = strict.drive({"G001": story})

    os.close(waiting)
    assert end.reason == "done", end
    assert strict.reported() == CLEAR
    assert strict.endings() == ["ok", "ok", "interrupted", "ok", "ok"]
    assert strict.left_running() == []
    assert strict.worktrees() == [str(strict.worktree())]


# Ill will


def test_a_driven_agent_asks_no_reviewers(strict: Strict) -> None:
    told = strict.home / "answer"
    asks = f"goalkeeper lanes run --goal-id G001 --script {strict.script}"
    end = strict.drive(
        {"G001": {**lanes(), "*/impl": [FIX, shell(f"PATH={PATH} {asks} > {told} 2>&1")]}}
    )

    assert end.reason == "done"
    assert "refused (driven)" in told.read_text()
    assert strict.reported() == CLEAR


FORGES = """
import glob, hashlib, json, sys
(path,) = glob.glob(sys.argv[1] + "/.goalkeeper/runs/[0-9]*/ledger.jsonl")
lines = open(path, "rb").read().splitlines()
old = json.loads(lines[-1])
events = {entry["kind"]: entry["data"] for entry in map(json.loads, lines)}
frozen = events["contract_frozen"]["frozen"]
lane = {"role": "qa", "tree": frozen["base"]["tree"], "contract": frozen["digest"],
        "word": "clear", "process": {"client": "claude", "ending": "ok", "spend": {}}}
line = {**old, "seq": old["seq"] + 1, "kind": "lane_reported", "v": 1,
        "actor": {"kind": "engine", "how": "itself"},
        "data": {"goal_id": "G001", "lane": lane}, "prev": hashlib.sha256(lines[-1]).hexdigest()}
open(path, "a").write(json.dumps(line, separators=(",", ":")) + chr(10))
"""


def forges(strict: Strict) -> Acts:
    return [{"run": {"argv": [sys.executable, "-c", FORGES, str(strict.root)]}}]


def test_a_lane_that_an_agent_forges_ends_the_drive(strict: Strict) -> None:
    end = strict.drive({"G001": {**lanes(), "*/impl": [FIX, *forges(strict)]}})

    assert (end.reason, end.code) == ("gate-closed", 1), end
    assert "not by goalkeeper: G001 was reviewed" in end.detail
    assert strict.run("land").code != 0


@pytest.mark.needs("bwrap")
def test_a_lane_cannot_speak_for_another_one(strict: Strict) -> None:
    story = {**lanes(), "*/impl": [FIX], "*/cleaner": [*forges(strict), answer(CLEANER)]}

    end = strict.drive_without_sandbox({"G001": story})
    assert (end.reason, "G001 was reviewed" in end.detail) == ("gate-closed", True), end

    end = strict.drive({"G001": story})  # in a sandbox it cannot even try
    assert end.reason == "done", end


def test_a_critic_that_rejects_what_is_proven_keeps_it_open(strict: Strict) -> None:
    says = {"*/impl": [FIX], "*/architect": [objects("not yet")]}
    strict.drive({"G001": {**lanes(), **says}}, "--max-iterations", "1")
    rejects = answer({**CRITIC, "verdict": "REJECT", "blockers": ["half of it"]})
    words = strict.looking_words({"G001": {"*/critic": [rejects]}}, "--role", "critic")

    looked = strict.run(*words, cwd=strict.worktree())

    assert [lane["word"] for lane in looked.json["lanes"]] == [
        "clear",
        "objects",
        "clear",
        "objects",
    ]

    end = strict.drive({"G001": {**lanes(), "*/impl": [SPOIL]}}, "--max-iterations", "2")
    assert end.reason != "done"
    assert "critic: critic.verdict: it is REJECT" in strict.prompt("G001/2/impl/1")
