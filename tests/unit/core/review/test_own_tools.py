"""Which programs are the project's own tools, by the words of a command."""

from goalkeeper.core.review.own_tools import find_runner_words, is_tool, name_interpreter
from tests.tables import for_each

VERIFY = (
    ("make", "test"),
    ("python3", "-m", "pytest"),
    ("npx", "vitest", "run"),
    ("env", "CARGO_HOME=.cargo", "cargo", "test", "--offline"),
    ("node", "--test"),
    ("sh", "-c", "go test ./..."),
    ("python3", "tools/check.py"),
)


@for_each(
    ("command", "cwd"),
    [
        (".venv/bin/ruff check --diff", ""),
        ("./.venv/bin/ruff", ""),
        ("../venv/bin/mypy -p amounts", "src"),
        ("packages/app/node_modules/.bin/tsc --noEmit", ""),
        ("node_modules/.bin/tsc", "packages/app"),
        ("make show NAME=Ada", ""),
        ("python3 -m pytest -q tests/test_amounts.py -k separators", ""),
        ("python -m pytest", ""),
        (".venv/bin/python3.12 -m pytest -x", ""),
        ("npx vitest list", ""),
        ("env CARGO_HOME=.cargo cargo run --offline", ""),
        ("node --test test/one.test.js", ""),
    ],
)
def test_programs_of_the_environment_and_runners_take_any_words(command: str, cwd: str) -> None:
    assert is_tool(tuple(command.split()), cwd, VERIFY)


@for_each(
    ("command", "cwd"),
    [
        ("echo fixed", ""),
        ("/usr/bin/make show", ""),
        ("/project/.venv/bin/ruff", ""),
        ("../.venv/bin/ruff", ""),
        (".venv/bin/../../tool", ""),
        (".venv/lib/tool", ""),
        (".venv/bin/python -c print(1)", ""),
        (".venv/bin/python3.12 tool.py", ""),
        (".venv/bin/sh -c x", ""),
        ("python3 -c print(1)", ""),
        ("python3 -m pip list", ""),
        ("python3 -m", ""),
        ("python3", ""),
        ("sh -c true", ""),
        ("node -e 1", ""),
        ("npx cowsay", ""),
        ("env cargo test", ""),
        ("env sh -c x", ""),
        ("cargo run", ""),
        ("bin/tool", ""),
    ],
)
def test_nothing_else_is_a_tool(command: str, cwd: str) -> None:
    assert not is_tool(tuple(command.split()), cwd, VERIFY)


@for_each(
    ("argv", "words"),
    [
        ("pytest -q", "pytest"),
        ("uv run --frozen pytest -q", "uv run --frozen pytest"),
        ("poetry run python -m pytest", "poetry run python -m pytest"),
        ("bundle exec rspec", "bundle exec rspec"),
        ("uv run", ""),
        ("uv run sh -c x", ""),
        ("env", ""),
        ("bash run.sh", ""),
    ],
)
def test_what_starts_a_runner_is_no_runner_itself(argv: str, words: str) -> None:
    assert find_runner_words(tuple(argv.split())) == tuple(words.split())


@for_each(
    ("command", "named"),
    [
        (".venv/bin/python tool.py", "python3 tool.py"),
        (".venv/bin/python3.12 -m amounts", "python3 -m amounts"),
        ("node_modules/.bin/node x.js", "node x.js"),
        ("/usr/bin/python3 tool.py", "/usr/bin/python3 tool.py"),
        ("bin/python tool.py", "bin/python tool.py"),
        (".venv/bin/pytest", ".venv/bin/pytest"),
    ],
)
def test_an_interpreter_of_the_environment_counts_as_the_interpreter(
    command: str, named: str
) -> None:
    assert name_interpreter(tuple(command.split()), "") == tuple(named.split())
