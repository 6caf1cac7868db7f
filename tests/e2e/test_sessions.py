"""Whose run it is, and who is asking."""

import os
from pathlib import Path

from goalkeeper.wire.canonical import digest
from tests.e2e.world import World, plan_in
from tests.tables import for_each

ANNA = {"CLAUDE_CODE_SESSION_ID": "anna"}
BERT = {"CLAUDE_CODE_SESSION_ID": "bert"}
SESSION_NAMES = (
    "GOALKEEPER_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_THREAD_ID",
    "CODEX_SESSION_ID",
    "GEMINI_SESSION_ID",
    "OPENCODE_SESSION_ID",
)
APPROVAL = "GOALKEEPER_APPROVAL"
NOTE = ("steer", "--kind", "annotate_ledger", "--evidence", "seen", "--rationale", "so that")


def run_seen(world: World, *flags: str, env: dict[str, str] | None = None) -> str:
    run_id: str = world.ok("status", *flags, env=env)["run_id"]
    return run_id


# Which run


@for_each("name", SESSION_NAMES)
def test_each_session_of_a_client_finds_its_own_run(tmp_path: Path, name: str) -> None:
    world = World(tmp_path)
    first = world.plan("One.", env={name: "1"})
    second = world.plan("Two.", env={name: "2"})

    assert first != second
    assert run_seen(world, env={name: "1"}) == first
    assert run_seen(world, env={name: "2"}) == second


def test_the_same_session_id_of_another_client_is_another_session(world: World) -> None:
    world.plan("One.", env={"CLAUDE_CODE_SESSION_ID": "1"})

    answer = world.run("complete-goals", "--json", env={"CODEX_THREAD_ID": "1"})

    assert (answer.code, answer.reason) == (2, "run-bound-elsewhere")


