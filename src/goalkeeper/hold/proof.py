"""Ultrawork: a session of a client is held until the witness has proved its goal.

The goal is that of the session's run. Without one a run is made for it, and the project's own
verification commands judge it: one that was green when the hold began must stay green, and one that
was red must become green.
"""

from __future__ import annotations

from collections.abc import Collection

from goalkeeper.app.completing import conclude
from goalkeeper.app.contracts import (
    ContractCheck,
    JudgeContext,
    base_for,
    check_contract,
    contract_of,
    find_frozen,
    freeze,
    make_verification,
    name_commands,
    rate_fitness,
)
from goalkeeper.app.guarding import choose_guards
from goalkeeper.app.judging import Ruling, judge, make_trial
from goalkeeper.app.queries.proof import suggest_gate
from goalkeeper.app.standing import judge_whole, read_criteria
from goalkeeper.app.trials import Examination
from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.criteria import Verdict as CriterionVerdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import describe_let_stand, explain_findings
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan import commands, gate
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.graph import next_goal
from goalkeeper.core.plan.model import STRICT, Base, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.plan.standing import list_standing
from goalkeeper.hold.old_failures import OldFailures, find_old_failures
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import Hold, HoldVerdict
from goalkeeper.witness.evidence import excerpt_failure

_SHOWN_LINES = 20
_SHOWN_CHARACTERS = 700
_LINE_CHARACTERS = 200
_SHOWN_CRITERIA = 3
_MENDABLE = frozenset(
    {"gate-closed", "not-reviewed", "not-proven", "findings-stand", gate.QUESTION_OPEN}
)


