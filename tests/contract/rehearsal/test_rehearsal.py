"""The rehearsal agent at work: what it prints, writes, runs and reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.rehearsal.acts import ACTS
from tests.contract.rehearsal.rehearsals import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture
def repository(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A repository of somebody whose name git does not know."""
    house.git("init", "--quiet", "--initial-branch", "main")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{who}_NAME")
        monkeypatch.delenv(f"GIT_{who}_EMAIL")
    return house


def test_without_an_entry_it_does_nothing_and_says_so(house: House) -> None:
    played = house.follow({"G002": [{"write": {"path": "a", "text": ""}}]})

    assert played.code == 0
    assert played.kinds == ["start", "say", "result"]
    assert played.result["said"] == "nothing to do"
    assert list(house.tree.iterdir()) == []


def test_its_stream_begins_with_a_start_and_ends_with_one_result(house: House) -> None:
    played = house.play({"say": "begun"}, {"think": "hm"}, {"say": "done"})

    start, *_, result = played.told
    assert start == {"type": "start", "session": "rehearsal-G001-2-impl-1", "model": "rehearsal"}
    assert result == {
        "type": "result",
        "ending": "ok",
        "problem": "",
        "usage": {"input": 0, "output": 0, "cached": 0},
        "cost": 0.0,
        "said": "done",
    }
    assert played.kinds == ["start", "say", "think", "say", "result"]


def test_its_session_is_the_one_it_was_given(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOALKEEPER_SESSION", "0f6e")

    assert house.play().told[0]["session"] == "0f6e"


def test_it_writes_files_in_folders_that_are_not_there(house: House) -> None:
    played = house.play({"write": {"path": "src/deep/a.py", "text": "é = 1\r\n"}})

    assert (house.tree / "src/deep/a.py").read_bytes() == "é = 1\r\n".encode()
    assert played.of("tool") == [{"type": "tool", "name": "write", "about": "src/deep/a.py"}]


def test_it_appends_replaces_and_deletes(house: House) -> None:
    (house.tree / "old").mkdir()
    (house.tree / "old/b").write_text("")
    (house.tree / "link").symlink_to("old")

    house.play(
        {"write": {"path": "a", "text": "1\n"}},
        {"append": {"path": "a", "text": "1\n"}},
        {"append": {"path": "new", "text": ""}},
        {"replace": {"path": "a", "old": "1", "new": "22"}},
        {"delete": {"path": "link"}},
        {"delete": {"path": "old"}},
    )

    assert (house.tree / "a").read_text() == "22\n22\n"
    assert sorted(path.name for path in house.tree.iterdir()) == ["a", "new"]


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        ({"replace": {"path": "a", "old": "not there", "new": ""}}, "does not contain"),
        ({"replace": {"path": "missing", "old": "x", "new": ""}}, "No such file"),
        ({"delete": {"path": "missing"}}, "No such file"),
        ({"write": {"path": ".", "text": ""}}, "Is a directory"),
    ],
)
def test_an_act_that_does_not_fit_the_tree_is_a_crash(
    house: House, act: dict[str, Any], problem: str
) -> None:
    (house.tree / "a").write_text("as it was")

    played = house.play(act, {"write": {"path": "a", "text": "never"}})

    assert played.code == 1
    assert played.result["ending"] == "crash"
    assert problem in played.result["problem"]
    assert problem in played.errors
    assert "Traceback" not in played.errors
    assert (house.tree / "a").read_text() == "as it was"


def test_programs_run_where_it_works_and_only_their_exit_is_told(house: House) -> None:
    played = house.play(
        {"run": {"argv": ["sh", "-c", "pwd > here; echo heard; cat; exit 3"]}},
        {"run": {"argv": ["no-such-program"]}},
        {"run": {"argv": ["sh", "-c", "kill -9 $$"]}},
    )

    assert (house.tree / "here").read_text().strip() == str(house.tree)
    assert [ran["exit"] for ran in played.of("ran")] == [3, 127, -9]
    assert b"heard" not in played.out.replace(b"echo heard", b"")
    assert played.code == 0


def test_it_commits_all_there_is_without_an_identity_of_the_user(repository: House) -> None:
    repository.play(
        {"write": {"path": "a", "text": "1"}},
        {"branch": {"name": "aside"}},
        {"commit": {"message": "first\n\nwith a body"}},
        {"git": {"args": ["tag", "-a", "v1", "-m", "annotated"]}},
    )

    assert repository.git("status", "--porcelain") == ""
    assert repository.git("branch", "--show-current") == "aside"
    assert repository.git("log", "--format=%an|%s|%b").strip() == "Rehearsal|first|with a body"
    assert repository.git("describe") == "v1"


def test_an_honest_exit_is_a_command_of_ours(repository: House) -> None:
    played = repository.play({"signal": {"kind": "needs-human", "evidence": "two readings of C1"}})

    (tool,), (ran,) = played.of("tool"), played.of("ran")
    assert tool["about"].startswith(sys.executable)
    words = "-m goalkeeper blocked --as needs-human --evidence two readings of C1"
    assert tool["about"].endswith(words)
    assert ran["exit"] != 127


def test_it_can_be_asked_what_it_was_told(house: House) -> None:
    fits = {"expect_prompt": {"contains": "criterion C1", "lacks": "held out"}}

    assert house.play(fits, prompt="of criterion C1: …").code == 0

    for prompt, problem in (
        ("nothing of it", "the prompt does not contain: criterion C1"),
        ("criterion C1, held out", "the prompt contains: held out"),
    ):
        played = house.play(fits, prompt=prompt)
        assert played.code == 9
        assert played.errors == f"rehearsal: {problem}\n"
        assert played.result["ending"] == "crash"
        assert played.result["problem"] == problem


def test_usage_is_added_up_and_told_at_the_end(house: House) -> None:
    played = house.play(
        {"usage": {"input": 10, "output": 5, "cached": 3, "cost": 0.1}},
        {"usage": {"input": 1, "cost": 0.2}},
    )

    assert played.result["usage"] == {"input": 11, "output": 5, "cached": 3}
    assert played.result["cost"] == 0.3
    assert played.kinds == ["start", "result"]


def test_long_words_are_clipped_in_the_result_only(house: House) -> None:
    played = house.play({"say": "x" * 5000})

    assert len(played.of("say")[0]["text"]) == 5000
    assert len(played.result["said"]) == 2000


def test_it_starts_without_what_it_does_not_need() -> None:
    heavy = {"subprocess", "argparse", "typing", "goalkeeper.core", "goalkeeper.errors"}
    code = "import sys, goalkeeper.rehearsal.__main__; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-I", "-c", code], check=True, capture_output=True)

    assert heavy.isdisjoint(loaded.stdout.decode().split())


def test_every_act_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs/rehearsal.md").read_text()

    assert [name for name in ACTS if f"| `{name}` |" not in page] == []
