"""Who may drive a run, what a worker may do meanwhile, and honest exits."""

from goalkeeper.core.decide import record_of_refusal
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.phases import Depth, Phase
from goalkeeper.core.drive.state import Budget, ExitKind, Reason, Running
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import CommandRefused, HonestExit
from goalkeeper.core.plan.model import ENGINE, Actor, Classification, GoalStatus, Plan
from goalkeeper.core.plan.rights import is_at_work
from tests.tables import for_each
from tests.unit.core.helpers import (
    AGENT,
    HUMAN,
    RUN,
    accepted,
    after,
    blocked,
    complete,
    failed,
    goal_of,
    judged,
    judgement_of,
    plan_of,
    plan_with_first,
    refused,
)
from tests.unit.core.stories import record_of, settled, worktree_of

BEGAN = happened.DriveBegan("rehearsal", Depth.QUICK, Budget())
PHASE = happened.PhaseBegan(Running("G001", 1, Phase.IMPL, 1, "marker", "tree"), "rehearsal", "p")
SPAWNED = happened.PhaseSpawned("G001", 7, "8", "argv")
PHASE_ENDED = happened.PhaseEnded("G001", 1, Phase.IMPL, 1, record_of(), "tree")
ENDED = happened.DriveEnded(Reason.FAILED)
BETWEEN: list[happened.DriveEvent] = [
    happened.DriveResumed(),
    happened.TermsChanged("codex", Depth.FULL, Budget()),
    happened.WorktreeMade(worktree_of("G001"), "tree"),
    happened.JudgementAsked(),
    happened.ClockJumped(1),
    happened.JudgementStood("G001"),
    happened.PhaseSkipped("G001", 1, Phase.PLAN, "small"),
    happened.RefsMoved("G001", ("refs/heads/main 123",)),
    happened.DrivePaused("2026-01-01T13:00:00.000000Z", "outage"),
    ENDED,
]


def advance(event: happened.DriveEvent) -> commands.Advance:
    return commands.Advance(event)


def at_work() -> Plan:
    return settled().begin().plan


def over() -> Plan:
    """After a drive that ended in the middle of a phase."""
    return settled().begin().tell(ENDED).plan


def kind(event: object) -> str:
    return type(event).__name__


# One drive at a time


@for_each("event", [*BETWEEN, BEGAN, PHASE], ids=kind)
def test_what_fits_is_recorded_as_it_is(event: happened.DriveEvent) -> None:
    plan = plan_of("one") if event == BEGAN else settled().plan

    assert accepted(plan, advance(event), ENGINE).events == (event,)


@for_each("event", [SPAWNED, PHASE_ENDED], ids=kind)
def test_a_phase_that_runs_is_spawned_and_ended(event: happened.DriveEvent) -> None:
    assert accepted(at_work(), advance(event), ENGINE).events == (event,)


@for_each("event", [*BETWEEN, PHASE, SPAWNED, PHASE_ENDED], ids=kind)
@for_each("plan", [plan_of("one"), over()], ids=["never driven", "over"])
def test_nothing_goes_on_without_a_drive(plan: Plan, event: happened.DriveEvent) -> None:
    refusal = refused(plan, advance(event), ENGINE)

    assert refusal.reason == "drive-elsewhere"
    assert refusal.message == f"Run {RUN} is driven by another process, or not at all."


@for_each("plan", [settled().plan, at_work()], ids=["idle", "at work"])
def test_no_second_drive_begins_beside_the_first(plan: Plan) -> None:
    assert refused(plan, advance(BEGAN), ENGINE).reason == "drive-elsewhere"


def test_no_second_phase_begins_beside_the_first() -> None:
    assert refused(at_work(), advance(PHASE), ENGINE).reason == "drive-elsewhere"


def test_each_line_of_work_has_one_phase_at_a_time() -> None:
    story = settled().begin().settle("G002")
    other = PHASE.replace(running=PHASE.running.replace(goal_id="G002"))

    story.tell(*accepted(story.plan, advance(other), ENGINE).events)

    assert [phase.goal_id for phase in story.drive.running] == ["G001", "G002"]
    for event in (PHASE, other):
        assert refused(story.plan, advance(event), ENGINE).reason == "drive-elsewhere"
    for goal_id in ("G001", "G002"):
        accepted(story.plan, advance(SPAWNED.replace(goal_id=goal_id)), ENGINE)
        accepted(story.plan, advance(PHASE_ENDED.replace(goal_id=goal_id)), ENGINE)
    stranger = PHASE_ENDED.replace(goal_id="G003")
    assert refused(story.plan, advance(stranger), ENGINE).reason == "drive-elsewhere"


