"""Finds what the candidate's tests lost against the base's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from goalkeeper.tamper.moving import GainedParts
from goalkeeper.tamper.pairing import Pairing
from goalkeeper.tamper.settled import WORD
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.testing import Assertion, Strictness, Test
from goalkeeper.wire.pattern import late_pattern

_RAISING = late_pattern(r"raises\(")
_OF_ERROR = late_pattern(r"\.(value|exception)\b")
_OF_TRUTH = late_pattern(r"(?:[(,] ?true\)|(?:==|\bis) True)$")
_OF_FALSITY = late_pattern(
    r"len\((?P<sized>.*)\) == 0|(?P<asked>.*) (?:(?:==|is) False|== (?:''|\[\]|\{\}|\(\)))"
    r"|.*\.(?:toBe|toEqual|toStrictEqual)\(false\)|t\.(?:equal|is|same|strictEqual)\(.*, ?false\)"
)
_FALSY = late_pattern(r"\.(?:toBeFalsy|notOk|isNotOk|falsy)\(")
_OF_DEPRECATION = late_pattern(
    r"deprecated_call\(|warns\((?:\w+\.)*(?:Pending)?DeprecationWarning\b"
)
_OPEN = late_pattern(r"\.[*+]")


def compare_tests(
    paired: Pairing, gone_names: frozenset[str], elsewhere: GainedParts
) -> Iterator[Sighting]:
    """Compare tests; `gone_names` are names of product code that the candidate no longer has."""
    for old, new in paired.pairs:
        yield from _compare_pair(old, new, gone_names, elsewhere)


def _compare_pair(
    old: Test, new: Test, gone_names: frozenset[str], elsewhere: GainedParts
) -> Iterator[Sighting]:
    if not new.collected:
        yield _point_at(new, "test-removed", f"{old.name} is no longer collected")
        return
    yield from _find_new_skips(old, new)
    yield from _find_lost_cases(old, new, elsewhere)
    yield from _find_lost_entries(old, new)
    if new.early_return and not old.early_return:
        text = f"{new.name} returns before its assertions"
        yield Sighting("test-cannot-fail", new.path, new.early_return, text)
    mocked = {name for name in new.mocked - old.mocked if _is_asserted(name, new)}
    for name in sorted(mocked):
        yield _point_at(new, "subject-mocked", f"{new.name} now replaces {name}, which it is about")
    yield from _compare_assertions(old, new, gone_names, elsewhere)


def _is_asserted(name: str, test: Test) -> bool:
    return any(f"{name}(" in assertion.text for assertion in test.assertions)


def _find_new_skips(old: Test, new: Test) -> Iterator[Sighting]:
    known = Counter(skip.word for skip in old.skips)
    for skip in new.skips:
        if known[skip.word] > 0:
            known[skip.word] -= 1
            continue
        text = f"{new.name} is now under {skip.word}"
        # Whether a module is there is the environment's affair, as the platform is.
        mild = skip.elsewhere or "importorskip" in skip.word
        yield Sighting("skip-added", new.path, skip.line, text, mild=mild)


def _find_lost_cases(old: Test, new: Test, elsewhere: GainedParts) -> Iterator[Sighting]:
    lost = elsewhere.take_cases(Counter(old.cases) - Counter(new.cases))
    if not lost:
        return
    shown = ", ".join(sorted(lost))
    if len(new.cases) < len(old.cases):
        text = f"{new.name} lost the case {shown}"
        mild = elsewhere.spend_gains(lost.total())
        yield Sighting("assertion-weakened", new.path, new.line, text, mild=mild)
    else:
        text = f"{new.name} has another case instead of {shown}"
        yield _point_at(new, "expectation-changed", text)


def _find_lost_entries(old: Test, new: Test) -> Iterator[Sighting]:
    lost = Counter(old.entries) - Counter(new.entries)
    if lost:
        shown = ", ".join(sorted(lost))
        yield _point_at(
            new, "expectation-changed", f"a table that {new.name} looks things up in lost {shown}"
        )


def _compare_assertions(
    old: Test, new: Test, gone_names: frozenset[str], elsewhere: GainedParts
) -> Iterator[Sighting]:
    yield from _find_hedged(old, new)
    lost = _subtract(old.live, new.assertions)
    gained = _subtract(new.assertions, old.assertions)
    if not new.assertions and lost:
        if new.early_return:
            return
        yield _point_at(new, "test-cannot-fail", f"{new.name} asserts nothing any more")
        return
    lost = [
        each
        for each in lost
        if not each.details().names & gone_names and not each.details().is_narrowing
    ]
    lost = elsewhere.take_assertions(lost)
    if _is_refused(lost, new.assertions) and all(each in gained for each in new.assertions):
        shown = "; ".join(each.text for each in lost)
        text = f"{new.name} expects an error instead of `{shown}`"
        yield _point_at(new, "expectation-changed", text)
        return
    # What could not fail before, and is written in another way now, took the place of nothing.
    for _ in _subtract((each for each in old.assertions if not each.strength), new.assertions):
        empty = next((each for each in gained if not each.strength), None)
        if empty is not None:
            gained.remove(empty)
    steps: tuple[Callable[[Assertion, Assertion], bool], ...] = (
        lambda old, new: bool(new.strength) and old.details().subject == new.details().subject,
        lambda old, new: old.details().subject == new.details().subject,
        lambda old, new: not new.strength and old.details().subject in new.text,
        lambda old, new: old.details().shape == new.details().shape,
    )
    told = 0  # what an error must say, which stands beside its kind now
    for step in steps:
        for index in range(len(lost) - 1, -1, -1):
            match = next((each for each in gained if step(lost[index], each)), None)
            if match is not None:
                gained.remove(match)
                told += bool(match.details().pattern) and not lost[index].details().pattern
                yield from _weigh_replacement(new, lost.pop(index), match)
    asked = [each for each in lost if _OF_ERROR.search(each.text)][:told]
    lost = [each for each in lost if each not in asked]
    if not new.early_return:
        # A lost assertion may have become a case, which the test looks at through a parameter.
        cases = [*(Counter((*new.cases, *new.looped)) - Counter((*old.cases, *old.looped)))]
        rest = [
            each
            for each in lost
            if not any(
                all(literal in case for literal in each.details().literals) for case in cases
            )
        ]
        yield from _weigh_the_rest(new, rest, gained, elsewhere)


def _find_hedged(old: Test, new: Test) -> Iterator[Sighting]:
    known = Counter(each.text for each in old.assertions)
    caught = Counter(each.text for each in old.assertions if each.swallowed)
    hedged = Counter(each.text for each in old.assertions if each.conditional)
    for now in new.assertions:
        if not known[now.text]:
            continue
        if now.swallowed:
            caught[now.text] -= 1
            if caught[now.text] < 0:
                text = f"a failure of `{now.text}` is caught"
                yield Sighting("test-cannot-fail", new.path, now.line, text)
        elif now.conditional:
            hedged[now.text] -= 1
            plain = _count_unconditional(now.text, old) > _count_unconditional(now.text, new)
            if hedged[now.text] < 0 and plain:
                text = f"`{now.text}` runs only on a condition now"
                yield Sighting("assertion-weakened", new.path, now.line, text)


def _count_unconditional(text: str, test: Test) -> int:
    return sum(1 for each in test.assertions if each.text == text and not each.conditional)


def _subtract(these: Iterable[Assertion], those: Iterable[Assertion]) -> list[Assertion]:
    left = Counter(each.text for each in those)
    rest: list[Assertion] = []
    for assertion in these:
        if left[assertion.text] > 0:
            left[assertion.text] -= 1
        else:
            rest.append(assertion)
    return rest


def _weigh_replacement(test: Test, old: Assertion, new: Assertion) -> Iterator[Sighting]:
    text, mild = f"`{old.text}` became `{new.text}`", False
    before = dict(old.details().slack)
    if not new.strength or (new.swallowed and not old.swallowed):
        rule = "test-cannot-fail"
    elif _expects_error(new) and not old.details().pattern:
        rule = "expectation-changed"  # one error instead of one value
    elif new.strength < old.strength:
        rule = "assertion-weakened"
        mild = new.strength is Strictness.TRUTH and _is_asked_as_truth(old, new)
    elif new.strength > old.strength:
        return
    elif any(name not in before or value > before[name] for name, value in new.details().slack):
        rule = "assertion-weakened"
    elif old.details().shape == new.details().shape and _is_tighter(old, new):
        return
    elif old.details().pattern and old.details().pattern != new.details().pattern:
        rule = "assertion-weakened" if _is_looser(old, new) else "expectation-changed"
    else:
        rule = "expectation-changed"
    yield Sighting(rule, test.path, new.line, text, mild=mild)


def _is_asked_as_truth(old: Assertion, new: Assertion) -> bool:
    """Return whether the same is asked in another style: what is true is nearly always `True`."""
    is_falsy = bool(_FALSY.search(new.text)) != (".not." in new.text)
    was_false = _OF_FALSITY.fullmatch(old.text)
    if was_false is None:
        return bool(_OF_TRUTH.search(old.text)) and not (is_falsy or new.text.startswith("not "))
    subject = was_false["sized"] or was_false["asked"]
    if subject:
        return new.text == f"not {subject}"
    return bool(_FALSY.search(new.text)) and old.details().subject == new.details().subject


def _is_looser(old: Assertion, new: Assertion) -> bool:
    """Return whether a pattern says nothing that the old one did not, or leaves more open."""
    was, now = (Counter(WORD.findall(each.details().pattern)) for each in (old, new))
    is_open = _OPEN.search(new.details().pattern) and len(new.details().pattern) < len(
        old.details().pattern
    )
    is_part = new.details().pattern in old.details().pattern and (
        now != was or not now
    )  # not only less punctuation
    return bool(is_open) or now < was or is_part


def _is_tighter(old: Assertion, new: Assertion) -> bool:
    """Return whether nothing but tolerances differs, and each is smaller or as it was."""
    now = dict(new.details().slack)
    values = {f"{abs(value):g}" for value in [*dict(old.details().slack).values(), *now.values()]}
    others = {
        each
        for each in old.details().literals ^ new.details().literals
        if f"{_read_number(each):g}" not in values
    }
    return (
        now != dict(old.details().slack)
        and now.keys() == dict(old.details().slack).keys()
        and not others
    )


def _read_number(literal: str) -> float:
    try:
        return float(literal)
    except ValueError:
        return float("nan")


def _weigh_the_rest(
    test: Test, lost: list[Assertion], gained: list[Assertion], elsewhere: GainedParts
) -> Iterator[Sighting]:
    if not lost:
        return
    shown = "; ".join(each.text for each in lost)
    empty = next((each for each in gained if not each.strength), None)
    gained = [each for each in gained if each.strength and not each.swallowed]
    if len(gained) < len(lost) and empty is not None:
        text = f"{test.name} has `{empty.text}` instead of `{shown}`"
        yield Sighting("test-cannot-fail", test.path, empty.line, text)
    elif len(gained) < len(lost):
        text = f"{test.name} lost `{shown}`"
        # What is deprecated goes some day, and its warning with it.
        is_over = elsewhere.base_decides and all(_OF_DEPRECATION.match(x.text) for x in lost)
        mild = is_over or elsewhere.spend_gains(len(lost))
        yield Sighting("assertion-weakened", test.path, test.line, text, mild=mild)
    elif _count_exact(gained) < _count_exact(lost):
        text = f"{test.name} compares less than `{shown}` did"
        mild = elsewhere.spend_gains(len(gained) + len(lost))
        yield Sighting("assertion-weakened", test.path, test.line, text, mild=mild)
    else:
        text = f"{test.name} no longer has `{shown}` in a form we recognise"
        yield Sighting("expectation-changed", test.path, test.line, text)


def _expects_error(assertion: Assertion) -> bool:
    return assertion.strength is Strictness.RELATION and bool(_RAISING.match(assertion.text))


def _is_refused(lost: Collection[Assertion], now: Iterable[Assertion]) -> bool:
    """Return whether only errors are expected of what gave the values that were asked for."""
    if not lost or any(_RAISING.match(each.text) for each in lost):
        return False
    named = frozenset[str]().union(*(each.details().names for each in lost))
    return all(_expects_error(each) and each.details().names & named for each in now)


def _count_exact(assertions: list[Assertion]) -> int:
    return sum(1 for each in assertions if each.strength is Strictness.EQUALITY)


def _point_at(test: Test, rule: str, message: str) -> Sighting:
    return Sighting(rule, test.path, test.line, message)
