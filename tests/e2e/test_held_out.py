"""Held-out checks: the worker learns that one failed, and how in a word, but never on what."""

import json
import re
import shutil

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
SECRETS = (HIDDEN, "test_negative_amounts", "-40", "cellar")
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


@pytest.fixture(scope="module")
def tried_once(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """What `tried` goes back to: the held-out file is frozen with its path."""
    place = tmp_path_factory.mktemp("tried") / "place"
    config = "version = 1\n[judge]\nheld_out_reports = 2\n"
    project = Project(place, {**SUITE, ".goalkeeper/config.toml": config})
    cellar = place / "cellar"
    cellar.mkdir()
    (cellar / HIDDEN).write_text(CASES)
    held = criterion("H1", {"pytest": "held_out"}, held_out=[str(cellar / HIDDEN)])
    file = cellar / "contract.yaml"
    file.write_text(json.dumps(contract(criterion("C1", ADDS), held)))
    project.begin(None)
    freeze = ("contract", "freeze", "--goal-id", "G001", "--file", file)
    frozen = project.ok(*freeze, env=project.human())
    assert frozen["criteria"][1]["look"] == "red"
    shutil.copytree(place, place.with_name("kept"), symlinks=True)
    return project


@pytest.fixture
def tried(tried_once: Project) -> Project:
    """A goal with a held-out criterion that a human froze."""
    place = tried_once.root.parent
    shutil.rmtree(place)
    shutil.copytree(place.with_name("kept"), place, symlinks=True)
    return tried_once


def special(turn: int) -> dict[str, str]:
    """Code that knows the cases it was shown, and no others."""
    return {"total.py": f"def total(items):\n    return 3  # try {turn}\n"}


def test_the_worker_hears_the_category_and_nothing_else(tried: Project) -> None:
    tried.write(special(1))

    judged = tried.judge()
    said = [
        tried.run(*words).out
        for words in (
            ("judge",),
            ("judge", "--json"),
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

    assert verdicts(judged) == {"C1": "passed", "H1": "failed"}
    assert judged["criteria"][1]["reason"] == "held-out: a wrong result"
    assert "cases that you do not see" in judged["remaining"][0]["suggested_action"]
    # Names that chance gave to the run and to the place of this test may hold any digits.
    said = [RUN_ID.sub("", page.replace(str(tried.root.parent), "")) for page in said]
    assert [word for word in SECRETS for page in said if word in page] == []


def test_a_goal_that_meets_what_it_does_not_see_completes(tried: Project) -> None:
    tried.write({"total.py": "def total(items):\n    return {3: 3}[sum(items)]\n"})
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


def test_its_evidence_lies_outside_the_repository(tried: Project) -> None:
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


@pytest.mark.thorough
def test_an_agent_does_not_ask_its_way_to_the_answer(tried: Project) -> None:
    seen = []
    for turn in range(3):
        tried.write(special(turn))
        seen.append(tried.judge()["criteria"][1])

    assert [silent["verdict"] for silent in seen] == ["failed", "failed", "unknown"]
    assert seen[2]["reason"] == "held-out: no more reports to agents; a human may judge"
    tried.write({"total.py": RIGHT})
    assert tried.complete().reason == "not-proven"
    assert tried.events("goal_completed") == []
    assert tried.complete(env=tried.human()).code == 0


def test_a_held_out_file_that_is_gone_is_unknown_and_not_named(tried: Project) -> None:
    (tried.home.parent / "cellar" / HIDDEN).unlink()
    tried.write({"total.py": RIGHT})

    answer = tried.run("judge", "--json")

    assert verdicts(answer.json) == {"C1": "passed", "H1": "unknown"}
    assert not [word for word in SECRETS if word in answer.out]


def test_without_isolation_held_out_checks_are_not_run(tried: Project) -> None:
    tried.write({"total.py": RIGHT})

    judged = tried.judge("--isolation", "none")

    assert verdicts(judged)["H1"] == "unknown"
    assert not (tried.root / "held_out").exists()
