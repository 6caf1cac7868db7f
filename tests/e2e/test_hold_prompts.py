"""What a prompt does to a session: held, held anew, let go, or nothing at all."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.holds import PROMPT, Held, installed
from tests.e2e.world import tree
from tests.tables import for_each
from tests.unit.hooks.test_keywords import ASKS, ENDS, MENTIONS

FENCED_AND_SUCH = {
    "a fence": "look:\n```\nulw fix\n```\n",
    "a fence of tildes": "look:\n~~~\nulw fix\n~~~\n",
    "a fence without an end": "look:\n```\nulw fix\n",
    "code in a line": "what `ulw` prints",
    "a quote": "> ulw, he wrote\n\nreally?",
    "an address": "see https://x.org/ulw for it",
    "a path": "mend src/ulw/x.py",
    "a hyphen": "run ulw-plan first",
    "an underscore": "rename ulw_x",
    "a file": "refactor ulw.ts",
}


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    """Nothing is held here, and nothing can be: there is nothing to prove it by."""
    world = Held(tmp_path_factory.mktemp("idle"), verify="[]")
    yield world
    world.settle()


def test_the_keyword_holds_the_session_and_tells_what_will_prove_it(held: Held) -> None:
    """Scenario 1."""
    said = held.prompt("ulw add retries")

    assert said.json["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "sh check.sh" in said.context
    assert "Explore first" in said.context
    assert "Ultrawork is on" in said.notice
    hold = held.hold()
    assert (hold["blocks"], hold["ended"], hold["objective"]) == (0, "", "ulw add retries")
    assert hold["verify"] == [["sh", "check.sh"]]
    assert held.is_watched()


def test_a_proof_begins_with_the_hold(held: Held) -> None:
    held.prompt("ulw add retries")
    held.settle()

    verdict = held.hold()["verdict"]
    assert (verdict["outcome"], verdict["failing"]) == ("failed", ["V1"])


def test_where_nothing_could_prove_it_the_user_is_told_so(idle: Held) -> None:
    said = idle.prompt("ulw add retries")

    assert "Ultrawork is NOT on: there is nothing to prove it by" in said.notice
    assert "This session is not held" in said.context
    assert "How work goes in ultrawork" in said.context
    assert said.block == ""
    assert not idle.is_watched()
    assert idle.stop().out == ""


def test_what_tests_the_project_is_found_where_no_settings_say_so(tmp_path: Path) -> None:
    makefile = "test:\n\tsh check.sh\n"
    held = Held(tmp_path, verify="[]", files={"Makefile": makefile})

    said = held.prompt("ulw add retries")

    assert "make test" in said.notice
    held.settle()
    assert held.hold()["verify"] == [["make", "test"]]


def test_a_word_that_only_looks_like_it_leaves_no_trace(idle: Held) -> None:
    """Scenario 2."""
    before = tree(idle.root.parent)

    assert idle.prompt("please fix the bulwark class").out == ""

    assert tree(idle.root.parent) == before


@pytest.mark.parametrize("prompt", ["don't ultrawork, just answer", "go on", "what is ulw?"])
def test_a_prompt_that_asks_for_nothing_changes_nothing(armed: Held, prompt: str) -> None:
    """Scenario 3."""
    before = armed.hold()

    assert armed.prompt(prompt).out == ""

    assert armed.hold() == before
    assert armed.is_watched()


def test_stop_ultrawork_lets_the_session_go(armed: Held) -> None:
    """Scenario 4."""
    said = armed.prompt("stop ultrawork")

    assert "Ultrawork is off" in said.notice
    assert "NOT proven" in said.notice
    assert armed.hold()["ended"] == "off"
    said = armed.stop()
    assert (said.block, armed.is_watched()) == ("", False)
    assert "was turned off" in said.notice  # whoever sits there, and whoever said so
    assert armed.stop().out == ""


def test_the_run_that_was_made_for_it_ends_with_it(armed: Held) -> None:
    run_id = armed.hold()["run"]
    armed.prompt("stop ultrawork")
    armed.settle()

    closed = armed.ok("ledger", "show", "--run", run_id)["entries"][-1]
    assert (closed["kind"], closed["data"]["reason"]) == (
        "state_cleared",
        "ultrawork ended: the prompt said so",
    )


@for_each("prompt", FENCED_AND_SUCH.values(), ids=FENCED_AND_SUCH)
def test_what_is_not_prose_asks_for_nothing(idle: Held, prompt: str) -> None:
    """Scenario 5."""
    assert idle.prompt(prompt).out == ""
    assert not idle.state.joinpath("hold").exists()


def test_a_pasted_transcript_asks_for_nothing(idle: Held) -> None:
    """Scenario 6."""
    assert idle.prompt("<user>ulw do it</user>\nsummarise this").out == ""


@pytest.mark.thorough
def test_a_keyword_at_the_end_of_a_long_prompt_is_seen(held: Held) -> None:
    """Scenario 7."""
    held.prompt("word " * 40_000 + "ulw")

    assert held.is_watched()
    assert len(held.hold()["objective"]) == 2000


@pytest.mark.thorough
def test_a_prompt_of_three_megabytes_is_read_to_its_end(idle: Held) -> None:
    much = "x " * 1_500_000
    assert idle.prompt(much).out == ""
    assert "NOT on" in idle.prompt(f"{much} ulw").notice


def test_our_own_words_handed_back_ask_for_nothing(armed: Held) -> None:
    """Scenario 8, where the session is held by its reason."""
    reason = armed.stop().block
    assert reason.startswith("[goalkeeper]")
    before = armed.hold()

    assert armed.prompt(reason).out == ""

    assert armed.hold() == before


def test_the_shell_hands_on_all_who_ask_or_end_it(idle: Held, tmp_path: Path) -> None:
    """What Python makes of each of them, `tests/unit/hooks/test_keywords.py` shows."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec cat\n")
    python.chmod(0o755)
    line = installed()["claude", PROMPT["claude"]].replace(sys.executable, str(python))

    for prompt in (*ASKS, *ENDS):
        told = idle.hook("claude", PROMPT["claude"], line=line, prompt=prompt).json
        assert told["prompt"] == prompt


