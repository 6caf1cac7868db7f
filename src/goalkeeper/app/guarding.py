"""The project's own commands guard work: what they accept now, they must accept then.

A guard must not turn away correct work, so guards of a draft are tried on examiners' solutions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from goalkeeper.app.contract_runs import ContractRuns, Solution
from goalkeeper.app.contracts import make_verification, name_commands
from goalkeeper.app.trials import Examination
from goalkeeper.config import Argv
from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.contract.named_tests import name_tests
from goalkeeper.core.projects.commands import (
    ReadText,
    find_runner,
    only_looks,
    split_command,
)
from goalkeeper.wire.value import Value

ExamineBase = Callable[[Contract], Examination]


class FoundGuards(Value):
    """Commands that guard, what was seen of them on the base, and what is said of the others."""

    criteria: tuple[Criterion, ...] = ()
    seen: Mapping[str, Judged] = {}
    told: tuple[str, ...] = ()

    def try_on_solutions(
        self, runs: ContractRuns, solutions: Sequence[Solution], tests: Mapping[str, str]
    ) -> FoundGuards:
        """Leave out what fails on every solution with these tests: it would turn all work away.

        A linter may not like the tests, and new code may lower what tests of the base cover.
        """
        # These commands may take longer than a test that somebody drafted.
        runs = runs.replace(seconds=runs.witness.settings_of(runs.base).witness.timeout)
        failing: dict[str, str] = {}
        open_still = self.criteria
        for number, solution in enumerate(solutions, 1):
            if not open_still:
                break
            runs.tell(f"the project's own tests on the solution of examiner {number}")
            asked = Contract(criteria=open_still, tests=tests)
            found = runs.run_on_solution(asked, solution, self.seen)
            failing = {n: f.reason for n, f in found.items() if f.verdict is Verdict.FAILED}
            open_still = tuple(each for each in open_still if each.id in failing)
        if not failing:
            return self
        told = [
            f"'{each.text}' guards nothing: correct work fails it, too: {failing[each.id]}"
            for each in open_still
        ]
        left = tuple(each for each in self.criteria if each.id not in failing)
        return self.replace(criteria=left, told=(*self.told, *told))


def find_guards(runs: ContractRuns, examine: ExamineBase) -> FoundGuards:
    """Find commands that are green on the base; say how they guard, and which guard nothing."""
    verify = runs.witness.settings_of(runs.base).verify
    if not verify:
        nothing = "the project has no verification commands (goalkeeper init finds them)"
        return FoundGuards(told=(nothing,))
    files = runs.witness.open_tree(runs.base.tree)

    def read(path: str) -> str:
        return (files.read_file(path) or b"").decode(errors="replace")

    runs.tell("the project's own tests on the base")
    commands, contract, examined = _choose_parts(examine, verify, read)
    seen = {judged.id: judged for judged in examined.criteria}
    green = tuple(each for each in contract.criteria if each.guard)
    by_test = [each.id for each in green if each.check.kind in TEST_KINDS]
    told = [
        f"'{' '.join(commands[each.id])}' guards "
        f"{'test by test' if each.id in by_test else 'nothing'}: {seen[each.id].reason}"
        for each in contract.criteria
        if not each.guard or each.id in by_test
    ]
    return FoundGuards(green, seen, tuple(told))


def _choose_parts(
    examine: ExamineBase, verify: Sequence[Argv], read: ReadText
) -> tuple[Mapping[str, Argv], Contract, Examination]:
    """Make guards of a suite and the linters that `make test` runs; its exit code tells less.

    What else it runs may make what the suite needs, so such a command is taken whole, as is one
    whose parts are not green.
    """
    apart = {argv: parts for argv in verify if (parts := _split_suite(argv, read))}
    while True:
        asked = {part: argv for argv in verify for part in apart.get(argv, (argv,))}
        runners = [find_runner(argv, read) for argv in asked]
        contract, examined = choose_guards(examine, [*asked], runners)
        guards = [each.guard for each in contract.criteria]
        red = {argv for argv, guard in zip(asked.values(), guards, strict=True) if not guard}
        if not red & apart.keys():
            return name_commands([*asked]), contract, examined
        apart = {argv: parts for argv, parts in apart.items() if argv not in red}


def _split_suite(argv: Argv, read: ReadText) -> tuple[Argv, ...]:
    parts = split_command(argv, read)
    suites = [part for part in parts if name_tests(part)]
    linters = [part for part in parts if only_looks(part)]
    is_told = bool(linters) and bool(suites) and len(suites) + len(linters) == len(parts)
    return parts if is_told else ()


def choose_guards(
    examine: ExamineBase, verify: Sequence[Argv], runners: Sequence[Argv]
) -> tuple[Contract, Examination]:
    """Make each command a guard if it is green on the base, else what is to become true.

    Where a runner names its tests, those that pass must go on passing, whatever others do; its
    exit code alone would not tell that a test is skipped now. If that is not green, the command
    is taken as it is. The witness need not run again what was green.
    """
    names = [*name_commands(verify)]
    named = {name: argv for name, argv in name_commands(runners).items() if name_tests(argv)}
    while True:
        examined = examine(make_verification(verify, names, named))
        green = [each.id for each in examined.criteria if each.verdict is Verdict.PASSED]
        if named.keys() <= set(green):
            return make_verification(verify, green, named), examined
        named = {name: argv for name, argv in named.items() if name in green}
