"""What an agent is told: the goal, what the witness saw, and nothing that another one said."""

import json
from pathlib import Path

import pytest

from tests.e2e.drives import (
    BOTH,
    FIX,
    IS_NOTED,
    NOTE,
    SAYS_DONE,
    SPOIL,
    Driven,
    contains,
    honest,
    shell,
    write,
)
from tests.e2e.project import ADDS, IS_FIXED, RIGHT, SUITE, contract, criterion

SECTIONS = (
    "# Iteration 2 — Remaining Work",
    "## Already Complete (do not re-implement; will be judged again)",
    "## Blocked (do not retry)",
    "## Regressed (was passing",
    "## To Fix",
)
CASE = "def total(items):\n    return len(items) and 3\n"
HIDDEN = "echo dark; [ $(python3 -c 'from total import total; print(total([4]))') = 4 ]\n"
SENTINEL = "XYZZY-4711"
LOUD = {"command": ["sh", "-c", "cat product.txt; echo 7 of 9 rows >&2; grep -q fixed product.txt"]}


def section(prompt: str, title: str) -> str:
    """What stands below a heading, up to the next one."""
    return prompt.partition(f"## {title}")[2].partition("\n")[2].partition("\n#")[0].strip()


def test_the_first_prompt_has_the_goal_and_its_contract(driven: Driven) -> None:
    driven.brief.write_text(f"Keep it small.\n\n{driven.brief.read_text()}")
    driven.drive({"G001": [FIX]})

    prompt = driven.prompt("G001/1/impl/1")
    assert "# Goal G001: Part 1\n\nSee to it that part 1.\n" in prompt
    assert "# Constraints\n\nKeep it small.\n" in prompt
    assert "- C1: C1 holds\n  proven by: command grep -q fixed product.txt" in prompt
    assert "goalkeeper blocked --goal-id G001" in prompt
    assert not [title for title in SECTIONS if title in prompt]


def test_the_second_prompt_has_four_sections_with_what_the_witness_saw(driven: Driven) -> None:
    driven.ask(contract(criterion("C1", LOUD), criterion("C2", IS_NOTED)))
    driven.drive({"G001": {"1": [NOTE], "2": [FIX]}})

    prompt = driven.prompt("G001/2/impl/1")
    places = [prompt.find(title) for title in SECTIONS]
    assert -1 not in places
    assert places == sorted(places)
    assert section(prompt, "Already Complete") == "- C2: C2 holds PASS"
    assert section(prompt, "Blocked") == section(prompt, "Regressed") == "- none"
    to_fix = section(prompt, "To Fix")
    seen = "- C1: C1 holds\n  - Failed at: iteration 1\n  - Seen by the witness: exit 1, expected 0"
    assert to_fix.startswith(seen)
    assert to_fix.endswith("  - Output:\n\n        broken\n        7 of 9 rows")


def test_nothing_that_an_agent_said_reaches_the_next(driven: Driven) -> None:
    said = {"say": f"I proved it: {SENTINEL}"}
    thought = {"think": SENTINEL}
    lacks = {"expect_prompt": {"lacks": SENTINEL}}
    whispers = shell(f"echo {SENTINEL} >&2")
    end = driven.drive({"G001": {"1": [said, thought, whispers], "2": [lacks, FIX]}})

    assert end.reason == "done"
    assert SENTINEL not in driven.prompt("G001/2/impl/1")


@pytest.mark.thorough
def test_evidence_in_a_prompt_is_bounded(driven: Driven) -> None:
    text = "seq 1 50000; grep -q fixed product.txt"
    driven.ask(contract(criterion("C1", {"shell": text})))
    driven.drive({"G001": {"1": [SAYS_DONE], "2": [FIX]}})

    prompt = driven.prompt("G001/2/impl/1")
    assert "\n        49999\n        50000\n" in prompt
    assert len(prompt) < 8000


def test_a_regression_is_named_with_what_changed_since(driven: Driven) -> None:
    driven.ask(BOTH)
    breaks = [SPOIL, NOTE]
    end = driven.drive({"G001": {"1": [FIX], "2": breaks, "3": [contains("Last passed at"), FIX]}})

    assert end.reason == "done"
    assert "REGRESSED C1" in end.err
    regressed = section(driven.prompt("G001/3/impl/1"), "Regressed")
    assert regressed.startswith("- C1: C1 holds\n  - Last passed at: iteration 1\n")
    assert "Files changed since: notes.txt, product.txt\n" in regressed
    assert section(driven.prompt("G001/3/impl/1"), "To Fix") == "- none"


@pytest.mark.thorough
def test_a_criterion_that_failed_three_times_is_not_to_be_tried_again(driven: Driven) -> None:
    driven.ask(BOTH)
    wrong = [write("product.txt", f"wrong {n}\n") for n in range(5)]
    turns = {"1": [wrong[1], NOTE], "2": [wrong[2]], "3": [wrong[3], write("notes.txt", "no\n")]}
    driven.drive({"G001": {**turns, "4": [contains("BLOCKED (failed 3x)"), NOTE]}})

    prompt = driven.prompt("G001/4/impl/1")
    assert section(prompt, "Blocked") == "- C1: C1 holds BLOCKED (failed 3x)"
    assert section(prompt, "Regressed").startswith("- C2: C2 holds")


