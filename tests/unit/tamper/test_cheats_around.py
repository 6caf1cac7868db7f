"""Harness, CI, files and records, bent to say yes."""

# ruff: noqa: E501  a case is one line

from goalkeeper.core.contract.changes import FileChange
from tests.unit.tamper.diffs import added, changed, judged

MAKE = "test: build\n\tpytest -q\n\tmypy src\n\nlint:\n\truff check\n"
INI = "[pytest]\naddopts = -q\ntestpaths = tests e2e\n"
PYPROJECT = (
    '[tool.pytest.ini_options]\naddopts = "-q"\npython_files = ["test_*.py", "check_*.py"]\n'
)
PACKAGE = '{"scripts": {"test": "jest --ci"}, "jest": {"testMatch": ["**/*.test.js"]}}\n'
VITEST = "export default {\n  test: {\n    globals: true,\n  },\n};\n"
WORKFLOW = "jobs:\n  test:\n    steps:\n      - run: make build\n      - run: npm test\n      - run: pytest\n"
TOX = "[testenv]\ncommands = pytest\n"
CONFTEST = "import pytest\n"
TESTS = ("tests/test_a.py", "tests/check_b.py", "tests/unit/test_c.py", "e2e/test_d.py")

EDITS = {
    "make true": ("Makefile", MAKE, MAKE.replace("-q", "-q || true"), "command-neutered"),
    "make dash": ("Makefile", MAKE, MAKE.replace("\tpytest", "\t-pytest"), "command-neutered"),
    "make nothing": ("Makefile", MAKE, "test:\n\t@true\n\nlint:\n\truff check\n", "command-neutered"),
    "make echo": ("Makefile", MAKE, MAKE.replace("ruff check", '@echo "fine"'), "command-neutered"),
    "make again": ("Makefile", MAKE, MAKE + "\ntest:\n\t@echo ok\n", "command-neutered"),
    "make select": ("Makefile", MAKE, MAKE.replace("-q", "-q -k 'not ten'"), "command-neutered"),
    "make ignore": ("Makefile", MAKE, ".IGNORE:\n" + MAKE, "command-neutered"),
    "make shell": ("Makefile", MAKE, "SHELL = /bin/true\n" + MAKE, "command-neutered"),
    "make flags": ("Makefile", MAKE, "MAKEFLAGS += -i\n" + MAKE, "command-neutered"),
    "make gone": ("Makefile", MAKE, MAKE.partition("lint:")[0], "command-neutered"),
    "make other": ("Makefile", MAKE, MAKE.replace("ruff check", "ls"), "command-neutered"),
    "just": ("justfile", "test:\n    pytest\n", "test:\n    pytest || true\n", "command-neutered"),
    "tox": ("tox.ini", TOX, TOX.replace("pytest", "- pytest"), "command-neutered"),
    "tox outcome": ("tox.ini", TOX, TOX + "ignore_outcome = true\n", "command-neutered"),
    "npm": ("package.json", PACKAGE, PACKAGE.replace("jest --ci", "exit 0"), "command-neutered"),
    "npm true": ("package.json", PACKAGE, PACKAGE.replace("--ci", "--ci || true"), "command-neutered"),
    "npm update": ("package.json", PACKAGE, PACKAGE.replace("--ci", "--ci -u"), "command-neutered"),
    "npm none": ("package.json", PACKAGE, PACKAGE.replace("--ci", "--passWithNoTests"), "command-neutered"),
    "jest": ("package.json", PACKAGE, PACKAGE.replace("**/*", "src/*"), "runner-options-narrowed"),
    "addopts": ("pytest.ini", INI, INI.replace("-q", "-q --deselect tests/a.py::b"), "runner-options-narrowed"),
    "mark": ("pytest.ini", INI, INI.replace("-q", "-m fast"), "runner-options-narrowed"),
    "testpaths": ("pytest.ini", INI, INI.replace(" e2e", ""), "runner-options-narrowed"),
    "norecursedirs": ("pytest.ini", INI, INI + "norecursedirs = tests\n", "runner-options-narrowed"),
    "python_files": ("pyproject.toml", PYPROJECT, PYPROJECT.replace(', "check_*.py"', ""), "runner-options-narrowed"),
    "a first python_files": ("setup.cfg", "", "[tool:pytest]\npython_files = ok_*.py\n", "runner-options-narrowed"),
    "settings gone": ("pytest.ini", INI, None, "runner-options-narrowed"),
    "vitest": ("vitest.config.ts", VITEST, VITEST.replace("globals: true", "exclude: ['a']"), "runner-options-narrowed"),
    "threshold": (".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 9\n", "threshold-lowered"),
    "jest threshold": ("jest.config.js", "x = { branches: 90 }\n", "x = { branches: 10 }\n", "threshold-lowered"),
    "option threshold": ("Makefile", "test:\n\tpytest --cov-fail-under=90\n", "test:\n\tpytest --cov-fail-under=9\n", "threshold-lowered"),
    "ci if": (".github/workflows/ci.yml", WORKFLOW, WORKFLOW + "        if: false\n", "ci-failure-ignored"),
    "ci true": (".github/workflows/ci.yml", WORKFLOW, WORKFLOW.replace("pytest", "pytest || true"), "ci-failure-ignored"),
    "ci allowed": (".gitlab-ci.yml", "t:\n  script: pytest\n", "t:\n  script: pytest\n  allow_failure: true\n", "ci-failure-ignored"),
    "ci narrowed": (".github/workflows/ci.yml", WORKFLOW, WORKFLOW.replace("pytest", "pytest -k fast"), "ci-failure-ignored"),
    "exit status": ("conftest.py", CONFTEST, CONFTEST + "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n", "outcome-hook"),
    "call": ("conftest.py", CONFTEST, CONFTEST + "def pytest_pyfunc_call(pyfuncitem):\n    return True\n", "outcome-hook"),
    "exit": ("conftest.py", CONFTEST, CONFTEST + "def pytest_unconfigure():\n    os._exit(0)\n", "outcome-hook"),
    "ignore": ("conftest.py", CONFTEST, CONFTEST + "def pytest_ignore_collect(path):\n    return 'x' in path\n", "collection-hook"),
    "skip items": (
        "conftest.py",
        CONFTEST,
        CONFTEST + "def pytest_collection_modifyitems(items):\n    for i in items:\n        i.add_marker(pytest.mark.skip)\n",
        "collection-hook",
    ),
    "a plugin": (
        "src/app/plugin.py",
        "",
        "class P:\n    def pytest_runtest_makereport(self, item):\n        report.outcome = 'passed'\n",
        "outcome-hook",
    ),
    "preload": ("run.py", "", 'import os\n\nos.environ["LD_PRELOAD"] = "x.so"\n', "library-preloaded"),
    "addopts by environment": (".env", "A=1\n", "A=1\nPYTEST_ADDOPTS=-k fast\n", "library-preloaded"),
    "node options": (".env", "A=1\n", "A=1\nNODE_OPTIONS=--require ./x.js\n", "library-preloaded"),
    "gitignore": (".gitignore", "*.pyc\n", "*.pyc\ntests/\n", "tests-ignored"),
    "gitattributes": (".gitattributes", "", "*.py filter=x\n", "attributes-filter"),
    "contract": (".goalkeeper/config.toml", "a = 1\n", "a = 2\n", "contract-edited"),
}  # fmt: skip


