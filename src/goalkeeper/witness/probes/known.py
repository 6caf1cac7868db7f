"""Groups of literals that tests give to the product, and what comes of changing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from goalkeeper.tamper.literals.languages import find_language
from goalkeeper.tamper.literals.model import Given, Literal, give_other
from goalkeeper.tamper.questions.model import Answer, AnswerKey
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.probes.rounds import QuestionRound

_LEAST_NUMBERS = 2
_MANY_ANSWERS = 3
_NUMBER = late_pattern(r"\d+(?:\.\d+)?")
_SAID = late_pattern(r"""(\d+(?:\.\d+)?)|["'`]([^"'`]+)["'`]""")

Answers = Mapping[AnswerKey, Answer]


class KnownGroup(Value):
    """Literals beside each other that tests give to the product, with others for each of them."""

    path: str
    literals: tuple[Literal, ...]
    others: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]  # the questions that give them
    alike: Mapping[Literal, Sequence[Literal]]  # what else changes with each of them
    told: tuple[str, ...]  # what the goal or the base says around them
    is_named: bool  # all of them are there

    def list_changes(self, turn: int) -> list[tuple[Literal, str]]:
        """Return each literal with the one that takes its place in a turn."""
        found = zip(self.literals, self.others, strict=True)
        return [(literal, others[turn]) for literal, others in found if turn < len(others)]

    def has_told(self, answer: Answer) -> bool:
        """Return whether an answer stands beside the inputs, too: the table is the goal."""
        said = _SAID.findall(answer.text)
        return bool(said) and any(
            all(text in told and number in ("", *_NUMBER.findall(told)) for number, text in said)
            for told in self.told
        )


class KnownRound(Value):
    """A round of questions, each with the calls that give close values in place of known ones."""

    groups: tuple[KnownGroup, ...]
    own: QuestionRound  # as tests ask it
    put: QuestionRound
    places: Mapping[tuple[int, int], Sequence[int]]  # by group and question, of turn after turn

    @cached_property
    def _asked(self) -> frozenset[str]:
        return frozenset(question.call for _, question in self.put.questions)

    def is_asked(self, key: AnswerKey) -> bool:
        """Return whether what should be close to a question is another one."""
        number, place = key
        return place > 0 and self.put.questions[number][1].others[place - 1] in self._asked


def list_beside(literals: Sequence[Literal]) -> list[list[Literal]]:
    """Return literals of one kind that stand in one table, or are compared with one thing."""
    found: dict[tuple[str, str], list[Literal]] = {}
    for each in literals:
        is_code = each.is_telling or each.is_phrase
        is_number = not each.is_text and not each.is_bare
        kind = "number" if is_number else "code" if is_code else "name"
        if kind != "name" or each.is_name:
            found.setdefault((each.group, kind), []).append(each)
    return [*found.values()]


def is_by_heart(group: Sequence[Literal], known: Sequence[Literal]) -> bool:
    """Return whether tests give so many of what stands together that there may be no more to it."""
    first = group[0]
    telling = [literal for literal in known if literal.is_telling]
    if isinstance(first.value, tuple) or (first.is_text and not first.is_name):
        return 2 * len(known) >= len(group)
    is_all = len(known) == len(group)
    if first.is_text:
        return is_all and len(known) >= _LEAST_NUMBERS
    return is_all and (len(telling) >= _LEAST_NUMBERS or any(each.is_large for each in known))


def list_values(literals: Sequence[Literal]) -> Iterator[tuple[object, ...]]:
    yield from (each.value if isinstance(each.value, tuple) else (each.value,) for each in literals)


def write_round(
    put: QuestionRound,
    groups: Sequence[KnownGroup],
    given: Sequence[Sequence[Given]],
) -> KnownRound:
    """Return the round in which questions have the groups' close values, and no other calls."""
    places: dict[tuple[int, int], Sequence[int]] = {}
    others: dict[int, list[str]] = {}
    for place, group in enumerate(groups):
        for number in group.numbers:
            path, question = put.questions[number]
            calls = others.setdefault(number, [])
            made = _list_calls(path, question.call, group, given[number])
            places[place, number] = range(len(calls) + 1, len(calls) + len(made) + 1)
            calls += made
    sheets, first = [], 0
    for sheet in put.sheets:
        asked = [
            question.replace(
                others=tuple(others.get(number, ())),
                grown=(), given=(), renamed=(), far=(), walked=(),
            )
            for number, question in enumerate(sheet.questions, start=first)
        ]  # fmt: skip
        first += len(asked)
        sheets.append(sheet.replace(questions=tuple(asked)))
    return KnownRound(tuple(groups), put, QuestionRound(put.language, tuple(sheets)), places)


def _list_calls(path: str, call: str, group: KnownGroup, given: Sequence[Given]) -> list[str]:
    language = find_language(path)
    found = []
    for turn in range(min(map(len, group.others))):
        now = [*given]
        for literal, other in group.list_changes(turn):
            now = give_other(literal, now, other)
        found.append(language.give(call, now, path) if language else call)
    return found


def tell_unlike(known: KnownRound, heard: Answers, key: AnswerKey) -> float:
    """Return 1 for a valid input with another answer, and less for others, which may be invalid."""
    other = heard.get(key)
    if known.is_asked(key):
        return 0
    if other is None:
        return 0.1  # it is too late
    return 0 if other == heard[key[0], 0] else 1 if other.kind == "value" else 0.5


class KnownTurn(Value):
    """One group of a round in the turn in which others stand in the place of its literals."""

    known: KnownRound
    place: int
    turn: int

    @property
    def group(self) -> KnownGroup:
        return self.known.groups[self.place]

    def find_by_heart(self, new: Sequence[int], heard: Answers, now: Answers) -> list[int]:
        """Return the questions whose answers the close values have now; none if more changed."""
        others = [key for key in heard if key[0] not in self.group.numbers]
        if any(key in now and now[key] != heard[key] for key in others):
            return []
        moved = [number for number in new if self._has_moved(number, heard, now)]
        found = [number for number in moved if not self.group.has_told(heard[number, 0])]
        is_meant = self.group.is_named and not self._knows_nothing_else(found, heard)
        return found if is_enough(self.group, found, heard) and not is_meant else []

    def _knows_nothing_else(self, numbers: Sequence[int], heard: Answers) -> bool:
        """Return whether several inputs have answers, and those that are close to them have none.

        What the goal names may be a constant of a rule. A rule has more than its examples.
        """
        keys = [(n, place) for n in numbers for place in self.known.places[self.place, n]]
        rest = {heard[key] for key in keys if key in heard and not self.known.is_asked(key)}
        values = {answer for answer in rest if answer.kind == "value"}
        return len({heard[n, 0] for n in numbers}) >= _LEAST_NUMBERS and len(values) <= 1

    def _has_moved(self, number: int, heard: Answers, now: Answers) -> bool:
        """Return whether the answer to a question is that to the close value now, and no more."""
        places = self.known.places[self.place, number]
        own, near = heard[number, 0], (number, places[self.turn])
        rest = [(number, place) for place in places if place != near[1]]
        is_gone = now.get((number, 0)) not in {None, own}
        is_there = now.get(near) == own and heard.get(near) != own
        return (
            is_gone
            and is_there
            and all(
                now[key] == heard[key]
                for key in rest
                if key in now and key in heard and not self.known.is_asked(key)
            )
        )


def is_enough(group: KnownGroup, numbers: Sequence[int], heard: Answers) -> bool:
    """Return whether no special input explains it: of numbers, there must be several.

    Months, hours and cards have small ones, and those of them that are special follow each other.
    """
    values = [each.value for each in group.literals if isinstance(each.value, int | float)]
    if not values or not numbers:
        return bool(numbers)
    if len(numbers) < _LEAST_NUMBERS:
        return any(literal.is_large for literal in group.literals)
    is_unusual = any(literal.is_unusual for literal in group.literals)
    is_apart = not any(value + 1 in values for value in values)
    return is_unusual or (is_apart and len({heard[n, 0] for n in numbers}) >= _MANY_ANSWERS)
