"""Contracts of goals are read, checked on the base tree, frozen and amended here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from goalkeeper.app.handle import CommandDecision, CommandResult, handle, unknown_goal
from goalkeeper.app.ports import Clock, ReceiptSigner, Run
from goalkeeper.app.trials import Examination, Trial, WitnessPort
from goalkeeper.config import Argv
from goalkeeper.core.contract.cures import SET_UP
from goalkeeper.core.contract.document import Contract, read_plain, read_text
from goalkeeper.core.contract.fitness import Fitness, Look, assess_fitness
from goalkeeper.core.contract.named_tests import name_tests
from goalkeeper.core.plan import commands, gate
from goalkeeper.core.plan.freeing import refuse_freeing
from goalkeeper.core.plan.freezing import is_self_written
from goalkeeper.core.plan.model import (
    STRICT,
    Actor,
    ActorKind,
    Base,
    Frozen,
    Goal,
    GoalStatus,
    Plan,
    Refused,
    is_outrun,
)
from goalkeeper.errors import ContractInvalid, GoalUnnamed, NoBase
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value


class JudgeContext(Value):
    """Holds a run, the witness that sees for it, who asks, and who signs what is complete."""

    run: Run
    witness: WitnessPort
    actor: Actor
    clock: Clock
    verify_ledger: Callable[[], object]
    signer: ReceiptSigner
    list_others: Callable[[], Iterable[Plan]]  # the plans of other runs
    isolation: str = ""

    def handle(
        self,
        command: commands.Command,
        *,
        records: Callable[[CommandDecision], bool] = lambda _: True,
    ) -> CommandResult:
        return handle(self.run, command, actor=self.actor, clock=self.clock, records=records)


class FrozenGoal(Value):
    """A goal whose contract counts, with that contract as it was read."""

    plan: Plan
    goal: Goal
    frozen: Frozen
    contract: Contract


class ContractCheck(Value):
    """The result of checking a contract on its base tree: what each criterion can show."""

    contract: Contract
    base: Base
    rows: tuple[Fitness, ...]
    examined: Examination

    @property
    def is_fit(self) -> bool:
        return all(row.is_fit for row in self.rows)


def choose_goal(plan: Plan, goal_id: str) -> Goal:
    """Find the goal that is named, else the active one, else the only one there is."""
    if goal_id:
        goal = plan.find_goal(goal_id)
        if goal is None:
            raise unknown_goal(plan, goal_id)
        return goal
    meant = plan.with_status(GoalStatus.ACTIVE) or plan.asked_goals
    if len(meant) != 1:
        known = [goal.id for goal in plan.asked_goals or plan.goals]
        raise GoalUnnamed(run=plan.run_id, known=", ".join(known), first=known[0])
    return meant[0]


def contract_of(goal: Goal) -> Contract | None:
    """Read the frozen contract, else the brief's."""
    source = f"the contract of {goal.id}"
    if goal.frozen:
        try:
            told = json.loads(goal.frozen.contract)
        except (ValueError, RecursionError) as exc:
            raise ContractInvalid(source=source, problems=f"it is not JSON ({exc})") from exc
        return read_sound(read_plain(told), source)
    if goal.drafted_contract:
        return read_sound(read_plain(json.loads(goal.drafted_contract)), source)
    if not goal.contract:
        return None
    contract = read_sound(read_text(goal.contract), source)
    return contract if contract.criteria else None


def read_contract(text: str, source: str) -> Contract:
    contract = read_sound(read_text(text), source)
    if not contract.criteria:
        raise ContractInvalid(source=source, problems="it has no criteria")
    return contract


def name_commands(commands_: Sequence[Argv]) -> dict[str, Argv]:
    """Name the project's own commands as criteria: V1, V2, …"""
    return {f"V{number}": argv for number, argv in enumerate(commands_, 1)}


def make_verification(
    commands_: Sequence[Argv], green: Sequence[str], named: Mapping[str, Argv] = {}
) -> Contract:
    """Make a contract of the project's own commands; those that are green must stay so.

    Those that are `named` are judged test by test, by the runner that is given. Raise
    ContractInvalid, for commands that cannot fail.
    """
    criteria = []
    for name, argv in name_commands(commands_).items():
        by_test = name_tests(named[name]) if name in named else None
        # The command itself may be red, before and after.
        text = " ".join(argv) + (" gets no worse" if by_test else "")
        check = by_test or {"command": list(argv)}
        told: dict[str, object] = {"id": name, "text": text, "check": check}
        criteria.append(told | ({"guard": True} if name in green else {}))
    return read_sound(read_plain({"criteria": criteria}), "[verify]")


