"""All six kinds of steering, what they refuse, and what a repeat does."""

import json
from pathlib import Path

from tests.e2e.world import World, plan_in
from tests.tables import for_each

REASONS = ("--evidence", "import.log line 40", "--rationale", "it decides the order")
ADD = ("steer", "--kind", "add_subgoal", "--title", "Look", "--objective", "Find out why.")
HALVES = [
    {"title": "Read", "objective": "Read the files."},
    {"title": "Check", "objective": "Check the rows."},
]
BLANK = {"title": "Nothing", "objective": " "}
SPLIT = ("steer", "--kind", "split_subgoal", "--replacements-json", json.dumps(HALVES))
REORDER = ("steer", "--kind", "reorder_pending", "--order-json")
REVISE = ("steer", "--kind", "revise_pending_wording")
ANNOTATE = ("steer", "--kind", "annotate_ledger")
SUPERSEDE = ("steer", "--kind", "mark_blocked_superseded", "--goal-id")


def test_add_subgoal_appends_a_pending_goal(planned: World) -> None:
    answer = planned.ok(*ADD, *REASONS)

    assert answer["kind"] == "add_subgoal"
    assert answer["goal_id"] == "G004"
    added = planned.goals()["G004"]
    assert (added["title"], added["objective"]) == ("Look", "Find out why.")
    assert (added["status"], added["origin"]) == ("pending", "add_subgoal")
    (event,) = planned.events("steering_accepted")
    assert event["data"]["evidence"] == "import.log line 40"
    assert event["data"]["rationale"] == "it decides the order"


def test_67_split_puts_the_replacements_behind_a_goal_that_stays_in_the_file(
    world: World,
) -> None:
    world.plan("@goal: First\nDo this.\n\n@goal: Second\nDo that.")

    answer = world.ok(*SPLIT, "--goal-id", "G001", *REASONS)

    assert answer["replacement_goal_ids"] == ["G003", "G004"]
    assert list(world.goals()) == ["G001", "G003", "G004", "G002"]
    assert world.statuses()["G001"] == "superseded"
    assert world.goals()["G001"]["superseded_by"] == ["G003", "G004"]
    assert world.goals()["G003"]["objective"] == "Read the files."
    assert world.start() == "G003"


def test_67_the_replacements_take_over_what_waited_for_the_split_goal(world: World) -> None:
    world.plan("@goal: A\na\n@goal: B\nb\n```contract\ndepends_on: [G001]\n```")
    world.ok(*SPLIT, "--goal-id", "G001", *REASONS)

    assert world.goals()["G002"]["why"] == "waits for G001"
    assert world.start() == "G003"


def test_reorder_changes_the_order_of_what_is_pending_and_of_nothing_else(
    planned: World,
) -> None:
    planned.start()

    answer = planned.ok(*REORDER, '["G003","G002"]', *REASONS)

    assert answer["order"] == ["G003", "G002"]
    assert list(planned.goals()) == ["G001", "G003", "G002"]


@for_each(
    ("flags", "changed"),
    [
        (("--title", "New"), ["title"]),
        (("--objective", "Do it so."), ["objective"]),
        (("--title", "New", "--objective", "Do it so."), ["title", "objective"]),
    ],
)
def test_revise_changes_the_words_that_are_given(
    tmp_path: Path, flags: tuple[str, ...], changed: list[str]
) -> None:
    planned = plan_in(tmp_path)
    before = planned.goals()["G002"]

    answer = planned.ok(*REVISE, "--goal-id", "G002", *flags, *REASONS)

    assert answer["changed_fields"] == changed
    after = planned.goals()["G002"]
    assert [name for name in ("title", "objective") if after[name] != before[name]] == changed


def test_annotate_adds_to_the_ledger_and_changes_no_goal(planned: World) -> None:
    before = planned.goals()

    planned.ok(*ANNOTATE, *REASONS)

    assert planned.goals() == before
    (event,) = planned.events("steering_accepted")
    assert event["data"]["evidence"] == "import.log line 40"


def test_supersede_takes_a_blocked_goal_out_and_keeps_it_in_the_file(planned: World) -> None:
    planned.blocked()

    assert planned.ok(*SUPERSEDE, "G001", *REASONS)["goal_id"] == "G001"

    assert planned.statuses()["G001"] == "superseded"
    assert "import.log line 40" in planned.goals()["G001"]["why"]
    assert planned.start() == "G002"


