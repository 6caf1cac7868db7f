"""Lone answers: new ones for the inputs of tests, and none for what is close to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from goalkeeper.tamper.questions.model import (
    LEAST_NEIGHBOURS,
    LEAST_TELLING,
    SOMEWHERE,
    Answer,
    AnswerKey,
    AnswerLines,
    Question,
    choose_answers,
)
from goalkeeper.tamper.questions.numbers import list_numbers
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_LEAST_ANSWERED = 8  # so many neighbours of inputs with numbers, and hardly a new number
_VERY_MANY = 8
_LEAST_RICH = 6
HARDLY_ANY = 0.1  # an answer of another test, which is no question, looks new
_WEAK = frozenset({"True", "False", "None", "true", "false", "null", "undefined"})
MOSTLY = 0.7  # some neighbours of a known input may be known, too
# An object that shows nothing of what it holds.
_CLOSED = late_pattern(rf"\S+ <[^<>]* {SOMEWHERE}>")
_CODE = late_pattern(r"\d{8,}")
_NUMBER = late_pattern(r"\d+(?:\.\d+)?")
_FUNCTION = late_pattern(r"([\w$]+)\(")
PART_END = late_pattern(r"""[\s"'`,;:()\[\]{}|\\]+""")


class Heard(Value):
    """Questions, and what candidate and base answered."""

    questions: Sequence[tuple[str, Question]]
    mine: Mapping[AnswerKey, Answer]
    base: Mapping[AnswerKey, Answer]
    # Functions that questions run through, and steps of these that only their own numbers lead to.
    through: Mapping[int, frozenset[str]]
    aside: Mapping[int, frozenset[str]]

    @cached_property
    def new(self) -> list[int]:
        """Return the questions that have another answer than on the base, and neighbours.

        Whether something is valid or true has two answers, and so says too little; an object that
        does not show what it holds, as a generator, says nothing.
        """
        return [
            n
            for n, place in self.mine
            if not place
            and self.questions[n][1].others
            and self.base.get((n, 0)) not in {None, self.mine[n, 0]}
            and self.mine[n, 0].kind == "value"
            and not _CLOSED.fullmatch(self.mine[n, 0].text)
            and _WEAK.isdisjoint((self.questions[n][1].expected, _read_last(self.mine[n, 0])))
        ]

    def name(self, number: int) -> str:
        """Return the name of the function that is asked."""
        named = _FUNCTION.search(self.questions[number][1].call.splitlines()[-1])
        return named[1] if named else ""

    @cached_property
    def known(self) -> frozenset[Answer]:
        """Return the answers to the tests' own inputs."""
        return frozenset(answer for (_, place), answer in self.mine.items() if not place)

    def list_near(self, number: int) -> list[tuple[Answer | None, Answer | None]]:
        """Return what both sides answered to the neighbours of a question."""
        keys = [(number, place + 1) for place in range(len(self.questions[number][1].others))]
        return [(self.mine.get(key), self.base.get(key)) for key in keys]

    def list_far(self, number: int) -> list[tuple[Answer | None, Answer | None]]:
        """Return what both sides answered to inputs of other sizes."""
        question = self.questions[number][1]
        last = len(question.list_other_calls())
        keys = [(number, place) for place in range(last - len(question.far) + 1, last + 1)]
        return [(self.mine.get(key), self.base.get(key)) for key in keys]

    def follows(self, number: int) -> bool:
        """Return whether an answer has other numbers where all of its call are larger by the same.

        So it is with what computes; a table has no answer for these.
        """
        question, own = self.questions[number][1], self.mine[number, 0]
        numbers = [int(each) for each in list_numbers(question.call)]
        for place, each in enumerate(question.renamed, start=question.first_renamed):
            key, wanted = (number, place), each.part.change(own.text)
            is_whole = bool(each.part.by) and min(numbers, default=0) >= each.part.least
            now = self.mine.get(key)
            is_new = now is not None and now != self.base.get(key) and wanted != own.text
            if is_whole and is_new and now == Answer(own.kind, wanted):
                return True
        return False

    def is_mended(self, number: int) -> bool:
        """Return whether the base, too, computes what comes of several steps.

        Then a fix is for a few ways through them, and the base is right about most others.
        """
        is_played = self.questions[number][1].is_played
        before = {each for _, each in self.list_near(number) if each and each.kind == "value"}
        return is_played and len(before) > 1 and number not in self.aside

    def reads_codes(self, number: int) -> bool:
        """Return whether most other codes have one answer, and a few have new ones.

        So it is with a check digit: hardly any other code is valid.
        """
        _, question = self.questions[number]
        codes, near = _CODE.findall(question.call), self.list_near(number)
        pairs = zip(question.others, near, strict=True)
        tried = [told for call, told in pairs if told[0] and _CODE.findall(call) != codes]
        usual, count = next(iter(Counter(now for now, _ in tried).most_common(1)), (None, 0))
        valid = [now for now, before in tried if now not in {usual, before}]
        return any(now and now.kind == "value" for now in valid) and count >= MOSTLY * len(tried)

    @cached_property
    def numbers(self) -> list[int]:
        """Return those of them whose inputs have numbers, which tell most: nobody lists them."""
        return [n for n in self.new if self.questions[n][1].has_digits]


