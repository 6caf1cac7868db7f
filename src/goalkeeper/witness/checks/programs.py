"""`command`, `shell` and `metric`: a program ends, or a number in its output is, as demanded."""

from __future__ import annotations

import json
import re

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.problems import cut_text
from goalkeeper.system.output import Stream
from goalkeeper.system.run import KEEP_BYTES, Exited
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    ProgramCall,
    ProgramRun,
    make_failed,
    make_passed,
    make_result,
    make_unknown,
)
from goalkeeper.witness.reports.first_failure import find_first_failure

_NO_SUCH_COMMAND = 127
_NOT_EXECUTABLE = 126
_SEARCHED_BYTES = 8 << 20
_NUMBER = late_pattern(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")


def check_command(check: Check, place: CheckContext) -> CheckResult:
    return _judge_exit(check, _run_program(check, place, check.main_option))


def check_shell(check: Check, place: CheckContext) -> CheckResult:
    """Run the text in bash with pipefail, so that a pipe fails if one of its parts fails."""
    return _judge_exit(
        check, _run_program(check, place, ("bash", "-o", "pipefail", "-c", check.main_option))
    )


def _run_program(check: Check, place: CheckContext, argv: tuple[str, ...]) -> ProgramRun:
    searched = check.options["stdout"] or check.options["stderr"]
    keep = _SEARCHED_BYTES if searched else KEEP_BYTES
    return place.run_program(ProgramCall(argv, check.options, keep_bytes=keep))


def _judge_exit(check: Check, ended: ProgramRun) -> CheckResult:
    ran = ended.require_exit()
    wanted = check.options["exit"]
    if ran.code != wanted:
        if check.kind == "shell" and ran.code in {_NO_SUCH_COMMAND, _NOT_EXECUTABLE}:
            said = f"exit {ran.code}: a program it names cannot be run"
            return make_unknown(said, ended, outside=True)
        return make_failed(f"exit {ran.code}, expected {wanted}{_describe_failure(ran)}", ended)
    for name, stream in (("stdout", ran.out), ("stderr", ran.err)):
        pattern = check.options[name]
        if pattern and stream.whole is None:
            return make_unknown(f"{name} is too long to be searched", ended)
        if pattern and not re.search(pattern, stream.text, re.MULTILINE):
            return make_failed(f"{name} does not match {pattern}", ended)
    return make_passed(f"exit {ran.code}", ended)


def check_metric(check: Check, place: CheckContext) -> CheckResult:
    call = ProgramCall(check.main_option, check.options, keep_bytes=_SEARCHED_BYTES)
    ended = place.run_program(call)
    ran = ended.require_exit()
    how = check.options["extract"]
    if ran.code != 0 and how != "exit_code":
        return make_unknown(f"exit {ran.code}: there is no number to trust", ended)
    value = _extract_value(check, how, ran)
    if value is None:
        return make_unknown(f"no number by {how} in the output", ended)
    least, most = check.options["min"], check.options["max"]
    within = (least is None or value >= least) and (most is None or value <= most)
    wanted = f"expected {'' if least is None else least}..{'' if most is None else most}"
    return make_result("" if within else f"{value:g}, {wanted}", f"{value:g}", ended)


def _extract_value(check: Check, how: str, ran: Exited) -> float | None:
    if how == "exit_code":
        return ran.code
    if how == "seconds":
        return ran.seconds
    if ran.out.whole is None:
        return None  # it is too long to be counted or searched
    text = ran.out.text
    if how == "lines":
        return len(text.splitlines())
    if how == "json_length":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return len(value) if isinstance(value, list | dict) else None
    found = re.search(check.options["pattern"] or _NUMBER.pattern, text, re.MULTILINE)
    if found is None:
        return None
    number = _NUMBER.search((found.group(1) or "") if found.re.groups else found.group())
    return float(number.group()) if number else None


def _describe_failure(ran: Exited) -> str:
    """Describe the test that failed first, where the output names one; else the last line."""
    found = find_first_failure(ran.out.text) or find_first_failure(ran.err.text)
    return f": {cut_text(found, 200)}" if found else last_line(ran.err, ran.out)


def last_line(*streams: Stream) -> str:
    """Return the last line with words in it of the first stream that has one."""
    for stream in streams:
        lines = [line for line in stream.text.splitlines() if any(map(str.isalnum, line))]
        if lines:
            return f": {cut_text(lines[-1].strip(), 120)}"
    return ""
