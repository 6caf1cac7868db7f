"""How gates of this kind were talked round before, by number: here they refuse, or recover.

T1 to T15 are about trust, D1 to D9 about dead ends.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.project import MENDED, Project, contract, rules, story
from tests.e2e.receipts import CHECKOUT, REASONS, begun, certified, states
from tests.e2e.strict import PRODUCT, Strict, answer, shows
from tests.e2e.world import Answer, World
from tests.unit.core.lane_answers import ARCHITECT, CRITIC, replay, spoiled

ITERATION = {
    "status": "passed",
    "evidence": "the cleaner found nothing; all of it again",
    "fullRerun": True,
    "rerunCommands": ["sh show.sh"],
    "blockers": [],
}
GATE = {"architectReview": ARCHITECT, "executorQa": shows(), "iteration": ITERATION}
REVIEW = (
    "record-review-blockers",
    "--goal-id",
    "G001",
    "--objective",
    "Mend it",
    "--evidence",
    "x",
)
HUMAN_BLOCKED = ("classify-blocker", "--classification", "human_blocked", "--evidence", "no key")
SUPERSEDE = ("steer", "--kind", "mark_blocked_superseded", *REASONS, "--goal-id")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Strict:
    """Work that is done, in a plan with the strict gate; what is handed in is refused."""
    return Strict(tmp_path_factory.mktemp("desk")).worked()


def handed_in(desk: Strict, gate: object, *words: str) -> Answer:
    asked = words or ("quality-gate", "validate", "--goal-id", "G001")
    return desk.run(*asked, "--quality-gate-json", json.dumps(gate), "--json")


def codes(answer: Answer) -> set[str]:
    assert answer.code == 1, answer
    return {found["code"] for found in answer.json["diagnostics"]}


def completing(goal: str = "G001") -> tuple[str, ...]:
    return ("checkpoint", "--goal-id", goal, "--status", "complete", "--evidence", "done")


# Trust


def test_T1_a_gate_that_says_x_everywhere_opens_nothing(desk: Strict) -> None:
    refused = handed_in(desk, said_x(GATE), *completing())

    assert refused.reason == "gate-closed"
    assert len(refused.json["error"]["facts"]["diagnostics"]) > 10


def said_x(value: Any) -> Any:  # noqa: ANN401  JSON
    if isinstance(value, dict):
        return {name: said_x(item) for name, item in value.items()}
    if isinstance(value, list):
        return [said_x(item) for item in value]
    return "x" if isinstance(value, str) else value


def test_T1_a_gate_that_reads_well_is_not_believed_either(desk: Strict) -> None:
    lies = spoiled(GATE, "executorQa.artifactRefs.0.replay.recordedStdout", "all is well\n")

    assert "replay-differs" in codes(handed_in(desk, lies))


@pytest.mark.parametrize("mode", ["aggregate", "per-story"])
def test_T2_no_story_is_deferred_in_any_mode(tmp_path: Path, mode: str) -> None:
    strict = Strict(tmp_path)
    brief = story("One", contract()) + story("Two", contract())
    strict.ok("create-goals", "--gate", "strict", "--goal-mode", mode, "--brief", brief)
    strict.start()
    strict.write(MENDED)

    assert handed_in(strict, {}, *completing()).reason == "gate-closed"
    deferred = handed_in(strict, {"deferredToBatch": {"batchId": "later"}}, *completing())
    assert "unknown field 'deferredToBatch'" in json.dumps(deferred.json)
    assert strict.statuses() == {"G001": "active", "G002": "pending"}


def test_T3_no_checkpoint_drops_a_goal(planned: World) -> None:
    planned.start()
    words = ("checkpoint", "--goal-id", "G001", "--status", "superseded", "--evidence", "x")

    assert planned.run(*words, "--json").code == 2
    assert planned.statuses()["G001"] == "active"


def test_T4_a_settled_blocker_reopens_the_goal_and_does_not_replace_it(planned: World) -> None:
    planned.start()
    blocker = planned.ok(*REVIEW)["goal_id"]
    planned.start()
    planned.checkpoint(blocker, "blocked")

    planned.ok(*SUPERSEDE, blocker)

    assert planned.statuses()["G001"] == "active"


def test_T5_a_new_plan_does_not_replace_a_live_one(planned: World) -> None:
    before = planned.bytes_of_state()

    assert planned.refused("create-goals", "--brief", "Something else.") == "plan-is-live"
    assert planned.bytes_of_state() == before


def test_T6_a_changed_source_or_artifact_outdates_the_receipt(tmp_path: Path) -> None:
    strict = Strict(tmp_path).worked()
    strict.write({"proof.json": json.dumps(replay("sh", "show.sh", prints="fixed\n"))})
    gate = spoiled(GATE, "executorQa.artifactRefs.0.replay", None)
    gate = spoiled(gate, "executorQa.artifactRefs.0.path", "proof.json")
    strict.commit("done")
    assert handed_in(strict, gate, *completing()).code == 0
    assert strict.run("receipt", "verify").code == 0

    for changed in ("product.txt", "proof.json"):
        strict.write({changed: (strict.root / changed).read_text() + "\n"})
        strict.commit("one byte")
        assert strict.run("receipt", "verify").code == 1
        strict.git("reset", "--quiet", "--hard", "HEAD~1")


def test_T7_a_critic_that_rejects_closes_the_gate_whatever_is_handed_in(desk: Strict) -> None:
    rejects = answer({**CRITIC, "verdict": "REJECT", "blockers": ["half of it"]})
    desk.look([rejects], "--role", "critic")

    assert "lane-objects" in codes(handed_in(desk, GATE))
    assert handed_in(desk, GATE, *completing()).reason == "gate-closed"
    for invented in ("record-critic-gate-override", "record-critic-verdict"):
        assert desk.run(invented, "--evidence", "I know better", "--json").reason == "usage"


def test_T8_an_agent_pauses_only_what_it_hands_to_a_human(planned: World) -> None:
    agent = {"CLAUDECODE": "1"}
    planned.start()
    (planned.state / "config.toml").write_text("version = 1\n[guards]\nnudge_budget = 0\n")
    assert planned.refused("guard", "pause", env=agent) == "blocker-not-classified"
    (planned.state / "config.toml").unlink()

    planned.checkpoint("G001", "blocked")
    planned.ok(*HUMAN_BLOCKED, "--goal-id", "G001", env=agent)

    planned.ok("guard", "pause", env=agent)
    unblock = ("unblock", "--goal-id", "G001", "--evidence", "never mind")
    assert planned.refused(*unblock, env=agent) == "human-only"


def test_T9_a_forged_line_breaks_the_chain_and_a_forged_plan_is_not_read(planned: World) -> None:
    planned.start()
    (goals,) = planned.state.glob("runs/*/goals.json")
    goals.write_text(goals.read_text().replace('"active"', '"complete"'))
    assert planned.statuses()["G001"] == "active"

    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    first, *others = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join([first.replace("Normalize", "Normalise"), *others]))

    broken = planned.run("ledger", "verify", "--json")
    assert (broken.code, broken.reason) == (4, "ledger-broken")


def test_T10_a_template_approves_nothing_and_is_written_over_nothing(desk: Strict) -> None:
    init = ("quality-gate", "init", "--goal-id", "G001")
    template = json.loads(desk.run(*init).out)

    assert {"wrong-value", "row-not-passed"} <= codes(handed_in(desk, template))
    (goals,) = desk.state.glob("runs/*/goals.json")
    for out in (goals, goals.with_name("new.json"), "show.sh", "../gate.json", "/tmp/gate.json"):
        refused = desk.run(*init, "--out", str(out), "--json")
        assert refused.code == 2, (out, refused)
    assert desk.ok("ledger", "verify")["ok"]


@pytest.mark.parametrize("command", [["echo", "fixed"], ["python3", "-c", "print('fixed')"]])
def test_T11_what_is_replayed_is_a_program_of_the_product(desk: Strict, command: list[str]) -> None:
    gate = spoiled(GATE, "executorQa.artifactRefs.0.replay", replay(*command, prints="fixed\n"))

    assert "replay-not-allowed" in codes(handed_in(desk, gate))


def test_T12_every_criterion_is_covered_by_its_own_name(desk: Strict) -> None:
    free = spoiled(GATE, "executorQa.contractCoverage.0.contractRef", "the approved plan")

    assert {"unknown-contract-ref", "criterion-uncovered"} <= codes(handed_in(desk, free))


@pytest.mark.parametrize("surface", ["backend", ""])
def test_T13_surfaces_are_a_closed_list(desk: Strict, surface: str) -> None:
    gate = spoiled(GATE, "executorQa.surfaceEvidence.0.surface", surface)

    assert "wrong-value" in codes(handed_in(desk, gate))


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A change to review, and two specs that were there before it."""
    asks = f"```contract\n{json.dumps(contract())}\n```\n"
    specs = {"empty.md": "", "spec.md": f"It is fixed.\n\n{asks}"}
    project = Project(tmp_path_factory.mktemp("reviewed"), {**PRODUCT, **CHECKOUT, **specs})
    project.write(MENDED)
    return project