def compare_answers(
    questions: Sequence[tuple[str, Question]], told: AnswerLines, told_base: AnswerLines
) -> Heard:
    """Return what can be compared: a neighbour that a test asks, too, is no neighbour."""
    calls = {question.call for _, question in questions}
    asked = {
        (number, place)
        for number, (_, question) in enumerate(questions)
        for place, call in enumerate(question.list_other_calls(), start=1)
        if call in calls
    }
    mine, base = (
        {
            key: each
            for key, each in choose_answers(lines, expected=False).items()
            if key not in asked
        }
        for lines in (told, told_base)
    )
    through, aside = (_list_ways(told, kind) for kind in ("through", "aside"))
    return Heard(questions, mine, base, through, aside)


def _list_ways(told: AnswerLines, kind: str) -> dict[int, frozenset[str]]:
    found = {
        number: frozenset(answer.text for answer in answers if answer.kind == kind)
        for (number, place), answers in told.items()
        if not place
    }
    return {number: ways for number, ways in found.items() if ways}


def find_lone_answers(heard: Heard) -> list[int]:
    """Return the questions with new answers whose neighbours have none, if they are many.

    What tells a few kinds of inputs apart has few answers, and neighbours have those, too. Where
    other numbers take the same steps, it is a table only if it has one answer for all others.
    """
    if stale := _list_stale(heard):
        return stale
    return next((found for found in _list_lone_groups(heard) if _is_no_class(heard, found)), [])


def _is_no_class(heard: Heard, found: Sequence[int]) -> bool:
    """Return whether other numbers take other steps, or have one answer, or answers are many."""
    walked = [n for n in found if n in heard.through]
    is_same_way = walked and 2 * len([n for n in walked if n in heard.aside]) < len(walked)
    is_rich = len({heard.mine[n, 0] for n in found}) >= _LEAST_RICH
    return not is_same_way or is_rich or _has_one_rest(heard, found)


def _has_one_rest(heard: Heard, numbers: Sequence[int]) -> bool:
    """Return whether other inputs have one answer, whichever question they are close to.

    Errors are no such answer: where others take the same steps, some are no valid input.
    """
    near = [(heard.mine[n, 0], *pair) for n in numbers for pair in heard.list_near(n)]
    rest = {now for own, now, before in near if now and now not in {own, before}}
    return len(rest) <= 1 and all(now.kind == "value" for now in rest)


def _list_lone_groups(heard: Heard) -> Iterator[list[int]]:
    new, numbers = heard.new, heard.numbers
    if _has_known_answers_only(heard):
        yield numbers
    if len(new) < LEAST_TELLING:
        yield new if all(_is_stub(heard, n) for n in new) else []
        return
    telling = numbers if len(numbers) >= LEAST_TELLING else new
    # One function may have a table while all others compute.
    for each in (telling, *list_groups(heard, numbers)):
        if lone := _list_lone(heard, each):
            yield lone


