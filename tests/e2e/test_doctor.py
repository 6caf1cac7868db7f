"""`doctor`: what is installed is tried by the very lines that clients call, and told plainly."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import goalkeeper
from tests.clients import installed
from tests.e2e.installs import (
    CLAUDE,
    CODEX,
    CODEX_HERE,
    CURSOR,
    GEMINI_HERE,
    HOUSES,
    OURS,
    Home,
    House,
    command_lines,
    put,
)
from tests.e2e.world import Answer
from tests.tables import for_each

SOURCE = Path(goalkeeper.__file__).parents[1]
SLOW = re.compile(r"^\w+: an idle stop takes \d+ ms$")  # on a machine that is busy it may


@pytest.fixture
def somebody(tmp_path: Path) -> Home:
    return Home(tmp_path)


def looked(answer: Answer) -> list[dict[str, Any]]:
    """What was said of each client; a problem is an exit code of 1, and the other way round."""
    told: list[dict[str, Any]] = answer.json["clients"]
    problems = [problem for each in told for problem in each["problems"]]
    assert answer.code == (1 if problems else 0), answer
    assert answer.json["ok"] is (not problems)
    assert answer.err == ""
    for each in told:
        each["problems"] = [said for said in each["problems"] if not SLOW.match(said)]
    return told


def doctor(somebody: Home, **env: str) -> list[dict[str, Any]]:
    return looked(somebody.call("doctor", "--json", **env))


def settled(somebody: Home, house: House, old: str, new: str) -> None:
    """Ours as installed, with one thing changed by somebody in every file."""
    somebody.did("install", *house.words)
    for name, (kind, _, data) in somebody.seen().items():
        if kind == "file" and old.encode() in data:
            replace(somebody.home.parent / name, old, new)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_nothing_is_installed_anywhere(somebody: Home) -> None:
    told, said = somebody.run("doctor", "--json"), somebody.run("doctor")

    answer = told.json
    assert answer.pop("disk").keys() == {"state", "trees", "cache", "worktrees"}
    assert (told.code, answer) == (0, {"ok": True, "clients": []})
    assert said.out.startswith("Installed in no client.\nOn disk: ")
    assert said.out.endswith("\n  next: goalkeeper install claude\n")


@for_each("house", HOUSES, ids=str)
@pytest.mark.thorough
def test_what_is_installed_and_fine_runs_and_nothing_is_changed(
    house: House, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    somebody.did("install", *house.words)
    before = somebody.all_seen()

    (told,) = doctor(somebody)

    assert (told["client"], told["scope"], told["runs"]) == (house.client, house.scope, "yes")
    assert told["problems"] == []
    assert told["trusted"] == ("unknown" if house.client == "codex" else "not asked for")
    assert told["held_ms"] > 0 < told["idle_ms"]
    assert somebody.all_seen() == before


def test_a_table_is_shown_to_people(somebody: Home) -> None:
    somebody.did("install", *CURSOR.words)

    head, row, *_ = somebody.run("doctor").out.splitlines()

    assert head.split() == ["CLIENT", "SCOPE", "RUNS", "TRUSTED", "IDLE", "STOP", "HELD", "STOP"]
    assert row.split()[:3] == ["cursor", "user", "yes"]


def test_it_may_be_called_from_within_a_session(somebody: Home) -> None:
    somebody.did("install", "claude")
    somebody.did("install", "gemini")

    told = doctor(somebody, CLAUDE_CODE_SESSION_ID="s1", GEMINI_SESSION_ID="s2", CLAUDECODE="1")

    assert [(each["runs"], each["problems"]) for each in told] == [("yes", [])] * 2


@for_each("house", HOUSES, ids=str)
def test_an_interpreter_that_is_gone_is_named(house: House, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    settled(somebody, house, sys.executable, "/moved/python")

    (told,) = doctor(somebody)

    (problem,) = told["problems"]
    assert told["runs"] == "no"
    assert "/moved/python" in problem
    assert f"goalkeeper install {' '.join(house.words)}" in problem


@for_each("house", HOUSES, ids=str)
def test_a_goalkeeper_that_is_gone_is_named(house: House, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    settled(somebody, house, f"{SOURCE}/goalkeeper/hooks", "/moved/goalkeeper/hooks")

    (told,) = doctor(somebody)

    (problem,) = told["problems"]
    assert told["runs"] == "no"
    assert "/moved/goalkeeper/hooks/front.sh" in problem


@for_each("house", [CODEX, CURSOR, GEMINI_HERE], ids=str)
@for_each("left", ["{}", '{"hooks": {}}', None])
@pytest.mark.thorough
def test_files_that_no_longer_call_us_are_told(
    house: House, left: str | None, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    somebody.did("install", *house.words)
    somebody.file(house).unlink()
    if left is not None:
        put(somebody.file(house), left)

    (told,) = doctor(somebody)

    (problem,) = told["problems"]
    assert told["runs"] == "no"
    assert problem.startswith(f"{house.client}: its files no longer call goalkeeper")
    assert somebody.call("install", *house.words).code == 0
    assert doctor(somebody)[0]["problems"] == []


SPOILT = {
    "no end": "{{{whole}",
    "hooks is a list": '{{"hooks": [], "ours": {whole}}}',
    "hooks is a word": '{{"hooks": "x", "ours": {whole}}}',
    "a list": "[{whole}]",
    "Stop is a word": '{{"hooks": {{"Stop": "x"}}, "ours": {whole}}}',
    "Stop holds a word": '{{"hooks": {{"Stop": ["x"]}}, "ours": {whole}}}',
    "a hook is a word": '{{"hooks": {{"Stop": [{{"hooks": ["x"]}}]}}, "ours": {whole}}}',
}


@for_each("spoilt", SPOILT)
def test_a_file_that_was_spoilt_is_told_like_any_problem(spoilt: str, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    somebody.did("install", "codex")
    whole = somebody.file(CODEX).read_text()
    put(somebody.file(CODEX), SPOILT[spoilt].format(whole=whole))

    (told,) = doctor(somebody)

    assert told["runs"] == "no"
    assert told["problems"]


def test_a_shim_that_was_spoilt_is_told_like_any_problem(somebody: Home) -> None:
    somebody.did("install", "opencode")
    shim = somebody.home / ".config/opencode/plugins/goalkeeper.js"
    shim.write_text(shim.read_text().replace("const HOOK =", "let HOOK ="))

    (told,) = doctor(somebody)

    assert told["runs"] == "no"


def test_settings_with_comments_are_read_as_gemini_reads_them(somebody: Home) -> None:
    put(somebody.file(GEMINI_HERE), '{\n  // mine\n  "ui": {"theme": "Ayu"}, // dark\n}\n')
    somebody.did("install", *GEMINI_HERE.words)

    (told,) = doctor(somebody)

    assert (told["runs"], told["problems"]) == ("yes", [])


def test_a_folder_in_the_place_of_settings_is_told_like_any_problem(somebody: Home) -> None:
    somebody.did("install", "codex")
    somebody.file(CODEX).unlink()
    somebody.file(CODEX).mkdir()

    assert doctor(somebody)[0]["runs"] == "no"


def test_a_record_that_is_lost_is_told_like_any_problem(somebody: Home) -> None:
    somebody.did("install", "codex")
    put(somebody.records / "codex-user/record.json", "{")

    (told,) = doctor(somebody)

    (problem,) = told["problems"]
    assert told["runs"] == "no"
    assert problem.endswith("goalkeeper install codex --scope user")


def test_hooks_that_the_clients_own_settings_turn_off_do_not_run(somebody: Home) -> None:
    somebody.did("install", "claude")
    path = somebody.home / ".claude/settings.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "disableAllHooks": True}))

    (told,) = doctor(somebody)

    assert told["runs"] == "no"
    assert f"{path} sets disableAllHooks true" in told["problems"][0]


def test_hooks_that_are_switched_off_here_are_tried_all_the_same_and_it_is_told(
    somebody: Home,
) -> None:
    for client in ("claude", "cursor"):
        somebody.did("install", client)

    both = doctor(somebody, GOALKEEPER_HOOKS="off", GOALKEEPER_SPAWNED="1")
    said = somebody.call("doctor", GOALKEEPER_HOOKS="off").out

    assert [each["runs"] for each in both] == ["yes", "yes"]
    assert all("GOALKEEPER_HOOKS=off" in each["problems"][0] for each in both)
    assert said.count("GOALKEEPER_HOOKS=off") == 1


@for_each("client", ["claude", "codex", "gemini", "opencode"])
@pytest.mark.thorough
def test_two_scopes_are_told_to_be_doubled(client: str, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    for scope in ("user", "project"):
        somebody.did("install", client, "--scope", scope)

    both = {each["scope"]: each for each in doctor(somebody)}

    for here, other in (("user", "project"), ("project", "user")):
        (problem,) = both[here]["problems"]
        assert both[here]["runs"] == "yes"
        assert "more than once" in problem
        assert problem.endswith(f"goalkeeper uninstall {client} --scope {other}")


def test_a_hook_that_was_copied_is_told_to_be_doubled(somebody: Home) -> None:
    somebody.did("install", "codex")
    settings = somebody.value(CODEX)
    settings["hooks"]["Stop"].append(settings["hooks"]["Stop"][-1])
    put(somebody.file(CODEX), json.dumps(settings))

    (told,) = doctor(somebody)

    assert "more than once" in told["problems"][0]


@for_each("house", HOUSES, ids=str)
def test_only_lines_equal_to_those_that_are_installed_are_executed(
    house: House, tmp_path: Path
) -> None:
    """M3: whoever writes to a project's settings names our file, and has more in the line."""
    somebody = Home(tmp_path)
    settled(somebody, house, "; exit 0", f"; touch {tmp_path}/seen; exit 0")

    (told,) = doctor(somebody)

    (problem,) = told["problems"]
    assert not (tmp_path / "seen").exists()
    assert told["runs"] == "no"
    assert "is not the line that this goalkeeper installs, and was not tried" in problem


