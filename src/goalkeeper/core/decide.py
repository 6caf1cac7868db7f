"""Decide what a command does: it becomes events, or a refusal with a reason; nothing is raised.

The rules of one subject stand in its own module: `plan/freezing` (who freezes and amends which
contract), `plan/gate` (when a goal is proven), `plan/answering` (which findings stand),
`plan/steering`, `plan/goal_tool`, `answers/rules`.
"""

from __future__ import annotations

from goalkeeper.core import fold
from goalkeeper.core.contract.criteria import Decision, Verdict, decide_after
from goalkeeper.core.drive import events as drive_events
from goalkeeper.core.plan import (
    answering,
    commands,
    events,
    freezing,
    gate,
    goal_tool,
    graph,
    ids,
    objective,
    steering,
)
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.events import AbbreviationRefused
from goalkeeper.core.plan.model import (
    STANDARD,
    Actor,
    ActorKind,
    Blocker,
    Classification,
    Goal,
    GoalMode,
    GoalStatus,
    Plan,
    Refused,
    SteeringKey,
)
from goalkeeper.core.plan.rights import is_at_work, is_onlooker, refuse_actor
from goalkeeper.core.plan.streaks import achieve_cycle, is_repeat
from goalkeeper.core.plan.transitions import refused_move
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.review.lane import Lane

MAX_OPEN_BLOCKERS = 3
CLOSED = "run-closed"


class Decided(Value):
    """The events to record (none if it is so already) and the goals they are about."""

    events: tuple[events.Event, ...]
    goal_ids: tuple[str, ...] = ()


def create(command: commands.CreatePlan, actor: Actor) -> events.PlanCreated:
    """Make the event that a plan begins with; the caller sees that no live plan is in the way."""
    aggregate = command.mode is GoalMode.AGGREGATE
    pointer = objective.point_to_run(command.run_id) if aggregate else ""
    return events.PlanCreated(
        **command.as_dict(), objective=pointer, session=actor.session, author=str(actor.kind)
    )


def decide(plan: Plan, command: commands.Command, *, at: str, actor: Actor) -> Decided | Refused:
    if plan.closed:
        said = f"Run {plan.run_id} is closed: {plan.closed}."
        return Refused(CLOSED, said, 'goalkeeper create-goals --brief "<brief>"')
    refused = refuse_actor(plan, command, actor)
    if refused:
        return refused
    decision = _decide_command(objective.migrate_objective(plan), command, at, actor)
    if isinstance(decision, Refused) or not decision.events or not objective.is_legacy(plan):
        return decision
    moved = events.ObjectiveMigrated(plan.objective, objective.point_to_run(plan.run_id))
    return decision.replace(events=(moved, *decision.events))


def _decide_command(
    plan: Plan, command: commands.Command, at: str, actor: Actor
) -> Decided | Refused:
    if isinstance(command, commands.GoalCommand):
        goal = plan.find_goal(command.goal_id)
        if goal is None:
            return steering.unknown_goal(command.goal_id)
        return _decide_for_goal(plan, goal, command, at, actor)
    match command:
        case commands.StartNext(retry_failed):
            return _start_next(plan, retry_failed=retry_failed, at=at)
        case commands.RecordStanding():
            return _record_standing(command)
        case commands.RecordLanding():
            return Decided((events.WorkLanded(**command.as_dict()),))
        case commands.RecordReceipt():
            return Decided((events.ReceiptIssued(**command.as_dict()),))
        case commands.Steer():
            return _decide_steer(plan, command, at, actor)
        case commands.ClassifyBlocker():
            return _classify_blocker(plan, command, actor)
        case commands.ChangeGoalTool():
            changed = goal_tool.change_tool(plan, command)
            return changed if isinstance(changed, Refused) else Decided(changed)
        case commands.RecordHandoff(to):
            return Decided((events.HandoffRecorded(to),) if plan.handoff != to else ())
        case commands.CloseRun(reason):
            return Decided((events.StateCleared(reason),))
        case commands.Advance(event):
            return _advance_drive(plan, event)