@pytest.mark.parametrize(
    ("spec", "path", "value", "verdict"),
    [
        ("spec.md", "status", "passed", "pass"),
        ("empty.md", "status", "passed", "inconclusive: weak-contract"),
        ("spec.md", "redTeamStatus", "failed", "fail"),
        ("spec.md", "blockers", [{"file": "show.sh"}], "fail"),
    ],
    ids=["clean", "empty spec", "failed QA", "blockers that are objects"],
)
def test_T14_a_review_passes_only_what_is_clean_and_its_exit_code_says_so(
    reviewed: Project, spec: str, path: str, value: object, verdict: str
) -> None:
    about = "C1" if spec == "spec.md" else "WORK"
    report = json.dumps(spoiled(shows(about=about), path, value))

    done = reviewed.run("review", "--spec", spec, "--executor-qa-json", report, "--json")

    assert (done.json["verdict"], done.code) == (verdict, 0 if verdict == "pass" else 1), done


def test_T15_no_variable_says_what_was_changed(project: Project) -> None:
    project.write(CHECKOUT)
    project.commit("goalkeeper")
    project.begin(contract(scope={"never": ["notes.txt"]}))
    project.write({**MENDED, "notes.txt": "mine now\n"})
    says = dict.fromkeys(
        ("CI_DEV_CHANGED_PATHS", "CHANGED_FILES", "GITHUB_BASE_REF"), "product.txt"
    )

    assert rules(project.judge(env=says)) == {("scope-never", "notes.txt")}