@for_each(
    "words",
    [
        ("complete-goals",),
        ("checkpoint", "--goal-id", "G001", "--status", "failed", "--evidence", "x"),
        NOTE,
        ("goal", "create"),
        ("classify-blocker", "--classification", "resolvable", "--evidence", "x"),
        ("state", "handoff", "--to", "planning"),
        ("state", "clear", "--force", "--mode", "ultragoal"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_session_never_changes_anothers_run_by_accident(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    world = World(tmp_path)
    anna = world.plan("One.", env=ANNA)
    before = world.bytes_of_state()

    answer = world.run(*words, "--json", env=BERT)

    assert (answer.code, answer.reason) == (2, "run-bound-elsewhere")
    assert f"--run {anna}" in answer.hint
    assert world.bytes_of_state() == before


def test_a_session_does_not_clear_anothers_broken_run_by_accident(world: World) -> None:
    anna = world.plan("One.", env=ANNA)
    with (world.state / "runs" / anna / "ledger.jsonl").open("a") as ledger:
        ledger.write("{")

    world.run("state", "clear", "--force", "--mode", "ultragoal", env=BERT)

    assert (world.state / "runs" / anna).is_dir()


def test_a_run_that_is_named_is_shared_on_purpose(world: World) -> None:
    anna = world.plan("One.", env=ANNA)

    world.ok(*NOTE, "--run", anna, env=BERT)
    world.ok("--run", anna, *NOTE, "--key", "2", env=BERT)
    world.ok(*NOTE, "--key", "3", env={**BERT, "GOALKEEPER_RUN": anna})

    who = [event["actor"]["session"] for event in world.events("steering_accepted")]
    assert who == ["CLAUDE_CODE_SESSION_ID=bert"] * 3


def test_anothers_live_plan_is_not_in_the_way_of_a_new_one(world: World) -> None:
    anna = world.plan("One.", env=ANNA)
    bert = world.plan("Two.", "--archive", "mine", env=BERT)

    assert {path.name for path in (world.state / "runs").glob("2*")} == {anna, bert}


def test_a_caller_without_a_session_does_not_archive_anothers_run(world: World) -> None:
    anna = world.plan("One.", env=ANNA)

    world.run("create-goals", "--brief", "Two.", "--archive", "mine")

    assert (world.state / "runs" / anna).is_dir()


def test_78_a_sessions_own_run_closes_its_questions(world: World) -> None:
    world.plan("One.", env=ANNA)

    mine = world.run("guard", "ask", "--json", env=ANNA)

    assert (mine.code, mine.reason) == (1, "questions-closed")


def test_78_a_session_without_a_run_may_ask(world: World) -> None:
    world.plan("One.", env=ANNA)

    assert world.run("guard", "ask", env=BERT).code == 0


def test_the_flag_beats_the_environment_which_beats_the_session(world: World) -> None:
    anna, bert, third = (
        world.plan("One.", env=ANNA),
        world.plan("Two.", env=BERT),
        world.plan("Three.", env={"CLAUDE_CODE_SESSION_ID": "third"}),
    )

    assert run_seen(world, env=ANNA) == anna
    assert run_seen(world, env={**ANNA, "GOALKEEPER_RUN": bert}) == bert
    assert run_seen(world, "--run", third, env={**ANNA, "GOALKEEPER_RUN": bert}) == third


def test_a_human_without_a_session_means_the_current_run(world: World) -> None:
    human = approval(world)
    first = world.plan("One.", env=ANNA)
    second = world.plan("Two.", env=BERT)
    assert run_seen(world, env=human) == first, "a session does not move it off another's run"

    (world.state / "current").write_text(second)
    assert run_seen(world, env=human) == second

    (world.state / "current").write_text("20200101-000000-0000")  # points at nothing
    assert run_seen(world, env=human) == second


def test_an_agent_without_a_session_must_name_a_run_that_has_an_owner(world: World) -> None:
    world.plan("One.", env=ANNA)

    assert world.ok("status")["exists"] is False
    assert world.run(*NOTE, "--json").reason == "run-bound-elsewhere"


def test_a_pointer_cannot_lead_out_of_the_runs(world: World) -> None:
    run_id = world.plan("One.")

    (world.state / "current").write_text("../../..")

    assert run_seen(world) == run_id


def test_after_its_run_is_cleared_a_session_has_none(world: World) -> None:
    world.plan("One.", env=ANNA)

    world.ok("state", "clear", "--force", "--mode", "ultragoal", env=ANNA)

    assert world.ok("status", env=ANNA)["exists"] is False


# Where


def test_a_linked_worktree_shares_the_state_of_the_main_one(planned: World, tmp_path: Path) -> None:
    linked = linked_worktree(planned, tmp_path)

    started = planned.ok("complete-goals", cwd=linked)

    assert started["goal_id"] == "G001"
    assert planned.ok("status", cwd=linked)["root"] == str(planned.root)
    assert planned.statuses()["G001"] == "active"
    assert not (linked / ".goalkeeper").exists()


def test_a_brief_may_lie_in_a_linked_worktree(world: World, tmp_path: Path) -> None:
    linked = linked_worktree(world, tmp_path)
    (linked / "brief.md").write_text("Only this.\n")

    assert world.ok("create-goals", "--brief-file", "brief.md", cwd=linked)["goals_count"] == 1


def linked_worktree(world: World, place: Path) -> Path:
    world.git("commit", "--quiet", "--allow-empty", "--message", "a beginning")
    world.git("worktree", "add", "--quiet", place / "linked")
    return place / "linked"


def test_it_works_outside_of_git(tmp_path: Path) -> None:
    world = World(tmp_path, git=False)
    deep = world.root / "a" / "b"
    deep.mkdir(parents=True)
    world.plan_without_base("One.")

    assert world.ok("complete-goals", cwd=deep)["goal_id"] == "G001"
    assert not (deep / ".goalkeeper").exists()


def test_a_sub_directory_sees_the_plan_of_the_repository(planned: World) -> None:
    deep = planned.root / "src" / "deep"
    deep.mkdir(parents=True)

    assert planned.ok("status", cwd=deep)["root"] == str(planned.root)
    assert planned.ok("create-goals", "--brief", "x", "--archive", "why", cwd=deep)["ok"] is True
    assert not (deep / ".goalkeeper").exists()


# Who


def actor(world: World) -> tuple[str, str]:
    who = world.events()[-1]["actor"]
    return who["kind"], who["how"]


def test_without_a_terminal_an_agent_is_assumed(planned: World) -> None:
    planned.ok(*NOTE)

    assert actor(planned) == ("agent", "no terminal")


def test_a_terminal_makes_a_human(planned: World) -> None:
    assert planned.on_terminal(*NOTE).code == 0

    assert actor(planned) == ("human", "terminal")


@for_each("marker", ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE", "GOALKEEPER_AGENT"])
def test_an_agents_marker_beats_the_terminal(tmp_path: Path, marker: str) -> None:
    planned = plan_in(tmp_path)
    assert planned.on_terminal(*NOTE, env={marker: "1"}).code == 0

    assert actor(planned) == ("agent", f"environment: {marker}")


@for_each("own", ["CODEX_HOME", "GEMINI_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"])
def test_what_people_export_in_their_shells_makes_no_agent(tmp_path: Path, own: str) -> None:
    planned = plan_in(tmp_path)
    assert planned.on_terminal(*NOTE, env={own: "1"}).code == 0

    assert actor(planned) == ("human", "terminal")


def approval(world: World) -> dict[str, str]:
    path = world.ok("init", "--yes")["approval_key_path"]
    assert os.stat(path).st_mode & 0o077 == 0
    return {APPROVAL: Path(path).read_text().strip()}


def test_the_approval_key_makes_a_human_without_a_terminal(planned: World) -> None:
    key = approval(planned)

    planned.ok(*NOTE, env=key)

    assert actor(planned) == ("human", f"approval key {digest(key[APPROVAL])[:8]}")


@for_each("guess", ["", " ", "x", "0" * 64])
def test_a_wrong_key_makes_nobody(tmp_path: Path, guess: str) -> None:
    planned = plan_in(tmp_path)
    approval(planned)

    planned.ok(*NOTE, env={"GOALKEEPER_APPROVAL": guess})

    assert actor(planned) == ("agent", "no terminal")


def test_a_key_is_worth_nothing_where_none_was_made(planned: World) -> None:
    planned.ok(*NOTE, env={"GOALKEEPER_APPROVAL": ""})
    assert actor(planned) == ("agent", "no terminal")

    planned.ok(*NOTE, "--key", "2", env={"GOALKEEPER_APPROVAL": "anything"})
    assert actor(planned) == ("agent", "no terminal")


def test_an_agents_marker_beats_the_approval_key(planned: World) -> None:
    planned.ok(*NOTE, env={**approval(planned), "CLAUDECODE": "1"})

    assert actor(planned) == ("agent", "environment: CLAUDECODE")


RELEASES = [
    ("unblock", "--goal-id", "G001", "--evidence", "got the key"),
    (
        "steer", "--kind", "mark_blocked_superseded", "--goal-id", "G001",
        "--evidence", "not needed", "--rationale", "decided",
    ),
]  # fmt: skip


@for_each("release", RELEASES, ids=lambda words: words[0])
def test_what_waits_for_a_human_is_not_released_by_an_agent(
    tmp_path: Path, release: tuple[str, ...]
) -> None:
    planned = plan_in(tmp_path)
    planned.blocked(human=True)

    refused = planned.run(*release, "--json", env={"CLAUDECODE": "1"})

    assert (refused.code, refused.reason) == (1, "human-only")
    assert refused.json["error"]["facts"]["decided_by"] == "environment: CLAUDECODE"
    assert refused.hint.endswith("this call counts as agent (environment: CLAUDECODE)")
    assert planned.statuses()["G001"] == "blocked"


@for_each("release", RELEASES, ids=lambda words: words[0])
def test_what_waits_for_a_human_is_released_by_a_human(
    tmp_path: Path, release: tuple[str, ...]
) -> None:
    planned = plan_in(tmp_path)
    planned.blocked(human=True)

    assert planned.on_terminal(*release).code == 0
    assert planned.statuses()["G001"] in {"active", "superseded"}


def test_an_agent_cannot_talk_a_goal_out_of_waiting_for_a_human(planned: World) -> None:
    planned.blocked(human=True)

    planned.run(
        "classify-blocker", "--classification", "resolvable", "--goal-id", "G001",
        "--evidence", "I found a way",
    )  # fmt: skip
    planned.run(*RELEASES[0])

    assert planned.statuses()["G001"] == "blocked"


def test_a_resolvable_blocker_is_released_by_an_agent(planned: World) -> None:
    planned.blocked()

    planned.ok(*RELEASES[0], env={"CLAUDECODE": "1"})

    assert planned.statuses()["G001"] == "active"


def test_refusals_of_humans_are_not_held_against_them(planned: World) -> None:
    answer = planned.on_terminal("unblock", "--goal-id", "G001", "--evidence", "x")

    assert answer.code == 1
    assert planned.events("command_refused") == []
