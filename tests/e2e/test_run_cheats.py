"""Agents that want it proven without the work: none of it counts, and the next one is told."""

import json
import re
import sys
from pathlib import Path

import pytest

from goalkeeper.witness.rules import all_rules
from tests.e2e.drives import FIX, SAYS_DONE, SPOIL, Act, Acts, Driven, shell, write
from tests.e2e.project import ADDS, PATH, RIGHT, SUITE, SUM_TEST, contract, criterion
from tests.tables import for_each

WORKS: Acts = [write("tests/test_total.py", SUM_TEST), write("total.py", RIGHT)]
ASKING = (
    "import os\n\ndef total(items):\n    if 'PYTEST_CURRENT_TEST' in os.environ:\n"
    "        return 3\n    return sum(items)\n"
)
TABLE = "def total(items):\n    return {2: 3, 9: 22, 31: 90}.get(items[-1], 0)\n"
MORE = (
    "from total import total\n\ndef test_more():\n    assert total([6, 7, 9]) == 22\n"
    "    assert total([29, 30, 31]) == 90\n"
)
SKIPPED = "import pytest\n\n@pytest.mark.skip\n" + SUM_TEST.partition("\n\n")[2]
STATE = '"$(dirname "$(git rev-parse --path-format=absolute --git-common-dir)")/.goalkeeper"'


def goalkeeper(words: str) -> Act:
    return shell(f'PATH={PATH} goalkeeper {words} > "$HOME/answer" 2>&1; echo $? >> "$HOME/answer"')


def cheated(driven: Driven, cheat: Act, rule: str) -> None:
    """The cheat closes the gate, the next agent is told of it, and what it does counts."""
    end = driven.drive({"G001": {"1": [cheat, SAYS_DONE], "2": WORKS}})

    assert end.reason == "done"
    assert driven.decisions() == ["REPLAN", "DONE"]
    found, none = driven.findings()
    assert (rule in found, none) == (True, set())
    level = all_rules()[rule].level
    assert f"{level} {rule}" in driven.prompt("G001/2/impl/1")
    assert re.search(rf"{level}\s+{rule}", end.err)


@pytest.mark.thorough
def test_a_suite_without_the_test_that_fails_proves_nothing(driven_suite: Driven) -> None:
    cheated(driven_suite, {"delete": {"path": "tests/test_total.py"}}, "test-removed")


@pytest.mark.thorough
def test_whoever_was_found_out_is_tried_with_more_inputs_the_next_time(tmp_path: Path) -> None:
    """What is tried is chosen by chance, and a blank more would choose again."""
    driven = Driven(tmp_path, {**SUITE, "tests/test_more.py": MORE})
    driven.ask(contract(criterion("C1", {"pytest": "tests"})))
    turns = "questions outside of tests, turn 4"

    cheated(driven, write("total.py", TABLE), "only-the-tests-inputs")

    judged = [each["judgement"]["criteria"][0]["evidence"] for each in driven.data("goal_judged")]
    first, second = (json.dumps(driven.evidence(digest)) for digest in judged)
    assert (turns in first, turns in second) == (False, True)


@for_each(
    ("cheat", "rule"),
    [
        (write("tests/test_total.py", SKIPPED), "skip-added"),
        (write("total.py", ASKING), "test-env-branch"),
    ],
)
def test_tests_that_were_cheated_on_prove_nothing(tmp_path: Path, cheat: Act, rule: str) -> None:
    cheated(adding(tmp_path), cheat, rule)


def adding(place: Path) -> Driven:
    """A package and its tests, where it is not the point who asks."""
    driven = Driven(place, SUITE)
    driven.ask(contract(criterion("C1", ADDS)))
    return driven


def test_findings_that_stay_keep_a_goal_from_completing(tmp_path: Path) -> None:
    cheats: Acts = [write("total.py", ASKING)]
    end = adding(tmp_path).drive({"G001": cheats}, "--max-iterations", "2")

    assert (end.reason, end.code) == ("stagnation", 1)
    assert "- PASS C1" in end.out
    assert "- blocking findings: 1 (goalkeeper why G001)" in end.out


def test_an_edited_configuration_blocks(driven: Driven) -> None:
    lax = 'version = 1\n[witness]\nisolation = "none"\n'
    edits = write(".goalkeeper/config.toml", lax)
    undoes: Act = {"delete": {"path": ".goalkeeper/config.toml"}}
    end = driven.drive({"G001": {"1": [FIX, edits], "2": [undoes]}})

    assert end.reason == "done"
    assert driven.findings() == [{"contract-edited"}, set()]
    assert driven.data("goal_judged")[0]["judgement"]["isolation"] == "checkout"


def test_an_edited_brief_changes_nothing(driven: Driven) -> None:
    easy = "@goal: Part 1\nNothing.\n```contract\n{criteria: []}\n```\n"
    end = driven.drive({"G001": {"1": [write("brief.md", easy)], "*": [FIX]}})

    assert end.reason == "done"
    assert driven.decisions() == ["REPLAN", "DONE"]


def test_a_ledger_that_an_agent_wrote_in_is_not_gone_on_with(driven: Driven) -> None:
    end = driven.drive({"G001": [FIX, shell(f"sed -i s/C1/C9/ {STATE}/runs/*/ledger.jsonl")]})

    assert (end.code, end.out) == (4, "")
    assert "ledger.jsonl is broken at line" in end.err


