"""`judge`: every criterion, seen by the witness, and what becomes of it."""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.e2e.project import (
    BROKEN,
    IS_FIXED,
    MENDED,
    PATH,
    Project,
    contract,
    criterion,
    status_of,
    verdicts,
)
from tests.e2e.world import COMMAND
from tests.tables import for_each

NOTED = {"command": ["grep", "-q", "seen", "notes.txt"]}


def test_the_document_says_what_was_seen_and_what_follows(project: Project) -> None:
    project.begin(contract(criterion("C1", IS_FIXED), criterion("C2", NOTED)))
    project.write(MENDED)

    judged = project.judge("--goal-id", "G001")

    assert set(judged) == {
        "ok", "goal_id", "iteration", "tree", "isolation", "criteria", "findings", "decision",
        "verdict", "remaining", "standing", "conditions",
    }  # fmt: skip
    told = ("ok", "goal_id", "iteration", "decision", "verdict", "findings")
    assert [judged[key] for key in told] == [False, "G001", 1, "REPLAN", "FAIL", []]
    first, second = judged["criteria"]
    assert set(first) == {
        "id", "status", "verdict", "fail_count", "reason", "evidence", "cached"
    }  # fmt: skip
    assert (first["id"], first["status"], first["verdict"]) == ("C1", "PASS", "passed")
    assert (second["status"], second["verdict"], second["fail_count"]) == ("FAIL", "failed", 1)
    assert judged["remaining"] == [
        {
            "id": "C2",
            "reason": "exit 1, expected 0",
            "suggested_action": "make it true in the product code, not in the tests",
            "fail_count": 1,
            "regression": False,
        }
    ]
    assert project.evidence(second["evidence"])["verdict"] == "failed"


def test_the_page_is_the_seeds_markdown(project: Project) -> None:
    project.begin(contract())

    page = project.run("judge")

    assert page.code == 1
    assert page.out == (
        "## JUDGE Result — Iteration 1\n"
        "\n"
        "| Criterion | Status | Evidence |\n"
        "| --- | --- | --- |\n"
        "| C1 | FAIL | exit 1, expected 0 |\n"
        "\n"
        "verdict: FAIL\n"
        "\n"
        "remaining:\n"
        "  - id: C1\n"
        '    reason: "exit 1, expected 0"\n'
        '    suggested_action: "make it true in the product code, not in the tests"\n'
        "    fail_count: 1\n"
        "    regression: false\n"
        "  next: goalkeeper why G001\n"
    )


def test_all_met_is_yes_and_names_the_way_through_the_gate(project: Project) -> None:
    project.begin(contract())
    project.write(MENDED)

    judged = project.judge()
    page = project.run("judge")

    assert (judged["ok"], judged["verdict"], judged["decision"]) == (True, "PASS", "DONE")
    assert judged["remaining"] == []
    assert page.code == 0
    assert "verdict: PASS\n  next: goalkeeper checkpoint --goal-id G001 --status comp" in page.out


def test_the_first_judgement_freezes_the_briefs_contract(project: Project) -> None:
    project.begin(contract()).judge()

    assert [event["kind"] for event in project.events()][-2:] == ["contract_frozen", "goal_judged"]


def test_the_same_tree_judged_twice_is_one_iteration(project: Project) -> None:
    project.begin(contract())

    first, second = project.judge(), project.judge()
    project.write({"notes.txt": "tried\n"})
    third = project.judge()

    assert [judged["iteration"] for judged in (first, second, third)] == [1, 1, 2]
    assert len(project.events("goal_judged")) == 2
    assert first["tree"] == second["tree"] != third["tree"]


def test_a_failure_after_a_pass_is_a_regression_and_names_what_changed(project: Project) -> None:
    project.begin(contract())
    project.write(MENDED)
    project.judge()
    project.write({**BROKEN, "new.txt": "untracked\n"})

    judged = project.judge()
    page = project.run("judge").out

    assert status_of(judged) == {"C1": "REGRESSED"}
    (left,) = judged["remaining"]
    assert (left["regression"], left["fail_count"]) == (True, 0)
    assert left["previous_pass_iteration"] == 1
    assert left["files_changed_since"] == ["new.txt", "product.txt"]
    assert "| C1 | REGRESSED | passed at iteration 1, now: exit 1, expected 0 |" in page
    assert "files_changed_since: [new.txt, product.txt]" in page
    assert "find which of the files changed" in left["suggested_action"]