@for_each(
    "words",
    [
        ADD,
        (*SPLIT, "--goal-id", "G002"),
        (*REORDER, '["G003","G002"]'),
        (*REVISE, "--goal-id", "G002", "--title", "New"),
        ANNOTATE,
        (*SUPERSEDE, "G001"),
    ],
    ids=lambda words: words[2],
)
def test_every_kind_answers_in_words_and_the_same_in_json(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    planned = plan_in(tmp_path)
    planned.blocked()

    page = planned.run(*words, *REASONS)
    repeated = planned.ok(*words, *REASONS)

    assert (page.code, page.err) == (0, "")
    assert page.out.startswith(f"Accepted {words[2]} steering")
    assert "next: goalkeeper status" in page.out
    assert (repeated["kind"], repeated["repeated"]) == (words[2], True)
    changed = repeated.get("replacement_goal_ids") or repeated.get("order")
    for goal_id in changed or [repeated.get("goal_id", "")]:
        assert goal_id in page.out


@for_each("order", ['["G001","G002","G003"]', '["G003"]', "[]", '["G002","G002"]'])
def test_68_an_order_with_other_goals_than_the_pending_ones_is_rejected_and_recorded(
    tmp_path: Path, order: str
) -> None:
    planned = plan_in(tmp_path)
    planned.start()
    before = planned.goals()

    assert planned.refused(*REORDER, order, *REASONS) == "order-not-pending"

    assert planned.goals() == before
    (event,) = planned.events("steering_rejected")
    assert event["data"]["reason"] == "order-not-pending"
    assert event["data"]["change"].get("order", []) == json.loads(order)


def test_68_the_refusal_of_an_order_shows_one_that_would_do(planned: World) -> None:
    refused = planned.run(*REORDER, "[]", *REASONS, "--json")

    assert """--order-json '["G001","G002","G003"]'""" in refused.hint


def test_69_a_pending_goal_cannot_be_superseded(planned: World) -> None:
    assert planned.refused(*SUPERSEDE, "G002", *REASONS) == "goal-not-blocked"
    assert planned.statuses()["G002"] == "pending"
    assert len(planned.events("steering_rejected")) == 1


def test_69_the_only_required_goal_cannot_be_superseded(world: World) -> None:
    world.plan("Only this.")
    world.blocked()

    assert world.refused(*SUPERSEDE, "G001", *REASONS) == "last-required-goal"
    assert world.statuses() == {"G001": "blocked"}


@for_each(
    ("reasons", "reason"),
    [
        ((), "missing-evidence-and-rationale"),
        (("--evidence", "seen"), "missing-rationale"),
        (("--rationale", "so that"), "missing-evidence"),
        (("--evidence", "seen", "--rationale", " \t"), "missing-rationale"),
        (("--evidence=", "--rationale=so that"), "missing-evidence"),
    ],
)
def test_70_steering_without_reasons_is_rejected_and_recorded(
    tmp_path: Path, reasons: tuple[str, ...], reason: str
) -> None:
    planned = plan_in(tmp_path)
    before = planned.goals()

    assert planned.refused(*ADD, *reasons) == reason

    assert planned.goals() == before
    (event,) = planned.events("steering_rejected")
    assert event["data"]["reason"] == reason


@for_each(
    ("words", "reason"),
    [
        ((*ADD[:3], "--title", "Look"), "empty-goal"),
        ((*ADD[:3], "--title", " ", "--objective", "x"), "empty-goal"),
        ((*SPLIT[:3], "--goal-id", "G002", "--replacements-json", "[]"), "too-few-replacements"),
        (
            (*SPLIT[:4], json.dumps([HALVES[0], HALVES[0]]), "--goal-id", "G002"),
            "duplicate-replacements",
        ),
        ((*SPLIT[:4], json.dumps([HALVES[0], BLANK]), "--goal-id", "G002"), "empty-goal"),
        ((*SPLIT, "--goal-id", "G001"), "goal-not-pending"),
        ((*REVISE, "--goal-id", "G001", "--title", "New"), "goal-not-pending"),
        ((*REVISE, "--goal-id", "G002"), "nothing-to-revise"),
    ],
)
def test_what_the_rules_forbid_is_rejected_and_recorded(
    tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    planned = plan_in(tmp_path)
    planned.start()
    before = planned.goals()

    assert planned.refused(*words, *REASONS) == reason

    assert planned.goals() == before
    (event,) = planned.events("steering_rejected")
    assert (event["data"]["reason"], event["data"]["change"]["kind"]) == (reason, words[2])


def test_a_goal_cannot_be_emptied_by_rewording_it(planned: World) -> None:
    before = planned.goals()["G002"]["objective"]

    answer = planned.run(
        *REVISE, "--goal-id", "G002", "--title", "New", "--objective", " ", *REASONS
    )

    assert answer.code != 0
    assert planned.goals()["G002"]["objective"] == before


def test_a_split_does_not_lose_the_contract(world: World) -> None:
    world.plan("@goal: A\na\n```contract\noutcomes: [make test]\n```\n@goal: B\nb")

    world.ok(*SPLIT, "--goal-id", "G001", *REASONS)

    heirs = [world.goals()[goal_id].get("contract", "") for goal_id in ("G003", "G004")]
    assert any("make test" in contract for contract in heirs)


def test_a_replacement_brings_no_unchecked_contract(planned: World) -> None:
    sly = json.dumps([{**HALVES[0], "contract": "depends_on: ["}, HALVES[1]])

    answer = planned.run(*SPLIT[:4], sly, "--goal-id", "G002", *REASONS)

    assert answer.code != 0


def test_a_replacement_cannot_bring_a_status_or_an_id(planned: World) -> None:
    sly = json.dumps([{**HALVES[0], "status": "complete", "id": "G001"}, HALVES[1]])

    answer = planned.run(*SPLIT[:4], sly, "--goal-id", "G002", *REASONS)

    assert "complete" not in planned.statuses().values()
    assert answer.code != 0 or list(planned.statuses()) == ["G001", "G002", "G004", "G005", "G003"]


def test_a_repeat_is_accepted_once(planned: World) -> None:
    first = planned.ok(*ADD, *REASONS)
    before = planned.bytes_of_state()

    second = planned.ok(*ADD, *REASONS)

    assert (first["goal_id"], second["goal_id"]) == ("G004", "G004")
    assert (first["repeated"], second["repeated"]) == (False, True)
    assert planned.run(*ADD, *REASONS).out.startswith("Already accepted add_subgoal steering")
    assert planned.bytes_of_state() == before


def test_without_a_key_the_same_words_count_again_once_the_plan_has_changed(
    planned: World,
) -> None:
    planned.ok(*ADD, *REASONS)
    planned.start()

    assert planned.ok(*ADD, *REASONS)["goal_id"] == "G005"


def test_a_key_holds_for_the_whole_run(planned: World) -> None:
    planned.ok(*ADD, *REASONS, "--key", "look-once")
    planned.start()

    again = planned.ok(*ADD, *REASONS, "--key=look-once")

    assert (again["goal_id"], again["repeated"]) == ("G004", True)
    assert len(planned.events("steering_accepted")) == 1


def test_a_key_belongs_to_one_request(planned: World) -> None:
    planned.ok(*ADD, *REASONS, "--key", "look-once")

    refused = planned.refused(*ANNOTATE, *REASONS, "--key", "look-once")

    assert refused == "key-reused"
    assert len(planned.events("steering_accepted")) == 1


def test_values_may_stand_behind_a_space_or_an_equals_sign(planned: World) -> None:
    spaced = planned.ok(*ADD, *REASONS)
    joined = planned.ok(
        "steer",
        "--kind=add_subgoal",
        "--title=Look",
        "--objective=Find out why.",
        "--evidence=import.log line 40",
        "--rationale=it decides the order",
    )

    assert (spaced["goal_id"], joined["goal_id"]) == ("G004", "G004")
    assert joined["repeated"] is True


def test_json_comes_inline_or_from_a_file_of_the_repository(planned: World) -> None:
    folder = planned.root / "docs"
    folder.mkdir()
    (folder / "order.json").write_text('["G003", "G002", "G001"]\n')

    planned.ok(*REORDER, "docs/order.json", *REASONS)
    assert list(planned.goals()) == ["G003", "G002", "G001"]

    planned.ok(*REORDER, ' ["G002","G003","G001"]', *REASONS)
    assert list(planned.goals()) == ["G002", "G003", "G001"]

    planned.ok(*REORDER, str(folder / "order.json"), *REASONS)
    assert list(planned.goals()) == ["G003", "G002", "G001"]


def test_a_path_is_seen_from_where_the_command_is_run(planned: World) -> None:
    folder = planned.root / "docs"
    folder.mkdir()
    (folder / "order.json").write_text('["G003", "G002", "G001"]\n')

    planned.ok(*REORDER, "order.json", *REASONS, cwd=folder)

    assert list(planned.goals()) == ["G003", "G002", "G001"]


def test_long_titles_are_clipped_and_objectives_are_not(planned: World) -> None:
    long = "word " * 400

    planned.ok(*ADD[:3], "--title", long, "--objective", long, *REASONS)

    added = planned.goals()["G004"]
    assert 70 < len(added["title"]) <= 80
    assert added["title"].endswith("...")
    assert added["objective"] == long


def test_prose_steers_nothing(planned: World) -> None:
    before = planned.goals()
    words = "steer: drop G003, mark G001 complete; --kind split_subgoal {'status': 'complete'}"

    planned.ok(*ANNOTATE, "--evidence", words, "--rationale", words)

    assert planned.goals() == before
