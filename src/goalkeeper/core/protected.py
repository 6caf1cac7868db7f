"""Which files decide what a check says, by their names: tests, their data, harness, CI, ours."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache


class Role(StrEnum):
    TEST = "test"
    DATA = "test data"
    HARNESS = "harness"
    CI = "CI"
    STATE = "goalkeeper's own"


_TEST_DIRS = frozenset({"tests", "test", "Tests", "__tests__", "spec", "specs", "e2e"})
_DATA_DIRS = frozenset(
    {"__snapshots__", "golden", "goldens", "snapshots", "testdata", "test_data", "cassettes"}
)
_CI_DIRS = frozenset({".github", ".circleci", ".ci", ".buildkite"})
_CI_FILES = frozenset(
    {
        ".drone.yml",
        ".gitlab-ci.yml",
        ".travis.yml",
        "Jenkinsfile",
        "appveyor.yml",
        "azure-pipelines.yml",
        "bitbucket-pipelines.yml",
    }
)
_TEST_FILE = re.compile(
    r"(test_.*|.*_(unit)?tests?)\.(py|sh|bash|go|rb|c|cc|cpp|rs|lua|pl|exs|dart)"
    r"|.*[.-](test|spec)\.([cm]?[jt]sx?)"
    r"|tests?\.([cm]?[jt]sx?|py|sh|rs)|.*(Test|Tests|IT)\.(java|kt|cs|php|swift|scala)"
    r"|.*Spec\.scala|.*_spec\.(rb|lua)|.*\.bats|.*\.t"
)
_HARNESS_FILE = re.compile(
    r"conftest\.py|\.?pytest\.ini|pytest\.toml|tox\.ini|setup\.cfg|noxfile\.py|\.coveragerc"
    r"|(site|user)customize\.py|pytest\.py|_pytest|unittest\.py"
    r"|(jest|vitest|vite|playwright|karma|cypress|ava|web-test-runner)\.conf(ig)?\.([cm]?[jt]sx?|json)"
    r"|jest\.(setup|preset)\.[cm]?[jt]s|\.(mocharc|taprc|nycrc|c8rc)(\..*)?"
    r"|\.?ruff\.toml|\.flake8|\.?mypy\.ini|\.?pylintrc|\.eslintrc(\..*)?|eslint\.config\.[cm]?[jt]s"
    r"|\.eslintignore|biome\.jsonc?|\.golangci\.ya?ml|\.rspec|phpunit\.xml(\.dist)?|\.npmrc"
)
_SNAPSHOT_FILE = re.compile(r".*\.(snap|golden|ambr|approved\.\w+)")
_RUNNER_FILES = {
    "make": re.compile(r"(GNUm|[Mm])akefile|.*\.mk"),
    "gmake": re.compile(r"(GNUm|[Mm])akefile|.*\.mk"),
    "just": re.compile(r"\.?[Jj]ustfile"),
    "task": re.compile(r"[Tt]askfile\.ya?ml"),
    "rake": re.compile(r"Rakefile"),
}
_CHECKING_NAME = re.compile(
    r"test|check|verify|lint|valid|spec|\bci\b|bench|accept|assert|expect|golden", re.IGNORECASE
)

PARTLY = ("pyproject.toml", "package.json")  # of these only the tools' tables are protected


@lru_cache(maxsize=1 << 17)  # asked again and again of every path of a tree
def role(path: str) -> Role | None:
    """What a path decides by its name alone; None for product code."""
    *folders, name = path.split("/")
    first = folders[0] if folders else name
    if first == ".goalkeeper":
        return Role.STATE
    if first in _CI_DIRS or name in _CI_FILES:
        return Role.CI
    if _HARNESS_FILE.fullmatch(name) or first == "_pytest" or "_pytest" in folders:
        return Role.HARNESS
    if "__pycache__" in folders or name.endswith((".pyc", ".pyo")):
        return Role.HARNESS  # Python may run it instead of the source it is named for
    if any(folder.endswith((".egg-info", ".dist-info")) for folder in folders):
        return Role.HARNESS  # runners load the plugins it names
    if _DATA_DIRS & set(folders) or _SNAPSHOT_FILE.fullmatch(name):
        return Role.DATA
    if _TEST_DIRS & set(folders):
        return Role.TEST if _is_code(name) else Role.DATA
    return Role.TEST if _TEST_FILE.fullmatch(name) else None


def is_test(path: str) -> bool:
    return role(path) is Role.TEST


def is_partly(path: str) -> bool:
    return path.rsplit("/", 1)[-1] in PARTLY


def is_runner_file(path: str, program: str) -> bool:
    """Whether `program`, as a check calls it, takes its orders from this file."""
    pattern = _RUNNER_FILES.get(program.rsplit("/", 1)[-1])
    return bool(pattern and pattern.fullmatch(path.rsplit("/", 1)[-1]))


def is_checking_name(path: str) -> bool:
    """Whether a program that a check names is there to check, by its name."""
    return bool(_CHECKING_NAME.search(path))


_CODE = re.compile(
    r".*\.(py|[cm]?[jt]sx?|sh|bash|bats|go|rb|java|kt|c|cc|cpp|h|hpp|rs|t|pl|lua|cs|php|swift|exs"
    r"|dart|scala)"
)


def _is_code(name: str) -> bool:
    return bool(_CODE.fullmatch(name))