def _decide_for_goal(
    plan: Plan, goal: Goal, command: commands.GoalCommand, at: str, actor: Actor
) -> Decided | Refused:
    match command:
        case commands.Checkpoint():
            return _decide_checkpoint(plan, goal, command, at, actor)
        case commands.FreezeContract() | commands.AmendContract():
            return _attach_goal(goal.id, freezing.decide_freezing(plan, goal, command, actor))
        case commands.RecordExaminer() | commands.RecordDraft() | commands.RecordOpinion():
            return _attach_goal(goal.id, freezing.decide_drafting(goal, command, actor))
        case commands.ReportLane(_, lane):
            return _report_lane(plan, goal, lane, actor)
        case commands.RecordJudgement():
            return _record_judgement(plan, goal, command, at, actor)
        case commands.AnswerFindings():
            return _attach_goal(goal.id, answering.decide_answer(goal, command, actor))
        case commands.Unblock(_, evidence):
            unblocked = (_unblock(plan, goal, evidence),)
            return _attach_goal(goal.id, steering.not_releasable(goal, actor) or unblocked)
        case commands.RecordReviewBlockers():
            return _review_blockers(plan, goal, command)
        case commands.GiveUp(_, kind, evidence):
            if goal.status is GoalStatus.BLOCKED and (goal.exit, goal.evidence) == (kind, evidence):
                return Decided((), (goal.id,))
            given_up = (events.HonestExit(goal.id, kind, evidence),)
            return _attach_goal(goal.id, refused_move(goal, GoalStatus.BLOCKED) or given_up)
        case _:
            from goalkeeper.core.answers import rules  # noqa: PLC0415  seldom asked for

            return _attach_goal(goal.id, rules.decide(plan, command, at, actor))


def _attach_goal(goal_id: str, decided: tuple[events.Event, ...] | Refused) -> Decided | Refused:
    return decided if isinstance(decided, Refused) else Decided(decided, (goal_id,))


def record_of_refusal(
    command: commands.Command, refused: Refused, actor: Actor
) -> tuple[events.Event, ...]:
    """Record rejected steering whoever asked, and other refusals when an agent did."""
    if refused.reason == CLOSED:
        return ()  # a closed run takes no more entries
    if isinstance(command, commands.Steer):
        change, evidence, rationale = command.change, command.evidence, command.rationale
        return (events.SteeringRejected(change, evidence, rationale, refused.reason),)
    if isinstance(command, commands.ClaimAbbreviation) and "why" in refused.facts:
        why = str(refused.facts["why"])
        return (AbbreviationRefused(command.goal_id, command.step, command.condition, why),)
    if actor.kind is not ActorKind.AGENT:
        return ()
    name = type(command).__name__
    return (events.CommandRefused(name, refused.reason, getattr(command, "goal_id", "")),)


def _start_next(plan: Plan, *, retry_failed: bool, at: str) -> Decided:
    goal = graph.next_goal(plan, retry_failed=retry_failed, at=at)
    if goal is None:
        return Decided(())
    back: tuple[events.Event, ...] = (events.HandoffRecorded(""),) if plan.handoff else ()
    if goal.status is GoalStatus.ACTIVE:
        return Decided(back, (goal.id,))
    return Decided((*back, events.GoalStarted(goal.id)), (goal.id,))


def _decide_checkpoint(
    plan: Plan, goal: Goal, command: commands.Checkpoint, at: str, actor: Actor
) -> Decided | Refused:
    if command.status is CheckpointStatus.COMPLETE and is_at_work(plan, actor):
        # The agent could still change what was proven, and the change would land.
        said = f"{goal.id} is proven when its agent has ended, and by goalkeeper."
        return Refused("driven", said, f"goalkeeper judge --goal-id {goal.id}, or end your turn")
    wanted = GoalStatus(command.status)
    if goal.status is wanted and goal.evidence == command.evidence:
        return Decided((), (goal.id,))
    if command.cycle and not goal.is_recurring:
        said = f"{goal.id} does not recur, so it has no cycles."
        return Refused("not-recurring", said, "the same command without --cycle")
    if command.status is CheckpointStatus.COMPLETE and is_repeat(goal, command, at):
        return Decided((), (goal.id,))
    refused = refused_move(goal, wanted)
    if not refused and command.snapshot:
        is_blocked = command.status is CheckpointStatus.BLOCKED
        refused = goal_tool.reconcile(plan, command.snapshot, is_blocked=is_blocked)
    if not refused and wanted is GoalStatus.COMPLETE and actor.kind is not ActorKind.ENGINE:
        refused = goal_tool.refuse_other_story(plan, goal)
    if refused:
        return refused
    if command.status is CheckpointStatus.COMPLETE:
        return _decide_completion(plan, goal, command, at)
    event = events.GoalCheckpointed(goal.id, command.status, command.evidence)
    return Decided((event,), (goal.id,))


