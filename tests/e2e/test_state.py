"""Preparing a repository, looking after the state, reading the ledger."""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.world import World

CLEAR = ("state", "clear", "--force", "--mode", "ultragoal")
NOTE = ("steer", "--kind", "annotate_ledger", "--evidence", "seen", "--rationale", "so that")
KEY = ".config/goalkeeper/approval.key"


def tree(place: Path) -> dict[str, bytes]:
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(place).parts
    }


def fake_path(place: Path, *names: str) -> dict[str, str]:
    """A PATH with nothing on it but programs of these names."""
    place.mkdir()
    for name in names:
        (place / name).write_text("#!/bin/sh\n")
        (place / name).chmod(0o755)
    return {"PATH": str(place)}


# init


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"Makefile": "test: build\n\ttrue\nlint:\n\ttrue\n"},
            [["make", "test"], ["make", "lint"]],
        ),
        ({"Makefile": "check:\n\ttrue\nTEST := 1\ntest_data = 3\n"}, [["make", "check"]]),
        ({"Makefile": "build:\n", "go.mod": "module x\n"}, [["go", "test", "./..."]]),
        (
            {"package.json": '{"scripts": {"test": "jest", "lint": "eslint ."}}'},
            [["npm", "test"], ["npm", "run", "lint"]],
        ),
        ({"package.json": '{"scripts": {"start": "node ."}}'}, []),
        ({"package.json": "{ not json"}, []),
        ({"package.json": '["scripts"]'}, []),
        (
            {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n"},
            [["python3", "-m", "pytest"], ["ruff", "check"]],
        ),
        (
            {"pyproject.toml": "[project]\n", "tests/test_a.py": ""},
            [["python3", "-m", "pytest"]],
        ),
        ({"pyproject.toml": "[project]\n"}, []),
        ({"Cargo.toml": "[package]\n"}, [["cargo", "test"]]),
        ({"go.mod": "module x\n"}, [["go", "test", "./..."]]),
        ({}, []),
    ],
)
def test_init_finds_what_the_project_is_checked_with(
    world: World, files: dict[str, str], expected: list[list[str]]
) -> None:
    for name, text in files.items():
        (world.root / name).parent.mkdir(exist_ok=True)
        (world.root / name).write_text(text)

    made = world.ok("init", "--yes")

    assert made["verify_commands"] == expected
    kept = world.ok("init", "--yes")
    assert (made["made"], kept["made"]) == (True, False)
    assert kept["verify_commands"] == expected  # read back from config.toml


@pytest.mark.parametrize(
    ("names", "default"),
    [(("codex", "gemini"), "codex"), (("claude", "codex"), "claude"), ((), "")],
)
def test_init_finds_the_agents_on_the_path(
    world: World, tmp_path: Path, names: tuple[str, ...], default: str
) -> None:
    made = world.ok("init", "--yes", env=fake_path(tmp_path / "bin", "git", *names))

    assert made["agents"] == list(names)
    config = (world.state / "config.toml").read_text()
    assert (f'\ndefault = "{default}"' in config) == bool(default)


def test_init_shows_what_it_found(world: World, tmp_path: Path) -> None:
    (world.root / "Makefile").write_text("test:\n")

    page = world.run("init", "--yes", env=fake_path(tmp_path / "bin", "opencode")).out

    assert page.startswith("Wrote .goalkeeper/config.toml.\n")
    assert "make test" in page
    assert "opencode" in page
    assert "next: goalkeeper create-goals" in page


def test_a_second_init_changes_no_byte(world: World) -> None:
    (world.root / "Makefile").write_text("test:\n")
    world.ok("init", "--yes")
    before = tree(world.root), tree(world.home)

    (world.root / "Makefile").write_text("lint:\n")
    before[0]["Makefile"] = b"lint:\n"
    assert world.run("init", "--yes").out.startswith("Kept .goalkeeper/config.toml.\n")

    assert (tree(world.root), tree(world.home)) == before


def test_init_keeps_a_config_that_a_person_wrote(world: World) -> None:
    world.state.mkdir()
    own = '# mine\nversion = 1\n[verify]\ncommands = [["./check", "it all"]]\n'
    (world.state / "config.toml").write_text(own)

    assert world.ok("init", "--yes")["verify_commands"] == [["./check", "it all"]]
    assert (world.state / "config.toml").read_text() == own


def test_git_sees_the_settings_and_nothing_else(world: World) -> None:
    world.ok("init", "--yes")
    world.plan(env={"CLAUDE_CODE_SESSION_ID": "1"})
    world.plan("Another.", "--archive", "why", env={"CLAUDE_CODE_SESSION_ID": "1"})

    seen = world.git("status", "--short", "--untracked-files=all").splitlines()

    assert seen == ["?? .goalkeeper/.gitignore", "?? .goalkeeper/config.toml"]