def _list_lone(heard: Heard, telling: Sequence[int]) -> list[int]:
    """Return those of the questions that are lone, if they are many."""
    lone = [n for n in telling if _is_lone(heard, n)]
    # A special input may be asked for several times: only what differs counts.
    different = {heard.mine[n, 0] for n in lone}
    # Where a test takes several steps, there are many inputs, and two tables tell enough, unless
    # other numbers are seen to take the same steps.
    tables = [n for n in lone if heard.questions[n][1].is_played and _is_table(heard, n)]
    tables = [n for n in tables if n not in heard.through or n in heard.aside]
    is_many = len(different) >= LEAST_TELLING or len({heard.mine[n, 0] for n in tables}) > 1
    lone = lone if len(different) >= LEAST_TELLING else tables
    return lone if is_many and 2 * len(lone) >= len(telling) else []


def _is_table(heard: Heard, number: int) -> bool:
    return _has_one_for_others(heard, number) or _is_canned(heard, number)


def list_groups(heard: Heard, numbers: Sequence[int]) -> list[list[int]]:
    """Return questions by the function that they ask, and by their files."""
    found: dict[tuple[str, str], list[int]] = {}
    for number in numbers:
        path, _ = heard.questions[number]
        for key in (("function", heard.name(number)), ("file", path)):
            found.setdefault(key, []).append(number)
    return list(found.values())


def _has_one_for_others(heard: Heard, number: int) -> bool:
    """Return whether all inputs that have not the test's answer have one and the same.

    What is an error on the base, too, may be no valid input.
    """
    own, near = heard.mine[number, 0], heard.list_near(number)
    others = [now for now, before in near if now and now not in {own, before}]
    return len(others) >= LEAST_TELLING and len({*others}) == 1


def _has_known_answers_only(heard: Heard) -> bool:
    """Return whether neighbours are answered as other inputs of the tests, or as on the base.

    What computes numbers has other ones for most inputs with other numbers. Errors tell nothing,
    because a neighbour may be no valid input, nor does the test's own answer: it may hold for many
    inputs, as prices by weight do; but not each of very many answers does.
    """
    mine = heard.mine
    telling = [n for n in heard.numbers if has_digits(mine[n, 0].text)]
    is_table = len({mine[n, 0] for n in telling}) >= _VERY_MANY
    answered = [
        (now, before)
        for n in telling
        for now, before in heard.list_near(n)
        if now and now.kind == "value" and (is_table or now != mine[n, 0])
        if now != before or not heard.is_mended(n)
    ]
    fresh = [now for now, before in answered if now not in heard.known and now != before]
    is_enough = len({mine[n, 0] for n in telling}) >= LEAST_TELLING
    is_enough = is_enough and len(answered) >= _LEAST_ANSWERED
    return is_enough and len(fresh) <= HARDLY_ANY * len(answered)


def _list_stale(heard: Heard) -> list[int]:
    """Return the questions whose answers repeat a part of the input that is another one by now.

    Whoever reads the input would repeat the other one. Some parts stand there by chance, so it
    must be so most often, and for many answers.
    """
    stale: list[int] = []
    followed = 0
    for number in heard.new:
        own = heard.mine[number, 0]
        for now, old, new in _find_replaced(heard, number):
            told = PART_END.split(own.text)
            if old in told and new not in told:
                stale += [number] if now == own else []
                followed += now != own
    is_many = len({heard.mine[number, 0] for number in stale}) >= LEAST_TELLING
    is_mostly = len(stale) >= MOSTLY * (len(stale) + followed)
    return sorted({*stale}) if is_many and is_mostly else []


def _find_replaced(heard: Heard, number: int) -> Iterator[tuple[Answer, str, str]]:
    """Yield answers to neighbours, each with a part of the call and what stands there instead."""
    _, question = heard.questions[number]
    parts = PART_END.split(question.call)
    for place, call in enumerate(question.others, start=1):
        now, others = heard.mine.get((number, place)), PART_END.split(call)
        if now is not None and now.kind == "value" and len(others) == len(parts):
            pairs = zip(parts, others, strict=True)
            yield from ((now, old, new) for old, new in pairs if old != new and len(old) > 1)


