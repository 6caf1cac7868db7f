"""What the phases of a full iteration must leave, and what follows when they do not."""

from collections.abc import Sequence

from goalkeeper.core import next_step
from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.artifacts import (
    PhaseTrace,
    check_artifacts,
    find_plan_faults,
    find_review_faults,
    is_without_findings,
)
from goalkeeper.core.drive.phases import WORK, Depth, Ending, Phase
from goalkeeper.core.drive.state import Budget, Reason
from tests.tables import for_each
from tests.unit.core.stories import Story, record_of, settled, stop, work

PLAN = "Files: `Makefile`\n\n1. Add a target, so that C1 holds.\n2. Then C2.\n"
CHANGED = ("src/sums.py", "Makefile")


@for_each(
    "text, faults",
    [
        (PLAN, ()),
        ("- C1 and C2: change src/sums.py", ()),
        ("", ("there is no plan",)),
        (" \n", ("there is no plan",)),
        ("C1 and C2: change src/sums.py", ("it lists no steps",)),
        ("- do C1, then C2", ("it names no file to change",)),
        ("* sums.py: C10 and C2", ("it does not say how C1 will be met",)),
        (
            "1. a plan",
            ("it names no file to change", "it does not say how C1, C2 will be met"),
        ),
    ],
)
def test_a_plan_names_steps_files_and_criteria(text: str, faults: Sequence[str]) -> None:
    assert find_plan_faults(text, ["C1", "C2"]) == faults


@for_each(
    "text, faults, is_clear",
    [
        ("Makefile, sums.py\n\nNo findings.\n", (), True),
        ("**No findings**: nothing\nsums.py:3 wrong sign", (), False),
        ("I read sums.py.\n- no findings -\nsums.py:3 is fine", (), False),
        ("", ("there is no review",), False),
        ("No findings", ("it names none of the changed files",), True),
        ("other.py:3 is wrong", ("it names none of the changed files",), False),
        (
            "sums.py looks good",
            ('it names no place as file:line, and no line says "No findings"',),
            False,
        ),
    ],
)
def test_a_review_is_about_the_change_and_says_what_it_found(
    text: str, faults: Sequence[str], is_clear: bool
) -> None:
    assert (find_review_faults(text, CHANGED), is_without_findings(text)) == (faults, is_clear)


def test_a_review_of_nothing_needs_no_file() -> None:
    assert find_review_faults("No findings", ()) == ()


def test_a_gate_says_what_is_there_what_is_missing_and_what_to_do() -> None:
    skipped = PhaseTrace(Phase.REFINE, skipped="nothing-found")
    whole = [PhaseTrace(phase, session=phase) for phase in WORK]
    whole[3] = skipped
    good = check_artifacts(whole)
    short = check_artifacts([PhaseTrace(Phase.PLAN, lacks=("a", "b"), unusable=2)])

    states = ["ok", "ok", "ok", "skip-recorded"]
    assert (good.ok, [check.state for check in good.checks], good.missing) == (True, states, ())
    assert (short.ok, short.missing) == (False, ("A2 plan: a; b",))
    assert [check.state for check in short.checks] == [
        "not-reached", "missing", "not-reached", "not-reached",
    ]  # fmt: skip
    assert "--depth quick" in short.remediation


@for_each("phase", [Phase.VERIFY, Phase.REFINE])
def test_who_goes_on_with_the_session_of_another_phase_is_no_other_agent(phase: Phase) -> None:
    traces = [PhaseTrace(each, session="" if each is Phase.SHIP else each) for each in WORK]
    shared = [t.replace(session="impl") if t.phase is phase else t for t in traces]

    (missing,) = check_artifacts(shared).missing
    assert missing.endswith(": it is of the same session as impl")


def leave(story: Story, *lacks: str, is_clear: bool = False) -> Story:
    """The phase that is asked for ends, and leaves something that lacks this."""
    story.begin()
    running = story.line.running
    assert running
    return story.tell(
        happened.PhaseEnded(
            running.goal_id, running.iteration, running.phase, running.attempt, record_of(),
            "tree1", lacks=lacks, is_clear=is_clear,
        )
    )  # fmt: skip


def check(story: Story) -> Story:
    asked = story.next
    assert isinstance(asked, happened.ArtifactsChecked), asked
    return story.tell(asked)


def test_a_phase_whose_answer_cannot_be_used_is_asked_once_more() -> None:
    story = leave(settled(Depth.FULL), "no steps")
    assert story.next == work(phase=Phase.PLAN, attempt=2)

    assert leave(story).next == work(phase=Phase.IMPL)


def test_whoever_leaves_nothing_twice_stops_the_drive_until_somebody_runs_it_again() -> None:
    story = check(leave(leave(settled(Depth.FULL), "no steps"), "no files"))

    assert story.next == next_step.Stop(Reason.CIRCUMVENTION, "G001 iteration 1: A2 plan: no files")
    story.tell(happened.DriveEnded(Reason.CIRCUMVENTION))
    story.tell(happened.DriveBegan("rehearsal", Depth.FULL, Budget()))
    assert story.next == work(phase=Phase.PLAN)


def test_a_crash_is_no_answer() -> None:
    story = leave(settled(Depth.FULL), "no steps").work(ending=Ending.CRASH)

    assert story.next == work(phase=Phase.PLAN, attempt=3)


def test_work_is_judged_when_the_gate_has_seen_all_phases() -> None:
    story = settled(Depth.FULL)
    for phase in WORK:
        if phase is Phase.REFINE:
            assert isinstance(story.next, happened.PhaseSkipped)
            story.tell(story.next)
        else:
            leave(story, is_clear=phase is Phase.VERIFY)

    assert check(story).next == next_step.Judge("G001")
    assert story.judge("ff").line.gate is None


def test_one_session_for_two_phases_stops_the_drive() -> None:
    story = settled(Depth.FULL)
    for _ in WORK:
        story.work("tree1", session="one")

    assert stop(check(story)) is Reason.CIRCUMVENTION
