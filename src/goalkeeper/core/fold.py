"""Events make the plan. No rule stands here: `apply` accepts every event that was ever written."""

from __future__ import annotations

from goalkeeper.core.answers.fold import apply_answer, count_cycle_change
from goalkeeper.core.contract.criteria import (
    CriterionState,
    Observation,
    leave_blocked,
    retry_blocked,
    take_observation,
)
from goalkeeper.core.contract.findings import list_standing_findings
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.contract.timing import read_frozen_criteria, read_frozen_timing
from goalkeeper.core.drive.events import CriteriaLeft, DriveBegan, DriveEvent
from goalkeeper.core.plan import commands, events, ids
from goalkeeper.core.plan.events import FindingAnswered, QuestionsAnswered, VerifyEvent
from goalkeeper.core.plan.model import (
    HUMAN,
    SELF_WRITTEN,
    Base,
    Blocker,
    Classification,
    Frozen,
    Goal,
    GoalStatus,
    Issued,
    NewGoal,
    Plan,
    SteeringKey,
    ToolGoal,
    name_author,
)
from goalkeeper.core.plan.standing import renew_criteria, take_standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.drive.state import Drive

REMEMBERED_STEERS = 100  # it is bounded so that the plan does not grow with the history


def begin(event: events.PlanCreated, at: str) -> Plan:
    goals = tuple(
        _make_goal(new, ids.goal_id(number), at, origin="brief")
        for number, new in enumerate(event.goals, 1)
    )
    names = (
        "run_id", "mode", "objective", "constraints", "session", "replaces", "base", "gate",
        "author",
    )  # fmt: skip
    kept = {name: getattr(event, name) for name in names}
    return Plan(goals=goals, created_at=at, updated_at=at, origin=event.base, **kept)


def apply(plan: Plan, event: events.Event, at: str) -> Plan:
    if plan.drive or isinstance(event, DriveBegan):
        plan = plan.replace(drive=_apply_to_drive(plan, event, at))
    if isinstance(event, VerifyEvent):
        return apply_answer(plan, event, at)
    match event:
        case events.GoalStarted(goal_id):
            goal = plan.find_goal(goal_id)
            attempts = goal.attempts + 1 if goal else 0
            changes: dict[str, object] = {
                "started_at": at, "attempts": attempts, "waits_until": "",
            }  # fmt: skip
            if goal and goal.is_recurring:  # judging it between two cycles is not work on it
                changes |= {"iteration": 0, "judgement": ""}
            return _move_goal(plan, goal_id, GoalStatus.ACTIVE, at, **changes)
        case events.GoalCheckpointed(goal_id, status, evidence):
            return _move_goal(plan, goal_id, GoalStatus(status), at, evidence=evidence)
        case events.ContractFrozen(goal_id, frozen) | events.ContractAmended(goal_id, frozen):
            return _freeze_contract(plan, goal_id, frozen, at)
        case events.ExaminerAnswered() | events.ContractDrafted() | events.ContractChallenged():
            return _take_draft(plan, event, at)
        case events.GoalJudged():
            return _take_judgement(plan, event, at)
        case events.GoalCompleted():
            return _complete_goal(plan, event, at)
        case events.StandingJudged(tree, criteria):
            return _take_standing(plan, tree, criteria, at)
        case events.GoalReopened(goal_id, reason):
            return _reopen_goal(plan, goal_id, reason, at)
        case events.WorkLanded(_, tree):
            return plan.replace(landed=tree)
        case events.LaneReported(goal_id, lane):
            goal = plan.find_goal(goal_id)
            others = [known for known in goal.lanes if known.role != lane.role] if goal else []
            return _change_goal(plan, goal_id, at, lanes=(*others, lane))
        case events.ReceiptIssued():
            issued = Issued(**event.as_dict(), revision=plan.revision)
            counted = plan.raised_by_cycles if event.goal_id else 0
            return plan.replace(receipts=(*plan.receipts, issued), raised_by_cycles=counted)
        case events.GoalUnblocked():
            return _unblock_goal(plan, event, at)
        case CriteriaLeft():
            return _leave_criteria(plan, event, at)
        case events.SteeringAccepted():
            kept = tuple(k for k in plan.steering_keys if k.key or k.revision == event.revision)
            seen = SteeringKey(event.key, event.request, event.revision, event.goal_ids)
            keys = (*kept[1 - REMEMBERED_STEERS :], seen)
            return _change_plan(plan, event, at).replace(steering_keys=keys)
        case events.ReviewBlockersRecorded():
            return _block_by_review(plan, event, at)
        case events.BlockerClassified(classification, evidence, goal_id):
            blocker = Blocker(classification, evidence, goal_id, plan.revision)
            changed = _change_goal(plan, goal_id, at, classification=classification)
            return changed.replace(blocker=blocker)
        case events.GoalToolChanged(status, objective):
            return plan.replace(tool=ToolGoal(status, objective, at))
        case events.ObjectiveMigrated(old, new):
            return plan.replace(objective=new, aliases=(*plan.aliases, old))
        case events.HandoffRecorded(to):
            return plan.replace(handoff=to)
        case events.StateCleared(reason):
            return plan.replace(closed=reason or "closed")
        case events.HonestExit(goal_id, kind, evidence):
            human = Classification.RESOLVABLE if kind == "blocked" else Classification.HUMAN_BLOCKED
            changes = {"evidence": evidence, "exit": str(kind), "classification": human}
            return _move_goal(plan, goal_id, GoalStatus.BLOCKED, at, **changes)
        case _:  # it is about the drive alone, or it changes nothing
            return plan


