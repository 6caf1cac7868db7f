"""Which files decide what the checks of a goal say, by the commands that run the checks."""

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.protection import (
    CheckOrders,
    find_run_files,
    list_programs,
    why_protected,
)
from tests.checks import check
from tests.tables import for_each

FILES = {
    "run.sh", "check.sh", "bin/tags", "tools/judge.py", "tools/score/__main__.py", "web/run.js",
    "qa/suite.py", "qa/plugin.py", "data.csv", "app.py", "make.py",
}  # fmt: skip


def command(argv: tuple[str, ...], **options: str) -> Check:
    return Check("command", {"command": argv, **options})


@for_each(
    ("path", "argv", "reason"),
    [
        ("Makefile", ("make", "test"), "make takes its orders from it"),
        ("sub/rules.mk", ("/usr/bin/make",), "/usr/bin/make takes its orders from it"),
        ("Makefile", ("just",), ""),
        ("scripts/check.sh", ("./scripts/check.sh",), "check command names it"),
        ("scripts/check.sh", ("bash", "scripts/check.sh", "x"), "check command names it"),
        ("scripts/check.sh", ("bash", "-eu", "scripts/check.sh"), "check command names it"),
        ("scripts/check.sh", ("timeout", "60", "scripts/check.sh"), "check command names it"),
        ("tools/verify.py", ("python3", "-m", "tools.verify"), "check command names it"),
        ("check.js", ("node", "check"), "check command names it"),
        ("checks/__main__.py", ("python3", "-m", "checks"), "check command names it"),
        ("web/check.sh", ("bash", "-c", "cd web && ./check.sh"), "check command names it"),
        ("Makefile", ("bash", "-lc", "make test"), "make takes its orders from it"),
        ("tsconfig.json", ("npx", "tsc", "--noEmit"), "tsc takes its orders from it"),
        ("tsconfig.json", ("npx", "vitest"), ""),
        ("Makefile", ("env", "A=1", "make"), "make takes its orders from it"),
        ("bin/serve", ("bin/serve",), ""),
        ("pyproject.toml", ("x",), "its tools' tables"),
        ("tests/a.py", ("x",), "test"),
        ("src/a.py", ("python3", "src/a.py"), ""),
    ],
)
def test_why_a_path_is_protected(path: str, argv: tuple[str, ...], reason: str) -> None:
    assert why_protected(path, CheckOrders.from_checks([command(argv)])).startswith(reason)
    assert bool(why_protected(path, CheckOrders.from_checks([command(argv)]))) is bool(reason)


def test_a_script_below_the_folder_that_a_check_runs_in_is_protected() -> None:
    orders = CheckOrders.from_checks([command(("sh", "check.sh"), cwd="sub")])

    assert why_protected("sub/check.sh", orders)


def test_what_pytest_is_given_is_protected_by_its_name_too() -> None:
    orders = CheckOrders.from_checks(
        [check("pytest", ["qa/acceptance.py::test_all", "src/app.py"])]
    )

    assert why_protected("qa/acceptance.py", orders) == "check pytest names it"
    assert why_protected("src/app.py", orders) == ""


@for_each(
    ("argv", "path"),
    [
        (("sh", "install.sh"), "install.sh"),
        (("env", "A=1", "python3", "-W", "error", "-m", "tool.make"), "tool/make.py"),
        (("sh", "-ec", "cd web && node build"), "build.js"),
        (("bash", "-c", "A=1 ./tools/make all"), "tools/make"),
        ((".venv/bin/python", "setup.py", "build_ext"), "setup.py"),
    ],
)
def test_what_set_up_runs_is_protected(argv: tuple[str, ...], path: str) -> None:
    assert why_protected(path, CheckOrders.from_checks([], [argv])) == "set-up runs it"


def test_a_package_that_set_up_installs_is_no_file_that_it_runs() -> None:
    install = ("install", "-q", "rate", "src.rate", "rate[fast]>=1.0")
    setup = [("pip", *install), (".venv/bin/python", "-m", "pip", *install)]
    setup += [("uv", "pip", *install), ("sh", "-c", f"cd src/rate && pip {' '.join(install)}")]
    orders = CheckOrders.from_checks([], setup)

    assert [why_protected(path, orders) for path in ("rate.py", "src/rate.py")] == ["", ""]


def test_the_programs_that_checks_start() -> None:
    given = [
        check("command", ["make", "test"]),
        check("shell", "cd web && CI=1 npm test; ./run.sh | tee log || exit 1\nmake"),
        check("metric", ["cloc"], min=1),
        check("tap", ["bats", "."]),
        check("pytest", "tests"),
        check("file", "a"),
    ]

    programs = [argv[0] for argv in list_programs(given)]

    assert programs == ["make", "cd", "npm", "./run.sh", "tee", "exit", "make", "cloc", "bats"]


@for_each(
    ("given", "expected"),
    [
        (check("command", ["./run.sh"]), {"run.sh"}),
        (check("command", ["bin/tags", "data.csv"]), {"bin/tags"}),
        (check("command", ["python3", "-W", "error", "tools/judge.py", "app.py"]),
         {"tools/judge.py"}),
        (check("command", ["python3", "-m", "tools.judge"]), {"tools/judge.py"}),
        (check("command", ["python3", "-m", "tools.score"]), {"tools/score/__main__.py"}),
        (check("command", ["/usr/bin/env", "A=1", "./run.sh"]), {"run.sh"}),
        (check("command", ["timeout", "60", "bash", "run.sh"]), {"run.sh"}),
        (check("command", ["sh", "-c", "cd web && node run data.csv"]), {"web/run.js"}),
        (check("command", ["node", "run"], cwd="web"), {"web/run.js"}),
        (check("command", ["python3", "-m", "pytest", "qa/suite.py"]), {"qa/suite.py"}),
        (check("shell", "CI=1 ./run.sh | grep ok; python3 tools/judge.py < data.csv"),
         {"run.sh", "tools/judge.py"}),
        (check("shell", "if ./run.sh; then exit 1; fi"), {"run.sh"}),
        (check("pytest", ["qa/suite.py::test_a", "app.py"], args=["-p", "qa.plugin"]),
         {"qa/suite.py", "app.py", "qa/plugin.py"}),
        (check("tap", ["./run.sh"]), {"run.sh"}),
        (check("metric", ["python3", "app.py"], min=1), {"app.py"}),
        (check("command", ["grep", "-q", "x", "app.py"]), set()),
        (check("command", ["make", "test"]), set()),
        (check("command", ["python3", "-c", "import app"]), set()),
        (check("command", ["./gone.sh"]), set()),
        (check("http", ["python3", "app.py"], url="http://127.0.0.1:80/"), set()),
        (check("file", "app.py"), set()),
    ],
)  # fmt: skip
def test_the_files_that_a_check_runs(given: Check, expected: set[str]) -> None:
    assert find_run_files(given, FILES) == expected
