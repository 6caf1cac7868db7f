"""`json` and `jsonl`: a file has a field with a value."""

from __future__ import annotations

import json as decoder
import re
from typing import Any

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.witness.check_context import Place, Seen, failed, passed, unknown

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")
_ABSENT = object()


def json(check: Check, place: Place) -> Seen:
    data = place.files.read(check.main)
    if data is None:
        return failed(f"{check.main} is missing")
    try:
        document = decoder.loads(data)
    except (ValueError, RecursionError) as exc:
        return failed(f"{check.main} is not JSON: {exc}")
    value = lookup(document, check.options["field"])
    name = check.options["field"] or "it"
    if value is _ABSENT:
        return failed(f"{check.main} has no {name}")
    wrong = _wrong(check, value)
    return failed(f"{name} {wrong}") if wrong else passed(f"{name} is as expected")


def _wrong(check: Check, value: Any) -> str:  # noqa: ANN401  any JSON
    equals, least, most = (check.options[name] for name in ("equals", "min", "max"))
    count = check.options["min_count"]
    if equals is not None and not _same(value, equals):
        return f"is {decoder.dumps(value)[:80]}, expected {decoder.dumps(equals)[:80]}"
    if count is not None and (not isinstance(value, list | dict) or len(value) < count):
        return f"has fewer than {count} items"
    if least is None and most is None:
        return ""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "is not a number"
    within = (least is None or value >= least) and (most is None or value <= most)
    return "" if within else f"is {value}, out of bounds"


def _same(value: object, wanted: object) -> bool:
    return type(value) is type(wanted) and value == wanted


def jsonl(check: Check, place: Place) -> Seen:
    data = place.files.read(check.main)
    if data is None:
        return failed(f"{check.main} is missing")
    fitting = 0
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = lookup(decoder.loads(line), check.options["field"])
        except (ValueError, RecursionError):
            return failed(f"line {number} of {check.main} is not JSON")
        equals = check.options["equals"]
        fitting += value is not _ABSENT and (equals is None or _same(value, equals))
    most = check.options["max_count"]
    least = check.options["min_count"] if most is None else min(check.options["min_count"], most)
    if fitting < least or (most is not None and fitting > most):
        return failed(f"{fitting} lines fit, expected {least} to {'any' if most is None else most}")
    return passed(f"{fitting} lines fit")


def lookup(document: Any, field: str) -> Any:  # noqa: ANN401  any JSON
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


def needs_an_answer(check: Check, place: Place) -> Seen:  # noqa: ARG001
    """`question` and `manual`: no program can decide them."""
    asked = "it is not answered" if check.kind == "question" else "no human has confirmed it"
    return unknown(f"{asked} for this tree")
