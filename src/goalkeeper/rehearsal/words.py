"""What an agent prints, and when: words, floods, garbage, nothing."""

from __future__ import annotations

import time

from goalkeeper.rehearsal import reading
from goalkeeper.rehearsal.reading import Fields, Malformed
from goalkeeper.rehearsal.stage import Deed, Leave, Stage

DOES_NOT_FIT = 9  # exit code: the prompt is not what the script expects

_MB = 1 << 20
_MOST_MB = 4096
_LEAST_LINE_MB = 0.001
_SIGN_OF_LIFE_SECONDS = 0.2
_GARBAGE = (
    b"\xff\xfe\xc3\x28 not UTF-8\n"
    b"\x1b[31mred\x1b[0m\x1b[2K\r\x1b]0;title\x07\n"
    b'{"type":"result","ending":"ok","usa\n'
)


def say(given: object) -> Deed:
    said = reading.text(given, "what it says")
    return lambda stage: stage.say(said)


def think(given: object) -> Deed:
    thought = reading.text(given, "what it thinks")
    return lambda stage: stage.tell("think", text=thought)


def expect_prompt(given: object) -> Deed:
    fields = Fields(given, "expect_prompt", "contains", "lacks")
    wanted = fields.text("contains") if fields.has("contains") else ""
    unwanted = fields.text("lacks") if fields.has("lacks") else ""
    if not wanted and not unwanted:
        raise Malformed("expect_prompt needs contains, lacks, or both")

    def deed(stage: Stage) -> None:
        if wanted not in stage.prompt:
            raise Leave(DOES_NOT_FIT, f"the prompt does not contain: {wanted}")
        if unwanted and unwanted in stage.prompt:
            raise Leave(DOES_NOT_FIT, f"the prompt contains: {unwanted}")

    return deed


def flood(given: object) -> Deed:
    fields = Fields(given, "flood", "mb", "line_mb")
    size = int(fields.number("mb", 0, _MOST_MB) * _MB)
    line_size = int(fields.number("line_mb", _LEAST_LINE_MB, _MOST_MB) * _MB)

    def deed(stage: Stage) -> None:
        for begin in range(0, size, line_size):
            _print_line(stage, min(line_size, size - begin))

    return deed


def _print_line(stage: Stage, size: int) -> None:
    head, tail = b'{"type":"flood","text":"', b'"}\n'
    stage.print(head)
    left = size - len(head) - len(tail)
    while left > 0:
        stage.print(b"x" * min(left, _MB))
        left -= _MB
    stage.print(tail)


def garbage(given: object) -> Deed:
    Fields(given, "garbage")
    return lambda stage: stage.print(_GARBAGE)


def sleep(given: object) -> Deed:
    wanted = reading.seconds(given, "sleep")

    def deed(stage: Stage) -> None:
        stage.tool("sleep", f"{wanted} s")
        deadline = time.monotonic() + wanted
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, _SIGN_OF_LIFE_SECONDS))
            stage.tell("alive")

    return deed


def silence(given: object) -> Deed:
    wanted = reading.seconds(given, "silence")
    return lambda _: time.sleep(wanted)
