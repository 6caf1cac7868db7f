"""Bad input, and how its answer is checked."""

from typing import NamedTuple

from tests.e2e.world import Env, Word, World

REASONS = ("--evidence", "seen", "--rationale", "so that")
CHECKPOINT = ("checkpoint", "--goal-id", "G001", "--status", "failed")
REORDER = ("steer", "--kind", "reorder_pending", *REASONS, "--order-json")
SPLIT = ("steer", "--kind", "split_subgoal", "--goal-id", "G002", *REASONS, "--replacements-json")
LONGEST = "x" * 131071  # bytes, the most Linux takes in one argument


class Bad(NamedTuple):
    words: tuple[Word, ...]
    reason: str
    code: int = 2
    env: Env | None = None


def refuse(world: World, bad: Bad, *, given: bytes = b"") -> str:
    """Check the answer to bad input; the message."""
    before = world.bytes_of_state()

    answer = world.run(*bad.words, "--json", env=bad.env, input=given)

    assert (answer.code, answer.reason) == (bad.code, bad.reason), answer
    assert answer.hint, f"no next command: {answer.err}"
    message: str = answer.json["error"]["message"]
    line = message.replace("\n", "\n    ")  # whose words they are, they begin no line
    assert visible(answer.err) == visible(f"goalkeeper: {line}\n  next: {answer.hint}\n")
    assert world.bytes_of_state() == before
    return message


def visible(text: str) -> str:
    return "".join(char for char in text if char.isprintable())
