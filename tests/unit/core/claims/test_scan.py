"""Claims of absence, outages and zeros; `test_examples` has many more sentences."""

from goalkeeper.core.claims.reading import Claim, ClaimClass
from goalkeeper.core.claims.scan import find_claims
from tests.tables import for_each


def found(text: str, kind: ClaimClass) -> list[str]:
    return [claim.matched for claim in find_claims(text) if claim.kind is kind]


def kinds(text: str) -> set[ClaimClass]:
    return {claim.kind for claim in find_claims(text)}


def zero_counts(text: str) -> list[Claim]:
    return [claim for claim in find_claims(text) if claim.kind is ClaimClass.ZERO_COUNT]


def test_T32_what_has_not_been_pushed_is_absent_and_a_pushed_button_is_not() -> None:
    assert found("It hasn't been pushed.", ClaimClass.ABSENCE) == ["hasn't been pushed"]
    assert found("I pushed the button.", ClaimClass.ABSENCE) == []


def test_T39_a_typographic_apostrophe_is_an_apostrophe() -> None:
    text = "The export isn’t built."

    (claim,) = find_claims(text)

    assert (claim.kind, claim.matched) == (ClaimClass.ABSENCE, "isn’t built")
    assert text[claim.start : claim.end] == claim.matched


def test_what_a_named_file_does_not_hold_is_the_state_of_the_file() -> None:
    assert kinds("a.yaml does not have a port.") == {ClaimClass.FILE_STATE}


def test_a_named_file_that_does_not_exist_is_both() -> None:
    assert kinds("a.yaml does not exist.") == {ClaimClass.FILE_STATE, ClaimClass.ABSENCE}


def test_T33_a_refused_connection_is_claimed() -> None:
    refused = found("Then: connection refused.", ClaimClass.INFRASTRUCTURE)

    assert refused == ["connection refused"]


def test_T34_support_is_no_port() -> None:
    assert kinds("The library doesn't support it.") == {ClaimClass.ABSENCE}


def test_T34_one_sentence_may_make_claims_of_two_classes() -> None:
    assert kinds("The server is down and the API doesn't exist.") == {
        ClaimClass.INFRASTRUCTURE,
        ClaimClass.ABSENCE,
    }


@for_each(
    ("text", "field"),
    [
        ("98% of records have times_triggered=0.", "times_triggered"),
        ("0 goals have priority=HIGH.", "priority"),
        ("All experience entries are missing the source field.", "source"),
        ("12/40 pipeline records lack `finished_at`.", "finished_at"),
        ("None of the entries have tags set.", "tags"),
        ("No records have a non-null owner.", "owner"),
        ("7 of 30 events are without a user_id.", "user_id"),
        ("The field `usage.count` is 0 across 1,200 records.", "usage.count"),
        ("The priority field is empty in all goals.", "priority"),
        ("Every row has an empty email column.", "email"),
        ("retry_count is always zero.", "retry_count"),
        ("last_used is null in all 52 rows.", "last_used"),
        ("hits=0 for every entry.", "hits"),
        ("The query returned zero rows for `status=open`.", "status"),
        ("The table has a missing column.", ""),
        ("The cache has zero utilization.", ""),
    ],
)
def test_T36_a_zero_is_claimed_with_its_field(text: str, field: str) -> None:
    assert [claim.field for claim in zero_counts(text)] == [field]


def test_T36_a_file_beside_a_zero_belongs_to_it() -> None:
    (claim,) = zero_counts("In data/events.jsonl 40% of events have duration=0.")

    assert (claim.files, claim.field) == (("data/events.jsonl",), "duration")


@for_each(
    "text",
    [
        "100% of tests pass with zero failures.",
        "0 tests failed.",
        "Zero warnings were printed.",
        "All modules have zero lint errors.",
        "The exit code was 0 in all 5 runs.",
        "All records have an owner.",
        "12 of 12 goals are complete.",
        "None of the tests failed.",
        "x = 0 is the default.",
        "Do 98% of records have x=0?",
        "If 98% of records have x=0, it stops.",
        "`98% of records have x=0` is printed.",
    ],
)
def test_T36_no_zero_is_claimed(text: str) -> None:
    assert zero_counts(text) == []


def test_that_all_entries_miss_something_is_one_claim() -> None:
    assert len(find_claims("All entries are missing the `source` field.")) == 1