def test_who_repeats_itself_is_asked_once_for_another_way(driven: Driven) -> None:
    end = driven.drive({"G001": [SPOIL]})

    asked = ["# Another way" in prompt for prompt in driven.prompts("G001/2/impl/1")]
    assert asked == [False, False, True]
    assert "another way" in end.err


def examined(tmp_path: Path, limit: str = "3") -> Driven:
    """With a criterion that no agent sees."""
    config = f"version = 1\n[judge]\nheld_out_reports = {limit}\n"
    driven = Driven(tmp_path, {**SUITE, ".goalkeeper/config.toml": config})
    hidden = tmp_path / "cellar.sh"
    hidden.write_text(HIDDEN)
    held = criterion("H1", {"command": ["sh", "held_out/cellar.sh"]}, held_out=[str(hidden)])
    file = tmp_path / "contract.yaml"
    file.write_text(json.dumps(contract(criterion("C1", ADDS), held)))
    driven.ask(None)
    driven.ok("create-goals", "--gate", "standard", "--brief-file", "brief.md")
    freeze = ("contract", "freeze", "--goal-id", "G001", "--isolation", "checkout")
    driven.ok(*freeze, "--file", file, env=driven.human())
    return driven


def test_a_held_out_criterion_is_told_to_no_agent(tmp_path: Path) -> None:
    driven = examined(tmp_path)

    end = driven.drive({"G001": {"1": [write("total.py", CASE)], "2": [write("total.py", RIGHT)]}})

    prompt = driven.prompt("G001/2/impl/1")
    assert end.reason == "done"
    assert "held-out: a wrong result" in prompt
    assert [word for word in ("cellar", "dark", "[4]") if word in prompt] == []


@pytest.mark.thorough
def test_how_a_held_out_criterion_fails_is_told_so_often_and_no_more(tmp_path: Path) -> None:
    driven = examined(tmp_path, "1")
    guesses = {str(n): [write("total.py", CASE + f"# {n}\n")] for n in (1, 2)}
    driven.drive({"G001": {**guesses, "3": [write("total.py", RIGHT)]}})

    first, second, last = ([c["reason"] for c in judged["judgement"]["criteria"] if c["id"] == "H1"]
                           for judged in driven.data("goal_judged"))  # fmt: skip
    assert first == ["held-out: a wrong result"]
    assert second == ["held-out: no more is told of it"]
    assert "a wrong result" not in driven.prompt("G001/3/impl/1")
    assert "wrong" not in last[0]


@pytest.mark.thorough
def test_what_could_not_be_done_before_is_told_to_the_next_run(driven: Driven) -> None:
    wrong = {str(n): [write("product.txt", f"wrong {n}\n")] for n in range(1, 4)}
    assert driven.drive({"G001": wrong}).reason == "partial"
    driven.brief.write_text("Another day.\n\n" + driven.brief.read_text())
    driven.ok(
        "create-goals", "--gate", "standard", "--brief-file", "brief.md", "--archive", "again"
    )

    end = driven.drive({"G001": [honest("blocked", "no")]})

    last = max(driven.state.glob("runs/*/ledger.jsonl"), key=lambda file: file.stat().st_mtime_ns)
    ledger = last.read_text()
    (prompt,) = last.parent.glob("phases/G001-1-impl-1-*.md")
    assert "# What was learned before" in prompt.read_text()
    (began,) = [json.loads(line)["data"] for line in ledger.splitlines() if "drive_began" in line]
    safeguard, blocked = began["prior"]
    assert safeguard.endswith("ended as partial (G001: C1 failed three times): BLOCKED G001/C1")
    assert blocked.startswith("G001/C1 in an earlier run: ")
    assert all(text in end.err for text in began["prior"])


@pytest.mark.thorough
def test_what_could_not_be_done_before_is_left_when_the_user_says_so(driven: Driven) -> None:
    driven.ask(contract(criterion("C1", IS_FIXED)))
    wrong = {str(n): [write("product.txt", f"wrong {n}\n")] for n in range(1, 4)}
    assert driven.drive({"G001": wrong}).reason == "partial"
    driven.ask(BOTH, contract(criterion("C1", IS_FIXED)))
    archive = ("--brief-file", "brief.md", "--archive", "again")
    driven.ok("create-goals", "--gate", "standard", *archive)

    told = contains("## Blocked (do not retry)\n\n- C1: C1 holds BLOCKED (before)")
    end = driven.drive({"G001": [told, NOTE], "G002": [FIX]}, "--blocked-before", "leave")

    assert (end.reason, end.detail) == ("partial", "G001: C1 blocked before, not tried again")
    assert "- PASS C2 C2 holds" in end.out
    assert end.out.count("- BLOCKED C1 C1 holds") == 2
    assert (driven.state / "lessons.md").read_text().count("failed three times") == 1
