"""Runs that meet: two at once, the same again, a changed brief, one that was interrupted."""

import json
from pathlib import Path

import pytest

from goalkeeper.bootstrap import now
from goalkeeper.core.moments import add_seconds
from tests.e2e.drives import (
    FIX,
    INTERRUPT,
    NOTED,
    SAYS_DONE,
    SPOIL,
    Acts,
    Driven,
    End,
    shell,
    signal_driver,
)
from tests.e2e.project import belongings, contract, story
from tests.e2e.world import World, tree
from tests.tables import for_each, thorough


def test_of_two_runs_at_once_the_second_is_told_that_the_first_is_busy(driven: Driven) -> None:
    process = driven.driving({"G001": [driven.waits(), FIX]})
    waiting = driven.at_work()
    second = driven.run(*driven.words({"G001": [SPOIL]}), "--json")
    driven.let_go(waiting)
    process.communicate()

    assert (second.code, second.reason) == (75, "lock-busy")
    assert process.returncode == 0
    assert driven.endings() == ["ok"]
    assert driven.kept() == "fixed\n"


def test_the_next_run_after_one_that_ended_is_not_kept_out(driven: Driven) -> None:
    for reason in ("no-op", "no-op"):
        assert driven.drive({"G001": [SAYS_DONE]}).reason == reason


def test_a_dry_run_of_a_brief_changes_nothing(driven: Driven) -> None:
    before = belongings(driven.root), tree(driven.root)
    answer = driven.run(*driven.words({"G001": [FIX]}, "--dry-run"))

    assert (answer.code, answer.err) == (0, "")
    first, *asked = answer.out.splitlines()[:4]
    assert first == "rehearsal would work on 1 goal, in quick iterations:"
    assert asked == [
        "  G001 new: Part 1",
        "    C1 C1 holds",
        "      proven by: command grep -q fixed product.txt",
    ]
    assert (belongings(driven.root), tree(driven.root)) == before


def test_a_dry_run_of_a_plan_changes_nothing(driven: Driven) -> None:
    driven.ask(contract(), NOTED)
    driven.drive({"G001": [FIX], "G002": [SAYS_DONE]})
    before = driven.bytes_of_state()
    data = driven.ok(*driven.words({"G001": [FIX]}, "--dry-run", "--max-cost", "2"))

    assert (data["goals"], data["limits"]["microdollars"]) == (["G002"], 2_000_000)
    assert [criterion["id"] for criterion in data["criteria"]["G002"]] == ["C1"]
    assert driven.bytes_of_state() == before


def test_a_dry_run_of_a_brief_that_is_no_plan_says_so(driven: Driven) -> None:
    driven.brief.write_text("@goal:\n")

    assert driven.run(*driven.words({}, "--dry-run")).code == 3
    assert not driven.state.exists()


def test_a_brief_that_changed_while_its_plan_is_live_is_refused(driven: Driven) -> None:
    driven.drive({"G001": [SAYS_DONE]})
    before = driven.bytes_of_state()
    driven.brief.write_text(driven.brief.read_text() + "\nAnd more.\n")

    assert driven.refused(*driven.words({"G001": [FIX]})) == "brief-changed"
    assert driven.bytes_of_state() == before


@pytest.mark.parametrize(
    "form", [thorough("{}\n\n"), "\n{}", thorough("\ufeff{}")], ids=["lines after", "before", "BOM"]
)
@pytest.mark.thorough
def test_the_same_brief_in_another_form_is_the_same(driven: Driven, form: str) -> None:
    driven.brief.write_text(form.format(driven.brief.read_text().strip()))

    assert driven.drive({"G001": [SAYS_DONE]}).reason == "no-op"
    assert driven.drive({"G001": [FIX]}).reason == "done"


def test_what_is_done_is_not_done_again(driven: Driven) -> None:
    driven.drive({"G001": [FIX]})
    before = driven.bytes_of_state()

    again = driven.drive({"G001": [SPOIL]})

    assert (again.code, again.reason, again.next) == (0, "done", "goalkeeper land")
    assert driven.bytes_of_state() == before


def test_another_brief_after_one_that_is_done_is_another_plan(driven: Driven) -> None:
    driven.drive({"G001": [FIX]})
    driven.brief.write_text(story("Notes", NOTED))

    assert driven.drive({"G001": [SAYS_DONE]}).reason == "no-op"
    assert len(list(driven.state.glob("runs/*/ledger.jsonl"))) == 2


