"""`install` and `uninstall`: ours is put in beside what is there, and taken out without a trace."""

import json
import os
import subprocess
import sys
import sysconfig
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.clients.install.json_text import parse
from tests.clients import installed
from tests.e2e.installs import (
    CLAUDE,
    CODEX,
    CODEX_HERE,
    CURSOR,
    GEMINI_HERE,
    HOUSES,
    LAYOUTS,
    MERGED,
    OURS,
    Home,
    House,
    our_lines,
    put,
)
from tests.tables import for_each, sampled

OUR_WORDS = OURS.encode()
SHAPES = [CLAUDE, CODEX, GEMINI_HERE, CURSOR]  # in another scope a client's settings look the same


@pytest.fixture
def somebody(tmp_path: Path) -> Home:
    return Home(tmp_path)


def is_within(part: Any, whole: Any) -> bool:  # noqa: ANN401  JSON
    """Whether all of a document is in another: members by name, items in their order."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and is_within(part[name], whole[name]) for name in part)
    if isinstance(part, list) and isinstance(whole, list):
        rest = iter(whole)
        return all(any(is_within(item, other) for other in rest) for item in part)
    return bool(part == whole)


@for_each("house", HOUSES, ids=str)
def test_it_goes_in_once_and_comes_out_without_a_trace(house: House, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    before = somebody.seen()

    first = somebody.ok("install", *house.words)
    once = somebody.seen()
    again = somebody.ok("install", *house.words)
    twice = somebody.seen()
    gone = somebody.ok("uninstall", *house.words)

    changed = {os.path.relpath(path, somebody.home.parent) for path in first["changed"]}
    files = {name for name, each in once.items() if each[0] == "file"}
    assert {name for name in files if before.get(name) != once[name]} == changed
    assert set(before) <= set(once)
    assert our_lines(once)
    assert (again["changed"], twice) == ([], once)
    assert set(gone["changed"]) == set(first["changed"])
    assert somebody.seen() == before
    assert not somebody.records.exists()


@for_each("house", HOUSES, ids=str)
def test_a_home_that_no_client_ever_saw_is_left_as_it_was(house: House, tmp_path: Path) -> None:
    nobody = Home(tmp_path, bare=True)

    nobody.did("install", *house.words)
    once = nobody.seen()
    nobody.did("install", *house.words)
    twice = nobody.seen()
    nobody.did("uninstall", *house.words)

    assert our_lines(once)
    assert twice == once
    assert nobody.seen() == {}


@pytest.mark.parametrize("layout", sampled(LAYOUTS, one_in=4))
@for_each("house", SHAPES, ids=str)
def test_settings_of_any_layout_are_kept_and_given_back(
    house: House, layout: str, tmp_path: Path
) -> None:
    somebody = Home(tmp_path, LAYOUTS[layout])
    path = somebody.file(house)
    before, old = somebody.seen(), path.read_text()

    somebody.did("install", *house.words)
    new = path.read_text()
    once = somebody.seen()
    somebody.did("install", *house.words)

    assert somebody.seen() == once
    assert new != old
    assert is_within(parse(old).value, parse(new).value)
    rest = iter(new)
    assert all(mark in rest for mark in old)
    somebody.did("uninstall", *house.words)
    assert somebody.seen() == before


@pytest.mark.parametrize(
    "text",
    sampled(
        [
            "",
            "{}",
            "{ }\n",
            '{"hooks": {}}',
            '{"hooks":{},"a":1}',
            '{\n  "hooks": {}\n}\n',
            '{\n  "hooks": {\n    "Stop": []\n  }\n}',
            '{"hooks": {"Stop": [], "AfterAgent": [], "stop": []}}',
        ],
        one_in=4,
    ),
)
@for_each("house", SHAPES, ids=str)
def test_settings_with_nothing_in_them_are_the_same_after_a_second_time(
    house: House, text: str, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    path = put(somebody.file(house), text)
    somebody.did("install", *house.words)
    once = path.read_bytes()

    somebody.did("install", *house.words)

    assert path.read_bytes() == once
    somebody.did("uninstall", *house.words)
    assert path.read_text() == text


@for_each("house", MERGED, ids=str)
def test_settings_behind_a_link_are_changed_where_they_are_with_their_rights(
    house: House, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    path = somebody.file(house)
    place = somebody.home if house.scope == "user" else somebody.root
    real = put(place / "dotfiles" / f"{house}.json", path.read_text())
    real.chmod(0o600)
    path.unlink()
    path.symlink_to(real)
    before = somebody.seen()

    somebody.did("install", *house.words)

    assert path.readlink() == real
    assert OUR_WORDS in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o600
    somebody.did("uninstall", *house.words)
    assert somebody.seen() == before


@for_each("house", [house for house in MERGED if house.scope == "project"], ids=str)
def test_a_link_out_of_the_project_is_not_followed(house: House, tmp_path: Path) -> None:
    somebody = Home(tmp_path, bare=True)
    (folder, *_) = somebody.file(house).relative_to(somebody.root).parts
    (somebody.root / folder).symlink_to(somebody.home)
    before = somebody.seen()

    answer = somebody.call("install", *house.words, "--json")

    assert (answer.code, answer.reason) == (3, "settings-unreadable")
    assert somebody.seen() == before


def test_a_link_to_settings_that_are_not_there_yet_is_kept(somebody: Home) -> None:
    path = somebody.file(CODEX)
    path.unlink()
    path.symlink_to(somebody.home / "dotfiles.json")
    before = somebody.seen()

    somebody.did("install", "codex")
    assert OUR_WORDS in path.read_bytes()
    somebody.did("uninstall", "codex")

    assert somebody.seen() == before


def test_what_only_the_user_may_read_is_kept_where_only_the_user_may_read_it(
    somebody: Home,
) -> None:
    secret = somebody.file(CLAUDE).read_bytes()
    somebody.file(CLAUDE).chmod(0o600)

    somebody.did("install", "claude")

    copies = [path for path in somebody.records.rglob("*") if path.is_file()]
    assert secret in [path.read_bytes() for path in copies]
    assert {path.stat().st_mode & 0o777 for path in copies} == {0o600}
    assert (somebody.records / "claude-user").stat().st_mode & 0o777 == 0o700


def test_people_are_told_in_few_lines(somebody: Home) -> None:
    skills, hooks = somebody.home / ".agents/skills", somebody.file(CODEX)

    wrote = somebody.did("install", "codex").out.splitlines()
    again = somebody.did("install", "codex").out.splitlines()
    undid = somebody.did("uninstall", "codex").out.splitlines()

    assert wrote[:2] == [
        f"Wrote 15 files below {skills}",
        f"Wrote {hooks} (what was there is kept)",
    ]
    assert again[0] == "Already installed; nothing changed."
    assert undid == [f"Undid 15 files below {skills}", f"Undid {hooks}"]


def test_a_status_line_of_the_users_is_theirs(somebody: Home) -> None:
    line = {"type": "command", "command": "date"}
    put(somebody.file(CLAUDE), json.dumps({"statusLine": line}))

    somebody.did("install", "claude")

    assert somebody.value(CLAUDE) == {"statusLine": line}


@pytest.mark.parametrize("house", sampled(HOUSES, one_in=5), ids=str)
def test_an_older_goalkeeper_is_replaced_not_doubled(house: House, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    before = somebody.seen()
    older(somebody, "install", *house.words)
    old = our_lines(somebody.seen())

    somebody.did("install", *house.words)
    new = our_lines(somebody.seen())
    somebody.did("uninstall", *house.words)

    assert len(new) == len(old)
    assert all("/old/python" in line for line in old)
    assert all(sys.executable in line for line in new)
    assert somebody.seen() == before


def older(somebody: Home, *words: str) -> None:
    """The command, by an interpreter in another place."""
    place = somebody.home.parent / "old"
    place.mkdir(exist_ok=True)
    python = place / "python"
    python.unlink(missing_ok=True)
    python.symlink_to(sys.executable)
    source = Path(sys.modules["goalkeeper"].__path__[0]).parent
    modules = {"PYTHONPATH": f"{source}:{sysconfig.get_path('purelib')}"}
    subprocess.run(
        [python, "-m", "goalkeeper", *words],
        cwd=somebody.root, env=somebody.environ(modules), check=True, capture_output=True,
    )  # fmt: skip


@for_each("house", HOUSES, ids=str)
def test_a_dry_run_says_what_would_be_written_and_writes_nothing(
    house: House, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    before = somebody.all_seen()

    told = somebody.call("install", *house.words, "--dry-run", "--json")
    said = somebody.call("install", *house.words, "--dry-run")

    assert somebody.all_seen() == before
    done = somebody.did("install", *house.words, "--json")
    assert told.json["changed"] == done.json["changed"]
    assert said.out.startswith("Would write ")
    follow = house.words if house.scope == "project" else (house.client,)
    assert f"next: goalkeeper install {' '.join(follow)}\n" in said.out


@for_each("client", ["claude", "codex", "gemini", "opencode"])
def test_both_scopes_at_once_are_warned_of(client: str, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    before = somebody.seen()
    first = somebody.run("install", client, "--scope", "project")
    second = somebody.run("install", client, "--json")

    assert (first.code, first.err) == (0, "")
    (warning,) = second.json["warnings"]
    assert f"goalkeeper uninstall {client} --scope project" in warning
    assert second.err == f"goalkeeper: warning: {warning}\n"
    assert second.code == 0
    somebody.did("uninstall", client)
    somebody.did("uninstall", client, "--scope", "project")
    assert somebody.seen() == before


def test_projects_are_told_apart_and_found_from_a_folder_within(tmp_path: Path) -> None:
    one, other = Home(tmp_path / "one"), Home(tmp_path / "other")
    env = {"HOME": str(one.home)}
    within = one.root / "src/deep"
    within.mkdir(parents=True)

    one.ok("install", *CODEX_HERE.words, cwd=within)
    refused = other.run("uninstall", *CODEX_HERE.words, "--json", env=env)

    assert OUR_WORDS in one.file(CODEX_HERE).read_bytes()
    assert (refused.code, refused.reason) == (2, "not-installed")
    assert one.ok("uninstall", *CODEX_HERE.words)["changed"]


def test_all_at_once_come_out_in_any_order(somebody: Home) -> None:
    before = somebody.seen()
    for house in HOUSES:
        assert somebody.call("install", *house.words).code == 0

    for one, _ in pairwise([*HOUSES[::2], *HOUSES[1::2], HOUSES[0]]):
        somebody.did("uninstall", *one.words)

    assert somebody.seen() == before


@for_each(
    ("words", "reason", "hint"),
    [
        (("install",), "usage", "goalkeeper install --help"),
        (("install", "emacs"), "usage", "goalkeeper install --help"),
        (("install", "claude", "--scope", "machine"), "usage", "goalkeeper install --help"),
        (("uninstall", "claude"), "not-installed", "goalkeeper doctor"),
        (("uninstall", "claude", "--dry-run"), "usage", "goalkeeper uninstall --help"),
    ],
)
def test_wrong_words_are_refused_with_a_way_on(
    words: tuple[str, ...], reason: str, hint: str, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    before = somebody.all_seen()

    answer = somebody.run(*words, "--json")

    assert (answer.code, answer.reason, answer.hint) == (2, reason, hint)
    assert somebody.all_seen() == before


@for_each("command", ["install", "uninstall", "doctor"])
def test_the_help_shows_an_example(command: str, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    answer = somebody.run(command, "--help")

    assert (answer.code, answer.err) == (0, "")
    assert f"example:\n  goalkeeper {command}" in answer.out


def test_claude_finds_nothing_wrong_with_its_plugin(somebody: Home) -> None:
    claude = installed("claude")
    if claude is None:
        pytest.skip("needs claude")
    somebody.did("install", "claude")
    plugin = somebody.home / ".claude/skills/goalkeeper"
    env = {"HOME": str(somebody.home), "PATH": os.environ["PATH"]}

    for part in (plugin, plugin / ".claude-plugin/plugin.json"):
        words = [str(claude), "plugin", "validate", "--strict", str(part)]
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
