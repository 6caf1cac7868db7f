"""What may be recorded of a verification, and by whom."""

from goalkeeper.core.drive import events as drives
from goalkeeper.core.drive.phases import Depth, Phase
from goalkeeper.core.drive.state import Budget, LineOfWork, Running
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.events import QuestionsAnswered, StepVerified
from goalkeeper.core.plan.model import ENGINE, Answered, GoalStatus, is_outrun
from tests.tables import for_each
from tests.unit.core.helpers import AGENT, HUMAN, goal_of, judgement_of, proven, start
from tests.unit.core.stories import worktree_of
from tests.unit.core.verifications import Story, asked, hypothesis, questions, read, recurring

BOTH = questions("- {id: C2, text: it looks right, check: {manual: look at it}}\n")
SHARED = questions("participants: [agent, user]\noutcomes_agent_leg: [a draft]\n")
STEPS = ("q1", "q1_5", "q2", "q3")


def begun(text: str = BOTH) -> Story:
    story = Story(asked(text), "two").freeze()
    story.must(start())
    return story


def digest(text: str = BOTH) -> str:
    return read(text).digest


def step(name: str, inputs: str = "i", text: str = BOTH) -> commands.RecordStep:
    return commands.RecordStep("G001", digest(text), name, inputs, f"{name} note")


def answers(
    *steps: str, text: str = BOTH, inputs: str = "i", tree: str = "tree1"
) -> commands.RecordAnswers:
    told = tuple((name, inputs) for name in steps or STEPS)
    return commands.RecordAnswers("G001", digest(text), tree, ("C1",), told, "doc", "answered")


def confirm(criterion: str = "C2", tree: str = "tree1") -> commands.ConfirmCriterion:
    return commands.ConfirmCriterion("G001", criterion, digest(), tree, "I looked")


def passed(story: Story, *steps: str, text: str = BOTH) -> Story:
    for name in steps or STEPS:
        story.must(step(name, text=text))
    return story


def test_T47_a_step_is_kept_beside_the_others_and_once() -> None:
    story = passed(begun(), "q1", "q2")

    assert [each.step for each in story.plan.goals[0].steps] == ["q1", "q2"]
    assert story.must(step("q1")).events == ()
    (event,) = story.must(step("q1", "other inputs")).events
    assert event == StepVerified("G001", "q1", "other inputs", "q1 note")
    assert [each.step for each in story.plan.goals[0].steps] == ["q2", "q1"]


def test_questions_are_answered_when_every_step_has_passed_for_what_was_answered() -> None:
    story = passed(begun())

    (event,) = story.must(answers()).events

    assert isinstance(event, QuestionsAnswered)
    expected = Answered("C1", "tree1", digest(), "answered", "doc")
    assert goal_of(story.plan, "G001").answers == (expected,)


@for_each("missing", STEPS)
def test_T24_a_step_that_is_missing_or_passed_for_other_inputs_answers_nothing(
    missing: str,
) -> None:
    story = passed(begun(), *(name for name in STEPS if name != missing))
    assert story.no(answers()).facts == {"steps": [missing]}

    story.must(step(missing, "other inputs"))
    assert story.no(answers()).reason == "steps-missing"


def test_T55_the_same_answers_told_twice_are_one_event() -> None:
    story = passed(begun())
    story.must(answers())

    assert story.must(answers()).events == ()
    assert len(story.must(answers(tree="tree2")).events) == 1
    assert [each.tree for each in story.plan.goals[0].answers] == ["tree2"]


def test_answers_settle_questions_and_nothing_else() -> None:
    story = passed(begun())

    for criteria in (("C2",), ("C1", "C2"), ("C9",), ()):
        refused = story.no(answers().replace(criteria=criteria))
        assert (refused.reason, refused.facts["known"]) == ("criterion-not-fit", ["C1"])


def test_a_human_confirms_what_is_for_people_and_no_agent_does() -> None:
    story = begun()

    assert story.no(confirm(), actor=AGENT).reason == "confirmation-needs-human"
    assert story.no(confirm(), actor=ENGINE).reason == "confirmation-needs-human"
    assert story.no(confirm("C1"), actor=HUMAN).reason == "criterion-not-fit"
    (event,) = story.must(confirm(), actor=HUMAN).events

    told = "a human confirmed it: I looked"
    assert event == QuestionsAnswered("G001", ("C2",), "tree1", digest(), told)
    assert story.must(confirm(), actor=HUMAN).events == ()
    assert len(story.must(confirm(tree="tree2"), actor=HUMAN).events) == 1


def test_what_is_over_or_has_another_contract_is_not_verified() -> None:
    story = begun()
    other = step("q1").replace(contract="another")
    assert story.no(other).reason == "contract-changed"

    frozen = goal_of(story.plan, "G001").frozen
    assert frozen is not None
    story.must(proven("G001", judgement_of("pp", frozen=frozen)))
    for command in (step("q1"), answers(), confirm()):
        assert story.no(command, actor=HUMAN).reason == "goal-is-over"
    assert Story("one").no(step("q1")).reason == "contract-missing"
    assert story.no(step("q1").replace(goal_id="G009")).reason == "unknown-goal"


