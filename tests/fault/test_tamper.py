"""Files that are not what we wrote: said so, left alone, and mended only where nothing is guessed.

Everything in the state directory is compared byte for byte, locks included.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from goalkeeper.bootstrap import now
from goalkeeper.core.plan.events import LedgerRepaired
from goalkeeper.core.plan.model import ENGINE
from goalkeeper.errors import LedgerTorn
from goalkeeper.storage import upkeep
from tests.fault.rig import Argv, Repo, Tail, lines, planned
from tests.fault.scenarios import (
    ADD,
    CLASSIFY,
    FAIL,
    HOLD,
    REPAIR,
    START,
    SUPERSEDE_BLOCKER,
    TO_SUPERSEDE_BLOCKER,
)

Lines = list[bytes]
STATUS: Argv = ("status", "--json")
STEER: Argv = (*ADD, "--key", "another", "--json")
VERIFY: Argv = ("ledger", "verify", "--json")
ASKING = {"status": STATUS, "steer": STEER, "verify": VERIFY}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Five lines: plan_created, goal_started, steering, classification, checkpoint."""
    repo = planned(tmp_path / "repo", START, ADD, CLASSIFY, FAIL)
    assert len(lines(repo.ledger)) == 5
    return repo


def tampered(repo: Repo, change: Callable[[Lines], Lines]) -> dict[str, bytes]:
    """Change the ledger in place; every file afterwards."""
    before = repo.ledger.read_bytes()
    repo.ledger.write_bytes(b"".join(change(before.splitlines(keepends=True))))
    assert repo.ledger.read_bytes() != before
    return repo.files()


def reworded(number: int, old: bytes, new: bytes) -> Callable[[Lines], Lines]:
    def change(found: Lines) -> Lines:
        assert old in found[number - 1]
        changed = found[number - 1].replace(old, new)
        return [*found[: number - 1], changed, *found[number:]]

    return change


class Tamper(NamedTuple):
    name: str
    change: Callable[[Lines], Lines]
    says: str


BROKEN = (
    Tamper("a-middle-line-reworded", reworded(3, b"Do four.", b"Do five."), "line 3"),
    Tamper("a-middle-line-made-longer", reworded(3, b"Do four.", b"Do forty."), "line 3"),
    Tamper("a-middle-line-made-shorter", reworded(3, b"Do four.", b"Do it."), "line 3"),
    Tamper("the-first-line-reworded", reworded(1, b"Do one.", b"Do 111."), "line 1"),
    Tamper("a-middle-line-missing", lambda found: found[:2] + found[3:], "line 3"),
    Tamper("the-first-line-missing", lambda found: found[1:], "line 1"),
    Tamper("a-line-doubled", lambda found: found[:3] + found[2:], "line 4"),
    Tamper("the-last-line-doubled", lambda found: found + found[-1:], "line 6"),
    Tamper("two-lines-swapped", lambda f: [f[0], f[1], f[3], f[2], f[4]], "line 3"),
    Tamper("a-foreign-line", lambda f: [*f[:2], b"hello\n", *f[2:]], "line 3"),
    Tamper("a-foreign-object", lambda f: [*f[:2], b'{"seq":3}\n', *f[2:]], "line 3"),
    Tamper("a-foreign-last-line", lambda found: [*found, b"hello\n"], "line 6"),
    Tamper("an-empty-last-line", lambda found: [*found, b"\n"], "line 6"),
    Tamper("bytes-that-are-no-text", lambda f: [*f[:2], b"\xff\xfe\x00\n", *f[2:]], "line 3"),
    Tamper("no-lines-at-all", lambda _: [], "line 1"),
)


@pytest.mark.parametrize("tamper", BROKEN, ids=lambda tamper: tamper.name)
def test_a_broken_ledger_is_refused_by_all_and_mended_by_nobody(repo: Repo, tamper: Tamper) -> None:
    before = tampered(repo, tamper.change)

    for asked in (*ASKING.values(), (*REPAIR, "--json")):
        answer = repo.call(*asked)

        assert answer.code == 4, answer
        assert answer.error["code"] == "ledger-broken"
        assert int(answer.error["facts"]["line"]) in range(1, 7)
        assert (
            f"goalkeeper state clear --force --mode ultragoal --run {repo.here.name}"
            in (answer.error["hint"])
        )
        assert answer.error["message"] in answer.err
        assert repo.files() == before

    (finding,) = repo.call("state", "doctor", "--json").data["findings"]
    assert finding["code"] == "ledger-broken"
    assert repo.files() == before


@pytest.mark.parametrize("tamper", BROKEN, ids=lambda tamper: tamper.name)
def test_verify_names_the_line_where_a_ledger_is_broken(repo: Repo, tamper: Tamper) -> None:
    tampered(repo, tamper.change)

    assert tamper.says in repo.call(*VERIFY).error["message"]


@pytest.mark.parametrize(
    "tamper",
    BROKEN,
    ids=lambda tamper: tamper.name,
)
def test_status_names_the_line_where_a_ledger_is_broken(repo: Repo, tamper: Tamper) -> None:
    tampered(repo, tamper.change)

    assert tamper.says in repo.call(*STATUS).error["message"]


