"""Which clients there are."""

import pytest

from goalkeeper.clients.table import CLIENTS, UnknownAgent, named
from goalkeeper.config import AGENTS


def test_the_settings_know_the_same_clients() -> None:
    assert set(CLIENTS) == set(AGENTS)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_is_found_by_its_name(name: str) -> None:
    assert named(name).name == name


@pytest.mark.parametrize("name", ["", "Claude", "cluade", "../claude"])
def test_an_unknown_name_is_an_error_that_names_the_others(name: str) -> None:
    with pytest.raises(UnknownAgent) as caught:
        named(name)

    assert caught.value.exit_code == 2
    assert "claude, codex, gemini, opencode, command, rehearsal" in caught.value.message
