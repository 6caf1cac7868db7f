"""`command` and `shell`: a program ends as the check demands."""

from __future__ import annotations

import re

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.system.run import KEEP_BYTES, Stream
from goalkeeper.witness.check_context import (
    Call,
    Ended,
    Place,
    Seen,
    exited,
    failed,
    passed,
    unknown,
)
from goalkeeper.witness.checks import decoys

_NO_SUCH_COMMAND = 127
_NOT_EXECUTABLE = 126
_SEARCHED_BYTES = 8 << 20


def command(check: Check, place: Place) -> Seen:
    return _judge(check, _run(check, place, check.main))


def shell(check: Check, place: Place) -> Seen:
    """bash runs the text with pipefail, so that a pipe fails if one of its parts fails."""
    return _judge(check, _run(check, place, ("bash", "-o", "pipefail", "-c", check.main)))


def _run(check: Check, place: Place, argv: tuple[str, ...]) -> Ended:
    searched = check.options["stdout"] or check.options["stderr"]
    keep = _SEARCHED_BYTES if searched else KEEP_BYTES
    return place.run(Call(argv, check.options, keep_bytes=keep, decoy=decoys.for_node()))


def _judge(check: Check, ended: Ended) -> Seen:
    ran = exited(ended)
    if isinstance(ran, Seen):
        return ran
    wanted = check.options["exit"]
    if ran.code != wanted:
        if check.kind == "shell" and ran.code in {_NO_SUCH_COMMAND, _NOT_EXECUTABLE}:
            return unknown(f"exit {ran.code}: a program it names cannot be run", ended)
        return failed(f"exit {ran.code}, expected {wanted}{last_line(ran.err, ran.out)}", ended)
    for name, stream in (("stdout", ran.out), ("stderr", ran.err)):
        pattern = check.options[name]
        if pattern and stream.whole is None:
            return unknown(f"{name} is too long to be searched", ended)
        if pattern and not re.search(pattern, stream.text, re.MULTILINE):
            return failed(f"{name} does not match {pattern}", ended)
    return passed(f"exit {ran.code}", ended)


def last_line(*streams: Stream) -> str:
    """Return the last line of the first stream that is not empty."""
    for stream in streams:
        lines = stream.text.strip().splitlines()
        if lines:
            return f": {lines[-1].strip()[:120]}"
    return ""
