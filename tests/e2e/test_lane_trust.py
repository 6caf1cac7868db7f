"""A lane is the voice of whoever chose the program."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.receipts import envelope_of, statement_in
from tests.e2e.strict import Strict, lanes, objects, shows
from tests.e2e.world import Answer, Env
from tests.unit.core.lane_answers import ARCHITECT, CLEANER

ANSWERS = {"masking-fallback": CLEANER, "architectureStatus": ARCHITECT, "": shows()}
PROGRAM = f"""\
import json, os, sys
asked = sys.stdin.read()
given = next(said for word, said in {ANSWERS!r}.items() if word in asked)
with open(os.path.join(os.environ["GOALKEEPER_LANE"], "answer.json"), "w") as file:
    json.dump(given, file)
print(json.dumps({{"session": "s1", "model": "a very good one"}}))
"""


@pytest.fixture
def worked(tmp_path: Path) -> Strict:
    return Strict(tmp_path).worked()


def own_program(strict: Strict, *more: str, env: Env | None = None) -> Answer:
    """One that approves of everything."""
    program = strict.home / "friend.py"
    program.write_text(PROGRAM)
    words = (
        "lanes",
        "run",
        "--goal-id",
        "G001",
        "--command",
        json.dumps(["python3", str(program)]),
    )
    return strict.run(*words, *more, "--json", env=env)


def trusts(strict: Strict) -> dict[str, str]:
    voices: list[dict[str, Any]] = statement_in(envelope_of(strict))["predicate"]["lanes"]
    return {voice["role"]: voice["trust"] for voice in voices}


def test_a_program_that_an_agent_chose_is_no_independent_voice(worked: Strict) -> None:
    looked = own_program(worked)

    assert {lane["trust"] for lane in looked.json["lanes"]} == {"reported"}
    assert worked.complete().code == 0
    assert trusts(worked) == dict.fromkeys(("cleaner", "architect", "qa"), "reported")


def test_a_program_that_a_human_chose_is(worked: Strict) -> None:
    looked = own_program(worked, env=worked.human())

    assert {lane["trust"] for lane in looked.json["lanes"]} == {"independent"}
    assert worked.complete().code == 0
    assert set(trusts(worked).values()) == {"independent"}


def test_an_agent_does_not_silence_an_independent_voice_with_its_own(worked: Strict) -> None:
    script = {"*": lanes() | {"*/architect": [objects("it is wrong")]}}
    worked.run(*worked.looking_words(script), env=worked.human())

    again = own_program(worked, "--role", "architect")

    assert (again.code, again.reason) == (1, "lane-outweighed")
    assert "lane-objects" in worked.validated()


def test_a_receipt_names_no_cleaner_where_none_looked(worked: Strict) -> None:
    iteration = {
        "status": "passed", "fullRerun": True, "rerunCommands": ["sh show.sh"],
        "evidence": "the cleaner found nothing; all was run again", "blockers": [],
    }  # fmt: skip
    given = {"architectReview": ARCHITECT, "executorQa": shows(), "iteration": iteration}

    words = ("--status", "complete", "--evidence", "done", "--quality-gate-json", json.dumps(given))
    worked.ok("checkpoint", "--goal-id", "G001", *words)

    assert trusts(worked) == {"architect": "reported", "qa": "reported"}
