"""Held-out checks: the worker learns that one failed, and how in a word, but never on what."""

import json
import re
from pathlib import Path

import pytest

from tests.e2e.project import (
    ADDS,
    RIGHT,
    SUITE,
    Project,
    contract,
    criterion,
    status_of,
    verdicts,
)

HIDDEN = "test_negative_numbers_hidden.py"
RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")
SECRETS = (HIDDEN, "test_negative_amounts", "-40", "cellar", "hidden.sh")
CASES = """\
import sys
sys.path.insert(0, '.')
from total import total

def test_negative_amounts():
    assert total([2, -42]) == -40
"""
READING = """\
import sys
def total(items):
    wanted = sys._getframe(1).f_code.co_consts
    return next(each for each in wanted if isinstance(each, int) and each not in items)
"""


# The same where it is not the point who asks; pytest takes a second.
SHELL = "[ $(python3 -c 'from total import total; print(total([2, -42]))') = -40 ]\n"
KNOWS = {"total.py": "def total(items):\n    return {3: 3}[sum(items)]\n"}


def freeze(place: Path, name: str, text: str, check: dict[str, object]) -> Project:
    """A goal with a held-out criterion that a human froze."""
    config = "version = 1\n[judge]\nheld_out_reports = 2\n"
    project = Project(place, {**SUITE, ".goalkeeper/config.toml": config})
    cellar = place / "cellar"
    cellar.mkdir()
    (cellar / name).write_text(text)
    held = criterion("H1", check, held_out=[str(cellar / name)])
    file = cellar / "contract.yaml"
    file.write_text(json.dumps(contract(criterion("C1", ADDS), held)))
    project.begin(None)
    words = ("contract", "freeze", "--goal-id", "G001", "--file", file)
    frozen = project.ok(*words, env=project.human())
    assert frozen["criteria"][1]["look"] == "red"
    return project


@pytest.fixture
def tried(tmp_path: Path) -> Project:
    return freeze(tmp_path, "hidden.sh", SHELL, {"command": ["sh", "held_out/hidden.sh"]})


@pytest.mark.thorough
def test_the_worker_hears_the_category_and_nothing_else(tmp_path: Path) -> None:
    tried = freeze(tmp_path, HIDDEN, CASES, {"pytest": "held_out"})
    tried.write(KNOWS)
    said = [
        tried.run(*words).out
        for words in (
            ("judge", "--json"),
            ("judge",),
            ("why", "G001"),
            ("why", "G001", "--json"),
            ("status",),
            ("status", "--json"),
            ("complete-goals",),
            ("audit", "--goal-id", "G001", "--json"),
            ("contract", "show", "--goal-id", "G001"),
            ("contract", "show", "--goal-id", "G001", "--json"),
        )
    ]
    judged = json.loads(said[0])

    assert verdicts(judged) == {"C1": "passed", "H1": "failed"}
    assert judged["criteria"][1]["reason"] == "held-out: a wrong result"
    assert "cases that you do not see" in judged["remaining"][0]["suggested_action"]
    # Names that chance gave to the run and to the place of this test may hold any digits.
    said = [RUN_ID.sub("", page.replace(str(tried.root.parent), "")) for page in said]
    assert [word for word in SECRETS for page in said if word in page] == []


@pytest.mark.thorough
def test_its_evidence_lies_outside_the_repository(tmp_path: Path) -> None:
    tried = freeze(tmp_path, HIDDEN, CASES, {"pytest": "held_out"})
    tried.write({"total.py": READING})
    judged = tried.judge()
    digest = judged["criteria"][1]["evidence"]

    # It answers what its caller expects, so it would pass in the process of the tests.
    assert verdicts(judged) == {"C1": "passed", "H1": "failed"}

    run_id = tried.ok("status")["run_id"]
    kept = tried.home / ".local/state/goalkeeper/held_out" / run_id
    (found,) = kept.rglob(f"{digest}.json")
    assert "test_negative_amounts" in found.read_text()
    assert json.loads(found.read_text())["runs"][0]["facts"]["asked"] == "across a pipe"
    assert found.stat().st_mode & 0o077 == 0
    evidence = tried.state.glob("runs/*/evidence/*/*.json")
    assert not [path for path in evidence if "test_negative_amounts" in path.read_text()]


def test_a_goal_that_meets_what_it_does_not_see_completes(tried: Project) -> None:
    tried.write(KNOWS)
    assert verdicts(tried.judge()) == {"C1": "passed", "H1": "failed"}

    tried.write({"total.py": RIGHT})
    judged = tried.judge()
    assert status_of(judged) == {"C1": "PASS", "H1": "PASS"}
    assert judged["criteria"][1]["reason"] == "held-out: met"
    assert tried.complete().code == 0
    # Older versions did not name the repository, and a moved one had another name.
    (own,) = tried.home.glob(".local/state/goalkeeper/held_out/*/*")
    own = own.rename(own.with_name("before-it-was-moved"))
    tried.ok("state", "doctor")
    for shelf in own.iterdir():
        shelf.rename(own.parent / shelf.name)
    tried.ok("state", "doctor")


def test_an_agent_does_not_ask_its_way_to_the_answer(tried: Project) -> None:
    seen = []
    for turn in range(3):
        tried.write({"total.py": f"{KNOWS['total.py']}# try {turn}\n"})
        seen.append(tried.judge()["criteria"][1])

    assert [silent["verdict"] for silent in seen] == ["failed", "failed", "unknown"]
    assert seen[2]["reason"] == "held-out: no more reports to agents; a human may judge"
    tried.write({"total.py": RIGHT})
    assert tried.complete().reason == "not-proven"
    assert tried.events("goal_completed") == []
    assert tried.complete(env=tried.human()).code == 0


def test_a_held_out_file_that_is_gone_is_unknown_and_not_named(tried: Project) -> None:
    (tried.home.parent / "cellar/hidden.sh").unlink()
    tried.write({"total.py": RIGHT})

    answer = tried.run("judge", "--json")

    assert verdicts(answer.json) == {"C1": "passed", "H1": "unknown"}
    assert not [word for word in SECRETS if word in answer.out]


def test_without_isolation_held_out_checks_are_not_run(tried: Project) -> None:
    tried.write({"total.py": RIGHT})

    judged = tried.judge("--isolation", "none")

    assert verdicts(judged)["H1"] == "unknown"
    assert not (tried.root / "held_out").exists()
