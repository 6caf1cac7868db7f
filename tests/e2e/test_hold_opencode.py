"""Ultrawork in OpenCode, as far as it goes: no hook of it can keep a turn from ending.

Its shim prompts a session anew that is idle and not proven. That works where OpenCode goes on
running, in its screens and in `opencode serve`; `opencode run` ends before.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Thread
from typing import Any, Self

import pytest

from tests.e2e.hold_desk import (
    BLOCK,
    DEADLINE_SECONDS,
    DENIED,
    OFF,
    ON,
    PROVEN,
    STILL_RUNNING,
    Desk,
    Gate,
    adding,
    until,
)
from tests.patience import patience
from tests.scripted_model.server import Models, serving

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with serving() as models:
        yield models


class Served:
    """`opencode serve` in a desk's repository."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._process = subprocess.Popen(
            [str(desk.program), "serve", "--port", "0", "--hostname", "127.0.0.1"],
            cwd=desk.root, env=desk.environ, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self._process.stdout
        lines = map(bytes.decode, self._process.stdout)
        self._host = next(line.split("//")[1].strip() for line in lines if "listening on" in line)
        self._events: list[dict[str, Any]] = []
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.until(lambda: bool(self._events))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=patience(DEADLINE_SECONDS))
        self._listener.join(patience(DEADLINE_SECONDS))

    def _listen(self) -> None:
        # Until the server is gone.
        with closing(HTTPConnection(self._host)) as connection, suppress(OSError, HTTPException):
            connection.request("GET", "/event")
            for line in connection.getresponse():
                if line.startswith(b"data: "):
                    self._events.append(json.loads(line[6:]))

    def until(self, holds: Callable[[], bool]) -> None:
        until(holds, self._process)

    def call(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401  JSON
        given = json.dumps(body) if body is not None else None
        with closing(HTTPConnection(self._host, timeout=patience(DEADLINE_SECONDS))) as connection:
            connection.request(method, path, given, {"content-type": "application/json"})
            answer = connection.getresponse()
            told = answer.read()
        assert answer.status == 200, told
        return json.loads(told)

    def session(self) -> str:
        return str(self.call("POST", "/session", {})["id"])

    def prompt(self, session: str, text: str) -> None:
        body = {"parts": [{"type": "text", "text": text}]}
        self.call("POST", f"/session/{session}/message", body)

    def said_by_users(self, session: str) -> list[str]:
        """What stands in the session as its user's words."""
        messages = self.call("GET", f"/session/{session}/message")
        of_users = [told for told in messages if told["info"]["role"] == "user"]
        return [told["parts"][0]["text"] for told in of_users]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event["properties"] for event in self._events if event["type"] == kind]

    def shown(self, text: str) -> bool:
        """Whether a screen would show a notice with this text."""
        return any(text in toast["message"] for toast in self.of("tui.toast.show"))


def test_a_served_session_is_prompted_anew_twice_and_then_proven(
    models: Models, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, "opencode", models)
    desk.says(
        desk.write(".goalkeeper/x", "x"),
        "All done.",
        desk.shell(adding("a * b")),
        "It is done now.",
        desk.shell(adding("a + b")),
        "Done at last.",
    )

    with Served(desk) as served:
        session = served.session()
        served.prompt(session, "ulw fix add")
        served.until(lambda: served.shown(PROVEN))
        said = served.said_by_users(session)

    assert desk.heard(ON) == [1] * 6
    first, second = desk.blocks
    assert "(block 1 of 8)" in first
    assert "AssertionError: -1 != 3" in first
    assert "(block 2 of 8)" in second
    assert "AssertionError: 2 != 3" in second
    assert [text.startswith(BLOCK) for text in said] == [False, True, True]
    assert DENIED in desk.asked[1].last
    assert not (desk.root / ".goalkeeper/x").exists()
    hold = desk.hold(session)
    assert (hold["state"], hold["blocks"]) == ("proven", 2)
    assert desk.recorded(session)[-3:] == ["goal_completed", "receipt_issued", "receipt_issued"]
    assert desk.watched == []


def test_a_served_session_is_held_by_a_command_and_freed_by_a_word_beside_one_that_is_free(
    models: Models, tmp_path: Path
) -> None:
    gate = Gate(tmp_path / "gate")
    config = '[hold]\nwait = 1\n[witness]\nisolation = "checkout"\n'
    desk = Desk(tmp_path, "opencode", models, config=config, before=gate.waiting)
    desk.says("Done, I think.")

    with Served(desk) as served:
        held, free = served.session(), served.session()
        asked = {"command": "goalkeeper-ulw", "arguments": "fix add"}
        served.call("POST", f"/session/{held}/command", asked)
        served.until(lambda: served.shown(STILL_RUNNING))
        gate.open()
        assert desk.prove(held)["verdict"] == "failed"
        served.prompt(free, "stop ultrawork, just look around")
        assert desk.hold(held)["state"] == "paused"
        served.prompt(held, "stop ultrawork")
        idle = {"sessionID": held}
        served.until(lambda: served.of("session.idle").count(idle) == 2)
        said = served.said_by_users(held)

    assert desk.heard(ON) == [1, 0, 1]
    assert desk.blocks == []
    assert said == ["ulw.\nfix add", "stop ultrawork"]
    assert served.shown(OFF)
    assert desk.hold(held)["state"] == "off"
    assert len(desk.call("ulw", "status")["holds"]) == 1


def test_a_run_ends_before_it_can_be_held_and_goes_on_as_ever_when_goalkeeper_is_gone(
    models: Models, tmp_path: Path
) -> None:
    """That its interpreter is gone is noticed before the client's own part: others show it."""
    desk = Desk(tmp_path, "opencode", models)
    desk.says("All done.", "I did what I could.", "Never said.")

    ran = desk.prompt("ulw fix add")

    assert ran.code == 0
    assert desk.heard(ON) == [1]
    assert desk.blocks == []
    assert desk.hold(ran.session)["state"] == "held"

    desk.lose("package")
    alone = desk.prompt("ulw go on", resume=ran.session)

    assert alone.code == 0, alone.shown
    assert "I did what I could." in alone.shown
    assert desk.heard(ON) == [1, 1]  # what it heard before, and no more
    assert desk.blocks == []
    assert desk.hold(ran.session)["state"] == "not held (hooks are off)"