def _take_draft(
    plan: Plan,
    event: events.ExaminerAnswered | events.ContractDrafted | events.ContractChallenged,
    at: str,
) -> Plan:
    if isinstance(event, events.ContractChallenged):
        return _change_goal(plan, event.goal_id, at, opinion=event.opinion)
    if isinstance(event, events.ContractDrafted):
        return _change_goal(plan, event.goal_id, at, draft=event.draft)
    goal = plan.find_goal(event.goal_id)
    known = goal.examiners if goal else ()
    return _change_goal(plan, event.goal_id, at, examiners=(*known, event.examiner))


def _apply_to_drive(plan: Plan, event: events.Event, at: str) -> Drive | None:
    from goalkeeper.core.drive import fold  # noqa: PLC0415  most plans are not driven

    drive = plan.drive
    if isinstance(event, DriveEvent):
        active = {goal.id for goal in plan.with_status(GoalStatus.ACTIVE)}
        return fold.apply(drive, event, at, active)
    match event:
        case events.GoalJudged(goal_id, judgement=judgement) if drive:
            return fold.take_judgement(drive, goal_id, judgement, at)
        case events.LaneReported(goal_id, lane) if drive:
            return fold.take_review(drive, goal_id, lane.process, lane.why_unusable)
        case events.GoalReopened(goal_id) if drive:
            return fold.put_down_line(drive, goal_id)
        case events.ContractFrozen(goal_id, frozen) if drive:
            goal = plan.find_goal(goal_id)
            moved = goal and goal.frozen and goal.frozen.base != frozen.base
            return fold.put_down_line(drive, goal_id) if moved else drive
        case events.GoalUnblocked(goal_id) if drive:
            goal = plan.find_goal(goal_id)
            is_reviewed = goal and goal.status is GoalStatus.REVIEW_BLOCKED
            return fold.put_down_line(drive, goal_id) if is_reviewed else drive
        case QuestionsAnswered(goal_id) | FindingAnswered(goal_id) if drive:
            return fold.ask_judgement(drive, goal_id)
        case _:
            return drive


def _make_goal(new: NewGoal, goal_id: str, at: str, *, origin: str, blocks: str = "") -> Goal:
    return Goal(
        id=goal_id, status=GoalStatus.PENDING, created_at=at, updated_at=at, origin=origin,
        blocks=blocks, **new.as_dict(),
    )  # fmt: skip


def _freeze_contract(plan: Plan, goal_id: str, frozen: Frozen, at: str) -> Plan:
    """Freeze a contract. A criterion that says the same as before keeps its state."""
    goal = plan.find_goal(goal_id)
    before = read_frozen_criteria(goal.frozen.contract) if goal and goal.frozen else {}
    after = read_frozen_criteria(frozen.contract)
    states = {state.id: state for state in goal.criteria} if goal else {}
    criteria = tuple(
        states[name] if name in states and before.get(name) == said else CriterionState(name)
        for name, said in after.items()
    )
    timing = read_frozen_timing(frozen.contract)
    recurs = timing is not None and timing.interval_hours > 0
    same = goal is not None and goal.frozen is not None and goal.frozen.digest == frozen.digest
    is_kept = same and goal and goal.frozen and goal.frozen.base == frozen.base
    changed = _change_goal(
        plan, goal_id, at, frozen=frozen, criteria=criteria, judgement="", timing=timing,
        streak=goal.streak if goal and recurs else None,
        steps=goal.steps if goal and same else (),
        answers=goal.answers if goal and same else (),
        finding_answers=goal.finding_answers if goal and is_kept else (), let_stand=(),
    )  # fmt: skip
    raised = _raise_revision(changed, at)
    return count_cycle_change(raised) if same and recurs else raised


