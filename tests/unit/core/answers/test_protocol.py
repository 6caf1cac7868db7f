"""The steps of a verification: what each asks for, and what voids it."""

from typing import Any

from goalkeeper.core.answers import document, procedure
from goalkeeper.core.answers.document import Answers
from goalkeeper.core.answers.procedure import Case, Scene
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.problems import Problem
from goalkeeper.core.review.assessed import Diagnostic
from tests.e2e.answering import answers as said
from tests.e2e.answering import item
from tests.tables import for_each
from tests.unit.core.helpers import VERDICTS
from tests.unit.core.verifications import questions, read

KINDS = {"s": "command: [make, one]", "q": "question: is it so?", "m": "manual: look at it"}
SCENE = Scene("tree", {"report.md": "new"}, {}, ("abcdef0123",))
LEG = "outcomes_agent_leg: [a draft, a table]\nuser_leg_scope: commit\n"


def contract(kinds: str, more: str = "") -> Contract:
    lines = [
        f"- {{id: C{n}, text: it holds, check: {{{KINDS[kind]}}}}}"
        for n, kind in enumerate(kinds, 1)
    ]
    return read("\n".join(("criteria:" if lines else "criteria: []", *lines, more)))


def summary(kinds: str, told: str) -> tuple[list[str], bool | None]:
    seen = tuple(Judged(f"C{n}", VERDICTS[letter]) for n, letter in enumerate(told, 1))
    found = procedure.summarise_checks(contract(kinds), seen)
    return list(found.flags), found.all_passed


def given(**more: object) -> Answers:
    found = document.read_answers(said(**more))
    assert isinstance(found, Answers), found
    return found


def case(scene: Scene = SCENE, *, asks: str = "", result: str = "", **more: object) -> Case:
    return Case(read(questions(asks)), given(**more), scene, result)


def wrong(found: Case) -> dict[str, str]:
    return {d.path: d.code for step in procedure.diagnose_stages(found).values() for d in step}


def test_T01_without_structured_checks_nothing_could_be_verified() -> None:
    assert summary("", "") == (["checks_empty"], None)


def test_T02_every_check_that_passes_is_all_passed() -> None:
    assert summary("s", "p") == ([], True)


def test_T03_one_check_that_fails_is_a_failure_and_the_others_were_run() -> None:
    seen = (Judged("C1", Verdict.FAILED), Judged("C2", Verdict.PASSED))
    found = procedure.summarise_checks(contract("ss"), seen)

    assert (found.flags, found.all_passed) == (("checks_failed",), False)
    assert (found.passed, found.total) == (1, 2)


def test_T04_only_questions_are_no_structured_checks() -> None:
    assert summary("qq", "uu") == (["checks_empty", "has_string_checks"], None)


def test_T05_checks_that_pass_leave_the_questions_open() -> None:
    seen = (Judged("C1", Verdict.PASSED), Judged("C2", Verdict.UNKNOWN))
    found = procedure.summarise_checks(contract("sq"), seen)

    assert (found.flags, found.all_passed) == (("has_string_checks",), True)
    assert found.questions == ("C2",)


def test_T06_what_could_not_be_run_is_neither_passed_nor_failed() -> None:
    found = procedure.summarise_checks(contract("s"), (Judged("C1", Verdict.UNKNOWN),))

    assert (found.flags, found.all_passed) == (("checks_unevaluatable",), None)
    assert found.unevaluatable == 1


def test_T07_a_failure_beats_what_could_not_be_run_and_that_is_still_counted() -> None:
    seen = (Judged("C1", Verdict.UNKNOWN), Judged("C2", Verdict.FAILED))
    found = procedure.summarise_checks(contract("ss"), seen)

    assert (found.flags, found.all_passed) == (("checks_failed",), False)
    assert found.unevaluatable == 1


def test_T08_what_is_for_people_is_never_passed_by_itself() -> None:
    found = procedure.summarise_checks(contract("m"), (Judged("C1", Verdict.UNKNOWN),))

    assert (found.flags, found.all_passed) == (("checks_empty",), None)
    assert found.manual == ("C1",)


def test_T09_a_check_without_a_kind_is_an_error_and_never_dropped() -> None:
    text = "criteria:\n- {id: C1, text: it holds, check: {path: x}}\n"
    problems = read_text(text)

    assert not isinstance(problems, Contract)
    assert "no kind of check in path" in str(problems[0])


def test_T10_a_legacy_field_is_an_error_and_never_read_as_something_else() -> None:
    problems = read_text("completion_check: make test\n")

    assert not isinstance(problems, Contract)
    assert "unknown field 'completion_check'" in str(problems[0])


def test_answers_in_which_nothing_is_wrong_pass_every_step() -> None:
    assert wrong(case()) == {}
    assert procedure.list_stages(case()) == ("q1", "q1_5", "q2", "q3")


