"""Whom a drive asks about criteria that were blocked before."""

import argparse
import io

from goalkeeper.bootstrap import App, World
from goalkeeper.cli.drive_options import choose_left
from goalkeeper.core.plan.model import Actor, ActorKind
from goalkeeper.loop.history import History
from goalkeeper.storage.places import State
from goalkeeper.storage.runs import Runs
from tests.tables import for_each

BLOCKED = {"G001/C1": "exit 1", "G002/C1": "exit 2"}


class Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def choose(
    wanted: str, typed: bytes, *, on_terminal: bool = True, who: ActorKind = ActorKind.HUMAN
) -> tuple[tuple[str, ...], str]:
    stdin, stderr = (
        (Terminal(typed), Terminal()) if on_terminal else (io.BytesIO(typed), io.BytesIO())
    )
    stream = io.TextIOWrapper(stderr)
    world = World({}, "/", stdin, io.StringIO(), stream)
    app = App(world, Runs(State("/", "/"), world.disk, timeout_seconds=0), Actor(who, "told"), [])
    args = argparse.Namespace(blocked_before=wanted, json=False)
    left = choose_left(app, args, History(("told",), BLOCKED))
    stream.flush()
    return left, stderr.getvalue().decode()


@for_each(
    "typed, left",
    [
        (b"\n\n", ()),
        (b"n\ny\n", ("G001/C1",)),
        (b"No\nNO\n", ("G001/C1", "G002/C1")),
        (b"y\n", ("G002/C1",)),  # the end of input is no answer
    ],
)
def test_a_user_at_a_terminal_is_asked_for_each(typed: bytes, left: tuple[str, ...]) -> None:
    chosen, asked = choose("ask", typed)

    assert chosen == left
    assert (asked.count("Try it again?"), "G002/C1 in an earlier run: exit 2" in asked) == (2, True)


def test_nobody_else_is_asked() -> None:
    assert choose("ask", b"n\nn\n", on_terminal=False) == ((), "")
    assert choose("ask", b"n\nn\n", who=ActorKind.AGENT) == ((), "")
    assert choose("retry", b"n\nn\n") == ((), "")
    assert choose("leave", b"") == (("G001/C1", "G002/C1"), "")
