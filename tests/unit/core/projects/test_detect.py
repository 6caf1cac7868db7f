"""What a project seems to need, from its files."""

import json

from goalkeeper.core.projects.detect import DetectedProject, detect_project
from goalkeeper.core.projects.runners import is_detected, is_linter
from goalkeeper.core.projects.ways import ProjectFiles
from tests.tables import for_each

Files = dict[str, str]
PYTEST = "python3 -m pytest"
VENV = "python3 -m venv .venv"
PIP = ".venv/bin/python -m pip install --quiet"
OWN = f"{PIP} --no-build-isolation --use-pep517 --no-deps --editable ."


def detect(files: Files, *lacking: str) -> DetectedProject:
    known = ProjectFiles(frozenset(files), lambda path: files.get(path, ""))
    return detect_project(known, lambda name: name not in lacking)


def verified(files: Files) -> list[str]:
    return [" ".join(argv) for argv in detect(files).first_verify]


def package(**tables: object) -> str:
    return json.dumps(tables)


@for_each(
    ("files", "expected"),
    [
        ({"Makefile": "test: build\n\ttrue\nlint:\n\ttrue\n"}, ["make test", "make lint"]),
        ({"Makefile": "check:\n\ttrue\nTEST := 1\ntest_data = 3\n"}, ["make check"]),
        ({"Makefile": "test:\n", "GNUmakefile": "lint:\n"}, ["make lint"]),
        ({"Makefile": "build:\n", "go.mod": "module x\n"}, ["go test ./..."]),
        (
            {"package.json": package(scripts={"test": "jest", "lint": "x"})},
            ["npm test", "npm run lint"],
        ),
        ({"package.json": package(scripts={"start": "node ."})}, []),
        ({"package.json": package(scripts={"test": "echo 'Error: no test specified'"})}, []),
        ({"package.json": package(devDependencies={"vitest": "1"})}, ["npx vitest run"]),
        ({"package.json": package(devDependencies={"jest": "1"})}, ["npx jest"]),
        ({"package.json": package(devDependencies={"mocha": "1"})}, ["npx mocha"]),
        ({"package.json": package(devDependencies={"ava": "1"})}, ["npx ava"]),
        ({"package.json": "{}", "a.test.mjs": "import test from 'node:test'"}, ["node --test"]),
        ({"package.json": package(scripts={"test": "x"}), "pnpm-lock.yaml": ""}, ["pnpm test"]),
        ({"package.json": package(scripts={"test": "x"}), "yarn.lock": ""}, ["yarn test"]),
        ({"package.json": package(scripts={"test": "x"}), "bun.lock": ""}, ["bun run test"]),
        ({"package.json": "{ not json"}, []),
        ({"package.json": '["scripts"]'}, []),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n"}, [PYTEST, "ruff check"]),
        ({"pyproject.toml": "[project]\n", "tests/test_a.py": ""}, [PYTEST]),
        ({"requirements-dev.txt": "pytest\n", "a.py": ""}, [PYTEST]),
        ({"setup.cfg": "[tool:pytest]\n"}, [PYTEST]),
        ({"pyproject.toml": "[project]\n"}, []),
        ({"test_a.py": "import unittest\n"}, ["python3 -m unittest discover"]),
        ({"tests/test_a.py": "import unittest\n"}, ["python3 -m unittest discover -s tests"]),
        ({"test_a.py": "def test_a(): pass\n", "unittest.py": ""}, []),
        ({"tox.ini": "", "noxfile.py": ""}, ["tox"]),
        ({"Cargo.toml": "[package]\n"}, ["cargo test"]),
        ({"Gemfile": "", "spec/a_spec.rb": ""}, ["bundle exec rspec"]),
        ({"Gemfile": "", "Rakefile": ""}, ["bundle exec rake test"]),
        ({"test/a.bats": ""}, ["bats -r test"]),
        ({"a.bats": ""}, ["bats ."]),
        ({"a.bats": "", "package.json": '{"devDependencies": {"bats": "1"}}'}, ["npx bats ."]),
        ({"web/package.json": '{"scripts": {"test": "jest"}}'}, ["env -C web npm test"]),
        ({}, []),
    ],
)  # fmt: skip
def test_the_commands_that_verify_a_project_are_found(files: Files, expected: list[str]) -> None:
    found = detect(files)

    assert verified(files) == expected
    assert all(map(is_detected, found.first_verify))  # they need no trust


