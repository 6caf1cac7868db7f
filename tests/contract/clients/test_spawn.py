"""An agent's process: its words, its prompt, its streams and its end."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.clients import spawn
from goalkeeper.clients.client import Launch
from goalkeeper.clients.spawn import MARKER, Growing, Traces
from goalkeeper.system.procfs import read_start_time
from goalkeeper.system.safe_open import open_plain_file
from tests.contract.clients.hands import SH, Hand
from tests.contract.system.programs import alive_until_closed, next_from
from tests.tables import for_each


@pytest.fixture
def hand(tmp_path: Path) -> Hand:
    return Hand(tmp_path)


# What it is given


@pytest.mark.parametrize(
    "prompt",
    [b"", b"do it", b"a\0b\0", b"\xff\xfe not text", b"lines\n" * 5, b"0123456789abcdef" * 12_500],
    ids=["nothing", "words", "NUL", "no text", "lines", "200 KB"],
)
def test_the_prompt_comes_on_standard_input_byte_for_byte(hand: Hand, prompt: bytes) -> None:
    assert hand.run("cat", prompt=prompt) == prompt


def test_words_reach_the_program_as_they_are(hand: Hand) -> None:
    words = [
        "a b",
        "$HOME",
        "`id`",
        "$(id)",
        "'\"",
        "\\",
        "",
        "-n",
        "--",
        "*",
        "x\ny",
        "é𝄞",
        ";&|<>",
    ]

    printed = hand.run("printf", "%s\\0", *words)

    assert printed.decode().split("\0")[:-1] == words


def test_it_sees_the_environment_it_was_given_and_its_marker(hand: Hand) -> None:
    given = {"ONLY": "this", "ODD": "a=b\nc"}

    printed = hand.run("/usr/bin/env", "-0", env=given).decode()

    seen = dict(each.split("=", 1) for each in printed.split("\0") if each)
    shells = {"PWD", "SHLVL", "_", "OLDPWD"}
    assert {name: seen[name] for name in seen.keys() - shells} == {**given, MARKER: hand.marker}


def test_it_leads_a_session_of_its_own_in_its_folder(hand: Hand) -> None:
    code = "import os; print(os.getsid(0) == os.getpgid(0) == os.getppid(), os.getcwd())"

    spawned = hand.python(code)
    hand.follow(spawned)
    hand.end(spawned)

    assert hand.heard[0] == f"True {hand.place}".encode()
    assert os.getsid(0) != spawned.pid


# What it leaves


def test_its_streams_are_files(hand: Hand) -> None:
    assert hand.run(*SH, "echo out; echo err >&2") == b"out\n"
    assert hand.traces.read_errors() == b"err\n"


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 0", 0),
        ("exit 3", 3),
        ("kill -KILL $$", 128 + signal.SIGKILL),
        ("kill -SEGV $$", 128 + signal.SIGSEGV),
        ("exec /nowhere/at/all", 127),
    ],
)
def test_its_exit_code_is_a_file(hand: Hand, script: str, code: int) -> None:
    hand.run(*SH, script)

    assert hand.traces.exit_code == code


def test_nobody_waits_for_a_pipe_that_an_agent_puts_in_place_of_its_exit_code(hand: Hand) -> None:
    hand.run(*SH, f"rm {hand.traces.code}; mkfifo {hand.traces.code}")

    assert hand.traces.exit_code is None


def test_an_agent_cannot_write_its_own_exit_code(hand: Hand) -> None:
    hand.run(*SH, f"echo 0 > {hand.traces.code}; exit 3")

    assert hand.traces.exit_code == 3


def test_a_program_that_is_not_there_ends_as_in_a_shell(hand: Hand) -> None:
    hand.run("no-such-program-anywhere")

    assert hand.traces.exit_code == 127


@for_each("left", [b"", b"\n", b"zero", b"\xff", b"1 2"])
def test_half_a_code_is_none(tmp_path: Path, left: bytes) -> None:
    traces = Traces.at(str(tmp_path / "x"))
    assert traces.exit_code is None

    Path(traces.code).write_bytes(left)

    assert traces.exit_code is None


def test_of_many_errors_the_end_is_kept(tmp_path: Path) -> None:
    traces = Traces.at(str(tmp_path / "x"))
    assert traces.read_errors() == b""

    Path(traces.err).write_bytes(b"x" * 100_000 + b"the end")

    assert traces.read_errors(most=10) == b"xxxthe end"
    assert len(traces.read_errors()) == 65536


@pytest.mark.parametrize("missing", ["folder", "prompt"])
def test_what_cannot_be_started_is_an_error(hand: Hand, missing: str) -> None:
    place = hand.place / "nowhere" if missing == "folder" else hand.place
    prompt = hand.place / "prompt.md"
    if missing == "folder":
        prompt.touch()

    with pytest.raises(FileNotFoundError):
        spawn.start(
            Launch(("true",), {}), cwd=str(place), prompt_file=str(prompt),
            traces=hand.traces, marker=hand.marker,
        )  # fmt: skip


# Following it


def test_what_it_prints_is_heard_line_by_line_and_the_rest_at_the_end(hand: Hand) -> None:
    hand.run(*SH, r"printf 'one\n\ntwo\r\nrest'")

    assert hand.heard == [b"one", b"", b"two\r", b"rest"]


def test_it_is_heard_while_it_works(hand: Hand) -> None:
    with alive_until_closed(hand.place / "pipe") as fd:
        spawned = hand.start(*SH, "exec 3> pipe; echo on; sleep 1000")

        assert not hand.follow(spawned, over=lambda size: bool(hand.heard))

        assert hand.heard == [b"on"]
        hand.end(spawned)
        assert next_from(fd) == b""


def test_whoever_follows_is_told_of_the_bytes_of_both_streams(hand: Hand) -> None:
    seen = []

    def over(size: int) -> bool:
        seen.append(size)
        return size >= 10

    spawned = hand.start(*SH, "printf 12345; printf 67890 >&2; sleep 1000")
    assert not hand.follow(spawned, over=over)
    hand.end(spawned)

    assert seen[-1] == 10
    assert seen == sorted(seen)


def test_a_program_that_ended_before_it_was_followed_is_heard_in_full(hand: Hand) -> None:
    with alive_until_closed(hand.place / "pipe") as fd:
        spawned = hand.start(*SH, "exec 3> pipe; echo quick; exit 4")
        assert next_from(fd) == b""  # it is dead

        assert hand.follow(spawned)

    hand.end(spawned)
    assert (hand.heard, hand.traces.exit_code) == ([b"quick", b""], 4)


@given(st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"x", b"\n")), max_size=8))
def test_lines_are_the_same_however_they_come(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("lines") / "out"
    lines, heard = Growing(str(path)), []

    for part in parts:
        with path.open("ab") as file:
            file.write(part)
        heard += list(lines.read())
    heard.append(lines.take_rest())

    whole = b"".join(parts)
    assert heard == whole.split(b"\n")


def test_a_file_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    lines = Growing(str(tmp_path / "gone"))

    assert (list(lines.read()), lines.take_rest()) == ([], b"")


def test_a_file_that_grows_while_it_is_read_is_read_to_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"one\ntwo\n")
    heard = []

    for line in Growing(str(path)).read():
        heard.append(line)
        with path.open("ab") as file:
            file.write(b"more\n")

    assert heard == [b"one", b"two"]


def test_a_file_can_be_read_a_part_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"one\ntwo\nrest")
    lines = Growing(str(path))

    assert [list(lines.read(5)) for _ in range(4)] == [[b"one"], [b"two"], [], []]
    assert lines.take_rest() == b"rest"


def test_a_file_that_its_program_emptied_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"one\ntwo\n")
    lines = Growing(str(path))
    assert list(lines.read()) == [b"one", b"two"]

    path.write_bytes(b"x\n")

    assert list(lines.read()) == []


# Who it is


def test_a_process_is_known_by_the_time_of_its_birth(hand: Hand) -> None:
    spawned = hand.start(*SH, "echo on; sleep 1000")

    assert spawned.born == read_start_time(spawned.pid) != ""
    hand.end(spawned)
    assert read_start_time(spawned.pid) == ""


def test_a_dead_process_that_nobody_buried_has_no_birth() -> None:
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    assert read_start_time(child.pid) == ""
    child.wait()


@for_each("name", ["a) S 1 1", "x y", "\n"])
def test_a_birth_is_read_whatever_the_program_is_called(tmp_path: Path, name: str) -> None:
    program = tmp_path / name
    program.symlink_to("/bin/cat")
    with subprocess.Popen([program], stdin=subprocess.PIPE) as child:
        assert read_start_time(child.pid).isdecimal()


def test_processes_are_found_by_their_whole_marker_only(hand: Hand) -> None:
    spawned = hand.start(*SH, "echo on; sleep 1000")
    hand.follow(spawned, over=lambda size: size > 0)

    assert spawned.pid in spawn.list_marked(hand.marker)
    assert spawn.list_marked(hand.marker[:-1]) == []
    assert spawn.list_marked(hand.marker + "0") == []
    hand.end(spawned)
    assert spawn.list_marked(hand.marker) == []


def test_what_stands_in_the_place_of_a_trace_is_not_read(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("3")
    traces = Traces.at(str(tmp_path / "x"))
    os.mkfifo(traces.out)
    Path(traces.err).symlink_to(victim)
    Path(traces.code).symlink_to(victim)

    assert list(Growing(traces.out).read()) == []
    assert (traces.read_errors(), traces.exit_code) == (b"", None)


@for_each("make", [os.link, os.symlink])
def test_only_a_file_of_its_own_is_opened_for_writing(
    make: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    victim, trace = tmp_path / "victim", tmp_path / "trace"
    victim.write_text("x")
    make(victim, trace)

    with pytest.raises(OSError, match=r"."):
        open_plain_file(str(trace), os.O_RDWR)