@for_each(
    ("artifact", "code"),
    [
        ("nothing concrete", "artifact-missing"),
        ("other.md", "artifact-missing"),
        ("../report.md", "artifact-missing"),
        ("commit:abc", "artifact-missing"),
        ("commit:0123456", "artifact-missing"),
        ("report.md", ""),
        ("./report.md", ""),
        ("commit:abcdef0", ""),
    ],
)
def test_T18_q1_needs_an_artifact_that_is_there(artifact: str, code: str) -> None:
    q1 = {"artifact": artifact, "claim": "It is done because report.md says so."}

    assert wrong(case(q1=q1)) == ({"answers.q1.artifact": code} if code else {})


def test_T18_what_was_there_before_the_work_shows_nothing_of_it() -> None:
    scene = SCENE.replace(before={"report.md": "new"})

    assert wrong(case(scene)) == {"answers.q1.artifact": "artifact-unchanged"}


def test_T19_a_step_is_bound_to_contract_answers_artifact_and_evidence() -> None:
    before = {step: procedure.digest_inputs(case(), step) for step in procedure.QUESTIONS}
    q1 = {"artifact": "report.md", "claim": "It is right because report.md says so."}
    changed = {
        "the artifact": case(SCENE.replace(files={"report.md": "newer"})),
        "the contract": case(asks="outcomes: [more]\n"),
        "the answer": case(q1=q1),
        "an override": case(overrides=[{"claim": "c", "reason": "r"}]),
    }

    assert {step: procedure.digest_inputs(case(), step) for step in before} == before
    for what, after in changed.items():
        assert procedure.digest_inputs(after, "q1") != before["q1"], what
    assert procedure.digest_inputs(changed["the answer"], "q3") == before["q3"]


def test_T19_other_files_void_only_the_step_whose_check_may_depend_on_them() -> None:
    other = case(SCENE.replace(tree="another tree"))

    before, after = (
        {step: procedure.digest_inputs(each, step) for step in procedure.QUESTIONS}
        for each in (case(), other)
    )
    assert [step for step in before if before[step] != after[step]] == ["q2"]


def test_T20_what_is_wrong_with_a_claim_is_wrong_with_its_step() -> None:
    said = Diagnostic("answers.q1.claim", "file-state", "not borne out", "read it")

    found = procedure.diagnose_stages(case().replace(texts=(said,)))

    assert found["q1"] == (said,)
    assert found["q2"] == ()


@for_each(
    ("path", "step"),
    [
        ("answers.result", "q2"),
        ("answers.summary", "q3"),
        ("answers.q1_5.items[3].question", "q1_5"),
        ("answers.agent_leg[0].claim", "q3"),
    ],
)
def test_every_text_belongs_to_a_step(path: str, step: str) -> None:
    said = Diagnostic(path, "hedge", "m", "mend")

    found = procedure.diagnose_stages(case().replace(texts=(said,)))

    assert [name for name, told in found.items() if said in told] == [step]


def items(**changed: dict[str, str]) -> dict[str, Any]:
    return {"items": [item(n, **changed.get(f"n{n}", {})) for n in range(6)]}


def test_T21_a_covered_failure_closes_the_gate_and_an_uncovered_one_does_not() -> None:
    covered = case(q1_5=items(n2={"result": "fail"}))
    gap = {"result": "fail", "coverage": "uncovered"}
    uncovered = case(q1_5=items(n2=gap, n4=gap))

    assert wrong(covered) == {"answers.q1_5.items[2]": "covered-failure"}
    assert wrong(uncovered) == {}
    assert len(procedure.list_uncovered(uncovered.answers)) == 2
    assert procedure.note_stage(uncovered, "q1_5") == "checklist 4/6, 2 uncovered"


@for_each(
    ("changed", "code"),
    [
        ({f"n{n}": {"dimension": "presence"} for n in range(6)}, "dimension-missing"),
        ({f"n{n}": {"result": "na"} for n in range(6)}, "nothing-checked"),
        ({"n1": {"question": "same?"}, "n2": {"question": "Same? "}}, "asked-twice"),
    ],
)
def test_T21_a_checklist_that_checks_nothing_is_none(
    changed: dict[str, dict[str, str]], code: str
) -> None:
    assert wrong(case(q1_5=items(**changed))) == {"answers.q1_5.items": code}


@for_each("count", [0, 4, 11])
def test_T21_a_checklist_has_five_to_ten_items(count: int) -> None:
    problems = document.read_answers(said(q1_5={"items": [item(n) for n in range(count)]}))

    assert not isinstance(problems, Answers)
    assert isinstance(problems[0], Problem)
    assert "q1_5.items: expected at" in str(problems[0])


def test_T22_an_abbreviated_checklist_is_no_step_and_no_pass() -> None:
    found = case(q1_5=None).replace(abbreviated="outcome routine")

    assert procedure.list_stages(found) == ("q1", "q2", "q3")
    assert wrong(found) == {}
    assert "checklist abbreviated (outcome routine)" in procedure.give_reason(found, ())


