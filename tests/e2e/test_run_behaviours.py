"""However an agent behaves, a drive ends in the right reason, exit code and next command."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e.drives import FIX, SAYS_DONE, SPOIL, Act, Driven, End, Script, write
from tests.patience import patience
from tests.tables import sampled

LAND = "goalkeeper land"
WHY = "goalkeeper why G001"
UNBLOCK = "goalkeeper unblock --goal-id G001 --evidence <what changed>"
AGAIN = "as before"
PROBE = "goalkeeper agents probe"


class Case(NamedTuple):
    behaviour: str
    script: Script
    reason: str
    code: int
    next: str
    endings: Sequence[str]  # of all phases
    judged: int  # how often: iterations that were spent
    more: tuple[str, ...] = ()


def first(*acts: Act) -> Script:
    """At first these acts, then it works."""
    return {"G001": {"1/impl/1": acts, "*": [FIX]}}


def always(*acts: Act) -> Script:
    return {"G001": acts}


def done(behaviour: str, script: Script, *more: str, endings: Sequence[str] = ("ok",),
         judged: int = 1) -> Case:  # fmt: skip
    return Case(behaviour, script, "done", 0, LAND, endings, judged, more)


LIMITED: Act = {"rate_limit": {}}
OUTAGE: Act = {"outage": {"status": 529}}
GARBAGE: Act = {"garbage": {}}
COSTS: Act = {"usage": {"input": 60, "output": 5, "cost": 0.6}}
WRONG = {str(n): [write("product.txt", f"wrong {n}\n")] for n in range(1, 9)}

WORKS = [
    done("works at once", always(FIX, SAYS_DONE)),
    done("works slowly", always({"sleep": 3}, FIX), "--stall-time", "2"),
    done("lies, then works", {"G001": {"1": [SAYS_DONE], "2": [FIX]}},
         endings=("ok", "ok"), judged=2),
    done("completes in the last iteration", {"G001": {**WRONG, "3": [FIX]}},
         "--max-iterations", "3", endings=("ok",) * 3, judged=3),
    done("spends its last money on the work", always(FIX, COSTS), "--max-cost", "0.5"),
    done("crashes when the work is done", always(FIX, {"exit": 3}), endings=("crash",)),
    done("is killed when the work is done", always(FIX, {"die": "SIGKILL"}), endings=("crash",)),
    done("crashes once", first({"exit": 3}), endings=("crash", "ok")),
    done("stalls once", first({"silence": 60}), "--stall-time", "2", endings=("stalled", "ok")),
    done("floods", always({"flood": {"mb": 25, "line_mb": 1}},
                          {"flood": {"mb": 25, "line_mb": 25}}, FIX)),
    done("prints garbage", always(GARBAGE, FIX)),
    done("prints garbage and dies", always(GARBAGE, FIX, {"die": "SIGSEGV"}), endings=("crash",)),
    done("is limited, nobody knows how long", first(LIMITED), "--backoff", "1",
         endings=("rate-limited", "ok")),
    done("is limited after half of the work", first(SPOIL, LIMITED),
         endings=("rate-limited", "ok")),
    done("has one outage", first(OUTAGE), endings=("outage", "ok")),
]  # fmt: skip

STOPS = [
    Case("does nothing and says it is done", always(SAYS_DONE), "no-op", 1, WHY, ("ok",) * 4, 1),
    Case("does the same wrong thing again", always(SPOIL), "stagnation", 1, WHY, ("ok",) * 4, 1),
    Case("is wrong three times", {"G001": WRONG}, "partial", 1, UNBLOCK, ("ok",) * 3, 3),
    Case("is told its prompt is too long", always({"context": {}}), "no-op", 1, WHY,
         ("context",) * 4, 1),
    Case("stalls", always({"silence": 60}), "stalled", 1, AGAIN, ("stalled",) * 2, 0,
         ("--stall-time", "1")),
    Case("crashes", always({"exit": 3}), "crashed", 1, AGAIN, ("crash",) * 3, 0),
    Case("is killed", always({"die": "SIGKILL"}), "crashed", 1, AGAIN, ("crash",) * 3, 0),
    Case("is limited again and again", always(LIMITED), "rate-limited", 75, AGAIN,
         ("rate-limited",) * 6, 0),
    Case("is limited for too long", always({"rate_limit": {"resets_in": 100}}), "rate-limited",
         75, AGAIN, ("rate-limited",), 0, ("--max-pause", "5")),
    Case("has an outage that lasts", always(OUTAGE), "outage", 5, AGAIN, ("outage",) * 6, 0),
    Case("is not logged in", always({"auth": {}}), "auth", 5, PROBE, ("auth",), 0),
    Case("is logged out after the work", always(FIX, {"auth": {}}), "auth", 5, PROBE, ("auth",), 0),
    Case("costs too much", always(COSTS), "max-cost", 1, WHY, ("ok",) * 2, 1,
         ("--max-cost", "1.2")),
    Case("talks too much", always(COSTS), "max-tokens", 1, WHY, ("ok",) * 2, 1,
         ("--max-tokens", "130")),
    Case("takes too long", always({"sleep": 60}), "max-time", 1, WHY, ("timeout",), 0,
         ("--max-time", "1")),
    Case("takes too long in one phase", always({"sleep": 60}), "crashed", 1, AGAIN,
         ("timeout",) * 3, 0, ("--phase-time", "1")),
    Case("needs too many iterations", {"G001": WRONG}, "max-iterations", 1, WHY, ("ok",) * 2, 2,
         ("--max-iterations", "2")),
]  # fmt: skip


def check(driven: Driven, case: Case) -> None:
    end = driven.drive(case.script, *case.more)

    upcoming = driven.again if case.next == AGAIN else case.next
    assert (end.reason, end.code, end.next) == (case.reason, case.code, upcoming), end
    assert driven.endings() == list(case.endings)
    assert len(driven.data("goal_judged")) == case.judged
    assert [ended["reason"] for ended in driven.data("drive_ended")] == [case.reason]
    assert driven.left_running() == []
    assert driven.mine() == "broken\n"
    driven.ok("ledger", "verify")


@pytest.mark.parametrize("case", sampled(WORKS, one_in=3), ids=lambda case: case.behaviour)
def test_an_agent_that_comes_to_the_work_is_proven(driven: Driven, case: Case) -> None:
    check(driven, case)

    assert driven.statuses() == {"G001": "complete"}
    assert driven.kept() == "fixed\n"


@pytest.mark.parametrize("case", sampled(STOPS, one_in=3), ids=lambda case: case.behaviour)
def test_an_agent_that_does_not_is_stopped_for_a_reason(driven: Driven, case: Case) -> None:
    check(driven, case)

    assert driven.statuses() == {"G001": "blocked" if case.reason == "partial" else "active"}
    pauses = sum(ending in {"rate-limited", "outage"} for ending in case.endings[1:])
    assert len(driven.data("drive_paused")) == pauses  # nobody waits before the end


def test_a_drive_that_was_stopped_goes_on_when_asked(driven: Driven) -> None:
    assert driven.drive(always(SAYS_DONE)).reason == "no-op"

    assert driven.drive(always(FIX)).reason == "done"
    assert driven.moments()[-1].startswith("G001/2/")


def test_a_pause_is_recorded_and_shown_and_spends_no_iteration(driven: Driven) -> None:
    end = driven.drive(first({"rate_limit": {"resets_in": patience(0.3)}}))

    assert (end.reason, driven.endings()) == ("done", ["rate-limited", "ok"])
    (limited, _) = driven.data("phase_ended")
    (paused,) = driven.data("drive_paused")
    assert paused["until"] == limited["record"]["resets_at"]
    assert "paused, rate-limited" in end.err
    assert driven.moments() == ["G001/1/impl/1", "G001/1/impl/2"]


def test_what_was_done_before_an_end_is_kept(driven: Driven) -> None:
    driven.drive(always(SPOIL, {"auth": {}}))

    assert driven.kept() == "spoiled\n"


def test_cost_is_added_up_and_told(driven: Driven) -> None:
    end = driven.drive({"G001": {"1": [SAYS_DONE, COSTS], "2": [FIX, COSTS]}})

    assert "130 tokens, $1.20." in end.out


def test_a_cost_that_nobody_told_is_unknown_and_not_nothing(driven: Driven) -> None:
    unknown = driven.drive(always(FIX, {"die": "SIGKILL"}))

    assert "cost unknown." in unknown.out


def test_a_cost_that_was_told_in_part_is_at_least_that(driven: Driven) -> None:
    end = driven.drive({"G001": {"1": [SAYS_DONE, COSTS], "2": [FIX, {"die": "SIGKILL"}]}})

    assert "at least $0.60." in end.out


def test_a_phase_has_a_record_that_we_wrote(driven: Driven) -> None:
    driven.drive(always(FIX, COSTS, SAYS_DONE))

    (began,), (spawned,), (ended,) = map(
        driven.data, ("phase_began", "phase_spawned", "phase_ended")
    )
    record = ended["record"]
    assert (began["agent"], record["client"], record["model"]) == ("rehearsal",) * 3
    assert (record["exit_code"], record["tool_calls"], record["said"]) == (0, 1, "All done.")
    assert all(
        [began["prompt"], spawned["argv"], spawned["born"], record["session"], record["out"]]
    )
    assert began["running"]["tree"] != ended["tree"]


def test_programs_that_look_on_are_told_each_step_as_json(driven: Driven) -> None:
    end = driven.drive({"G001": {"1": [SAYS_DONE], "2": [FIX]}}, "--json")

    told = [json.loads(line) for line in end.err.splitlines()]
    events = [each["event"] for each in told]
    assert events[:4] == ["start", "freeze", "worktree", "exec"]
    assert [e["decision"] for e in told if e["event"] == "judgement"] == ["REPLAN", "DONE"]
    assert events[-2:] == ["proven", "stop"]
    assert json.loads(end.out)["reason"] == "done"


def test_an_agent_that_takes_no_model_is_not_given_one(driven: Driven) -> None:
    end = driven.drive(always(FIX), "--model", "large")

    assert end.code == 2
    assert "rehearsal takes no --model" in end.err


@pytest.mark.thorough
def test_the_traces_of_a_moment_that_comes_again_are_all_kept(driven: Driven) -> None:
    driven.drive(always(SAYS_DONE))

    assert driven.moments() == ["G001/1/impl/1", *["G001/2/impl/1"] * 3]
    for kind in ("md", "out", "err", "code"):
        assert len(list(driven.state.glob(f"runs/*/phases/*.{kind}"))) == 4


@pytest.mark.thorough
def test_a_flood_is_kept_at_both_ends_only(driven: Driven) -> None:
    driven.drive(always({"flood": {"mb": 5, "line_mb": 1}}, FIX))

    (out,) = driven.state.glob("runs/*/phases/*.out")
    assert out.stat().st_size < 1 << 20
    assert b"bytes left out" in out.read_bytes()


def test_what_an_agent_prints_does_no_harm_to_a_terminal(driven: Driven) -> None:
    end = driven.drive(always({"say": "\x1b[2Jgone"}, GARBAGE, FIX))

    assert "\x1b" not in end.err + end.out


# Other agents


def command(*argv: str) -> tuple[str, ...]:
    words = ("run", "--gate", "standard", "--brief-file", "brief.md", "--isolation", "checkout")
    return (*words, "--agent", "command", "--command", json.dumps(argv))


def test_an_agent_that_is_not_there_is_named_before_anything_is_begun(driven: Driven) -> None:
    answer = driven.run(*command("no-such-agent"), "--json")

    assert (answer.code, answer.reason) == (5, "agent-unusable")
    assert "no-such-agent" in answer.json["error"]["message"]
    assert not driven.state.exists()


def test_an_agent_that_goes_while_it_is_driven_is_missing(driven: Driven) -> None:
    agent = driven.home / "agent"
    agent.write_text("#!/bin/sh\nrm $0\n")
    agent.chmod(0o755)
    end = End(*driven.run(*command(str(agent))))

    assert (end.reason, end.code, end.next) == ("agent-missing", 5, PROBE)
    assert driven.endings() == ["ok", "not-started"]


def test_a_limit_of_cost_needs_an_agent_that_tells_its_cost(driven: Driven) -> None:
    words = (*command("sh", "-c", "echo fixed > product.txt"), "--max-cost", "1")

    assert driven.refused(*words) == "cost-unknown"
    assert driven.run(*words, "--cost-unknown", "allow").code == 0


def test_the_strongest_isolation_is_used_when_none_is_asked_for(
    driven: Driven, tmp_path: Path
) -> None:
    words = driven.words(always(FIX))
    place = words.index("--isolation")

    assert driven.run(*words[:place], *words[place + 2 :]).code == 0
    (judged,) = driven.data("goal_judged")
    assert judged["judgement"]["isolation"] in {"sandbox", "checkout"}