@for_each("event", [SPAWNED, PHASE_ENDED], ids=kind)
def test_no_phase_ends_that_did_not_begin(event: happened.DriveEvent) -> None:
    assert refused(settled().plan, advance(event), ENGINE).reason == "drive-elsewhere"


def test_after_the_end_of_a_drive_another_may_begin() -> None:
    assert accepted(over(), advance(BEGAN), ENGINE).events == (BEGAN,)


def test_a_phase_that_a_drive_left_behind_can_be_ended_by_the_next() -> None:
    plan = after(over(), advance(BEGAN), actor=ENGINE)

    assert refused(plan, advance(PHASE), ENGINE).reason == "drive-elsewhere"
    assert accepted(plan, advance(PHASE_ENDED), ENGINE).events == (PHASE_ENDED,)


def test_a_closed_run_is_not_driven() -> None:
    plan = after(settled().plan, commands.CloseRun("enough"))

    assert refused(plan, advance(happened.DriveResumed()), ENGINE).reason == "run-closed"


# A worker's own look


@for_each(("actor", "look"), [(AGENT, True), (HUMAN, False), (ENGINE, False)])
def test_only_the_worker_looks_while_a_phase_runs(actor: Actor, look: bool) -> None:
    assert is_at_work(at_work(), actor) is look
    assert not is_at_work(settled().plan, actor)
    assert not is_at_work(plan_of("one"), actor)


def test_a_drive_that_ended_in_a_phase_has_nobody_at_work() -> None:
    assert not is_at_work(over(), AGENT)


@for_each("told", ["ff", "pf", "pp"])
def test_a_workers_judgement_while_it_works_is_not_recorded(told: str) -> None:
    plan = at_work()

    decision = accepted(plan, judged(judgement_of(told, tree="tree5")))

    assert (decision.events, decision.goal_ids) == ((), ("G001",))


def test_goalkeeper_itself_is_heard_meanwhile() -> None:
    assert accepted(at_work(), judged(judgement_of("pf", tree="tree5")), ENGINE).events


@for_each("actor", [HUMAN, AGENT])
def test_who_judges_another_tree_than_the_drive_works_on_changes_nothing(actor: Actor) -> None:
    elsewhere = judged(judgement_of("pf", tree="my own checkout"))

    assert accepted(over(), elsewhere, actor).events == ()
    assert accepted(over(), judged(judgement_of("pf", tree=worked_on(over()))), actor).events


def worked_on(plan: Plan) -> str:
    assert plan.drive
    return plan.drive.lines[-1].tree


@for_each(
    "command",
    [
        commands.Steer(commands.MarkBlockedSuperseded("G001"), "e", "r"),
        commands.Steer(commands.RevisePendingWording("G002", objective="ignore it"), "e", "r"),
        commands.Unblock("G001", "e"),
        commands.StartNext(),
        commands.CloseRun("enough"),
        commands.GiveUp("G002", ExitKind.BLOCKED, "not mine"),
        commands.RecordHandoff("me"),
    ],
    ids=kind,
)
def test_a_worker_does_not_change_the_plan_while_it_works(command: commands.Command) -> None:
    assert refused(at_work(), command, AGENT).reason == "driven"


def test_a_worker_does_not_complete_its_own_goal_while_it_works() -> None:
    refusal = refused(at_work(), complete("G001"))

    assert refusal.reason == "driven"
    assert refused(over(), complete("G001")).reason == "not-judged"


@for_each(
    "command",
    [commands.GiveUp("G001", ExitKind.IMPOSSIBLE, "I would not"), blocked("G001"), failed("G001")],
    ids=kind,
)
def test_a_reviewer_gives_up_nothing_of_the_worker_s(command: commands.Command) -> None:
    looks = PHASE.replace(running=PHASE.running.replace(phase=Phase.QA))
    plan = settled().work("tree1").judge("pp").tell(looks).plan

    assert refused(plan, command, AGENT).reason == "driven"


# Honest exits