def _decide_completion(
    plan: Plan, goal: Goal, command: commands.Checkpoint, at: str
) -> Decided | Refused:
    """Complete the goal if its gate is open, and start the next goal that is ready."""
    refused = gate.why_closed(plan, goal, command.judgement, command.quality)
    if refused:
        return refused
    event: events.Event
    if goal.is_recurring:
        event = achieve_cycle(goal, command, at)
    else:
        kind = plan.gate or STANDARD
        event = events.GoalCompleted(
            goal.id, command.evidence, kind, command.judgement, command.quality
        )
    after = fold.apply(plan, event, at)
    opened = reopen_unblocked(after)
    for each in opened:
        after = fold.apply(after, each, at)
    upcoming = graph.next_goal(after, retry_failed=False, at=at)
    started = upcoming and upcoming.status is GoalStatus.PENDING and not plan.handoff
    begun = (events.GoalStarted(upcoming.id),) if upcoming and started else ()
    named = (upcoming.id,) if upcoming else ()
    return Decided((event, *opened, *begun), (goal.id, *named))


def _record_judgement(
    plan: Plan, goal: Goal, command: commands.RecordJudgement, at: str, actor: Actor
) -> Decided | Refused:
    """Record a judgement. A repetition for the same tree or an onlooker's look is no iteration."""
    judgement = command.judgement
    if goal.frozen is None:
        return gate.refuse_no_contract(goal)
    if goal.frozen.digest != judgement.contract:
        said = f"What was judged is not the contract that {goal.id} has frozen."
        return Refused("contract-changed", said, f"goalkeeper judge --goal-id {goal.id}")
    if goal.judgement == judgement.essence or is_onlooker(plan, goal.id, judgement.tree, actor):
        return Decided((), (goal.id,))
    line = plan.drive.line(goal.id) if plan.drive else None
    is_again = line and line.is_judged_again and line.tree == judgement.tree
    iteration = goal.iteration if is_again else goal.iteration + 1  # nobody worked in between
    event = events.GoalJudged(goal.id, iteration, judgement, Decision.REPLAN)
    after = fold.apply(plan, event, at).find_goal(goal.id) or goal
    decided = decide_after(
        after.table,
        iteration=event.iteration,
        max_iterations=command.max_iterations,
    )
    if decided is Decision.DONE and not gate.is_proven_by(goal, judgement):
        over = event.iteration >= command.max_iterations
        decided = Decision.SAFEGUARD if over else Decision.REPLAN
    return Decided((event.replace(decision=decided),), (goal.id,))


def _record_standing(command: commands.RecordStanding) -> Decided:
    """Reopen goals with a criterion that does not hold on the tree that was proven last."""
    seen = events.StandingJudged(command.tree, command.criteria)
    failed: dict[str, list[str]] = {}
    for judged in command.criteria:
        if judged.verdict is Verdict.FAILED:
            goal_id, _, name = judged.id.partition("/")
            failed.setdefault(goal_id, []).append(f"{name}: {judged.reason}")
    opened = [
        events.GoalReopened(goal_id, f"on tree {command.tree[:12]} it does not hold: {said[0]}")
        for goal_id, said in failed.items()
    ]
    return Decided((seen, *opened), tuple(failed))


def _report_lane(plan: Plan, goal: Goal, lane: Lane, actor: Actor) -> Decided | Refused:
    if actor.kind is not ActorKind.ENGINE:
        said = "A lane counts when goalkeeper ran it."
        return Refused("lane-not-ours", said, gate.suggest_lanes(plan, goal.id))
    if goal.frozen is None or goal.frozen.digest != lane.contract:
        said = f"The contract of {goal.id} is another than the lane was about."
        return Refused("contract-changed", said, gate.suggest_lanes(plan, goal.id))
    refused = gate.refuse_outweighed(goal, lane)
    return refused or Decided((events.LaneReported(goal.id, lane),), (goal.id,))