@for_each(
    ("changed", "code"),
    [
        ({"failure_mode": "none"}, "answers.q2.failure_mode vague"),
        ({"failure_mode": "It could fail."}, "answers.q2.failure_mode vague"),
        ({"failure_mode": "n/a, really"}, "answers.q2.failure_mode vague"),
        ({"check": {"question": "is it so?"}}, "answers.q2.check unchecked"),
        ({"check": {"manual": "look"}}, "answers.q2.check unchecked"),
        ({"check": {"command": ["true"]}}, "answers.q2.check vacuous"),
        ({"check": {"shell": "grep x y || true"}}, "answers.q2.check vacuous"),
    ],
)
def test_T23_a_failure_mode_that_is_vague_or_unchecked_fails(
    changed: dict[str, Any], code: str
) -> None:
    q2 = said()["q2"] | changed
    path, what = code.split(" ")

    assert wrong(case(q2=q2)) == {path: what}


def test_T23_a_failure_mode_without_a_check_is_no_answer_at_all() -> None:
    q2 = {name: text for name, text in said()["q2"].items() if name != "check"}

    assert [str(p) for p in document.read_answers(said(q2=q2))] == ["answers: q2: check is missing"]  # type: ignore[union-attr]


@for_each(
    ("verdict", "code"),
    [("passed", ""), ("failed", "check-failed"), ("unknown", "check-unknown")],
)
def test_T28_a_check_that_could_not_be_run_is_never_a_pass(verdict: str, code: str) -> None:
    found = procedure.diagnose_check(Judged("Q2", Verdict(verdict), "why"))

    assert [each.code for each in found] == ([code] if code else [])


@for_each("left", ["q1", "q1_5", "q2", "q3"])
def test_a_step_that_is_not_answered_is_missing(left: str) -> None:
    without: dict[str, Any] = {left: None}

    assert wrong(case(**without)) == {f"answers.{left}": "missing"}


def test_T25_a_hypothesis_needs_its_artifact_and_what_else_is_answered_counts() -> None:
    alone = case(result="CONFIRMED", q1_5=None, q2=None, q3=None)
    more = case(result="CORRECTED", q1_5=None, q2=None)

    assert procedure.list_stages(alone) == ("q1",)
    assert procedure.list_stages(more) == ("q1", "q3")
    assert procedure.give_reason(alone, ()) == "answered: hypothesis CONFIRMED; artifact=report.md"


def legs(*shown: str) -> list[dict[str, str]]:
    claim = "The draft is there because report.md holds it."
    return [{"outcome": outcome, "artifact": "report.md", "claim": claim} for outcome in shown]


def leg_case(asks: str, *shown: str) -> Case:
    none: dict[str, Any] = {"q1": None, "q1_5": None, "q2": None, "q3": None}
    return case(asks=asks, agent_leg=legs(*shown), **none)


SHARED = f"participants: [agent, user]\n{LEG}"


def test_T26_a_leg_of_which_every_outcome_is_shown_answers_the_questions() -> None:
    whole = leg_case(SHARED, "a table", "a draft")

    assert procedure.list_stages(whole) == ("agent_leg",)
    assert wrong(whole) == {}
    expected = "answered: agent-leg-complete; user-leg pending (commit)"
    assert procedure.give_reason(whole, ()) == expected


def test_T26_a_partial_leg_leads_to_the_ordinary_questions() -> None:
    partial = leg_case(SHARED, "a draft", "something else")

    assert procedure.list_stages(partial) == ("q1", "q1_5", "q2", "q3")
    assert wrong(partial) == {
        "answers.q1": "missing",
        "answers.agent_leg[1].outcome": "unknown-outcome",
        "answers.agent_leg": "leg-incomplete",
        "answers.q1_5": "missing",
        "answers.q2": "missing",
        "answers.q3": "missing",
    }


def test_T26_a_leg_whose_artifact_is_missing_is_partial() -> None:
    found = leg_case(SHARED, "a draft", "a table")

    assert not procedure.is_leg(found.replace(scene=SCENE.replace(files={})))


@for_each("participants", ["[agent]", "[]"])
def test_T26_a_leg_without_a_user_is_ignored(participants: str) -> None:
    alone = leg_case(f"participants: {participants}\n{LEG}", "a draft", "a table")

    assert procedure.list_stages(alone) == ("q1", "q1_5", "q2", "q3")
    assert "answers.agent_leg" not in wrong(alone)


def test_what_is_told_of_an_answer_is_bounded_and_names_what_was_overridden() -> None:
    told = procedure.give_reason(case(), ("'it does not exist' (seen by hand) (agent)",))
    long = procedure.give_reason(case(), ("x" * 10_000,))

    assert told.endswith("overridden: 'it does not exist' (seen by hand) (agent)")
    assert len(long) == 500
