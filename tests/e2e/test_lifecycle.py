"""A plan from its brief to the last goal that can be settled without the gate.

Numbers are those of the scenarios the plan half was specified by; 23 needs the gate.
"""

from pathlib import Path

from tests.e2e.world import THREE_STORIES, World, plan_in
from tests.tables import for_each

BODIES = ("Ingest reviewer CSVs", "Map raw rows", "Emit an audit-ready report", "Shared brief")
TWO_STORIES = "@goal: First\nDo this.\n\n@goal: Second\nDo that."


def test_16_status_of_a_fresh_repository_is_missing_and_says_what_to_do(world: World) -> None:
    shown = world.run("status")

    assert shown.code == 0
    assert "next: goalkeeper create-goals --brief" in shown.out
    assert world.ok("status")["status"] == "missing"
    assert world.ok("status")["exists"] is False
    assert not world.state.exists()


def test_17_complete_goals_starts_a_goal_once_and_then_repeats_it(planned: World) -> None:
    first = planned.ok("complete-goals")
    second = planned.ok("complete-goals")

    assert first == second
    assert (first["goal_id"], first["goal_status"]) == ("G001", "active")
    assert first["next_action"] == "execute-goal"
    assert [event["data"] for event in planned.events("goal_started")] == [{"goal_id": "G001"}]
    assert planned.statuses() == {"G001": "active", "G002": "pending", "G003": "pending"}


def test_17_the_hand_off_is_all_an_agent_needs(planned: World) -> None:
    handoff = planned.ok("complete-goals")["handoff"]
    page = planned.run("complete-goals").out

    assert handoff["title"] == "Parse the intake CSVs"
    assert handoff["objective"].startswith("Ingest reviewer CSVs")
    assert '`code`, "quotes", or commands — no escaping needed.' in handoff["objective"]
    assert handoff["constraints"].startswith("Shared brief constraints")
    for words in (handoff["objective"], handoff["constraints"], *handoff["commands"]):
        assert words in page
    checkpoints = [line for line in handoff["commands"] if "checkpoint" in line]
    assert all("--goal-id G001" in line for line in checkpoints)
    assert len(checkpoints) == 3


def test_17_the_hand_off_shows_the_contract_and_what_the_goals_before_it_left(
    world: World,
) -> None:
    contract = "depends_on: [G001]\noutcomes: []"
    world.plan(f"@goal: A\na\n@goal: B\nb\n```contract\n{contract}\n```\n@goal: C\nc")
    world.start()
    world.checkpoint("G001", "blocked", "the parser lives in intake.py")
    steer = ("steer", "--kind", "mark_blocked_superseded", "--goal-id", "G001")
    world.ok(*steer, "--evidence", "the parser lives in intake.py", "--rationale", "was there")

    handoff = world.ok("complete-goals")["handoff"]
    page = world.run("complete-goals").out

    assert handoff["objective"] == "b"
    assert handoff["contract"] == contract
    assert handoff["predecessors"] == [
        {"goal_id": "G001", "evidence": "the parser lives in intake.py"}
    ]
    assert "outcomes: []" in page
    assert page.count("## Predecessor Output (G001)\nthe parser lives in intake.py\n") == 1


def test_17_a_goal_waits_for_the_goals_it_depends_on(world: World) -> None:
    world.plan("@goal: A\na\n```contract\ndepends_on: [G002]\n```\n@goal: B\nb")

    assert world.goals()["G001"]["why"] == "waits for G002"
    assert world.start() == "G002"


def test_18_a_blocked_plan_says_so_in_words_and_in_json(world: World) -> None:
    world.plan("Only this.")
    world.blocked()

    told = world.ok("complete-goals")
    page = world.run("complete-goals")

    assert told["next_action"] == "resolve-blockers"
    assert told["blocked_goal_ids"] == ["G001"]
    assert told["blocked_goals"] == [{"id": "G001", "status": "blocked", "evidence": "no access"}]
    assert "goal_id" not in told
    assert page.code == 0
    for words in ("G001", "blocked", "no access", *told["recovery_hints"]):
        assert words in page.out
    assert world.ok("status")["status"] == "blocked"


