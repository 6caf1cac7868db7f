"""The world every test lives in: no home, agent, time zone or identity of the developer's."""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.e2e.holds import Held
from tests.patience import patience

FOREIGN = ("GOALKEEPER_", "CLAUDECODE", "CLAUDE_", "CODEX_", "GEMINI_", "OPENCODE", "GIT_", "XDG_")
PLAIN = {
    "TZ": "<+0545>-05:45",  # odd on purpose; needs no zone database
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "GIT_AUTHOR_NAME": "A. Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.org",
    "GIT_COMMITTER_NAME": "A. Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
}

# Tests sync thousands of small files to the disk; in memory that takes no time.
MEMORY = "/dev/shm"
ENOUGH_BYTES = 4 << 30
if os.path.ismount(MEMORY) and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES:
    tempfile.tempdir = os.environ.setdefault("TMPDIR", MEMORY)

# A shell gives its background jobs an interrupt that is ignored, and programs hand that on.
signal.signal(signal.SIGINT, signal.default_int_handler)

EXAMPLES = 14 if "GOALKEEPER_ROUNDS" in os.environ else 10  # `make thorough` tries more
settings.register_profile("dev", max_examples=EXAMPLES, deadline=None)
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "dev"))


@pytest.fixture(scope="session", autouse=True)
def plain_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Scrub the environment for the session; the folder given back holds the tests' homes."""
    homes = tmp_path_factory.mktemp("homes")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(FOREIGN)]:
            patch.delenv(name)
        for name, value in PLAIN.items():
            patch.setenv(name, value)
        settle_in(homes, patch)
        time.tzset()
        yield homes
    time.tzset()


@pytest.fixture(autouse=True)
def home(plain_world: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test an empty home of its own, outside its tmp_path."""
    home = Path(tempfile.mkdtemp(dir=plain_world))
    settle_in(home, monkeypatch)
    return home


def settle_in(home: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("HOME", str(home))
    for kind in ("CACHE", "CONFIG", "DATA", "STATE"):
        patch.setenv(f"XDG_{kind}_HOME", str(home / f".{kind.lower()}"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Scale time limits by how slow the machine is now; begin with what only waits."""
    usual = float(config.getoption("timeout") or config.getini("timeout"))
    for item in items:
        marker = item.get_closest_marker("timeout")
        seconds = float(marker.args[0]) if marker else usual
        item.add_marker(pytest.mark.timeout(patience(seconds)), append=False)
    items.sort(key=lambda item: item.get_closest_marker("waits") is None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for program in marker.args:
            if shutil.which(program) is None:
                pytest.skip(f"{program} is not installed")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where every optional part is required, a skipped test is a failed one."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("GOALKEEPER_REQUIRE_ALL") != "1" or reporter is None:
        return
    skipped = sorted(report.nodeid for report in reporter.stats.get("skipped", []))
    if skipped:
        reporter.ensure_newline()
        reporter.write_line("GOALKEEPER_REQUIRE_ALL=1: nothing may be skipped, but these were")
        for nodeid in skipped:
            reporter.write_line(f"  {nodeid}")
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    """A repository whose check fails; no session is held yet."""
    world = Held(tmp_path)
    yield world
    world.settle()


@pytest.fixture(scope="module")
def armed_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    """What `armed` goes back to; a module may have its own."""
    world = Held(tmp_path_factory.mktemp("armed"))
    world.arm()
    world.keep()
    yield world
    world.settle()


@pytest.fixture
def armed(armed_once: Held) -> Held:
    """Session s1 of claude is held, and what the check says is known."""
    armed_once.restore()
    return armed_once
