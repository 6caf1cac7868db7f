"""What a replay must show before it is run again."""

from collections.abc import Mapping
from typing import Any

from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.review.words import Artifact
from goalkeeper.witness.artifacts import check_artifacts
from goalkeeper.witness.check_context import CheckResult
from tests.tables import for_each

RECORD = {
    "schemaVersion": 1, "kind": "cli-replay", "replaySafe": True,
    "command": ["sh", "notes.md"], "recordedStdout": "",
}  # fmt: skip
REFUSED = [{"kind": "substring", "value": "refused"}]


def codes(surface: str, **fields: Any) -> list[str]:  # noqa: ANN401  JSON
    """What speaks against a record, before anything runs."""
    record = {**RECORD, **fields}
    (found,) = check_artifacts(
        [Artifact("at", "a", "command-replay", "", record, None, surface)], "", ran
    )
    return [each.code for each in found.diagnostics]


def ran(asked: Mapping[str, Criterion]) -> Mapping[str, CheckResult]:
    del asked
    return {}


def test_a_run_that_only_fails_shows_no_surface() -> None:
    assert codes("cli", expectedExitCode=127) == ["replay-silent"]
    forbids = [{"kind": "not_substring", "value": "Traceback"}]
    assert codes("cli", expectedExitCode=1, invariants=forbids) == ["replay-silent"]


@for_each(
    "fields",
    [
        {},
        {"expectedExitCode": 2, "recordedStdout": "usage: tool FILE\n"},
        {"expectedExitCode": 2, "recordedStderr": "usage: tool FILE\n"},
        {"expectedExitCode": 2, "invariants": REFUSED},
    ],
)
def test_a_silent_success_and_a_failure_that_is_explained_do(fields: dict[str, Any]) -> None:
    assert codes("cli", **fields) == []


def test_an_attempt_to_break_it_may_fail_silently() -> None:
    assert codes("", expectedExitCode=1) == []
