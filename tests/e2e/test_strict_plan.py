"""Three stories under the strict gate: reviewed, blocked, settled, proven, landed, and verified."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.clients import installed
from tests.e2e.drives import FIX, NOTE, NOTED, write
from tests.e2e.project import contract, criterion
from tests.e2e.real_clients import CLIENTS, surroundings
from tests.e2e.receipts import (
    HOLDS,
    Stranger,
    envelope_of,
    public_key,
    receipts,
    refused,
    statement_in,
)
from tests.e2e.strict import Strict, lanes, objects, shows
from tests.scripted_model.server import serving
from tests.unit.core.lane_answers import ARCHITECT, CLEANER

IS_REPORTED = {"command": ["grep", "-q", "fixed", "report.txt"]}
HAS_WORDS = contract(criterion("C1", {"command": ["grep", "-q", "Shows", "show.sh"]}))
WANTS = "nobody knows what show.sh:1 is for"
STORIES = {
    "G001": {**lanes(), "*/impl": [FIX], "1/architect": [objects(WANTS)], "2/impl": []},
    "G002": {**lanes(), "*/impl": [NOTE]},
    "G003": {**lanes(), "*/impl": [write("report.txt", "all fixed\n")]},
}


@pytest.fixture
def strict(tmp_path: Path) -> Strict:
    strict = Strict(tmp_path)
    strict.ask(contract(), NOTED, contract(criterion("C1", IS_REPORTED)))
    return strict


@pytest.mark.thorough
def test_a_strict_plan_of_three_stories_from_the_brief_to_a_strangers_clone(
    strict: Strict, tmp_path: Path
) -> None:
    assert strict.drive(STORIES, "--max-iterations", "1").reason == "max-iterations"

    blocker = recorded(strict)
    settle(strict, blocker)
    end = strict.drive(STORIES, "--max-iterations", "5")

    assert (end.reason, end.code) == ("done", 0), end
    goals = ["G001", blocker, "G002", "G003"]
    assert_it_holds_until_a_byte_changes(strict, tmp_path, goals, "reported")


def recorded(strict: Strict) -> str:
    """What the architect objects to, as a goal that comes first."""
    script = {"G001": {"*/architect": [objects(WANTS)]}}
    words = strict.looking_words(script, "--role", "architect", "--record-blockers")
    looked = strict.run(*words, cwd=strict.worktree())
    assert looked.code == 1, looked
    (event,) = strict.data("review_blockers_recorded")
    assert (event["goal_id"], WANTS in event["objective"]) == ("G001", True)
    assert strict.statuses()["G001"] == "review_blocked"
    blocker: str = event["blocker_id"]
    return blocker


def settle(strict: Strict, blocker: str) -> None:
    """By hand, through the same gate; the goal is open again then, and no more than that."""
    here = strict.worktree()
    (here / "show.sh").write_text("# Shows it.\ncat product.txt\n")
    (strict.state / "blocker.yaml").write_text(json.dumps(HAS_WORDS))
    assert strict.ok("complete-goals")["goal_id"] == blocker
    file = ("--file", str(strict.state / "blocker.yaml"))
    strict.ok("contract", "freeze", "--goal-id", blocker, *file)
    words = strict.looking_words({"*": lanes()}, goal=blocker)
    assert strict.run(*words, cwd=here).code == 0
    said = ("--status", "complete", "--evidence", "it says what it is for")
    strict.ok("checkpoint", "--goal-id", blocker, *said, cwd=here)
    assert strict.statuses()["G001"] == "active"


def assert_it_holds_until_a_byte_changes(
    strict: Strict, place: Path, goals: list[str], trust: str
) -> None:
    """Landed, and verified by people who know nothing of us but a key."""
    assert set(strict.statuses().values()) == {"complete"}
    last = receipts(strict)[-1]
    assert (last["kind"], last["stale"]) == ("final", None)
    strict.ok("land")
    final, key = envelope_of(strict), public_key(strict)
    assert Stranger(place / "now", strict.root).by_all(final, key) == HOLDS
    predicate = statement_in(final)["predicate"]
    assert [goal["id"] for goal in predicate["goals"]] == goals
    assert {voice["trust"] for voice in predicate["lanes"]} == {trust}

    strict.write({"notes.txt": "fixed.\n"})
    strict.commit("one byte")
    assert Stranger(place / "later", strict.root).by_all(final, key) == refused("stale")
    strict.git("reset", "--quiet", "--soft", "HEAD~1")
    strict.git("commit", "--quiet", "--amend", "--no-edit")
    assert Stranger(place / "instead", strict.root).by_all(final, key) == refused("stale")


# The same with real Claude Code, whose model follows a script

CLAUDE = CLIENTS["claude"]


def does(prompt: str, command: str, **more: int) -> dict[str, Any]:
    when = {"last": prompt, "tool": CLAUDE.tool}
    return {"when": when, "turns": [CLAUDE.shell(command)], **more}


def answers(prompt: str, given: object, **more: int) -> dict[str, Any]:
    """As a lane: to where its prompt says."""
    asked = rf"{prompt}.*Write one JSON object to `[^`]+\.lane/answer\.json`"
    told = shlex.quote(json.dumps(given))
    return does(asked, f'printf %s {told} > "$GOALKEEPER_LANE/answer.json"', **more)


@pytest.mark.thorough
def test_claude_code_works_on_a_strict_story_and_reviews_it_in_sessions_of_its_own(
    tmp_path: Path,
) -> None:
    strict = Strict(tmp_path)
    strict.ask(contract())
    program = installed("claude")
    if program is None:
        pytest.skip("needs claude")
    with serving() as models:
        lane = models.lane("strict")
        lane.script(
            rules=[
                answers("You look for slop", CLEANER),
                answers("You review a change", ARCHITECT),
                answers("You try to break a change", shows()),
                does("Goal G001", "echo fixed > product.txt"),
            ],
            turns=[{"text": "All done, everything passes."}],
            side={"text": "A title"},
        )
        env = surroundings("claude", lane.url, strict.home, program)
        words = ("run", "--gate", "strict", "--brief-file", "brief.md", "--agent", "claude")
        usual = ("--model", CLAUDE.model, "--isolation", "checkout", "--json")
        answer = strict.run(*words, *usual, env=env)

    assert (answer.code, answer.json["reason"]) == (0, "done"), answer
    clear = [("cleaner", "clear"), ("architect", "clear"), ("qa", "clear")]
    assert strict.reported() == clear
    assert strict.kept("product.txt", "G001") == "fixed\n"
    ended = [each["record"] for each in strict.data("phase_ended")]
    assert {record["model"] for record in ended} == {CLAUDE.model}
    assert len({record["session"] for record in ended}) == len(ended) == 4
    assert strict.left_running() == []
    assert_it_holds_until_a_byte_changes(strict, tmp_path, ["G001"], "independent")
