"""Held-out tests ask the product across a pipe, and no product bends them from there."""

import os
import subprocess
from pathlib import Path

import pytest

from bench.lean import lean_python
from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.witness.check_context import CheckResult
from goalkeeper.witness.isolation import Isolation
from tests.checks import check
from tests.contract.witness.across import cheats, comparisons, shapes
from tests.contract.witness.repository import Repository
from tests.contract.witness.schedulers import Halls

QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
AT_ROOT = "import sys\nsys.path.insert(0, '.')\n"
HONEST = {**shapes.SHAPES, "comparisons": (comparisons.PRODUCT, comparisons.TEST)}
PYTEST = ("-q", "-p", "no:cacheprovider")
# pytest and its parts are loaded once. Each case has a process of its own, as it bends its runner.
IN_PROCESS = """\
import gc, importlib, os, sys, pytest
from _pytest.config import default_plugins
for part in default_plugins:
    importlib.import_module(f"_pytest.{part}")
sys.path.insert(0, ".")
gc.freeze()  # pytest collects garbage several times when it ends
for file in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", f"held_out/{file}"]))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(file, "passes" if code == 0 else "fails", flush=True)
"""


class Exam:
    """A product, and held-out tests that ask it."""

    def __init__(self, place: Path) -> None:
        self.repo = Repository(place / "repo")
        self.root = self.repo.root
        self.held_out = place / "exam"
        self.held_out.mkdir()
        self.environ = {**os.environ, **QUICK, "PATH": f"{lean_python()}:{os.environ['PATH']}"}

    def run_check(self, isolation: Isolation, asked: Check) -> CheckResult:
        halls = Halls(self.repo, isolation=isolation)
        halls.environ = self.environ
        halls.protected = frozenset({"pytest.ini"})
        (seen,) = halls.run(asked, held_out=[str(file) for file in self.held_out.iterdir()])
        return seen

    def ask_across(
        self, isolation: Isolation, *files: str
    ) -> tuple[CheckResult, dict[str, Outcome]]:
        """Run the tests as the witness does; return the result, and the outcome of each."""
        asked = check("pytest", [f"held_out/{name}" for name in files], env=QUICK)
        seen = self.run_check(isolation, asked)
        return seen, {case.id.removeprefix("held_out/"): case.outcome for case in seen.cases}

    def ask_inside(self, argv: list[str], **more: str) -> subprocess.CompletedProcess[str]:
        """Run the tests where the product is."""
        link = self.root / "held_out"
        link.symlink_to(self.held_out)
        environ = {**self.environ, **more}
        try:
            return subprocess.run(
                argv, cwd=self.root, env=environ, capture_output=True, text=True, check=False
            )
        finally:
            link.unlink()


@pytest.fixture
def exam(tmp_path: Path) -> Exam:
    return Exam(tmp_path)


@pytest.fixture
def cheating(exam: Exam) -> Exam:
    """Every cheat is a module of one product, and has a held-out test that asks it."""
    (exam.held_out / "wanted.txt").write_text("4")
    (exam.held_out / "wanted.py").write_text("FOUR = 4\n")
    for name, cheat in cheats.list_cheats().items():
        exam.repo.write(f"{name}.py", cheat.product)
        text = f"from {name} import answer\n{cheat.test}"
        (exam.held_out / f"test_{name}.py").write_text(text)
    return exam


@pytest.mark.needs("bwrap")
def test_what_bends_a_test_in_its_own_process_fails_it_across_a_pipe(cheating: Exam) -> None:
    exam, table = cheating, cheats.list_cheats()
    for file, (text, _) in cheats.LOADED.items():
        exam.repo.write(file, text)
    (exam.held_out / "test_bends_loaded.py").write_text(cheats.LOADED_TEST)
    exam.repo.write("usual.py", "def answer(number):\n    return 2 * number\n")
    # The product's process still answers after all that it was made to do.
    control = f"from usual import answer\n{cheats.USUAL}"
    (exam.held_out / "test_usual.py").write_text(control)
    names = sorted(path.name for path in exam.held_out.glob("test_*.py"))
    names.sort(key=lambda name: ("_ends_" in name, name == "test_usual.py"))

    seen, outcomes = exam.ask_across(Isolation.SANDBOX, *names)

    assert (seen.verdict, seen.asked) == (Verdict.FAILED, "across a pipe")
    passed = {name for name, outcome in outcomes.items() if outcome is Outcome.PASSED}
    assert passed == {
        "test_usual.py::test_answer",
        # It passes rightly: what it asks for is only the way to the test after it.
        "test_writes_code_of_the_next_test.py::test_answer",
    }
    assert len({name.partition("::")[0] for name in outcomes}) == len(table) + 2