def test_several_clients_are_told_of_in_one_answer(somebody: Home) -> None:
    for house in (CLAUDE, CODEX, CURSOR):
        somebody.did("install", *house.words)
    replace(somebody.file(CODEX), "front.sh", "back.sh")

    told = {each["client"]: each["runs"] for each in doctor(somebody)}

    assert told == {"claude": "yes", "codex": "no", "cursor": "yes"}


# Codex itself says whether it trusts a hook.


class Codex(Home):
    """A home with the real Codex in it, away from all networks."""

    def __init__(self, place: Path, program: Path) -> None:
        super().__init__(place, bare=True)
        self.env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "TMPDIR": str(place)}
        self.config = put(
            self.home / ".codex/config.toml",
            "[features]\nplugins = false\n[analytics]\nenabled = false\n",
        )

    def listed(self) -> list[dict[str, Any]]:
        """What Codex says of every hook, asked as its own programs ask."""
        asked = [
            {"id": 1, "method": "initialize",
             "params": {"clientInfo": {"name": "t", "title": "t", "version": "1"}}},
            {"method": "initialized"},
            {"id": 2, "method": "hooks/list", "params": {"cwds": [str(self.root)]}},
        ]  # fmt: skip
        with subprocess.Popen(
            ["codex", "app-server"], env=self.environ(self.env), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as server:  # fmt: skip
            assert server.stdin
            assert server.stdout
            server.stdin.write("".join(json.dumps(each) + "\n" for each in asked))
            server.stdin.flush()
            answers = (json.loads(line) for line in server.stdout)
            found = next(each for each in answers if each.get("id") == 2)
            server.stdin.close()
            server.stdout.read()
        hooks: list[dict[str, Any]] = found["result"]["data"][0]["hooks"]
        return hooks

    def trust(self, hooks: list[dict[str, Any]]) -> None:
        with self.config.open("a") as config:
            for hook in hooks:
                key, digest = json.dumps(hook["key"]), json.dumps(hook["currentHash"])
                config.write(f"[hooks.state.{key}]\ntrusted_hash = {digest}\n")

    def said(self) -> tuple[str, list[str]]:
        (told,) = looked(self.run("doctor", "--json", env=self.env))
        assert told["runs"] == "yes"
        return told["trusted"], told["problems"]


@pytest.fixture
def codex(tmp_path: Path) -> Codex:
    program = installed("codex")
    if program is None:
        pytest.skip("needs codex")
    return Codex(tmp_path, program)


def our_lines_in(path: Path) -> list[str]:
    return [line for line in command_lines(path.name, path.read_bytes()) if OURS in line]


def test_codex_does_not_trust_what_is_new_or_changed_and_doctor_tells(codex: Codex) -> None:
    codex.did("install", "codex")
    config = codex.config.read_bytes()
    trusted, problems = codex.said()
    assert (trusted, len(problems)) == ("no", 1)
    assert "codex, then /hooks" in problems[0]
    assert codex.config.read_bytes() == config

    hooks = codex.listed()
    assert sorted(hook["command"] for hook in hooks) == sorted(our_lines_in(codex.file(CODEX)))
    codex.trust(hooks[1:])
    assert codex.said()[0] == "no"
    codex.trust(hooks[:1])
    assert codex.said() == ("yes", [])

    replace(codex.file(CODEX), '"timeout": 600', '"timeout": 599')
    assert codex.said()[0] == "no"


def test_codex_skips_hooks_of_a_project_that_it_does_not_trust_and_doctor_tells(
    codex: Codex,
) -> None:
    codex.did("install", *CODEX_HERE.words)

    trusted, problems = codex.said()

    assert trusted != "yes"
    assert problems
