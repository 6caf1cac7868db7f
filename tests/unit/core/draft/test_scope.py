"""What drafted work may not change, unless somebody asked for it."""

from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.draft.scope import list_closed
from tests.tables import for_each

CI, OWN_CI = ".github/workflows/new.yml", "sub/.gitlab-ci.yml"


@for_each(
    ("touched", "words", "is_closed"),
    [
        (("a.py", "new.py"), "Amounts may carry separators", {CI, OWN_CI}),
        ((".github/workflows/test.yml",), "x", {OWN_CI}),
        ((), "Run the tests in CI", set()),
        ((), "Add .gitlab-ci.yml", {CI}),
    ],
)
def test_ci_is_closed_unless_somebody_asked_for_it(
    touched: tuple[str, ...], words: str, is_closed: set[str]
) -> None:
    closed = list_closed(touched, words)
    asked = (CI, OWN_CI, "a.py", "uv.lock", "docs/x.md", "ci.py")
    assert {path for path in asked if is_match(path, closed)} == is_closed
