"""The gate for work that exists already: a branch, a pull request, or the worktree."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias

from goalkeeper.app.contracts import make_verification, name_commands, rate_fitness
from goalkeeper.app.gating import HandedIn, ReadLane, weigh_answer
from goalkeeper.app.handle import handle
from goalkeeper.app.ports import Clock, Run
from goalkeeper.app.trials import Trial, WitnessPort
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.fitness import Fitness, Look
from goalkeeper.core.contract.judgement import ISOLATIONS, Judgement
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import (
    STANDARD,
    STRICT,
    Actor,
    Base,
    Frozen,
    Goal,
    GoalStatus,
    Refused,
)
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.core.review.lane import Lane, LaneRole, LaneWord
from goalkeeper.core.review.lane_answers import LaneAnswer
from goalkeeper.core.review.reading import read_section
from goalkeeper.core.review.words import IN_WORKTREE, SETTLE, About, Artifact, Proved
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value

_NONE, _CHECKOUT = ISOLATIONS[:2]
WORK = "WORK"  # references in an executor's report may name it besides criteria
_UNASKED = "Nobody wrote down what was asked for; the project's own checks must stay green."
AskLane: TypeAlias = Callable[[LaneRole, Goal, ReadLane], Lane]


class ContractStrength(StrEnum):
    """The strength of the contract that work is reviewed by."""

    STRONG = "strong"
    THIN = "thin"  # none of its criteria failed before the work
    DERIVED = "derived"  # nobody gave one, so it is made of the project's own checks


class ReviewVerdict(StrEnum):
    PASS = "pass"  # noqa: S105  a verdict
    FAIL = "fail"
    WEAK = "inconclusive: weak-contract"
    UNKNOWN = "inconclusive: unknown"
    ASK = "inconclusive: question-open"


class Submission(Value):
    """The work that is reviewed, and the contract for it."""

    base: Base
    candidate: Base
    contract: Contract
    derived: bool  # nobody gave the contract: it is the project's own checks
    qa: Mapping[str, Any] | None
    against: tuple[Diagnostic, ...] = ()  # problems that are known before anything is run
    gate: str = STANDARD
    asked: str = ""  # the text of the spec


class ReviewResult(Value):
    said: ReviewVerdict
    strength: ContractStrength
    judgement: Judgement
    rows: tuple[Fitness, ...]  # the criteria of the contract as they were on the base
    findings: tuple[Diagnostic, ...]
    lanes: tuple[Lane, ...] = ()
    unasked: tuple[LaneRole, ...] = ()  # lanes that had to wait, as something else is in the way


def derive_contract(witness: WitnessPort, base: Base) -> Contract:
    """Make a contract where nobody gave one: the project's own checks must stay green."""
    verify = witness.settings_of(base).verify
    return make_verification(verify, [*name_commands(verify)])


def find_changed_spec(
    witness: WitnessPort, path: str, text: str, base: Base, candidate: Base
) -> tuple[Diagnostic, ...]:
    """Find work that changed its own spec. `text` is the spec that lies at the path now."""
    if not path:
        return ()
    old, new = (witness.open_tree(side.tree).read_file(path) for side in (base, candidate))
    if old is None or new is None or old == new:
        return ()
    if new.replace(b"\r\n", b"\n") != text.replace("\r\n", "\n").encode():
        return ()
    said = f"{path} is the spec as the work changed it"
    mend = f"review it by the spec as it was: git show {base.commit[:12]}:{path}"
    return (Diagnostic("spec", "spec-changed", said, mend),)


def review(witness: WitnessPort, work: Submission, ask_lane: AskLane | None = None) -> ReviewResult:
    """Review the work. By the strict gate somebody tries to break it: `ask_lane` asks an agent to.

    Like a drive, a review asks no agent before everything else is settled.
    """
    contract = work.contract
    # The worktree may belong to other work, and we may not run anything in it.
    settings = witness.settings_of(work.base)
    isolation = _CHECKOUT if settings.witness.isolation == _NONE else ""
    trial = Trial(contract, work.base, settings, isolation=isolation)
    examined = witness.examine_base(trial)
    rows = rate_fitness(contract, examined)
    trial = trial.replace(
        protected=examined.digest,
        base_evidence=tuple((judged.id, judged.evidence) for judged in examined.criteria),
        tools=examined.tools,
        final=True,
    )
    judgement = witness.prove_candidate(trial, work.candidate)
    strength = ContractStrength.DERIVED if work.derived else _rate_strength(rows)
    found = (*work.against, *_diagnose_judgement(judgement))
    questions = _diagnose_findings([f for f in judgement.open_findings if f.is_question])
    lanes: tuple[Lane, ...] = ()
    if ask_lane is None:
        found += _read_executor_report(witness, trial, work)
    elif not found and not _is_unknown(judgement):
        read = partial(_read_lane, witness, trial)
        lanes = (ask_lane(LaneRole.QA, _describe_work(work), read),)
        found = tuple(said for lane in lanes for said in _diagnose_lane(lane))
    verdict = _reach_verdict(found, strength, judgement)
    if questions and verdict in {ReviewVerdict.PASS, ReviewVerdict.WEAK}:
        verdict = ReviewVerdict.ASK
    return ReviewResult(
        verdict, strength, judgement, rows, (*found, *questions), lanes,
        (LaneRole.QA,) if ask_lane and not lanes else (),
    )  # fmt: skip


def _rate_strength(rows: Sequence[Fitness]) -> ContractStrength:
    red = {Look.RED, Look.NO_TESTS_YET}
    if any(row.look in red for row in rows) and all(row.is_fit for row in rows):
        return ContractStrength.STRONG
    return ContractStrength.THIN


