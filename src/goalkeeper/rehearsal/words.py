"""What an agent prints, and when: words, floods, garbage, nothing."""

from __future__ import annotations

import time

from goalkeeper.rehearsal import reading
from goalkeeper.rehearsal.reading import ScriptFields, ScriptMalformed
from goalkeeper.rehearsal.stage import Deed, Leave, RehearsalStage

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


def deed_say(given: object) -> Deed:
    said = reading.read_text(given, "what it says")
    return lambda stage: stage.say_text(said)


def deed_think(given: object) -> Deed:
    thought = reading.read_text(given, "what it thinks")
    return lambda stage: stage.tell_event("think", text=thought)


def expect_prompt(given: object) -> Deed:
    fields = ScriptFields(given, "expect_prompt", "contains", "lacks")
    wanted = fields.read_text("contains") if fields.has_field("contains") else ""
    unwanted = fields.read_text("lacks") if fields.has_field("lacks") else ""
    if not wanted and not unwanted:
        raise ScriptMalformed("expect_prompt needs contains, lacks, or both")

    def deed(stage: RehearsalStage) -> None:
        if wanted not in stage.prompt:
            raise Leave(DOES_NOT_FIT, f"the prompt does not contain: {wanted}")
        if unwanted and unwanted in stage.prompt:
            raise Leave(DOES_NOT_FIT, f"the prompt contains: {unwanted}")

    return deed


def deed_flood(given: object) -> Deed:
    fields = ScriptFields(given, "flood", "mb", "line_mb")
    size = int(fields.read_number("mb", 0, _MOST_MB) * _MB)
    line_size = int(fields.read_number("line_mb", _LEAST_LINE_MB, _MOST_MB) * _MB)

    def deed(stage: RehearsalStage) -> None:
        for begin in range(0, size, line_size):
            _print_line(stage, min(line_size, size - begin))

    return deed


def _print_line(stage: RehearsalStage, size: int) -> None:
    head, tail = b'{"type":"flood","text":"', b'"}\n'
    stage.print_bytes(head)
    left = size - len(head) - len(tail)
    while left > 0:
        stage.print_bytes(b"x" * min(left, _MB))
        left -= _MB
    stage.print_bytes(tail)


def deed_garbage(given: object) -> Deed:
    ScriptFields(given, "garbage")
    return lambda stage: stage.print_bytes(_GARBAGE)


def deed_sleep(given: object) -> Deed:
    wanted = reading.read_seconds(given, "sleep")

    def deed(stage: RehearsalStage) -> None:
        stage.use_tool("sleep", f"{wanted} s")
        deadline = time.monotonic() + wanted
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, _SIGN_OF_LIFE_SECONDS))
            stage.tell_event("alive")

    return deed


def deed_silence(given: object) -> Deed:
    wanted = reading.read_seconds(given, "silence")
    return lambda _: time.sleep(wanted)
