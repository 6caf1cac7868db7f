"""Commands whose tests can be told apart."""

from goalkeeper.core.contract.named_tests import name_tests
from tests.tables import for_each


def test_options_are_given_to_the_runner_and_not_to_its_files() -> None:
    check = name_tests(["uv", "run", "pytest", "-x", "--", "-odd"]) or {}
    argv = check["junit"]

    assert isinstance(argv, list)
    assert argv[:4] == ["uv", "run", "pytest", "-x"]
    assert argv[-2:] == ["--", "-odd"]
    assert argv.index("--maxfail=0") > argv.index("-x")  # the last one counts


@for_each(
    ("command", "kind", "argv"),
    [
        ("bats -r test", "tap", "bats --tap -r test"),
        ("npx mocha a.js", "tap", "npx mocha --reporter tap a.js"),
        ("mocha -r x --reporter spec --bail t/", "tap", "mocha --reporter tap -r x t/"),
        ("vitest run --bail 1 a", "tap", "vitest --reporter=tap-flat run a"),
        ("node_modules/.bin/tape a.js", "tap", "node_modules/.bin/tape a.js"),
        ("env -C web node --test", "tap", "env -C web node --test --test-reporter=tap"),
    ],
)
def test_runners_are_asked_for_tap(command: str, kind: str, argv: str) -> None:
    assert (name_tests(command.split()) or {})[kind] == argv.split()


def test_a_report_lies_where_its_runner_runs() -> None:
    check = name_tests(["env", "-C", "api", "python3", "-m", "pytest"]) or {}

    assert check["report"] == "api/.test-results.xml"


@for_each("command", ["make test", "npm test", "go test ./...", "sh check.sh", "python3 -m nose"])
def test_of_other_commands_nobody_knows_the_tests(command: str) -> None:
    assert name_tests(command.split()) is None
