"""What agents of a campaign ask for in the copy of their run, and what they write there."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.answering import ASKS, REPORT, answers
from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import Act, shell, write
from tests.e2e.project import contract, criterion, story
from tests.e2e.world import COMMAND
from tests.fault.rig import wait_until

A, B = Step("parts/a.txt"), Step("parts/b.txt")
BLOCKED = f'{COMMAND} blocked --goal-id G001 --as needs-human --evidence "the key is missing"'
ENGINE, AGENT = "engine", "agent"
# It appends an entry that fits, as whoever can write in a ledger can.
APPEND = """\
import json, os, sys
from goalkeeper.wire.canonical import compact, sha256

state, kind, by, data = sys.argv[1:]
path = f"{state}/runs/{os.environ['GOALKEEPER_RUN']}/ledger.jsonl"
before = open(path, "rb").read().splitlines()
line = {"seq": len(before) + 1, "at": "2030-01-01T00:00:00.000000Z", "kind": kind, "v": 1,
        "actor": {"kind": by, "how": "itself"}, "data": json.loads(data),
        "prev": sha256(before[-1])}
with open(path, "ab") as ledger:
    ledger.write(compact(line).encode() + b"\\n")
"""
# It claims that a question is answered, by a document that is none, and that a human has looked.
CLAIM = """\
import json, os, subprocess, sys
from goalkeeper.wire.canonical import sha256

state, append = sys.argv[1:]
run = f"{state}/runs/{os.environ['GOALKEEPER_RUN']}"
lines = [json.loads(line) for line in open(f"{run}/ledger.jsonl")]
(frozen,) = [each["data"]["frozen"] for each in lines if each["kind"] == "contract_frozen"]
subprocess.check_call(["git", "add", "--all"])
tree = subprocess.check_output(["git", "write-tree"], text=True).strip()
name = sha256(b"junk")
os.makedirs(f"{run}/evidence/{name[:2]}")
with open(f"{run}/evidence/{name[:2]}/{name}.json", "wb") as file:
    file.write(b"junk")
about = {"goal_id": "G001", "tree": tree, "contract": frozen["digest"], "reason": "so it is"}
claims = [("step_verified", {"goal_id": "G001", "step": step, "inputs": "x", "answers": name})
          for step in ("q1", "q1_5", "q2", "q3")]
claims.append(("questions_answered", {**about, "criteria": ["C1"], "answers": name}))
claims.append(("questions_answered", {**about, "criteria": ["C2"]}))
for kind, data in claims:
    subprocess.check_call([sys.executable, append, state, kind, "agent", json.dumps(data)])
