"""What agents are told. The prompts themselves lie in tests/data/prompts, to be read.

After a change that is meant: REWRITE_PROMPTS=1 pytest tests/unit/loop/test_prompting.py,
and read the difference.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.contract.findings import FINDINGS_SHOWN, Finding, Level
from goalkeeper.core.drive.phases import WORK, Ending, Phase, Record
from goalkeeper.core.drive.state import LineOfWork, Running
from goalkeeper.core.plan.model import Goal, GoalStatus
from goalkeeper.loop.prompting import (
    EVIDENCE_CHARACTERS,
    FILES_SHOWN,
    PromptFacts,
    write_prompt,
)
from goalkeeper.witness.evidence import excerpt_failure
from tests.tables import for_each
from tests.unit.core.stories import worktree_of

PROMPTS = Path(__file__).parents[2] / "data" / "prompts"
REMAINING = [phase for phase in WORK if phase in {Phase.PLAN, Phase.IMPL}]
CONTRACT = """
criteria:
- {id: C1, text: sums are right, check: {pytest: tests/test_sums.py}}
- {id: C2, text: the docs build, check: {command: [make, docs]}}
- {id: C3, text: the old way still works, check: {command: [make, old], timeout: 30}, guard: true}
- {id: C4, text: negative numbers are refused, check: {command: [make, negative]}}
- {id: C5, text: it holds elsewhere, check: {pytest: held_out}, held_out: [/cellar/test_it.py]}
- {id: C6, text: the service answers, check: {command: [make, service]}}
- {id: C7, text: it is fast, check: {command: [make, bench]}}
scope: {touch: [src/**], never: [src/vendor/**]}
may_change: [tests/test_sums.py]
manifest: {expected_paths: [src/sums.py], must_contain: [{path: NEWS, pattern: "sums?"}]}
"""
PASS, FAIL = CriterionStatus.PASS, CriterionStatus.FAIL
STATES = (
    CriterionState("C1", PASS, passed_at=3, evidence="e1"),
    CriterionState("C2", CriterionStatus.BLOCKED, 3, failed=3, reason="exit 2", evidence="e2"),
    CriterionState("C3", CriterionStatus.REGRESSED, passed_at=2, reason="exit 1", evidence="e3"),
    CriterionState("C4", FAIL, 2, failed=2, reason="exit 1, expected 0", evidence="e4"),
    CriterionState("C5", FAIL, 1, failed=1, reason="an assertion failed", evidence="e5"),
    CriterionState("C6", PASS, error_streak=1, passed_at=1, reason="no answer", evidence="e6"),
    CriterionState("C7"),
)
OUTPUTS = {
    "e1": "all fine", "e2": "no such target", "e3": "old: ValueError\nold: 1 failed",
    "e4": "expected -1 to be refused", "e5": "the secret case", "e6": "connection refused",
}  # fmt: skip
FINDINGS = (
    Finding("test-emptied", Level.BLOCKING, "tests/test_sums.py", 12, "test_zero asserts nothing",
            "A test that asserts nothing cannot fail.", "Put its assertions back.", "100644 a"),
    Finding("test-vanished", Level.ASKING, "tests/test_old.py", 0, "C1: test_one is gone",
            "A test that is not there cannot fail.", "Put it back.", "gone"),
    Finding("long-diff", Level.ADVISORY, "", 0, "800 lines changed"),
)  # fmt: skip
LESSONS = ("2026-01-01 the docs build: failed three times in a row; seen last: exit 2",)


def contract_of(text: str) -> Contract:
    contract = read_text(text)
    assert isinstance(contract, Contract), contract
    return contract


def told(**changes: object) -> PromptFacts:
    """In the fourth iteration, with a criterion in every state."""
    goal = Goal(
        "G001", "Sums", "Make sums right.\n\nAlso for negative numbers.", GoalStatus.ACTIVE,
        "", "", "brief", criteria=STATES, iteration=3,
    )  # fmt: skip
    line = LineOfWork(worktree_of("G001"), "tree", findings=FINDINGS)
    whole = PromptFacts(
        goal=goal,
        contract=contract_of(CONTRACT),
        line=line,
        constraints="No new dependencies.",
        start="0123abc",
        iteration=4,
        otherwise=False,
        lessons=LESSONS,
        output=lambda evidence: OUTPUTS.get(evidence, ""),
        changed=lambda state: ("src/sums.py", "src/old.py"),
        difference=lambda state: "-old\n+new\n",
    )
    return whole.replace(**changes)


def first(**changes: object) -> PromptFacts:
    """In the first iteration, of a small goal that nobody has learned anything about."""
    goal = told().goal.replace(iteration=0, criteria=tuple(CriterionState(s.id) for s in STATES))
    line = LineOfWork(worktree_of("G001"), "tree")
    small = contract_of(CONTRACT[: CONTRACT.index("- {id: C2")])
    changed = {"goal": goal, "line": line, "contract": small, "constraints": "", "lessons": ()}
    return told(**{**changed, "iteration": 1, **changes})


def sections(text: str) -> dict[str, str]:
    """The text below each heading, by the heading's first words."""
    _, *parts = re.split(r"^##? (.+)\n", text, flags=re.MULTILINE)
    heads = [head.partition(" (")[0] for head in parts[::2]]
    return dict(zip(heads, parts[1::2], strict=True))


def named(body: str) -> list[str]:
    return re.findall(r"^- (C\d)", body, flags=re.MULTILINE)


@for_each("phase", WORK)
@for_each("when", ["first", "later"])
def test_the_prompt_is_the_one_that_people_have_read(phase: Phase, when: str) -> None:
    agrees(f"{phase}-{when}", write_prompt(phase, first() if when == "first" else told()))


def test_the_prompt_for_another_way_is_the_one_that_people_have_read() -> None:
    agrees("impl-otherwise", write_prompt(Phase.IMPL, told(otherwise=True)))


@for_each("phase", WORK)
def test_every_phase_is_handed_what_the_goals_before_left_once(phase: Phase) -> None:
    left = "## Predecessor Output (G000)\nthe table is in sums.csv"

    assert write_prompt(phase, told(before=left)).count(f"\n{left}\n") == 1
    assert "Predecessor Output" not in write_prompt(phase, told())


def agrees(name: str, text: str) -> None:
    file = PROMPTS / f"{name}.md"
    if os.environ.get("REWRITE_PROMPTS"):
        file.write_text(text)
    assert text == file.read_text()


def test_no_prompt_lies_there_that_nobody_is_given() -> None:
    known = {f"{phase}-{when}" for phase in WORK for when in ("first", "later")}

    assert {file.stem for file in PROMPTS.glob("*")} == known | {"impl-otherwise"}


# The four sections


@for_each("phase", REMAINING)
def test_every_criterion_stands_in_exactly_one_of_four_sections(phase: Phase) -> None:
    found = sections(write_prompt(phase, told()))

    assert named(found["Already Complete"]) == ["C1"]
    assert named(found["Blocked"]) == ["C2"]
    assert named(found["Regressed"]) == ["C3"]
    assert named(found["To Fix"]) == ["C4", "C5", "C6", "C7"]


@for_each("phase", WORK)
def test_the_first_iteration_has_nothing_that_remains(phase: Phase) -> None:
    assert "Remaining Work" not in write_prompt(phase, first())


def test_a_section_without_criteria_says_so() -> None:
    goal = told().goal.replace(criteria=STATES[:1])

    found = sections(write_prompt(Phase.IMPL, told(goal=goal)))

    for name in ("Blocked", "Regressed", "To Fix"):
        assert found[name].strip().startswith("- none")


def test_what_passed_once_and_cannot_be_checked_now_is_not_complete() -> None:
    found = sections(write_prompt(Phase.IMPL, told()))

    assert "C6" not in found["Already Complete"]
    assert "Seen by the witness: no answer" in found["To Fix"]


def test_a_regression_is_told_with_when_it_passed_and_what_changed_since() -> None:
    regressed = sections(write_prompt(Phase.IMPL, told()))["Regressed"]

    assert "Last passed at: iteration 2" in regressed
    assert "Files changed since: src/sums.py, src/old.py" in regressed


def test_files_that_nobody_knows_any_more_are_unknown() -> None:
    text = write_prompt(Phase.IMPL, told(changed=lambda state: ()))

    assert "Files changed since: unknown" in text


def test_a_criterion_that_the_contract_no_longer_has_is_not_told() -> None:
    goal = told().goal.replace(criteria=(*STATES, CriterionState("C9", FAIL)))

    assert "C9" not in write_prompt(Phase.IMPL, told(goal=goal))


def test_the_whole_contract_is_told_not_only_its_criteria() -> None:
    text = write_prompt(Phase.IMPL, told())

    assert 'the change as a whole: {"expected_paths":["src/sums.py"]}' in text
    assert 'the change as a whole: {"must_contain":[{"path":"NEWS","pattern":"sums?"}]}' in text
    assert "Change nothing outside of: src/**. Never change: src/vendor/**." in text
    assert "Of what is protected you may change: tests/test_sums.py." in text


# What is kept out


@for_each("phase", WORK)
def test_nothing_of_held_out_checks_is_shown(phase: Phase) -> None:
    text = write_prompt(phase, told())

    assert "the secret case" not in text
    assert "cellar" not in text
    assert "held out: you do not see it" in text


@for_each("phase", WORK)
def test_no_word_of_an_agent_gets_into_a_prompt(phase: Phase) -> None:
    """Whatever field of the record it came to stand in."""
    word = "Believe-me"
    record = Record(
        word, Ending.OK, session=word, model=word, problem=word, said=word, out=word,
        resets_at=word,
    )  # fmt: skip
    running = Running("G001", 4, phase, 1, word, word, born=word)
    line = told().line.replace(last=record, running=running)
    goal = told().goal.replace(evidence=word, exit=word, classification=word)

    assert word not in write_prompt(phase, told(line=line, goal=goal, otherwise=True))


def test_another_way_is_asked_for_only_when_it_is_wanted() -> None:
    assert "# Another way" in write_prompt(Phase.IMPL, told(otherwise=True))
    assert "# Another way" not in write_prompt(Phase.IMPL, told())


# Bounds


def test_the_end_of_long_evidence_is_shown() -> None:
    long = "the beginning\n" + "x" * 100_000 + "\nthe last line"

    shown = write_prompt(Phase.IMPL, told(output=lambda evidence: long if evidence == "e4" else ""))

    assert "the last line" in shown
    assert "the beginning" not in shown
    assert shown.count("x" * 100) <= EVIDENCE_CHARACTERS // 100


def ran(verdict: str, **streams: str) -> dict[str, object]:
    return {"facts": {"verdict": verdict}, **{n: {"text": text} for n, text in streams.items()}}


def test_an_excerpt_of_evidence_always_fits() -> None:
    failed = ran("failed", stdout="o" * 10**6, stderr="e" * 10**6)

    assert 0 < len(excerpt_failure({"runs": [failed]})) <= EVIDENCE_CHARACTERS


def test_an_excerpt_is_of_the_first_run_that_did_not_pass() -> None:
    runs = [ran("passed", stdout="fine"), ran("failed", stdout=" out\n", stderr="err\n")]

    assert excerpt_failure({"runs": [*runs, ran("failed", stdout="later")]}) == "out\nerr"


@for_each("runs", [None, [], [ran("passed", stdout="fine")], [ran("failed", stdout=" \n")]])
def test_of_evidence_without_output_nothing_is_shown(runs: object) -> None:
    assert excerpt_failure({"runs": runs}) == ""
    assert excerpt_failure(None) == ""


def test_of_many_findings_the_first_are_shown() -> None:
    many = [Finding(f"rule-{n:03}", Level.ADVISORY, "a.py", n, "so") for n in range(500)]
    line = told().line.replace(findings=tuple(many))

    text = write_prompt(Phase.IMPL, told(line=line))

    assert re.findall(r"rule-\d+", text) == [f"rule-{n:03}" for n in range(FINDINGS_SHOWN)]


def test_of_many_files_the_first_are_shown() -> None:
    def many(state: CriterionState) -> Sequence[str]:
        return [f"file-{n:04}.py" for n in range(5000)]

    text = write_prompt(Phase.IMPL, told(changed=many))

    assert len(re.findall(r"file-\d+", text)) == FILES_SHOWN


# Odd words


ODD = "costs $5, $objective, ${title}, $$, $goal_id, {braces}, %s, \\n, `code`, ünï, 𝄞"


@for_each("phase", WORK)
def test_words_of_the_user_survive_unchanged(phase: Phase) -> None:
    goal = told().goal.replace(title=f"title {ODD}", objective=f"objective {ODD}")

    text = write_prompt(phase, told(goal=goal, constraints=f"constraints {ODD}"))

    for name in ("title", "objective", "constraints"):
        assert f"{name} {ODD}" in text


def test_words_of_contracts_checks_and_lessons_survive_unchanged() -> None:
    one = contract_of(CONTRACT).criteria[3].replace(text=f"text {ODD}")
    contract = contract_of(CONTRACT).replace(criteria=(one,))
    goal = told().goal.replace(criteria=(STATES[3].replace(reason=f"reason {ODD}"),))
    line = told().line.replace(findings=(FINDINGS[0].replace(message=f"message {ODD}"),))

    text = write_prompt(
        Phase.IMPL,
        told(
            contract=contract,
            goal=goal,
            line=line,
            lessons=[f"lesson {ODD}"],
            output=lambda _: f"output {ODD}",
        ),
    )

    for name in ("text", "reason", "message", "lesson", "output"):
        assert f"{name} {ODD}" in text


@given(words=st.text(max_size=200), phase=st.sampled_from(WORK))
def test_whatever_is_asked_for_is_what_is_told(words: str, phase: Phase) -> None:
    goal = told().goal.replace(objective=words)

    assert f"\n\n{words}\n" in write_prompt(phase, told(goal=goal))


def test_no_place_in_a_template_is_left_open() -> None:
    for phase in WORK:
        for each in (first(), told(otherwise=True)):
            assert "$" not in write_prompt(phase, each)
