"""A disk that is full while a campaign runs: it says so, loses nothing, and goes on with room."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fault.campaigns import KilledCampaign, works
from tests.fault.test_disk import fill, mounted
from tests.tables import thorough

FULL = "No space left on device"


@pytest.fixture
def put_on_small_disk() -> Iterator[Callable[[Path], None]]:
    """Move a folder to a disk with room for little."""
    with ExitStack() as mounts:

        def move(place: Path) -> None:
            kept = place.with_name(f"{place.name}-before")
            place.rename(kept)
            place.mkdir()
            mounts.enter_context(mounted("-t", "tmpfs", "-o", "size=2m", "small", at=place))
            subprocess.run(["cp", "-a", f"{kept}/.", str(place)], check=True)

        yield move


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[KilledCampaign]:
    made = KilledCampaign(tmp_path, "a", scripts=[works("a", {"sleep": 1})])
    yield made
    made.kill_all()


@pytest.mark.parametrize(
    "moment", [thorough("session_admitted"), "session_ended", thorough("batch_proven")]
)
@pytest.mark.thorough
def test_a_campaign_whose_ledgers_have_no_room_says_so_and_goes_on_with_room(
    campaign: KilledCampaign, put_on_small_disk: Callable[[Path], None], moment: str
) -> None:
    put_on_small_disk(campaign.state)
    campaign.start_parent()
    campaign.wait_while(lambda: moment not in campaign.kinds())
    filler = fill(campaign.state)

    assert campaign.wait_for_end() == 5

    said = (campaign.place / "parent.err").read_text()
    assert FULL in said
    assert "bug in goalkeeper" not in said
    assert "ended" not in campaign.run("campaign", "status").out
    filler.unlink()
    assert campaign.finish() == 0
    assert campaign.find_violations() == []


@pytest.mark.thorough
def test_a_session_whose_driver_had_no_room_is_blocked_by_that_name_and_lands_with_room(
    campaign: KilledCampaign, put_on_small_disk: Callable[[Path], None]
) -> None:
    put_on_small_disk(campaign.state)
    campaign.start_parent()
    campaign.wait_while(lambda: "phase_spawned" not in campaign.list_steps())
    filler = fill(campaign.state)

    assert campaign.wait_for_end() in {1, 5}  # a small record may find its place

    filler.unlink()
    if campaign.finish() == 1:  # its own ledger had room to say so
        (session,) = campaign.tell()["sessions"]
        assert session["status"] == "blocked"
        assert FULL in session["why"][0]
        campaign.ok("campaign", "unblock", "S01", "--reason", "there is room")
    assert campaign.finish() == 0
    assert campaign.find_violations() == []


@pytest.mark.thorough
def test_a_proof_of_the_queue_without_room_for_gits_objects_says_so_and_is_repeated(
    campaign: KilledCampaign, put_on_small_disk: Callable[[Path], None]
) -> None:
    objects = campaign.root / ".git/objects"
    put_on_small_disk(objects)
    campaign.start_parent()
    campaign.wait_while(lambda: "session_ended" not in campaign.kinds())
    filler = fill(objects)

    assert campaign.wait_for_end() == 1

    told = campaign.tell()
    assert told["ended"] == "failed"
    assert FULL in told["detail"]
    assert told["sessions"][0]["status"] == "queued"
    filler.unlink()
    assert campaign.finish() == 0
    assert campaign.find_violations() == []