def test_a_command_means_the_same_in_a_folder_of_the_repository_and_nowhere_else() -> None:
    lints, tests = ("env", "-C", "api", "npm", "run", "lint"), ("env", "-C", "api", "npm", "test")

    assert (is_linter(lints), is_linter(tests)) == (True, False)
    assert [is_detected(("env", "-C", to, "npm", "test")) for to in ("api", "/", "../x")] == [
        True, False, False,
    ]  # fmt: skip


def test_what_make_runs_has_the_projects_own_runner_behind_it() -> None:
    found = detect({"Makefile": "test:\n", "pytest.ini": "", "test_a.py": ""})

    assert found.verify == ((("make", "test"),), (("python3", "-m", "pytest"),))


UV = "uv sync --frozen"
GO = 'GOCACHE=$PWD/.go-build go test -run "^$" ./... || true'
WITHOUT_HISTORY = "env SETUPTOOLS_SCM_PRETEND_VERSION=0.0.1"
BUILT = '[build-system]\nrequires = ["hatchling", "hatch-vcs"]\n'
NEEDS = '[project]\ndependencies = ["requests"]\n[dependency-groups]\ntest = ["pytest"]\n'


@for_each(
    ("files", "fetch", "setup"),
    [
        ({"uv.lock": "", "pyproject.toml": NEEDS}, [f"{UV} --no-install-project --group test"], []),
        (
            {"uv.lock": "", "pyproject.toml": NEEDS + BUILT},
            [
                f"{UV} --no-install-project --group test",
                "uv pip install --quiet hatchling hatch-vcs editables",
            ],
            [
                f"{WITHOUT_HISTORY} {UV} --offline --inexact --no-build-isolation --group test"
            ],
        ),
        (
            {"uv.lock": "", "pyproject.toml": "[tool.uv.workspace]\nmembers = ['a']\n"},
            [f"{UV} --no-install-workspace --all-packages"],
            [],
        ),
        (
            {"poetry.lock": "", "pyproject.toml": "[tool.poetry.dependencies]\npytest = '*'\n"},
            ["env POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install --no-interaction --no-root"],
            ["env POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install --no-interaction --only-root"],
        ),
        (
            {"pdm.lock": "", "pyproject.toml": ""},
            ["pdm venv create", "pdm sync --no-self --quiet"],
            ["pdm sync --no-isolation --quiet"],
        ),
        (
            {"requirements.txt": "a==1", "requirements-test.txt": "b", "dev-requirements.txt": ""},
            [VENV, f"{PIP} -r requirements.txt -r requirements-test.txt"],
            [],
        ),
        ({"requirements/dev.txt": "a\n"}, [VENV, f"{PIP} -r requirements/dev.txt"], []),
        ({"requirements/ci.txt": "-e .[x]\n-r py.txt\n",
            "requirements/py.txt": "# b\na==1; x\n-r ci.txt\n"},
            [VENV, f"{PIP} a==1; x"], []),
        ({"requirements.txt": "a", "test_a.py": "", "pytest.ini": ""},
            [VENV, f"{PIP} -r requirements.txt pytest"], []),
        ({"pyproject.toml": '[build-system]\nrequires = ["setuptools >= 40"]\n', "setup.py": ""},
            [VENV, f"{PIP} setuptools >= 40 wheel"], [OWN]),
        ({"setup.py": "setup()"}, [VENV, f"{PIP} setuptools wheel"], [OWN]),
        ({"package.json": "{}", "package-lock.json": "{}"}, ["npm ci --no-audit --no-fund"], []),
        (
            {"package.json": "{}", "package-lock.json": '"hasInstallScript": true'},
            ["npm ci --no-audit --no-fund"],
            ["npm rebuild"],
        ),
        ({"package.json": "{}", "pnpm-lock.yaml": ""}, ["pnpm install --frozen-lockfile"], []),
        (
            {"package.json": "{}", "yarn.lock": "# yarn lockfile v1"},
            ["yarn install --frozen-lockfile --ignore-scripts"],
            [],
        ),
        (
            {"package.json": "{}", "yarn.lock": "__metadata:\n"},
            ["env YARN_ENABLE_GLOBAL_CACHE=0 yarn install --immutable"],
            [],
        ),
        (
            {"package.json": "{}", "bun.lockb": ""},
            ["bun install --frozen-lockfile --ignore-scripts"],
            [],
        ),
        (
            {"package.json": package(dependencies={"a": "1"})},
            ["npm install --no-package-lock --no-audit --no-fund"],
            [],
        ),
        (
            {"Cargo.toml": "[dependencies]\n", "Cargo.lock": ""},
            ["env CARGO_HOME=.cargo-home cargo fetch --locked"],
            [],
        ),
        (
            {"go.mod": "require x v1\n"},
            ["sh -c GOMODCACHE=$PWD/.go-packages GOFLAGS=-modcacherw go mod download"],
            [f"sh -c GOMODCACHE=$PWD/.go-packages GOFLAGS=-mod=mod {GO}"],
        ),
        ({"go.mod": "module x\n"}, [], [f"sh -c {GO}"]),
        (
            {"Gemfile": "", "Gemfile.lock": ""},
            ["bundle config set --local path vendor/bundle", "bundle install --quiet"],
            [],
        ),
    ],
)  # fmt: skip
def test_a_project_is_set_up_by_its_lockfile(
    files: Files, fetch: list[str], setup: list[str]
) -> None:
    way = detect(files).setups[0]

    assert [" ".join(argv) for argv in way.fetch] == fetch
    assert [" ".join(argv) for argv in way.setup] == setup


