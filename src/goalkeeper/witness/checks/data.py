"""`json` and `jsonl`: a file has a field with a value."""

from __future__ import annotations

import json as decoder
from typing import Any

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.problems import cut_text
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    make_failed,
    make_result,
    make_unknown,
    require_file,
)

_STEP = late_pattern(r"\.?([^.\[\]]+)|\[(\d+)\]")
_ABSENT = object()


def check_json(check: Check, place: CheckContext) -> CheckResult:
    try:
        document = decoder.loads(require_file(place, check.main_option))
    except (ValueError, RecursionError) as exc:
        return make_failed(f"{check.main_option} is not JSON: {exc}")
    value = look_up_field(document, check.options["field"])
    name = check.options["field"] or "it"
    if value is _ABSENT:
        return make_failed(f"{check.main_option} has no {name}")
    wrong = _describe_mismatch(check, value)
    return make_result(f"{name} {wrong}" if wrong else "", f"{name} is as expected")


def _describe_mismatch(check: Check, value: Any) -> str:  # noqa: ANN401  any JSON
    equals, least, most = (check.options[name] for name in ("equals", "min", "max"))
    count = check.options["min_count"]
    if equals is not None and not _is_same(value, equals):
        found, wanted = (cut_text(decoder.dumps(each), 80) for each in (value, equals))
        return f"is {found}, expected {wanted}"
    if count is not None and (not isinstance(value, list | dict) or len(value) < count):
        return f"has fewer than {count} items"
    if least is None and most is None:
        return ""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "is not a number"
    within = (least is None or value >= least) and (most is None or value <= most)
    return "" if within else f"is {value}, out of bounds"


def _is_same(value: object, wanted: object) -> bool:
    return type(value) is type(wanted) and value == wanted


def check_jsonl(check: Check, place: CheckContext) -> CheckResult:
    fitting = 0
    for number, line in enumerate(require_file(place, check.main_option).splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = look_up_field(decoder.loads(line), check.options["field"])
        except (ValueError, RecursionError):
            return make_failed(f"line {number} of {check.main_option} is not JSON")
        equals = check.options["equals"]
        fitting += value is not _ABSENT and (equals is None or _is_same(value, equals))
    most = check.options["max_count"]
    least = check.options["min_count"] if most is None else min(check.options["min_count"], most)
    is_enough = fitting >= least and (most is None or fitting <= most)
    said = f"{fitting} lines fit, expected {least} to {'any' if most is None else most}"
    return make_result("" if is_enough else said, f"{fitting} lines fit")


def look_up_field(document: Any, field: str) -> Any:  # noqa: ANN401  any JSON
    """Return the value at a path such as a.b[0]; `_ABSENT` if there is none."""
    value = document
    for name, index in _STEP.findall(field):
        if name and isinstance(value, dict) and name in value:
            value = value[name]
        elif index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        else:
            return _ABSENT
    return value


def report_unanswered(check: Check, place: CheckContext) -> CheckResult:  # noqa: ARG001
    """Report that no program can decide a `question` or a `manual` criterion."""
    asked = "it is not answered" if check.kind == "question" else "no human has confirmed it"
    return make_unknown(f"{asked} for this tree")


check_question = check_manual = report_unanswered
