"""What each client is given: command lines of plain shell, skills that any client can read."""

import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import yaml

import goalkeeper
from goalkeeper.clients.install.parts import (
    SKILLS,
    Parts,
    Setting,
    is_ours,
    plan_changes,
    read_skill,
)
from goalkeeper.clients.table import find_install
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.hook import read_event
from tests.e2e.installs import HOUSES, House, command_lines
from tests.tables import for_each

FRONT = Path(goalkeeper.__file__).parent / "hooks" / "front.sh"
PLAIN = Setting("/home/u", "/projects/p", {}, "/v/bin/python", str(FRONT), "1.2.3")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
BASHISMS = re.compile(r"(?m)\[\[|\bfunction\b|\$'|<<<|&>|^\s*(local|source|declare)\b| == |<\(")
ODD = ["it's", 'a "quoted" place', "$HOME `id` $(id)", "a;b&c|d", "back\\slash", "*?[x]", "né 𝄞"]
FAKE = 'printf "<%s>" "$1" "$2" "$3" "$h"\n'
SECONDS = {"claude": 1, "codex": 1, "gemini": 1000, "copilot": 1, "cursor": 1}


def parts(house: House, setting: Setting = PLAIN) -> Parts:
    return find_install(house.client).scopes[house.scope](setting)


def kind_of(client: str, event: str) -> str:
    """What our hook takes the client's event for."""
    dialect = import_module(f"goalkeeper.clients.{client}.hook").DIALECT
    return read_event(client, client, "", {"hook_event_name": event}, dialect).kind


def files(house: House, setting: Setting = PLAIN) -> dict[str, bytes]:
    """As they are where there was nothing before."""
    return {
        change.path: change.after or b"" for change in plan_changes(parts(house, setting).files)
    }


def lines(house: House, setting: Setting = PLAIN) -> list[str]:
    return [line for path, data in files(house, setting).items()
            for line in command_lines(path, data)]  # fmt: skip


def events(house: House) -> Iterator[tuple[str, dict[str, object]]]:
    """Each event that the client has, and the hook of ours."""
    for path, data in files(house).items():
        found = json.loads(data).get("hooks", {}) if path.endswith(".json") else {}
        for name, groups in found.items():
            (group,) = groups
            (hook,) = group.get("hooks", [group])
            yield name, hook


