"""Ultrawork in real clients: they are held, proven, let go, and free when goalkeeper is gone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from goalkeeper.clients.install.parts import SKILLS
from tests.e2e.hold_desk import (
    DENIED,
    OFF,
    ON,
    PROVEN,
    REGAINED,
    STILL_RUNNING,
    TESTS,
    TRIPPED,
    CodexServer,
    Desk,
    Gate,
    Ran,
    adding,
    ended,
    until,
)
from tests.e2e.skills import describe_skill
from tests.scripted_model.server import Models, serving
from tests.tables import sampled

HELD = ("claude", "codex", "gemini")  # OpenCode has a file of its own
# What a hook says to the user; `codex exec` shows it to nobody, and its app-server does.
TELLING = {"claude": True, "codex": False, "gemini": True}
SETTINGS = {
    "claude": ".claude/settings.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
}
QUESTION = {"questions": [{"id": "way", "header": "Way", "question": "Which way?"}]}
FIXED = "def add(a, b):\n    return a + b\n"
IMPATIENT = '[hold]\nwait = 1\n[witness]\nisolation = "checkout"\n'  # a gate outside is seen


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with serving() as models:
        yield models


def assert_told(desk: Desk, ran: Ran, notice: str) -> None:
    assert (notice in ran.shown) is TELLING[desk.name]
    assert not any(desk.heard(notice)), "it is for the user, not for the model"


@pytest.mark.parametrize("name", sampled(HELD, one_in=3))
def test_a_client_is_held_twice_may_not_write_what_is_protected_and_is_then_proven(
    name: str, models: Models, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, name, models)
    desk.says(
        "All done.",
        desk.write(".goalkeeper/x", "x"),
        desk.shell("echo x > .goalkeeper/x"),
        desk.write("test_calc.py", "x"),
        desk.write(SETTINGS[name], '{"disableAllHooks": true}'),
        desk.write("NOTES", "x"),
        desk.shell(adding("a * b")),
        "It is done now.",
        desk.shell(adding("a + b")),
        "Done at last.",
    )

    ran = desk.prompt("ulw fix add")

    assert ran.code == 0, ran.shown
    assert desk.heard(ON) == [1] * 10
    first, second = desk.blocks
    assert "(block 1 of 8)" in first
    assert "V1 failed, make test: exit 2, expected 0" in first
    assert "AssertionError: -1 != 3" in first
    assert "(block 2 of 8)" in second
    assert "AssertionError: 2 != 3" in second
    assert_told(desk, ran, PROVEN)
    assert "Done at last." in ran.shown
    assert [skill for skill in SKILLS if not desk.heard(describe_skill(skill))[0]] == []

    answers = [request.last for request in desk.asked][2:7]
    assert [DENIED in answer for answer in answers] == [True, True, True, True, False]
    assert ".goalkeeper/x would change .goalkeeper/" in answers[0]
    assert "this command does more than read, and names .goalkeeper/" in answers[1]
    assert "test_calc.py is protected" in answers[2]
    assert f"{SETTINGS[name]} decides whether this client calls hooks" in answers[3]
    assert not (desk.root / ".goalkeeper/x").exists()
    assert (desk.root / "NOTES").read_text().strip() == "x"

    hold = desk.hold(ran.session)
    assert (hold["state"], hold["blocks"], hold["verdict"]) == ("proven", 2, "passed")
    assert desk.kept(ran.session)["ended"] == "proven"
    assert desk.watched == []
    recorded = desk.recorded(ran.session)
    assert recorded[-3:] == ["goal_completed", "receipt_issued", "receipt_issued"]
    assert recorded.count("goal_completed") == 1
    assert (desk.root / "calc.py").read_text() == FIXED
    assert (desk.root / "test_calc.py").read_text() == TESTS


@pytest.mark.thorough
def test_a_session_is_let_go_after_the_most_blocks_and_its_user_is_told(
    models: Models, tmp_path: Path
) -> None:
    """One client is enough: each is told of this as it is told of a proof."""
    desk = Desk(tmp_path, "claude", models, config="[hold]\ncooldown = 0\nmax_blocks = 2\n")
    desk.says(*idling(desk, 5))

    ran = desk.prompt("ulw fix add")

    assert ran.code == 0
    assert [f"(block {n} of 2)" in text for n, text in enumerate(desk.blocks, 1)] == [True] * 2
    assert_told(desk, ran, TRIPPED)
    hold = desk.hold(ran.session)
    assert (hold["state"], hold["blocks"]) == ("tripped (max_blocks)", 2)
    assert desk.watched == []
    assert "goal_completed" not in desk.recorded(ran.session)
    assert (desk.root / "NOTES").read_text() == "2\n"


def idling(desk: Desk, times: int) -> list[str | dict[str, object]]:
    """Something else is done each time; without that, it would be no progress."""
    pairs = ((desk.shell(f"echo {n} > NOTES"), f"Done, {n}.") for n in range(times))
    return [turn for pair in pairs for turn in pair]


@pytest.mark.thorough
def test_a_user_who_trusts_the_hooks_in_codex_is_shown_why_it_let_go(
    models: Models, tmp_path: Path
) -> None:
    """Through the app-server, which is what Codex's own screens are made with."""
    desk = Desk(tmp_path, "codex", models, config="[hold]\ncooldown = 0\nmax_blocks = 1\n")
    desk.says({"tool": "request_user_input", "input": QUESTION}, *idling(desk, 4))

    with CodexServer(desk) as server:
        hooks = server.ask("hooks/list", cwds=[str(desk.root)])["data"][0]["hooks"]
    assert {hook["trustStatus"] for hook in hooks} == {"untrusted"}
    with open(desk.home / ".codex/config.toml", "a") as config:
        config.writelines(
            f'[hooks.state."{hook["key"]}"]\ntrusted_hash = "{hook["currentHash"]}"\n'
            for hook in hooks
        )
    with CodexServer(desk) as server:
        thread = server.ask(
            "thread/start", cwd=str(desk.root), approvalPolicy="never", sandbox="danger-full-access"
        )["thread"]["id"]
        server.ask("turn/start", threadId=thread, input=[{"type": "text", "text": "ulw fix add"}])
        shown = server.shown_until("turn/completed")

    assert DENIED in desk.asked[1].last
    assert "questions to the user are closed" in desk.asked[1].last
    assert len(desk.blocks) == 1
    assert [text.startswith(TRIPPED) for kind, text in shown if kind == "warning"] == [False, True]
    assert desk.hold(thread)["state"] == "tripped (max_blocks)"