class HoldProof:
    """One proof of a hold on the working tree as it is."""

    def __init__(self, context: JudgeContext, hold: Hold, *, records: bool) -> None:
        """Make a proof; if `records`, proven goals of the hold's own run are completed."""
        self._context = context
        self._hold = hold
        self._records = records
        self._old_failures: dict[str, OldFailures] = {}

    def reach_verdict(self) -> HoldVerdict:
        """Prove goal after goal, as far as each is proven."""
        proven: set[str] = set()
        while True:
            plan = self._context.run.read()
            if plan.closed:
                return _verdict(wire.GIVEN_UP, f"Run {plan.run_id} was closed: {plan.closed}.")
            if plan.is_complete:
                return self._refuse_foreign(plan) or self._confirm_complete(plan, proven)
            goal = self._start_goal(plan)
            if goal is None:
                return _verdict(wire.GIVEN_UP, _describe_stuck(plan))
            said = self._prove_goal(goal)
            if said is not None:
                return said
            proven.add(goal.id)

    def _start_goal(self, plan: Plan) -> Goal | None:
        """Start the goal at work; return None if nothing is left that an agent can do."""
        if next_goal(plan, retry_failed=True, at=self._context.clock()) is None:
            return None
        started = self._context.handle(commands.StartNext(retry_failed=True))
        active = started.plan.with_status(GoalStatus.ACTIVE)
        return active[0] if active else None

    def _prove_goal(self, goal: Goal) -> HoldVerdict | None:
        """Prove one goal; return None if it is proven and recorded as complete."""
        refused = self._freeze_commands(goal)
        if refused:
            return _verdict(wire.UNKNOWN, f"{goal.id}: {refused.message}")
        ruling = judge(self._context, goal.id, final=self._records)
        if isinstance(ruling, Refused):
            return _verdict(wire.UNKNOWN, f"{goal.id}: {ruling.message}")
        goal, judgement = ruling.goal, ruling.judgement
        if not gate.is_proven_by(goal, judgement):
            return self._describe_failure(goal, ruling.contract, judgement)
        return self._doubt_guards(ruling) or self._complete(ruling)

    def _doubt_guards(self, ruling: Ruling) -> HoldVerdict | None:
        """Say why checks that tolerate what was before show nothing of the work yet.

        Tests that failed before do not count against the work. But only its agent can say whether
        the work was about them, so it is asked once, unless it has mended some of them.
        """
        goal, judgement = ruling.goal, ruling.judgement
        old = self._note_old_failures(goal, judgement)
        told = f"; {old.describe()}" if old.left else ""
        shown = "".join(map(self._show_failure, judgement.criteria)) if old.left else ""
        guards_only = all(criterion.guard for criterion in ruling.contract.criteria)
        if guards_only and goal.frozen and judgement.tree == goal.frozen.base.tree:
            # Guards alone say nothing about work that was not begun.
            why, said = "no-change", "all checks are as they were before: no file has changed since"
        elif old.left and not old.mended and wire.OLD_FAILURES not in self._hold.counts.evidence:
            why, said = wire.OLD_FAILURES, "nothing broke, and nothing that failed was mended"
            shown += (
                "\nIf the request is about that, it is not done. If it is not: the first stop is "
                "asked this once, the second is let through, and the user is told of it."
            )
        else:
            return None
        text = f"{goal.id}: {said}{told}.{shown}"
        return HoldVerdict(wire.FAILED, judgement.tree, 0.0, failing=(why,), text=text)

    def _note_old_failures(self, goal: Goal, judgement: Judgement) -> OldFailures:
        if goal.id not in self._hold.bare:
            return OldFailures()
        old = self._old_failures[goal.id] = find_old_failures(self._context, goal, judgement)
        return old

    def _complete(self, ruling: Ruling) -> HoldVerdict | None:
        goal, judgement = ruling.goal, ruling.judgement
        if not self._records:
            return HoldVerdict(
                wire.PASSED, judgement.tree, 0.0, text=f"{goal.id} is proven so far."
            )
        said = "proven by the witness while ultrawork held the session"
        command = commands.Checkpoint(goal.id, CheckpointStatus.COMPLETE, said)
        refused = conclude(self._context, command, ruling).refused
        if refused is None:
            return None
        outcome = wire.FAILED if refused.reason in _MENDABLE else wire.UNKNOWN
        text = f"{goal.id} is proven on this tree, but not complete: {refused.message}"
        asked = f"{suggest_gate(ruling.plan, goal)}, then " if ruling.plan.gate == STRICT else ""
        text += f"\nnext: {asked}{refused.hint}" if refused.hint else ""
        return HoldVerdict(outcome, judgement.tree, 0.0, failing=(goal.id,), text=text)

    def _freeze_commands(self, goal: Goal) -> Refused | None:
        """Freeze the verification commands as the contract of a goal that was given none."""
        if goal.id not in self._hold.bare:
            return None
        if goal.frozen:
            if self._is_ours(goal):
                return None
            said = f"The contract of {goal.id} is not the one that ultrawork froze"
            return Refused(
                "contract-changed", f"{said}; nothing is proven by it", "goalkeeper ulw off"
            )
        frozen = freeze(self._context, goal, self._check_commands(goal))
        return frozen if isinstance(frozen, Refused) else frozen.refused

    def _is_ours(self, goal: Goal) -> bool:
        """Return whether its contract is the brief's, or only the verification commands."""
        contract = contract_of(goal)
        if goal.contract or contract is None:
            return contract is not None
        green = [criterion.id for criterion in contract.criteria if criterion.guard]
        named = [c.id for c in contract.criteria if c.check.kind in TEST_KINDS]
        runners = {n: argv for n, argv in name_commands(self._hold.runners).items() if n in named}
        return contract.digest == make_verification(self._hold.verify, green, runners).digest

    def _check_commands(self, goal: Goal) -> ContractCheck:
        plan = self._context.run.read()
        base = base_for(plan, goal)

        def examine(contract: Contract) -> Examination:
            return check_contract(self._context, plan, goal, contract, base).examined

        found, examined = choose_guards(examine, self._hold.verify, self._hold.runners)
        return ContractCheck(found, base, rate_fitness(found, examined), examined)

    def _refuse_foreign(self, plan: Plan) -> HoldVerdict | None:
        """Refuse goals that were not proven as promised. In its own run, all goals count."""
        for goal in plan.goals:
            promised = self._hold.own or goal.id in self._hold.bare
            dropped = goal.status is GoalStatus.SUPERSEDED
            if promised and ((dropped and self._hold.own) or not self._is_ours(goal)):
                said = f"{goal.id} is {goal.status}, but not by what ultrawork froze for it."
                return _verdict(wire.UNKNOWN, said)
        return None

    def _confirm_complete(self, plan: Plan, proven: Collection[str]) -> HoldVerdict:
        """Say that the plan holds as a whole, and record nothing.

        `proven` are the goals that this proof itself has judged on the tree. If the last goal is
        not among them, it is judged again, because files may have changed since.
        """
        candidate = self._context.witness.take_snapshot()
        last = max(plan.required_goals, key=lambda goal: goal.completed_at)
        said = ""
        if last.proven and last.proven.tree != candidate.tree:
            said = "It was proven, and files changed since. "
        failed = None if last.id in proven else self._judge_again(plan, last, candidate)
        failed = failed or self._judge_whole(plan, last, candidate)
        if failed:
            return failed.replace(text=f"{said}{failed.text}")
        told = "; ".join(f"{goal.id} {self._describe_proof(goal)}" for goal in plan.required_goals)
        stands = [
            describe_let_stand(each) for goal in plan.required_goals for each in goal.let_stand
        ]
        told = "\n".join([told, *stands])
        return HoldVerdict(wire.PASSED, candidate.tree, 0.0, text=told)

    def _judge_again(self, plan: Plan, goal: Goal, candidate: Base) -> HoldVerdict | None:
        """Judge the last goal on the candidate; return None if it holds there, too."""
        asked = find_frozen(plan, goal)
        if asked is None:
            return None
        trial = make_trial(self._context, asked, candidate, cached=True, final=False)
        judgement = self._context.witness.prove_candidate(trial, candidate)
        if gate.is_proven_by(goal, judgement):
            self._note_old_failures(goal, judgement)
            return None
        return self._describe_failure(goal, asked.contract, judgement)

    def _judge_whole(self, plan: Plan, last: Goal, candidate: Base) -> HoldVerdict | None:
        """Judge all goals on the candidate; return None if all of them hold there."""
        standing = judge_whole(self._context, plan, candidate)
        judgement = Judgement(candidate.tree, candidate.commit, "", "", (), standing=standing)
        if not judgement.unproven_criteria:
            return None
        table = Contract(read_criteria(list_standing(plan)))
        return self._describe_failure(last, table, judgement)

    def _describe_failure(
        self, goal: Goal, contract: Contract, judgement: Judgement
    ) -> HoldVerdict:
        failing = (
            *(c.id for c in judgement.unproven_criteria),
            *(f.rule for f in judgement.open_findings),
        )
        told = [
            self._describe_criterion(contract, seen)
            for seen in judgement.unproven_criteria[:_SHOWN_CRITERIA]
        ]
        left = len(judgement.unproven_criteria) - len(told)
        told += explain_findings(judgement.open_findings, goal.id)
        more = [f"and {left} more: goalkeeper why {goal.id} --run {self._hold.run}"] if left else []
        text = "\n".join([f"{goal.id}:", *told, *more, *self._list_red_before(goal, contract)])
        failed = (
            any(c.verdict is CriterionVerdict.FAILED for c in judgement.unproven_criteria)
            or judgement.open_findings
        )
        outcome = wire.FAILED if failed else wire.UNKNOWN
        return HoldVerdict(outcome, judgement.tree, 0.0, failing=failing, text=text)

    def _describe_proof(self, goal: Goal) -> str:
        """Say what proved it. Guards alone only show that nothing broke."""
        contract = contract_of(goal)
        if contract is None:
            return ""
        told = ", ".join(criterion.text for criterion in contract.criteria)
        old = self._old_failures.get(goal.id, OldFailures())
        if old.describe():
            return f"{told} (nothing broke; {old.describe()})"
        only_guards = all(criterion.guard for criterion in contract.criteria)
        return f"{told} (green before, too: they show that nothing broke)" if only_guards else told

    def _list_red_before(self, goal: Goal, contract: Contract) -> list[str]:
        """List what was red before, because those who broke it need not be those who mend it."""
        red = [c.id for c in contract.criteria if not c.guard]
        if goal.id not in self._hold.bare or not red:
            return []
        said = "It does not name its tests, so all of it must pass: old failures look like new ones"
        return [f"Red before the work began, too: {', '.join(red)}. {said}."]

    def _describe_criterion(self, contract: Contract, seen: Judged) -> str:
        criterion = contract.find_criterion(seen.id)
        what = criterion.text if criterion else ""
        hidden = bool(criterion and criterion.held_out)
        shown = "" if hidden else self._show_failure(seen)
        return f"{seen.id} {seen.verdict}, {what}: {seen.reason}{shown}"

    def _show_failure(self, seen: Judged) -> str:
        return _tail(excerpt_failure(self._context.witness.read_kept(seen.evidence)))


def _tail(output: str) -> str:
    """Return the last whole lines, as many as a model should be told."""
    lines = [line[:_LINE_CHARACTERS] for line in output.splitlines() if line.strip()]
    kept: list[str] = []
    for line in reversed(lines[-_SHOWN_LINES:]):
        if sum(map(len, kept)) + len(line) > _SHOWN_CHARACTERS:
            break
        kept.insert(0, f"\n  | {line}")
    return "".join(kept)


def _verdict(outcome: str, text: str) -> HoldVerdict:
    return HoldVerdict(outcome, "", 0.0, text=text)


def _describe_stuck(plan: Plan) -> str:
    stuck = [goal for goal in plan.required_goals if goal.status is not GoalStatus.COMPLETE]
    return "; ".join(f"{goal.id} is {goal.exit or goal.status}: {goal.evidence}" for goal in stuck)
