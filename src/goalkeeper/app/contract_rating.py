"""What a contract by hand is worth: it is run again, on a reference, and on faults in that."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from goalkeeper.app.contract_runs import (
    ContractRuns,
    FaultRow,
    Seen,
    Solution,
    list_verdicts,
    run_again,
)
from goalkeeper.app.contracts import ContractCheck, rate_fitness
from goalkeeper.core.contract.criteria import (
    ANSWERED_KINDS,
    HISTORY_KINDS,
    MOMENT_KINDS,
    Verdict,
)
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.fitness import Look
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import is_prose, is_test, role_of_path
from goalkeeper.core.draft.lint import LintFacts, lint_test
from goalkeeper.core.draft.model import Standing
from goalkeeper.core.draft.rating import RunTable, rate_test
from goalkeeper.core.plan.model import Base
from goalkeeper.wire.value import Value

_NOT_OF_THE_TREE = ANSWERED_KINDS | HISTORY_KINDS | MOMENT_KINDS
_NO_FAULTS = "no fault could be made of what the reference changes"


class RatedCriterion(Value):
    """What more runs of a criterion have shown."""

    rule: str = ""  # the rule that it breaks
    reason: str = ""
    is_sound: bool = True
    noticed: int | None = None  # so many faults it noticed, if it was tried on some


class ContractRating(Value):
    checked: ContractCheck
    rows: Mapping[str, RatedCriterion]  # the criteria that were run again
    reference: str = ""  # its tree
    faults: int = 0  # so many faults were tried
    noticed: int = 0  # so many of them a criterion noticed
    notes: tuple[str, ...] = ()

    @property
    def is_fit(self) -> bool:
        is_blind = self.faults > 0 and not self.noticed
        return self.checked.is_fit and all(r.is_sound for r in self.rows.values()) and not is_blind


def look_at_base(runs: ContractRuns, contract: Contract) -> ContractCheck:
    """Run a contract on its base, for no goal of a plan."""
    examined = runs.examine_base(contract)
    return ContractCheck(contract, runs.base, rate_fitness(contract, examined), examined)


class ContractRater(Value):
    """Rates a contract that was looked at on its base."""

    runs: ContractRuns
    checked: ContractCheck
    reference: Base | None
    is_repeated: bool

    def rate_contract(self) -> ContractRating:
        fit = [row for row in self.checked.rows if row.is_fit]
        looks = {row.criterion.id: row.look for row in fit}
        asked = [r.criterion for r in fit if r.criterion.check.kind not in _NOT_OF_THE_TREE]
        contract = self.checked.contract.replace(criteria=tuple(asked))
        changes = self._read_changes()
        notes = self._read_tests(changes)
        if not asked:
            return ContractRating(self.checked, {}, notes=notes)
        base = {judged.id: judged for judged in self.checked.examined.criteria}
        on_base = {each.id: [base[each.id].verdict] for each in asked}
        if self.is_repeated:
            self.runs.tell("again, in another order, time zone and locale")
            again = run_again(self.runs.run_on_base, contract)
            on_base = {
                name: [*seen, *(j.verdict for j in again[name])] for name, seen in on_base.items()
            }
        solved, own = self._solve(contract, base)
        sound = [c for c in asked if {*own[c.id]} == {Verdict.PASSED} and not c.guard]
        caught = self._run_faults(contract.replace(criteria=tuple(sound)), changes, base)
        rows = {}
        for each in asked:
            table = RunTable(
                base=_leave_out_expected(looks[each.id], on_base[each.id]),
                own=own[each.id], others=(), faults=list_verdicts(caught, each.id),
                own_reason=solved[each.id].reason if solved else "",
            )  # fmt: skip
            rating = rate_test(table)
            is_sound = rating.standing is not Standing.DROPPED
            noticed = table.killed if table.faults else None
            rows[each.id] = RatedCriterion(rating.rule, rating.reason, is_sound, noticed)
        killed = sum(Verdict.FAILED in row.values() for row in caught)
        if sound and not caught:
            notes = (*notes, _NO_FAULTS)
        tree = self.reference.tree if self.reference else ""
        return ContractRating(self.checked, rows, tree, len(caught), killed, notes)

    def _solve(self, contract: Contract, base: Seen) -> tuple[Seen, dict[str, list[Verdict]]]:
        if self.reference is None:
            return {}, {each.id: [] for each in contract.criteria}
        self.runs.tell("on the reference")
        solution = Solution(self.reference.tree, {})
        run = partial(self.runs.run_on_solution, solution=solution, on_base=base)
        first = run(contract)
        again = run_again(run, contract) if self.is_repeated else {}
        return first, {
            name: [j.verdict for j in (one, *again.get(name, ()))] for name, one in first.items()
        }

    def _run_faults(
        self, contract: Contract, changes: Mapping[str, str], base: Seen
    ) -> list[FaultRow]:
        if self.reference is None or not contract.criteria:
            return []
        solution = Solution(self.reference.tree, changes)
        return self.runs.run_on_faults(contract, solution, base)

    def _read_changes(self) -> dict[str, str]:
        """Read the product files that the reference makes or changes, if they are text.

        What it lacks may be work of today, such as the contract itself.
        """
        if self.reference is None:
            return {}
        witness, protected = self.runs.witness, self.checked.examined.protected
        files = witness.open_tree(self.reference.tree)
        changed = witness.list_changed(self.runs.base.tree, self.reference.tree) or ()
        product = (p for p in changed if not (role_of_path(p) or is_prose(p) or p in protected))
        texts = {path: _decode(files.read_file(path)) for path in product}
        return {path: text for path, text in texts.items() if text}

    def _read_tests(self, changes: Mapping[str, str]) -> tuple[str, ...]:
        """Say what reading the tests shows that the contract brings or names."""
        contract = self.checked.contract
        tests = [*self._find_tests(contract)]
        words = " ".join((*(each.text for each in contract.criteria), *contract.outcomes))
        read_base = partial(self.runs.read_base_text, without={path for _, path, _ in tests})
        paths = tuple(changes) or self._list_touched(contract)
        facts = LintFacts(words, (), paths, read_base)
        found = [(name, path, *lint_test(path, text, facts)) for name, path, text in tests]
        return tuple(f"{name}: {path} {rule}: {why}" for name, path, rule, why in found if rule)

    def _find_tests(self, contract: Contract) -> Iterator[tuple[str, str, str]]:
        """Find the test files that criteria name: the contract's, the reference's or the base's.

        Give the criterion, the path and the text of each.
        """
        trees = [side.tree for side in (self.reference, self.runs.base) if side]
        sides = [self.runs.witness.open_tree(tree) for tree in trees]
        there = {path for side in sides for path in side.list_paths() if is_test(path)}
        for criterion in contract.criteria:
            said = json.dumps(criterion.check.to_plain(), ensure_ascii=False)
            for path in sorted(path for path in {*there, *contract.tests} if path in said):
                data = next(filter(None, (side.read_file(path) for side in sides)), b"")
                yield criterion.id, path, contract.tests.get(path) or data.decode(errors="replace")

    def _list_touched(self, contract: Contract) -> Sequence[str]:
        paths = self.runs.witness.open_tree(self.runs.base.tree).list_paths()
        return [path for path in paths if is_match(path, contract.touch) and not is_test(path)]


def _leave_out_expected(look: Look, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """Leave out what a guard and tests to be written come to on the base, if it is always that."""
    return verdicts if look is Look.RED or len({*verdicts}) > 1 else ()


def _decode(data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError:
        return ""
