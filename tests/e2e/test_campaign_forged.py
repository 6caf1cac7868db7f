"""A worker that writes its own proof into the ledger of its run: the queue asks the plan."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.wire.canonical import compact, sha256
from tests.e2e.campaigns import PRODUCT, Campaigned, Session, Step, mend
from tests.e2e.drives import Act, shell, write
from tests.e2e.project import SUITE
from tests.e2e.world import COMMAND
from tests.fault.rig import wait_until
from tests.tables import thorough

A, B = Step("parts/a.txt"), Step("parts/b.txt")
ENGINE = {"kind": "engine", "how": "itself"}
NOTHING = {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "microdollars": 0}


class ForgedRun:
    """Appends lines to the ledger of a run, as whoever can write there can."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "ledger.jsonl"
        self.lines = [json.loads(line) for line in self._path.read_text().splitlines()]

    def last(self, kind: str) -> Any:  # noqa: ANN401  JSON
        return next(each["data"] for each in reversed(self.lines) if each["kind"] == kind)

    def append(self, kind: str, data: object) -> None:
        before = self._path.read_bytes().splitlines()
        version = next((each["v"] for each in self.lines if each["kind"] == kind), 1)
        line = {
            "seq": len(before) + 1, "at": "2030-01-01T00:00:00.000000Z", "kind": kind, "v": version,
            "actor": ENGINE, "data": data, "prev": sha256(before[-1]),
        }  # fmt: skip
        with self._path.open("ab") as ledger:
            ledger.write(compact(line).encode() + b"\n")

    def keep_evidence(self, tree: str) -> str:
        told = {"v": 1, "verdict": "passed", "tree": tree, "criterion": {"paths": ["no/such"]}}
        data = compact({**told, "runs": []}).encode()
        name = sha256(data)
        (self._folder / "evidence" / name[:2]).mkdir(parents=True, exist_ok=True)
        (self._folder / "evidence" / name[:2] / f"{name}.json").write_bytes(data)
        return name

    def claim_all(self, contract: dict[str, Any], tree: str, commit: str) -> None:
        """Claim that the goal at work is proven by this contract, and that the drive has ended."""
        running = self.last("phase_began")["running"]
        frozen = self.last("contract_frozen")["frozen"]
        goal = {"goal_id": running["goal_id"]}
        record = {
            "client": "rehearsal", "ending": "ok", "session": "x", "model": "rehearsal",
            "exit_code": 0, "spend": NOTHING, "tool_calls": 1, "out": "", "milliseconds": 44,
        }  # fmt: skip
        phase = {name: running[name] for name in ("iteration", "phase", "attempt")}
        self.append("phase_ended", {**goal, **phase, "record": record, "tree": tree})
        text = compact(contract)
        frozen = {**frozen, "contract": text, "digest": sha256(text.encode())}
        self.append("contract_frozen", {**goal, "frozen": frozen})
        seen = {"verdict": "passed", "reason": "exit 0", "cached": False}
        criteria = [
            {"id": each["id"], **seen, "evidence": self.keep_evidence(tree)}
            for each in contract["criteria"]
        ]
        judged = {
            "tree": tree, "commit": commit, "contract": frozen["digest"], "isolation": "sandbox",
            "criteria": criteria, "uncached": True,
        }  # fmt: skip
        told = {**goal, "iteration": 1, "judgement": judged, "decision": "DONE"}
        self.append("goal_judged", told)
        self.append("goal_completed", {**goal, "evidence": "so", "gate": "standard",
                                       "judgement": judged})  # fmt: skip
        self.append("drive_ended", {"reason": "done"})


