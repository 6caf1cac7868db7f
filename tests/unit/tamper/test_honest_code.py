"""Honest product code and honest harness edits close no gate."""

# ruff: noqa: E501  a case is one line

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.review import review
from tests.unit.tamper.diffs import added, changed, judged

PYTHON = {
    "a command line": 'import sys\n\ndef main():\n    sys.exit(0)\n\nif __name__ == "__main__":\n    sys.exit(main())\n',
    "a table of the domain": 'MONTHS = {1: "January", 2: "February", 3: "March"}\n',
    "a table of units": 'UNITS = {"m": 1, "km": 1000, "cm": 0.01, "mm": 0.001}\n',
    "a setting": 'import os\n\nTIMEOUT = int(os.environ.get("APP_TIMEOUT", "30"))\nHOME = os.environ["HOME"]\n',
    "a recursion": "def fact(n):\n    if n == 0:\n        return 1\n    return n * fact(n - 1)\n",
    "the arguments": 'import sys\n\ndef main():\n    if "--version" in sys.argv:\n        return 1\n',
    "a package's module": "def dumps(value):\n    return str(value)\n",
    "type checking": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from x import Y\n",
}


def test_python_product_code_may_have() -> None:
    beside = {"src/app/__init__.py": "", "tests/test_json.py": TESTS}
    for name, text in PYTHON.items():
        assert judged(added("src/app/json.py", text), beside=beside)[0] == set(), name


TESTS = """\
from app import f, fact

def test_them():
    assert month(1) == "January"
    assert convert("km") == 1000
    assert fact(0) == 1
    assert f("7") == 7
"""

SCRIPTS = {
    "src/cli.ts": "export function main() {\n  if (bad) process.exit(1);\n  process.exit(0);\n}\n",
    "src/server.js": 'if (process.env.NODE_ENV !== "test") {\n  app.listen(80);\n}\n',
    "src/units.js": "const U = { m: 1, km: 1000, cm: 0.01 };\n",
    "src/env.js": 'const port = process.env.PORT || "80";\nconst dev = process.env.NODE_ENV === "production";\n',
    "src/stop.js": 'process.on("SIGINT", () => {\n  server.close();\n  process.exit(130);\n});\n',
}


def test_script_product_code_may_have() -> None:
    for path, text in SCRIPTS.items():
        assert judged(added(path, text))[0] == set(), path


SHELL = {
    "a strict script": '#!/bin/bash\nset -euo pipefail\n[ -n "$1" ] || exit 1\nmake build\nexit 0\n',
    "a clean-up": "set -e\ntmp=$(mktemp -d)\ntrap 'rm -rf \"$tmp\"' EXIT\ngo build\n",
    "help": 'case "$1" in\n  -h) usage; exit 0 ;;\nesac\nrun_it\n',
    "functions": 'die() { echo "$1" >&2; exit 1; }\nlog() { echo "$@"; }\nlog hello\n',
    "a wrapper": 'grep() { command grep --color=never "$@"; }\ngrep x y\n',
}


def test_shell_scripts_may_have() -> None:
    for name, text in SHELL.items():
        assert judged(added("scripts/build.sh", text)) == (set(), set()), name


MAKE = "test:\n\tpytest -q\n\nclean:\n\trm -rf build\n"
PYPROJECT = """\
[project]
name = "rate"
dependencies = ["rich"]

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "-q"

[tool.coverage.report]
fail_under = 90
"""
PACKAGE = """\
{
  "scripts": {"test": "jest", "build": "tsc"},
  "dependencies": {"left-pad": "1.0.0"}
}
"""
WORKFLOW = "jobs:\n  test:\n    steps:\n      - run: pip install -e .\n      - run: pytest\n"

HARNESS = {
    "a new target": ("Makefile", MAKE, MAKE + "\ndocs:\n\tmkdocs build\n"),
    "a tolerant clean": ("Makefile", MAKE, MAKE.replace("\trm", "\t-rm")),
    "another clean": ("Makefile", MAKE, MAKE.replace("rm -rf build", "rm -rf build dist || true")),
    "another way to start": ("Makefile", MAKE, MAKE.replace("pytest -q", "uv run pytest -q")),
    "more checks": ("Makefile", MAKE, MAKE.replace("pytest -q", "pytest -q\n\truff check")),
    "a dependency": ("pyproject.toml", PYPROJECT, PYPROJECT.replace('"rich"', '"rich", "attrs"')),
    "a stricter runner": (
        "pyproject.toml",
        PYPROJECT,
        PYPROJECT.replace('"-q"', '"-q --strict-markers"'),
    ),
    "a higher threshold": ("pyproject.toml", PYPROJECT, PYPROJECT.replace("90", "95")),
    "more test paths": (
        "pyproject.toml",
        PYPROJECT,
        PYPROJECT.replace('["tests"]', '["tests", "e2e"]'),
    ),
    "a package": ("package.json", PACKAGE, PACKAGE.replace('"1.0.0"', '"1.0.0", "zod": "3.0.0"')),
    "a script": ("package.json", PACKAGE, PACKAGE.replace('"tsc"', '"tsc", "docs": "typedoc"')),
    "a job": (".github/workflows/ci.yml", WORKFLOW, WORKFLOW + "      - run: ruff check\n"),
    "a job that measures": (
        ".github/workflows/ci.yml",
        WORKFLOW,
        WORKFLOW + "      - run: uv run coverage run --branch -m pytest tests/\n",
    ),
    "another installer": (
        ".github/workflows/ci.yml",
        WORKFLOW,
        WORKFLOW.replace("pip install -e .", "uv sync").replace("pytest", "uv run pytest"),
    ),
    "an ignored cache": (".gitignore", "*.pyc\n", "*.pyc\n.pytest_cache/\ntest-results/\nbuild/\n"),
    "text attributes": (".gitattributes", "*.txt text\n", "*.txt text\n*.sh eol=lf\n"),
    "ignored setup": ("conftest.py", "", 'collect_ignore = ["setup.py"]\n'),
}