def test_without_a_repository_nothing_is_begun(tmp_path: Path) -> None:
    world = World(tmp_path, git=False)
    (world.root / "brief.md").write_text(story("Part 1", contract()))
    words = ("run", "--gate", "standard", "--brief-file", "brief.md", "--script", "script.json")

    assert world.run(*words).code == 5
    assert list(world.state.glob("runs/*/ledger.jsonl")) == []


def test_a_plan_that_was_made_before_can_be_run(driven: Driven) -> None:
    driven.ok("create-goals", "--gate", "standard", "--brief-file", "brief.md")

    assert driven.drive({"G001": [FIX]}).reason == "done"


# Words that cannot be meant


@pytest.mark.parametrize(
    "words",
    [
        ("--max-cost", "nan"),
        ("--max-cost", "inf"),
        ("--max-cost", "-1"),
        ("--max-iterations", "0"),
        ("--max-pause", "-1"),
        ("--max-time", "soon"),
        ("--depth", "deep"),
        ("--isolation", "none"),
    ],
    ids=" ".join,
)
def test_limits_that_make_no_sense_begin_nothing(driven: Driven, words: tuple[str, str]) -> None:
    answer = driven.run(*driven.words({"G001": [FIX]}, *words))

    assert answer.code == 2
    assert words[0] in answer.err
    assert not driven.state.exists()


def test_the_least_limit_is_a_limit(driven: Driven) -> None:
    costs = {"usage": {"cost": 0.01}}
    end = driven.drive({"G001": [SAYS_DONE, costs]}, "--max-cost", "0.0000001")

    assert end.reason == "max-cost"


def test_an_agent_must_be_named(driven: Driven) -> None:
    answer = driven.run("run", "--brief-file", "brief.md", "--json")

    assert (answer.code, answer.hint) == (2, "goalkeeper agents list")


def test_the_client_that_is_around_or_the_only_one_there_is_need_not_be_named(
    driven: Driven, tmp_path: Path
) -> None:
    programs = {"codex": "echo codex-cli 0.99.0", "opencode": "echo 1.99.0"}
    for name, text in programs.items():
        file = tmp_path / name / name
        file.parent.mkdir()
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    one, both = f"{tmp_path}/codex:/usr/bin:/bin", f"{tmp_path}/codex:{tmp_path}/opencode:/usr/bin"
    ask = ("run", "--brief-file", "brief.md", "--dry-run")

    def default_of(env: dict[str, str]) -> tuple[str, str]:
        """What `agents list` marks, and why; `run` takes the same."""
        told = driven.ok("agents", "list", env=env)["default"]
        assert driven.run(*ask, "--json", env=env).json.get("agent", "") == told["name"]
        return told["name"], told["why"]

    assert default_of({"PATH": one}) == ("codex", "it is the only one on PATH")
    around = {"PATH": both, "OPENCODE": "1"}
    inside = "it is the client around you (OPENCODE is set)"
    assert default_of(around) == ("opencode", inside)
    page = driven.run("agents", "list", env=around).out
    assert f"\n* the default: {inside}\n" in page
    assert "opencode *" in page
    assert "next:" not in page
    assert default_of({"PATH": both})[1].startswith("codex and opencode are on PATH")
    driven.ok("init", "--yes", env={"PATH": one})
    assert default_of(around)[0] == "opencode"


# Interrupts


@for_each(("name", "code"), [("INT", 130), ("TERM", 143), ("HUP", 129)])
def test_a_run_goes_on_after_an_interrupt(tmp_path: Path, name: str, code: int) -> None:
    driven = Driven(tmp_path)
    stops: Acts = [SPOIL, signal_driver(name), {"silence": 300}]
    assert driven.drive({"G001": {"1/impl/1": stops, "*": [FIX]}}).code == code
    assert driven.left_running() == []

    end = driven.drive({"G001": {"*": [FIX]}})

    assert end.reason == "done"
    assert driven.endings() == ["interrupted", "ok"]
    assert driven.moments() == ["G001/1/impl/1", "G001/1/impl/2"]
    assert len(driven.data("drive_began")) == len(driven.data("drive_resumed")) == 1


