"""Goal and run ids."""

from goalkeeper.core.plan.ids import goal_id, is_run_id, run_id
from tests.tables import for_each

NOON = "2026-03-04T12:34:56.789012Z"


@for_each(("number", "made"), [(1, "G001"), (42, "G042"), (1000, "G1000")])
def test_a_goal_id_has_at_least_three_digits(number: int, made: str) -> None:
    assert goal_id(number) == made


def test_a_run_id_is_the_moment_and_four_digits() -> None:
    assert run_id(NOON, "0a1f") == "20260304-123456-0a1f"


@for_each(
    ("newest", "made"),
    [
        ("20260304-123455-ffff", "20260304-123456-0a1f"),
        ("20260304-123456-0a1e", "20260304-123456-0a1f"),
        ("20260304-123456-0a1f", "20260304-123456-0a20"),
        ("20260304-123456-b000", "20260304-123456-b001"),
        ("20270101-000000-0000", "20270101-000000-0001"),
        ("20270101-000000-ffff", "20270101-000001-0000"),
        ("20261231-235959-ffff", "20261231-235960-0000"),
    ],
    ids=["later", "same second", "twin", "lower", "clock went back", "carry", "odd carry"],
)
def test_a_run_id_sorts_after_the_newest(newest: str, made: str) -> None:
    assert run_id(NOON, "0a1f", newest=newest) == made
    assert made > newest
    assert is_run_id(made)


@for_each(
    "text",
    [
        "",
        ".",
        "..",
        "current",
        "../20260304-123456-0a1f",
        "20260304-123456-0a1f/..",
        "20260304-123456-0a1f\n",
        "20260304-123456-0A1F",
        "20260304-123456-0a1",
        "20260304-123456",
        "٢٠٢٦٠٣٠٤-123456-0a1f",
    ],
)
def test_anything_else_is_no_run_id(text: str) -> None:
    assert not is_run_id(text)
