"""The project's own commands guard drafted work: what they accept now, they must accept then.

A guard must not turn away correct work, so it is tried on the solutions that examiners wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goalkeeper.app.contract_runs import ContractRuns, Solution
from goalkeeper.app.contracts import make_verification
from goalkeeper.config import Argv
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.contract.named_tests import name_tests
from goalkeeper.core.projects.commands import find_runner
from goalkeeper.wire.value import Value


class FoundGuards(Value):
    """Commands that guard, what was seen of them on the base, and what is said of the others."""

    runs: ContractRuns
    criteria: tuple[Criterion, ...] = ()
    seen: Mapping[str, Judged] = {}
    told: tuple[str, ...] = ()

    def try_on_solutions(
        self, solutions: Sequence[Solution], tests: Mapping[str, str]
    ) -> FoundGuards:
        """Leave out what fails on every solution with these tests: it would turn all work away.

        A linter may not like the tests, and new code may lower what tests of the base cover.
        """
        failing: dict[str, str] = {}
        open_still = self.criteria
        for number, solution in enumerate(solutions, 1):
            if not open_still:
                break
            self.runs.tell(f"the project's own tests on the solution of examiner {number}")
            asked = Contract(criteria=open_still, tests=tests)
            found = self.runs.run_on_solution(asked, solution, self.seen)
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


def find_guards(runs: ContractRuns, verify: Sequence[Argv]) -> FoundGuards:
    """Find commands that are green on the base; say which are not.

    Where a runner names its tests, those that pass must go on passing, whatever others do; its
    exit code alone would not tell that a test is skipped now.
    """
    if not verify:
        nothing = "the project has no verification commands (goalkeeper init finds them)"
        return FoundGuards(runs, told=(nothing,))
    runs.tell("the project's own tests on the base")
    names = [f"V{number}" for number in range(1, len(verify) + 1)]
    whole = make_verification(verify, names)
    judged = runs.run_on_base(whole)
    named = _find_runners(runs, verify, judged)
    by_test = make_verification(verify, names, named)
    by_test = by_test.replace(criteria=tuple(c for c in by_test.criteria if c.id in named))
    again = runs.run_on_base(by_test) if named else {}
    held = {name for name, seen in again.items() if seen.verdict is Verdict.PASSED}
    green = [c for c in whole.criteria if judged[c.id].verdict is Verdict.PASSED]
    chosen = [c for c in green if c.id not in held]
    chosen += [c for c in by_test.criteria if c.id in held]
    told = [
        f"'{c.text}' guards test by test: {again[c.id].reason}" if c.id in held
        else f"'{c.text}' guards nothing: {judged[c.id].reason}"
        for c in whole.criteria
        if judged[c.id].verdict is not Verdict.PASSED
    ]  # fmt: skip
    in_order = tuple(sorted(chosen, key=lambda c: names.index(c.id)))
    return FoundGuards(runs, in_order, {**judged, **again}, tuple(told))


def _find_runners(
    runs: ContractRuns, verify: Sequence[Argv], judged: Mapping[str, Judged]
) -> dict[str, Argv]:
    """Find what these commands run in the end, if it names its tests."""
    files = runs.witness.open_tree(runs.base.tree)

    def read(path: str) -> str:
        return (files.read_file(path) or b"").decode(errors="replace")

    ran = [name for name, seen in judged.items() if seen.verdict is not Verdict.UNKNOWN]
    runners = {name: find_runner(argv, read) for name, argv in zip(judged, verify, strict=True)}
    return {name: runners[name] for name in ran if name_tests(runners[name])}
