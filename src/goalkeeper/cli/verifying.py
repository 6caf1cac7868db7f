"""What the verifier says of a receipt, as an answer of ours."""

from __future__ import annotations

from typing import Any

from goalkeeper.cli.reply import DONE, NO, Reply


def reply(answer: dict[str, Any]) -> Reply:
    lines = [f"{reason['code']}: {reason['message']}" for reason in answer["reasons"]]
    said = "It holds." if answer["ok"] else "It does not hold."
    return Reply(answer, (*lines, said), DONE if answer["ok"] else NO)
