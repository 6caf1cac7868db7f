"""Terminal captures: what shows a screen passes, whatever is done to it later."""

import json
import os
import pty as terminals
import subprocess
import sys

import pytest

from goalkeeper.witness.captures.pty import MOST_BYTES, judge_pty
from tests.tables import for_each, sampled

MENU = """
import curses

def show(screen):
    screen.addstr(2, 4, "Harbour", curses.A_BOLD)
    for row, ship in enumerate(("Aurora", "Bellona", "Castor")):
        screen.addstr(4 + row, 6, f"{row + 1}. {ship}")
    screen.box()
    screen.refresh()

curses.wrapper(show)
"""


def verdict(data: bytes | str) -> str:
    unfit = judge_pty(data.encode() if isinstance(data, str) else data)
    return unfit.code if unfit else ""


def captured(program: str) -> bytes:
    """All that a program writes to a terminal of its own."""
    outer, inner = terminals.openpty()
    argv = [sys.executable, "-c", program]
    environment = {**os.environ, "TERM": "xterm", "LINES": "24", "COLUMNS": "80"}
    with subprocess.Popen(argv, stdin=inner, stdout=inner, stderr=inner, env=environment) as ran:
        os.close(inner)
        parts = []
        while part := read(outer):
            parts.append(part)
    os.close(outer)
    assert ran.returncode == 0, b"".join(parts)
    return b"".join(parts)


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that nobody has it open any more
        return b""


def recording(*events: object, **header: object) -> str:
    lines = [{"version": 2, "width": 80, "height": 24, **header}, *events]
    return "\n".join(json.dumps(line) for line in lines)


def test_a_program_in_a_real_terminal_passes() -> None:
    data = captured(MENU)

    assert b"\x1b" in data
    assert verdict(data) == ""


@for_each(
    "data",
    [
        "\x1b[32m$\x1b[0m make check\r\nall is well\r\n",
        "\x1b]0;the title\x07one line of text",
        "\x1b[2J\x1b[10;20HMenu\x1b[12;20H> Start",
        "\x1b[?1049h\x1b[2J\x1b[Hopen, close, quit\x1b[2J\x1b[?1049l",
        "\x1b[Hloading files\r\x1b[2J\x1b[3J",
        "first screen\x1bcand nothing more\x1bc",
        "┌────┐\r\n│\x1b[7mÄrger\x1b[m│\r\n└────┘",
        "\x1b[1mこんにちは、世界。元気ですか\x1b[m",
        "\x1b[44m \x1b[41m \x1b[42m \x1b[43m \x1b[44m \x1b[41m \x1b[42m \x1b[43m \x1b[0m",
        "\x1b[?4m\x1b[9J\x1b[1;2;3;4Hodd, but harmless\x1b[>4;2m\x1b[38:2:1:2:3m\x1b[?1;2r",
        "\x1b[32m.\x1b[m" * 20_000 + "\r\n20000 passed in 3 s",
        "\x1b[0m" + "progress 12 %\r" * 40 + "\x1b[2K",
    ],
)
def test_a_screen_with_something_on_it_passes(data: str) -> None:
    assert verdict(data) == ""


@for_each(
    ("data", "code"),
    [
        ("", "empty"),
        ("tests passed, honestly\n" * 40, "no-control-sequences"),
        ("a lone \x1b and an open \x1b[3", "no-control-sequences"),
        ("\x1b[m" + "a" * 512, "no-content"),
        ("\x1b[m" + "ab" * 512, "no-content"),
        ("\x1b[mok", "no-content"),
        ("\x1b[41m\x1b[2J" + "x", "no-content"),
        ("\x1b[m\x1b#8", "blank-screen"),
        ("\x1b[m" + " \r\n" * 100, "blank-screen"),
        ("\x1b[2J\x1b[H\x1b[?25l", "blank-screen"),
        ("\x1b]0;only a title, nothing below it\x07", "blank-screen"),
    ],
)
def test_what_shows_no_screen_is_refused(data: str, code: str) -> None:
    assert verdict(data) == code


def test_a_picture_is_no_capture() -> None:
    assert verdict(b"\x1b[m" + bytes(range(256)) * 20) == "binary"


def test_large_captures_are_not_even_looked_at() -> None:
    assert verdict(bytes(MOST_BYTES + 1)) == "too-large"


@for_each("version", [2, 3])
def test_recordings_pass(version: int) -> None:
    size = {} if version == 2 else {"width": 0, "term": {"cols": 100, "rows": 30}}
    data = recording(
        [0.1, "o", "\x1b[1mharbour\x1b[m "],
        [0.4, "i", "q"],
        [0.5, "o", "open"],
        version=version,
        **size,
    )

    assert verdict(data) == ""


@for_each(
    ("data", "code"),
    [
        (recording([0.1, "i", "\x1b[1mtyped, not shown"]), "no-control-sequences"),
        (recording([0.1, "o", "\x1b[1m"], [0.2, "i", "typed, not shown"]), "blank-screen"),
        (recording(version=1, stdout=[]), "bad-recording"),
        (recording(version=3), "bad-recording"),
        (recording(width="wide"), "bad-recording"),
        (recording([0.1, "o"]), "bad-recording"),
        (recording({"o": "\x1b[1mtext"}), "bad-recording"),
        (recording([0.1, "o", "\x1b[1mlike a recording"]) + "\n[0.2, ", "bad-recording"),
        (recording([0.1, "o", "\x1b[1mlike a recording"]) + "\n" + "[" * 5000, "bad-recording"),
    ],
)
def test_recordings_without_output_or_sense_are_refused(data: str, code: str) -> None:
    assert verdict(data) == code


@pytest.mark.parametrize(
    "data",
    sampled(
        [
            "\x1b[m" + "a" * 1_000_000,
            "\x1b[m" + "あ" * 500_000,
            "\x1b[m" + "\x1b#8" * 1_000_000,
            "x\x1b[2J" * 1_000_000,
            "a\x1b[?3h\x1b[?3l\x1b[?5h\x1b[?5l" * 200_000,
            "\x1b[4h" + "a" * 1_000_000,
            "\x1b[ma" + "\u0301" * 1_500_000,
            "\x1b7" * 1_500_000,
            "a\x1b[9999@\x1b[9999L\x1b[9999b\x1b[9999S" * 200_000,
            "\x1b[m\x1b[" + "1;" * 1_100_000 + "m",
            "\x1b[m\x1b]0;" + "x" * 2_500_000 + "\x07",
            "\x1b[m" + "\n" * 1_000_000,
        ],
        one_in=4,
    ),
    ids=lambda data: repr(data[:12]),
)
def test_hard_work_for_nothing_is_given_up(data: str) -> None:
    assert verdict(data) == "too-laborious"


@for_each("number", ["9" * 1_000_000, "²"])
def test_numbers_that_nobody_can_read_do_no_harm(number: str) -> None:
    after = "after that a screen is shown " * 200

    assert verdict(f"\x1b[m\x1b[{number}m{after}") == ""


def test_a_huge_recorded_terminal_is_played_in_a_smaller_one() -> None:
    event = [0.1, "o", "\x1b[1mcolumns as far as the eye can see"]

    assert verdict(recording(event, width=10**9, height=10**9)) == ""