@pytest.mark.thorough
def test_each_cheat_passes_in_the_process_of_its_test(cheating: Exam) -> None:
    names = [f"test_{name}.py" for name in cheats.list_cheats()]
    told = cheating.ask_inside(["python3", "-c", IN_PROCESS, *names])
    assert dict(line.split() for line in told.stdout.splitlines()) == dict.fromkeys(names, "passes")
    (cheating.held_out / "test_loaded.py").write_text(cheats.LOADED_TEST)
    argv = ["python3", "-m", "pytest", *PYTEST, "held_out/test_loaded.py"]
    for file, (text, more) in cheats.LOADED.items():
        cheating.repo.write(file, text)
        assert cheating.ask_inside(argv, **more).returncode == 0, file
        (cheating.root / file).unlink()
    assert cheating.ask_inside(argv).returncode == 1


@pytest.fixture
def honest(exam: Exam) -> Exam:
    (exam.held_out / "wanted.txt").write_text("4")
    for name, (product, test) in HONEST.items():
        exam.repo.write(f"src/{name}.py", product)
        (exam.held_out / f"test_{name}.py").write_text(test)
    exam.repo.write("pytest.ini", "[pytest]\npythonpath = src\n")
    return exam


@pytest.mark.parametrize(
    "level",
    [Isolation.CHECKOUT, pytest.param(Isolation.SANDBOX, marks=pytest.mark.needs("bwrap"))],
)
def test_honest_products_pass_across_a_pipe(honest: Exam, level: Isolation) -> None:
    seen, outcomes = honest.ask_across(level, *(f"test_{name}.py" for name in HONEST))

    assert [name for name, told in outcomes.items() if told is not Outcome.PASSED] == []
    assert (seen.verdict, seen.asked) == (Verdict.PASSED, "across a pipe")
    assert len(outcomes) == sum(test.count("def test_") for _, test in HONEST.values())


def test_what_cannot_be_carried_is_unknown_and_named(honest: Exam) -> None:
    (honest.held_out / "test_odd.py").write_text(shapes.UNCARRIED)

    seen, _ = honest.ask_across(Isolation.CHECKOUT, "test_odd.py")

    assert seen.verdict is Verdict.UNKNOWN
    assert seen.reason == (
        "it cannot be asked across a pipe: a class of the tests derives from one of the product, "
        "a module is an argument, a test replaces pathlib.Path.home and 1 more"
    )


def test_a_product_that_ends_fails_tests_that_do_not_look(exam: Exam) -> None:
    exam.repo.write("gone.py", "import os\ndef leave():\n    os._exit(0)\n")
    script = f"{AT_ROOT}import gone\ntry:\n    gone.leave()\nexcept BaseException:\n    pass\n"
    (exam.held_out / "ask.py").write_text(script)

    for options, verdict, said in (
        ((), Verdict.FAILED, "the product's process does not answer: it has ended"),
        (("-I",), Verdict.UNKNOWN, "python3 did not load what asks the product across a pipe"),
    ):
        seen = exam.run_check(
            Isolation.CHECKOUT, check("command", ["python3", *options, "held_out/ask.py"])
        )
        assert (seen.verdict, seen.reason) == (verdict, said)


def test_folders_that_hold_nothing_but_code_stay_on_the_path(exam: Exam) -> None:
    exam.repo.write("src/shop/__init__.py", "PRICE = 4\n")
    (exam.held_out / "editable.pth").write_text("../src\n")
    script = "import os, site\nsite.addsitedir(os.path.dirname(__file__))\nimport shop\n"
    (exam.held_out / "ask.py").write_text(f"{script}assert shop.PRICE == 4\n")

    seen = exam.run_check(Isolation.CHECKOUT, check("command", ["python3", "held_out/ask.py"]))

    assert (seen.verdict, seen.asked) == (Verdict.PASSED, "across a pipe"), seen.reason
