"""Whatever is broken, missing or somebody else's: the agent is free, and its user is told."""

import json
import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.holds import CLIENTS, STOP, Held, installed


def changed(**fields: object) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        told = json.loads(path.read_bytes())
        path.write_text(json.dumps({**told, **fields}))

    return change


def edited(**fields: object) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        told = json.loads(path.read_bytes())
        path.write_text(json.dumps({**told, "hold": {**told["hold"], **fields}}))

    return edit


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


BROKEN: dict[str, Callable[[Path], None]] = {
    "a list": lambda path: _write(path, b"[1,2]"),
    "half an object": lambda path: _write(path, b"{"),
    "empty": lambda path: _write(path, b""),
    "not text": lambda path: _write(path, b"\xff\x00\xfe"),
    "another object": lambda path: _write(path, b'{"version":1,"code":"","hold":{}}'),
    "a folder": folder,
    "gone": lambda path: path.unlink(),
    "a pipe": pipe,
    "a link": link,
    "of a later version": changed(version=99),
    "with another code": changed(code="0" * 32),
    "without a code": changed(code=None),
    "with fields of the future": edited(colour="green"),
    "with other numbers": edited(blocks=0, max_blocks=10**6),
}


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


@pytest.mark.parametrize("breaks", BROKEN.values(), ids=BROKEN)
def test_a_hold_that_cannot_be_used_lets_go(armed: Held, breaks: Callable[[Path], None]) -> None:
    """Scenario 22; the last of them was changed by somebody who has not the key."""
    breaks(armed.hold_file())

    said = armed.stop()

    assert set(said.json) == {"systemMessage"}
    assert "Let go, NOT proven" in said.notice
    (line,) = armed.log.read_text().splitlines()
    assert "let go claude s1 at stop" in line
    assert armed.stop().out == ""  # told once


@pytest.mark.parametrize("event", ["SessionStart", "PreCompact", "PreToolUse", "StopFailure"])
def test_an_unreadable_hold_is_no_matter_for_other_events(armed: Held, event: str) -> None:
    armed.hold_file().write_bytes(b"[1,2]")

    told = {"source": "compact", "tool_name": "Write", "tool_input": {"file_path": "check.sh"}}
    assert armed.hook("claude", event, **told).out == ""  # type: ignore[arg-type]

    assert "let go claude s1" in armed.log.read_text()
    assert "NOT proven" in armed.stop().notice


def test_a_session_whose_hold_was_unusable_can_be_held_anew(armed: Held) -> None:
    armed.hold_file().write_bytes(b"{")
    armed.stop()

    assert "is on" in armed.prompt("ulw once more").notice

    assert "block 1 of 8" in armed.stop().block


def test_a_watch_that_leads_nowhere_lets_go(armed: Held) -> None:
    watch = armed.watches / "claude-s1"
    for words in (b"", b"/nowhere/at/all.json", b"\xff\n\x00"):
        watch.write_bytes(words)
        assert "NOT proven" in armed.stop().notice
        assert not watch.exists()


def test_a_watch_is_read_as_a_file_or_not_at_all(armed: Held) -> None:
    watch = armed.watches / "claude-s1"
    pipe(watch)
    assert "NOT proven" in armed.stop().notice
    assert armed.stop().out == ""

    watch.mkdir()
    assert armed.stop().block == ""


def test_the_hold_of_another_session_holds_nobody_else(armed: Held) -> None:
    """A watch may be copied; the hold that it names says whose it is."""
    before = armed.hold()
    (armed.watches / "claude-s2").write_bytes((armed.watches / "claude-s1").read_bytes())

    said = armed.stop(session="s2")

    assert set(said.json) == {"systemMessage"}
    assert "it is another session's" in said.notice
    assert not armed.is_watched(session="s2")
    assert armed.hold() == before
    assert armed.stop().block