def read_sound(read: Contract | tuple[object, ...], source: str) -> Contract:
    if isinstance(read, Contract):
        return read
    raise ContractInvalid(source=source, problems="; ".join(map(str, read)))


def find_frozen(plan: Plan, goal: Goal) -> FrozenGoal | None:
    """Return None while the goal's contract is not frozen."""
    contract = contract_of(goal) if goal.frozen else None
    return FrozenGoal(plan, goal, goal.frozen, contract) if goal.frozen and contract else None


def check_contract(
    context: JudgeContext, plan: Plan, goal: Goal, contract: Contract, base: Base
) -> ContractCheck:
    """Run every criterion on the base tree, and record nothing."""
    settings, done = context.witness.settings_of(base), completion_times(plan)
    asked = contract
    if goal.start == base:  # the reviewed work may have broken what a guard is about
        asked = contract.replace(criteria=tuple(c.replace(guard=False) for c in contract.criteria))
    trial = Trial(asked, base, settings, completed=done, isolation=context.isolation)
    examined = context.witness.examine_base(trial)
    rows = rate_fitness(contract, examined)
    if goal.start == base:
        rows = tuple(r.replace(look=Look.RED) if r.look is Look.GUARD_RED else r for r in rows)
    return ContractCheck(contract, base, rows, examined)


def rate_fitness(contract: Contract, examined: Examination) -> tuple[Fitness, ...]:
    pairs = zip(contract.criteria, examined.criteria, strict=True)
    return tuple(assess_fitness(contract, criterion, judged) for criterion, judged in pairs)


def completion_times(plan: Plan) -> dict[str, str]:
    return {goal.id: goal.completed_at for goal in plan.goals if goal.completed_at}


def base_for(plan: Plan, goal: Goal) -> Base:
    """Find where work on the goal began: when the plan reached it, not when somebody says so."""
    base = goal.start or plan.judged_from
    if goal.frozen and not is_outrun(plan, goal):
        base = goal.frozen.base
    if base is None:
        raise NoBase(goal_id=goal.id, file="" if contract_of(goal) else " --file contract.yaml")
    return base


def require_base(context: JudgeContext, plan: Plan, goal: Goal) -> Base:
    """Find where work began; where git did not record it and still cannot, git says why."""
    try:
        return base_for(plan, goal)
    except NoBase:
        context.witness.take_snapshot()
        raise


def find_beginnings(plan: Plan, goal: Goal) -> tuple[Base, ...]:
    """Find whose work must be there when work on a goal goes on: its base, and settled reviews."""
    settled = gate.settled_blockers(plan, goal.blocks or goal.id)
    proven = [blocker.proven for blocker in settled[-1:] if blocker.proven]
    base = base_for(plan, goal)
    if plan.base and base == plan.judged_from:
        base = plan.base
    return (goal.start or base, *proven)


def freeze(context: JudgeContext, goal: Goal, checked: ContractCheck) -> CommandResult | Refused:
    """Freeze a contract that can fail. From then on it is what counts."""
    frozen = _make_frozen(checked)
    if goal.frozen and goal.frozen.digest == frozen.digest:  # it has shown that it can fail
        rows = {look: _list_looking(checked, look) for look in (Look.GREEN, Look.GUARD_RED)}
        frozen = frozen.replace(green=rows[Look.GREEN], red=rows[Look.GUARD_RED])
    elif goal.start == checked.base:  # what the reviewed work has broken is to be mended
        broken = [row.criterion for row in checked.rows if row.look is Look.RED]
        frozen = frozen.replace(red=tuple(c.id for c in broken if c.guard))
    else:
        frozen = frozen.replace(green=_find_met_before(context, goal, checked))
    refused = _find_unfit(goal, checked, (*frozen.green, *frozen.red))
    refused = refused or _refuse_freeing(context, goal, checked)
    return refused or context.handle(commands.FreezeContract(goal.id, frozen))


def _refuse_freeing(context: JudgeContext, goal: Goal, checked: ContractCheck) -> Refused | None:
    plan, contract = context.run.read(), checked.contract
    if not contract.may_change or not is_self_written(plan, goal, contract.digest, context.actor):
        return None
    trees = {each.tree for each in (plan.origin, plan.base, checked.base, goal.start) if each}
    known = {path for tree in trees for path in context.witness.open_tree(tree).list_paths()}
    return refuse_freeing(goal, contract.may_change, known)


def _list_looking(checked: ContractCheck, look: Look) -> tuple[str, ...]:
    return tuple(row.criterion.id for row in checked.rows if row.look is look)