def _reach_verdict(
    found: Sequence[Diagnostic], strength: ContractStrength, judgement: Judgement
) -> ReviewVerdict:
    if found:
        return ReviewVerdict.FAIL
    if _is_unknown(judgement):
        return ReviewVerdict.UNKNOWN
    return ReviewVerdict.PASS if strength is ContractStrength.STRONG else ReviewVerdict.WEAK


def _is_unknown(judgement: Judgement) -> bool:
    return any(seen.verdict is Verdict.UNKNOWN for seen in judgement.criteria)


def _diagnose_judgement(judgement: Judgement) -> list[Diagnostic]:
    failed = [seen for seen in judgement.criteria if seen.verdict is Verdict.FAILED]
    mend = "mend the work, then review it again"
    return [
        *(Diagnostic(f"criteria.{s.id}", "criterion-failed", s.reason, mend) for s in failed),
        *_diagnose_findings([f for f in judgement.open_findings if not f.is_question]),
    ]


def _diagnose_findings(findings: Sequence[Finding]) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(_locate(f), f.rule, f"{f.message} ({f.why})", f.mend) for f in findings)


def _locate(finding: Finding) -> str:
    line = f":{finding.line}" if finding.line else ""
    return f"{finding.path}{line}" if finding.path else "change"


def _read_executor_report(
    witness: WitnessPort, trial: Trial, work: Submission
) -> tuple[Diagnostic, ...]:
    """Read the executor's report as the strict gate does, which alone asks for one."""
    if work.qa is None and work.gate != STRICT:
        return ()
    if work.qa is None:
        said = "nobody tried to break it: there is no executor's report"
        mend = "goalkeeper review --gate strict --agent NAME, or --executor-qa-json FILE"
        return (Diagnostic("executorQa", "missing-section", said, mend),)
    about = _describe_subject(work.contract)
    read = read_section("executorQa", work.qa, about)
    if not read.artifacts:
        return read.diagnostics
    proved = witness.check_artifacts(trial, work.candidate, read.artifacts, IN_WORKTREE)
    return (*read.diagnostics, *(d for each in proved for d in each.diagnostics))


def _describe_subject(contract: Contract) -> About:
    return About(WORK, tuple(criterion.id for criterion in contract.criteria))


def _describe_work(work: Submission) -> Goal:
    """Describe the work as lanes are told of it: as a goal, which is in no plan."""
    contract = work.contract
    frozen = Frozen(contract.digest, compact(contract.plain), "", work.base, "")
    asked = work.asked.strip() or _UNASKED
    return Goal(
        WORK, "the work that is reviewed", asked, GoalStatus.ACTIVE, "", "", "review", frozen=frozen
    )


def _read_lane(witness: WitnessPort, trial: Trial, given: HandedIn) -> tuple[LaneAnswer, str]:
    def prove(shown: Sequence[Artifact]) -> tuple[Proved, ...]:
        return witness.check_artifacts(trial, given.candidate, shown, given.shelf) if shown else ()

    about = _describe_subject(trial.contract)
    answer, document = weigh_answer(given.role, given.raw, about, prove)
    return answer, witness.keep_document(document)


def _diagnose_lane(lane: Lane) -> list[Diagnostic]:
    if lane.word is LaneWord.CLEAR:
        return []
    code, mend = "lane-objects", SETTLE
    if lane.word is LaneWord.UNUSABLE:
        code, mend = "lane-unusable", "repeat the review, or name another agent"
    return [Diagnostic(f"lanes.{lane.role}", code, said, mend) for said in lane.objections]


def make_review_brief(spec: str, contract: Contract | None) -> str:
    """Make a brief of the contract; `spec` is the path of what was asked for, if it was given."""
    fenced = ""
    if contract is not None:
        # The contract becomes a goal of its own, and there is no other goal to depend on.
        plain = {name: value for name, value in contract.plain.items() if name != "depends_on"}
        fenced = f"```contract\n{json.dumps(plain)}\n```\n"
    asked = f"By {spec}." if spec else "Nobody gave a spec."
    return f"@goal: What was reviewed\n{asked}\n\n{fenced}"


def record_findings(
    run: Run, findings: Sequence[Diagnostic], work: Base, *, actor: Actor, clock: Clock
) -> tuple[str, ...] | Refused:
    """Record the findings as one review blocker of the goal; the same ones only once.

    `work` is what was reviewed.
    """
    goal = _find_goal_under_review(run, actor, clock)
    told = "; ".join(map(str, findings))
    title = "Settle what the review found"
    command = commands.RecordReviewBlockers(goal.id, title, told, told, work)
    result = handle(run, command, actor=actor, clock=clock)
    return result.refused or result.goal_ids


def _find_goal_under_review(run: Run, actor: Actor, clock: Clock) -> Goal:
    """Find the goal at work, or one that waits for a review; never a blocker of it."""
    plan = run.read()
    waiting = plan.with_status(GoalStatus.ACTIVE) + plan.with_status(GoalStatus.REVIEW_BLOCKED)
    if not waiting:
        plan = handle(run, commands.StartNext(), actor=actor, clock=clock).plan
        waiting = plan.with_status(GoalStatus.ACTIVE)
    still_open = [goal for goal in plan.required_goals if not goal.is_over]
    goal = (*waiting, *still_open, *plan.required_goals)[0]
    while goal.blocks:
        goal = plan.find_goal(goal.blocks) or goal.replace(blocks="")
    return goal
