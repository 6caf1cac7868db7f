"""`let-stand`: questions about a change, what blocks, and those who would rather not be asked."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.drives import Act, Driven, Script, contains, write
from tests.e2e.holds import Held
from tests.e2e.project import Project, contract, criterion, rules, story

# A suite that counts its cases by a file: one that is left out vanishes, and nothing else is odd.
RUNNER = """\
number=0
while read -r given wanted; do
  number=$((number + 1)); word=ok
  [ "$(sh double.sh "$given")" = "$wanted" ] || word="not ok"
  echo "$word $number - doubles $given"
done < tests/cases.txt
echo "1..$number"
"""
CASES = "2 4\n3 6\n7 14\n"
FILES = {"double.sh": "echo 4\n", "tests/run.sh": RUNNER, "tests/cases.txt": CASES}
RIGHT, FEWER = 'echo "$(($1 * 2))"\n', "2 4\n3 6\n"
DOUBLES = contract(criterion("C1", {"tap": ["sh", "tests/run.sh"]}), scope={"never": ["LICENSE"]})
REASON = "Seven is the same case as three, and the brief asks for two cases."


def let(finding: str = "test-vanished", *more: str, reason: str = REASON) -> tuple[str, ...]:
    return ("let-stand", "--goal-id", "G001", "--finding", finding, *more, "--reason", reason)


def findings(told: Any) -> list[Any]:  # noqa: ANN401  JSON
    return [each for each in told["findings"] if each["rule"] == "test-vanished"]


def begun(place: Path) -> Project:
    """A project whose work is done, and asks one question."""
    project = Project(place, FILES)
    project.begin(DOUBLES, env=project.human())
    project.write({"double.sh": RIGHT, "tests/cases.txt": FEWER})
    return project


def test_a_worker_answers_a_question_and_everybody_reads_it_first(tmp_path: Path) -> None:
    project = begun(tmp_path)

    asked = project.judge()
    (question,) = findings(asked)
    assert (question["level"], question["stands"], asked["verdict"]) == ("asking", "", "FAIL")
    page = project.run("judge").out
    for told in (
        question["why"],
        question["mend"],
        "or answer: goalkeeper let-stand --goal-id G001",
    ):
        assert told in page
    refused = project.complete()
    assert (refused.code, refused.reason) == (1, "question-open")
    assert question["mend"] in refused.json["error"]["message"]
    # The command of the hint, with a reason, is the whole answer.
    words = shlex.split(
        refused.hint.removesuffix(", or mend it").replace("<why it is right>", REASON)
    )

    done = project.ok(*words[1:])

    assert [each["stands_by"] for each in done["findings"]] == ["agent"]
    assert project.ok(*words[1:])["repeated"] is True
    assert f"let stand by agent: {REASON}" in project.run("why", "G001").out
    assert project.judge()["verdict"] == "PASS"
    assert project.complete().code == 0
    (event,) = project.events("finding_answered")
    assert (event["actor"]["kind"], event["data"]["answer"]["by"]) == ("agent", "agent")
    assert project.ok("ledger", "verify")
    told = f"let stand by agent: {REASON} (test-vanished: C1: doubles 7 is gone)"
    assert project.run("status").out.splitlines()[1] == f"G001 {told}"
    assert project.run("report").out.split("iterations\n\n")[1].startswith(f"- {told}\n- PASS C1")
    statement = project.ok("receipt", "show")["statement"]
    (stands,) = statement["predicate"]["goals"][0]["letStand"]
    assert (stands["by"], stands["reason"], stands["rule"]) == ("agent", REASON, "test-vanished")
    policy = project.root / ".git/policy.toml"
    policy.write_text('let_stand_by = ["human"]\n')
    held = project.run("receipt", "verify", "--policy", str(policy), "--json")
    assert "let-stand-by-another" in [reason["code"] for reason in held.json["reasons"]]


def test_whoever_only_wants_to_be_done_gets_nowhere(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.write({"LICENSE": "mine\n"})
    assert ("scope-never", "LICENSE") in rules(project.judge())

    assert project.refused(*let("scope-never")) == "letting-stand-needs-human"
    assert project.refused(*let(reason="b e c a u s e " * 5)) == "reason-missing"
    assert project.refused(*let(reason="it is fine as it is")) == "reason-missing"
    assert project.run(*let(reason="   ")).code == 2
    unknown = project.run(*let("skip-added"), "--json")
    assert unknown.reason == "no-such-finding"
    listed = [each["rule"] for each in unknown.json["error"]["facts"]["findings"]]
    assert {*listed} == {"scope-never", "test-vanished"}
    assert project.events("finding_answered") == []
    # What is let stand is so for these bytes.
    person = project.human()
    project.ok(*let("scope-never", "--path", "LICENSE"), env=person)
    project.ok(*let())
    assert project.judge()["ok"] is True
    project.write({"LICENSE": "mine alone\n"})
    assert rules(project.judge()) >= {("scope-never", "LICENSE"), ("test-vanished", "")}
    assert project.complete().reason == "findings-stand"
    project.write({"LICENSE": "mine\n"})
    assert project.judge()["ok"] is True


def test_an_answer_in_somebody_elses_name_is_no_answer(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.write({"LICENSE": "mine\n"})
    project.judge()
    project.ok(*let())
    (path,) = project.state.glob("runs/*/ledger.jsonl")
    before = path.read_bytes()
    project.write({"forge.py": FORGE})

    project.git("-c", "alias.forge=!python3 forge.py", "forge", str(path), "agent")

    assert project.run("judge").code == 4
    assert "human let a finding stand, and agent wrote it" in project.run("ledger", "verify").err
    path.write_bytes(before)
    assert project.complete().reason == "findings-stand"


FORGE = """
import hashlib, json, sys
path, kind = sys.argv[1:]
lines = open(path, "rb").read().splitlines()
old = json.loads(lines[-1])
found = [entry for entry in map(json.loads, lines) if entry["kind"] == "goal_judged"][-1]
(blocks,) = [f for f in found["data"]["judgement"]["findings"] if f["rule"] == "scope-never"]
answer = {"rule": "scope-never", "path": blocks["path"], "messages": [blocks["message"]],
          "content": blocks["content"], "reason": "because I say so", "by": "human"}
