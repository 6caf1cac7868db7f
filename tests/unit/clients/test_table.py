"""Which clients there are, and that the folder of each has what the table promises."""

from importlib import import_module
from pathlib import Path

import pytest

import goalkeeper
from goalkeeper.clients.table import UnknownAgent, find_client, find_install
from goalkeeper.errors import UsageError
from goalkeeper.wire.clients import AGENTS, CLIENTS
from goalkeeper.wire.hook import HookDialect
from tests.tables import for_each

ROOMS = Path(goalkeeper.__file__).parent / "clients"


def test_every_client_is_found_by_its_name() -> None:
    assert [find_client(name).name for name in AGENTS] == list(AGENTS)
    assert [find_install(name).client for name in CLIENTS] == list(CLIENTS)


def test_every_client_has_a_dialect_for_its_hooks() -> None:
    dialects = [import_module(f"goalkeeper.clients.{name}.hook").DIALECT for name in CLIENTS]

    assert all(isinstance(dialect, HookDialect) for dialect in dialects)


def test_the_shell_looks_at_the_variables_that_the_table_and_the_dialect_name() -> None:
    """front.sh reads these files."""
    lines = {path.parent.name: path.read_text() for path in ROOMS.glob("*/session.sh")}

    for name, line in lines.items():
        project = import_module(f"goalkeeper.clients.{name}.hook").DIALECT.project_variable
        assert line == f"s=${{{CLIENTS[name].sessions[0]}-}} d=${{{project}-}}\n"
    assert lines


@for_each("name", ["", "Claude", "cluade", "../claude", "cursor"])
def test_an_unknown_name_is_an_error_that_names_the_others(name: str) -> None:
    with pytest.raises(UnknownAgent) as caught:
        find_client(name)

    assert caught.value.exit_code == 2
    assert "claude, codex, gemini, opencode, command, rehearsal" in caught.value.message


@for_each("name", ["command", "rehearsal"])
def test_an_agent_that_is_told_what_to_run_is_not_found_by_its_name_alone(name: str) -> None:
    with pytest.raises(UsageError, match="runs what it is told to run"):
        find_client(name)
