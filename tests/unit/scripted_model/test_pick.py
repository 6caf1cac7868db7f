from __future__ import annotations

from collections.abc import Iterator

from tests.scripted_model.pick import Counts, pick
from tests.scripted_model.request import Message, Request
from tests.scripted_model.script import Reply, Rule, Script, When
from tests.tables import for_each
from tests.unit.scripted_model.examples import ASKED

A, B, C = Reply("a"), Reply("b"), Reply("c")
UNARMED = ASKED.replace(tools=())


def picked(script: Script, *requests: Request) -> Iterator[str]:
    counts = Counts()
    for request in requests:
        choice = pick(script, counts, request)
        counts = choice.counts
        yield choice.why


def test_turns_come_in_order_and_the_last_repeats() -> None:
    script = Script((A, B))

    assert list(picked(script, *[ASKED] * 3)) == ["turns[0]", "turns[1]", "turns[1]"]
    assert pick(script, Counts(turns=1), ASKED).turn == B


def test_a_rule_comes_first_and_counts_for_itself() -> None:
    script = Script((A, B), (Rule(When(last="sub"), (B, C)),))
    sub = ASKED.replace(messages=(Message("user", "a subtask"),))

    assert list(picked(script, sub, ASKED, sub, sub, ASKED)) == [
        "rules[0].turns[0]", "turns[0]", "rules[0].turns[1]", "rules[0].turns[1]", "turns[1]",
    ]  # fmt: skip


def test_a_rule_that_has_answered_its_times_is_passed_over() -> None:
    script = Script((A,), (Rule(When(), (B,), times=1), Rule(When(), (C,), times=2)))

    assert list(picked(script, *[ASKED] * 4)) == [
        "rules[0].turns[0]", "rules[1].turns[0]", "rules[1].turns[0]", "turns[0]",
    ]  # fmt: skip


def test_requests_without_tools_are_answered_aside_and_use_up_no_turn() -> None:
    script = Script((A,), side=C)

    assert list(picked(script, UNARMED, ASKED, UNARMED)) == ["side", "turns[0]", "side"]


def test_without_a_side_answer_they_take_turns_like_all_others() -> None:
    assert list(picked(Script((A, B)), UNARMED, ASKED)) == ["turns[0]", "turns[1]"]


def test_picking_changes_nothing_but_what_it_returns() -> None:
    script, counts = Script((A, B), (Rule(When(model="x"), (C,)),)), Counts()

    assert pick(script, counts, ASKED) == pick(script, counts, ASKED)
    assert counts == Counts()


@for_each(
    ("when", "fits"),
    [
        (When(), True),
        (When(api="chat"), True),
        (When(api="gemini"), False),
        (When(model="^m"), True),
        (When(model="^1"), False),
        (When(system="brief"), True),
        (When(system="long"), False),
        (When(last="^hello$"), True),
        (When(last="earlier"), False),
        (When(all="earlier.*hello"), True),
        (When(tool="Write"), True),
        (When(tool="Wri"), False),
        (When(notools=True), False),
        (When(model="m1", last="bye"), False),
    ],
)
def test_a_rule_applies_when_all_that_it_asks_is_so(when: When, fits: bool) -> None:
    request = ASKED.replace(messages=(Message("user", "earlier"), *ASKED.messages))
    script = Script((A,), (Rule(when, (B,)),))

    assert (pick(script, Counts(), request).turn == B) is fits
