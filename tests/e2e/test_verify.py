"""`verify`: a goal that no command settles is answered for, step by step, on one exact tree."""

import json
from pathlib import Path

from goalkeeper.wire.canonical import digest
from tests.e2e.answering import (
    ASKS,
    QUESTION,
    answers,
    asking,
    codes,
    item,
    states,
    verify,
)
from tests.e2e.project import IS_FIXED, MENDED, Project, contract, criterion, verdicts
from tests.tables import for_each

FOUR = ("q1", "q1_5", "q2", "q3")


def test_T05_questions_stay_open_until_they_are_answered_and_then_the_gate_decides(
    project: Project,
) -> None:
    asking(project, criterion("C1", IS_FIXED), criterion("C2", QUESTION))
    project.write(MENDED)

    asked = verify(project)
    answered = verify(project, answers())

    assert (asked.code, asked.json["ok"]) == (1, False)
    assert asked.json["checks"] == {
        "flags": ["has_string_checks"], "all_passed": True, "total": 1, "passed": 1,
        "unevaluatable": 0,
    }  # fmt: skip
    assert asked.json["questions"] == [
        {"id": "C2", "question": QUESTION["question"], "answered": False}
    ]
    assert (answered.code, answered.json["questions"][0]["answered"]) == (0, True)
    assert states(answered) == dict.fromkeys(FOUR, "passed")
    assert verdicts(project.judge()) == {"C1": "passed", "C2": "passed"}
    assert project.complete().code == 0


def test_what_was_answered_counts_on_that_tree_and_on_no_other(project: Project) -> None:
    asking(project)
    verify(project, answers())
    (told,) = [event["data"] for event in project.events("questions_answered")]

    there = project.judge()
    project.write({"notes.txt": "more\n"})
    elsewhere = project.judge()

    assert verdicts(there) == {"C1": "passed"}
    assert there["criteria"][0]["reason"] == told["reason"]
    assert told["reason"].startswith("answered: artifact=report.md; checklist 5/5; failure mode")
    document = project.evidence(told["answers"])
    assert document["answers"] == answers()
    assert (document["tree"], list(document["files"])) == (told["tree"], ["report.md"])
    assert verdicts(elsewhere) == {"C1": "unknown"}
    assert project.complete().reason == "not-proven"


def test_T18_T20_all_that_is_wrong_is_told_at_once_and_nothing_of_it_is_stored(
    project: Project,
) -> None:
    asking(project)
    bad = answers(
        q1={"artifact": "nothing.md", "claim": "The report possibly is complete."},
        q1_5={"items": [item(n, result="fail" if n == 1 else "pass") for n in range(5)]},
        q2=answers()["q2"] | {"finding": "other.md contains all regions because it is long."},
        q3=None,
        result="The parser doesn't exist because nobody wrote `parse`.",
    )

    told = verify(project, bad)

    assert told.code == 1
    found = codes(told)
    assert found["answers.q1.artifact"] == "artifact-missing"
    assert found["answers.q1_5.items[1]"] == "covered-failure"
    assert found["answers.q3"] == "missing"
    assert {"answers.q1.claim", "answers.q2.finding", "answers.result"} <= found.keys()
    assert all(each["mend"] and each["message"] for each in told.json["diagnostics"])
    assert states(told) == dict.fromkeys(FOUR, "failed")
    assert project.events("step_verified") == []


def test_T19_what_passed_is_stored_until_its_artifact_or_its_answer_changes(
    project: Project,
) -> None:
    asking(project)
    lying = answers(q2=answers()["q2"] | {"check": {"command": ["grep", "-q", "9", "report.md"]}})

    first = verify(project, lying)
    again = verify(project, answers())
    project.write({"report.md": "north 3\nsouth 4\nwest 5\n"})
    changed = verify(project, answers())

    assert states(first) == {"q1": "passed", "q1_5": "passed", "q2": "failed", "q3": "waiting"}
    assert codes(first) == {"answers.q2.check": "check-failed"}
    assert states(again) == {"q1": "stored", "q1_5": "stored", "q2": "passed", "q3": "passed"}
    assert states(changed) == dict.fromkeys(FOUR, "passed")
    assert [each["data"]["step"] for each in project.events("step_verified")] == [*FOUR, *FOUR]