def test_what_nobody_thought_of_lets_go_for_once_and_leaves_a_trace(armed: Held) -> None:
    """Who is given a place to write cannot read the event from it."""
    line = f"exec 0> /dev/null; {installed()['claude', STOP['claude']]}"

    assert armed.send("claude", STOP["claude"], b"", line=line).out == ""

    (told,) = armed.log.read_text().splitlines()
    assert "let go: OSError(9" in told
    assert armed.stop().block


def test_without_its_key_a_hold_is_nothing(armed: Held) -> None:
    key = armed.watches.parent / "hold.key"
    mode = stat.S_IMODE(key.stat().st_mode)
    assert mode == 0o600
    secret = key.read_bytes()
    try:
        for words in (b"", b"somebody else's", secret[:-1]):
            armed.restore()
            key.write_bytes(words)
            assert "NOT proven" in armed.stop().notice
        armed.restore()
        key.unlink()
        assert "NOT proven" in armed.stop().notice
    finally:
        key.write_bytes(secret)


def test_a_hold_from_the_future_is_held_no_longer_than_others(armed: Held) -> None:
    """A clock that was set back must not make it endless: the other limits hold."""
    armed.rewrite(armed_at=4e9)
    assert armed.stop().block
    assert armed.stop().block
    assert "no_progress" in armed.stop().notice


def test_another_session_in_the_same_repository_is_free(armed: Held) -> None:
    """Scenario 26."""
    before = armed.hold()
    assert armed.stop(session="s2").out == ""
    assert armed.stop(session="s2", env={"CLAUDE_CODE_SESSION_ID": ""}).out == ""
    assert armed.hold() == before


@pytest.mark.parametrize("session", ["", "null", None, 7, ["s1"], " s1", "s1/", "s1\n", "S1"])
def test_a_session_without_a_proper_name_is_nobodys(armed: Held, session: object) -> None:
    """Scenario 26: no other session's hold is taken for its own."""
    before = armed.hold()
    for env in ({}, {"CLAUDE_CODE_SESSION_ID": ""}):
        assert armed.stop(env=env, session_id=session).out == ""
    payload = json.dumps({"hook_event_name": "Stop"}).encode()
    assert armed.send("claude", "Stop", payload).out == ""
    assert armed.hold() == before


@pytest.mark.parametrize(
    "session",
    ["../../etc/x", "..", ".", "/etc/passwd", "a/b", "a\\b", "a\0b", "x" * 129, "-x", ".x", "ü"],
)
def test_a_session_id_is_no_path(armed: Held, session: str) -> None:
    """Scenario 27."""
    before = everything(armed.root.parent)

    env = {"CLAUDE_CODE_SESSION_ID": session.replace("\0", "")}
    said = armed.hook("claude", "UserPromptSubmit", env=env, session_id=session, prompt="ulw go")
    assert said.out == ""
    assert armed.hook("claude", "Stop", env=env, session_id=session).out == ""

    assert everything(armed.root.parent) == before


def everything(place: Path) -> dict[str, str]:
    """Every file and folder below a place, with a digest."""
    return {
        str(path): sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in place.rglob("*")
    }


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"ulw",
        b"not json, ulw",
        b"[]",
        b'["ulw"]',
        b'"ulw"',
        b"null",
        b'{"session_id":"s1","hook_event_name":"Stop"',
        b'{"session_id":"s1","hook_event_name":"Stop"} {}',
        b"\xef\xbb\xbf",
        b"\x00\xff\xfe",
        b"[" * 200_000,
        b'{"hook_event_name":"Stop","session_id":"s1","x":'
        + b"[" * 200_000
        + b"]" * 200_000
        + b"}",
        b'{"hook_event_name":"Stop","session_id":"s1","loop_count":' + b"9" * 5000 + b"}",
    ],
    ids=lambda words: repr(words[:40]),
)
def test_what_is_no_event_is_let_through(armed: Held, words: bytes) -> None:
    """Scenarios 28 and 30: whatever goes wrong inside, the exit code is 0."""
    before = armed.hold()["blocks"]
    for event in ("Stop", "UserPromptSubmit", "PreToolUse", "SessionStart"):
        assert armed.send("claude", event, words).block == ""
    assert armed.hold()["blocks"] == before