def _take_judgement(plan: Plan, event: events.GoalJudged, at: str) -> Plan:
    goal = plan.find_goal(event.goal_id)
    judgement = event.judgement
    states = goal.criteria if goal else ()
    ran_on = {state.id: state.passed_tree for state in states}  # for what did not run now
    seen = {
        c.id: Observation(
            c.verdict,
            event.iteration,
            ran_on.get(c.id, "") if c.cached else judgement.tree,
            c.evidence,
            c.reason,
            at,
        )
        for c in judgement.criteria
    }
    criteria = tuple(take_observation(s, seen[s.id]) if s.id in seen else s for s in states)
    return _change_goal(
        plan, event.goal_id, at, criteria=criteria, iteration=event.iteration,
        judgement=judgement.essence, blocking=len(judgement.open_findings),
        let_stand=list_standing_findings(judgement.findings), decision=event.decision,
        standing=take_standing(plan, goal, judgement, event.iteration, at) if goal else (),
    )  # fmt: skip


def _complete_goal(plan: Plan, event: events.GoalCompleted, at: str) -> Plan:
    goal_id, judgement = event.goal_id, event.judgement
    proven = Base(judgement.tree, judgement.commit) if judgement else None
    stands = list_standing_findings(judgement.findings) if judgement else ()
    moved = _move_goal(
        plan, goal_id, GoalStatus.COMPLETE, at, evidence=event.evidence, proven=proven,
        quality=event.quality, let_stand=stands,
    )  # fmt: skip
    if judgement is None:
        return moved
    own = tuple(each.replace(id=f"{goal_id}/{each.id}") for each in judgement.criteria)
    held = _take_standing(moved, judgement.tree, (*own, *judgement.standing), at)
    held = held.replace(landed="")
    return held if _is_part_of_other(plan, goal_id) else _move_base(held, goal_id, judgement)


def _leave_criteria(plan: Plan, event: CriteriaLeft, at: str) -> Plan:
    goal = plan.find_goal(event.goal_id)
    states = goal.criteria if goal else ()
    left = tuple(leave_blocked(s) if s.id in event.criteria else s for s in states)
    return _change_goal(plan, event.goal_id, at, criteria=left)


def _take_standing(plan: Plan, tree: str, judged: tuple[Judged, ...], at: str) -> Plan:
    """Remember how criteria of complete goals were last seen."""
    for goal_id in dict.fromkeys(each.id.partition("/")[0] for each in judged):
        goal = plan.find_goal(goal_id)
        if goal:
            plan = _change_goal(plan, goal_id, at, criteria=renew_criteria(goal, judged, tree, at))
    return plan


def _is_part_of_other(plan: Plan, goal_id: str) -> bool:
    """Return whether a goal settles a review of work that is itself still to be proven."""
    goal = plan.find_goal(goal_id)
    blocked = plan.find_goal(goal.blocks) if goal else None
    return bool(blocked and not blocked.is_over)


def _move_base(plan: Plan, goal_id: str, judgement: Judgement) -> Plan:
    """Let work go on from the proven tree, and be judged by what others were free to change there.

    A contract that an agent wrote for itself in somebody else's plan changes no rule.
    """
    goal = plan.find_goal(goal_id)
    is_own = goal and plan.author == HUMAN and name_author(plan, goal) == SELF_WRITTEN
    proven = Base(judgement.tree, judgement.commit)
    rules = Base(judgement.guarded, judgement.commit) if judgement.guarded else None
    return plan.replace(base=proven, rules=plan.judged_from if is_own else rules)


def _unblock_goal(plan: Plan, event: events.GoalUnblocked, at: str) -> Plan:
    """Let work on a goal go on, at once or when the active goal is through."""
    goal = plan.find_goal(event.goal_id)
    before = goal.criteria if goal else ()
    tried = tuple(retry_blocked(state) for state in before)
    free: dict[str, object] = {"classification": "", "exit": "", "evidence": event.evidence}
    more: dict[str, object] = {"criteria": tried, "decision": ""} if tried != before else {}
    status = GoalStatus.PENDING if event.behind else GoalStatus.ACTIVE
    return _move_goal(plan, event.goal_id, status, at, **free, **more)


def _reopen_goal(plan: Plan, goal_id: str, reason: str, at: str) -> Plan:
    """Let work on a goal begin anew, on the tree that was proven last."""
    left: dict[str, object] = {"iteration": 0, "judgement": "", "decision": "", "attempts": 0}
    gone: dict[str, object] = {"completed_at": "", "proven": None, "quality": None}
    told: dict[str, object] = {"evidence": reason, "reopened": reason, "standing": ()}
    told |= {"start": None, "finding_answers": (), "let_stand": ()}
    return _move_goal(plan, goal_id, GoalStatus.PENDING, at, **left, **gone, **told)