ON_COMMAND, OFF_COMMAND = "/goalkeeper:ulw fix add", "/goalkeeper:stop-continuation"
WAYS = [
    pytest.param("claude", ON_COMMAND, OFF_COMMAND, id="claude"),
    pytest.param("codex", "ulw fix add", "stop ultrawork", id="codex"),
    pytest.param("gemini", ON_COMMAND, OFF_COMMAND, id="gemini"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "on", "off"), WAYS)
def test_a_session_that_is_resumed_knows_its_hold_and_is_freed_at_once_by_its_user(
    name: str, on: str, off: str, models: Models, tmp_path: Path
) -> None:
    gate = Gate(tmp_path / "gate")
    desk = Desk(tmp_path, name, models, config=IMPATIENT, before=gate.waiting)
    desk.says("Done, I think.", "Never said.")
    let_go = desk.prompt(on)
    assert let_go.code == 0
    assert_told(desk, let_go, STILL_RUNNING)
    assert desk.hold(let_go.session)["state"] in {"paused", "left while paused"}
    gate.open()
    assert desk.prove(let_go.session)["verdict"] == "failed"

    desk.says("As you wish.", "Never said.")
    freed = desk.prompt(off, resume=let_go.session)

    assert (freed.code, freed.session) == (0, let_go.session)
    assert desk.heard(ON) == [1, 1]
    assert desk.heard(REGAINED) == [0, 1]
    assert "AssertionError: -1 != 3" in desk.asked[-1].all
    assert desk.blocks == []
    assert_told(desk, freed, OFF)
    hold = desk.hold(freed.session)
    assert (hold["state"], hold["why"]) == ("off", "the prompt said so")
    assert desk.watched == []


@pytest.mark.thorough
def test_a_repository_is_as_good_as_before_when_a_hold_ends_during_a_proof(
    models: Models, tmp_path: Path
) -> None:
    gate = Gate(tmp_path / "gate")
    desk = Desk(tmp_path, "codex", models, config=IMPATIENT, before=gate.waiting)
    desk.says("Done, I think.")
    held = desk.prompt("ulw fix add")

    desk.prompt("stop ultrawork", resume=held.session)
    gate.open()
    desk.prove(held.session)

    assert desk.call("ulw", "on", "--client", "codex", "--session", "another")["ok"]


