"""Commands whose tests can be told apart, and what stands behind `make test`."""

from goalkeeper.core.contract.named_tests import name_tests
from goalkeeper.core.projects.commands import find_runner
from tests.tables import for_each

UNITTEST = ("python3", "-m", "unittest")
NODE = ("node", "--test", "test/")


@for_each(
    ("argv", "file", "text", "runner"),
    [
        ("make test", "Makefile", "test:\n\t@python3 -m unittest\n", UNITTEST),
        (
            "make test",
            "Makefile",
            "all: x\n\nx:\n\ttrue\ntest:  # all\n\tpython3 -m unittest",
            UNITTEST,
        ),
        ("npm test", "package.json", '{"scripts": {"test": "node --test test/"}}', NODE),
    ],
)
def test_one_plain_line_is_the_command_itself(
    argv: str, file: str, text: str, runner: tuple[str, ...]
) -> None:
    assert find_runner(argv.split(), lambda name: text if name == file else "") == runner


@for_each(
    ("argv", "text"),
    [
        ("make test", ""),
        ("make test", "test: build\n\tpython3 -m unittest\n"),
        ("make test", "test:\n\tcd src\n\tpython3 -m unittest\n"),
        ("make test", "test:\n\tpython3 -m unittest || true\n"),
        ("make test", "test:\n\t$(PYTHON) -m unittest\n"),
        ("make test", "test:\n\t-python3 -m unittest\n"),
        ("make test", "test:\n\tA=1 python3 -m unittest\n"),
        ("make test", "test:\n\tpython3 -m unittest\ntest:\n\tpytest\n"),
        ("make -k test", "test:\n\tpython3 -m unittest\n"),
        ("npm test", '{"scripts": {"pretest": "x", "test": "node --test"}}'),
        ("npm test", '{"scripts": ["test"]}'),
        ("npm test", "{"),
    ],
)
def test_what_may_mean_more_stays_as_it_is(argv: str, text: str) -> None:
    assert find_runner(argv.split(), lambda _: text) == tuple(argv.split())


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
        ("node_modules/.bin/tape a.js", "tap", "node_modules/.bin/tape a.js"),
        ("env -C web node --test", "tap", "env -C web node --test --test-reporter=tap"),
    ],
)
def test_runners_are_asked_for_tap(command: str, kind: str, argv: str) -> None:
    assert (name_tests(command.split()) or {})[kind] == argv.split()


def test_a_report_lies_where_its_runner_runs() -> None:
    check = name_tests(["env", "-C", "api", "python3", "-m", "pytest"]) or {}

    assert check["report"] == "api/.goalkeeper-tests.xml"


@for_each("command", ["make test", "npm test", "go test ./...", "sh check.sh", "python3 -m nose"])
def test_of_other_commands_nobody_knows_the_tests(command: str) -> None:
    assert name_tests(command.split()) is None