def test_a_forged_proof_lands_nothing(tmp_path: Path) -> None:
    campaigned = Campaigned(tmp_path)
    go = campaigned.stories / "go"
    waits = shell(f"while ! [ -e {go} ]; do sleep 0.05; done")
    evil = "echo worked > parts/a.txt; echo bad > outside.sh"
    campaigned.plan_sessions(
        Session("honest", [B]), Session("forged", [A]),
        scripts=({"*": [mend(B.path)]}, {"*": [shell(evil), waits]}),
    )  # fmt: skip
    running = subprocess.Popen(
        [COMMAND, *campaigned.words("--json", "--max-iterations", "1")], cwd=campaigned.root,
        env=campaigned.environ({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_until(lambda: any(campaigned.home.rglob("outside.sh")), "its work")
    (work,) = campaigned.home.rglob("outside.sh")
    run_id = campaigned.show()["sessions"][1]["run_id"]
    campaigned.git("-C", str(work.parent), "add", "--all")
    tree = campaigned.git("-C", str(work.parent), "write-tree").strip()
    commit = campaigned.git("commit-tree", tree, "-p", "HEAD", "-m", "x").strip()
    forged = ForgedRun(campaigned.state / "runs" / run_id)
    contract = json.loads(forged.last("contract_frozen")["frozen"]["contract"])
    for criterion in contract["criteria"]:
        criterion["check"] = {"command": ["grep", "-q", "worked", "parts/a.txt"]}
    contract.pop("scope", None)
    drivers = [pid for pid, words in campaigned.list_processes() if "run --run" in words]

    forged.claim_all(contract, tree, commit)
    for pid in drivers:
        os.kill(pid, signal.SIGKILL)
    go.touch()
    running.communicate()

    shown = campaigned.show()
    (ledger,) = campaigned.state.glob("campaigns/*/ledger.jsonl")
    assert "S02 G001 was judged by another contract than its plan has" in ledger.read_text()
    assert (shown["sessions"][0]["status"], shown.get("receipt")) == ("landed", None)
    assert campaigned.read_head(A.path) == "broken"


# It leaves the ledger as it is, and writes what is remembered of it. The goal is complete, and its
# plan's own criterion was never among those that were asked; or one more goal frees the tests; or
# its contract is another one, with which work has not begun.
FORGER = """\
import os, subprocess, sys
from goalkeeper.core import snapshot
from goalkeeper.core.plan.model import Base, GoalStatus
from goalkeeper.wire.canonical import sha256

me = ["-c", "user.name=x", "-c", "user.email=x@x"]
git = lambda *words: subprocess.check_output(["git", *me, *words], text=True).strip()
git("add", "--all")
tree = git("write-tree")
base = Base(tree, git("commit-tree", tree, "-p", "HEAD", "-m", "x"))
state, way, run_id = sys.argv[1], sys.argv[2], os.environ["GOALKEEPER_RUN"]
folder = f"{state}/runs/{run_id}"
with open(f"{folder}/goals.json", "rb") as file:
    known = snapshot.load(file.read())
left_out = "C1" if way == "left-out" else ""
goals = tuple(
    goal.replace(
        status=GoalStatus.COMPLETE, proven=base, completed_at="2030-01-01T00:00:00.000000Z",
        evidence="x", started_at="2030-01-01T00:00:00.000000Z",
        criteria=tuple(each for each in goal.criteria if each.id != left_out),
    )
    for goal in known.plan.goals
)
drive, ended = known.plan.drive, "done"
lines = tuple(line.replace(running=None, tree="", traces=()) for line in drive.lines)
if way == "freed":
    text = '{"criteria": [], "may_change": ["tests/**"]}'
    frozen = goals[0].frozen.replace(contract=text, digest=sha256(text.encode()))
    goals += (goals[0].replace(id="G002", frozen=frozen, criteria=()),)
if way == "unreadable":
    frozen = goals[0].frozen.replace(contract="[")
    goals = (goals[0].replace(frozen=frozen),)
if way == "met":
    text = known.plan.goals[0].frozen.contract.replace("parts/b.txt", "parts/a.txt")
    goals = (known.plan.goals[0].replace(status=GoalStatus.PENDING, frozen=None, contract=text),)
    ended, lines = "crashed", ()
if way == "moved":
    (branch,) = git(
        "for-each-ref", "--format=%(refname)", "refs/heads/goalkeeper/campaign-*"
    ).splitlines()
    git("update-ref", branch, base.commit)
drive = drive.replace(ended=ended, clock_at="", lines=lines)
plan = known.plan.replace(goals=goals, base=base, drive=drive)
data = snapshot.dump(known.replace(plan=plan))
with open(f"{folder}/goals.json", "wb") as file:
    file.write(data)
ledger = f"{folder}/ledger.jsonl"
os.chmod(ledger, os.stat(ledger).st_mode ^ 0o040)
seen = os.stat(ledger)
mark = (seen.st_ino, seen.st_size, seen.st_ctime_ns, sha256(data))
with open(f"{state}/cache/{run_id}", "r+b") as file:
    file.write(" ".join(map(str, mark)).encode().ljust(os.fstat(file.fileno()).st_size))
"""


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("not fixed", "S01 G001/C1 cannot be checked: its plan has it, and its run does not"),
        thorough("worked", "S01 step 1, parts/a.txt has fixed: does not match"),
    ],
)
@pytest.mark.thorough
def test_what_a_worker_left_out_of_its_run_is_missed_by_the_queue(
    tmp_path: Path, text: str, refused: str
) -> None:
    campaigned = Campaigned(tmp_path)
    forger = campaigned.stories / "forger.py"
    forger.write_text(FORGER)
    forge = f"echo {text} > {A.path}; {sys.executable} {forger} {campaigned.state} left-out"
    campaigned.plan_sessions(
        Session("forged", [Step(A.path, f"grep -qx fixed {A.path}")], exit=f"grep -q ed {A.path}"),
        scripts=({"*": [shell(forge), {"sleep": 1}]},),
    )

    campaigned.work_without_walls("--max-iterations", "1")

    shown = campaigned.show()
    (ledger,) = campaigned.state.glob("campaigns/*/ledger.jsonl")
    assert refused in ledger.read_text()
    assert shown["sessions"][0]["status"] != "landed"
    assert campaigned.read_head(A.path) == "broken"


def _write_forger(campaigned: Campaigned, way: str) -> Act:
    forger = campaigned.stories / "forger.py"
    forger.write_text(FORGER)
    return shell(f"{sys.executable} {forger} {campaigned.state} {way}")


@pytest.mark.parametrize(
    ("way", "refused"),
    [
        ("freed", "S01 has 2 steps in its run, and 1 in its plan"),
        thorough("unreadable", "the contract of G001 cannot be used"),
    ],
)
@pytest.mark.thorough
def test_a_run_that_is_not_the_plans_lands_nothing_and_others_go_on(
    tmp_path: Path, way: str, refused: str
) -> None:
    campaigned = Campaigned(tmp_path, {**PRODUCT, **SUITE})
    bent = "from total import total\n\n\ndef test_total():\n    assert total([1, 2]) == 0\n"
    tests = "python3 -m pytest -q tests/test_total.py"
    step = Step("total.py", tests, text="def total")
    lie = [write("tests/test_total.py", bent), write("total.py", "def total(_):\n    return 0\n")]
    campaigned.plan_sessions(
        Session("forged", [step], touch="total.py, tests/", exit=tests), Session("honest", [B]),
        scripts=(
            {"*": [*lie, _write_forger(campaigned, way), {"sleep": 1}]}, {"*": [mend(B.path)]}
        ),
    )  # fmt: skip

    campaigned.work_without_walls("--max-iterations", "1")

    one, two = campaigned.show()["sessions"]
    (ledger,) = campaigned.state.glob("campaigns/*/ledger.jsonl")
    assert refused in ledger.read_text()
    assert (one["status"] == "landed", two["status"]) == (False, "landed")
    assert "def total(_)" not in campaigned.read_head("total.py")


@pytest.mark.thorough
def test_what_a_worker_says_that_its_plan_asks_is_not_met_by_others(tmp_path: Path) -> None:
    campaigned = Campaigned(tmp_path)
    campaigned.plan_sessions(
        Session("honest", [A]), Session("liar", [B], after="Session 1"),
        scripts=(
            {"*": [mend(A.path)]}, {"*": [_write_forger(campaigned, "met"), {"sleep": 1}]}
        ),
    )  # fmt: skip

    told = campaigned.work_without_walls("--max-iterations", "1").json

    assert "session_met" not in campaigned.list_events()
    assert (told["ended"] == "done", campaigned.read_head(B.path)) == (False, "broken")


@pytest.mark.thorough
def test_work_outside_of_its_fence_to_which_a_worker_moved_the_branch_is_nobodys(
    tmp_path: Path,
) -> None:
    campaigned = Campaigned(tmp_path)
    more = [mend(A.path), write("outside.py", "bad\n"), _write_forger(campaigned, "moved")]
    campaigned.plan_sessions(Session("liar", [A]), scripts=({"*": [*more, {"sleep": 1}]},))

    campaigned.work_without_walls("--max-iterations", "1")
    campaigned.run_process("campaign", "land")

    assert campaigned.show()["sessions"][0]["status"] != "landed"
    assert "receipt" not in campaigned.show()
    assert not (campaigned.root / "outside.py").exists()


@pytest.mark.thorough
def test_a_worker_that_says_it_waits_for_years_stops_nobody_else(tmp_path: Path) -> None:
    campaigned = Campaigned(tmp_path)
    go, began = campaigned.stories / "go", campaigned.stories / "began"
    waits, tells = shell(f"while ! [ -e {go} ]; do sleep 0.05; done"), shell(f"touch {began}")
    campaigned.plan_sessions(
        Session("forged", [A]), Session("honest", [B]),
        scripts=({"*": [tells, waits, mend(A.path)]}, {"*": [waits, mend(B.path)]}),
    )  # fmt: skip
    running = subprocess.Popen(
        [COMMAND, *campaigned.words("--json")], cwd=campaigned.root,
        env=campaigned.environ({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_until(began.exists, "its work")
    run_id = campaigned.show()["sessions"][0]["run_id"]
    forged = ForgedRun(campaigned.state / "runs" / run_id)
    forged.append("drive_paused", {"until": "9998-01-01T00:00:00.000000Z", "why": "a limit"})
    told = {"client_paused", "session_ended"}
    wait_until(lambda: bool(told & {*campaigned.list_events()}), "what the parent makes of it")
    go.touch()
    if "client_paused" in campaigned.list_events():
        running.send_signal(signal.SIGINT)  # it would wait for ever
    running.communicate()

    one, two = campaigned.show()["sessions"]
    assert (one["status"], two["status"]) == ("blocked", "landed")
    assert one["why"] == [
        "needs-human: a limit, and nobody waits until 9998-01-01T00:00:00.000000Z"
    ]
    campaigned.ok("campaign", "unblock", "S01", "--reason", "it was a lie")
    assert campaigned.work().json["ended"] == "done"
