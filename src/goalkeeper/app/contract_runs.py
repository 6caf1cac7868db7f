"""A contract is run on several trees: on its base, on a solution, on faults in it, and again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from goalkeeper.app.trials import Examination, Trial, WitnessPort
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.draft.faults import MOST_FAULTS, make_faults
from goalkeeper.core.plan.model import Base
from goalkeeper.wire.value import Value

# A check must come out the same with these variables, and with its own once more.
OTHER_VARIABLES = {"TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "1"}
REPETITIONS: tuple[Mapping[str, str], ...] = (OTHER_VARIABLES, {})
_MOST_TEXT = 1 << 20  # so much of a file of the base is read for its words

Seen = dict[str, Judged]  # what became of each criterion
FaultRow = dict[str, Verdict]  # what criteria say of one fault, as far as they were asked


class Solution(Value):
    """Files that solve something, and the tree on which they are laid."""

    tree: str
    files: Mapping[str, str | None]


class ContractRuns(Value):
    """Runs contracts that are measured against one base."""

    witness: WitnessPort
    base: Base
    isolation: str
    tell: Callable[[str], None]  # it is told what runs now
    seconds: int  # so long a check may take: it may never end
    fault_seconds: int  # so long on a fault, which may loop for ever

    def examine_base(self, contract: Contract) -> Examination:
        return self.witness.examine_base(self._make_trial(contract))

    def run_on_base(self, contract: Contract) -> Seen:
        return {judged.id: judged for judged in self.examine_base(contract).criteria}

    def run_on_solution(
        self, contract: Contract, solution: Solution, on_base: Mapping[str, Judged]
    ) -> Seen:
        """Run a contract on a solution; what is known of the base need not run again."""
        lay = self.witness.lay_files
        tree = lay(lay(solution.tree, solution.files), contract.tests)
        known = tuple((each.id, on_base[each.id].evidence) for each in contract.criteria)
        trial = self._make_trial(contract).replace(base_evidence=known)
        found = self.witness.judge_criteria(trial, Base(tree, self.base.commit))
        return {judged.id: judged for judged in found}

    def run_on_faults(
        self, contract: Contract, solution: Solution, on_base: Seen
    ) -> list[FaultRow]:
        """Run a contract on faults in a solution; return what the criteria say of each fault."""
        files = self.witness.open_tree(self.base.tree)
        texts = {path: files.read_file(path) for path in solution.files}
        old = {path: data.decode(errors="replace") for path, data in texts.items() if data}
        faults = make_faults(old, solution.files)
        briefly = self.replace(seconds=self.fault_seconds)
        rows: list[FaultRow] = []
        for number, fault in enumerate(faults, 1):
            asked = contract
            if number > MOST_FAULTS:  # only for those that have noticed nothing so far
                left = (
                    c for c in contract.criteria if Verdict.FAILED not in list_verdicts(rows, c.id)
                )
                asked = contract.replace(criteria=tuple(left))
            if not asked.criteria:
                break
            self.tell(f"on fault {number} of {len(faults)}: {fault.told}")
            wrong = solution.replace(files=fault.files)
            seen = briefly.run_on_solution(asked, wrong, on_base)
            rows.append({name: judged.verdict for name, judged in seen.items()})
        return rows

    def read_base_text(self, without: Collection[str] = ()) -> str:
        """Read the words that the base has."""
        files = self.witness.open_tree(self.base.tree)
        known = (files.read_file(path) or b"" for path in files.list_paths() if path not in without)
        return "\n".join(data[:_MOST_TEXT].decode(errors="replace") for data in known)

    def _make_trial(self, contract: Contract) -> Trial:
        settings = self.witness.settings_of(self.base)
        limits = settings.witness.replace(timeout=min(settings.witness.timeout, self.seconds))
        # What nobody trusts is missing on every tree alike, so a difference is none of its doing.
        settings = settings.replace(witness=limits, left_out=())
        return Trial(contract, self.base, settings, isolation=self.isolation, cached=False)


def list_verdicts(rows: Sequence[FaultRow], criterion: str) -> list[Verdict]:
    return [row[criterion] for row in rows if criterion in row]


def run_again(
    run: Callable[[Contract], Seen],
    contract: Contract,
    turns: Sequence[Mapping[str, str]] = REPETITIONS,
) -> dict[str, list[Judged]]:
    """Run a contract in another order and under other circumstances, once for each turn."""
    seen = [run(_turn_contract(contract, env)) for env in turns]
    return {each.id: [found[each.id] for found in seen] for each in contract.criteria}


def _turn_contract(contract: Contract, env: Mapping[str, str]) -> Contract:
    turned = (_set_variables(each, env) for each in contract.criteria[::-1])
    return contract.replace(criteria=tuple(turned))


def _set_variables(criterion: Criterion, env: Mapping[str, str]) -> Criterion:
    options = criterion.check.options
    if "env" not in options:
        return criterion
    changed = {**options, "env": {**env, **options["env"]}}
    return criterion.replace(check=criterion.check.replace(options=changed))
