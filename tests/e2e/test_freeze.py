"""`contract freeze` and `amend`: what counts is settled once, and only a human changes it."""

import json
from pathlib import Path

from tests.e2e.project import (
    IS_FIXED,
    MENDED,
    Contract,
    Project,
    contract,
    criterion,
    status_of,
)
from tests.tables import for_each

FREEZE = ("contract", "freeze", "--goal-id", "G001")
AMEND = ("contract", "amend", "--goal-id", "G001", "--reason", "the API changed")
NOTED = {"command": ["grep", "-q", "seen", "notes.txt"]}


def with_file(project: Project, given: Contract) -> tuple[str, str]:
    project.write({"contract.yaml": json.dumps(given)})
    return ("--file", "contract.yaml")


def test_an_agent_freezes_the_briefs_contract(project: Project) -> None:
    project.begin(contract())

    frozen = project.ok(*FREEZE)

    (event,) = project.events("contract_frozen")
    assert frozen["changed"] is True
    assert event["actor"]["kind"] == "agent"
    assert event["data"]["goal_id"] == "G001"
    kept = event["data"]["frozen"]
    assert (kept["digest"], kept["author"]) == (frozen["digest"], "brief")
    assert kept["base"] == frozen["base"]
    shown = project.ok("contract", "show", "--goal-id", "G001")
    assert (shown["frozen"], shown["author"], shown["digest"]) == (True, "agent", kept["digest"])
    assert shown["contract"] == contract()


def test_freezing_the_same_again_changes_nothing(project: Project) -> None:
    project.begin(contract())
    project.ok(*FREEZE)
    before = project.ledger()

    again = project.ok(*FREEZE)

    assert again["changed"] is False
    assert project.ledger() == before


def test_what_cannot_tell_anything_is_not_frozen(project: Project) -> None:
    project.begin(contract(criterion("C1", {"command": ["grep", "-q", "broken", "product.txt"]})))

    answer = project.run(*FREEZE, "--json")

    assert (answer.code, answer.reason) == (1, "contract-cannot-tell")
    assert answer.json["contract"]["criteria"][0]["look"] == "already green"
    assert "C1 is already green" in answer.json["error"]["message"]
    assert project.events("contract_frozen") == []


def test_an_agent_gives_a_goal_no_other_contract_than_the_briefs(project: Project) -> None:
    project.begin(contract())
    other = with_file(project, contract(criterion("C1", NOTED)))

    assert project.refused(*FREEZE, *other) == "contract-of-the-brief"

    assert project.events("contract_frozen") == []
    assert project.events("command_refused")[-1]["data"]["reason"] == "contract-of-the-brief"


def test_a_frozen_contract_is_not_swapped_by_freezing_another(project: Project) -> None:
    project.begin(contract())
    project.ok(*FREEZE)
    other = with_file(project, contract(criterion("C1", NOTED)))

    for env in (None, project.human()):
        answer = project.run(*FREEZE, *other, "--json", env=env)
        assert (answer.code, answer.reason) == (1, "contract-frozen")
        assert "contract amend" in answer.hint
    assert len(project.events("contract_frozen")) == 1


def test_a_goal_without_a_contract_gets_one_and_it_is_known_from_whom(project: Project) -> None:
    project.begin(None)
    file = with_file(project, contract())

    project.ok(*FREEZE, *file)

    (event,) = project.events("contract_frozen")
    assert event["data"]["frozen"]["author"] == "agent"


def test_an_agent_amends_nothing_and_the_attempt_is_on_record(project: Project) -> None:
    project.begin(contract())
    project.ok(*FREEZE)
    file = with_file(project, contract(criterion("C1", NOTED)))

    answer = project.run(*AMEND, *file, "--json")

    assert (answer.code, answer.reason) == (1, "amendment-needs-human")
    assert answer.hint.startswith("ask a human to run it in a terminal; goalkeeper why G001 ")
    assert project.events("contract_amended") == []
    (refused,) = project.events("command_refused")
    assert refused["data"]["reason"] == "amendment-needs-human"
    assert refused["actor"]["kind"] == "agent"