def test_T28_a_check_that_cannot_be_run_and_a_checklist_that_fails_pass_nothing(
    project: Project,
) -> None:
    asking(project)
    missing = answers()["q2"] | {"check": {"command": ["no-such-program"]}}

    told = verify(project, answers(q2=missing))

    assert codes(told) == {"answers.q2.check": "check-unknown"}
    assert told.code == 1
    assert project.events("questions_answered") == []


def test_the_latest_answers_about_a_tree_count_and_failures_are_recorded(project: Project) -> None:
    asking(project)
    assert verify(project, answers()).code == 0
    assert verdicts(project.judge()) == {"C1": "passed"}
    assert "1 of 1 criteria met" in project.run("status").out
    doubts = answers()["q2"] | {"check": {"command": ["grep", "-q", "Antarctica", "report.md"]}}

    told = verify(project, answers(q2=doubts))

    assert (told.code, told.json["questions"][0]["answered"]) == (1, False)
    (failed,) = [event["data"] for event in project.events("verification_failed")]
    assert failed["problems"][0].startswith("answers.q2.check: ")
    assert failed["steps"] == ["q2"]
    for command in (("why", "G001"), ("status",), ("report",)):
        told_all = project.run(*command).out
        assert "1 of 1" not in told_all
        assert "checkpoint" not in told_all
        assert "PASS" not in told_all
    assert verdicts(project.judge()) == {"C1": "unknown"}
    for command in (("why", "G001"), ("verify",), ("report",)):
        assert "the failure is there" in project.run(*command).out
    assert codes(verify(project, {})) == {"answers.q2": "missing"}
    assert verify(project, answers()).code == 0
    assert "failed_answers" not in project.goals()["G001"]


def test_a_template_that_is_filled_in_passes_and_what_passed_need_not_be_sent_again(
    project: Project,
) -> None:
    asking(project, ASKS, outcomes=["every region has a number"])
    mark = digest(QUESTION)[:16]
    lessons = project.state / "lessons.md"
    lessons.write_text(f"- C1 holds: passed after 2 failures <!-- {mark} another passed -->\n")
    empty = project.run("verify", "--template")

    unfilled = verify(project, json.loads(empty.out))
    first = verify(project, answers(q1_5=None, q2=None, q3=None))
    form = project.ok("verify", "--template", "G001")["template"]
    for number, each in enumerate(form["q1_5"]["items"]):
        each |= {"result": "pass", "coverage": "covered"}
        if each["question"].startswith("<"):
            each["question"] = f"Does property {number} hold?"
    form |= {"q2": answers()["q2"], "q3": answers()["q3"], "summary": "two regions"}
    pages = [project.run(*words).out for words in (("why", "G001"), ("status",), ("verify",))]
    told = verify(project, form)

    assert (unfilled.code, unfilled.reason) == (3, "answers-invalid")
    assert "answers.q1.artifact: it is not filled in yet" in unfilled.json["error"]["message"]
    assert "report.md" in json.loads(empty.out)["q1"]["artifact"]
    assert states(first)["q1"] == "passed"
    assert "q1" not in form
    assert form["about"]["stored"] == [{"step": "q1", "note": "artifact=report.md"}]
    assert "answered: q1 artifact=report.md" in pages[0]
    assert "answered: q1" in pages[1]
    assert "stored: q1 artifact=report.md" in pages[2]
    assert "lesson: C1 holds: passed after 2 failures" in pages[2]
    assert form["about"]["lessons"] == ["C1 holds: passed after 2 failures"]
    assert states(told) == {"q1": "stored", "q1_5": "passed", "q2": "passed", "q3": "passed"}
    assert project.goals()["G001"]["answers"][0]["summary"] == "two regions"
    project.write({"notes.txt": "another tree\n"})
    assert codes(verify(project, {})) == {"answers.q2": "missing"}
    project.write({"report.md": "north 3\nsouth 4\nwest 5\n"})
    assert set(codes(verify(project, {})).values()) == {"missing"}
    assert "q1" in project.ok("verify", "--template")["template"]


