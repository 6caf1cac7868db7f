"""What stands behind `make test` and `npm test`."""

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