def _advance_drive(plan: Plan, event: drive_events.DriveEvent) -> Decided | Refused:
    """Accept one drive at a time, and one phase of each line; other events are another drive's."""
    drive = plan.drive
    is_new = isinstance(event, drive_events.DriveBegan)
    running = [phase.goal_id for phase in drive.running] if drive and not drive.ended else []
    fits = bool(drive and not drive.ended) is not is_new
    if isinstance(event, drive_events.PhaseBegan):
        fits = fits and event.running.goal_id not in running
    elif isinstance(event, drive_events.PhaseSpawned | drive_events.PhaseEnded):
        fits = fits and event.goal_id in running
    if fits:
        return Decided((event,))
    said = f"Run {plan.run_id} is driven by another process, or not at all."
    return Refused("drive-elsewhere", said, "goalkeeper status")


def _classify_blocker(
    plan: Plan, command: commands.ClassifyBlocker, actor: Actor
) -> Decided | Refused:
    """A blocker without a goal is about the last goal that was worked on or blocked."""
    troubled = plan.with_status(GoalStatus.ACTIVE) + plan.with_status(GoalStatus.BLOCKED)
    goal = max(troubled, key=lambda goal: goal.updated_at, default=None)
    if command.goal_id:
        goal = plan.find_goal(command.goal_id)
        if goal is None:
            return steering.unknown_goal(command.goal_id)
    named = goal.id if goal else ""
    classification, evidence = command.classification, command.evidence
    if plan.blocker == Blocker(classification, evidence, named, plan.revision):
        return Decided((), (named,))
    if goal and goal.status is GoalStatus.BLOCKED and classification is Classification.RESOLVABLE:
        refused = steering.not_releasable(goal, actor)
        if refused:
            return refused
    return Decided((events.BlockerClassified(classification, evidence, named),), (named,))


def _decide_steer(plan: Plan, command: commands.Steer, at: str, actor: Actor) -> Decided | Refused:
    steered = steering.decide_steering(plan, command, actor)
    if isinstance(steered, Refused):
        return steered
    if isinstance(steered, SteeringKey):
        return Decided((), steered.goal_ids)
    after = fold.apply(plan, steered, at)
    opened = reopen_unblocked(after)
    through = after.revision + len(opened)
    return Decided((steered.replace(revision=through), *opened), steered.goal_ids)


def reopen_unblocked(plan: Plan) -> tuple[events.Event, ...]:
    """Reopen review-blocked goals whose blockers are all settled; they are still to be proven."""
    opened: list[events.Event] = []
    for goal in plan.with_status(GoalStatus.REVIEW_BLOCKED):
        if not gate.open_blockers(plan, goal.id):
            unblocked = _unblock(plan, goal, "its review blockers are settled")
            plan = fold.apply(plan, unblocked, plan.updated_at)
            opened.append(unblocked)
    return tuple(opened)


def _unblock(plan: Plan, goal: Goal, evidence: str) -> events.GoalUnblocked:
    """Make the goal active, or pending while another goal is active."""
    active = [each.id for each in plan.with_status(GoalStatus.ACTIVE)]
    return events.GoalUnblocked(goal.id, evidence, next(iter(active), ""))


def _review_blockers(
    plan: Plan, goal: Goal, command: commands.RecordReviewBlockers
) -> Decided | Refused:
    refused = goal_tool.reconcile(plan, command.snapshot) if command.snapshot else None
    if refused:
        return refused
    open_now = gate.open_blockers(plan, goal.id)
    for blocker in open_now:
        if blocker.objective == command.objective:
            return Decided((), (blocker.id,))
    if goal.status is not GoalStatus.REVIEW_BLOCKED:
        refused = refused_move(goal, GoalStatus.REVIEW_BLOCKED)
        if refused:
            return refused
    if len(open_now) >= MAX_OPEN_BLOCKERS:
        said = f"{goal.id} already has {len(open_now)} open review blockers; settle one first."
        facts = {"goal_id": goal.id, "open": [blocker.id for blocker in open_now]}
        return Refused("too-many-review-blockers", said, "goalkeeper complete-goals", facts)
    blocker_id = ids.goal_id(len(plan.goals) + 1)
    told = {name: value for name, value in command.as_dict().items() if name != "snapshot"}
    event = events.ReviewBlockersRecorded(**told, blocker_id=blocker_id)
    return Decided((event,), (blocker_id,))
