"""Which tools a held agent may not use, as each client names them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.holds import CLIENTS, Held
from tests.tables import sampled

WRITING = {
    "claude": ("Write", "file_path"),
    "gemini": ("write_file", "file_path"),
    "opencode": ("write", "filePath"),
    "copilot": ("Write", "file_path"),
    "cursor": ("Write", "file_path"),
}
SHELL = {
    "claude": "Bash",
    "codex": "Bash",
    "gemini": "run_shell_command",
    "opencode": "bash",
    "copilot": "Bash",
    "cursor": "Shell",
}
PATCH = "*** Begin Patch\n*** {0}\n@@\n-a\n+b\n*** End Patch\n"


@pytest.fixture(scope="module")
def armed_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    world = Held(tmp_path_factory.mktemp("armed"))
    for client in CLIENTS:
        world.prompt("ulw mend the answer", client)
    world.settle()
    world.keep()
    yield world
    world.settle()


@pytest.fixture
def armed(armed_once: Held) -> Held:
    """One session of each client is held; nothing here changes that."""
    return armed_once


def denied(world: Held, client: str, name: str, path: str) -> str:
    tool, field = WRITING[client]
    return world.tool(name or tool, {field: path, "content": "x"}, client).denied


@pytest.mark.parametrize("client", sampled(WRITING, one_in=2))
def test_our_own_files_are_not_written_to(armed: Held, client: str) -> None:
    for path in (".goalkeeper/x", str(armed.state / "hold/claude-s1.json"), "./a/../.goalkeeper/x"):
        assert "[goalkeeper] Denied" in denied(armed, client, "", path)
    assert denied(armed, client, "", str(armed.watches / "claude-s1"))
    assert denied(armed, client, "", str(armed.watches.parent / "hold.key"))
    assert denied(armed, client, "", ".goalkeeper/cache/run/lock")
    assert not denied(armed, client, "", ".goalkeeper/cache/answers.json")


SETTINGS = {
    "claude": (".claude/settings.json", ".claude/settings.local.json"),
    "gemini": (".gemini/settings.json", "@/.gemini/extensions/goalkeeper/hooks/hooks.json"),
    "opencode": ("opencode.json", "@/.config/opencode/plugins/goalkeeper.js"),
    "copilot": ("@/.copilot/hooks/goalkeeper.json", "@/.copilot/config.json"),
    "cursor": (".cursor/hooks.json", "@/.cursor/hooks.json"),
}


@pytest.mark.parametrize("client", WRITING)
def test_what_turns_hooks_off_is_not_written_to(armed: Held, client: str) -> None:
    for path in SETTINGS[client]:
        full = path.replace("@", str(armed.home))
        assert "whether this client calls hooks" in denied(armed, client, "", full)


@pytest.mark.parametrize(
    "command",
    [
        "mkdir -p .claude && echo '{}' > .claude/settings.json",
        "cd ~/.claude && mv settings.json x",
        "rm -rf ~/.claude/skills/goalkeeper",
        "python3 -c \"import x; x.write('disableAllHooks')\"",
    ],
)
def test_a_command_that_turns_hooks_off_is_denied(armed: Held, command: str) -> None:
    assert "whether this client calls hooks" in armed.tool("Bash", {"command": command}).denied


def test_settings_are_read_as_anything_else(armed: Held) -> None:
    for command in ("cat .claude/settings.json", "grep -r disableAllHooks src; ls ~/.claude"):
        assert armed.tool("Bash", {"command": command}).denied == ""


@pytest.mark.parametrize("client", WRITING)
def test_a_test_that_was_there_is_not_written_to(armed: Held, client: str) -> None:
    for path in ("tests/test_it.py", str(armed.root / "tests/test_it.py"), "check.sh"):
        assert "is protected" in denied(armed, client, "", path)


@pytest.mark.parametrize("client", WRITING)
def test_what_is_the_agents_work_is_written_to(armed: Held, client: str) -> None:
    for path in ("answer.txt", "tests/test_new.py", str(armed.root / "src/new.py"), "/tmp/x"):
        assert denied(armed, client, "", path) == ""


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_no_tool_that_writes_is_forgotten(armed: Held, tool: str) -> None:
    assert denied(armed, "claude", tool, "tests/test_it.py")
    notebook = {"notebook_path": str(armed.state / "x.ipynb")}
    assert armed.tool("NotebookEdit", notebook).denied


def test_a_link_leads_to_what_it_leads_to(armed: Held) -> None:
    link = armed.root / "elsewhere"
    link.symlink_to("tests")
    try:
        assert "is protected" in denied(armed, "claude", "", "elsewhere/test_it.py")
    finally:
        os.unlink(link)


@pytest.mark.parametrize("head", ["Update File: ", "Delete File: ", "Move to: ", "Add File: "])
@pytest.mark.parametrize(("client", "field"), [("codex", "command"), ("opencode", "patchText")])
def test_a_patch_is_read(armed: Held, client: str, field: str, head: str) -> None:
    for path in ("tests/test_it.py", ".goalkeeper/config.toml"):
        patch = PATCH.format(f"Update File: answer.txt\n*** {head}{path}")
        assert armed.tool("apply_patch", {field: patch}, client).denied

    patch = PATCH.format(f"{head}answer.txt")
    assert armed.tool("apply_patch", {field: patch}, client).out == ""


@pytest.mark.parametrize("client", CLIENTS)
def test_a_shell_does_not_touch_our_files(armed: Held, client: str) -> None:
    given = {"command": "rm -rf .goalkeeper"}
    assert "[goalkeeper] Denied" in armed.tool(SHELL[client], given, client).denied

    for command in ("cat .goalkeeper/config.toml", "ls", "rm -rf build", "goalkeeper ulw status"):
        assert armed.tool(SHELL[client], {"command": command}, client).denied == ""


@pytest.mark.parametrize(
    "command",
    sampled(
        [
            "echo '{}' > .goalkeeper/hold/claude-s1.json",
            "cat x > .goalkeeper/config.toml",
            "cp x .goalkeeper/",
            "cd .goalkeeper && rm -rf hold",
            "find .goalkeeper -delete",
            "cat .goalkeeper/config.toml | tee .goalkeeper/config.toml",
            "ls .goalkeeper; rm -rf .goalkeeper",
            "cat .goalkeeper/config.toml && rm -rf .goalkeeper",
            "ls .goalkeeper || rm -rf .goalkeeper",
            "ls .goalkeeper\nrm -rf .goalkeeper",
            "ls -d .goalkeeper | xargs rm -rf",
            "rm ~/.local/state/goalkeeper/watch/*",
            "rm -rf ~/.local/state/goalkeeper",
            "rm ~/.local/state/goalkeeper/hold.key",
        ],
        one_in=4,
    ),
)
def test_a_command_that_does_more_than_read_our_files_is_denied(armed: Held, command: str) -> None:
    assert armed.tool("Bash", {"command": command}).denied


@pytest.mark.parametrize(
    ("client", "tool"),
    [
        ("claude", "AskUserQuestion"),
        ("codex", "request_user_input"),
        ("gemini", "ask_user"),
        ("opencode", "question"),
    ],
)
def test_questions_are_closed(armed: Held, client: str, tool: str) -> None:
    reason = armed.tool(tool, {"question": "shall I?"}, client).denied
    assert "questions to the user are closed" in reason
    assert f"--run {armed.hold(client)['run']}" in reason


@pytest.mark.parametrize(
    ("client", "told"),
    [
        ("claude", {"hookSpecificOutput"}),
        ("codex", {"hookSpecificOutput"}),
        ("gemini", {"decision", "reason"}),
        ("copilot", {"permissionDecision", "permissionDecisionReason"}),
        ("cursor", {"permission", "user_message", "agent_message"}),
        ("opencode", {"deny"}),
    ],
)
def test_each_client_is_told_in_its_own_way(armed: Held, client: str, told: set[str]) -> None:
    said = armed.tool(SHELL[client], {"command": "rm -rf .goalkeeper"}, client)

    assert set(said.json) == told
    if told == {"hookSpecificOutput"}:
        specific = said.json["hookSpecificOutput"]
        assert (specific["hookEventName"], specific["permissionDecision"]) == ("PreToolUse", "deny")


@pytest.mark.parametrize("given", [{}, None, [], "x", {"file_path": 7}, {"command": ["rm"]}])
def test_a_tool_with_odd_arguments_is_let_through(armed: Held, given: Any) -> None:  # noqa: ANN401
    for tool in ("Write", "Bash", "NoSuchTool", None):
        told = {"tool_name": tool, "tool_input": given}
        assert armed.hook("claude", "PreToolUse", **told).out == ""


def test_a_session_that_is_not_held_uses_what_it_likes(armed: Held) -> None:
    told: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "rm -rf .goalkeeper"}}
    env = {"CLAUDE_CODE_SESSION_ID": ""}
    assert armed.hook("claude", "PreToolUse", "free", **told).out == ""
    assert armed.hook("claude", "PreToolUse", "free", env=env, **told).out == ""


def test_the_guards_can_be_left_away_but_our_files_stay_ours(tmp_path: Path) -> None:
    held = Held(tmp_path, "cooldown = 0\nprotect = false")
    held.arm()

    assert held.tool("Write", {"file_path": "tests/test_it.py"}).out == ""
    assert held.tool("AskUserQuestion", {"question": "shall I?"}).out == ""
    assert held.tool("Write", {"file_path": ".goalkeeper/x"}).denied
