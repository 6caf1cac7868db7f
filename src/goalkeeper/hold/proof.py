"""Ultrawork: a session of a client is held until the witness has proved its goal.

The goal is that of the session's run. Without one a run is made for it, judged by the project's
own verification commands, each as it was when the hold began: one that was green must stay
green, one that was red must become so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from goalkeeper.app import completing, judging
from goalkeeper.app.handle import handle
from goalkeeper.app.judging import Checked, Court, Ruled, contract_of
from goalkeeper.config import Argv
from goalkeeper.core.contract.criteria import Verdict as Seen
from goalkeeper.core.contract.document import Contract, read_plain
from goalkeeper.core.contract.fitness import fitness
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan import commands, gate
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.graph import next_goal
from goalkeeper.core.plan.model import Base, Goal, GoalStatus, Plan, Refused
from goalkeeper.errors import ContractInvalid
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import Hold, Verdict

_SHOWN_LINES = 20
_SHOWN_CHARACTERS = 700
_LINE_CHARACTERS = 200
_SHOWN_CRITERIA = 3
_MENDABLE = frozenset({"gate-closed", "not-reviewed", "not-proven", "findings-stand"})


class Proof:
    """One proof of a hold on the working tree as it is."""

    def __init__(
        self, court: Court, hold: Hold, output: Callable[[str], str], *, records: bool
    ) -> None:
        """`records`: goals that are proven are completed, where the run is the hold's own."""
        self._court = court
        self._hold = hold
        self._output = output
        self._records = records

    def verdict(self, began: float) -> Verdict:
        return self._said().replace(began=began)

    def _said(self) -> Verdict:
        """Goal after goal, as far as each is proven."""
        while True:
            plan = self._court.run.read()
            if plan.closed:
                return _verdict(wire.GIVEN_UP, f"Run {plan.run_id} was closed: {plan.closed}.")
            if plan.is_complete:
                return self._foreign(plan) or self._completed(plan)
            goal = self._goal(plan)
            if goal is None:
                return _verdict(wire.GIVEN_UP, _given_up(plan))
            said = self._judged(goal)
            if said is not None:
                return said

    def _goal(self, plan: Plan) -> Goal | None:
        """The goal at work, started if need be; None when nothing is left that an agent can do."""
        if next_goal(plan, retry_failed=True, at=self._court.clock()) is None:
            return None
        started = handle(
            self._court.run,
            commands.StartNext(retry_failed=True),
            actor=self._court.actor,
            clock=self._court.clock,
        )
        active = started.plan.with_status(GoalStatus.ACTIVE)
        return active[0] if active else None

    def _judged(self, goal: Goal) -> Verdict | None:
        """None: the goal is proven and recorded as complete."""
        refused = self._frozen(goal)
        if refused:
            return _verdict(wire.UNKNOWN, f"{goal.id}: {refused.message}")
        ruled = judging.judge(self._court, goal.id, final=self._records)
        if isinstance(ruled, Refused):
            return _verdict(wire.UNKNOWN, f"{goal.id}: {ruled.message}")
        goal, judgement = ruled.goal, ruled.judgement
        if not gate.proves(goal, judgement):
            return self._unproven(goal, judgement)
        if self._is_untouched(goal, judgement):
            said = f"{goal.id}: all checks pass, as they did before: no file has changed since."
            return Verdict(wire.FAILED, judgement.tree, 0.0, failing=("no-change",), text=said)
        if not self._hold.own:
            return self._unrecorded(goal, judgement)
        return self._recorded(ruled)

    def _is_untouched(self, goal: Goal, judgement: Judgement) -> bool:
        """Guards alone say nothing of work that was not begun."""
        contract = contract_of(goal)
        if contract is None or goal.frozen is None:
            return False
        is_base = judgement.tree == goal.frozen.base.tree
        return is_base and all(criterion.guard for criterion in contract.criteria)

    def _recorded(self, ruled: Ruled) -> Verdict | None:
        goal, judgement = ruled.goal, ruled.judgement
        if not self._records:
            return Verdict(wire.PASSED, judgement.tree, 0.0, text=f"{goal.id} is proven so far.")
        said = "proven by the witness while ultrawork held the session"
        command = commands.Checkpoint(goal.id, CheckpointStatus.COMPLETE, said)
        refused = completing.conclude(self._court, command, ruled).refused
        if refused is None:
            return None
        outcome = wire.FAILED if refused.reason in _MENDABLE else wire.UNKNOWN
        text = f"{goal.id}: {refused.message}"
        return Verdict(outcome, judgement.tree, 0.0, failing=(goal.id,), text=text)

    def _frozen(self, goal: Goal) -> Refused | None:
        """The verification commands, frozen as the contract of a goal that was given none."""
        if goal.id not in self._hold.bare:
            return None
        if goal.frozen:
            return None if self._is_ours(goal) else _replaced(goal)
        frozen = judging.freeze(self._court, self._checked(goal))
        return frozen if isinstance(frozen, Refused) else frozen.refused

    def _is_ours(self, goal: Goal) -> bool:
        """Whether its contract is the brief's, or the verification commands and nothing else."""
        contract = contract_of(goal)
        if goal.contract or contract is None:
            return contract is not None
        green = [criterion.id for criterion in contract.criteria if criterion.guard]
        return contract.digest == verification(self._hold.verify, green).digest

    def _checked(self, goal: Goal) -> Checked:
        """Each command a guard where it is green on the base, else what is to become true."""
        plan = self._court.run.read()
        base = judging.base_for(plan, goal)
        first = judging.check(self._court, goal, verification(self._hold.verify, ()), base)
        green = [seen.id for seen in first.examined.criteria if seen.verdict is Seen.PASSED]
        contract = verification(self._hold.verify, green)
        pairs = zip(contract.criteria, first.examined.criteria, strict=True)
        rows = tuple(fitness(contract, criterion, judged) for criterion, judged in pairs)
        return first.replace(contract=contract, rows=rows)

    def _foreign(self, plan: Plan) -> Verdict | None:
        """What was promised is what it is proven by; and of its own run, all of it."""
        for goal in plan.goals:
            promised = self._hold.own or goal.id in self._hold.bare
            dropped = goal.status is GoalStatus.SUPERSEDED
            if promised and ((dropped and self._hold.own) or not self._is_ours(goal)):
                said = f"{goal.id} is {goal.status}, but not by what ultrawork froze for it."
                return _verdict(wire.UNKNOWN, said)
        return None

    def _completed(self, plan: Plan) -> Verdict:
        """Proven; but of other files they are judged again as they are. Nothing is recorded."""
        candidate = self._court.witness.snapshot()
        last = max(plan.required, key=lambda goal: goal.completed_at).proven
        if last is None or last.tree != candidate.tree:
            for goal in plan.required:
                judgement = self._judged_again(plan, goal, candidate)
                if judgement and not gate.proves(goal, judgement):
                    said = self._unproven(goal, judgement)
                    return said.replace(text=f"It was proven, and files changed since. {said.text}")
        told = "; ".join(f"{goal.id} {_by(contract_of(goal))}" for goal in plan.required)
        return Verdict(wire.PASSED, candidate.tree, 0.0, recorded=True, text=told)

    def _judged_again(self, plan: Plan, goal: Goal, candidate: Base) -> Judgement | None:
        if goal.frozen is None:
            return None
        trial = judging.trial_of(self._court, plan, goal, cached=True, final=False)
        return self._court.witness.prove(trial, candidate)

    def _unrecorded(self, goal: Goal, judgement: Judgement) -> Verdict:
        text = (
            f"{goal.id} is proven on this tree but not recorded. Record it, then go on with the "
            f"next: goalkeeper checkpoint --run {self._hold.run} --goal-id {goal.id} "
            '--status complete --evidence "<what was done>"'
        )
        return Verdict(wire.FAILED, judgement.tree, 0.0, failing=(goal.id,), text=text)

    def _unproven(self, goal: Goal, judgement: Judgement) -> Verdict:
        failing = (*(c.id for c in judgement.unproven), *(f.rule for f in judgement.blocking))
        contract = contract_of(goal) or Contract()
        told = [self._told(contract, seen) for seen in judgement.unproven[:_SHOWN_CRITERIA]]
        told += [str(finding) for finding in judgement.blocking[:_SHOWN_CRITERIA]]
        left = len(failing) - len(told)
        more = [f"and {left} more: goalkeeper why {goal.id} --run {self._hold.run}"] if left else []
        text = "\n".join([f"{goal.id}:", *told, *more, *self._red_before(goal, contract)])
        failed = any(c.verdict is Seen.FAILED for c in judgement.criteria) or judgement.blocking
        outcome = wire.FAILED if failed else wire.UNKNOWN
        return Verdict(outcome, judgement.tree, 0.0, failing=failing, text=text)

    def _red_before(self, goal: Goal, contract: Contract) -> list[str]:
        """For whom it may concern: who broke it need not be who has to mend it."""
        red = [c.id for c in contract.criteria if not c.guard]
        is_ours = goal.id in self._hold.bare
        return [f"Red before the work began, too: {', '.join(red)}."] if is_ours and red else []

    def _told(self, contract: Contract, seen: Judged) -> str:
        criterion = contract.criterion(seen.id)
        what = criterion.text if criterion else ""
        hidden = bool(criterion and criterion.held_out)
        shown = "" if hidden else _tail(self._output(seen.evidence))
        return f"{seen.id} {seen.verdict}, {what}: {seen.reason}{shown}"