@pytest.mark.thorough
def test_a_machine_that_sleeps_while_an_agent_works_has_not_worked(driven: Driven) -> None:
    slept = driven.home / "slept"
    night = 8 * 3600
    driven.clock = lambda: add_seconds(now(), night if slept.exists() else 0)

    end = driven.drive({"G001": [shell(f"touch {slept}"), SPOIL]}, "--max-time", "600")

    assert end.reason == "stagnation"
    assert sum(each["milliseconds"] for each in driven.data("clock_jumped")) > (night - 60) * 1000
    assert driven.ok("report")["seconds"] < 60


@pytest.mark.thorough
def test_a_pause_outlasts_an_interrupt(driven: Driven) -> None:
    limited = {"G001": [{"rate_limit": {"resets_in": 300}}]}
    process = driven.driving(limited)
    assert process.stderr
    for line in process.stderr:
        if line.startswith("paused, rate-limited: a rate limit was hit: "):
            break
    process.send_signal(2)
    out, _ = process.communicate()
    assert (process.returncode, out) == (130, "")

    again = driven.driving(limited)
    assert again.stderr
    first = again.stderr.readline()
    again.send_signal(2)
    again.communicate()
    assert first.startswith("paused, rate-limited: a rate limit was hit: ")
    assert driven.endings() == ["rate-limited"]


def test_limits_of_a_drive_hold_after_an_interrupt(driven: Driven) -> None:
    costs = {"usage": {"cost": 0.4}}
    stops = {"1": [SAYS_DONE, costs], "2": [SPOIL, INTERRUPT, {"silence": 300}]}
    assert driven.drive({"G001": stops}, "--max-cost", "0.7").code == 130

    end: End = driven.drive({"G001": [SAYS_DONE, costs]})

    assert (end.reason, end.detail) == ("max-cost", "$0.80")


def test_a_limit_that_is_given_anew_counts_and_the_others_hold(driven: Driven) -> None:
    costs = {"usage": {"cost": 0.4, "input": 10}}
    stops = {"1": [SAYS_DONE, costs], "2": [SPOIL, INTERRUPT, {"silence": 300}]}
    limits = ("--max-cost", "0.7", "--max-tokens", "15")
    assert driven.drive({"G001": stops}, *limits).code == 130

    end: End = driven.drive({"G001": [SAYS_DONE, costs]}, "--max-cost", "100")

    assert (end.reason, end.detail) == ("max-tokens", "20 tokens")


def test_a_judgement_of_other_files_than_the_drive_left_says_that_nothing_was_recorded(
    driven: Driven,
) -> None:
    driven.drive({"G001": [SPOIL]}, "--max-iterations", "1")
    product = driven.worktree() / "product.txt"
    follows = {"worse\n": "why G001", "fixed\n": "checkpoint --goal-id G001 --status complete "}
    for text, command in follows.items():
        product.write_text(text)
        told = End(*driven.run("judge", "--isolation", "checkout", cwd=product.parent)).next
        assert told.startswith(f"goalkeeper {command}")
        assert told.endswith("; nothing was recorded: the run ended with other files than lie here")
    assert len(driven.data("goal_judged")) == 1


def test_another_agent_may_go_on_once_the_last_one_is_settled(driven: Driven) -> None:
    assert driven.drive({"G001": [SPOIL, INTERRUPT, {"silence": 300}]}).code == 130

    works = json.dumps(["sh", "-c", "cat > /dev/null; echo fixed > product.txt"])
    code, out, _ = driven.run("run", "--command", works, "--isolation", "checkout", "--json")

    assert (code, json.loads(out)["agent"]) == (0, "command"), out


@pytest.mark.thorough
def test_a_plan_that_is_complete_is_left_whole_whatever_a_crash_left(driven: Driven) -> None:
    """Killed between the last entry and goals.json."""
    before = driven.drive({"G001": [{"say": "not yet"}]})
    (goals,) = driven.state.glob("runs/2*/goals.json")
    stale = goals.read_bytes()
    end = driven.drive({"G001": [FIX]})
    assert (before.reason, end.reason) == ("no-op", "done")
    goals.write_bytes(stale)

    assert driven.drive({"G001": []}).reason == "done"
    assert driven.run("ledger", "verify").code == 0