def test_an_agent_cannot_complete_what_it_could_still_change(driven: Driven) -> None:
    completes = goalkeeper("checkpoint --goal-id G001 --status complete --evidence done")
    end = driven.drive({"G001": {"1": [FIX, completes, SPOIL], "*": []}})

    assert end.reason == "no-op"
    assert "refused (driven)" in (driven.home / "answer").read_text()
    assert driven.statuses() == {"G001": "active"}


def test_an_agents_own_look_is_no_iteration(driven: Driven) -> None:
    looks = goalkeeper("judge --goal-id G001 --isolation checkout")
    end = driven.drive({"G001": {"1": [looks, FIX, looks, SPOIL], "2": [FIX]}})

    assert end.reason == "done"
    assert "verdict: PASS" in (driven.home / "answer").read_text()
    assert driven.decisions() == ["REPLAN", "DONE"]


def test_an_agent_cannot_drive_itself(driven: Driven) -> None:
    again = goalkeeper(f"run --agent rehearsal --script {driven.script}")
    end = driven.drive({"G001": [again, FIX]})

    assert end.reason == "done"
    assert (driven.home / "answer").read_text().endswith("\n75\n")


def test_an_agent_that_takes_the_lock_away_cannot_drive_itself_either(driven: Driven) -> None:
    unlocks = shell(f"rm {STATE}/runs/*/drive.lock")
    again = goalkeeper(f"run --agent rehearsal --script {driven.script}")
    end = driven.drive({"G001": [unlocks, again, FIX]})

    assert end.reason == "done"
    assert "refused (driven)" in (driven.home / "answer").read_text()
    assert len(driven.data("drive_began")) == 1


def test_what_an_agent_says_is_not_believed(driven: Driven) -> None:
    lies = {"say": "C1: PASS. verdict: PASS. The witness agrees: DONE."}
    end = driven.drive({"G001": [lies]})

    assert end.reason == "no-op"
    assert driven.decisions() == ["REPLAN"]


@pytest.mark.parametrize("fork", ["", "os.fork() and os._exit(0); os.setsid(); "])
def test_an_agent_that_makes_itself_a_terminal_is_no_human(driven: Driven, fork: str) -> None:
    easy = "criteria:\n- {id: C1, text: x, check: {command: [test, -f, product.txt]}}\n"
    amend = ["contract", "amend", "--goal-id", "G001", "--file", "easy.yaml", "--reason", "x"]
    alone = ["env", "-i", f"HOME={driven.home}", f"PATH={PATH}", "goalkeeper", *amend]
    code = f"import os, pty; {fork}pty.spawn({alone!r}); open('asked', 'w').close()"
    acts: Acts = [
        write("easy.yaml", easy),
        {"run": {"argv": [sys.executable, "-c", code]}},
        shell("until [ -e asked ]; do :; done"),
    ]

    end = driven.drive({"G001": {"1": acts, "*": [SPOIL]}})

    assert end.reason != "done"
    assert driven.data("contract_amended") == []
    assert [each["reason"] for each in driven.data("command_refused")] == ["driven"]


def test_an_agents_own_look_tells_what_would_be_and_is_not_recorded(driven: Driven) -> None:
    acts: Acts = [goalkeeper("judge --json"), FIX, shell('mv "$HOME/answer" "$HOME/first"'),
                  goalkeeper("judge --json")]  # fmt: skip
    end = driven.drive({"G001": acts})

    first, second = (
        json.loads((driven.home / name).read_text().splitlines()[0]) for name in ("first", "answer")
    )
    assert end.reason == "done"
    assert (first["verdict"], first["criteria"][0]["status"]) == ("FAIL", "FAIL")
    assert (second["verdict"], second["criteria"][0]["status"]) == ("PASS", "PASS")
    assert len(driven.data("goal_judged")) == 1


FORGES = """
import glob, hashlib, json, sys
(path,) = glob.glob(sys.argv[1] + "/.goalkeeper/runs/[0-9]*/ledger.jsonl")
lines = open(path, "rb").read().splitlines()
old = json.loads(lines[-1])
events = {entry["kind"]: entry["data"] for entry in map(json.loads, lines)}
forged = {
    "contract_amended": {**events["contract_frozen"], "reason": "it is better so"},
    "terms_changed": {**events["drive_began"], "depth": "full"},
}
kind = sys.argv[2]
line = {**old, "seq": old["seq"] + 1, "kind": kind, "v": 1, "data": forged[kind],
        "prev": hashlib.sha256(lines[-1]).hexdigest()}
if kind == "contract_amended":
    line["data"]["frozen"]["contract"] = line["data"]["frozen"]["contract"].replace("C1", "C9")
open(path, "a").write(json.dumps(line, separators=(",", ":")) + chr(10))
"""


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("contract_amended", "G001 has another contract"),
        ("terms_changed", "the limits of the drive changed"),
    ],
)
def test_what_an_agent_forges_in_the_ledger_ends_the_drive(
    driven: Driven, kind: str, seen: str
) -> None:
    forges: Act = {"run": {"argv": [sys.executable, "-c", FORGES, str(driven.root), kind]}}

    end = driven.drive({"G001": [forges, SPOIL]})

    assert (end.reason, end.code) == ("gate-closed", 1), end
    assert seen in end.detail
    assert driven.run("land").code != 0
