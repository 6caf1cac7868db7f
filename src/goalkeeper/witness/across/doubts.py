"""Questions that are asked twice: whether two things are equal, and whether one is in the other.

The product answers them, because its class says what is equal. One that says yes of whatever it is
asked has not looked, so it is asked about a stranger, too, and nobody can tell which is which.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from goalkeeper.witness.across.stands import Remote, is_stand
from goalkeeper.witness.across.strangers import list_strangers
from goalkeeper.witness.across.values import is_plain


class Doubter:
    """It asks for a side of the pipe, and does not take every yes."""

    def __init__(self, side: Any) -> None:  # noqa: ANN401
        self._side = side
        self._chance = random.SystemRandom()
        self._doubts: dict[int, Callable[[], None]] = {}  # of answers that are objects themselves

    def ask_equal(self, on: Any, other: Any) -> Any:  # noqa: ANN401
        if not is_stand(other) and not is_plain(other):
            return NotImplemented
        return self._ask_twice(on, "__eq__", other, "equals")

    def ask_contains(self, on: Any, item: Any) -> Any:  # noqa: ANN401
        return self._ask_twice(on, "__contains__", item, "contains", far=True)

    def ask_truth(self, on: Any) -> bool:  # noqa: ANN401
        is_yes = self._ask_bool(on, aside=False)
        if is_yes and on.gk_number in self._doubts:
            self._doubts[on.gk_number]()
        return is_yes

    def _ask_twice(
        self,
        on: Any,  # noqa: ANN401
        name: str,
        given: Any,  # noqa: ANN401
        verb: str,
        *,
        far: bool = False,
    ) -> Any:  # noqa: ANN401
        strangers = self._list_strangers(given, far=far)
        asked = [given, strangers[0]]
        order = self._chance.sample((0, 1), 2)
        told = {at: self._ask(on, name, asked[at], aside=at > 0) for at in order}

        def doubt() -> None:
            more = (self._ask(on, name, each, aside=True) for each in strangers[1:])
            if self._is_yes(told[1]) and all(self._is_yes(answer) for answer in more):
                raise self._side.fail(f"an object of the product {verb} anything")

        if isinstance(told[0], Remote):  # an array or an expression is no yes until it is used so
            self._doubts[told[0].gk_number] = doubt
        elif told[0] is not NotImplemented and told[0]:
            doubt()
        return told[0]

    def _list_strangers(self, given: Any, *, far: bool) -> list[Any]:  # noqa: ANN401
        found: list[Any] = []
        if is_stand(given):
            found = self._side.ask_product("twins", on=given.gk_number, far=far, aside=True)
        return found or list_strangers(given if is_plain(given) else "", self._chance, far=far)

    def _ask(self, on: Any, name: str, value: Any, *, aside: bool) -> Any:  # noqa: ANN401
        asked: dict[str, Any] = {"on": on.gk_number, "name": name, "values": [value], "named": {}}
        try:
            return self._side.ask_product("do", aside=aside, **asked)
        except Exception:
            if aside:  # a stranger need not be understood
                return NotImplemented
            raise

    def _is_yes(self, answer: Any) -> bool:  # noqa: ANN401
        if not isinstance(answer, Remote):
            return answer is not NotImplemented and bool(answer)
        with suppress(Exception):
            return self._ask_bool(answer, aside=True)
        return False

    def _ask_bool(self, on: Any, *, aside: bool) -> bool:  # noqa: ANN401
        asked: dict[str, Any] = {"module": "builtins", "name": "bool", "values": [on]}
        return self._side.ask_product("named", aside=aside, **asked) is True