def test_what_a_file_is_said_to_contain_is_looked_for_in_it(project: Project) -> None:
    asking(project)
    because = "because report.md was written in 1 go."

    told = [
        verify(project, answers(result=f"report.md {said} {because}"))
        for said in ("contains Antarctica", "has 400 lines", 'contains "North 3"', "has 2 lines")
    ]

    lacking = {"answers.result": "file-lacks-content"}
    assert [codes(each) for each in told] == [lacking, lacking, {}, {}]
    assert verify(project, answers()).code == 0  # nothing of the earlier result is added
    (kept,) = project.goals()["G001"]["answers"]
    assert set(project.evidence(kept["answers"])["answers"]) == set(FOUR)


def test_T21_what_no_criterion_covers_is_logged_once_and_closes_no_gate(project: Project) -> None:
    asking(project)
    gap = {"result": "fail", "coverage": "uncovered"}
    given = answers(q1_5={"items": [item(n, **(gap if n < 2 else {})) for n in range(5)]})

    told = verify(project, given)
    verify(project, given)
    listed = project.ok("verify", "--missing-criteria")["missing_criteria"]
    page = project.run("verify", "--missing-criteria").out

    assert (told.code, len(told.json["uncovered"])) == (0, 2)
    (row,) = listed
    assert (row["goal_id"], row["artifact"], len(row["items"])) == ("G001", "report.md", 2)
    assert row["items"][0] in page
    assert verdicts(project.judge()) == {"C1": "passed"}  # the log is no file of the tree


def test_T03_a_check_that_fails_ends_it_before_any_question(project: Project) -> None:
    asking(project, criterion("C1", IS_FIXED), criterion("C2", QUESTION))

    told = verify(project, answers())

    assert (told.code, told.json["checks"]["flags"]) == (1, ["checks_failed"])
    assert (told.json["checks"]["all_passed"], told.json["steps"]) == (False, [])
    assert project.events("step_verified") == []


def test_T08_a_human_confirms_what_is_for_people_on_the_tree_as_it_is(project: Project) -> None:
    asking(project, criterion("C1", {"manual": "look at the colours"}))
    confirm = ("--criterion", "C1", "--confirm", "--evidence", "seen in Firefox")

    before = verify(project)
    agents = verify(project, None, *confirm)
    humans = verify(project, None, *confirm, env=project.human())
    after = verify(project)
    project.write({"notes.txt": "more\n"})

    assert before.json["checks"]["flags"] == ["checks_empty"]
    assert before.json["checks"]["all_passed"] is None
    assert before.json["needs_judgement"] == ["C1"]
    assert (agents.code, agents.reason) == (1, "confirmation-needs-human")
    assert humans.code == 0
    assert (after.code, after.json["needs_judgement"]) == (0, [])
    assert after.json["criteria"][0]["reason"] == "a human confirmed it: seen in Firefox"
    assert verdicts(project.judge()) == {"C1": "unknown"}
    assert verify(project, answers()).reason == "nothing-to-answer"


def test_what_claims_need_is_looked_up_by_goalkeeper_and_overrides_are_named(
    project: Project,
) -> None:
    asking(project)
    claim = "An importer does not exist because nobody needed one."
    searches = [{"search": {"tier": t, "query": "importer"}} for t in ("tree", "codebase")]
    override = [{"claim": claim, "reason": "the maintainer said so"}]

    bare = verify(project, answers(result=claim))
    searched = verify(project, answers(result=claim, evidence=searches))
    by_agent = verify(project, answers(result=claim, overrides=override))
    file = project.state / "cache" / "overriding.json"
    file.write_text(json.dumps(answers(result=claim, overrides=override)))
    overridden = project.on_terminal("verify", "--answers", str(file), "--json")

    assert "answers.result" in codes(bare)
    assert searched.json["overridden"] == []
    assert codes(bare)["answers.result"] == "absence-not-searched"
    assert "absence-not-searched" not in codes(searched).values()
    assert codes(by_agent)["answers.overrides"] == "override-needs-human"
    assert codes(by_agent)["answers.result"] == "absence-not-searched"
    assert by_agent.json["overridden"] == []
    assert len(overridden.json["overridden"]) == 1
    assert "the maintainer said so" in overridden.json["overridden"][0]