@pytest.mark.thorough
def test_what_is_asked_for_again_during_a_proof_can_still_be_proven(
    models: Models, tmp_path: Path
) -> None:
    gate = Gate(tmp_path / "gate")
    desk = Desk(tmp_path, "codex", models, config=IMPATIENT, before=gate.waiting)
    desk.says("Done, I think.")
    held = desk.prompt("ulw fix add")

    desk.prompt("ulw once more", resume=held.session)
    gate.open()

    assert desk.prove(held.session)["verdict"] == "failed"


@pytest.mark.thorough
def test_two_sessions_in_one_repository_do_not_touch_each_other(
    models: Models, tmp_path: Path
) -> None:
    """One client is enough: that a session is known by its own name, the others show elsewhere."""
    desk = Desk(tmp_path, "codex", models)
    gate = Gate(tmp_path / "gate")
    desk.says(
        desk.shell(gate.waiting),
        "Done.",
        desk.shell(adding("a + b")),
        "Done now.",
        rules=[{"when": {"all": "just look around"}, "turns": [{"text": "I looked."}]}],
    )
    working = desk.start("ulw fix add")
    until(lambda: any(desk.heard(ON)), working)

    free = desk.prompt("stop ultrawork, just look around")
    assert len(desk.watched) == 1, "the other one is still held"
    gate.open()
    held = ended(working)

    assert (free.code, held.code) == (0, 0)
    assert free.session != held.session
    [of_the_free] = [request.all for request in desk.asked if "just look around" in request.all]
    assert ON not in of_the_free
    assert len(desk.blocks) == 1
    assert desk.hold(held.session)["state"] == "proven"
    assert [hold["session"] for hold in desk.call("ulw", "status")["holds"]] == [held.session]


@pytest.mark.thorough
def test_a_compaction_gives_the_state_back_to_the_model(models: Models, tmp_path: Path) -> None:
    desk = Desk(tmp_path, "claude", models)
    summed_up = {"text": "<summary>They were adding.</summary>", "usage": {"input": 5000}}
    rule = {"when": {"last": "(?i)create a detailed summary"}, "turns": [summed_up]}
    desk.says(
        "Done.",
        *(desk.shell(f"echo {n}") for n in range(3)),
        {**desk.shell("echo 3"), "usage": {"input": 170_000}},
        desk.shell(adding("a + b")),
        "Done now.",
        rules=[rule],
    )

    ran = desk.prompt("ulw fix add", "--autocompact", "100k")

    assert ran.code == 0
    assert [event.get("subtype") for event in ran.events].count("compact_boundary") == 1
    assert desk.heard(ON) == [1, 1, 1, 1, 1, 1, 0, 0]
    assert desk.heard(REGAINED) == [0, 0, 0, 0, 0, 0, 1, 1]
    after = desk.asked[-1].all
    assert "1 of 8 blocks used" in after
    assert "Asked for: ulw fix add" in after
    assert "AssertionError: -1 != 3" in after
    assert desk.kept(ran.session)["compactions"] == 1
    hold = desk.hold(ran.session)
    assert (hold["state"], hold["blocks"]) == ("proven", 1)


@pytest.mark.thorough
def test_a_session_held_from_a_terminal_is_held_when_it_is_resumed(
    models: Models, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, "codex", models)
    desk.says("I looked.")
    free = desk.prompt("look around")
    assert desk.is_left_alone
    assert desk.call("ulw", "on", "--client", "codex", "--session", free.session)["ok"]

    desk.says("Done.", desk.shell(adding("a + b")), "Done now.")
    held = desk.prompt("go on", resume=free.session)

    assert (free.code, held.code) == (0, 0)
    assert len(desk.blocks) == 1
    assert desk.hold(free.session)["state"] == "proven"


REMOVED = [
    ("claude", "package", "interpreter"),
    ("codex", "interpreter", "package"),
    ("gemini", "package", "interpreter"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "first", "second"), REMOVED)
def test_a_client_goes_on_as_ever_when_goalkeeper_or_its_interpreter_is_gone(
    name: str, first: str, second: str, models: Models, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, name, models)
    desk.says("I did what I could.")

    desk.lose(first)
    free = desk.prompt("ulw fix add")
    assert desk.call("ulw", "on", "--client", name, "--session", free.session)["is_new"]
    desk.lose(second)
    held = desk.prompt("ulw go on", resume=free.session)

    for ran in (free, held):
        assert ran.code == 0, ran.shown
        assert "I did what I could." in ran.shown
        assert "[goalkeeper]" not in ran.shown
    assert desk.is_left_alone
    hold = desk.hold(free.session)
    state = "held" if second == "interpreter" else "not held (hooks are off)"
    assert (hold["state"], hold["blocks"]) == (state, 0)