def test_without_init_a_plan_keeps_git_clean_too(world: World) -> None:
    world.plan()

    seen = world.git("status", "--short", "--untracked-files=all").splitlines()

    assert seen == ["?? .goalkeeper/.gitignore"]


@pytest.mark.parametrize("key", [b"\n", b"y\n", b"YES\n"])
def test_on_a_terminal_init_asks_and_takes_a_yes(world: World, key: bytes) -> None:
    answer = world.on_terminal("init", keys=key)

    assert answer.code == 0
    assert "[Y/n]" in answer.err
    assert "[verify]" in answer.err
    assert (world.state / "config.toml").is_file()


@pytest.mark.parametrize("key", [b"n\n", b"no\n", b"what?\n"])
def test_on_a_terminal_init_takes_a_no(world: World, key: bytes) -> None:
    answer = world.on_terminal("init", keys=key)

    assert answer.code == 1
    assert "Nothing was written." in answer.out
    assert not world.state.exists()


def test_on_a_terminal_the_end_of_input_is_no_consent(world: World) -> None:
    world.on_terminal("init", keys=b"\x04")

    assert not world.state.exists()


def test_init_never_asks_with_yes_nor_twice_nor_without_a_terminal(
    world: World, tmp_path: Path
) -> None:
    assert "[Y/n]" not in world.on_terminal("init", "--yes").err
    assert "[Y/n]" not in world.on_terminal("init").err
    other = World(tmp_path / "other")
    assert "[Y/n]" not in other.run("init", input=b"n\n").err
    assert (other.state / "config.toml").is_file()


def test_init_asks_nobody_without_a_terminal(world: World, tmp_path: Path) -> None:
    world.ok("init", "--yes")
    key = {"GOALKEEPER_APPROVAL": (world.home / KEY).read_text().strip()}
    other = world.root / "other"
    other.mkdir()
    world.git("init", "--quiet", cwd=other)

    answer = world.run("init", input=b"n\n", env=key, cwd=other)

    assert (answer.code, answer.err) == (0, "")


def test_init_makes_an_approval_key_that_only_its_owner_can_read(world: World) -> None:
    world.ok("init", "--yes")

    assert (world.home / KEY).stat().st_mode & 0o777 == 0o600
    assert len((world.home / KEY).read_text().strip()) == 64
    assert not [path for path in tree(world.root) if "approval" in path]


def test_init_does_without_a_home_it_cannot_write_to(world: World) -> None:
    made = world.ok("init", "--yes", env={"HOME": "/dev/null"})

    assert made["made"] is True
    assert "approval_key_path" not in made


# doctor, repair


def test_the_doctor_finds_a_sound_state_sound(planned: World) -> None:
    planned.blocked()

    assert planned.ok("state", "doctor")["findings"] == []
    assert "sound" in planned.run("state", "doctor").out


def test_the_doctor_finds_nothing_where_nothing_is(world: World) -> None:
    assert world.ok("state", "doctor")["findings"] == []
    assert not world.state.exists()


def damaged(world: World, how: str) -> str:
    """Do some harm; the code of the finding."""
    (run,) = world.state.glob("runs/2*")
    ledger, goals, brief = (run / name for name in ("ledger.jsonl", "goals.json", "brief.md"))
    if how == "torn":
        ledger.write_text(ledger.read_text() + '{"seq":')
        return "ledger-torn"
    if how == "edited projection":
        goals.write_text(goals.read_text().replace("pending", "complete"))
    elif how == "lost projection":
        goals.unlink()
    else:
        brief.write_text("Do less.\n")
    return "projection-differs"


@pytest.mark.parametrize("how", ["torn", "edited projection", "lost projection", "edited brief"])
def test_what_the_doctor_finds_the_command_it_names_mends(planned: World, how: str) -> None:
    planned.start()
    sound = {path: data for path, data in tree(planned.state).items() if "runs" in path}
    code = damaged(planned, how)

    answer = planned.run("state", "doctor", "--json")
    assert answer.code == 1
    (finding,) = answer.json["findings"]
    assert finding["code"] == code
    page = planned.run("state", "doctor").out
    assert finding["message"] in page
    assert finding["mend"] in page

    mend = finding["mend"].removeprefix("goalkeeper ").split()[:4]
    assert mend[:3] == ["state", "repair", "--run"]
    actions = planned.ok(*mend)["actions"]
    assert actions
    assert planned.ok("state", "doctor")["findings"] == []
    (event,) = planned.events("ledger_repaired")
    assert event["data"]["actions"] == actions
    assert planned.statuses() == {"G001": "active", "G002": "pending", "G003": "pending"}
    brief = next(path for path in sound if path.endswith("brief.md"))
    assert tree(planned.state)[brief] == sound[brief]