def test_T26_a_leg_that_needs_no_user_is_closed_by_itself(project: Project) -> None:
    leg = {"outcomes_agent_leg": ["a draft"], "participants": ["agent", "user"],
           "user_leg_scope": "architecture-decision"}  # fmt: skip
    asking(project, ASKS, outcomes=["a draft", "a decision"], **leg)
    claim = "The draft is there because report.md holds it."
    shown = [{"outcome": "a draft", "artifact": "report.md", "claim": claim}]

    told = verify(project, {"agent_leg": shown})

    assert (told.code, states(told)) == (0, {"agent_leg": "passed"})
    note = "agent-leg-complete; user-leg pending (architecture-decision)"
    assert project.judge()["criteria"][0]["reason"] == f"answered: {note}"
    assert project.complete().code == 0
    for command in (("why", "G001"), ("status",), ("report",), ("receipt", "verify")):
        assert "open for the user" in project.run(*command).out
    receipt = project.ok("receipt", "show")["statement"]["predicate"]["goals"][0]["criteria"][0]
    assert (receipt["verdict"], receipt["leftToUser"]) == ("agent-leg", ["a decision"])
    confirm = ("verify", "--criterion", "C1", "--confirm", "--evidence", "decided")
    assert project.run(*confirm, "--json").reason == "confirmation-needs-human"
    assert project.run(*confirm, env=project.human()).code == 0
    assert "open for the user" not in project.run("status").out


def test_an_agent_in_the_repository_gives_its_answers_as_a_file(project: Project) -> None:
    asking(project)
    file = project.state / "cache" / "answers.json"  # not part of the tree
    file.write_text(json.dumps(answers()))
    project.judge()
    asked = project.run("why", "G001").out

    told = project.run("verify", "--answers", str(file), "--json")
    answered = project.run("why", "G001").out
    page = project.run("verify")
    project.write({"notes.txt": "more\n"})
    project.judge()

    assert "next: goalkeeper verify --template G001 > FILE" in asked
    assert "seen last:  answered for tree " in answered
    assert "to do:      have it judged: goalkeeper judge, or the checkpoint" in answered
    assert "next: goalkeeper judge --goal-id G001" in answered
    assert "answered for tree" not in project.run("why", "G001").out  # it was about other files
    assert told.code == 0
    assert page.code == 0
    assert "Verified on this tree, and on no other." in page.out
    assert "next: goalkeeper checkpoint --goal-id G001 --status complete" in page.out


def test_T50_a_false_reason_to_leave_something_out_is_refused_and_recorded(
    project: Project,
) -> None:
    asking(project)
    short = {"step": "q1_5", "condition": "zone tight"}

    told = verify(project, answers(q1_5=None, abbreviated=short))

    assert codes(told) == {
        "answers.q1_5": "missing", "answers.abbreviated": "abbreviation-untrue"
    }  # fmt: skip
    (event,) = project.events("abbreviation_refused")
    assert event["data"]["reason"] == "the only condition is outcome routine"
    assert "q1_5" not in {e["data"]["step"] for e in project.events("step_verified")}


def test_T17_a_goal_that_is_not_there_is_an_error_and_no_answer(project: Project) -> None:
    project.begin(contract(ASKS))

    told = verify(project, answers(), goal="G009")

    assert (told.code, told.reason) == (2, "unknown-goal")


@for_each("given", [b"", b"{}"])
def test_no_answer_at_all_passes_no_step(given: bytes, tmp_path: Path) -> None:
    project = Project(tmp_path)
    asking(project)

    told = project.run("verify", "--answers", "-", "--json", input=given)

    assert told.code == (1 if given else 2)
    assert project.events("step_verified") == []