def shell(line: str, *, program: str = "sh") -> str:
    done = subprocess.run([program, "-c", line], input=b"{}", capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


def test_every_client_can_be_set_up_for_one_project() -> None:
    assert all({*find_install(client).scopes} == {"user", "project"} for client in CLIENTS)


@for_each("house", HOUSES, ids=str)
def test_every_file_is_below_the_home_or_the_project(house: House) -> None:
    base = PLAIN.home if house.scope == "user" else PLAIN.root

    assert all(path.startswith(f"{base}/.") for path in files(house))


@for_each(
    ("client", "variable", "below"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/extensions/goalkeeper/gemini-extension.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/goalkeeper.js"),
        ("copilot", "COPILOT_HOME", "hooks/goalkeeper.json"),
    ],
)
def test_a_client_that_was_moved_is_found_by_its_variable(
    client: str, variable: str, below: str
) -> None:
    house = House(client, "user")

    assert f"/moved/{below}" in files(house, PLAIN.replace(environ={variable: "/moved"}))
    assert files(house, PLAIN.replace(environ={variable: "not/absolute"})) == files(house)
    assert files(house, PLAIN.replace(environ={variable: ""})) == files(house)


@pytest.mark.needs("dash")
@for_each("house", HOUSES, ids=str)
def test_every_command_is_one_line_of_plain_shell(house: House) -> None:
    assert lines(house)
    for line in lines(house):
        assert "\n" not in line
        assert not BASHISMS.search(line)
        subprocess.run(["dash", "-n", "-c", line], check=True)


@pytest.mark.needs("dash")
def test_the_file_that_they_read_is_plain_shell() -> None:
    subprocess.run(["dash", "-n", FRONT], check=True)

    assert not BASHISMS.search(FRONT.read_text())


@pytest.mark.needs("bash")
@for_each("program", ["sh", "bash"])
@for_each("odd", ODD)
def test_a_command_works_from_a_path_of_any_kind(odd: str, program: str, tmp_path: Path) -> None:
    front = tmp_path / odd / "goalkeeper/hooks/front.sh"
    front.parent.mkdir(parents=True)
    front.write_text(FAKE)
    setting = PLAIN.replace(front=str(front), python=f"/v/{odd}/python")

    for house in HOUSES:
        for line in lines(house, setting):
            kind = shlex.split(line.partition("set -- ")[2])[1]
            said = shell(line, program=program)
            assert said == f"<{house.client}><{kind}></v/{odd}/python><{front}>"


@for_each("house", HOUSES, ids=str)
def test_a_command_whose_goalkeeper_is_gone_ends_well_and_says_nothing(
    house: House, tmp_path: Path
) -> None:
    for gone in (PLAIN.replace(front=str(tmp_path / "front.sh")), PLAIN.replace(python="/none")):
        assert [shell(line) for line in lines(house, gone)] == [""] * len(lines(house))


@for_each("house", HOUSES, ids=str)
def test_a_hook_is_called_for_what_its_event_is_and_has_time_for_it(house: House) -> None:
    for name, hook in events(house):
        kind = kind_of(house.client, name)
        command = hook.get("command") or hook["bash"]
        given = hook.get("timeout") or hook.get("timeoutSec")
        assert f" set -- {house.client} {kind} " in str(command)
        assert given == (600 if kind == "stop" else 30) * SECONDS[house.client]


@for_each("house", HOUSES, ids=str)
def test_stops_and_prompts_are_served_in_every_house(house: House) -> None:
    kinds = {kind_of(house.client, name) for name, _ in events(house)}

    assert kinds >= {"prompt", "stop", "tool", "start"} or house.client == "opencode"


@for_each("house", HOUSES, ids=str)
def test_every_file_is_what_its_name_says(house: House) -> None:
    for path, data in files(house).items():
        assert data.endswith(b"\n")
        if path.endswith(".json"):
            json.loads(data)
        elif path.endswith(".toml"):
            assert set(tomllib.loads(data.decode())) == {"description", "prompt"}
        elif path.endswith(".md") and "/references/" not in path:
            assert path.endswith("README.md") or front_matter(data)["description"]


def test_a_command_that_holds_says_so_on_a_line_of_its_own() -> None:
    gemini = by_name(House("gemini", "user"))["commands/goalkeeper/ulw.toml"]
    opencode = by_name(House("opencode", "project"))["commands/goalkeeper-ulw.md"]

    assert tomllib.loads(gemini.decode())["prompt"] == "ulw.\n{{args}}"
    assert opencode.endswith(b"---\nulw.\n$ARGUMENTS\n")


def by_name(house: House) -> dict[str, bytes]:
    """By what is below the client's folder."""
    found = files(house)
    return {name: data for path, data in found.items()
            for name in (path[path.rfind("/commands/") + 1 :],)}  # fmt: skip


@for_each("house", [each for each in HOUSES if each.scope == "project"], ids=str)
def test_what_holds_paths_of_this_machine_is_not_for_all_who_share_a_project(house: House) -> None:
    made = parts(house)
    ours = {path.removeprefix("/projects/p/") for path, data in files(house).items()
            if str(FRONT).encode() in data}  # fmt: skip

    (path,) = ours
    assert path == ".claude/settings.local.json" or f"do not commit {path}" in made.next


@pytest.mark.needs("node")
@for_each("odd", ODD)
def test_the_shim_of_opencode_is_a_module_that_has_the_very_line(odd: str, tmp_path: Path) -> None:
    setting = PLAIN.replace(front=f"/x/{odd}/front.sh")
    (shim,) = [d for p, d in files(House("opencode", "user"), setting).items() if p.endswith(".js")]
    module = tmp_path / "shim.mjs"
    module.write_bytes(shim + b"console.log(JSON.stringify([HOOK, typeof Goalkeeper]))\n")

    done = subprocess.run(["node", module], check=True, capture_output=True)

    assert json.loads(done.stdout) == [setting.hook("opencode", "@KIND@"), "function"]


def skills(house: House) -> dict[str, bytes]:
    return {path.split("/")[-2]: data for path, data in files(house).items()
            if path.endswith("/SKILL.md")}  # fmt: skip


def front_matter(data: bytes) -> dict[str, str]:
    _, head, _ = data.decode().split("---\n", 2)
    found: dict[str, str] = yaml.safe_load(head)
    return found


SKILLED = [house for house in HOUSES if skills(house)]


def test_skills_are_given_to_every_client_in_every_scope() -> None:
    assert SKILLED == HOUSES


@for_each("house", SKILLED, ids=str)
def test_a_skill_keeps_the_rules_that_all_clients_have(house: House) -> None:
    found = skills(house)

    assert {name.removeprefix("goalkeeper-") for name in found} == set(SKILLS)
    for folder, data in found.items():
        told = front_matter(data)
        assert set(told) == {"name", "description"}
        assert told["name"] == folder
        assert NAME.fullmatch(folder)
        assert len(folder) <= 64
        assert 1 <= len(told["description"]) <= 1024
        assert not set("<>") & set(told["description"])


# What users of these workflows say; a client chooses a skill by its description.
TRIGGERS = {
    "ultragoal": {"ultragoal", "create-goals", "complete-goals"},
    "ralph": {"ralph"},
    "ultrawork": {"ulw", "ultrawork"},
    "ultraplan": {"ultraplan"},
    "aspirations-verify": {"aspirations-verify", "verify"},
}


@for_each("skill", SKILLS)
def test_a_skill_names_the_words_it_is_for_and_every_part_beside_it(skill: str) -> None:
    found = read_skill(skill)
    main = found["SKILL.md"].decode()

    assert {*re.findall(r"[a-z-]+", front_matter(main.encode())["description"])} >= TRIGGERS[skill]
    assert {*re.findall(r"references/[a-z-]+\.md", main)} == {*found} - {"SKILL.md"}
    assert "\n## Never\n" in main


OUR_HOOK = {"type": "command", "command": PLAIN.hook("claude", "stop"), "timeout": 600}
THEIR_HOOK = {"type": "command", "command": "say done"}


@for_each(
    ("value", "ours"),
    [
        (OUR_HOOK, True),
        ({"hooks": [OUR_HOOK]}, True),
        ({"matcher": "x", "hooks": [OUR_HOOK, OUR_HOOK]}, True),
        ({"hooks": [OUR_HOOK, THEIR_HOOK]}, False),
        ({"hooks": [THEIR_HOOK]}, False),
        ({"hooks": []}, False),
        ({"hooks": {"Stop": [{"hooks": [OUR_HOOK]}]}}, False),
        (THEIR_HOOK, False),
        ({"command": ["goalkeeper/hooks/front.sh"]}, False),
        (OUR_HOOK["command"], False),
        ([OUR_HOOK], False),
        ({}, False),
        (None, False),
    ],
)
def test_ours_is_what_calls_goalkeeper_and_nothing_else(value: object, ours: bool) -> None:
    assert is_ours(value) is ours
