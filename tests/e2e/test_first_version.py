"""What the first version wrote loads, verifies and goes on.

`tests/data/first_version` keeps what its commands left, one folder for each story. A ledger and
its goals.json lie there as files, `told.json` has what `status`, `ledger verify` and
`receipt list` answered then, and `place.tar.gz` has the rest: the repository with its state, and
what goalkeeper kept in the home, private keys left out. All of it is history: no test changes it,
and no line of it is written anew.
"""

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from goalkeeper.bootstrap import World as Surroundings
from goalkeeper.cli.main import main
from goalkeeper.core import codec
from tests.e2e.drives import FIX, NOTE, Act, Acts, Script, write
from tests.e2e.receipts import CHECKOUT
from tests.e2e.strict import lanes
from tests.e2e.world import COMMAND, Answer, Env, Word, World
from tests.tables import sampled
from tests.trusting import take_over_state, trust_settings

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests/data/first_version"
STORIES = sorted(path.name for path in RECORDED.iterdir())
THEN = Path("/tmp/first-version")  # each story happened in a folder of its own there

# Every kind of event that the first version knew.
KINDS = {
    "abbreviation_refused",
    "blocker_classified",
    "command_refused",
    "contract_amended",
    "contract_frozen",
    "cycle_achieved",
    "drive_began",
    "drive_ended",
    "drive_paused",
    "drive_resumed",
    "goal_checkpointed",
    "goal_completed",
    "goal_judged",
    "goal_started",
    "goal_tool_changed",
    "goal_unblocked",
    "handoff_recorded",
    "honest_exit",
    "hypothesis_expired",
    "judgement_stood",
    "lane_reported",
    "ledger_repaired",
    "objective_migrated",
    "phase_began",
    "phase_ended",
    "phase_skipped",
    "phase_spawned",
    "plan_created",
    "questions_answered",
    "receipt_issued",
    "refs_moved",
    "review_blockers_recorded",
    "state_cleared",
    "steering_accepted",
    "steering_rejected",
    "step_verified",
    "terms_changed",
    "worktree_made",
}
# Kinds whose events are written in another shape today. The old shape is read all the same.
RESHAPED = frozenset({"phase_spawned"})