def _find_met_before(context: JudgeContext, goal: Goal, checked: ContractCheck) -> tuple[str, ...]:
    """Find criteria that are green only because earlier goals met them: they could fail before."""
    plan, green = context.run.read(), _list_looking(checked, Look.GREEN)
    if not green or plan.origin is None or plan.origin == checked.base:
        return ()
    criteria = tuple(c for c in checked.contract.criteria if c.id in green)
    asked = checked.contract.replace(criteria=criteria)
    before = check_contract(context, plan, goal, asked, plan.origin)
    return tuple(row.criterion.id for row in before.rows if row.is_fit)


def refuse_amendment(context: JudgeContext, goal: Goal, reason: str) -> Refused | None:
    """Say and record why there is nothing to amend, before any check runs."""
    if context.actor.kind is ActorKind.HUMAN and goal.frozen:
        return None
    nothing = goal.frozen or Frozen("", "", "", Base(""), "")
    return context.handle(commands.AmendContract(goal.id, nothing, reason)).refused


def amend(
    context: JudgeContext, goal: Goal, checked: ContractCheck, reason: str
) -> CommandResult | Refused:
    command = commands.AmendContract(goal.id, _make_frozen(checked), reason)
    return _find_unfit(goal, checked, ()) or context.handle(command)


def _find_unfit(goal: Goal, checked: ContractCheck, met: Sequence[str]) -> Refused | None:
    bad = [row for row in checked.rows if not row.is_fit and row.criterion.id not in met]
    if not bad:
        return None
    told = "; ".join(f"{row.criterion.id} is {row.look} ({row.reason})" for row in bad[:3])
    lacking = [row for row in bad if row.lacks]
    if lacking:
        return _refuse_lacking(goal, lacking)
    return Refused(
        "contract-cannot-tell",
        f"The contract of {goal.id} is not frozen: {told}",
        f"goalkeeper contract check --goal-id {goal.id}",
        {"criteria": [{"id": r.criterion.id, "look": r.look, "reason": r.reason} for r in bad]},
    )


def _refuse_lacking(goal: Goal, lacking: Sequence[Fitness]) -> Refused:
    """Refuse a contract whose checks fail for want of something that no work brings."""
    told = "; ".join(f"{row.criterion.id}: {row.reason}" for row in lacking[:3])
    rows = [{"id": row.criterion.id, "reason": row.reason} for row in lacking]
    return Refused(
        "environment-lacks",
        f"The contract of {goal.id} is not frozen: the clean checkout lacks something, "
        f"and what fails for that is not red. {told}",
        f"{SET_UP}; then make the plan anew, or goalkeeper contract freeze --goal-id {goal.id} "
        "--base now",
        {"criteria": rows},
    )


def _make_frozen(checked: ContractCheck) -> Frozen:
    contract, examined = checked.contract, checked.examined
    return Frozen(
        digest=contract.digest,
        contract=compact(contract.plain),
        author="",
        base=checked.base,
        protected=examined.digest,
        evidence=tuple(f"{judged.id} {judged.evidence}" for judged in examined.criteria),
        tools=examined.tools,
    )


def _inherit_contract(
    context: JudgeContext, plan: Plan, goal: Goal, blocked: Goal
) -> Contract | None:
    """Find the contract of the blocked goal, if it can show that the review is settled.

    Where it holds on the reviewed work already, only new reviews can.
    """
    contract = contract_of(blocked)
    if contract is None or plan.gate == STRICT:
        return contract
    if goal.start is None:
        return None
    base = base_for(plan, blocked)
    trial = Trial(contract, base, context.witness.settings_of(base), isolation=context.isolation)
    return None if context.witness.prove_candidate(trial, goal.start).is_proven else contract


def ensure_frozen(
    context: JudgeContext, goal_id: str, *, inherits: bool = False
) -> FrozenGoal | Refused:
    """Find the goal with its contract frozen, and freeze the brief's when it is first needed.

    A review blocker that nobody gave a contract may inherit that of the goal it blocks.
    """
    plan = context.run.read()
    goal = choose_goal(plan, goal_id)
    contract, asked = contract_of(goal), goal
    blocked = plan.find_goal(goal.blocks)
    if contract is None and blocked and inherits:
        contract, asked = _inherit_contract(context, plan, goal, blocked), blocked
    if contract is None:
        return gate.refuse_no_contract(goal)
    if goal.frozen and not is_outrun(plan, goal):
        return FrozenGoal(plan, goal, goal.frozen, contract)
    base = require_base(context, plan, asked)
    result = freeze(context, goal, check_contract(context, plan, goal, contract, base))
    if isinstance(result, Refused):
        return result
    goal = choose_goal(result.plan, goal.id)
    if goal.frozen is None:
        return result.refused or gate.refuse_no_contract(goal)
    return result.refused or FrozenGoal(result.plan, goal, goal.frozen, contract)
