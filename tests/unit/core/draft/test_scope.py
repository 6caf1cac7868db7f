"""What drafted work may not change, unless somebody asked for it."""

from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.draft.scope import describe_closed, list_closed
from tests.tables import for_each

PATHS = ("a.py", "uv.lock", "web/package-lock.json", ".github/workflows/test.yml")
CI, OWN_CI = ".github/workflows/new.yml", "sub/.gitlab-ci.yml"


@for_each(
    ("touched", "words", "is_closed"),
    [
        ((), "Amounts may carry separators", {CI, OWN_CI, "uv.lock", "web/package-lock.json"}),
        (("a.py", "new.py"), "x", {CI, OWN_CI, "uv.lock", "web/package-lock.json"}),
        ((".github/workflows/test.yml",), "x", {OWN_CI, "uv.lock", "web/package-lock.json"}),
        ((), "Run the tests in CI", {"uv.lock", "web/package-lock.json"}),
        ((), "Add .gitlab-ci.yml", {CI, "uv.lock", "web/package-lock.json"}),
        (("pyproject.toml",), "x", {CI, OWN_CI}),
        (("uv.lock",), "x", {CI, OWN_CI, "web/package-lock.json"}),
        ((), "Upgrade the parser library", {CI, OWN_CI}),
    ],
)
def test_what_judges_is_closed_unless_somebody_asked_for_it(
    touched: tuple[str, ...], words: str, is_closed: set[str]
) -> None:
    closed = list_closed(PATHS, touched, words)
    asked = (CI, OWN_CI, *PATHS[:3], "new.py", "docs/x.md", "yarn.lock", "ci.py")
    assert {path for path in asked if is_match(path, closed)} == is_closed


def test_the_card_says_it_in_few_words() -> None:
    said = describe_closed(list_closed(PATHS, (), ""))
    assert said == "CI configuration, uv.lock, web/package-lock.json"
