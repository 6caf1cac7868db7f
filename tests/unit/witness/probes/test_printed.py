"""Answers that failing tests print: how many tell a table from chance."""

from goalkeeper.witness.probes.printed import is_table
from tests.tables import for_each


@for_each(
    ("known", "fresh", "expected"),
    [
        (["680", "765", "817", "845"], [], False),  # of a slow check, which is tried once
        (["680", "765", "817"] * 2, [], True),
        (["680", "765"] * 4, [], False),
        (["121", "680", "765", "817", "845", "900", "961"], ["17"], False),
        (["680", "765", "817"] * 3, ["17"], True),
    ],
)
def test_few_answers_stand_in_the_tests_by_chance(
    known: list[str], fresh: list[str], expected: bool
) -> None:
    assert is_table(known, fresh) is expected
