"""Values read back from JSON: by the names of their fields, as their annotations say."""

from collections.abc import Iterator
from enum import StrEnum
from typing import get_args

import pytest

from goalkeeper.core.campaign.events import CampaignEvent
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.decode import HOME_OF, Malformed, decode, find_class, plain
from goalkeeper.core.drive.phases import Ending, Record, Spend
from goalkeeper.core.plan.events import Event, Unknown
from goalkeeper.core.plan.model import Actor, ActorKind, Base, Goal, NewGoal, Plan
from goalkeeper.wire.value import Value
from tests.tables import for_each

BASE = Base("a tree", "a commit")
NOT_READ = {"str", "int", "bool", "MaybeEmpty"}


def names_in(shape: type[Value]) -> Iterator[str]:
    """The classes that the annotations of a class name."""
    for annotation in shape.__annotations__.values():
        bare = str(annotation).removesuffix(" | None").removeprefix("tuple[").removesuffix(", ...]")
        if bare not in NOT_READ:
            yield bare


def all_names() -> set[str]:
    """Every class that a plan or an event can hold, by way of others too."""
    left: list[type[Value]] = [Plan, *(set(get_args(Event | CampaignEvent)) - {Unknown})]
    seen: set[str] = set()
    while left:
        for name in names_in(left.pop()):
            if name not in seen:
                seen.add(name)
                found = find_class(name)
                left += [each for each in get_args(found) or (found,) if not is_choice(each)]
    return seen


def is_choice(shape: type) -> bool:
    return issubclass(shape, StrEnum)


def test_every_class_that_a_plan_or_an_event_can_hold_is_found_by_its_name() -> None:
    of_ledger_lines = {"Actor", "ActorKind"}

    assert all_names() | of_ledger_lines == HOME_OF.keys()


def test_the_order_of_fields_does_not_matter() -> None:
    turned = dict(reversed(plain(BASE).items()))

    assert decode(Base, turned) == BASE


def test_a_field_that_the_class_does_not_have_is_ignored() -> None:
    assert decode(Base, {**plain(BASE), "colour": [1]}) == BASE


def test_what_was_left_out_because_it_was_empty_is_empty_again() -> None:
    empty = NewGoal("", "")

    assert plain(empty) == {}
    assert decode(NewGoal, {}) == empty


def test_a_missing_field_is_its_default() -> None:
    assert decode(Base, {"tree": "t"}) == Base("t", "")
    assert decode(Spend, {"microdollars": 1}) == Spend(0, 0, 0, 1)


def test_a_missing_object_is_malformed_even_if_its_class_has_a_default() -> None:
    written = plain(Record("claude", Ending.OK))
    del written["spend"]

    with pytest.raises(Malformed, match=r"^spend is not an object$"):
        decode(Record, written)


def test_a_finding_without_a_line_is_about_the_whole_file() -> None:
    found = Finding("skip-added", Level.BLOCKING, "a.py", 0, "a is skipped")
    written = plain(found)
    del written["line"]

    assert decode(Finding, written) == found


def test_none_was_left_out_whatever_the_default_is() -> None:
    unknown = Spend(1, 2, 3, None)

    assert decode(Spend, plain(unknown)) == unknown


@for_each("given", [None, [], "text", 3, True])
def test_what_is_no_object_is_malformed(given: object) -> None:
    with pytest.raises(Malformed, match=r"^it is not an object$"):
        decode(Base, given)


@for_each(
    ("shape", "given", "said"),
    [
        (Base, {}, "tree is not text"),
        (Base, {"tree": 1}, "tree is not text"),
        (Base, {"tree": None}, "tree is not text"),
        (Spend, {"input_tokens": True}, "input_tokens is not a whole number"),
        (Spend, {"input_tokens": 1.0}, "input_tokens is not a whole number"),
        (Spend, {"microdollars": "1"}, "microdollars is not a whole number"),
        (Actor, {"kind": "robot"}, "kind is not one of human, agent, engine"),
        (Actor, {"kind": ["human"]}, "kind is not text"),
        (NewGoal, {"depends_on": None}, "depends_on is not a list of texts"),
        (NewGoal, {"depends_on": ["G001", 2]}, "depends_on is not a list of texts"),
        (NewGoal, {"timing": []}, "timing is not an object"),
        (NewGoal, {"timing": {"opens": 1}}, "timing.opens is not text"),
        (Plan, {"goals": {}}, "goals is not a list"),
        (Plan, {"goals": [1]}, r"goals\[0\] is not an object"),
        (Plan, {"tool": None}, "tool is not an object"),
    ],
)
def test_a_field_that_is_not_what_it_must_be_is_named(
    shape: type[Value], given: object, said: str
) -> None:
    with pytest.raises(Malformed, match=f"^{said}$"):
        decode(shape, given)


def test_a_field_deep_inside_is_named_with_the_way_to_it() -> None:
    goal = Goal("G001", "", "", "pending", "at", "at", "brief")  # type: ignore[arg-type]
    plan = {"goals": [plain(goal), {**plain(goal), "frozen": {"digest": "d", "base": 1}}]}

    with pytest.raises(Malformed, match=r"^plan\.goals\[1\]\.frozen\.base is not an object$"):
        decode(Plan, plan, "plan")


def test_a_value_is_read_whether_its_choices_are_texts_or_members() -> None:
    actor = Actor(ActorKind.AGENT, "said so")

    assert decode(Actor, {"kind": "agent", "how": "said so"}) == actor
    assert decode(Actor, actor.as_dict()) == actor
