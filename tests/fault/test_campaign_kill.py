"""kill -9 of a campaign's processes, and hands that meddle: what lands is proven, and only once."""

import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest

from goalkeeper.campaign.attempts import MOST_DEATHS
from tests.e2e.campaigns import Session, mend
from tests.e2e.drives import Script, shell
from tests.e2e.project import PATH
from tests.fault.aftermath import TALLY
from tests.fault.campaigns import (
    DRIVER,
    PROOF,
    USAGE,
    WORK,
    KilledCampaign,
    kill_at_random,
    parts,
    works,
)

BUSY = 75
MOST_STARTS = 3  # so often a session's process may end by itself without a drive
CAMPAIGN = "$(git for-each-ref --format='%(refname)' 'refs/heads/goalkeeper/campaign-*')"
OTHERS = "$(git for-each-ref --format='%(refname)' 'refs/heads/goalkeeper/2*/*' | grep -v $mine)"
MINE = "mine=$(git symbolic-ref HEAD)"

Record = Callable[[str, object], None]


class Make(Protocol):
    def __call__(
        self, names: str, *, sessions: Sequence[Session] = (), scripts: Sequence[Script] = ()
    ) -> KilledCampaign: ...


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make campaigns; nothing of them outlives the test."""
    made: list[KilledCampaign] = []

    def make_one(
        names: str, *, sessions: Sequence[Session] = (), scripts: Sequence[Script] = ()
    ) -> KilledCampaign:
        place = tmp_path / str(len(made))
        campaign = KilledCampaign(place, names, sessions=sessions, scripts=scripts)
        made.append(campaign)
        return campaign

    yield make_one
    for campaign in made:
        campaign.kill_all()


def check(campaign: KilledCampaign) -> None:
    found = campaign.find_violations()
    assert found == [], (campaign.root, campaign.kinds())


# The parent is killed.


def test_killed_after_every_event_of_its_ledger_a_campaign_comes_to_the_same_end(
    make: Make,
) -> None:
    campaign = make("ab", sessions=parts("ab"))
    campaign.kill_parent_at(campaign.count_lines() + 1)  # right after it began
    kills = 1
    while campaign.kinds()[-1] != "campaign_ended":
        kills += campaign.kill_parent_at(campaign.count_lines() + 2)
    assert kills >= 5, campaign.kinds()  # two events may come before anybody sees the first
    assert campaign.finish() == 0
    check(campaign)


@pytest.mark.thorough
def test_killed_between_the_move_of_its_branch_and_the_record_of_it_it_lands_once(
    make: Make,
) -> None:
    campaign = make("a")
    assert campaign.finish() == 0
    lines = campaign.record.read_bytes().splitlines(keepends=True)
    proven = campaign.kinds().index("batch_proven")
    campaign.record.write_bytes(b"".join(lines[: proven + 1]))  # the branch has the merge already
    assert campaign.finish() == 0
    check(campaign)
    assert "head_moved" not in campaign.kinds()


@pytest.mark.thorough
def test_killed_with_all_its_children_while_an_agent_works_it_goes_on(make: Make) -> None:
    """Nobody has a terminal here: whoever starts it again is no agent of the campaign by that."""
    campaign = make("a", scripts=[works("a", {"sleep": 1})])
    campaign.start_parent()
    campaign.wait_while(lambda: "phase_spawned" not in campaign.list_steps())
    assert campaign.kill_all()
    assert campaign.finish() == 0
    check(campaign)


def test_what_a_killed_parent_left_at_work_stops_with_the_campaign(make: Make) -> None:
    campaign = make("a", scripts=[works("a", {"sleep": 30})])
    campaign.start_parent()
    drivers = campaign.catch(DRIVER)
    campaign.kill_parent()
    began = campaign.count_lines()
    campaign.start_parent()
    campaign.wait_while(lambda: campaign.count_lines() == began)
    campaign.ok("campaign", "stop", env=campaign.human())
    assert campaign.wait_for_end() == 1
    assert campaign.tell()["ended"] == "stopped"
    assert campaign.find_leftovers() == []
    assert len(drivers) == 1


def test_a_parent_that_can_read_nothing_any_more_leaves_nobody_at_work(make: Make) -> None:
    campaign = make("a", scripts=[works("a", {"sleep": 30})])
    campaign.start_parent()
    assert campaign.catch(DRIVER)
    place = campaign.record.parent
    place.rename(place.with_name("moved"))
    assert campaign.wait_for_end() != 0
    assert campaign.list_survivors() == []
    place.with_name("moved").rename(place)


# Its children are killed.


def has_only(campaign: KilledCampaign, steps: int) -> bool:
    return len(campaign.list_steps()) <= steps


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param(("phase_spawned", "goal_completed"), id="some"),
        pytest.param((), id="all", marks=pytest.mark.thorough),
    ],
)
def test_drivers_killed_after_entries_of_their_ledger_are_started_again(
    make: Make, kinds: tuple[str, ...]
) -> None:
    campaign = make("a")
    campaign.start_parent()
    known, kills = 0, 0
    met: set[str] = set()  # whoever is killed at each beginning of a phase never ends one
    while campaign.wait_while(partial(has_only, campaign, known)):
        steps = campaign.list_steps()
        new = {*steps[known:]} & {*kinds} if kinds else {*steps[known:]} - met
        if new:
            kills += campaign.kill(*campaign.list_running(DRIVER))
        met |= new
        known = len(steps)
    assert kills >= len(kinds or range(6))
    assert campaign.wait_for_end() == 0
    check(campaign)


@pytest.mark.thorough
def test_processes_killed_before_they_did_anything_are_started_again(make: Make) -> None:
    campaign = make("a")
    campaign.start_parent()
    for kind in (WORK, PROOF):
        for _ in range(MOST_STARTS + 1):
            assert campaign.kill(*campaign.catch(kind))
    assert campaign.wait_for_end() == 0
    check(campaign)


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_a_session_whose_processes_are_always_killed_is_blocked_some_day_and_says_why(
    make: Make,
) -> None:
    campaign = make("a")
    campaign.start_parent()
    deaths = 0
    while campaign.is_alive:
        deaths += campaign.kill(*campaign.catch(WORK, DRIVER))
    assert campaign.wait_for_end() == 1
    told = campaign.tell()
    assert (told["ended"], told["sessions"][0]["status"]) == ("partial", "blocked")
    assert "was killed 20 times, and nothing was done in between" in told["detail"]
    assert deaths >= MOST_DEATHS
    campaign.ok("campaign", "unblock", "S01", "--reason", "nobody kills any more")
    assert campaign.finish() == 0
    check(campaign)


@pytest.mark.thorough
def test_killed_at_random_moments_a_campaign_comes_to_the_same_end(
    make: Make, rounds: int, record_property: Record
) -> None:
    seed = random.SystemRandom().randrange(2**32)
    campaign = make("ab")
    tally = kill_at_random(campaign, random.Random(seed), rounds * 2)  # bench has hundreds
    try:
        assert campaign.finish() == 0
        check(campaign)
    except AssertionError as exc:
        exc.add_note(f"seed {seed}; {campaign.tell()}")
        exc.add_note((campaign.place / "parent.err").read_text()[-2000:])
        raise
    record_property(TALLY, dict(tally))


# Its ledger is torn, or two want it.


@pytest.mark.thorough
def test_a_campaign_whose_gits_are_killed_now_and_then_comes_to_the_same_end(make: Make) -> None:
    """Too little memory kills them, too. A killed git has said nothing, neither yes nor no."""
    campaign = make("ab")
    real, counted = shutil.which("git"), campaign.place / "counted"
    (campaign.place / "bin").mkdir()
    mortal = campaign.place / "bin/git"
    mortal.write_text(
        f"#!/bin/sh\necho >> {counted}\n"
        f'test $(($(wc -l < {counted}) % 53)) = 0 && kill -9 $$\nexec {real} "$@"\n'
    )
    mortal.chmod(0o755)

    assert campaign.finish({"PATH": f"{mortal.parent}:{PATH}"}) == 0
    check(campaign)
    assert len(counted.read_text()) > 3 * 53


@pytest.mark.thorough
def test_a_torn_last_line_goes_to_quarantine_and_the_campaign_goes_on(make: Make) -> None:
    campaign = make("a")
    campaign.kill_parent_at(campaign.count_lines() + 2)
    campaign.kill_all()
    *whole, last = campaign.record.read_bytes().splitlines(keepends=True)
    for torn in (last[:-1], last[:40], last[:1]):
        campaign.record.write_bytes(b"".join(whole) + torn)
        told = campaign.run("campaign", "status", "--json")
        assert (told.code, told.json.get("ended")) == (0, None)  # who only looks sees what is whole
        campaign.kill_parent_at(len(whole) + 1)
        campaign.kill_all()
        (kept,) = campaign.record.parent.glob("quarantine/*.torn*")
        assert kept.read_bytes() == torn
        kept.unlink()
        *whole, last = campaign.record.read_bytes().splitlines(keepends=True)
    assert campaign.finish() == 0
    check(campaign)


@pytest.mark.thorough
def test_the_second_parent_of_a_campaign_is_refused_and_changes_nothing(make: Make) -> None:
    campaign = make("a")
    first = campaign.start_parent()
    campaign.catch(WORK, DRIVER)
    stopped = campaign.list_running()
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    before = campaign.bytes_of_state()
    refused = campaign.work("--campaign", campaign.campaign_id)
    after = campaign.bytes_of_state()
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    assert (refused.code, refused.reason) == (BUSY, "lock-busy")
    assert str(first.pid) in refused.json["error"]["message"]
    assert refused.json["error"]["hint"] == "goalkeeper campaign status"
    assert before == after
    assert campaign.wait_for_end() == 0
    check(campaign)
    assert campaign.kinds().count("campaign_began") == 1


@pytest.mark.thorough
def test_two_campaigns_at_once_in_one_repository_both_finish(make: Make) -> None:
    one = make("a")
    other = one.plan_beside("c")
    one.start_parent()
    other.start_parent()
    assert (one.wait_for_end(), other.wait_for_end()) == (0, 0)
    check(one)
    check(other)


# Workers and users meddle.


@pytest.mark.thorough
def test_workers_that_lose_their_branch_or_worktree_land_all_the_same(make: Make) -> None:
    deletes = shell(f"{MINE}; git update-ref -d $mine")
    removes = shell('rm -rf "$PWD"')
    unhooks = shell("git worktree remove --force .")
    campaign = make(
        "abc",
        sessions=parts("abc"),
        scripts=[
            {"*": [mend("parts/a.txt"), deletes, USAGE]},
            {"*": {"1": [mend("parts/b.txt"), removes, USAGE], "2": [mend("parts/b.txt"), USAGE]}},
            {"*": {"1": [unhooks, USAGE], "2": [mend("parts/c.txt"), USAGE]}},
        ],
    )
    assert campaign.finish() == 0
    check(campaign)


def write_commit(refs: str, part: str) -> str:
    """Shell words that commit a false part on other branches than the one that is worked on."""
    return (
        f"{MINE}; for ref in {refs}; do export GIT_INDEX_FILE=$(mktemp -u); git read-tree $ref;"
        f" blob=$(echo false | git hash-object -w --stdin);"
        f" git update-index --cacheinfo 100644,$blob,parts/{part}.txt;"
        " git update-ref $ref $(git -c user.name=me -c user.email=me@here commit-tree"
        " $(git write-tree) -p $ref -m false); done"
    )


@pytest.mark.thorough
def test_what_a_worker_commits_to_the_campaigns_branch_is_noticed_and_does_not_land(
    make: Make,
) -> None:
    scripts = [works("a", shell(write_commit(CAMPAIGN, "f"))), works("b")]
    campaign = make("ab", sessions=parts("ab"), scripts=scripts)
    assert campaign.finish() == 0
    assert campaign.kinds().count("head_moved") == 1
    assert sorted(campaign.list_landed_ids()) == ["S01", "S02"]
    assert campaign.find_leftovers() == []
    campaign.ok("campaign", "land")
    found = {name: (campaign.root / f"parts/{name}.txt").read_text() for name in "abf"}
    assert found == {"a": "fixed\n", "b": "fixed\n", "f": "broken\n"}


@pytest.mark.thorough
def test_what_a_worker_commits_to_the_branch_of_its_neighbour_does_not_land(
    make: Make, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    meddles = shell(f"{write_commit(OTHERS, 'b')}; git log -1 --format=%s $ref > {seen}")
    scripts = [works("a", {"sleep": 1}, meddles), works("b", {"sleep": 2})]
    campaign = make("ab", sessions=parts("ab"), scripts=scripts)
    assert campaign.finish() == 0
    assert seen.read_text() == "false\n"
    check(campaign)


@pytest.mark.thorough
def test_a_campaigns_branch_that_a_worker_deleted_is_made_again(make: Make) -> None:
    campaign = make("a", scripts=[works("a", shell(f"git update-ref -d {CAMPAIGN}"))])
    assert campaign.finish() == 0
    assert "head_moved" in campaign.kinds()
    check(campaign)


@pytest.mark.thorough
def test_a_user_may_commit_to_both_branches_while_a_campaign_runs(make: Make) -> None:
    campaign = make("a")
    campaign.start_parent()
    campaign.catch(DRIVER)
    campaign.write({"parts/e.txt": "mine\n"})
    mine = campaign.commit("my own work")
    campaign.commit_to_branch({"parts/d.txt": "mine\n"})
    assert campaign.wait_for_end() == 0
    assert campaign.kinds().count("head_moved") == 1
    assert campaign.list_landed_ids() == ["S01"]
    assert campaign.git("rev-parse", "main").strip() == mine
    found = {name: campaign.read_head(f"parts/{name}.txt") for name in "ade"}
    assert found == {"a": "fixed", "d": "mine", "e": "broken"}


@pytest.mark.thorough
def test_a_branch_that_was_moved_away_from_what_landed_ends_a_campaign_honestly(
    make: Make,
) -> None:
    campaign = make("ab")
    campaign.start_parent()
    campaign.wait_while(lambda: "batch_landed" not in campaign.kinds())
    landed = campaign.git("rev-parse", campaign.branch).strip()
    campaign.git("update-ref", f"refs/heads/{campaign.branch}", campaign.origin)
    assert campaign.wait_for_end() == 1
    told = campaign.tell()
    assert "head_moved" in campaign.kinds()
    assert told["ended"] == "not-whole"
    assert "S01 G001/C1" in told["detail"]
    assert campaign.find_leftovers() == []
    campaign.git("update-ref", f"refs/heads/{campaign.branch}", landed)
    assert campaign.finish() == 0
    check(campaign)
