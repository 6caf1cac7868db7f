"""JSON, paths, settings and sizes that cannot be used."""

import json
from pathlib import Path

import pytest

from tests.e2e.refusing import CHECKPOINT, LONGEST, REORDER, SPLIT, Bad, refuse
from tests.e2e.world import World, plan_in
from tests.tables import for_each

GATE = (*CHECKPOINT, "--evidence", "x", "--quality-gate-json")
GOAL = (*CHECKPOINT, "--evidence", "x", "--goal-json")


# JSON

DEEP = "[" * 100_000
NOT_JSON = ["{", "[1,]", "{'a': 1}", '{"a":NaN}', '{"a":Infinity}', DEEP, '{"a":"\t"}', "[1] [2]"]
NOT_OBJECTS = ["[]", "[{}]"]


@for_each("given", NOT_JSON, ids=lambda given: given[:12])
@for_each("words", [GATE, SPLIT], ids=["object", "array"])
def test_what_is_not_json_is_refused(started: World, words: tuple[str, ...], given: str) -> None:
    refuse(started, Bad((*words, given), "not-an-object"))


@for_each("words", [GATE, GOAL, ("state", "write", "--input")])
@for_each("given", NOT_OBJECTS)
def test_json_that_is_not_an_object_is_refused(
    started: World, words: tuple[str, ...], given: str
) -> None:
    refuse(started, Bad((*words, given), "not-an-object"))


@for_each(
    ("words", "given"),
    [
        (REORDER, "{}"),
        (REORDER, "[1]"),
        (REORDER, '[["G001"]]'),
        (SPLIT, "{}"),
        (SPLIT, '["a","b"]'),
        (SPLIT, '[{"title":1,"objective":"x"},{"title":"b","objective":"b"}]'),
        (GOAL, "{}"),
        (GOAL, '{"status":1}'),
        (GOAL, '{"goal":"active"}'),
    ],
)
def test_json_of_another_shape_is_refused(
    started: World, words: tuple[str, ...], given: str
) -> None:
    refuse(started, Bad((*words, given), "not-an-object"))


@for_each("text", ["null", "3", '"text"', "{", ""])
def test_a_file_is_held_to_the_same(started: World, text: str) -> None:
    (started.root / "gate.json").write_text(text)

    refuse(started, Bad((*GATE, "gate.json"), "not-an-object"))


@for_each(
    "words",
    [
        (*REORDER, r'["\ud800"]'),
        (*SPLIT, r'[{"title":"\ud800","objective":"a"},{"title":"b","objective":"b"}]'),
    ],
)
def test_half_a_character_is_refused(started: World, words: tuple[str, ...]) -> None:
    refuse(started, Bad(words, "not-an-object"))


@for_each("path", ["nothing.json", ".", ".git", "a\nb.json"])
def test_a_file_that_cannot_be_read_is_named(started: World, path: str) -> None:
    said = refuse(started, Bad((*GATE, path), "input-unreadable"))

    assert path.split("\n", maxsplit=1)[0] in said


# Paths


@for_each("path", ["../secret", "a/../../secret", "/etc/passwd", "link"])
def test_an_agents_paths_stay_in_the_repository(started: World, path: str) -> None:
    secret = started.root.parent / "secret"
    secret.write_text("{}")
    if path == "link":
        (started.root / path).symlink_to(secret)
    before = started.bytes_of_state()

    for words in (
        (*GATE, path), (*REORDER, path), ("create-goals", "--brief-file", path),
        ("ledger", "export", "--output", path),
    ):  # fmt: skip
        answer = started.run(*words, "--json")
        assert (answer.code, answer.reason) == (2, "path-outside")
        assert answer.hint
    assert started.bytes_of_state() == before
    assert secret.read_text() == "{}"


def test_a_human_may_name_a_file_elsewhere_by_its_whole_path(world: World, tmp_path: Path) -> None:
    (tmp_path / "brief.md").write_text("Only this.")

    by_relative = world.on_terminal("create-goals", "--brief-file", "../brief.md", "--json")
    by_absolute = world.on_terminal("create-goals", "--brief-file", str(tmp_path / "brief.md"))

    assert by_relative.reason == "path-outside"
    assert by_absolute.code == 0


# config.toml

BAD_SETTINGS = {
    "no TOML": (b"version =", "config-invalid"),
    "not UTF-8": (b"# \xff\n", "config-invalid"),
    "unknown table": (b"version = 1\n[deploy]\n", "config-invalid"),
    "unknown key": (b"version = 1\n[verify]\ncommand = []\n", "config-invalid"),
    "commands as text": (b'[verify]\ncommands = ["make test"]\n', "config-invalid"),
    "unknown agent": (b'[agents]\ndefault = "hal"\n', "config-invalid"),
    "table that is none": (b"verify = 3\n", "config-invalid"),
}


@for_each("name", BAD_SETTINGS)
def test_a_bad_config_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    planned = plan_in(tmp_path)
    content, reason = BAD_SETTINGS[name]
    (planned.state / "config.toml").write_bytes(content)

    said = refuse(planned, Bad(("init", "--yes"), reason, 3))

    assert "config.toml" in said


def test_all_problems_of_a_config_are_named_at_once(planned: World) -> None:
    (planned.state / "config.toml").write_text(
        'a = 1\n[verify]\ncommands = 3\nb = 1\n[agents]\ndefault = "hal"\n'
    )

    said = refuse(planned, Bad(("init", "--yes"), "config-invalid", 3))

    for place in ("'a'", "verify: unknown field 'b'", "verify.commands:", "agents.default:"):
        assert place in said


def test_the_doctor_knows_a_bad_config_too(planned: World) -> None:
    (planned.state / "config.toml").write_text("version =")

    answer = planned.run("state", "doctor", "--json")

    assert answer.code == 1
    assert [finding["code"] for finding in answer.json["findings"]] == ["config-invalid"]


def test_a_config_of_a_newer_version_says_upgrade(planned: World) -> None:
    (planned.state / "config.toml").write_text("version = 2\n[futures]\n")
    before = planned.bytes_of_state()

    answer = planned.run("init", "--yes", "--json")

    assert answer.code == 3
    assert "upgrade" in json.dumps(answer.json["error"])
    assert planned.bytes_of_state() == before


# Sizes


def test_the_longest_arguments_are_kept_whole(planned: World) -> None:
    planned.start()
    evidence = "é" + LONGEST[: 131071 - 2 - len("--evidence=")]

    planned.ok(*CHECKPOINT, f"--evidence={evidence}")

    assert planned.goals()["G001"]["evidence"] == evidence
    assert "é..." in planned.run("status").out
    assert max(map(len, planned.run("status").out.splitlines())) < 200
    planned.ok("ledger", "verify")


@for_each(
    "timeout",
    [
        "soon",
        "",
        pytest.param("nan"),
        pytest.param("inf"),
        pytest.param("-1"),
    ],
)
def test_a_lock_timeout_must_be_a_number_of_seconds(started: World, timeout: str) -> None:
    answer = started.run("status", "--json", env={"GOALKEEPER_LOCK_TIMEOUT": timeout})

    assert (answer.code, answer.reason) == (2, "usage")
    assert "GOALKEEPER_LOCK_TIMEOUT" in answer.err