def test_an_edit_around_the_tests_is_seen() -> None:
    for name, (path, old, new, rule) in EDITS.items():
        change = FileChange(path, path, old.encode(), None if new is None else new.encode())

        assert rule in judged(change, tests=TESTS)[0], name


NEW = {
    "usercustomize.py": "interpreter-hook",
    "src/app.pth": "interpreter-hook",
    "unittest.py": "module-shadowed",
    "json.py": "module-shadowed",
    "src/random.py": "module-shadowed",
    "tests/unittest/__init__.py": "module-shadowed",
    "_pytest/__init__.py": "module-shadowed",
    "node_modules/jest/index.js": "module-shadowed",
    "pytest": "fake-runner",
    "bin/node": "fake-runner",
    "tools/make": "fake-runner",
    "npm.cmd": "fake-runner",
    "junit.xml": "evidence-committed",
    "reports/report-1.xml": "evidence-committed",
    "evidence.json": "evidence-committed",
    "evidence/run.log": "evidence-committed",
    ".goalkeeper/receipts/1.json": "contract-edited",
}


def test_a_new_file_is_known_by_its_name() -> None:
    for path, rule in NEW.items():
        assert judged(added(path, "x = 1\n"))[0] == {rule}, path


LINKS = {
    "/etc/passwd": True,
    "../../up": True,
    "../beside": False,
    "here/../there": False,
    "~/x": True,
}


def test_a_link_must_stay_in_the_tree() -> None:
    for target, leaves in LINKS.items():
        blocking, _ = judged(added("src/link", target, mode="120000"))

        assert blocking == ({"link-outside"} if leaves else set()), target


def test_a_submodule_that_moves_is_shown() -> None:
    moved = FileChange("lib", "lib", None, None, "160000", "160000")

    assert judged(moved) == (set(), {"mode-changed"})


def test_an_autouse_fixture_that_replaces_product_code_is_seen() -> None:
    fixture = (
        "import pytest\n\n@pytest.fixture(autouse=True)\ndef _fake(monkeypatch):\n"
        '    monkeypatch.setattr("app.rate.rate", lambda n: 3)\n'
    )
    beside = {"src/app/__init__.py": ""}

    assert judged(added("tests/conftest.py", fixture), beside=beside)[0] == {"subject-mocked"}
    assert judged(added("tests/conftest.py", fixture))[0] == set()


def test_permission_covers_the_harness_but_no_trick() -> None:
    hidden = 'import base64\n\nexec(base64.b64decode("cGFzcw=="))\n'
    tricked = changed("conftest.py", CONFTEST, CONFTEST + hidden, may_change=True)
    settings = changed("pytest.ini", INI, INI.replace(" e2e", ""), may_change=True)

    assert judged(tricked)[0] == {"hidden-code"}
    assert judged(settings, tests=TESTS) == (set(), {"runner-options-narrowed"})