def test_18_blocked_goals_are_passed_over_but_not_forgotten(planned: World) -> None:
    planned.blocked()

    assert planned.start() == "G002"
    assert planned.statuses()["G001"] == "blocked"


def test_18_an_unblocked_goal_is_active_again(planned: World) -> None:
    goal_id = planned.blocked()

    planned.ok("unblock", "--goal-id", goal_id, "--evidence", "the server answers again")

    assert planned.statuses()[goal_id] == "active"
    assert planned.start() == goal_id


@for_each("status", ["pending", "active", "failed"])
def test_18_only_a_blocked_goal_can_be_unblocked(tmp_path: Path, status: str) -> None:
    planned = plan_in(tmp_path)
    if status != "pending":
        planned.start()
    if status == "failed":
        planned.checkpoint("G001", "failed")

    refused = planned.refused("unblock", "--goal-id", "G001", "--evidence", "it is fine now")

    assert refused == "goal-not-blocked"
    assert planned.statuses()["G001"] == status


def test_19_a_failed_goal_is_started_again_only_when_that_is_asked_for(world: World) -> None:
    world.plan("Only this.")
    world.start()
    world.checkpoint("G001", "failed", "3 tests fail")

    told = world.ok("complete-goals")
    assert told["next_action"] == "retry-failed"
    assert told["failed_goal_ids"] == ["G001"]
    assert "goal_id" not in told
    assert "goalkeeper complete-goals --retry-failed" in world.run("complete-goals").out

    again = world.ok("complete-goals", "--retry-failed")
    assert (again["goal_id"], again["goal_status"]) == ("G001", "active")
    assert again["handoff"]["attempt"] == 2
    assert len(world.events("goal_started")) == 2


def test_19_work_that_was_never_tried_comes_before_a_retry(planned: World) -> None:
    planned.start()
    planned.checkpoint("G001", "failed")

    assert planned.ok("complete-goals", "--retry-failed")["goal_id"] == "G002"


def test_20_an_unknown_status_is_an_error_and_changes_nothing(planned: World) -> None:
    planned.start()
    before = planned.bytes_of_state()

    answer = planned.run(
        "checkpoint", "--goal-id", "G001", "--status", "done", "--evidence", "x", "--json"
    )

    assert (answer.code, answer.reason) == (2, "usage")
    for status in ("complete", "failed", "blocked"):
        assert status in answer.err
    assert planned.bytes_of_state() == before


def test_21_a_goal_that_was_never_started_cannot_be_complete(planned: World) -> None:
    checkpoint = ("checkpoint", "--goal-id", "G002", "--status", "complete", "--evidence", "trust")

    assert planned.refused(*checkpoint) == "transition-not-allowed"
    assert planned.statuses()["G002"] == "pending"


@for_each("gate", [(), ("--quality-gate-json", '{"verdict":"APPROVE"}')])
def test_22_nothing_completes_without_the_gate(tmp_path: Path, gate: tuple[str, ...]) -> None:
    planned = plan_in(tmp_path)
    planned.start()
    checkpoint = ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done")

    assert planned.refused(*checkpoint, *gate) == "contract-missing"
    said = planned.run(*checkpoint, *gate)
    assert said.code == 1
    assert "refused (contract-missing)" in said.out
    assert "next: goalkeeper contract freeze --goal-id G001 --file contract.yaml" in said.out
    assert planned.statuses()["G001"] == "active"
    assert planned.events("goal_completed") == []


def test_22_an_agents_refused_attempts_stay_on_record(planned: World) -> None:
    planned.start()
    planned.run("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done")

    (refused,) = planned.events("command_refused")

    assert refused["actor"]["kind"] == "agent"
    assert refused["data"]["reason"] == "contract-missing"
    assert refused["data"]["goal_id"] == "G001"


