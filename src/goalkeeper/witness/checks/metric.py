"""`metric`: a number from the output of a program is within bounds."""

from __future__ import annotations

import json
import re

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.system.run import Exited
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    ProgramCall,
    make_failed,
    make_passed,
    make_unknown,
    require_exit,
)

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_KEPT_BYTES = 8 << 20


def check_metric(check: Check, place: CheckContext) -> CheckResult:
    ended = place.run_program(ProgramCall(check.main_option, check.options, keep_bytes=_KEPT_BYTES))
    ran = require_exit(ended)
    if isinstance(ran, CheckResult):
        return ran
    how = check.options["extract"]
    if ran.code != 0 and how != "exit_code":
        return make_unknown(f"exit {ran.code}: there is no number to trust", ended)
    value = _extract_value(check, how, ran)
    if value is None:
        return make_unknown(f"no number by {how} in the output", ended)
    least, most = check.options["min"], check.options["max"]
    within = (least is None or value >= least) and (most is None or value <= most)
    wanted = f"expected {'' if least is None else least}..{'' if most is None else most}"
    return (
        make_passed(f"{value:g}", ended) if within else make_failed(f"{value:g}, {wanted}", ended)
    )


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
