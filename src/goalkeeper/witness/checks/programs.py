"""`command` and `shell`: a program ends as the check demands."""

from __future__ import annotations

import re

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.system.run import KEEP_BYTES, Stream
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    ProgramCall,
    ProgramRun,
    make_failed,
    make_passed,
    make_unknown,
    require_exit,
)
from goalkeeper.witness.checks import decoys

_NO_SUCH_COMMAND = 127
_NOT_EXECUTABLE = 126
_SEARCHED_BYTES = 8 << 20


def check_command(check: Check, place: CheckContext) -> CheckResult:
    return _judge_exit(check, _run_program(check, place, check.main_option))


def check_shell(check: Check, place: CheckContext) -> CheckResult:
    """bash runs the text with pipefail, so that a pipe fails if one of its parts fails."""
    return _judge_exit(
        check, _run_program(check, place, ("bash", "-o", "pipefail", "-c", check.main_option))
    )


def _run_program(check: Check, place: CheckContext, argv: tuple[str, ...]) -> ProgramRun:
    searched = check.options["stdout"] or check.options["stderr"]
    keep = _SEARCHED_BYTES if searched else KEEP_BYTES
    return place.run_program(
        ProgramCall(argv, check.options, keep_bytes=keep, decoy=decoys.for_node())
    )


def _judge_exit(check: Check, ended: ProgramRun) -> CheckResult:
    ran = require_exit(ended)
    if isinstance(ran, CheckResult):
        return ran
    wanted = check.options["exit"]
    if ran.code != wanted:
        if check.kind == "shell" and ran.code in {_NO_SUCH_COMMAND, _NOT_EXECUTABLE}:
            return make_unknown(f"exit {ran.code}: a program it names cannot be run", ended)
        return make_failed(
            f"exit {ran.code}, expected {wanted}{last_line(ran.err, ran.out)}", ended
        )
    for name, stream in (("stdout", ran.out), ("stderr", ran.err)):
        pattern = check.options[name]
        if pattern and stream.whole is None:
            return make_unknown(f"{name} is too long to be searched", ended)
        if pattern and not re.search(pattern, stream.text, re.MULTILINE):
            return make_failed(f"{name} does not match {pattern}", ended)
    return make_passed(f"exit {ran.code}", ended)


def last_line(*streams: Stream) -> str:
    """Return the last line of the first stream that is not empty."""
    for stream in streams:
        lines = stream.text.strip().splitlines()
        if lines:
            return f": {lines[-1].strip()[:120]}"
    return ""