line = {**old, "seq": old["seq"] + 1, "kind": "finding_answered", "v": 1,
        "actor": {"kind": kind, "how": "terminal"},
        "data": {"goal_id": "G001", "answer": answer},
        "prev": hashlib.sha256(lines[-1]).hexdigest()}
open(path, "a").write(json.dumps(line, separators=(",", ":")) + chr(10))
"""


def says(*words: str) -> Act:
    return {"run": {"argv": [sys.executable, "-m", "goalkeeper", *words]}}


@pytest.mark.thorough
def test_a_driven_agent_is_asked_and_its_answer_is_judged(tmp_path: Path) -> None:
    driven = Driven(tmp_path, FILES)
    driven.ask(DOUBLES)
    work = [write("double.sh", RIGHT), write("tests/cases.txt", FEWER)]
    again = [contains("asking test-vanished"), contains("or answer: goalkeeper let-stand"),
             says(*let())]  # fmt: skip

    end = driven.drive({"G001": {"1": work, "2": again}})

    assert (end.reason, end.code) == ("done", 0), end
    assert driven.decisions() == ["REPLAN", "DONE"]
    assert [event["actor"]["kind"] for event in driven.events("finding_answered")] == ["agent"]
    assert f"- let stand by agent: {REASON}" in end.out
    landed = driven.run("land").out
    assert landed.startswith(f"G001 let stand by agent: {REASON}")


def test_a_review_of_work_that_only_asks_is_no_failure(tmp_path: Path) -> None:
    project = Project(tmp_path, FILES)
    project.write({"spec.json": json.dumps(DOUBLES)})
    project.commit("spec")
    project.write({"double.sh": RIGHT, "tests/cases.txt": FEWER})

    answer = project.run("review", "--branch", "HEAD", "--spec", "spec.json", "--json")

    assert (answer.code, answer.json["verdict"]) == (1, "inconclusive: question-open")
    (asked,) = answer.json["findings"]
    assert (asked["code"], asked["mend"][:11]) == ("test-vanished", "Put it back")
    assert "A test that is not there cannot fail." in asked["message"]


def test_a_driven_agent_that_forges_a_humans_word_ends_its_drive(tmp_path: Path) -> None:
    driven = Driven(tmp_path, FILES)
    driven.ask(DOUBLES)
    work = [write("double.sh", RIGHT), write("LICENSE", "mine")]
    forge = f'set -- {driven.root}/.goalkeeper/runs/[0-9]*/ledger.jsonl; python3 -c "$0" "$1" human'
    lies: Act = {"run": {"argv": ["sh", "-c", forge, FORGE]}}

    end = driven.drive({"G001": {"1": work, "2": [lies]}})

    assert (end.reason, end.code) == ("gate-closed", 1), end
    assert "G001 has a finding that a human let stand" in end.detail
    assert driven.run("land").code != 0


@pytest.mark.thorough
def test_a_human_answers_for_an_agent_that_did_not_and_the_drive_goes_on(tmp_path: Path) -> None:
    driven = Driven(tmp_path, FILES)
    driven.ask(DOUBLES)
    work = [write("double.sh", RIGHT), write("tests/cases.txt", FEWER), write("LICENSE", "mine")]
    script: Script = {"G001": {"1": work, "2": [says(*let("scope-never"))], "*": []}}

    end = driven.drive(script)
    assert (end.reason, driven.events("finding_answered")) == ("stagnation", [])
    person = driven.human()
    driven.ok(*let("scope-never", "--path", "LICENSE"), env=person)
    driven.ok(*let(), env=person)

    again = driven.drive(script)

    assert (again.reason, again.code) == ("done", 0), again
    landed = driven.ok("land")["let_stand"]
    assert [told.partition(":")[0] for told in landed] == ["G001 let stand by human"] * 2


def test_a_held_session_is_asked_and_let_go_when_it_has_answered(tmp_path: Path) -> None:
    held = Held(tmp_path, files=FILES)
    agent = held.surroundings("claude", "s1")
    held.plan(story("Double", DOUBLES), env=agent)
    held.ok("complete-goals", env=agent)
    held.prompt("ulw double what is given")
    held.settle()
    held.write("double.sh", RIGHT)
    held.write("tests/cases.txt", FEWER)

    asked = held.stop().block

    assert "asking test-vanished: C1: doubles 7 is gone" in asked
    assert "instead: Put it back" in asked
    assert "or answer: goalkeeper let-stand --goal-id G001 --finding test-vanished" in asked
    held.ok(*let(), env=agent)
    notice = held.stop().notice
    assert "Proven on tree" in notice
    assert f"let stand by agent: {REASON}" in notice
    assert held.events("goal_completed")