@for_each(
    "files",
    [{}, {"package.json": "{}"}, {"pytest.ini": "", "test_a.py": ""}],
)
def test_what_declares_nothing_needs_no_set_up(files: Files) -> None:
    assert detect(files).setups == ()


def test_dependencies_of_a_pyproject_without_a_lockfile_are_read_from_it() -> None:
    (way, without) = detect({"pyproject.toml": NEEDS, "tests/test_a.py": ""}).setups

    venv, listing, install = way.fetch
    assert (" ".join(venv), listing[:2], listing[3:]) == (
        VENV, (".venv/bin/python", "-c"), ("test",),
    )  # fmt: skip
    assert " ".join(install) == f"{PIP} -r .venv/needed.txt setuptools wheel"
    assert [" ".join(argv) for argv in way.setup] == [OWN]
    assert (without.fetch, without.setup) == (way.fetch, ())
    assert way.notes == ("no lockfile pins what is installed",)


def test_a_package_of_the_same_repository_is_taken_from_the_tree() -> None:
    root = '[project]\nname = "a"\ndependencies = ["a_core>=1"]\n[build-system]\nrequires = ["b"]\n'
    core = '[project]\nname = "a-core"\n[build-system]\nrequires = []\n'
    other = '[project]\nname = "other"\n'
    files = {"pyproject.toml": root, "core/pyproject.toml": core, "other/pyproject.toml": other}

    way = detect(files).setups[0]

    assert " ".join(way.setup[0]) == OWN.replace("--editable .", "--editable ./core --editable .")


def test_bats_comes_from_npm_where_nobody_installed_it() -> None:
    files = {"test/a.bats": ""}

    assert detect(files).setups == ()
    assert detect(files, "bats", "npm").setups == ()
    (way,) = detect(files, "bats").setups
    assert (way.fetch[0][:2], way.fetch[0][-1]) == (("npm", "install"), "bats")


def test_a_lockfile_whose_program_is_missing_is_named() -> None:
    (way, _) = detect({"uv.lock": "", "pyproject.toml": NEEDS}, "uv").setups
    (node,) = detect(
        {"pnpm-lock.yaml": "", "package.json": package(dependencies={"a": "1"})}, "pnpm"
    ).setups

    assert way.notes[0] == "uv.lock needs uv, which is not on PATH"
    assert node.notes[0] == "pnpm-lock.yaml needs pnpm, which is not on PATH"


def test_projects_in_folders_of_a_repository_are_found() -> None:
    found = detect(
        {
            "README.md": "",
            "web/package.json": package(scripts={"test": "x"}),
            "web/package-lock.json": "{}",
            "web/inner/package.json": package(scripts={"test": "x"}),
            "services/api/requirements.txt": "pytest==8\n",
            "docs/package.json": package(scripts={"test": "x"}),
        }
    )

    assert [" ".join(argv) for argv in found.first_verify] == [
        "env -C web npm test",
        "env -C services/api .venv/bin/python -m pytest",
    ]
    (way,) = found.setups
    assert way.name == "package-lock.json in web, requirements.txt in services/api"
    assert ("env", "-C", "web", "npm", "ci", "--no-audit", "--no-fund") in way.fetch