def test_a_broken_run_can_be_set_aside_as_the_message_says(repo: Repo) -> None:
    tampered(repo, BROKEN[0].change)
    broken = repo.ledger.read_bytes()
    run_id = repo.here.name

    clear = ("state", "clear", "--force", "--mode", "ultragoal", "--run", run_id)
    assert repo.call(*clear).code == 4  # an agent may have broken it to be rid of it
    key = Path(repo.did("init", "--yes", "--json").data["approval_key_path"]).read_text().strip()
    assert repo.run(*clear, GOALKEEPER_APPROVAL=key).code == 0

    assert (repo.state / "archive" / run_id / "ledger.jsonl").read_bytes() == broken
    assert repo.did(*STATUS).data["exists"] is False


def test_the_ledger_of_another_run_is_refused(repo: Repo, tmp_path: Path) -> None:
    other = planned(tmp_path / "other")
    before = tampered(repo, lambda _: [other.ledger.read_bytes()])

    for asked in (*ASKING.values(), (*REPAIR, "--json")):
        answer = repo.call(*asked)
        assert (answer.code, answer.error["code"]) == (4, "ledger-broken")
        assert repo.files() == before
    assert f"it is the ledger of run {other.here.name}" in repo.call(*VERIFY).error["message"]


def test_while_the_projections_lag_only_a_whole_look_finds_a_reworded_line(repo: Repo) -> None:
    last = Tail(repo, *HOLD)
    last.cut(len(last.bytes))  # all of it: killed between the append and the projections
    before = tampered(repo, BROKEN[0].change)

    assert repo.call(*VERIFY).error["code"] == "ledger-broken"
    (finding,) = repo.call("state", "doctor", "--json").data["findings"]
    assert finding["code"] == "ledger-broken"
    assert repo.files() == before


# The last line: nothing follows it that would hold its digest, but goals.json does.


SAME_LENGTH = reworded(5, b"2 tests fail", b"0 tests fail")


@pytest.mark.parametrize(
    "asked",
    [
        "status",
        "steer",
        "verify",
    ],
)
def test_a_reworded_last_line_is_refused(repo: Repo, asked: str) -> None:
    before = tampered(repo, SAME_LENGTH)

    answer = repo.call(*ASKING[asked])

    assert (answer.code, repo.files() == before) == (4, True), answer
    assert answer.error["code"] == "ledger-broken"
    assert "line 5" in answer.error["message"]


def test_a_reworded_last_line_is_not_made_good_by_a_repair(repo: Repo) -> None:
    before = tampered(repo, SAME_LENGTH)

    assert repo.call(*REPAIR).code == 4
    assert repo.files() == before


@pytest.mark.parametrize(
    "asked",
    [
        "status",
        "steer",
        "verify",
    ],
)
@pytest.mark.parametrize("kept", [4, 3, 1])
def test_lost_last_lines_are_missed(repo: Repo, asked: str, kept: int) -> None:
    before = tampered(repo, lambda found: found[:kept])

    answer = repo.call(*ASKING[asked])

    assert (answer.code, repo.files() == before) == (4, True)
    assert answer.error["code"] == "ledger-broken"
    assert f"lines {kept + 1} to 5" in answer.error["message"]
    assert f"goalkeeper state repair --run {repo.here.name}" in answer.error["hint"]


def test_a_repair_records_that_last_lines_were_lost(repo: Repo) -> None:
    tampered(repo, lambda found: found[:3])

    repo.did(*REPAIR)

    repaired = lines(repo.ledger)[-1]
    assert repaired["kind"] == "ledger_repaired"
    assert "lines 4 to 5, which goals.json knows, are missing" in " ".join(
        repaired["data"]["actions"]
    )
    repo.did(*VERIFY)


# A torn tail: the only thing that a crash of ours leaves.


@pytest.fixture(params=["one-event", "two-events"])
def tail(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Repo, Tail]:
    if request.param == "one-event":
        repo = planned(tmp_path / "repo")
        return repo, Tail(repo, *ADD)
    repo = planned(tmp_path / "repo", *TO_SUPERSEDE_BLOCKER[1:])
    return repo, Tail(repo, *SUPERSEDE_BLOCKER)


