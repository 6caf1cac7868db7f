"""Random values of the core: texts, goals, changes, events, plans."""

from hypothesis import strategies as st

from goalkeeper.core import codec
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus, Decision, Verdict
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.contract.timing import Timing
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.artifacts import PhaseTrace, check_artifacts
from goalkeeper.core.drive.phases import Depth, Ending, Phase, Record, Spend
from goalkeeper.core.drive.state import (
    Budget,
    Drive,
    ExitKind,
    LineOfWork,
    Reason,
    Running,
    Worktree,
)
from goalkeeper.core.plan import commands, events
from goalkeeper.core.plan import events as said
from goalkeeper.core.plan.commands import Change, CheckpointStatus
from goalkeeper.core.plan.events import Event
from goalkeeper.core.plan.model import (
    Answered,
    Base,
    Blocker,
    Classification,
    Frozen,
    Goal,
    GoalMode,
    GoalStatus,
    NewGoal,
    Plan,
    SteeringKey,
    StepPassed,
    Streak,
    ToolGoal,
    ToolStatus,
)
from goalkeeper.core.review.assessed import Quality, Voice
from goalkeeper.core.review.lane import Lane, LaneRole, LaneWord
from goalkeeper.wire.canonical import compact

words = st.text(max_size=12)
some_words = st.text(min_size=1, max_size=12)
marks = st.sampled_from(["x", "né", '"\\', "\n", "\u2028", "\0", "𝄞", " "])  # cheaper than texts
marks_or_none = st.just("") | marks
ids = st.from_regex(r"G[0-9]{3}", fullmatch=True)
UNFINISHED = st.sampled_from([CheckpointStatus.FAILED, CheckpointStatus.BLOCKED])
id_tuples = st.lists(ids, max_size=4).map(tuple)
numbers = st.integers(min_value=0, max_value=10**9)

timings = st.builds(Timing, st.integers(0, 99), st.sampled_from(["", "h1"]), words, words)
new_goals = st.builds(NewGoal, words, words, id_tuples, words, st.none() | timings)
goal_tuples = st.lists(new_goals, max_size=4).map(tuple)

changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(commands.AddSubgoal, new_goals),
    st.builds(commands.SplitSubgoal, ids, goal_tuples),
    st.builds(commands.ReorderPending, id_tuples),
    st.builds(commands.RevisePendingWording, ids, words, words),
    st.just(commands.AnnotateLedger()),
    st.builds(commands.MarkBlockedSuperseded, ids),
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
unknown_kinds = some_words.filter(lambda kind: kind not in codec.EVENT_KINDS)

criterion_ids = st.sampled_from(["C1", "C2", "C3"])
contracts = st.lists(
    st.builds(lambda name, said: {"id": name, "text": said}, criterion_ids, marks), max_size=3
).map(lambda criteria: compact({"criteria": criteria}))
bases = st.builds(Base, marks, marks_or_none)
frozens = st.builds(Frozen, marks, contracts | marks, marks_or_none, bases, marks_or_none)
findings = st.builds(Finding, some_words, st.sampled_from(Level), words, numbers, words)
judgements = st.builds(
    Judgement,
    some_words,
    words,
    some_words,
    words,
    st.lists(
        st.builds(Judged, criterion_ids, st.sampled_from(Verdict), words, words, st.booleans()),
        max_size=3,
    ).map(tuple),
    st.lists(findings, max_size=2).map(tuple),
    st.booleans(),
    conditions=st.lists(words, max_size=2).map(tuple),
)
criterion_states = st.builds(
    CriterionState,
    criterion_ids,
    st.sampled_from(CriterionStatus),
    numbers,
    numbers,
    numbers,
    numbers,
    numbers,
    marks_or_none,
    st.lists(marks, max_size=3).map(tuple),
    numbers,
    marks_or_none,
    marks_or_none,
    marks_or_none,
)

