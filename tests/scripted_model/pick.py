"""Which turn comes next. Pure: the counters go in, and come out one further."""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalkeeper.wire.value import Value
from tests.scripted_model.request import Request
from tests.scripted_model.script import Rule, Script, Turn, When


class Counts(Value):
    """How often the turns, and each rule by its number, have answered."""

    turns: int = 0
    rules: tuple[int, ...] = ()

    def of_rule(self, number: int) -> int:
        return self.rules[number] if number < len(self.rules) else 0

    def after_rule(self, number: int) -> Counts:
        known = max(len(self.rules), number + 1)
        return self.replace(rules=tuple(self.of_rule(n) + (n == number) for n in range(known)))


class Pick(Value):
    turn: Turn
    why: str  # where it stands in the script
    counts: Counts


def pick(script: Script, counts: Counts, request: Request) -> Pick:
    for number, rule in enumerate(script.rules):
        used = counts.of_rule(number)
        if _applies(rule, used, request):
            index = _position(rule.turns, used)
            why = f"rules[{number}].turns[{index}]"
            return Pick(rule.turns[index], why, counts.after_rule(number))
    if script.side is not None and not request.tools:
        return Pick(script.side, "side", counts)
    index = _position(script.turns, counts.turns)
    after = counts.replace(turns=counts.turns + 1)
    return Pick(script.turns[index], f"turns[{index}]", after)


def _position(turns: Sequence[Turn], used: int) -> int:
    return min(used, len(turns) - 1)  # the last one repeats


def _applies(rule: Rule, used: int, request: Request) -> bool:
    spent = rule.times is not None and used >= rule.times
    return not spent and _fits(rule.when, request)


def _fits(when: When, request: Request) -> bool:
    return (
        when.api in {"", request.api}
        and (not when.tool or when.tool in request.tools)
        and not (when.notools and request.tools)
        and _found(when.model, request.model)
        and _found(when.system, request.system)
        and _found(when.last, request.last)
        and _found(when.all, request.all)
    )


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.DOTALL) is not None