def test_a_command_torn_at_any_byte_is_refused_then_mended_and_its_bytes_kept(
    tail: tuple[Repo, Tail],
) -> None:
    repo, last = tail
    runs = repo.runs
    run = runs.named(repo.here.name)
    last.cut(0)
    sound = list(run.entries())

    size = len(last.bytes)
    ends = [at for at, byte in enumerate(last.bytes) if byte == ord("\n")]
    near = {at + step for at in (0, *ends, size) for step in range(-4, 5)}
    for length in sorted({*range(1, size, 4), *near} & {*range(1, size)}):
        torn = last.cut(length)
        before = repo.files()
        with pytest.raises(LedgerTorn) as read:
            run.read()
        with pytest.raises(LedgerTorn), run.writing():
            raise AssertionError("a turn on a torn ledger")
        with pytest.raises(LedgerTorn):
            upkeep.verify_run(run)
        assert [finding.code for finding in upkeep.find_problems(runs)] == ["ledger-torn"]
        assert read.value.facts["line"] == len(sound) + 1
        assert read.value.facts["torn_bytes"] == length
        assert repo.files() == before

        actions = upkeep.repair_run(run, [], at=now(), actor=ENGINE)
        *kept, repaired = run.entries()
        assert kept == sound
        assert repaired.event == LedgerRepaired(tuple(actions))
        assert f"moved {length} torn bytes from line {len(sound) + 1} on" in actions[0]
        (quarantined,) = (repo.here / "quarantine").iterdir()
        assert quarantined.read_bytes() == torn
        upkeep.verify_run(run)
        shutil.rmtree(repo.here / "quarantine")


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0], ids=["first-byte", "half", "all-but-one"])
def test_a_torn_tail_is_said_and_mended_on_the_command_line(
    tail: tuple[Repo, Tail], part: float
) -> None:
    repo, last = tail
    torn = last.cut(1 + int(part * (len(last.bytes) - 2)))
    before = repo.files()

    mend = f"state repair --run {repo.here.name}"
    for asked in ASKING.values():
        answer = repo.run(*asked)
        assert (answer.code, answer.error["code"]) == (4, "ledger-torn")
        assert answer.error["hint"] == f"goalkeeper {mend}"
        assert f"{len(torn)} byte(s) from line" in answer.err
        assert repo.files() == before

    repaired = repo.run(*mend.split(), "--json")
    assert repaired.code == 0
    assert "torn bytes" in repaired.data["actions"][0]
    repo.did(*VERIFY)
    repo.did(*STEER)


def test_a_foreign_end_without_a_newline_is_torn_and_its_bytes_kept(repo: Repo) -> None:
    tampered(repo, lambda found: [*found, b"hello"])

    assert repo.call(*STATUS).error["code"] == "ledger-torn"
    repo.did(*REPAIR)

    (quarantined,) = (repo.here / "quarantine").iterdir()
    assert quarantined.read_bytes() == b"hello"
    assert len(lines(repo.ledger)) == 6
    repo.did(*VERIFY)


# Projections: what they say counts for nothing.


def test_a_goal_marked_complete_in_goals_json_is_not_complete(repo: Repo) -> None:
    said = repo.goals.read_bytes()
    repo.goals.write_bytes(said.replace(b'"status":"failed"', b'"status":"complete"'))
    edited = repo.files()

    verified = repo.run(*VERIFY)
    status = repo.run(*STATUS)

    assert status.data["goals"][0]["status"] == "failed"
    assert (verified.code, verified.error["code"]) == (4, "projection-differs")
    assert str(repo.goals) in verified.error["message"]
    assert verified.error["hint"].startswith(f"goalkeeper state repair --run {repo.here.name}")
    assert repo.files() == edited
    (finding,) = repo.call("state", "doctor", "--json").data["findings"]
    assert finding["code"] == "projection-differs"

    repo.did(*HOLD)
    assert b'"status":"complete"' not in repo.goals.read_bytes()
    repo.did(*VERIFY)


@pytest.mark.parametrize("name", ["goals.json", "brief.md"])
@pytest.mark.parametrize("data", [b"", b"{}", b"[]\n", b"\xff", b'{"version":1}', None])
def test_a_projection_that_was_edited_or_lost_is_said_and_rebuilt(
    repo: Repo, name: str, data: bytes | None
) -> None:
    projection = repo.here / name
    original = projection.read_bytes()
    if data is None:
        projection.unlink()
    else:
        projection.write_bytes(data)

    assert repo.did(*STATUS).data["goals"][0]["status"] == "failed"
    assert repo.call(*VERIFY).error["code"] == "projection-differs"
    repo.did(*REPAIR)

    repo.did(*VERIFY)
    assert lines(repo.ledger)[-1]["data"]["actions"] == [f"rebuilt {name}"]
    if name == "brief.md":
        assert projection.read_bytes() == original


def test_what_the_cache_says_counts_for_nothing(repo: Repo) -> None:
    goals = repo.goals.read_bytes()
    for data in (b"", b"1 2 3", b"1 2 3 4", b"\xff" * 160, b"9" * 6000):
        repo.seen.write_bytes(data)
        assert repo.did(*STATUS).data["goals"][0]["status"] == "failed"
        repo.did(*VERIFY)
    assert repo.goals.read_bytes() == goals


def test_foreign_files_are_left_alone(repo: Repo) -> None:
    foreign = [
        repo.state / "notes.txt", repo.state / "runs" / "notes.txt", repo.here / "notes.txt",
        repo.state / "runs" / ".bound" / "notes", repo.state / "cache" / "notes",
    ]  # fmt: skip
    for path in foreign:
        path.write_bytes(b"mine")

    for asked in (*ASKING.values(), REPAIR, ("state", "doctor")):
        repo.did(*asked)

    assert [path.read_bytes() for path in foreign] == 5 * [b"mine"]