# Moments are ours, and sortable; what a service tells an agent may be anything.
moments = st.sampled_from(
    ["2026-01-01T12:00:00.000000Z", "2026-01-01T12:00:01.500000Z", "2026-01-01T18:00:00.000000Z"]
)
any_moments = moments | st.sampled_from(
    ["monday", "2026-01-01T12:00:00", "2026-01-01T14:00:00+02:00", "9999-12-31T23:59:59-23:00"]
)
tree_names = st.sampled_from(["tree0", "tree1", "tree2"])
phases = st.sampled_from(Phase)
budgets = st.builds(Budget, *([numbers] * 8))
spends = st.builds(Spend, numbers, numbers, numbers, st.none() | numbers)
records = st.builds(
    Record,
    client=marks,
    ending=st.sampled_from(Ending),
    session=marks_or_none,
    model=marks_or_none,
    exit_code=st.none() | st.integers(-20, 255),
    spend=spends,
    tool_calls=st.integers(0, 2),
    resets_at=st.just("") | any_moments,
    problem=marks_or_none,
    said=words,
    out=marks_or_none,
    milliseconds=numbers,
)
traces = st.builds(
    PhaseTrace, phases, marks_or_none, marks_or_none, st.lists(marks, max_size=2).map(tuple),
    st.integers(0, 2), st.booleans(),
)  # fmt: skip
artifact_gates = st.lists(traces, max_size=5).map(check_artifacts)
worktrees = st.builds(Worktree, ids, marks, marks, marks_or_none)
runnings = st.builds(
    Running, ids, st.integers(0, 9), phases, st.integers(1, 9), marks, tree_names, numbers,
    marks_or_none,
)  # fmt: skip

lanes = st.builds(
    Lane,
    st.sampled_from(LaneRole),
    tree_names,
    marks,
    st.sampled_from(LaneWord),
    records,
    numbers,
    marks_or_none,
    marks_or_none,
    st.lists(words, max_size=2).map(tuple),
)
voices = st.builds(Voice, *([marks] * 8))
qualities = st.builds(Quality, tree_names, marks, st.lists(voices, max_size=2).map(tuple))

DRIVE_EVENTS: dict[type[Event], st.SearchStrategy[Event]] = {
    events.HonestExit: st.builds(events.HonestExit, ids, st.sampled_from(ExitKind), words),
    happened.DriveBegan: st.builds(happened.DriveBegan, marks, st.sampled_from(Depth), budgets),
    happened.DriveResumed: st.just(happened.DriveResumed()),
    happened.TermsChanged: st.builds(happened.TermsChanged, marks, st.sampled_from(Depth), budgets),
    happened.WorktreeMade: st.builds(happened.WorktreeMade, worktrees, tree_names | st.just("")),
    happened.CriteriaLeft: st.builds(
        happened.CriteriaLeft, ids, st.lists(criterion_ids, max_size=2).map(tuple)
    ),
    happened.JudgementAsked: st.builds(happened.JudgementAsked),
    happened.ClockJumped: st.builds(happened.ClockJumped, st.integers(0, 10**9)),
    happened.JudgementStood: st.builds(happened.JudgementStood, ids, st.tuples(some_words)),
    happened.PhaseBegan: st.builds(happened.PhaseBegan, runnings, marks_or_none, marks_or_none),
    happened.PhaseSpawned: st.builds(
        happened.PhaseSpawned, ids | st.just(""), numbers, marks_or_none, marks_or_none
    ),
    happened.PhaseEnded: st.builds(
        happened.PhaseEnded,
        ids,
        st.integers(0, 9),
        phases,
        st.integers(1, 9),
        records,
        tree_names,
        marks_or_none,
        st.lists(marks, max_size=1).map(tuple),
        st.none() | st.booleans(),
    ),
    happened.PhaseSkipped: st.builds(happened.PhaseSkipped, ids, st.integers(0, 9), phases, marks),
    happened.ArtifactsChecked: st.builds(
        happened.ArtifactsChecked, ids, st.integers(0, 9), artifact_gates
    ),
    happened.RefsMoved: st.builds(happened.RefsMoved, ids, st.lists(words, max_size=2).map(tuple)),
    happened.DrivePaused: st.builds(happened.DrivePaused, any_moments, marks_or_none),
    happened.DriveEnded: st.builds(happened.DriveEnded, st.sampled_from(Reason), words),
}

