"""Stories of workers, played by the rehearsal agent or by a real client with a scripted model."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest

from tests.clients import installed
from tests.doubles import MISHAPS
from tests.e2e.campaigns import Campaigned, Session
from tests.e2e.drives import Act, Script, shell
from tests.e2e.real_clients import CLIENTS, surroundings
from tests.e2e.world import Env
from tests.scripted_model.server import Models

DONE = "status: completed. All steps are done, and every check passes."


class Try(NamedTuple):
    """What a worker does when it is asked about a step: a command of the shell, then a word."""

    command: str = ""
    says: str = DONE  # empty: its turn ends after the command, without a word
    is_killed: bool = False  # its process is gone before the command has ended


Story = Mapping[int, Sequence[Try]]  # by the number of a step; the last try repeats


class RehearsedCampaign(Campaigned):
    """The rehearsal agent plays the workers."""

    def plan_stories(self, *sessions: Session, stories: Sequence[Story]) -> None:
        """Freeze a plan with a story for the worker of each session."""
        self.plan_sessions(*sessions, scripts=[_write_script(each) for each in stories])

    def count_asked(self) -> int:
        """How often a model was asked for anything; a rehearsal has none."""
        return 0

    def list_data(self, kind: str) -> list[Any]:
        """What the campaign's ledger says of all events of a kind."""
        return _list_data(self.state.glob("campaigns/*/ledger.jsonl"), kind)

    def list_run_data(self, kind: str) -> list[Any]:
        """What the ledgers of all runs say of the events of a kind."""
        return _list_data(self.state.glob("runs/*/ledger.jsonl"), kind)


def _list_data(ledgers: Iterable[Path], kind: str) -> list[Any]:
    lines = [line for ledger in ledgers for line in ledger.read_text().splitlines()]
    return [event["data"] for event in map(json.loads, lines) if event["kind"] == kind]


def _write_script(story: Story) -> Script:
    steps: dict[str, Any] = {
        f"G{step:03d}": {
            **{str(number): _list_acts(each) for number, each in enumerate(tries, 1)},
            "*": _list_acts(tries[-1]),
        }
        for step, tries in story.items()
    }
    return {"acts": MISHAPS, **steps}


def _list_acts(one: Try) -> list[Act]:
    worked = [shell(one.command)] if one.command else []
    if one.is_killed:
        return [*worked, {"die": "SIGKILL"}]
    return [*worked, {"say": one.says}] if one.says else worked


class ClaudeCampaign(RehearsedCampaign):
    """Claude Code plays the workers, each in a process of its own, with one model for all."""

    def __init__(self, place: Path, models: Models) -> None:
        program = installed("claude")
        if program is None:
            pytest.skip("needs claude")
        super().__init__(place)
        self.lane = models.lane(uuid4().hex)
        self._surroundings = surroundings("claude", self.lane.url, self.home, program)

    def count_asked(self) -> int:
        return len(self.lane.requests)

    def environ(self, more: Env | None = None) -> dict[str, str | bytes]:
        return super().environ({**self._surroundings, **(more or {})})

    def words(self, *more: str, parallel: int = 3) -> list[str]:
        words = super().words(*more, parallel=parallel)
        place = words.index("rehearsal")
        return [*words[:place], "claude", *words[place + 3 :]]  # it has no script

    def plan_stories(self, *sessions: Session, stories: Sequence[Story]) -> None:
        self.plan_sessions(*sessions, scripts=())
        rules = [
            rule
            for number, story in enumerate(stories, 1)
            for step, tries in story.items()
            for rule in _list_rules(f"step {step} of session S{number:02d}", tries)
        ]
        self.lane.script(rules=rules, turns=[{"text": "I do not know."}], side={"text": "A title"})


def _list_rules(asked: str, tries: Sequence[Try]) -> list[dict[str, Any]]:
    """List what the model answers to the prompt, and after the command of each try."""
    marks = [f"try {number} of {asked}" for number in range(1, len(tries) + 1)]
    begins = [_begin_turn(each, mark) for each, mark in zip(tries, marks, strict=True)]
    ends: list[dict[str, Any]] = [
        {"when": {"last": rf"\b{mark}\b"}, "turns": [{"text": each.says}]}
        for each, mark in zip(tries, marks, strict=True)
    ]
    return [*ends, {"when": {"last": rf"This is {asked}\b", "tool": "Bash"}, "turns": begins}]


def _begin_turn(one: Try, mark: str) -> dict[str, object]:
    if not one.command:
        return {"text": one.says}
    end = "kill -9 $PPID" if one.is_killed else f"echo {mark}"
    return CLIENTS["claude"].shell(f"{one.command}; {end}")
