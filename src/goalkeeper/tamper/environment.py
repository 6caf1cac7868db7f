"""Words by which code can tell that it is being tested."""

from __future__ import annotations

import re

# Set by a runner and by nothing else.
_RUNNER_VARIABLE = re.compile(
    r"PYTEST_?\w*|JEST_WORKER_ID|VITEST\w*|NODE_TEST_CONTEXT|MOCHA_\w+|BATS_\w+|TOX_ENV\w*"
    r"|UNITTEST\w*|_called_from_test|GOALKEEPER\w*|NOSE_\w+|RSPEC_\w+|CYPRESS|PLAYWRIGHT_TEST\w*"
)
_RUNNER_MODULE = re.compile(r"_?pytest(\..*)?|unittest(\..*)?|nose2?|conftest|jest|mocha|vitest")
# Honest programs ask these too: for colours, for a database, for a quieter log.
_SHARED_VARIABLE = re.compile(r"CI|GITHUB_ACTIONS|GITLAB_CI|TESTING|TEST_MODE|TEST_ENV|IS_TEST")
_RUNNER_WORD = re.compile(r".*\b(py\.?test|unittest|jest|mocha|vitest|bats|test_\w*|tests?)\b.*")


def is_runner_variable(name: str) -> bool:
    return bool(_RUNNER_VARIABLE.fullmatch(name))


def is_shared_variable(name: str) -> bool:
    return bool(_SHARED_VARIABLE.fullmatch(name))


def is_runner_module(name: str) -> bool:
    return bool(_RUNNER_MODULE.fullmatch(name))


def names_a_runner(text: str) -> bool:
    """The text is a piece of a command line, a file name or a function name."""
    return bool(_RUNNER_WORD.fullmatch(text)) or text in {"test", "test_", "tests", "/tests/"}