@for_each("prompt", ASKS[::4])
def test_who_asks_for_it_is_heard(idle: Held, prompt: str) -> None:
    """Scenario 45 and the matrix: the answer shows that all of the way was gone."""
    assert "Ultrawork is NOT on" in idle.prompt(prompt).notice


@for_each("prompt", [*MENTIONS, *ENDS][::5])
def test_who_only_mentions_it_hears_nothing(idle: Held, prompt: str) -> None:
    """As above."""
    assert idle.prompt(prompt).out == ""


@pytest.mark.parametrize("prompt", ENDS[::4])
def test_who_ends_it_is_free(armed: Held, prompt: str) -> None:
    assert "off" in armed.prompt(prompt).notice
    assert (armed.hold()["ended"], armed.stop().block, armed.is_watched()) == ("off", "", False)


@pytest.mark.parametrize("prompt", ["ulw", "/goalkeeper:ulw log in with [redacted]"])
def test_asked_for_again_it_begins_from_zero(armed: Held, prompt: str) -> None:
    armed.stop()
    before = armed.hold()

    said = armed.prompt(prompt.replace("[redacted]", f"ghp_{'a1B2c3' * 6}"))

    after = armed.hold()
    assert "from zero" in said.notice
    assert "Ultrawork holds this session" in said.context
    assert (before["blocks"], after["blocks"]) == (1, 0)
    assert (after["objective"], after["run"]) == (prompt, before["run"])
    assert after["activation"] != before["activation"]


@pytest.mark.thorough
def test_the_same_prompt_through_two_doors_counts_once(held: Held) -> None:
    """Both Cursor and its bridge to Claude's settings deliver a prompt."""
    held.prompt("ulw mend it", "cursor", "c1", generation_id="g7")
    held.settle()
    activation = held.hold("cursor", "c1")["activation"]

    line = installed()["claude", "UserPromptSubmit"]
    held.prompt("ulw mend it", "cursor", "c1", generation_id="g7", line=line)

    assert held.hold("cursor", "c1")["activation"] == activation
    assert [path.name for path in held.state.joinpath("hold").iterdir()] == ["cursor-c1.json"]


def test_a_prompt_inside_a_subagent_asks_for_nothing(idle: Held) -> None:
    assert idle.prompt("ulw do it", agent_id="a1").out == ""


def test_the_hooks_are_off_where_the_environment_says_so(held: Held) -> None:
    off = {"GOALKEEPER_HOOKS": "off"}
    assert held.hook("claude", "UserPromptSubmit", env=off, prompt="ulw").out == ""
    assert not held.state.joinpath("hold").exists()

    held.arm()
    assert held.hook("claude", "Stop", env=off).out == ""
    assert held.hook("claude", "Stop", env={"GOALKEEPER_SPAWNED": "1"}).out == ""
    assert held.stop().block


def test_a_session_started_in_a_folder_below_is_held_in_its_repository(held: Held) -> None:
    """The shell's folder moves with `cd`; the project's does not."""
    below = held.root / "tests"
    line = f"cd {below}; {installed()['claude', 'UserPromptSubmit']}"
    env = {"CLAUDE_PROJECT_DIR": str(held.root)}

    said = held.prompt("ulw mend it", cwd=str(below), line=line, env=env)

    assert "is on" in said.notice
    assert held.hold()["worktree"] == str(held.root)