VERIFY_EVENTS: dict[type[Event], st.SearchStrategy[Event]] = {
    said.StepVerified: st.builds(said.StepVerified, ids, words, words, words, words),
    said.VerificationFailed: st.builds(
        said.VerificationFailed, ids, st.lists(criterion_ids, max_size=2).map(tuple), words,
        id_tuples, id_tuples,
    ),
    said.QuestionsAnswered: st.builds(
        said.QuestionsAnswered, ids, st.lists(criterion_ids, max_size=2).map(tuple), words, words,
        words, words, st.lists(words, max_size=2).map(tuple),
        st.lists(words, max_size=2).map(tuple), words,
    ),
    said.AbbreviationRefused: st.builds(said.AbbreviationRefused, ids, words, words, words),
    said.HypothesisExpired: st.builds(said.HypothesisExpired, ids, words),
    said.HypothesisDeferred: st.builds(said.HypothesisDeferred, ids, words),
    said.CycleAchieved: st.builds(
        said.CycleAchieved, ids, words, words, words, st.none() | judgements
    ),
}  # fmt: skip

EVENTS: dict[type[Event], st.SearchStrategy[Event]] = {
    events.PlanCreated: st.builds(
        events.PlanCreated,
        some_words,
        words,
        st.sampled_from(GoalMode),
        words,
        words,
        goal_tuples,
        words,
        words,
        words,
        st.none() | bases,
    ),
    events.GoalStarted: st.builds(events.GoalStarted, ids),
    events.GoalCheckpointed: st.builds(
        events.GoalCheckpointed,
        ids,
        st.sampled_from(["failed", "blocked"]).map(CheckpointStatus),
        words,
    ),
    events.ContractFrozen: st.builds(events.ContractFrozen, ids, frozens),
    events.ContractAmended: st.builds(events.ContractAmended, ids, frozens, words),
    events.GoalJudged: st.builds(
        events.GoalJudged, ids, numbers, judgements, st.sampled_from(Decision)
    ),
    events.GoalCompleted: st.builds(
        events.GoalCompleted, ids, words, words, st.none() | judgements, st.none() | qualities
    ),
    events.StandingJudged: st.builds(
        events.StandingJudged, words, judgements.map(lambda judgement: judgement.criteria)
    ),
    events.GoalReopened: st.builds(events.GoalReopened, ids, words),
    events.WorkLanded: st.builds(events.WorkLanded, words, words, id_tuples),
    events.LaneReported: st.builds(events.LaneReported, ids, lanes),
    events.ReceiptIssued: st.builds(events.ReceiptIssued, words, ids, words, words, words),
    events.GoalUnblocked: st.builds(events.GoalUnblocked, ids, words, marks_or_none),
    events.SteeringAccepted: st.builds(
        events.SteeringAccepted, changes, words, words, words, words, id_tuples, st.integers(0)
    ),
    events.SteeringRejected: st.builds(events.SteeringRejected, changes, words, words, words),
    events.ReviewBlockersRecorded: st.builds(
        events.ReviewBlockersRecorded, ids, ids, words, words, words
    ),
    events.BlockerClassified: st.builds(
        events.BlockerClassified, st.sampled_from(Classification), words, ids | st.just("")
    ),
    events.GoalToolChanged: st.builds(events.GoalToolChanged, st.sampled_from(ToolStatus), words),
    events.ObjectiveMigrated: st.builds(events.ObjectiveMigrated, words, words),
    events.HandoffRecorded: st.builds(events.HandoffRecorded, words),
    events.StateCleared: st.builds(events.StateCleared, words),
    events.LedgerRepaired: st.builds(events.LedgerRepaired, st.lists(words).map(tuple)),
    events.CommandRefused: st.builds(events.CommandRefused, words, words, words),
    events.Unknown: st.builds(
        events.Unknown, unknown_kinds, st.dictionaries(words, json_values, max_size=3)
    ),
    **DRIVE_EVENTS,
    **VERIFY_EVENTS,
}

