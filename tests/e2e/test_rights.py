"""Who may change a plan: nobody who is driven, and no agent what a human made."""

from __future__ import annotations

import json
import sys

import pytest

from tests.e2e.drives import BOTH, FIX, NOTED, Act, Driven
from tests.e2e.project import contract

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
@pytest.mark.thorough
def test_whoever_is_driven_changes_no_plan(driven: Driven, words: tuple[str, ...]) -> None:
    end = driven.drive({"G001": [asks(*words), FIX]})

    assert (end.reason, end.code) == ("done", 0)
    assert driven.statuses() == {"G001": "complete"}
    assert not list(driven.state.glob("archive/*"))
    assert driven.mine() == "broken\n"


def test_whoever_is_driven_writes_no_settings(driven: Driven) -> None:
    driven.ok("init", "--no-try")
    settings = driven.state / "config.toml"
    before = settings.read_bytes()
    driven.write({"Makefile": "test:\n\ttrue\n"})
    driven.commit("a way to verify")

    end = driven.drive({"G001": [asks("init", "--no-try", "--again"), FIX]})

    assert (end.reason, end.code) == ("done", 0)
    assert settings.read_bytes() == before
    driven.ok("init", "--no-try", "--again")
    assert settings.read_bytes() != before


@pytest.mark.parametrize("words", [REPLACE, CLEAR], ids=["archive", "clear"])
def test_an_agent_does_not_close_what_a_human_made(driven: Driven, words: tuple[str, ...]) -> None:
    driven.ok("create-goals", "--gate", "standard", "--brief-file", "brief.md", env=driven.human())

    refused = driven.run(*words, "--json")

    assert (refused.code, refused.json["error"]["code"]) == (1, "plan-of-a-human")
    assert driven.statuses() == {"G001": "pending"}
    driven.ok(*words, env=driven.human())
    assert list(driven.state.glob("archive/*"))


def test_who_wrote_a_contract_is_told_wherever_it_is_named(driven: Driven) -> None:
    person, own = driven.human(), driven.root / "own.json"
    driven.begin(contract(), None, env=person)
    own.write_text(json.dumps(NOTED))
    frozen = ("--goal-id", "G002", "--file", "own.json")
    driven.ok("contract", "freeze", *frozen)

    told = driven.ok("status")
    authors = [told["author"], *(goal["contract_by"] for goal in told["goals"])]
    assert authors == ["human", "human", "self-written"]
    said = driven.run("status").out
    assert "plan by: human; contracts by: human (G001), self-written (G002)" in said
    assert driven.ok("report")["goals"][1]["contract_by"] == "self-written"
    own.write_text(json.dumps(BOTH))
    driven.ok("contract", "amend", *frozen, "--reason", "it is mine now", env=person)
    assert driven.ok("status")["goals"][1]["contract_by"] == "human"


def test_an_agent_closes_what_it_made_itself(driven: Driven) -> None:
    driven.ok("create-goals", "--gate", "standard", "--brief-file", "brief.md")

    assert driven.ok(*REPLACE)["archived"]