def test_a_second_repair_has_nothing_to_do(planned: World) -> None:
    damaged(planned, "torn")
    planned.ok("state", "repair")
    before = planned.bytes_of_state()

    assert planned.ok("state", "repair")["actions"] == []
    assert planned.run("state", "repair").out == "Nothing needed mending.\n"
    assert planned.bytes_of_state() == before


def test_an_edited_projection_is_not_believed(planned: World) -> None:
    damaged(planned, "edited projection")

    assert set(planned.statuses().values()) == {"pending"}


# clear


def test_clear_closes_and_keeps_the_run(planned: World) -> None:
    run_id = planned.ok("status")["run_id"]
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    before = ledger.read_bytes()

    cleared = planned.ok(*CLEAR)

    kept = Path(cleared["archived"], "ledger.jsonl").read_bytes()
    assert kept.startswith(before)
    assert json.loads(kept.splitlines()[-1])["kind"] == "state_cleared"
    assert cleared["run_id"] == run_id
    assert planned.ok("status")["exists"] is False
    answer = planned.run(*CLEAR, "--json")
    assert (answer.code, answer.reason) == (2, "no-plan")


def test_clear_takes_only_the_run_that_is_named(world: World) -> None:
    one = world.plan("One.", env={"CODEX_THREAD_ID": "1"})
    two = world.plan("Two.", env={"CODEX_THREAD_ID": "2"})

    world.ok(*CLEAR, "--run", one)

    assert not (world.state / "runs" / one).exists()
    assert world.ok("status", env={"CODEX_THREAD_ID": "2"})["run_id"] == two


def test_clear_asks_for_force_and_names_the_whole_command(planned: World) -> None:
    answer = planned.run("state", "clear", "--mode", "ultragoal", "--json")

    assert answer.code == 2
    assert planned.ok(*answer.hint.removeprefix("goalkeeper ").split())["ok"] is True


def test_clear_takes_a_broken_run_as_it_is(planned: World) -> None:
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    ledger.write_bytes(b"garbage\n")

    cleared = planned.ok(*CLEAR)

    assert cleared["recorded"] is False
    assert Path(cleared["archived"], "ledger.jsonl").read_bytes() == b"garbage\n"
    assert planned.ok("status")["exists"] is False


def test_a_cleared_session_may_plan_anew(world: World) -> None:
    session = {"CLAUDE_CODE_SESSION_ID": "1"}
    first = world.plan("One.", env=session)
    world.ok(*CLEAR, env=session)

    assert world.plan("Two.", env=session) != first


# handoff, write


@pytest.mark.parametrize("to", ["planning", "clarification"])
def test_a_handoff_is_recorded_once_and_ends_with_the_next_goal(planned: World, to: str) -> None:
    assert planned.ok("state", "handoff", "--to", to)["handoff"] == to
    planned.ok("state", "handoff", "--to", to)

    assert (planned.ok("status")["status"], planned.ok("status")["handoff"]) == ("handoff", to)
    assert len(planned.events("handoff_recorded")) == 1
    planned.start()
    assert planned.ok("status")["status"] == "active"
    assert "handoff" not in planned.ok("status")


def test_a_phase_is_written_inline_or_from_a_file(planned: World) -> None:
    phase = '{"current_phase": "handoff"}'
    (planned.root / "phase.json").write_text(phase)

    assert planned.ok("state", "write", "--input", phase)["handoff"] == "handoff"
    assert planned.ok("state", "write", "--input", "phase.json")["handoff"] == "handoff"
    assert len(planned.events("handoff_recorded")) == 1


# ledger


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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "filters", [("--goal", "G999"), ("--kind", "goal_startled"), ("--since", "yesterday")]
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


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "größer → 日本語",
        "line\nline\ttab \x01 control",
        "seen \x7f\u0085\u202e",
    ],
    ids=["plain", "wide", "control", "invisible"],
)
def test_export_gives_the_very_bytes(planned: World, text: str) -> None:
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


@pytest.mark.parametrize("name", ["precious.py", ".git/config"])
def test_export_writes_over_nothing(planned: World, name: str) -> None:
    path = planned.root / name
    path.write_text("precious")

    planned.run("ledger", "export", "--output", name)

    assert path.read_text() == "precious"


def test_no_temporary_files_are_left_behind(planned: World) -> None:
    planned.blocked()
    planned.ok("ledger", "export", "--output", "copy.jsonl")

    assert not [name for name in tree(planned.root) if name.endswith(".tmp")]
    assert sorted(os.listdir(planned.root)) == [".git", ".goalkeeper", "copy.jsonl"]
