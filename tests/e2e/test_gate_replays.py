"""Replays of a quality gate: run by the witness, shut in, and only what may be run."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.e2e.gates import RECORD, Strict, artifact, clean, replayed, with_artifacts
from tests.e2e.project import contract, criterion, verdicts

AGAIN = "executorQa.artifactRefs[0]"
PROBE = """\
import socket, sys

def tried(what, *given):
    try:
        what(*given)
        return "yes"
    except OSError:
        return "no"

place, port = sys.argv[1:]
print("wrote", tried(open, place, "w"))
print("reached", tried(socket.create_connection, ("127.0.0.1", int(port)), 2))
"""
STUBBORN = """\
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork()
while True:
    time.sleep(60)
"""
CONFIG = """\
version = 1
[witness]
isolation = "checkout"
[replay]
allow = [["tee", "**"], ["printf", "%s", "*"]]
"""


@pytest.fixture(scope="module")
def shut_in(tmp_path_factory: pytest.TempPathFactory) -> Strict:
    """In the sandbox, with programs of the project that try to get out."""
    files = {"probe.py": PROBE, "stubborn.py": STUBBORN}
    return Strict(tmp_path_factory.mktemp("shut-in"), files=files)


@pytest.fixture(scope="module")
def open_air(tmp_path_factory: pytest.TempPathFactory) -> Strict:
    """Without a sandbox, so that whatever is run leaves its marks; with an allow-list."""
    files = {".goalkeeper/config.toml": CONFIG, "marks.py": "open('{}', 'w')\n"}
    return Strict(tmp_path_factory.mktemp("open-air"), files=files)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def replay_found(project: Strict, **changes: object) -> list[tuple[str, str]]:
    found = project.found(replayed(**changes))
    assert {each["path"].partition(".replay")[0] for each in found} <= {AGAIN}
    return [(each["code"], each["message"]) for each in found]


@pytest.mark.needs("bwrap")
def test_a_replay_is_shut_in(shut_in: Strict, listener: socket.socket) -> None:
    made = shut_in.root / "made"
    port = str(listener.getsockname()[1])

    found = replay_found(
        shut_in,
        command=["python3", "probe.py", str(made), port],
        recordedStdout="wrote no\nreached no\n",
    )

    assert found == []
    assert not made.exists()
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_what_a_replay_writes_in_its_checkout_stays_there(shut_in: Strict) -> None:
    command = ["python3", "probe.py", "product.txt", "1"]

    found = replay_found(shut_in, command=command, recordedStdout="wrote yes\nreached no\n")

    assert found == []
    assert (shut_in.root / "product.txt").read_text() == "fixed\n"


def test_scenario_60_a_replay_that_does_not_end_is_ended_with_all_it_started(
    shut_in: Strict,
) -> None:
    mark = uuid4().hex

    found = replay_found(shut_in, command=["python3", "stubborn.py", mark], timeoutSeconds=1)

    assert [(rule, said.partition(" (")[0]) for rule, said in found] == [
        ("replay-unknown", "it hit the limit on time")
    ]
    assert [pid for pid, words in running() if mark in words] == []


def running() -> Iterator[tuple[str, str]]:
    for place in Path("/proc").glob("[0-9]*"):
        try:
            yield place.name, (place / "cmdline").read_text(errors="replace")
        except OSError:
            continue


def test_scenario_59_a_replay_that_differs_is_refused(shut_in: Strict) -> None:
    assert replay_found(shut_in, recordedStdout="fixed2\n") == [
        ("replay-differs", "output differs: line 1 was 'fixed2', is 'fixed'")
    ]


def test_scenario_59_every_replay_is_looked_at(shut_in: Strict) -> None:
    """One that is wrong in form is not run, and keeps no other from being run."""
    bad = {
        "text": {**RECORD, "command": "python3 tool.py"},
        "preload": {**RECORD, "env": {"NODE_OPTIONS": "--require ./x.js"}},
        "shell": {**RECORD, "command": ["sh", "-c", "cat product.txt"]},
        "weak": {**RECORD, "invariants": [{"kind": "regex", "value": "[\\s\\S]*"}]},
        "exit": {**RECORD, "expectedExitCode": 7},
        "again2": RECORD,
    }
    shut_in.write({"out/file.json": json.dumps(bad["exit"]), "out/cut.json": "{"})
    rows = [
        {"id": name, "kind": "command-replay", "description": name, "replay": record}
        for name, record in bad.items()
    ]
    rows += [
        artifact("file", "command-replay", "out/file.json"),
        artifact("cut", "command-replay", "out/cut.json"),
        {**artifact("both", "command-replay", "out/file.json"), "replay": RECORD},
    ]

    found = shut_in.codes(with_artifacts(*rows))

    assert sorted(found) == sorted(
        (f"executorQa.artifactRefs[{number}]{where}", code)
        for number, where, code in [
            (2, ".replay.command", "wrong-value"),
            (3, ".replay.env.NODE_OPTIONS", "replay-environment"),
            (4, "", "replay-not-allowed"),
            (5, "", "weak-invariant"),
            (6, "", "replay-differs"),
            (8, "", "replay-differs"),
            (9, "", "wrong-value"),
            (10, "", "artifact-ways"),
        ]
    )


def test_what_is_not_allowed_is_refused_and_not_run(open_air: Strict) -> None:
    mark = open_air.home / "mark"
    commands = [
        ["touch", str(mark)],
        ["sh", "-c", f"touch {mark}"],
        ["python3", "-c", f"open('{mark}', 'w')"],
        ["git", "push"],
        ["curl", "https://example.org"],
        ["env", "tee", str(mark)],
    ]
    rows = [
        {"id": f"r{n}", "kind": "command-replay", "description": "x",
         "replay": {**RECORD, "command": command}}
        for n, command in enumerate(commands)
    ]  # fmt: skip

    found = open_air.found(with_artifacts(*rows))

    assert [each["code"] for each in found] == ["replay-not-allowed"] * len(commands)
    assert [each["message"].partition("'")[2].partition("'")[0] for each in found[:4]] == [
        " ".join(command)[:80].partition("'")[0] for command in commands[:4]
    ]
    assert not mark.exists()


def test_what_the_base_allows_is_run(open_air: Strict) -> None:
    mark = open_air.home / "allowed"

    assert replay_found(open_air, command=["tee", str(mark)], recordedStdout="") == []
    assert mark.exists()


def test_a_later_edit_of_the_list_allows_nothing(open_air: Strict) -> None:
    mark = open_air.home / "later"
    more = CONFIG.replace("allow = [", 'allow = [["touch", "**"], ')
    config = open_air.root / ".goalkeeper/config.toml"
    config.write_text(more)
    try:
        found = replay_found(open_air, command=["touch", str(mark)], recordedStdout="")
        open_air.commit("allow more")
        assert replay_found(open_air, command=["touch", str(mark)], recordedStdout="") == found
    finally:
        config.write_text(CONFIG)
    assert [code for code, _ in found] == ["replay-not-allowed"]
    assert not mark.exists()


def test_a_program_that_only_bears_a_systems_name_is_not_run(open_air: Strict) -> None:
    mark = open_air.home / "named"
    try:
        open_air.write({"touch": "#!/bin/sh\n", "-c": "", "pyproject.toml":
                        "[project]\nname = 'x'\n[project.scripts]\ntouch = 'x:y'\n"})  # fmt: skip
        for command in (["touch", str(mark)], ["sh", "-c", f"touch {mark}"]):
            (found,) = replay_found(open_air, command=command, recordedStdout="")
            assert found[0] == "replay-not-allowed"
    finally:
        open_air.write({"touch": None, "-c": None, "pyproject.toml": None})
    assert not mark.exists()


def test_a_replay_sees_the_work_and_not_the_working_tree(shut_in: Strict) -> None:
    """What git ignores is not part of the work."""
    shut_in.write({"out/tool.py": "print('fixed')\n"})

    (found,) = replay_found(shut_in, command=["python3", "out/tool.py"])

    assert found[0] == "replay-not-allowed"


def test_scenario_62_an_exemption_is_read_to_its_end(shut_in: Strict) -> None:
    gate = clean()
    replay: dict[str, Any] = gate["executorQa"]["artifactRefs"][0]
    del replay["replay"]
    replay["replayExempt"] = {
        "reasonCode": "flaky",
        "reason": "it is flaky",
        "approvedBy": "",
        "fallbackArtifactRefs": ["again", "tries", "nowhere"],
    }

    assert shut_in.codes(gate) == [
        (f"{AGAIN}.replayExempt.reasonCode", "wrong-value"),
        (f"{AGAIN}.replayExempt.approvedBy", "wrong-value"),
        (f"{AGAIN}.replayExempt.reason", "exempt-unreasoned"),
        (f"{AGAIN}.replayExempt.fallbackArtifactRefs[0]", "exempt-fallback"),
        (f"{AGAIN}.replayExempt.fallbackArtifactRefs[1]", "exempt-fallback"),
        (f"{AGAIN}.replayExempt.fallbackArtifactRefs[2]", "exempt-fallback"),
    ]


def test_a_contract_can_ask_for_a_replay(tmp_path: Path) -> None:
    asked = contract(criterion("C1", {"replay": "record.json"}))
    strict = Strict(tmp_path, asked, files={"record.json": json.dumps(RECORD)})

    judged = strict.judge()

    assert verdicts(judged) == {"C1": "passed"}
    strict.write({"product.txt": "broken again\n"})
    judged = strict.judge()
    assert (verdicts(judged), judged["criteria"][0]["reason"]) == (
        {"C1": "failed"},
        "output differs: line 1 was 'fixed', is 'broken again'",
    )
    strict.write({"record.json": json.dumps({**RECORD, "recordedStdout": "broken again\n"})})
    assert verdicts(strict.judge()) == {"C1": "failed"}  # the record of the base counts