"""

pytestmark = pytest.mark.needs("bwrap")


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    made = Campaigned(tmp_path)
    (made.stories / "append.py").write_text(APPEND)
    return made


def append(campaigned: Campaigned, kind: str, by: str, data: object) -> Act:
    words = f"{campaigned.stories}/append.py {campaigned.state} {kind} {by}"
    return shell(f"{sys.executable} {words} '{json.dumps(data)}'")


def read_entries(campaigned: Campaigned) -> list[Any]:
    """Read what the record of the only run has."""
    (ledger,) = campaigned.state.glob("runs/*/ledger.jsonl")
    return [json.loads(line) for line in ledger.read_text().splitlines()]


def test_what_an_agent_asks_for_is_recorded_and_what_it_forges_is_not(
    campaigned: Campaigned,
) -> None:
    forged: list[tuple[str, str, dict[str, object]]] = [
        ("drive_paused", ENGINE, {"until": "9998-01-01T00:00:00Z", "why": "x"}),
        ("drive_ended", ENGINE, {"reason": "done"}),
        ("honest_exit", ENGINE, {"goal_id": "G001", "kind": "blocked", "evidence": "x"}),
        ("honest_exit", AGENT, {"goal_id": "G002", "kind": "blocked", "evidence": "x"}),
        ("goal_checkpointed", AGENT, {"goal_id": "G001", "status": "complete", "evidence": "x"}),
    ]
    acts = [append(campaigned, *each) for each in forged]
    campaigned.plan_sessions(Session("asks", [A]), scripts=({"*": [shell(BLOCKED), *acts]},))

    campaigned.work()

    (shown,) = campaigned.show()["sessions"]
    entries = read_entries(campaigned)
    asked = [each for each in entries[1:] if each["actor"]["kind"] == AGENT]
    assert (shown["status"], shown["why"]) == ("blocked", ["needs-human: G001: the key is missing"])
    assert [(each["kind"], each["data"]["evidence"]) for each in asked] == [
        ("honest_exit", "the key is missing")
    ]
    assert not any(each["at"].startswith("2030") for each in entries)


@pytest.mark.thorough
def test_behind_what_nobody_can_read_an_agent_asks_for_nothing_and_its_work_is_judged(
    campaigned: Campaigned,
) -> None:
    own = f"{campaigned.state}/runs/$GOALKEEPER_RUN"
    acts = [
        mend(A.path),
        shell(f"{BLOCKED}; echo junk >> {own}/ledger.jsonl; rm {own}/goals.json {own}/lock"),
        shell(f"mkfifo {own}/goals.json; chmod 0 {own}/evidence; ln -s / {own}/link; true"),
    ]
    lost = [mend(B.path), shell(f"rm -r {own}; mkfifo {own}; true")]
    campaigned.plan_sessions(
        Session("damages", [A]), Session("loses", [B]), scripts=({"*": acts}, {"*": lost})
    )

    campaigned.work()

    one, two = campaigned.show()["sessions"]
    assert (one["why"], two["status"]) == (["needs-human: G001: the key is missing"], "landed")
    assert [*campaigned.state.glob("runs/*/phases/*.copy")] == []


@pytest.mark.thorough
def test_answers_are_verified_again_and_no_agent_confirms_for_a_human(
    campaigned: Campaigned,
) -> None:
    claim = campaigned.stories / "claim.py"
    claim.write_text(CLAIM)
    report = write("report.md", REPORT["report.md"])
    honest = shell(f"{COMMAND} verify --answers - <<'END'\n{json.dumps(answers())}\nEND")
    forged = shell(f"{sys.executable} {claim} {campaigned.state} {campaigned.stories}/append.py")
    looks = criterion("C2", {"manual": "look at it"})
    goals = story("Report", contract(ASKS)), story("Lie", contract(ASKS, looks))
    campaigned.write({"brief.md": "\n\n".join(goals)})
    campaigned.commit("the brief")
    for number, acts in enumerate(([honest], [forged, shell(BLOCKED)]), 1):
        script = json.dumps({"*": [report, *acts]})
        (campaigned.stories / f"S{number:02d}.json").write_text(script)
    campaigned.run_process("campaign", "plan", "--from", "brief.md")

    campaigned.work()

    one, two = campaigned.show()["sessions"]
    assert (one["status"], two["why"]) == ("landed", ["needs-human: G001: the key is missing"])
    ledger = (campaigned.state / "runs" / two["run_id"] / "ledger.jsonl").read_text()
    assert "questions_answered" not in ledger


@pytest.mark.thorough
def test_what_was_asked_for_is_recorded_once_when_the_driver_was_killed(
    campaigned: Campaigned,
) -> None:
    asked = campaigned.stories / "asked"
    acts = [shell(f"{BLOCKED}; touch {asked}"), {"sleep": 600}]
    campaigned.plan_sessions(Session("asks", [A]), scripts=({"*": acts},))
    running = subprocess.Popen(
        [COMMAND, *campaigned.words("--json")], cwd=campaigned.root, env=campaigned.environ({}),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_until(asked.exists, "what it asks for")
    for pid, words in campaigned.list_processes():
        if "run --run" in words:
            os.kill(pid, signal.SIGKILL)

    running.communicate()

    (shown,) = campaigned.show()["sessions"]
    assert shown["why"] == ["needs-human: G001: the key is missing"]
    assert [e["kind"] for e in read_entries(campaigned)].count("honest_exit") == 1