def test_three_failures_in_a_row_are_for_a_human(project: Project) -> None:
    project.begin(contract())
    seen = []
    for turn in range(4):
        project.write({"notes.txt": f"try {turn}\n"})
        seen.append(project.judge())

    counts = [(status_of(j)["C1"], j["criteria"][0]["fail_count"]) for j in seen]
    assert counts == [("FAIL", 1), ("FAIL", 2), ("BLOCKED", 3), ("BLOCKED", 3)]
    assert "the next failure in a row blocks it" in seen[1]["remaining"][0]["suggested_action"]
    assert seen[2]["decision"] == "DONE_PARTIAL"
    assert seen[2]["ok"] is False
    project.write(MENDED)
    assert status_of(project.judge()) == {"C1": "PASS"}


def test_a_tree_that_failed_passes_when_it_is_not_by_luck(project: Project, tmp_path: Path) -> None:
    bad, turns = tmp_path / "bad", tmp_path / "turns"
    turn = f"for n in $(seq 20); do mkdir {turns}-$(cat {bad})-$n 2> /dev/null && break; done"
    text = f"grep -q fixed product.txt || exit 1; {turn}; test $n != $(cat {bad})"
    project.begin(contract(criterion("C1", {"shell": text})))
    project.write(MENDED)
    seen: list[str] = []
    for number in (1, 4, 7, 99):  # this run of the check fails
        bad.write_text(f"{number}\n")
        judged = project.judge("--isolation", "checkout")
        seen.append(*verdicts(judged).values())
        if seen[-1] == "unknown":
            reason = "flaky: it failed on this tree before, and does again (exit 1, expected 0"
            assert judged["criteria"][0]["reason"].startswith(reason)

    assert seen == ["failed", "unknown", "unknown", "passed"]


def test_what_cannot_be_checked_leaves_everything_as_it_was(
    project: Project, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "measure").write_text("#!/bin/sh\ngrep -q fixed product.txt\n")
    (tools / "measure").chmod(0o755)
    with_tool = {"PATH": f"{tools}:{PATH}"}
    project.begin(contract(criterion("C1", {"command": ["measure"]})))
    project.write(MENDED)
    assert status_of(project.judge(env=with_tool)) == {"C1": "PASS"}
    project.write({"notes.txt": "more\n"})
    (tools / "measure").unlink()

    judged = project.judge()

    assert judged["ok"] is False
    assert (status_of(judged), verdicts(judged)) == ({"C1": "PASS"}, {"C1": "unknown"})
    assert "measure could not be started" in judged["criteria"][0]["reason"]
    assert judged["remaining"][0]["id"] == "C1"
    assert judged["remaining"][0]["suggested_action"].startswith("see why it could not be checked")
    assert "| C1 | PASS | could not be checked: measure" in project.run("judge").out
    assert project.complete().reason == "not-proven"


def test_iterations_that_are_used_up_are_said(project: Project) -> None:
    project.write({".goalkeeper/config.toml": "version = 1\n[judge]\nmax_iterations = 2\n"})
    project.begin(contract(criterion("C1", IS_FIXED), criterion("C2", NOTED)))
    decisions = []
    for turn in range(2):
        project.write({"product.txt": f"try {turn}\n"})
        decisions.append(project.judge()["decision"])

    assert decisions == ["REPLAN", "SAFEGUARD"]


# What is judged


def test_a_commit_or_a_tree_can_be_judged_instead_of_the_working_tree(project: Project) -> None:
    project.begin(contract())
    project.write(MENDED)
    commit = project.commit("mended")
    tree = project.git("rev-parse", "HEAD^{tree}").strip()
    project.write(BROKEN)

    assert project.judge()["ok"] is False
    assert project.judge("--commit", "HEAD")["ok"] is True
    by_tree = project.judge("--tree", tree)

    assert (by_tree["ok"], by_tree["tree"]) == (True, tree)
    assert project.judge("--commit", commit)["tree"] == tree


@for_each(
    "words",
    [
        ("--commit", "no-such-branch"),
        ("--tree", "--help-me"),
        ("--tree", "0" * 40),
        ("--tree", "HEAD", "--commit", "HEAD"),
        ("--isolation", "perfect"),
        ("--goal-id", "G999"),
    ],
)
def test_what_cannot_be_judged_is_a_usage_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    project = Project(tmp_path)
    project.begin(contract())

    answer = project.run("judge", *words, "--json")

    assert answer.code == 2, answer
    assert project.events("goal_judged") == []


