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
_HARNESS_DIRS = frozenset({"_pytest", ".cargo", ".mvn"})
_HARNESS_FILE = re.compile(
    # Python's runners
    r"conftest\.py|\.?pytest\.(ini|toml)|tox\.ini|setup\.cfg|noxfile\.py|\.coveragerc"
    r"|(site|user)customize\.py|pytest\.py|unittest\.py"
    # JavaScript's, and what turns its tests into what is run
    r"|(jest|vitest|vite|playwright|karma|cypress|ava|web-test-runner|nyc|babel|prettier)"
    r"\.conf(ig)?\.([cm]?[jt]sx?|json)"
    r"|(jest|vitest)\.(setup|preset)\.[cm]?[jt]sx?|vitest\.workspace\.([cm]?[jt]s|json)"
    r"|setupTests\.[jt]sx?|\.(mocharc|taprc|nycrc|c8rc|babelrc)(\..*)?|\.swcrc"
    r"|\.npmrc|\.yarnrc(\.yml)?|bunfig\.toml"
    # those of other languages, and programs that fetch and start them
    r"|\.rspec(-local)?|phpunit(\.dist)?\.xml(\.dist)?|testng\.xml|nextest\.toml|\.bazelrc"
    r"|\.proverc|\.busted|dart_test\.yaml|.*\.(runsettings|xctestplan)"
    r"|CMake(User)?Presets\.json|CTest(Config|Custom|Testfile)\.cmake(\.in)?"
    r"|gradlew(\.bat)?|gradle-wrapper\.(jar|properties)|mvnw(\.cmd)?"
    # linters
    r"|\.?ruff\.toml|\.flake8|\.?mypy\.ini|\.?pylintrc|pyrightconfig\.json|\.rubocop\.yml"
    r"|\.eslintrc(\..*)?|eslint\.config\.[cm]?[jt]s|\.eslintignore|biome\.jsonc?"
    r"|\.prettier(rc(\..*)?|ignore)|\.golangci\.ya?ml|\.shellcheckrc|\.pre-commit-config\.yaml"
    # which interpreter runs it all, with which variables, on files as git writes them
    r"|\.(python|node|ruby|java)-version|\.nvmrc|\.tool-versions|\.?mise\.toml|\.sdkmanrc"
    r"|rust-toolchain(\.toml)?|go\.work|\.envrc|\.gitattributes"
)
_SNAPSHOT_FILE = re.compile(r".*\.(snap|golden|ambr|approved\.\w+)")
_RUNNER_FILES = {
    "make": re.compile(r"(GNUm|[Mm])akefile|.*\.mk"),
    "gmake": re.compile(r"(GNUm|[Mm])akefile|.*\.mk"),
    "just": re.compile(r"\.?[Jj]ustfile|.*\.just"),
    "task": re.compile(r"[Tt]askfile(\.dist)?\.ya?ml"),
    "rake": re.compile(r"[Rr]akefile(\.rb)?|.*\.rake"),
    # For other programs these are the product's: honest work adds to them now and then.
    "tsc": re.compile(r"[jt]sconfig.*\.json"),
    "vue-tsc": re.compile(r"[jt]sconfig.*\.json"),
}
_LAUNCHER = re.compile(
    r"(python|pypy|lua)[\d.]*|node|deno|bun|tsx|ts-node|ruby|perl|php|Rscript|java|go"
    r"|(ba|da|k|z)?sh|env|exec|nice|nohup|time|timeout|xvfb-run|source|\.|if|then|else|do|while|until"
    r"|uv|poetry|pdm|pipenv|hatch|npx|bunx|bundle|coverage"
    r"|pytest|py\.test|jest|vitest|mocha|ava|tap|bats|prove|rspec|busted|phpunit"
)
_CHECKING_NAME = re.compile(
    r"test|check|verify|lint|valid|spec|\bci\b|bench|accept|assert|expect|golden", re.IGNORECASE
)

PARTLY = ("pyproject.toml", "package.json")  # of these only the tools' tables are protected


@lru_cache(maxsize=1 << 17)  # asked again and again of every path of a tree
def role_of_path(path: str) -> Role | None:
    """What a path decides by its name alone; None for product code."""
    *folders, name = path.split("/")
    first = folders[0] if folders else name
    parts = {*folders, name}  # a link or a submodule may stand where a folder would
    if first == ".goalkeeper":
        return Role.STATE
    if first in _CI_DIRS or name in _CI_FILES:
        return Role.CI
    if _HARNESS_DIRS & parts or _HARNESS_FILE.fullmatch(name):
        return Role.HARNESS
    if "__pycache__" in folders or name.endswith((".pyc", ".pyo")):
        return Role.HARNESS  # Python may run it instead of the source it is named for
    if any(folder.endswith((".egg-info", ".dist-info")) for folder in folders):
        return Role.HARNESS  # runners load the plugins it names
    if _DATA_DIRS & parts or _SNAPSHOT_FILE.fullmatch(name):
        return Role.DATA
    if _TEST_DIRS & parts:
        return Role.TEST if _is_code(name) or name in _TEST_DIRS else Role.DATA
    return Role.TEST if _TEST_FILE.fullmatch(name) else None


def is_test(path: str) -> bool:
    return role_of_path(path) is Role.TEST


def is_partly(path: str) -> bool:
    return path.rsplit("/", 1)[-1] in PARTLY


def is_runner(program: str) -> bool:
    return program.rsplit("/", 1)[-1] in _RUNNER_FILES


def is_runner_file(path: str, program: str) -> bool:
    """Whether `program`, as a check calls it, takes its orders from this file."""
    pattern = _RUNNER_FILES.get(program.rsplit("/", 1)[-1])
    return bool(pattern and pattern.fullmatch(path.rsplit("/", 1)[-1]))


def is_checking_name(path: str) -> bool:
    """Whether a program that a check names is there to check, by its name."""
    return bool(_CHECKING_NAME.search(path))


def is_launcher(program: str) -> bool:
    """Whether a program runs a file that it is given."""
    return bool(_LAUNCHER.fullmatch(program.rsplit("/", 1)[-1]))


_CODE = re.compile(
    r".*\.(py|[cm]?[jt]sx?|sh|bash|bats|go|rb|java|kt|c|cc|cpp|h|hpp|rs|t|pl|lua|cs|php|swift|exs"
    r"|dart|scala)"
)


def _is_code(name: str) -> bool:
    return bool(_CODE.fullmatch(name))
