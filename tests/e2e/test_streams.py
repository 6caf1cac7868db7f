"""Streams that close, fill up or speak another encoding, and Ctrl-C."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.e2e.world import COMMAND, World
from tests.tables import for_each

# Readers that go away, and places that cannot take it


@contextmanager
def broken_pipe() -> Iterator[BinaryIO]:
    """Something to write to that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as file:
        yield file


def written_to(
    world: World, stdout: BinaryIO | int, *words: str
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [COMMAND, *words],
        cwd=world.root,
        env=world.environ(),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


@for_each(
    "words",
    [
        ("status",),
        ("status", "--json"),
        ("ledger", "show"),
        ("ledger", "export"),
        ("completion", "bash"),
        pytest.param(("--help",)),
        pytest.param(("status", "--help")),
        pytest.param(("--version",)),
    ],
    ids=" ".join,
)
def test_a_reader_that_has_gone_is_no_error(steady: World, words: tuple[str, ...]) -> None:
    with broken_pipe() as pipe:
        done = written_to(steady, pipe, *words)

    assert (done.returncode, done.stderr) == (0, b"")


def test_the_first_line_is_enough_for_head(steady: World) -> None:
    script = f"set -o pipefail; '{COMMAND}' ledger export | head -1"

    done = subprocess.run(
        ["bash", "-c", script],
        cwd=steady.root,
        env=steady.environ(),
        capture_output=True,
        check=True,
    )

    assert json.loads(done.stdout)["kind"] == "plan_created"
    assert done.stderr == b""


def test_what_was_done_stays_done_when_the_reader_has_gone(planned: World) -> None:
    with broken_pipe() as pipe:
        done = written_to(planned, pipe, "complete-goals")

    assert done.returncode == 0
    assert planned.statuses()["G001"] == "active"


@for_each("words", [("status",), ("status", "--json")], ids=" ".join)
def test_an_output_that_cannot_be_written_is_an_error_of_the_outside(
    steady: World, words: tuple[str, ...]
) -> None:
    with open("/dev/full", "wb") as full:
        done = written_to(steady, full, *words)

    assert done.returncode == 5
    assert b"Traceback" not in done.stderr
    assert b"bug" not in done.stderr


@for_each(
    ("closing", "words"),
    [
        pytest.param("<&-", "status"),
        pytest.param(">&-", "status"),
        ("2>&-", "status"),
    ],
)
def test_a_closed_stream_is_no_reason_to_crash(steady: World, closing: str, words: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"'{COMMAND}' {words} {closing}"],
        cwd=steady.root,
        env=steady.environ(),
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


@for_each("words", ["--help", "status --json"])
def test_a_working_directory_that_is_gone_is_no_reason_to_crash(tmp_path: Path, words: str) -> None:
    world = World(tmp_path)
    gone = world.root / "gone"
    gone.mkdir()

    done = subprocess.run(
        ["bash", "-c", f"rmdir '{gone}' && '{COMMAND}' {words}"],
        cwd=gone,
        env=world.environ(),
        capture_output=True,
        check=False,
    )

    assert done.returncode in {0, 5}
    assert b"Traceback" not in done.stderr


# Locales

WIDE = "@goal: Ünïcode ☃ 日本語\nGrößer → besser …"


@for_each("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_locale_gets_some_text(tmp_path: Path, encoding: str) -> None:
    world = World(tmp_path)
    world.plan(WIDE)

    done = written_to_encoding(world, encoding, "status")

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert done.stdout.decode(encoding).count("\n") == 5


def test_json_is_json_in_every_locale(world: World) -> None:
    world.plan(WIDE)

    done = written_to_encoding(world, "ascii", "status", "--json")

    (goal,) = json.loads(done.stdout)["goals"]
    assert goal["title"] == "Ünïcode ☃ 日本語"


def written_to_encoding(
    world: World, encoding: str, *words: str
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [COMMAND, *words],
        cwd=world.root,
        env=world.environ({"PYTHONIOENCODING": encoding}),
        capture_output=True,
        check=False,
    )


def test_the_c_locale_takes_and_gives_any_letter(world: World) -> None:
    plain = {"LC_ALL": "C", "LANG": "C"}

    world.ok("create-goals", "--brief", WIDE, env=plain)

    (goal,) = world.ok("status", env=plain)["goals"]
    assert (goal["title"], goal["objective"]) == ("Ünïcode ☃ 日本語", "Größer → besser …")


# Interruptions


@for_each("flags", [(), ("--json",)], ids=["words", "json"])
def test_an_interruption_is_exit_130(tmp_path: Path, flags: tuple[str, ...]) -> None:
    world = World(tmp_path)
    process = subprocess.Popen(
        [COMMAND, "create-goals", "--from-stdin", *flags],
        cwd=world.root,
        env=world.environ(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    # A pipe holds 64 kB; once more than that is gone, the command is reading it.
    process.stdin.write(b"x" * 500_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()

    assert process.returncode == 130
    assert b"Interrupted" in err
    assert b"Traceback" not in err
    assert not flags or json.loads(out)["error"]["code"] == "interrupted"
    assert not list(world.root.glob(".goalkeeper/runs/2*"))