def test_without_a_name_the_active_goal_is_judged(project: Project) -> None:
    project.begin(contract(), contract(criterion("C9", IS_FIXED)))

    assert project.judge()["goal_id"] == "G001"

    project.ok("checkpoint", "--goal-id", "G001", "--status", "failed", "--evidence", "no luck")
    project.start()
    assert project.judge()["goal_id"] == "G002"


def test_without_a_plan_there_is_nothing_to_judge(project: Project) -> None:
    answer = project.run("judge", "--json")

    assert (answer.code, answer.reason) == (2, "no-plan")


def test_a_contract_that_cannot_tell_anything_is_not_judged_by(project: Project) -> None:
    project.begin(contract(criterion("C1", {"command": ["grep", "-q", "broken", "product.txt"]})))

    answer = project.run("judge", "--json")

    assert (answer.code, answer.reason) == (1, "contract-cannot-tell")
    assert project.events("goal_judged") == []


# Isolation


@pytest.mark.parametrize(
    "level", ["none", "checkout", pytest.param("sandbox", marks=pytest.mark.needs("bwrap"))]
)
def test_the_level_of_isolation_is_demanded_and_told(project: Project, level: str) -> None:
    project.write({".goalkeeper/config.toml": 'version = 1\n[witness]\nsetup = [["true"]]\n'})
    project.begin(contract())
    project.write(MENDED)

    judged = project.judge("--isolation", level)

    assert (judged["isolation"], judged["ok"]) == (level, True)
    judgement = project.events("goal_judged")[-1]["data"]["judgement"]
    told = {"checkout": ["set-up had the network"], "sandbox": ["set-up had no network"]}
    assert judgement["isolation"] == level
    assert judgement.get("conditions", []) == judged["conditions"] == told.get(level, [])


@pytest.mark.needs("bwrap")
def test_what_is_demanded_and_cannot_be_had_is_never_less(project: Project) -> None:
    """On a machine without bubblewrap, which bubblewrap makes of this one."""
    project.begin(contract())
    without = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", shutil.which("bwrap"))
    judge = (COMMAND, "judge", "--isolation", "sandbox", "--json")

    done = subprocess.run(
        [*map(str, without), *judge],
        cwd=project.root,
        env=project.environ(),
        capture_output=True,
        check=False,
    )

    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (5, "isolation-unavailable")
    assert "bubblewrap" in error["message"]
    assert "--isolation checkout" in error["hint"]
    assert project.events("goal_judged") == []


def test_the_worker_sees_no_more_of_the_sandbox_than_it_should(project: Project) -> None:
    """The repository, the ledger and the user's home are not there."""
    outside = [project.root / "product.txt", project.state, project.home / "secret.txt"]
    (project.home / "secret.txt").write_text("x")
    looks = " || ".join(f"test -s {place}" for place in outside)
    given = contract(criterion("C1", {"shell": f"grep -q fixed product.txt && ! ({looks})"}))
    project.begin(given)
    project.write(MENDED)

    assert project.judge("--isolation", "checkout")["ok"] is False
    project.write({"notes.txt": "again\n"})
    if project.judge()["isolation"] == "sandbox":
        assert project.judge()["ok"] is True


@pytest.mark.thorough
def test_L3_a_large_tree_is_written_once_for_checks_that_take_no_time(project: Project) -> None:
    project.write({f"many/{number // 500}/{number}.txt": "x\n" for number in range(10_000)})
    project.commit("many")
    project.begin(contract(criterion("C1", IS_FIXED), criterion("C2", IS_FIXED)))
    project.write(MENDED)

    assert project.complete().code == 0

    slots = project.home.glob(".cache/goalkeeper/witness/*/slots/*/tree")
    assert len([*slots]) == 1


def test_who_is_asked_to_end_ends_first_what_a_check_has_started(project: Project) -> None:
    pids = project.home / "pids"
    asks = f"setsid sleep 1000 & echo $! >> {pids}; kill -TERM $PPID; wait"
    project.begin(contract(criterion("C1", {"command": ["sh", "-c", f"test -f go && {asks}"]})))
    project.write({"go": ""})

    answer = project.run("judge", "--isolation", "checkout", "--json")

    assert (answer.code, answer.reason) == (128 + signal.SIGTERM, "interrupted")
    assert [pid for pid in pids.read_text().split() if Path("/proc", pid).exists()] == []