def test_the_approval_key_counts_for_nothing_in_an_agents_session(project: Project) -> None:
    project.begin(contract())
    project.ok(*FREEZE)
    file = with_file(project, contract(criterion("C1", NOTED)))

    for env in ({**project.human(), "CLAUDECODE": "1"}, {"GOALKEEPER_APPROVAL": "guess"}):
        answer = project.run(*AMEND, *file, "--json", env=env)
        assert (answer.code, answer.reason) == (1, "amendment-needs-human")


def test_a_human_amends_for_a_reason_and_only_what_changed_starts_anew(project: Project) -> None:
    project.begin(contract(criterion("C1", IS_FIXED), criterion("C2", NOTED)))
    project.write(MENDED)
    assert status_of(project.judge()) == {"C1": "PASS", "C2": "FAIL"}
    easier = {"command": ["grep", "-q", "checked", "notes.txt"]}
    file = with_file(project, contract(criterion("C1", IS_FIXED), criterion("C2", easier)))

    amended = project.ok(*AMEND, *file, env=project.human())

    (event,) = project.events("contract_amended")
    assert amended["changed"] is True
    assert event["data"]["reason"] == "the API changed"
    assert event["actor"]["kind"] == "human"
    assert event["actor"]["how"].startswith("approval key")
    assert event["data"]["frozen"]["author"] == "human"
    states = {state["id"]: state for state in project.goals()["G001"]["criteria"]}
    assert states["C1"]["status"] == "PASS"
    assert states["C2"]["status"] == "PENDING"
    assert "fail_count" not in states["C2"] or states["C2"]["fail_count"] == 0


def test_a_human_at_a_terminal_needs_no_key(project: Project) -> None:
    project.begin(contract())
    project.ok(*FREEZE)
    file = with_file(project, contract(criterion("C1", NOTED)))

    answer = project.on_terminal(*AMEND, *file)

    assert answer.code == 0, answer
    assert "Amended: G001" in answer.out
    assert project.events("contract_amended")[0]["actor"]["how"] == "terminal"


def test_an_amendment_says_why(project: Project) -> None:
    project.begin(contract())
    words = AMEND[:-2]

    for reason in ((), ("--reason", " "), ("--reason", "-")):
        assert project.run(*words, *reason, "--json", env=project.human()).code == 2


@for_each("base", ["HEAD", "now"])
def test_only_a_human_says_where_work_began(tmp_path: Path, base: str) -> None:
    project = Project(tmp_path)
    project.begin(contract())
    chosen = ("--base", base)

    refused = project.run(*FREEZE, *chosen, "--json")
    assert (refused.code, refused.reason) == (1, "amendment-needs-human")
    assert refused.hint.startswith("ask a human to run it in a terminal; goalkeeper why G001 ")
    frozen = project.ok(*FREEZE, *chosen, env=project.human())

    assert frozen["base"]["commit"] == project.git("rev-parse", "HEAD").strip()
    (event,) = project.events("contract_frozen")
    assert event["data"]["frozen"]["base"] == frozen["base"]


def test_an_unknown_base_is_named(project: Project) -> None:
    project.begin(contract())

    answer = project.run(*FREEZE, "--base", "no-such-tag", "--json", env=project.human())

    assert (answer.code, answer.reason) == (2, "usage")
    assert "no-such-tag" in answer.json["error"]["message"]


def test_work_began_when_the_plan_was_made_not_when_the_contract_is_frozen(
    project: Project,
) -> None:
    project.begin(contract())
    project.write(MENDED)

    assert project.ok(*FREEZE)["criteria"][0]["look"] == "red"


def test_the_contract_of_a_goal_that_is_over_is_history(project: Project) -> None:
    project.begin(contract())
    project.write(MENDED)
    assert project.complete().code == 0
    file = with_file(project, contract(criterion("C1", NOTED)))

    answer = project.run(*AMEND, *file, "--json", env=project.human())

    assert (answer.code, answer.reason) == (1, "goal-is-over")
