"""A hook that is tried: what it answers counts, and it is not waited for without end."""

import json
import os
import shlex
import time
from pathlib import Path

from goalkeeper.clients.codex.install import read_statuses
from goalkeeper.clients.install import trial
from goalkeeper.clients.install.parts import FRONT
from goalkeeper.clients.table import find_install
from goalkeeper.wire.clients import CLIENTS
from tests.fault.rig import wait_until
from tests.tables import for_each

HELD = '[ -e "$XDG_STATE_HOME/hold.json" ]'  # whether it is tried with a session that is held


def tried(line: str, timeout_seconds: float = 30, client: str = "claude") -> str:
    return trial.try_command(find_install(client), line, os.environ, timeout_seconds).problem


@for_each(
    "said",
    [
        "[goalkeeper] Ultrawork holds this session",
        '{"decision": "block", "reason": "[goalkeeper] Let go, NOT proven"}',
        '{"systemMessage": "Ultrawork holds this session"}',
        "[]",
    ],
)
def test_an_answer_that_does_not_hold_is_told(said: str) -> None:
    problem = tried(f"{HELD} && printf %s {shlex.quote(said)}; exit 0")

    assert problem == f"a stop that should be held was answered {said!r}"


def test_no_answer_and_a_failure_are_told() -> None:
    assert tried("exit 0") == "a stop that should be held got no answer"
    assert tried("exit 3") == "a stop that nothing holds got no answer (exit code 3)"


@for_each("client", CLIENTS)
def test_an_answer_that_holds_is_as_it_should_be(client: str) -> None:
    name = find_install(client).block_field
    said = json.dumps({name: "[goalkeeper] Ultrawork holds this session: not proven"})

    assert tried(f"{HELD} && printf %s {shlex.quote(said)}; exit 0", client=client) == ""


def test_a_hook_that_does_not_end_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    problem = tried(f"sleep 600 & echo $! >>{shlex.quote(str(pids))}; wait", timeout_seconds=0.5)

    assert problem.startswith("a stop did not end within")
    (pid,) = pids.read_text().split()  # and is not tried again
    wait_until(lambda: not is_running(int(pid)), "the end of what the hook started")


def test_what_a_hook_leaves_behind_is_not_waited_for() -> None:
    began = time.monotonic()

    tried("sleep 2 & exit 0")

    assert time.monotonic() - began < 2


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@for_each(
    ("result", "statuses"),
    [
        ({"data": [{"hooks": []}]}, []),
        ({"data": []}, []),
        ({"data": [{"hooks": [{"command": "say done", "trustStatus": "trusted"}]}]}, []),
        (
            {"data": [{"hooks": [{"command": f"/x/{FRONT}", "trustStatus": "untrusted"}]}]},
            ["untrusted"],
        ),
        ({}, None),
        (None, None),
        ({"data": [1]}, None),
    ],
)
def test_what_codex_says_is_read_or_unknown(result: object, statuses: list[str] | None) -> None:
    assert read_statuses(result) == statuses