def test_an_amended_contract_voids_steps_and_answers() -> None:
    story = passed(begun())
    story.must(answers())
    other = begun(questions()).plan.goals[0].frozen
    assert other is not None

    story.must(commands.AmendContract("G001", other, "less"), actor=HUMAN)

    (first, _) = story.plan.goals
    assert (first.steps, first.answers) == ((), ())


def test_T26_the_agents_leg_alone_is_enough_where_the_contract_has_one() -> None:
    story = passed(begun(SHARED), "agent_leg", text=SHARED)
    assert len(story.must(answers("agent_leg", text=SHARED)).events) == 1

    without = passed(begun(), "agent_leg")
    assert without.no(answers("agent_leg")).reason == "steps-missing"


def test_T25_a_hypothesis_is_answered_by_its_artifact_alone() -> None:
    text = hypothesis()
    story = passed(begun(text), "q1", text=text)
    told = answers("q1", text=text)

    assert story.no(told).reason == "result-missing"
    assert len(story.must(told.replace(result="CONFIRMED")).events) == 1


def test_T25_a_hypothesis_that_recurs_stays_pending_and_its_cycles_count() -> None:
    text = hypothesis() + "recurring: {interval_hours: 4}\n"
    story = Story(asked(text)).freeze()

    story.achieve(0)

    (goal,) = story.plan.goals
    assert goal.status is GoalStatus.PENDING
    assert goal.streak is not None
    assert goal.streak.count == 1


def test_T22_a_checklist_may_be_left_out_on_grounds_that_the_record_bears_out() -> None:
    text = questions("recurring: {interval_hours: 4}\n")
    story = begun(text)
    told = answers("q1", "q2", "q3", text=text).replace(abbreviated="outcome routine")
    passed(story, "q1", "q2", "q3", text=text)
    assert story.no(told).reason == "abbreviation-untrue"

    frozen = goal_of(story.plan, "G001").frozen
    assert frozen is not None
    story.must(proven("G001", judgement_of("p", frozen=frozen)))
    passed(story, "q1", "q2", "q3", text=text)

    assert len(story.must(told).events) == 1


def test_a_cycle_leaves_no_answers_for_the_next() -> None:
    text = questions("recurring: {interval_hours: 4}\n")
    story = passed(begun(text), text=text)
    story.must(answers(text=text))
    frozen = goal_of(story.plan, "G001").frozen
    assert frozen is not None

    story.must(proven("G001", judgement_of("p", frozen=frozen)))

    assert story.no(answers(text=text)).reason == "steps-missing"


def test_an_agent_at_work_may_answer_for_its_own_goal_and_for_no_other() -> None:
    story = passed(begun())
    running = Running("G001", 1, Phase.IMPL, 1, "marker", "tree0")
    for event in (
        drives.DriveBegan("rehearsal", Depth.QUICK, Budget()),
        drives.WorktreeMade(worktree_of("G001"), "tree0"),
        drives.PhaseBegan(running, "rehearsal", "prompt"),
    ):
        story.must(commands.Advance(event), actor=ENGINE)

    assert len(story.must(step("q1", "more")).events) == 1
    assert story.no(step("q1").replace(goal_id="G002")).reason == "driven"
    assert story.no(commands.Expire("G001")).reason == "driven"


def line_of(story: Story) -> LineOfWork:
    line = story.plan.drive.line("G001") if story.plan.drive else None
    assert line
    return line


def test_a_drive_judges_a_tree_again_when_questions_about_it_were_answered() -> None:
    story = passed(begun())
    for event in (
        drives.DriveBegan("rehearsal", Depth.QUICK, Budget()),
        drives.WorktreeMade(worktree_of("G001"), "tree1"),
    ):
        story.must(commands.Advance(event), actor=ENGINE)
    frozen = goal_of(story.plan, "G001").frozen
    assert frozen is not None
    judged = judgement_of("uu", frozen=frozen)
    story.must(commands.RecordJudgement("G001", judged, 5), actor=ENGINE)
    assert line_of(story).judged_tree == "tree1"

    story.must(answers())

    line = line_of(story)
    assert (line.judged_tree, line.missing_phases(Depth.QUICK)) == ("", ())


def test_an_outdated_base_of_a_recurring_goal_is_where_its_last_cycle_ended() -> None:
    story = Story(asked(recurring(interval_hours=4))).freeze()
    assert not is_outrun(story.plan, story.plan.goals[0])

    story.achieve(0)
    (goal,) = story.plan.goals
    assert is_outrun(story.plan, goal)
    assert goal.frozen is not None
    assert story.plan.base is not None
    moved = goal.frozen.replace(base=story.plan.base)
    story.must(commands.FreezeContract("G001", moved))

    (after,) = story.plan.goals
    assert not is_outrun(story.plan, after)
    assert after.streak == goal.streak
