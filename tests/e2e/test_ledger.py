"""The ledger is verified, shown and exported."""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.world import World, plan_in, tree
from tests.tables import for_each

NOTE = ("steer", "--kind", "annotate_ledger", "--evidence", "seen", "--rationale", "so that")


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A plan with something of everything in its ledger, for tests that only look."""
    world = World(tmp_path_factory.mktemp("busy"))
    world.plan()
    world.blocked(human=True)
    world.start()
    world.ok(*NOTE)
    world.run("steer", "--kind", "reorder_pending", "--order-json", '["G002"]', *NOTE[3:])
    world.run("checkpoint", "--goal-id", "G002", "--status", "complete", "--evidence", "x")
    return world


KINDS = [
    "plan_created",
    "goal_started",
    "goal_checkpointed",
    "blocker_classified",
    "goal_started",
    "steering_accepted",
    "steering_rejected",
    "command_refused",
]


def test_the_ledger_is_shown_oldest_first_as_it_is_in_the_file(busy: World) -> None:
    shown = busy.ok("ledger", "show")["entries"]

    assert [entry["kind"] for entry in shown] == KINDS
    assert [entry["seq"] for entry in shown] == list(range(1, 9))
    kept = [{name: event[name] for name in shown[0]} for event in busy.events()]
    assert kept == shown


def test_the_ledger_is_shown_as_a_table(busy: World) -> None:
    lines = busy.run("ledger", "show").out.splitlines()

    assert lines[0].split() == ["seq", "at", "actor", "kind", "about"]
    assert [line.split()[3] for line in lines[1:]] == KINDS
    assert "needs the production key" in lines[4]


@for_each(
    ("filters", "seqs"),
    [
        (("--goal", "G001"), [2, 3, 4]),
        (("--goal", "G002"), [5, 7, 8]),
        (("--kind", "goal_started"), [2, 5]),
        (("--since", "7"), [7, 8]),
        (("--since=2000-01-01",), [1, 2, 3, 4, 5, 6, 7, 8]),
        (("--since", "2999-01-01"), []),
        (("--goal", "G001", "--kind", "goal_started", "--since", "3"), []),
        (("--goal", "G002", "--since", "6"), [7, 8]),
        (("--last", "2"), [7, 8]),
        (("--last", "99"), [1, 2, 3, 4, 5, 6, 7, 8]),
        (("--goal", "G001", "--last", "1"), [4]),
    ],
)
def test_the_ledger_is_filtered(busy: World, filters: tuple[str, ...], seqs: list[int]) -> None:
    assert [entry["seq"] for entry in busy.ok("ledger", "show", *filters)["entries"]] == seqs


def test_since_takes_the_time_of_an_entry(busy: World) -> None:
    fourth = busy.events()[3]["at"]

    seqs = [entry["seq"] for entry in busy.ok("ledger", "show", "--since", fourth)["entries"]]

    assert seqs == [4, 5, 6, 7, 8]


def test_since_takes_whole_seconds_with_their_zone(planned: World) -> None:
    (made,) = planned.events()

    shown = planned.ok("ledger", "show", "--since", made["at"][:19] + "Z")["entries"]

    assert len(shown) == 1


@for_each(
    "filters",
    [("--goal", "G999"), ("--kind", "goal_startled"), ("--since", "yesterday"), ("--last", "0")],
)
def test_a_filter_that_cannot_match_is_an_error(busy: World, filters: tuple[str, ...]) -> None:
    assert busy.run("ledger", "show", *filters).code == 2


def test_verify_counts_and_names_the_head(busy: World) -> None:
    verified = busy.ok("ledger", "verify")

    (ledger,) = busy.state.glob("runs/*/ledger.jsonl")
    lines = ledger.read_bytes().splitlines()
    assert verified["entries"] == len(lines)
    assert verified["head"] == sha256(lines[-1]).hexdigest()
    assert f"{len(lines)} entries" in busy.run("ledger", "verify").out


def test_the_chain_can_be_checked_without_us(busy: World) -> None:
    (ledger,) = busy.state.glob("runs/*/ledger.jsonl")
    lines = ledger.read_bytes().splitlines()

    before = [b"", *lines]
    assert json.loads(lines[0])["prev"] == "0" * 64
    for number, line in enumerate(lines[1:], 1):
        assert json.loads(line)["prev"] == sha256(before[number]).hexdigest()


def test_verify_names_the_first_bad_line_and_export_refuses(planned: World) -> None:
    planned.blocked()
    planned.ok(*NOTE)
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    ledger.write_text(ledger.read_text().replace("no access", "has access"))

    answer = planned.run("ledger", "verify", "--json")

    assert (answer.code, answer.reason) == (4, "ledger-broken")
    assert answer.json["error"]["facts"]["line"] == "4"  # the first that does not fit
    assert "restore" in answer.hint
    assert planned.run("ledger", "export").code == 4


@for_each(
    "text",
    [
        "plain",
        "größer → 日本語",
        "line\nline\ttab \x01 control",
        "seen \x7f\u0085\u202e",
    ],
    ids=["plain", "wide", "control", "invisible"],
)
def test_export_gives_the_very_bytes(tmp_path: Path, text: str) -> None:
    planned = plan_in(tmp_path)
    planned.ok(*NOTE[:3], "--evidence", text, "--rationale", text)
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")

    shown = planned.run("ledger", "export")
    written = planned.ok("ledger", "export", "--output", "copy.jsonl")

    assert shown.out.encode() == ledger.read_bytes()
    assert (planned.root / "copy.jsonl").read_bytes() == ledger.read_bytes()
    assert written["bytes"] == ledger.stat().st_size


def test_export_stays_out_of_the_state(planned: World) -> None:
    before = planned.bytes_of_state()

    for path in (".goalkeeper/config.toml", ".goalkeeper/runs/x", ".goalkeeper"):
        assert planned.run("ledger", "export", "--output", path).code == 2

    assert planned.bytes_of_state() == before


@for_each("name", ["precious.py", ".git/config"])
def test_export_writes_over_nothing(tmp_path: Path, name: str) -> None:
    planned = plan_in(tmp_path)
    path = planned.root / name
    path.write_text("precious")

    planned.run("ledger", "export", "--output", name)

    assert path.read_text() == "precious"


def test_no_temporary_files_are_left_behind(planned: World) -> None:
    planned.blocked()
    planned.ok("ledger", "export", "--output", "copy.jsonl")

    assert not [name for name in tree(planned.root) if name.endswith(".tmp")]
    assert sorted(os.listdir(planned.root)) == [".git", ".goalkeeper", "copy.jsonl"]