@for_each("status", ["blocked", "failed"])
def test_24_the_same_checkpoint_twice_is_one_event(tmp_path: Path, status: str) -> None:
    planned = plan_in(tmp_path)
    planned.start()
    first = planned.checkpoint("G001", status, "no access")
    before = planned.bytes_of_state()

    second = planned.checkpoint("G001", status, "no access")

    assert (first["repeated"], second["repeated"]) == (False, True)
    assert len(planned.events("goal_checkpointed")) == 1
    assert planned.bytes_of_state() == before


def test_24_other_evidence_is_not_a_repeat(planned: World) -> None:
    planned.blocked()

    refused = planned.refused(
        "checkpoint", "--goal-id", "G001", "--status", "blocked", "--evidence", "a new story"
    )

    assert refused == "transition-not-allowed"
    assert planned.goals()["G001"]["evidence"] == "no access"


def test_25_no_session_is_needed_and_help_needs_nothing_at_all(tmp_path: Path) -> None:
    bare = World(tmp_path, git=False)
    bare.plan_without_base("Only this.")

    assert bare.start() == "G001"
    assert bare.run("checkpoint", "--help").code == 0


def test_26_a_plan_is_not_visible_from_another_repository(planned: World, tmp_path: Path) -> None:
    other = World(tmp_path / "other")

    answer = other.run("complete-goals", "--json")

    assert (answer.code, answer.reason) == (2, "no-plan")
    assert answer.hint.startswith("goalkeeper create-goals")
    assert planned.statuses()["G001"] == "pending"


def test_26_a_repository_inside_another_has_plans_of_its_own(planned: World) -> None:
    inner = planned.root / "vendor"
    inner.mkdir()
    planned.git("init", "--quiet", cwd=inner)

    assert planned.ok("status", cwd=inner)["exists"] is False


def test_27_answers_of_changes_hold_no_bodies_of_the_plan(planned: World) -> None:
    reasons = ("--evidence", "seen", "--rationale", "so that")
    planned.start()
    answers = [
        planned.run(*words, "--json").out
        for words in (
            ("checkpoint", "--goal-id", "G001", "--status", "failed", "--evidence", "seen"),
            ("steer", "--kind", "annotate_ledger", *reasons),
            ("steer", "--kind", "reorder_pending", "--order-json", '["G003","G002"]', *reasons),
            ("classify-blocker", "--classification", "resolvable", "--evidence", "seen"),
            ("goal", "create"),
            ("state", "handoff", "--to", "planning"),
            ("ledger", "verify"),
        )
    ]
    created = World(planned.root / "elsewhere").run(
        "create-goals", "--brief", THREE_STORIES, "--json"
    )

    for answer in (*answers, created.out):
        assert '"ok":true' in answer
        assert not [body for body in BODIES if body in answer]


def test_28_looking_never_changes_a_byte(planned: World) -> None:
    planned.blocked(human=True)
    before = planned.bytes_of_state()

    for words in (
        ("status",), ("status", "--json"), ("goal", "get"), ("guard", "ask"), ("guard", "pause"),
        ("ledger", "verify"), ("ledger", "show"), ("ledger", "export"), ("state", "doctor"),
    ):  # fmt: skip
        planned.run(*words)

    assert planned.bytes_of_state() == before


def test_28_looking_does_not_rebuild_what_is_missing(planned: World) -> None:
    (goals,) = planned.state.glob("runs/*/goals.json")
    goals.unlink()
    before = planned.bytes_of_state()

    assert planned.statuses() == {"G001": "pending", "G002": "pending", "G003": "pending"}
    assert planned.bytes_of_state() == before


