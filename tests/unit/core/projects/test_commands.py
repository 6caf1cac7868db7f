"""What stands behind `make test` and `npm test`."""

from goalkeeper.core.projects.commands import find_runner, only_looks, split_command
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
        ("make test", "test: lint\n\tpython3 -m unittest\nlint:\n\truff check\n"),
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


@for_each(
    ("argv", "text", "parts"),
    [
        (
            "make test",
            "test: lint\n\tpytest -q\nlint:\n\t@ruff check .\n",
            "ruff check .;pytest -q",
        ),
        ("make test", "test:\n\tmypy src && pytest\n\tsh x.sh\n", "mypy src;pytest;sh x.sh"),
        ("make test", "test: test\n\tpytest\n", ""),
        ("make test", "test: build/x\n\tpytest\n", ""),
        ("make test", "test:\n\tcd web && npm test\n\tpytest\n", ""),
        ("make test", "test:\n\tpytest\n\t$(MAKE) lint\n", ""),
        ("npm test", '{"scripts": {"pretest": "eslint .", "test": "mocha"}}', "eslint .;mocha"),
        ("npm test", '{"scripts": {"lint": "eslint ."}}', ""),
    ],
)
def test_all_that_a_command_runs_is_found_or_nothing(argv: str, text: str, parts: str) -> None:
    found = split_command(argv.split(), lambda _: text)
    assert ";".join(" ".join(part) for part in found) == parts


def test_a_linter_is_known_however_it_is_started() -> None:
    lines = (
        "ruff check .",
        "npx eslint .",
        "python3 -m mypy src",
        "uv run .venv/bin/black --check",
    )
    assert [line for line in lines if not only_looks(line.split())] == []
    others = ("make lint", "python3 setup.py build", "tsc", "python3 -m build")
    assert [line for line in others if only_looks(line.split())] == []
