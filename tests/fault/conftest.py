"""How often to kill at random: `--rounds N`, or GOALKEEPER_ROUNDS=N.

pytest knows the option only when this folder is named on its command line.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fault.aftermath import TALLY
from tests.fault.forking import Forks, forking

DEFAULT_ROUNDS = 2
ROUNDS_IN_A_TEST = 20  # small enough for the time limit of a test, and to be spread over cores


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rounds", type=int, default=None, help="kills at random moments")


@pytest.fixture(scope="session")
def forks(plain_world: Path) -> Iterator[Forks]:
    with forking() as forks:
        yield forks


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "rounds" in metafunc.fixturenames:
        wanted = rounds(metafunc.config)
        batches = [
            min(ROUNDS_IN_A_TEST, wanted - done) for done in range(0, wanted, ROUNDS_IN_A_TEST)
        ]
        names = [f"batch{number}" for number in range(1, len(batches) + 1)]
        metafunc.parametrize("rounds", batches, ids=names)


def rounds(config: pytest.Config) -> int:
    asked: int | None = config.getoption("--rounds", default=None)
    return asked or int(os.environ.get("GOALKEEPER_ROUNDS", DEFAULT_ROUNDS))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tally: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, counts in getattr(report, "user_properties", ()):
                if name == TALLY and report.when == "call":
                    tally.update(counts)
    if tally:
        shown = ", ".join(f"{number} {what}" for what, number in sorted(tally.items()))
        terminalreporter.write_line(f"kill -9: {shown}")