def test_29_a_projection_that_cannot_be_written_costs_a_warning_not_the_command(
    planned: World,
) -> None:
    (goals,) = planned.state.glob("runs/*/goals.json")
    goals.unlink()
    goals.mkdir()  # cannot be replaced by a file, not even by root

    answer = planned.run("complete-goals", "--json")

    assert answer.code == 0
    assert answer.json["goal_id"] == "G001"
    assert "warning" in answer.err
    assert "goalkeeper state repair" in answer.err
    assert len(planned.events("goal_started")) == 1
    assert planned.statuses()["G001"] == "active"


def test_a_new_plan_does_not_replace_a_live_one(planned: World) -> None:
    before = planned.bytes_of_state()

    assert planned.refused("create-goals", "--brief", "Something else.") == "plan-is-live"
    assert planned.bytes_of_state() == before


def test_archiving_keeps_the_old_plan_with_the_reason(planned: World) -> None:
    old = planned.ok("status")["run_id"]

    made = planned.ok("create-goals", "--brief", "Something else.", "--archive", "wrong brief")

    kept = Path(made["archived"])
    assert kept == planned.state / "archive" / old
    assert "wrong brief" in (kept / "ledger.jsonl").read_text().splitlines()[-1]
    assert (kept / "brief.md").read_text() == THREE_STORIES
    assert planned.ok("status")["run_id"] == made["run_id"] != old
    assert planned.events("plan_created")[0]["data"]["replaces"] == old


def test_the_seeds_three_stories_live_through_everything_short_of_completion(
    world: World,
) -> None:
    made = world.ok("create-goals", "--brief", THREE_STORIES)
    assert (made["goals_count"], made["goal_ids"]) == (3, ["G001", "G002", "G003"])
    assert world.ok("goal", "create")["goal"]["status"] == "active"

    assert world.start() == "G001"
    world.checkpoint("G001", "failed", "the watch dir is empty")
    assert world.start() == "G002"
    world.checkpoint("G002", "blocked", "no schema yet")
    assert world.start() == "G003"
    review = ("record-review-blockers", "--goal-id", "G003", "--title", "Settle findings")
    blocker = world.ok(*review, "--objective", "Handle empty files", "--evidence", "crash")
    assert blocker["goal_id"] == "G004"
    assert world.statuses()["G003"] == "review_blocked"
    assert world.start() == "G004"
    world.checkpoint("G004", "blocked", "needs the production key")
    classify = ("classify-blocker", "--classification", "human_blocked")
    world.ok(*classify, "--evidence", "needs the production key")
    assert world.ok("goal", "pause")["goal"]["status"] == "paused"

    assert world.ok("goal", "resume")["goal"]["status"] == "active"
    world.ok("unblock", "--goal-id", "G002", "--evidence", "the schema came")
    world.checkpoint("G002", "failed", "dedupe is wrong")
    assert world.ok("complete-goals")["next_action"] == "retry-failed"
    assert world.ok("complete-goals", "--retry-failed")["handoff"]["attempt"] == 2
    assert world.ok("goal", "drop")["goal"]["status"] == "dropped"
    world.ok("state", "handoff", "--to", "planning")
    assert world.ok("status")["status"] == "handoff"

    assert world.ok("ledger", "verify")["entries"] == len(world.events())
    assert world.events("goal_completed") == []
    cleared = world.ok("state", "clear", "--force", "--mode", "ultragoal")
    assert Path(cleared["archived"], "ledger.jsonl").is_file()
    assert world.ok("status")["exists"] is False


def test_15_the_answer_counts_goals_like_a_person(world: World) -> None:
    assert "with 1 goal." in world.run("create-goals", "--brief", "Only this.").out
    made = world.run("create-goals", "--brief", TWO_STORIES, "--archive")
    assert "with 2 goals." in made.out


def test_per_story_plans_hold_the_active_goals_own_objective(world: World) -> None:
    world.plan(TWO_STORIES, "--goal-mode", "per-story")

    assert world.refused("goal", "create") == "no-active-goal"
    world.start()
    assert world.ok("goal", "create")["goal"]["objective"] == "Do this."
    assert world.ok("status")["goal_mode"] == "per-story"
