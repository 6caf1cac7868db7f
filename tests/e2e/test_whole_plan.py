"""What one goal has proven stays true while others are worked on, or nothing is done."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from tests.e2e.drives import FIX, NOTE, NOTED, SPOIL, Driven, write
from tests.e2e.project import IS_FIXED, contract, criterion
from tests.tables import thorough

FIXED = contract(criterion("C1", IS_FIXED))
# This opens no file, so no watch sees what it looks at.
IS_SMALL = {"shell": 'test "$(stat -c %s size.txt)" -lt 10'}


def test_work_that_breaks_an_earlier_goal_is_sent_back_until_it_mends_it(driven: Driven) -> None:
    driven.ask(FIXED, NOTED)

    end = driven.drive({"G001": [FIX], "G002": {"1": [NOTE, SPOIL], "2": [FIX]}})

    assert (end.reason, end.code) == ("done", 0)
    assert driven.decisions() == ["DONE", "REPLAN", "DONE"]
    told = driven.prompt("G002/2/impl/1")
    assert "What is proven already, and must stay true" in told
    assert "- G001/C1: C1 holds" in told
    assert "Last passed at: the end of G001" in told
    assert "-fixed\n        +spoiled" in told
    driven.ok("land")
    assert (driven.mine(), driven.mine("notes.txt")) == ("fixed\n", "fixed\n")


def test_work_that_breaks_an_earlier_goal_for_good_neither_ends_well_nor_lands(
    driven: Driven,
) -> None:
    driven.ask(FIXED, NOTED)

    end = driven.drive({"G001": [FIX], "G002": [NOTE, SPOIL]})

    assert (end.reason, end.code) == ("stagnation", 1)
    assert "REGRESSED G001/C1 C1 holds: exit 1, expected 0" in driven.run("report").out
    assert "breaks G001/C1" in driven.run("status").out
    assert "G001/C1" in driven.run("why", "G002").out
    driven.ok("land")
    assert driven.mine() == "fixed\n"


def test_a_test_that_a_later_goal_may_change_is_as_it_left_it_for_all(driven: Driven) -> None:
    driven.write({"check.sh": "grep -q fixed product.txt\n"})
    first = contract(criterion("C1", {"command": ["sh", "check.sh"]}))
    renamed = contract(
        criterion("C1", {"command": ["grep", "-q", "renamed", "product.txt"]}),
        may_change=["check.sh"],
    )
    driven.ask(first, renamed)
    rename = [write("product.txt", "renamed\n"), write("check.sh", "grep -q renamed product.txt\n")]

    end = driven.drive({"G001": [FIX], "G002": rename})

    assert (end.reason, end.code) == ("done", 0)
    assert driven.ok("receipt", "list")["receipts"][-1]["kind"] == "final"


def test_what_no_watch_could_see_is_found_at_the_end_and_mended(driven: Driven) -> None:
    driven.write({"size.txt": "small\n"})
    driven.ask(contract(criterion("C1", IS_FIXED), criterion("C2", IS_SMALL, guard=True)), NOTED)
    grown, small = write("size.txt", "much larger than that\n"), write("size.txt", "ok\n")

    end = driven.drive({"G001": {"1": [FIX, small]}, "G002": [NOTE, grown]})

    assert (end.reason, end.code) == ("done", 0)
    (reopened,) = driven.data("goal_reopened")
    assert reopened["reason"].endswith("it does not hold: C2: exit 1, expected 0")
    assert driven.moments() == ["G001/1/impl/1", "G002/1/impl/1", "G001/1/impl/1"]
    driven.ok("land")
    assert (driven.mine("size.txt"), driven.mine("notes.txt")) == ("ok\n", "fixed\n")


def test_a_branch_that_moved_is_proven_before_it_lands(driven: Driven) -> None:
    listed = {"command": ["sh", "-c", "grep -q fixed product.txt && ! test -e stop.txt"]}
    driven.ask(contract(criterion("C1", listed)))
    driven.drive({"G001": [FIX]})
    driven.write({"stop.txt": "mine\n"})
    driven.commit("something else")
    before = driven.git("rev-parse", "HEAD")

    refused = driven.run("land", "--json")

    assert (refused.code, refused.json["error"]["code"]) == (1, "not-proven")
    assert "G001/C1: exit 1, expected 0" in refused.json["error"]["message"]
    assert driven.git("rev-parse", "HEAD") == before
    agent = driven.run("land", "--unproven", "--json")
    assert (agent.code, agent.json["error"]["code"]) == (1, "not-proven")
    landed = driven.ok("land", "--unproven", env=driven.human())
    assert (landed["unproven"], landed["is_proven_tree"]) == (["G001/C1"], False)
    assert driven.events()[-1]["kind"] == "work_landed"


@pytest.mark.parametrize("mine", [thorough("other.txt"), "docs/other.txt"])
@pytest.mark.thorough
def test_a_branch_that_moved_elsewhere_takes_what_is_proven_there(
    driven: Driven, mine: str
) -> None:
    driven.ask(FIXED)
    driven.drive({"G001": [FIX]})
    driven.write({mine: "mine\n"})
    driven.commit("something else")

    landed = driven.ok("land")

    assert (landed["unproven"], landed["is_proven_tree"]) == ([], False)
    assert driven.mine() == "fixed\n"


@pytest.mark.thorough
def test_checks_that_read_nothing_of_a_change_are_not_run_again(driven: Driven) -> None:
    driven.write({"log.sh": 'echo ran >> "$LOG"; grep -q fixed product.txt\n'})
    log = driven.home / "log"
    counted = {"command": ["sh", "log.sh"], "env": {"LOG": str(log)}}
    driven.ask(contract(criterion("C1", counted)), NOTED)
    driven.write({".goalkeeper/config.toml": '[witness]\nisolation = "checkout"\n'})
    driven.commit("settings")

    end = driven.drive({"G001": [FIX], "G002": [NOTE]})

    assert end.reason == "done"
    runs = log.read_text().count("ran")
    assert all("standing" not in each["judgement"] for each in driven.data("goal_judged"))
    assert runs == 4  # can it fail, judged, proven for the goal, proven on the last tree


def forge(driven: Driven, data: dict[str, object]) -> None:
    """Append a line to the ledger that fits its chain."""
    (path,) = driven.state.glob("runs/*/ledger.jsonl")
    last = path.read_bytes().splitlines()[-1]
    line = {**json.loads(last), "kind": "goal_completed", "data": {"goal_id": "G001", **data}}
    line.pop("rest", None)
    line |= {"seq": line["seq"] + 1, "prev": sha256(last).hexdigest()}
    path.write_bytes(path.read_bytes() + json.dumps(line, separators=(",", ":")).encode() + b"\n")


def test_an_entry_that_says_proven_without_a_proof_breaks_the_ledger(driven: Driven) -> None:
    assert driven.drive({"G001": [SPOIL]}, "--max-iterations", "1").code == 1
    forge(driven, {"evidence": "it is done"})

    for words in (("report",), ("land",), ("status",), ("ledger", "verify"), ("receipt", "list")):
        answer = driven.run(*words, "--json")
        assert (answer.code, answer.reason) == (4, "ledger-forged"), answer
    assert driven.run("run", "--agent", "rehearsal").code == 4
    driven.ok("state", "repair")
    assert driven.ok("ledger", "verify")["ok"]
    assert driven.statuses() == {"G001": "active"}


@pytest.mark.parametrize("is_there", [False, True], ids=["gone", "of-a-failure"])
def test_a_proof_of_which_nobody_has_the_evidence_counts_for_nothing(
    driven: Driven, is_there: bool
) -> None:
    assert driven.drive({"G001": [SPOIL]}, "--max-iterations", "1").code == 1
    (judged,) = driven.data("goal_judged")
    kept = judged["judgement"]["criteria"][0]["evidence"] if is_there else "0" * 64
    seen = {"id": "C1", "verdict": "passed", "evidence": kept}
    forge(driven, {"evidence": "", "judgement": {**judged["judgement"], "criteria": [seen]}})

    for words in (driven.words({"G001": [SPOIL]}), ("ledger", "verify")):
        answer = driven.run(*words, "--json")
        assert (answer.code, answer.reason) == (4, "evidence-gone"), answer
    (found,) = driven.run("state", "doctor", "--json").json["findings"]
    assert found["code"] == "evidence-gone"
    assert found["message"].startswith("G001/C1 counts as proven, and its evidence is not in ")
    assert "G001/C1 counts as proven, and its evidence is gone" in driven.run("report").err
    landed = driven.run("land", "--json")
    assert (landed.code, landed.reason) == (1, "not-proven")
    assert driven.mine() == "broken\n"


def test_what_a_user_changed_in_tests_meanwhile_counts_when_work_lands(driven: Driven) -> None:
    driven.write({"check.sh": "grep -q one size.txt && grep -q fixed product.txt\n"})
    driven.write({"size.txt": "one\n"})
    driven.ask(contract(criterion("C1", {"command": ["sh", "check.sh"]})))
    assert driven.drive({"G001": [FIX]}).reason == "done"
    driven.write({"check.sh": "grep -q two size.txt && grep -q fixed product.txt\n"})
    driven.write({"size.txt": "two\n"})
    driven.commit("mine")

    landed = driven.ok("land")

    assert (landed["how"], landed["unproven"]) == ("commit", [])
    assert driven.run("land", "--json").json["unproven"] == []


def test_a_goal_that_is_complete_is_judged_with_what_others_were_free_to_change(
    driven: Driven,
) -> None:
    driven.write({"check.sh": "grep -q old size.txt\n", "size.txt": "old\n"})
    kept = criterion("C2", {"command": ["sh", "check.sh"]}, guard=True)
    driven.ask(contract(criterion("C1", IS_FIXED), kept))
    assert driven.drive({"G001": [FIX]}).reason == "done"
    done = driven.ok("status")["run_id"]
    driven.ok("land")
    driven.ask(
        contract(
            criterion("C1", {"command": ["grep", "-q", "new", "size.txt"]}), may_change=["check.sh"]
        )
    )
    renew = [write("size.txt", "new\n"), write("check.sh", "grep -q new size.txt\n")]
    assert driven.drive({"G001": renew}).reason == "done"
    driven.ok("land")

    assert driven.judge("--run", done)["verdict"] == "PASS"
    driven.write({"product.txt": "spoiled\n"})
    assert driven.judge("--run", done)["verdict"] == "FAIL"
    (goal,) = driven.ok("status", "--run", done)["goals"]
    assert (goal["status"], {c["status"] for c in goal["criteria"]}) == ("complete", {"PASS"})


TELLS = {"command": ["sh", "-c", 'grep -qx "$(cat tests/data/word.txt)" notes.txt']}


@pytest.mark.thorough
def test_what_nobody_was_free_to_change_does_not_judge_the_next_goal(driven: Driven) -> None:
    driven.write({"tests/data/word.txt": "fixed\n"})
    driven.ask(FIXED, contract(criterion("C1", TELLS)))
    spoil, mend = (write("tests/data/word.txt", f"{word}\n") for word in ("wrong", "fixed"))
    follow = {"1": [write("notes.txt", "wrong\n")], "2": [NOTE, mend]}

    end = driven.drive({"G001": [spoil, FIX], "G002": follow})

    assert (end.reason, driven.decisions()) == ("done", ["DONE", "REPLAN", "DONE"])
    assert driven.ok("land")["unproven"] == []
    assert driven.mine("notes.txt") == "fixed\n"


def test_a_goal_of_an_agents_own_moves_no_fence(driven: Driven) -> None:
    fenced = contract(criterion("C1", IS_FIXED), scope={"never": ["notes.txt"]})
    driven.begin(fenced, env=driven.human())
    add = ("--title", "Mine", "--objective", "mine", "--evidence", "e", "--rationale", "r")
    driven.checkpoint("G001", "failed")
    driven.ok("steer", "--kind", "add_subgoal", *add)
    driven.start()
    (driven.root / "own.json").write_text(json.dumps(NOTED))
    driven.ok("contract", "freeze", "--goal-id", "G002", "--file", "own.json")
    driven.write({"notes.txt": "fixed\n", "product.txt": "fixed\n"})
    assert driven.complete("G002").code == 0

    driven.ok("complete-goals", "--retry-failed")
    assert "scope-never" in str(driven.complete("G001").json)