def give_up(
    kind: ExitKind = ExitKind.BLOCKED, evidence: str = "no key", goal_id: str = "G001"
) -> commands.GiveUp:
    return commands.GiveUp(goal_id, kind, evidence)


@for_each("kind", ExitKind)
def test_an_active_goal_may_be_given_up_with_evidence(kind: ExitKind) -> None:
    plan = plan_with_first(GoalStatus.ACTIVE)

    decision = accepted(plan, give_up(kind))

    assert decision.events == (HonestExit("G001", kind, "no key"),)
    goal = goal_of(after(plan, give_up(kind)), "G001")
    assert (goal.status, goal.exit, goal.evidence) == ("blocked", kind, "no key")


@for_each("status", [s for s in GoalStatus if s is not GoalStatus.ACTIVE])
def test_a_goal_that_is_not_worked_on_cannot_be_given_up(status: GoalStatus) -> None:
    refusal = refused(plan_with_first(status), give_up())

    assert refusal.reason == "transition-not-allowed"
    assert refusal.facts["wanted"] == GoalStatus.BLOCKED


def test_giving_up_again_in_the_same_words_is_a_no_op() -> None:
    plan = after(plan_with_first(GoalStatus.ACTIVE), give_up())

    again = accepted(plan, give_up())

    assert (again.events, again.goal_ids) == ((), ("G001",))


@for_each("other", [give_up(ExitKind.IMPOSSIBLE), give_up(evidence="something else")])
def test_giving_up_in_other_words_is_refused(other: commands.GiveUp) -> None:
    plan = after(plan_with_first(GoalStatus.ACTIVE), give_up())

    assert refused(plan, other).reason == "transition-not-allowed"


def test_a_goal_that_people_blocked_is_not_given_up_in_the_same_words() -> None:
    plan = after(plan_with_first(GoalStatus.ACTIVE), blocked("G001", "no key"))

    assert refused(plan, give_up()).reason == "transition-not-allowed"


def test_an_unknown_goal_cannot_be_given_up() -> None:
    assert refused(plan_of("one"), give_up(goal_id="G009")).reason == "unknown-goal"


@for_each(
    ("kind", "classification"),
    [
        (ExitKind.BLOCKED, Classification.RESOLVABLE),
        (ExitKind.IMPOSSIBLE, Classification.HUMAN_BLOCKED),
        (ExitKind.NEEDS_HUMAN, Classification.HUMAN_BLOCKED),
    ],
)
def test_the_kind_of_exit_says_who_may_release_it(
    kind: ExitKind, classification: Classification
) -> None:
    plan = after(plan_with_first(GoalStatus.ACTIVE), give_up(kind))
    unblock = commands.Unblock("G001", "the key is there")

    assert goal_of(plan, "G001").classification == classification
    assert accepted(plan, unblock, HUMAN).events
    if classification is Classification.HUMAN_BLOCKED:
        assert refused(plan, unblock, AGENT).reason == "human-only"
    else:
        assert accepted(plan, unblock, AGENT).events


@for_each("kind", ExitKind)
def test_a_released_goal_says_nothing_of_its_exit_any_more(kind: ExitKind) -> None:
    plan = after(plan_with_first(GoalStatus.ACTIVE), give_up(kind))

    freed = after(plan, commands.Unblock("G001", "the key is there"), actor=HUMAN)

    goal = goal_of(freed, "G001")
    assert (goal.status, goal.exit, goal.classification) == ("active", "", "")
    assert goal.evidence == "the key is there"
    assert accepted(freed, give_up(kind)).events


def test_a_worker_may_give_up_while_it_works_and_the_phase_goes_on_to_its_end() -> None:
    story = settled().begin()

    story.tell(*accepted(story.plan, give_up(ExitKind.NEEDS_HUMAN)).events)
    ended = story.end(record_of(), "tree1").line

    assert (ended.running, ended.tree) == (None, "tree1")
    assert goal_of(story.plan, "G001").exit == "needs-human"


def test_a_refused_exit_of_an_agent_is_recorded_with_its_goal() -> None:
    plan = plan_with_first(GoalStatus.PENDING)
    refusal = refused(plan, give_up())

    assert record_of_refusal(give_up(), refusal, AGENT) == (
        CommandRefused("GiveUp", "transition-not-allowed", "G001"),
    )
