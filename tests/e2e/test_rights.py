"""Who may change a plan: nobody who is driven, and no agent what a human made."""

from __future__ import annotations

import sys

import pytest

from tests.e2e.drives import FIX, Act, Driven

EASIER = "@goal: Easier\nDo nothing.\n"
REPLACE = ("create-goals", "--gate", "standard", "--brief", EASIER, "--archive", "too hard")
CLEAR = ("state", "clear", "--force", "--mode", "ultragoal")


def asks(*words: str) -> Act:
    return {"run": {"argv": [sys.executable, "-m", "goalkeeper", *words]}}


@pytest.mark.parametrize(
    "words",
    [REPLACE, REPLACE[:-2], CLEAR, ("state", "handoff", "--to", "planning"), ("land",)],
    ids=["archive", "create", "clear", "handoff", "land"],
)
def test_whoever_is_driven_changes_no_plan(driven: Driven, words: tuple[str, ...]) -> None:
    end = driven.drive({"G001": [asks(*words), FIX]})

    assert (end.reason, end.code) == ("done", 0)
    assert driven.statuses() == {"G001": "complete"}
    assert not list(driven.state.glob("archive/*"))
    assert driven.mine() == "broken\n"


@pytest.mark.parametrize("words", [REPLACE, CLEAR], ids=["archive", "clear"])
def test_an_agent_does_not_close_what_a_human_made(driven: Driven, words: tuple[str, ...]) -> None:
    driven.ok("create-goals", "--gate", "standard", "--brief-file", "brief.md", env=driven.human())

    refused = driven.run(*words, "--json")

    assert (refused.code, refused.json["error"]["code"]) == (1, "plan-of-a-human")
    assert driven.statuses() == {"G001": "pending"}
    driven.ok(*words, env=driven.human())
    assert list(driven.state.glob("archive/*"))


def test_an_agent_closes_what_it_made_itself(driven: Driven) -> None:
    driven.ok("create-goals", "--gate", "standard", "--brief-file", "brief.md")

    assert driven.ok(*REPLACE)["archived"]
