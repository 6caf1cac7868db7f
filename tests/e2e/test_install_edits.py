"""Settings that the user edits, breaks or loses while ours is in them."""

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.installs import (
    CLAUDE,
    CLAUDE_HERE,
    CODEX,
    CURSOR,
    GEMINI_HERE,
    LAYOUTS,
    MERGED,
    Home,
    House,
    our_lines,
    put,
)
from tests.tables import for_each


@pytest.fixture
def somebody(tmp_path: Path) -> Home:
    return Home(tmp_path)


@for_each("house", MERGED, ids=str)
def test_what_was_edited_meanwhile_stays_and_only_ours_goes(house: House, tmp_path: Path) -> None:
    somebody = Home(tmp_path)
    before = somebody.value(house)
    somebody.did("install", *house.words)
    edited = somebody.value(house)
    edit = {**edited, "later": {"a": [1]}}
    put(somebody.file(house), json.dumps(edit, indent=4))

    somebody.did("uninstall", *house.words)

    assert somebody.value(house) == {**before, "later": {"a": [1]}}
    assert somebody.file(house).read_text().startswith('{\n    "')
    assert our_lines(somebody.seen()) == []


@for_each("house", MERGED, ids=str)
def test_what_was_edited_between_two_installs_stays_and_ours_goes(
    house: House, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    before = somebody.value(house)
    somebody.did("install", *house.words)
    put(somebody.file(house), json.dumps({**somebody.value(house), "later": 1}))

    somebody.did("install", *house.words)
    somebody.did("uninstall", *house.words)

    assert our_lines(somebody.seen()) == []
    assert somebody.value(house) == {**before, "later": 1}


def test_a_hook_of_the_users_within_our_group_stays(somebody: Home) -> None:
    somebody.did("install", *CLAUDE_HERE.words)
    settings = somebody.value(CLAUDE_HERE)
    mine = {"type": "command", "command": "mine"}
    settings["hooks"]["SessionEnd"][0]["hooks"].append(mine)
    put(somebody.file(CLAUDE_HERE), json.dumps(settings))

    somebody.did("uninstall", *CLAUDE_HERE.words)

    assert somebody.value(CLAUDE_HERE)["hooks"]["SessionEnd"] == [{"hooks": [mine]}]


def test_a_file_of_ours_that_the_user_made_theirs_is_left(somebody: Home) -> None:
    somebody.did("install", "codex")
    skill = put(somebody.home / ".agents/skills/goalkeeper-ultraplan/SKILL.md", "mine now\n")

    somebody.did("uninstall", "codex")

    assert skill.read_text() == "mine now\n"
    assert [path.name for path in (somebody.home / ".agents/skills").iterdir()] != ["mine"]


def test_a_file_of_the_users_where_ours_goes_is_given_back(somebody: Home) -> None:
    put(somebody.home / ".agents/skills/goalkeeper-ultraplan/SKILL.md", "mine before\n")
    before = somebody.seen()

    somebody.did("install", "codex")
    somebody.did("uninstall", "codex")

    assert somebody.seen() == before


def test_a_file_that_we_made_goes_when_nothing_but_ours_is_in_it(tmp_path: Path) -> None:
    nobody = Home(tmp_path, bare=True)
    nobody.did("install", "codex")
    put(nobody.file(CODEX), json.dumps(nobody.value(CODEX)))  # only set in another way

    nobody.did("install", "codex")
    nobody.did("uninstall", "codex")

    assert nobody.seen() == {}


BROKEN = {
    "no end": '{"hooks": {',
    "not JSON": "hooks = 1",
    "two documents": "{} {}",
    "blank": " \n",
    "a word": '"hooks"',
    "a list": "[]",
    "a list with items": '[{"hooks": {}}]',
    "hooks is a word": '{"hooks": "Stop"}',
    "hooks is a list": '{"hooks": [{"Stop": []}]}',
    "hooks is nothing": '{"hooks": null}',
    "a bad escape": '{"\\x": 1}',
    "not UTF-8": '{"a": "\udcff"}',
    "deep": "[" * 100_000,
}


@for_each(
    ("house", "broken"),
    [(house, name) for house in MERGED for name in BROKEN
     if house != CLAUDE or not name.startswith("hooks is")],  # only a status line goes there
    ids=str,
)  # fmt: skip
def test_settings_that_cannot_be_used_are_named_and_nothing_is_written(
    house: House, broken: str, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    somebody.file(house).write_bytes(BROKEN[broken].encode(errors="surrogateescape"))
    before = somebody.all_seen()

    answer = somebody.call("install", *house.words, "--json")

    assert (answer.code, answer.reason) == (3, "settings-unreadable")
    assert str(somebody.file(house)) in answer.json["error"]["message"]
    assert somebody.all_seen() == before


@for_each("house", MERGED, ids=str)
def test_a_folder_in_the_place_of_settings_is_named_and_nothing_is_written(
    house: House, tmp_path: Path
) -> None:
    somebody = Home(tmp_path)
    somebody.file(house).unlink()
    somebody.file(house).mkdir()
    before = somebody.all_seen()

    answer = somebody.run("install", *house.words, "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")
    assert str(somebody.file(house)) in answer.err
    assert somebody.all_seen() == before


def test_settings_with_a_byte_order_mark_are_kept_or_named(somebody: Home) -> None:
    somebody.file(CODEX).write_text("\ufeff" + LAYOUTS["pretty"]({"hooks": {}}))
    before = somebody.seen()

    answer = somebody.call("install", "codex", "--json")

    assert answer.code == 3 or somebody.file(CODEX).read_text().startswith("\ufeff")
    assert answer.code == 0 or somebody.seen() == before
    assert answer.code == 3 or somebody.call("uninstall", "codex").code == 0
    assert somebody.seen() == before


def test_uninstalling_what_was_removed_by_hand_ends_well(somebody: Home) -> None:
    somebody.did("install", *CURSOR.words)
    shutil.rmtree(somebody.file(CURSOR).parent)

    assert "nothing left" in somebody.did("uninstall", *CURSOR.words).out
    assert not somebody.records.exists()


def test_settings_that_were_broken_meanwhile_are_named_and_mended_later(somebody: Home) -> None:
    before = somebody.seen()
    somebody.did("install", "claude")
    whole = somebody.file(CLAUDE).read_bytes()
    put(somebody.file(CLAUDE), "{")
    broken = somebody.seen()

    answer = somebody.call("uninstall", "claude", "--json")

    assert (answer.code, answer.reason) == (3, "settings-unreadable")
    assert somebody.seen() == broken
    somebody.file(CLAUDE).write_bytes(whole)
    somebody.did("uninstall", "claude")
    assert somebody.seen() == before


def test_comments_in_geminis_settings_outlast_us(somebody: Home) -> None:
    path = somebody.file(GEMINI_HERE)
    put(path, '{\n  "hooks": {\n    // none yet\n  },\n  "ui": {} // dark\n}\n')
    somebody.did("install", *GEMINI_HERE.words)
    within = path.read_text()
    put(path, within + "// edited\n")

    somebody.did("uninstall", *GEMINI_HERE.words)

    assert "// none yet\n" in within
    assert path.read_text().endswith('"ui": {} // dark\n}\n// edited\n')
