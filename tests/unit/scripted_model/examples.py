"""Requests and answers to begin with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.scripted_model.answer import Answer, Event
from tests.scripted_model.request import Message, Request
from tests.scripted_model.script import Call

ASKED = Request("chat", "m1", "Be brief.", (Message("user", "hello"),), ("Write",), stream=False)
SILENT = Answer("k", 1_700_000_000, "m1", "", "", (), "", 100, 20, 7)
FULL = SILENT.replace(
    text="Writing.",
    thinking="What if?",
    calls=(Call("Write", {"path": "a", "n": [1, "é"]}), Call("Read", {})),
)


def datas(events: Iterable[Event]) -> list[dict[str, Any]]:
    """What a client decodes from the frames, each of which is one."""
    frames = [event.frame.decode() for event in events]
    assert all(frame.endswith("\n\n") and frame.count("\n\n") == 1 for frame in frames)
    lines = [frame.strip().splitlines()[-1] for frame in frames]
    return [json.loads(line.removeprefix("data: ")) for line in lines if line != "data: [DONE]"]