# Dead ends


def test_D1_scenario_42_a_plan_file_that_lags_behind_the_ledger_is_no_dead_end(
    project: Project,
) -> None:
    project.write(CHECKOUT)
    project.begin(contract())
    (goals,) = project.state.glob("runs/*/goals.json")
    before = goals.read_bytes()
    project.write(MENDED)
    project.commit("done")
    assert project.complete().code == 0

    goals.write_bytes(before)  # as if we had been killed before it was written

    again = project.complete()
    assert (again.code, again.json["repeated"]) == (0, True)
    assert len(project.events("goal_completed")) == 1
    assert project.ok("status")["status"] == "complete"
    assert project.run("receipt", "verify").code == 0


def test_D2_a_plan_whose_last_goal_was_superseded_still_gets_its_final_receipt(
    tmp_path: Path,
) -> None:
    project = begun(tmp_path)
    project.write(MENDED)
    project.commit("for G001")
    certified(project, "G001")
    project.checkpoint("G002", "blocked")
    project.ok(*SUPERSEDE, "G002", env=project.human())
    assert project.ok("status")["status"] == "complete"

    project.ok("receipt", "issue", "--final")

    assert states(project) == {"G001": True, "final": True}
    assert project.run("receipt", "verify", "--kind", "final").code == 0


def test_D3_a_steer_that_is_refused_outdates_no_receipt(tmp_path: Path) -> None:
    project = begun(tmp_path)
    project.write(MENDED)
    project.commit("for G001")
    certified(project, "G001")

    assert project.run(*SUPERSEDE, "G001").code == 1

    assert project.events("steering_rejected")
    assert states(project) == {"G001": True}


def test_D4_a_torn_last_line_is_set_aside_and_nothing_is_glued_to_it(planned: World) -> None:
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    whole = ledger.read_bytes()
    ledger.write_bytes(whole + b'{"seq":')

    torn = planned.run("complete-goals", "--json")
    assert (torn.code, torn.reason) == (4, "ledger-torn")
    assert ledger.read_bytes() == whole + b'{"seq":'
    planned.run(*torn.hint.split()[1:])

    assert planned.start() == "G001"
    assert planned.ok("ledger", "verify")["ok"]


def test_D5_the_last_goal_that_is_left_cannot_be_superseded(world: World) -> None:
    world.plan("@goal: Only\nThe only one.")
    world.blocked()

    assert world.run(*SUPERSEDE, "G001", "--json").code == 1
    assert world.statuses() == {"G001": "blocked"}


def test_D6_a_repository_without_main_or_master_is_as_good_as_any(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write(CHECKOUT)
    project.commit("goalkeeper")
    project.git("branch", "--move", "trunk")
    project.begin(contract())
    project.write(MENDED)

    assert project.complete().code == 0


def test_D6_without_git_it_is_said_what_is_missing(tmp_path: Path) -> None:
    world = World(tmp_path, git=False)
    hint = world.plan_without_base(story("Mend it", contract())).json["hint"]
    world.start()

    refused = world.run("judge", "--json")

    assert (refused.code, refused.reason) == (5, "no-repository")
    assert "git init" in hint


def test_D7_a_goal_of_the_users_own_is_never_stuck(planned: World) -> None:
    planned.ok("goal", "create", "--objective", "Tidy my desk")
    before = planned.goals()

    refused = planned.run("goal", "complete", "--json")
    assert (refused.reason, refused.hint) == ("not-this-plan", "goalkeeper goal drop")
    planned.ok(*refused.hint.split()[1:])

    assert planned.ok("goal", "create")["goal"]["status"] == "active"
    assert planned.goals() == before


def test_D8_the_handoff_that_is_documented_works(planned: World) -> None:
    assert "current_phase" in planned.run("state", "write", "--help").out

    planned.ok("classify-blocker", "--classification", "human_blocked", "--evidence", "a key")
    told = planned.ok("state", "write", "--input", '{"current_phase": "handoff"}')

    assert (told["handoff"], planned.ok("status")["status"]) == ("handoff", "handoff")


def test_D9_a_status_that_nobody_knows_reopens_nothing(project: Project) -> None:
    project.write(CHECKOUT)
    project.begin(contract())
    project.write(MENDED)
    project.complete()
    (goals,) = project.state.glob("runs/*/goals.json")
    goals.write_text(goals.read_text().replace('"status":"complete"', '"status":"compleet"'))

    assert project.statuses() == {"G001": "complete"}
    assert project.ok("complete-goals")["all_complete"] is True