class Story(World):
    """What was recorded, laid out in a folder of the test's own.

    Plans and judgements go on there. A drive goes on only where it was: `there`.
    """

    def __init__(self, name: str, place: Path) -> None:
        self.name = name
        self.place = place
        self.root, self.home = place / "repository", place / "home"
        self.state = self.root / ".goalkeeper"
        kept = RECORDED / name
        subprocess.run(["tar", "-xzf", kept / "place.tar.gz", "-C", place], check=True)
        for file in kept.glob("*/2*/*"):
            shutil.copy(file, self.state / file.relative_to(kept))
        self.home.mkdir(exist_ok=True)
        # Whoever upgrades says so once: goalkeeper trust, goalkeeper trust --state.
        here, then = {"HOME": str(self.home)}, THEN / name / "repository"
        take_over_state(self.root, here, then)
        trust_settings(self.root, here, then)
        self.told: Mapping[str, Any] = json.loads((kept / "told.json").read_bytes())  # by run

    def look(self, *words: str) -> Any:  # noqa: ANN401  JSON
        """What a command answers, its paths as they were then. It runs in this process: quick."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        environ = {name: str(value) for name, value in self.environ().items()}
        code = main(
            [*words, "--json"], Surroundings(environ, str(self.root), io.BytesIO(), out, err)
        )
        answer = Answer(code, _text(out), _text(err))
        assert (answer.code, answer.err) == (0, ""), answer
        return json.loads(answer.out.replace(str(self.place), str(THEN / self.name)))

    def there(self, *words: Word) -> Answer:
        """The command in a place that looks like that of then.

        A drive knows its worktrees by their paths, and so does a store of trees its repository.
        """
        then = THEN / self.name
        ours = {str(path) for path in (ROOT, sys.prefix, sys.base_prefix)}
        seen = [word for path in ours for word in ("--bind", path, path)]
        wall: tuple[Word, ...] = ("bwrap", "--dev-bind", "/", "/", "--tmpfs", "/tmp")
        wall += ("--bind", self.place, then, *seen, "--chdir", then / "repository")
        done = subprocess.run(
            [*wall, COMMAND, *words, "--json"],
            env=self.environ({"HOME": str(then / "home")}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def drive(self, script: Script) -> Answer:
        (self.place / "script.json").write_text(json.dumps(script))
        named = ("--agent", "rehearsal", "--script", str(THEN / self.name / "script.json"))
        return self.there("run", *named, "--isolation", "checkout", "--backoff", "0")

    def appended(self) -> list[str]:
        """The kinds of all events since then; what was written then is still there."""
        found: list[str] = []
        for old in sorted((RECORDED / self.name).glob("*/2*/ledger.jsonl")):
            ledger = self.state / old.relative_to(RECORDED / self.name)
            assert ledger.read_bytes().startswith(old.read_bytes())
            more = ledger.read_bytes()[len(old.read_bytes()) :]
            found += [json.loads(line)["kind"] for line in more.splitlines()]
        return found

    def is_sound(self) -> bool:
        return all(self.look("ledger", "verify", "--run", run)["ok"] for run in self.told)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@pytest.fixture
def story(request: pytest.FixtureRequest, tmp_path: Path) -> Story:
    return Story(request.param, tmp_path)


def of_each(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("story", names, indirect=True)


# Reading


def lines() -> Iterator[tuple[str, Any]]:
    """Every line of every ledger, and where it stands."""
    for ledger in sorted(RECORDED.glob("*/*/2*/ledger.jsonl")):
        for number, line in enumerate(ledger.read_bytes().splitlines(), 1):
            yield f"{ledger.relative_to(RECORDED).parts[0]}:{number}", json.loads(line)


def test_every_kind_of_the_first_version_is_on_record() -> None:
    assert {line["kind"] for _, line in lines()} == KINDS


def test_every_line_is_read_and_its_data_comes_back() -> None:
    for where, line in lines():
        event = codec.decode_event(line["kind"], line["v"], line["data"])

        assert type(event).__name__ != "Unknown", where
        if line["kind"] not in RESHAPED:
            assert codec.encode_event(event) == (line["kind"], line["v"], line["data"]), where


# Loading


def assert_includes(now: object, then: object, where: str = "") -> None:
    """All that was said then is said now; there may be more of it."""
    if isinstance(then, dict):
        assert isinstance(now, dict), where
        assert then.keys() <= now.keys(), where
        for name, value in then.items():
            assert_includes(now[name], value, f"{where}.{name}")
    elif isinstance(then, list):
        assert isinstance(now, list), where
        assert len(now) == len(then), where
        for number, value in enumerate(then):
            assert_includes(now[number], value, f"{where}[{number}]")
    else:
        assert now == then, where


@of_each(*STORIES)
def test_a_ledger_verifies_and_says_what_it_said_then(story: Story) -> None:
    for run, told in story.told.items():
        assert_includes(story.look("ledger", "verify", "--run", run), told["ledger"])
        assert_includes(story.look("status", "--run", run), told["status"])
        assert_includes(story.look("receipt", "list", "--run", run), told["receipts"])
        assert_each_receipt_verifies(story, told["receipts"]["receipts"])
    assert story.appended() == []


def assert_each_receipt_verifies(story: Story, issued: list[Any]) -> None:
    keys = story.home.glob(".config/goalkeeper/keys/*.pub")
    trusted = [word for key in keys for word in ("--key", str(key))]
    for each in issued:
        (file,) = story.state.glob(f"*/2*/receipts/{each['digest']}.json")
        assert story.look("verify-receipt", str(file), *trusted, "--no-repository")["ok"] is True


@of_each(*sampled(STORIES, one_in=3))
def test_goals_json_is_rebuilt_from_the_ledger_alone(story: Story) -> None:
    for goals in story.state.glob("runs/2*/goals.json"):
        then, run = goals.read_bytes(), goals.parent.name
        goals.unlink()

        assert_includes(story.look("status", "--run", run), story.told[run]["status"])
        story.look("state", "repair", "--run", run)
        assert shown_in(goals.read_bytes()) == shown_in(then)
        assert story.look("ledger", "verify", "--run", run)["ok"] is True


def shown_in(goals: bytes) -> object:
    """What people look for in goals.json."""
    plan = json.loads(goals)
    names = ("id", "title", "objective", "status", "evidence", "created_at", "completed_at")
    each = [{name: goal.get(name) for name in names} for goal in plan["goals"]]
    return plan["run_id"], plan["mode"], plan.get("objective"), each


# Going on


class Next(NamedTuple):
    """A command, and the kinds of events that it adds."""

    words: tuple[str, ...]
    kinds: list[str]
    env: Env | None = None


REASONS = ("--evidence", "seen", "--rationale", "so that")
ADD = ("steer", "--kind", "add_subgoal", "--title", "More", "--objective", "More.", *REASONS)
START = ("complete-goals",)


def checkpoint(goal: str, status: str) -> tuple[str, ...]:
    return ("checkpoint", "--goal-id", goal, "--status", status, "--evidence", "seen today")


NEXT = {
    "archived": Next(START, ["goal_started"]),
    "drive_done": Next(ADD, ["steering_accepted"]),
    "everyday": Next(checkpoint("G001", "blocked"), ["goal_checkpointed"]),
    "exits": Next(START, ["goal_started"]),
    "migrated": Next(checkpoint("G001", "failed"), ["goal_checkpointed"]),
    "proven": Next(ADD, ["steering_accepted"]),
    "recurring": Next(START, ["goal_started"]),
    "repaired": Next(("unblock", "--goal-id", "G001", "--evidence", "seen"), ["goal_unblocked"]),
    "reviewed": Next(START, ["goal_started"]),
    "sessions": Next(("goal", "drop"), ["goal_tool_changed"], {"CLAUDE_CODE_SESSION_ID": "anna"}),
    "steered": Next(ADD, ["steering_accepted"]),
    "strict_by_hand": Next(("contract", "freeze", "--goal-id", "G002"), ["contract_frozen"]),
    "strict_lanes": Next(ADD, ["steering_accepted"]),
}


@of_each(*NEXT)
def test_one_more_command_is_accepted_and_recorded(story: Story) -> None:
    more = NEXT[story.name]

    story.ok(*more.words, env=more.env)

    assert story.appended() == more.kinds
    assert story.is_sound()


@of_each("steered")
def test_a_steer_that_was_accepted_then_is_a_repeat_today(story: Story) -> None:
    told = ("--evidence", "import.log line 40", "--rationale", "it decides the order")
    add = ("steer", "--kind", "add_subgoal", "--title", "Look", "--objective", "Find out why.")

    assert story.ok(*add, *told, "--key", "look")["repeated"] is True
    assert story.appended() == []


@of_each("tampered")
def test_tests_that_are_back_open_the_gate_of_then(story: Story) -> None:
    story.git("checkout", "--quiet", "HEAD", "tests")

    story.ok(*checkpoint("G001", "complete"))

    assert story.appended() == ["goal_judged", "goal_completed", "receipt_issued", "receipt_issued"]
    assert story.is_sound()


@of_each("drive_done")
def test_the_receipt_of_work_that_landed_then_holds_for_its_commit(story: Story) -> None:
    assert story.look("receipt", "verify", "--kind", "final")["ok"] is True


# Going on in the place of then


UNDO: Act = write(".goalkeeper/config.toml", CHECKOUT[".goalkeeper/config.toml"])
REVIEWS: dict[str, Acts] = {**lanes(), "*/impl": [FIX]}
RESUMED: dict[str, Script] = {
    "drive_killed": {"G001": [FIX], "G002": [NOTE]},
    "drive_killed_in_review": {"G001": REVIEWS},
    "drive_paused": {"G001": [FIX]},
}
BEGUN_ANEW: dict[str, Script] = {
    "drive_crashed": {"G001": [FIX]},
    "drive_exits": {"G001": [FIX]},
    "drive_tampered": {"G001": [FIX, UNDO]},
    "drive_terms": {"G001": [FIX]},
}


@pytest.mark.needs("bwrap")
@of_each(*sampled([*RESUMED, *BEGUN_ANEW], one_in=3))
def test_a_drive_that_was_cut_short_or_stopped_then_comes_to_its_end(story: Story) -> None:
    end = story.drive({**RESUMED, **BEGUN_ANEW}[story.name])

    assert end.code == 0, end
    assert end.json["reason"] == "done"
    kinds = story.appended()
    assert kinds[0] == ("drive_resumed" if story.name in RESUMED else "drive_began")
    assert (kinds[1] == "phase_ended") is ("killed" in story.name)
    assert (kinds[-1], kinds.count("goal_completed") > 0) == ("drive_ended", True)
    assert story.is_sound()


@pytest.mark.needs("bwrap")
@of_each("drive_deep", "drive_strict")
def test_work_that_was_proven_then_lands(story: Story) -> None:
    landed = story.there("land")

    assert landed.json["how"] == "commit", landed
    assert (story.root / "product.txt").read_text() == "fixed\n"
    assert story.is_sound()


@pytest.mark.needs("bwrap")
@of_each("held")
def test_a_session_that_was_held_then_is_proven(story: Story) -> None:
    (story.root / "answer.txt").write_text("good\n")

    proven = story.there("ulw", "prove", "--client", "codex", "--session", "s3")

    assert (proven.code, proven.json["verdict"]) == (0, "passed"), proven
    assert "goal_judged" in story.appended()
    assert story.is_sound()


@pytest.mark.needs("bwrap")
@of_each("answered")
def test_a_goal_that_was_answered_for_then_completes(story: Story) -> None:
    done = story.there(*checkpoint("G003", "complete"))

    assert done.code == 0, done
    assert story.appended() == ["goal_judged", "goal_completed", "receipt_issued", "receipt_issued"]
    assert story.is_sound()


@pytest.mark.needs("bwrap")
@of_each("drive_partial")
def test_what_failed_three_times_then_is_still_left_to_a_human(story: Story) -> None:
    end = story.drive({"G001": [FIX, NOTE]})

    assert (end.code, end.json["reason"]) == (1, "partial"), end
    assert story.appended() == ["drive_began", "goal_checkpointed", "drive_ended"]
    assert story.is_sound()