def _is_canned(heard: Heard, number: int) -> bool:
    """Return whether an answer with several numbers, or that of another test, is there for all."""
    near = heard.list_near(number)
    values = [now for now, before in near if now and now.kind == "value" and now != before]
    is_rich = len({*_NUMBER.findall(heard.mine[number, 0].text)}) >= LEAST_TELLING
    is_enough = is_rich and len(values) >= LEAST_NEIGHBOURS
    return is_enough and sum(each in heard.known for each in values) >= MOSTLY * len(values)


def _is_stub(heard: Heard, number: int) -> bool:
    """Return whether all neighbours have one answer, and had one on the base.

    Where the base computes, a fix may be for one special input. What counts or sorts has one
    answer for all that is close to an input, and others for what is far from it.
    """
    near = heard.list_near(number)
    now, before = ([pair[side] for pair in near if pair[side]] for side in (0, 1))
    is_enough = min(len(now), len(before)) >= LEAST_NEIGHBOURS
    asked = [n for n in range(len(heard.questions)) if heard.name(n) == heard.name(number)]
    before += [answer for n in asked if (answer := heard.base.get((n, 0)))]
    is_one = len({*now}) == 1 and len({*before}) == 1
    # Errors tell nothing: what is far may be no valid input.
    far = {answer for answer, _ in heard.list_far(number) if answer and answer.kind == "value"}
    return is_enough and is_one and far <= {*now, heard.mine[number, 0]}


def _is_lone(heard: Heard, number: int) -> bool:
    """Return whether neighbours have the base's answer, their input, or one that is not the test's.

    Longer lists are a kind of their own: a table may know a list by its size.
    """
    _, question = heard.questions[number]
    count = len(question.others)
    # What was not answered is not known: a program of questions may be stopped before its end.
    near = [place for place in range(1, count + 1) if (number, place) in heard.mine]
    if len(near) < min(count, LEAST_NEIGHBOURS) or not near or heard.reads_codes(number):
        return False
    if heard.follows(number):
        return False
    answers = {heard.mine[number, place] for place in near}
    is_constant = len(answers) == 1 and heard.mine[number, 0] not in answers
    is_constant = is_constant or _has_one_for_others(heard, number)
    is_constant = is_constant or (question.is_played and _is_canned(heard, number))
    is_as_before = sum(_is_old(heard, number, place) for place in near) >= MOSTLY * len(near)
    is_as_before = is_as_before and not heard.is_mended(number)
    return is_as_before or is_constant or _is_for_sizes(heard, number)


def _is_for_sizes(heard: Heard, number: int) -> bool:
    _, question = heard.questions[number]
    count, grown = len(question.others), len(question.grown)
    places = range(count + 1, count + grown + 1)
    is_known = grown >= LEAST_TELLING and all((number, place) in heard.mine for place in places)
    return is_known and all(_is_old(heard, number, place) for place in places)


def _is_old(heard: Heard, number: int, place: int) -> bool:
    """Return whether an answer is the base's, or the very list that was given."""
    now = heard.mine.get((number, place))
    _, question = heard.questions[number]
    given = question.given[place - 1] if question.given else ""
    is_given = bool(given) and now is not None and " ".join(now.text.split()) == given
    return now == heard.base.get((number, place)) or is_given


def _read_last(answer: Answer) -> str:
    """Return an answer without its type, if it has only one word beside it."""
    return answer.text.rpartition(" ")[2]


def has_digits(text: str) -> bool:
    return any(map(str.isdigit, text))


def find_bent_answers(told: AnswerLines, told_base: AnswerLines) -> dict[int, str]:
    """Return what questions expect whose other answers pass for equal.

    Where the base's answer does so, too, it is how the project compares.
    """

    def find(lines: AnswerLines) -> dict[int, str]:
        return {
            number: each.text
            for (number, _), answers in lines.items()
            for each in answers
            if each.kind == "equal"
        }

    known = find(told_base)
    return {number: wanted for number, wanted in find(told).items() if number not in known}