lines_of_work = st.builds(
    LineOfWork,
    worktree=worktrees,
    tree=st.just("") | tree_names,
    judged_tree=st.just("") | tree_names,
    findings=st.lists(findings, max_size=2).map(tuple),
    running=st.none() | runnings,
    traces=st.lists(traces, max_size=3).map(tuple),
    gate=st.none() | artifact_gates,
    attempts=numbers,
    last=st.none() | records,
    crashes=numbers,
    stalls=numbers,
    outages=st.integers(0, 9),
    unchanged=numbers,
    idle=numbers,
).map(  # a phase belongs to the goal of its line
    lambda line: line.replace(
        running=line.running.replace(goal_id=line.goal_id) if line.running else None
    )
)
drives = st.builds(
    Drive,
    agent=marks,
    depth=st.sampled_from(Depth),
    budget=budgets,
    began_at=moments,
    clock_at=st.just("") | moments,
    milliseconds=numbers,
    spend=spends,
    unpriced=numbers,
    earlier=spends,
    lines=st.lists(lines_of_work, max_size=2, unique_by=lambda line: line.goal_id).map(tuple),
    paused_until=st.just("") | any_moments,
    paused_for=marks_or_none,
    ended=st.just("") | st.sampled_from(Reason).map(str),
    detail=words,
)

streaks = st.builds(
    Streak, st.just("") | moments, numbers, numbers, numbers, words, words,
    st.lists(words, max_size=2).map(tuple), words,
)  # fmt: skip
goals = st.builds(
    Goal,
    id=ids,
    title=marks_or_none,
    objective=words,
    status=st.sampled_from(GoalStatus),
    created_at=marks,
    updated_at=marks,
    origin=marks,
    started_at=marks_or_none,
    completed_at=marks_or_none,
    evidence=words,
    attempts=numbers,
    depends_on=id_tuples,
    contract=marks_or_none,
    blocks=ids | st.just(""),
    superseded_by=id_tuples,
    classification=marks_or_none,
    frozen=st.none() | frozens,
    criteria=st.lists(criterion_states, max_size=2).map(tuple),
    iteration=numbers,
    judgement=marks_or_none,
    blocking=numbers,
    decision=st.just("") | st.sampled_from(Decision).map(str),
    exit=st.just("") | st.sampled_from(ExitKind).map(str),
    timing=st.none() | timings,
    streak=st.none() | streaks,
    steps=st.lists(st.builds(StepPassed, words, words, words, words), max_size=2).map(tuple),
    answers=st.lists(
        st.builds(
            Answered,
            criterion_ids,
            words,
            words,
            words,
            words,
            st.lists(words, max_size=2).map(tuple),
            words,
        ),
        max_size=2,
    ).map(tuple),
    failed_answers=st.lists(words, max_size=2).map(tuple),
    waits_until=marks_or_none,
)

plans = st.builds(
    Plan,
    run_id=marks,
    mode=st.sampled_from(GoalMode),
    objective=words,
    constraints=words,
    goals=st.lists(goals, min_size=1, max_size=3).map(tuple),
    created_at=marks,
    updated_at=marks,
    session=marks_or_none,
    replaces=marks_or_none,
    base=st.none() | bases,
    aliases=st.lists(marks, max_size=2).map(tuple),
    revision=numbers,
    tool=st.builds(ToolGoal, st.sampled_from(ToolStatus), words, marks_or_none),
    blocker=st.none()
    | st.builds(Blocker, st.sampled_from(Classification), words, ids | st.just(""), numbers),
    steering_keys=st.lists(
        st.builds(SteeringKey, marks_or_none, marks, numbers, id_tuples), max_size=2
    ).map(tuple),
    handoff=marks_or_none,
    closed=marks_or_none,
    drive=st.none() | drives,
)