def _tail(output: str) -> str:
    """The last lines, whole ones, as many as a model should be told."""
    lines = [line[:_LINE_CHARACTERS] for line in output.splitlines() if line.strip()]
    kept: list[str] = []
    for line in reversed(lines[-_SHOWN_LINES:]):
        if sum(map(len, kept)) + len(line) > _SHOWN_CHARACTERS:
            break
        kept.insert(0, f"\n  | {line}")
    return "".join(kept)


def verification(commands_: Sequence[Argv], green: Sequence[str]) -> Contract:
    """The project's own commands as a contract; those that are green guard.

    Raises ContractInvalid, for commands that cannot fail.
    """
    criteria = []
    for number, argv in enumerate(commands_, 1):
        name = f"V{number}"
        told: dict[str, object] = {
            "id": name, "text": " ".join(argv), "check": {"command": list(argv)},
        }  # fmt: skip
        criteria.append(told | ({"guard": True} if name in green else {}))
    read = read_plain({"criteria": criteria})
    if isinstance(read, Contract):
        return read
    raise ContractInvalid(source="[verify]", problems="; ".join(map(str, read)))


def _verdict(outcome: str, text: str) -> Verdict:
    return Verdict(outcome, "", 0.0, text=text)


def _replaced(goal: Goal) -> Refused:
    said = f"The contract of {goal.id} is not the one that ultrawork froze; nothing is proven by it"
    return Refused("contract-changed", said, "goalkeeper ulw off")


def _given_up(plan: Plan) -> str:
    stuck = [goal for goal in plan.required if goal.status is not GoalStatus.COMPLETE]
    return "; ".join(f"{goal.id} is {goal.exit or goal.status}: {goal.evidence}" for goal in stuck)


def _by(contract: Contract | None) -> str:
    """What proved it; guards alone only show that nothing broke."""
    if contract is None:
        return ""
    told = ", ".join(criterion.text for criterion in contract.criteria)
    only_guards = all(criterion.guard for criterion in contract.criteria)
    return f"{told} (green before, too: they show that nothing broke)" if only_guards else told