def test_a_mark_before_the_payload_is_overlooked(armed: Held) -> None:
    """Scenario 28."""
    payload = json.dumps(armed.payload("claude", "Stop", "s1")).encode()
    assert armed.send("claude", "Stop", b"\xef\xbb\xbf" + payload + b"\r\n").block


@pytest.mark.thorough
def test_a_payload_of_ten_megabytes_is_read(armed: Held) -> None:
    assert armed.stop(last_assistant_message="x" * 10_000_000).block


def test_a_payload_with_broken_letters_is_read(armed: Held) -> None:
    """Half a surrogate pair; bytes that are no UTF-8."""
    assert "claims otherwise" in armed.stop(last_assistant_message="done \ud83d").block
    payload = json.dumps(armed.payload("claude", "Stop", "s1")).encode()
    assert armed.send("claude", "Stop", payload.replace(b'"hm"', b'"\xff\xfe"')).block

    assert "from zero" in armed.prompt("ulw \ud83d").notice
    assert armed.hook("claude", "SessionStart", source="resume").context


@pytest.mark.parametrize("client", CLIENTS)
def test_without_its_interpreter_or_its_files_a_hook_is_silent(armed: Held, client: str) -> None:
    line = installed()[client, STOP[client]]
    (front,) = [word for word in line.replace(";", " ").split() if word.startswith("h=")]
    python = line.split(" && ")[1].split()[-1]
    assert Path(python).exists()
    lone = armed.root.parent / "lone/goalkeeper/hooks/front.sh"
    lone.parent.mkdir(parents=True, exist_ok=True)
    lone.write_bytes(Path(front[2:]).read_bytes())

    replaced = [
        (python, "/nowhere/python"),
        (python, "/usr"),  # a folder
        (python, "/bin/false"),
        (python, "/bin/sh"),
        (front, "h=/nowhere/goalkeeper/hooks/front.sh"),
        (front, f"h={lone}"),  # the rest of the package is gone
    ]
    for old, new in replaced:
        broken = line.replace(old, new)
        assert broken != line
        assert armed.stop(client, line=broken, env={"CLAUDE_CODE_SESSION_ID": "s1"}).out == ""
    assert armed.hold()["blocks"] == 0


def test_without_a_home_a_hook_is_silent(armed: Held) -> None:
    for home in ("", "/nowhere", str(armed.root / "check.sh")):
        assert armed.stop(env={"HOME": home}).out == ""
        assert armed.stop(env={"HOME": home, "CLAUDE_CODE_SESSION_ID": ""}).out == ""


def test_where_there_is_no_repository_the_user_is_told(tmp_path: Path) -> None:
    held = Held(tmp_path)
    line = f"cd {held.home}; {installed()['claude', 'UserPromptSubmit']}"

    said = held.prompt("ulw mend it", line=line, cwd=str(held.home))

    assert "Ultrawork is NOT on" in said.notice
    assert "This session is not held" in said.context
    assert held.stop().out == ""


def test_settings_that_cannot_be_read_hold_nobody_and_say_why(tmp_path: Path) -> None:
    held = Held(tmp_path)
    held.configure("cooldown = many")

    said = held.prompt("ulw mend it")

    assert "Ultrawork is NOT on" in said.notice
    assert "config.toml" in said.notice
    assert held.stop().out == ""


def test_the_state_can_lie_where_the_user_says(tmp_path: Path) -> None:
    held = Held(tmp_path)
    env = {"XDG_STATE_HOME": str(tmp_path / "elsewhere")}

    held.prompt("ulw mend it", env=env)
    held.settle()

    assert (tmp_path / "elsewhere/goalkeeper/watch/claude-s1").exists()
    assert held.stop(env=env).block
    assert held.stop().out == ""