def _change_goal(plan: Plan, goal_id: str, at: str, **changes: object) -> Plan:
    """Change fields of one goal; an id that the plan does not have changes nothing."""
    goals = tuple(
        goal.replace(updated_at=at, **changes) if goal.id == goal_id else goal
        for goal in plan.goals
    )
    return plan.replace(goals=goals)


def _raise_revision(plan: Plan, at: str) -> Plan:
    return plan.replace(revision=plan.revision + 1, updated_at=at)


def _move_goal(plan: Plan, goal_id: str, status: GoalStatus, at: str, **changes: object) -> Plan:
    if status is GoalStatus.COMPLETE:
        changes["completed_at"] = at
    if status is GoalStatus.ACTIVE:
        changes |= {"classification": "", "exit": ""}
    after = _change_goal(plan, goal_id, at, status=status, **changes)
    goal = plan.find_goal(goal_id)
    raised = _raise_revision(after, at)
    cycles = goal and goal.is_recurring and status is not GoalStatus.SUPERSEDED
    return count_cycle_change(raised) if cycles else raised


def _block_by_review(plan: Plan, event: events.ReviewBlockersRecorded, at: str) -> Plan:
    """Put the blocker right behind the goal that it blocks, before other pending work."""
    new = NewGoal(event.title, event.objective)
    born = _make_goal(new, event.blocker_id, at, origin="review_blocker", blocks=event.goal_id)
    found = event.evidence
    blocker = born.replace(evidence=found, finding=found, start=event.work)
    changed = _change_goal(plan, event.goal_id, at, status=GoalStatus.REVIEW_BLOCKED)
    return _raise_revision(
        changed.replace(goals=_insert_behind(changed, event.goal_id, (blocker,))), at
    )


def _insert_behind(plan: Plan, goal_id: str, added: tuple[Goal, ...]) -> tuple[Goal, ...]:
    """Insert behind the goal and what already blocks it; at the end if there is no such goal."""
    places = [n for n, goal in enumerate(plan.goals, 1) if goal_id in {goal.id, goal.blocks}]
    place = places[-1] if places else len(plan.goals)
    return plan.goals[:place] + added + plan.goals[place:]


def _change_plan(plan: Plan, event: events.SteeringAccepted, at: str) -> Plan:
    change = event.change
    match change:
        case commands.AddSubgoal(new):
            born = (
                _make_goal(new, goal_id, at, origin="add_subgoal") for goal_id in event.goal_ids
            )
            return _raise_revision(plan.replace(goals=(*plan.goals, *born)), at)
        case commands.SplitSubgoal(goal_id, replacements):
            return _raise_revision(_split_goal(plan, goal_id, replacements, event.goal_ids, at), at)
        case commands.ReorderPending(order):
            return _raise_revision(_reorder_goals(plan, order), at)
        case commands.RevisePendingWording(goal_id, title, objective):
            words = {"title": title, "objective": objective}
            changes = {name: text for name, text in words.items() if text}
            return _raise_revision(_change_goal(plan, goal_id, at, **changes), at)
        case commands.AnnotateLedger():
            return plan
        case commands.MarkBlockedSuperseded(goal_id):
            return _move_goal(plan, goal_id, GoalStatus.SUPERSEDED, at, evidence=event.evidence)


def _split_goal(
    plan: Plan, goal_id: str, news: tuple[NewGoal, ...], new_ids: tuple[str, ...], at: str
) -> Plan:
    """Supersede the goal by its parts, which follow it and inherit what it depends on.

    The last one inherits its contract: when all are done, so is what was asked for.
    """
    old = plan.find_goal(goal_id)
    if old is None:
        return plan
    added = [
        _make_goal(new.replace(depends_on=old.depends_on), new_id, at, origin="split_subgoal",
              blocks=old.blocks)
        for new_id, new in zip(new_ids, news, strict=False)
    ]  # fmt: skip
    fresh = tuple(CriterionState(state.id) for state in old.criteria)
    added[-1:] = [
        goal.replace(contract=old.contract, frozen=old.frozen, criteria=fresh, timing=old.timing)
        for goal in added[-1:]
    ]
    status = GoalStatus.SUPERSEDED
    changed = _change_goal(plan, goal_id, at, status=status, superseded_by=new_ids)
    return changed.replace(goals=_insert_behind(changed, goal_id, tuple(added)))


def _reorder_goals(plan: Plan, order: tuple[str, ...]) -> Plan:
    """Give pending goals the places of pending goals in the new order; others keep theirs."""
    by_id = {goal.id: goal for goal in plan.goals}
    queue = iter([by_id[goal_id] for goal_id in order if goal_id in by_id])
    return plan.replace(
        goals=tuple(
            next(queue, goal) if goal.status is GoalStatus.PENDING else goal for goal in plan.goals
        )
    )
