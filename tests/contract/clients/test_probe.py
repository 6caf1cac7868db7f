"""What is known of a client's program before it is used."""

from __future__ import annotations

from pathlib import Path

from goalkeeper.clients.claude.run import refuse_root
from goalkeeper.clients.client import AgentProbe
from goalkeeper.clients.command.run import Command
from goalkeeper.clients.table import find_client
from goalkeeper.wire.clients import AGENTS
from tests.tables import for_each

NEW = "echo 99.0.0"


def script(folder: Path, name: str, body: str) -> Path:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return program


def probed(name: str, folder: Path, **variables: str) -> AgentProbe:
    return find_client(name).probe(
        {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "IS_SANDBOX": "1", **variables}
    )


@for_each("name", AGENTS)
def test_a_client_that_is_not_there_says_how_it_gets_there(name: str, tmp_path: Path) -> None:
    probe = find_client(name).probe({"PATH": str(tmp_path)})

    assert (probe.program, probe.problem) == ("", f"there is no {name} on PATH")
    assert probe.hint.startswith("npm install -g ")


@for_each("name", AGENTS)
def test_an_old_version_is_a_problem(name: str, tmp_path: Path) -> None:
    script(tmp_path, name, "echo 'this is 0.1.2 (a client)'")
    probe = probed(name, tmp_path)

    assert probe.version == "0.1.2"
    assert "too old" in probe.problem


@for_each("name", AGENTS)
def test_a_new_version_is_none(name: str, tmp_path: Path) -> None:
    script(tmp_path, name, NEW)
    probe = probed(name, tmp_path)

    assert (probe.version, probe.problem, probe.auth) == ("99.0.0", "", "")


@for_each(
    ("body", "words"),
    [
        ("echo words", "does not say which version"),
        ("echo broken >&2; exit 3", "fails: broken"),
        ("kill -9 $$", "does not come to an end"),
    ],
)
def test_a_program_that_cannot_tell_its_version_is_a_problem(
    body: str, words: str, tmp_path: Path
) -> None:
    script(tmp_path, "codex", body)

    assert words in probed("codex", tmp_path).problem


@for_each(
    ("name", "variable"),
    [
        ("claude", "CLAUDE_CODE_OAUTH_TOKEN"),
        ("codex", "CODEX_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("opencode", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_login_is_known_by_its_variable_and_never_by_its_value(
    name: str, variable: str, tmp_path: Path
) -> None:
    script(tmp_path, name, NEW)
    probe = probed(name, tmp_path, **{variable: "the-secret"})

    assert probe.auth == variable
    assert "the-secret" not in repr(probe)


@for_each(
    ("name", "place", "variable", "moved"),
    [
        ("claude", ".claude/.credentials.json", "CLAUDE_CONFIG_DIR", ".credentials.json"),
        ("codex", ".codex/auth.json", "CODEX_HOME", "auth.json"),
        ("gemini", ".gemini/oauth_creds.json", "GEMINI_CLI_HOME", ".gemini/oauth_creds.json"),
        ("opencode", ".local/share/opencode/auth.json", "XDG_DATA_HOME", "opencode/auth.json"),
    ],
)
def test_a_login_is_known_by_its_file_and_never_by_what_is_in_it(
    name: str, place: str, variable: str, moved: str, tmp_path: Path
) -> None:
    script(tmp_path, name, NEW)
    for path in (tmp_path / place, tmp_path / "elsewhere" / moved):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("the-secret")
        path.chmod(0)  # nobody needs to read it
    usual = probed(name, tmp_path)
    elsewhere = probed(name, tmp_path, **{variable: f"{tmp_path}/elsewhere"})

    assert usual.auth == f"~/{place}"
    assert elsewhere.auth == f"~/elsewhere/{moved}"


def test_the_program_is_asked_without_the_marks_of_another_agent(tmp_path: Path) -> None:
    script(tmp_path, "codex", 'test -z "$CLAUDECODE$GOALKEEPER_APPROVAL" && echo 99.0.0')

    assert probed("codex", tmp_path, CLAUDECODE="1", GOALKEEPER_APPROVAL="k").version == "99.0.0"


def test_as_root_claude_code_works_only_where_its_user_says_so() -> None:
    found = AgentProbe("claude", "/bin/claude", "99.0.0")

    assert "as root" in refuse_root(found, {}, 0).problem
    assert "IS_SANDBOX" in refuse_root(found, {}, 0).hint
    assert refuse_root(found, {"IS_SANDBOX": "1"}, 0) == found
    assert "as root" in refuse_root(found, {"IS_SANDBOX": "yes"}, 0).problem
    assert refuse_root(found, {}, 1000) == found


def test_a_command_that_cannot_be_started_is_a_problem(tmp_path: Path) -> None:
    plain = tmp_path / "not-a-program"
    plain.write_text("")

    assert "not a program" in Command((str(plain),)).probe({"PATH": "/nowhere"}).problem
    assert "not a program" in Command(("no-such-agent",)).probe({"PATH": "/nowhere"}).problem


def test_a_command_is_found_on_the_path(tmp_path: Path) -> None:
    program = script(tmp_path, "my-agent", "exit 1")
    probe = Command(("my-agent", "-x")).probe({"PATH": str(tmp_path)})

    assert (probe.program, probe.problem, probe.cost_known) == (str(program), "", False)