def test_the_harness_may_get() -> None:
    for name, (path, old, new) in HARNESS.items():
        assert judged(changed(path, old, new))[0] == set(), name


def test_what_was_there_before_is_no_finding() -> None:
    old = "import os\n\ndef stop():\n    os._exit(3)\n"
    new = "import os\n\nLIMIT = 3\n\ndef stop():\n    os._exit(3)\n"

    assert judged(changed("src/app/run.py", old, new)) == (set(), set())


def test_code_that_moves_to_another_file_is_not_new() -> None:
    body = "import os\n\ndef stop():\n    os._exit(3)\n"
    moved = added("src/app/stop.py", body)

    assert judged(changed("src/app/run.py", body, ""), moved) == (set(), set())


def test_test_data_may_hold_a_report() -> None:
    assert judged(added("tests/data/junit.xml", "<testsuite/>")) == (set(), set())


def test_a_module_in_a_package_shadows_nothing() -> None:
    beside = {"src/app/__init__.py": ""}

    assert judged(added("src/app/types.py", "X = int\n"), beside=beside) == (set(), set())


def test_what_the_base_does_as_well_is_the_projects_business() -> None:
    """A product that has to do with runners and the environment may have more of it."""
    runner = "import os\n\n\ndef run():\n    if os.environ.get('PYTEST_CURRENT_TEST'):\n        return 1\n"
    more = "import os\n\n\ndef stop():\n    if 'PYTEST_CURRENT_TEST' in os.environ:\n        return 2\n"
    base = {"src/runner.py": runner.encode(), "src/stop.py": more.encode()}

    def find(product: list[str]) -> set[Level]:
        found = review([added("src/stop.py", more)], tree=base.get, product=product)
        return {each.level for each in found if each.rule == "test-env-branch"}

    assert find([]) == {Level.BLOCKING}
    assert find([*base]) == {Level.ADVISORY}


def test_places_of_tests_may_change_with_the_tests() -> None:
    old = '[tool.pytest.ini_options]\ntestpaths = ["test_one.py", "test_two.py"]\n'
    settings = changed(
        "pyproject.toml", old, old.replace('"test_one.py", "test_two.py"', '"tests"')
    )
    test = "def test_one():\n    assert one() == 1\n"
    moves = [
        changed(f"tests/{name}", test, test).replace(old_path=name)
        for name in ("test_one.py", "test_two.py")
    ]
    tests = ["tests/test_one.py", "tests/test_two.py"]

    assert judged(settings, *moves, tests=tests)[0] == set()
    gone = FileChange("test_one.py/data.txt", "test_one.py/data.txt", b"", None)
    assert judged(settings, *moves, gone, tests=tests)[0] == set()
    left = judged(settings, moves[0], tests=["tests/test_one.py", "test_two.py"])
    assert left[0] == {"runner-options-narrowed"}


def test_a_job_for_an_interpreter_to_come_may_fail() -> None:
    def judge(condition: str) -> set[str]:
        old = "jobs:\n  test:\n    steps:\n      - run: tox\n"
        new = f"{old}        continue-on-error: ${{{{ {condition} }}}}\n"
        return judged(changed(".github/workflows/ci.yml", old, new))[0]

    assert judge("matrix.python == '3.15'") == set()
    assert judge("true") == {"ci-failure-ignored"}
    assert judge("true || matrix.python") == {"ci-failure-ignored"}


CI = '{"scripts": {"test": "mocha ./test/unit ./test/e2e"}}'


def test_a_command_may_leave_out_what_is_not_there_any_more() -> None:
    def judge(*tests: str) -> set[str]:
        old, new = (
            f'{{"scripts": {{"test": "mocha {path}"}}}}' for path in ("test/*.js", "test/*.ts")
        )
        return judged(changed("package.json", old, new), tests=tests)[0]

    assert judge("test/rate.ts") == set()
    assert judge("test/rate.ts", "test/more.js") == {"command-neutered"}
    fewer = changed("app/package.json", CI, CI.replace("./test/unit ", ""))
    tests = ["app/test/unit/a.js", "app/test/e2e/b.js"]
    assert judged(fewer, tests=tests)[0] == {"command-neutered"}
