"""One worker spoils what it can reach: its own session is stopped, and all others go on."""

import json
from pathlib import Path

import pytest

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import Act, Script, shell
from tests.e2e.test_campaign_push import Pushed
from tests.fault.campaigns import KilledCampaign

A, B, C, D = (Step(f"parts/{name}.txt") for name in "abcd")
CAMPAIGN = "$(git for-each-ref --format='%(refname)' 'refs/heads/goalkeeper/campaign-*')"
LONG_SECONDS = 80_000  # drivers wait six hours at most
WHO = "-c user.name=w -c user.email=w@w"


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    return Campaigned(tmp_path)


def wait_for(place: Path) -> Act:
    return shell(f"until test -e {place}; do sleep 0.1; done")


def states(campaigned: Campaigned) -> dict[str, str]:
    return {each["id"]: each["status"] for each in campaigned.show()["sessions"]}


def commit_file(path: str, parent: str) -> str:
    """Commands that make a commit with one more file, on no branch, and keep its id in $new."""
    return (
        f"export GIT_INDEX_FILE=$(mktemp -u); git read-tree {parent}; "
        f"blob=$(echo planted | git hash-object -w --stdin); "
        f"git update-index --add --cacheinfo 100644,$blob,{path}; "
        f"new=$(git {WHO} commit-tree $(git write-tree) -p {parent} -m tidy)"
    )


def test_a_limit_for_which_no_driver_waits_is_met_once_and_all_is_quiet_until_its_end(
    tmp_path: Path,
) -> None:
    limited: Script = {"*": [{"rate_limit": {"resets_in": LONG_SECONDS}}]}
    campaign = KilledCampaign(tmp_path, "a", scripts=[limited])
    campaign.start_parent()
    campaign.wait_while(lambda: "session_ended" not in campaign.kinds())

    campaign.ok("campaign", "stop", env=campaign.human())

    assert campaign.wait_for_end() == 1
    assert campaign.tell()["ended"] == "stopped"
    assert campaign.kinds().count("session_admitted") == 1
    ended = campaign.entries()[campaign.kinds().index("session_ended")]
    assert ended["data"]["resets_at"] > ended["at"]


RECORDS = ("echo garbage >> $d/ledger.jsonl", "rm $d/ledger.jsonl", "rm $d/lock; mkdir $d/lock")


@pytest.mark.thorough
def test_workers_that_spoil_their_own_records_are_blocked_alone_and_can_begin_anew(
    campaigned: Campaigned,
) -> None:
    ledgers = f"{campaigned.state}/campaigns/2*/ledger.jsonl"
    waits = shell(f"until [ $(cat {ledgers} | grep -c session_ended) = 3 ]; do sleep 0.1; done")
    spoilt = [Step(f"parts/{name}.txt") for name in "bcd"]
    spoiling = [shell(f"d={campaigned.state}/runs/$GOALKEEPER_RUN; {each}") for each in RECORDS]
    campaigned.plan_sessions(
        Session("honest", [A]), *(Session("spoils", [step]) for step in spoilt),
        scripts=(
            {"*": [waits, mend(A.path)]},
            *({"*": [each, mend(step.path)]} for each, step in zip(spoiling, spoilt, strict=True)),
        ),
    )  # fmt: skip

    assert campaigned.work_without_walls(parallel=4).code == 1

    others = {f"S{number:02d}": step for number, step in enumerate(spoilt, 2)}
    assert states(campaigned) == {"S01": "landed", **dict.fromkeys(others, "blocked")}
    for session, step in others.items():
        (campaigned.stories / f"{session}.json").write_text(json.dumps({"*": [mend(step.path)]}))
        campaigned.ok("campaign", "unblock", session, "--reason", "it is another agent now")
    assert campaigned.work(parallel=4).json["ended"] == "done"
    assert campaigned.list_survivors() == []


# tests/contract/git/test_own_branch.py has more of them.
NO_COMMITS = ('echo "ref: $n" > $r', "rm $r; mkfifo $r", "touch $r.lock")


@pytest.mark.thorough
def test_what_names_no_commit_is_no_branch_and_the_campaigns_own_comes_back(
    campaigned: Campaigned,
) -> None:
    name = campaigned.stories / "name"  # what names no commit is in no list
    branch = f"n=$(cat {name}); r={campaigned.root}/.git/$n"
    steps = [Step(f"parts/{number}.txt") for number, _ in enumerate(NO_COMMITS)]
    campaigned.plan_sessions(
        *(Session("spoils", [step]) for step in steps),
        scripts=[
            {"*": [mend(step.path), shell(f"{branch}; {spoils}")]}
            for step, spoils in zip(steps, NO_COMMITS, strict=True)
        ],
    )
    name.write_text(f"refs/heads/{campaigned.show()['branch']}")

    answer = campaigned.work(parallel=1)

    assert (answer.code, answer.json["ended"]) == (0, "done"), answer
    assert {campaigned.read_head(step.path) for step in steps} == {"fixed"}


@pytest.mark.thorough
def test_a_branch_that_another_worker_made_beforehand_is_not_where_a_step_begins(
    campaigned: Campaigned,
) -> None:
    gate = campaigned.stories / "gate"
    others = (
        "git for-each-ref --format='%(refname)' 'refs/heads/goalkeeper/2*/*' | "
        "grep -v $GOALKEEPER_RUN | cut -d / -f 4"
    )
    plants = (
        f"r=$({others} | head -1); "
        f"{commit_file(C.path, 'HEAD')}; git update-ref refs/heads/goalkeeper/$r/G002 $new && "
        f"touch {gate}"
    )
    began = shell(f"until {others} | grep -q . ; do sleep 0.1; done")
    campaigned.plan_sessions(
        Session("honest", [A, B], touch=f"{A.path}, {B.path}, {C.path}"), Session("plants", [D]),
        scripts=(
            {"G001": [wait_for(gate), mend(A.path)], "G002": [mend(B.path)]},
            {"*": [began, shell(plants), mend(D.path)]},
        ),
    )  # fmt: skip

    assert campaigned.work().code == 0

    assert gate.exists()
    assert campaigned.read_head(C.path) == "broken"


def test_commits_that_no_session_made_are_neither_pushed_nor_in_a_receipt(tmp_path: Path) -> None:
    pushed = Pushed(tmp_path)
    moves = shell(f"b={CAMPAIGN}; {commit_file('ci/deploy.sh', '$b')}; git update-ref $b $new")
    pushed.plan_sessions(Session("moves", [A]), scripts=[{"*": [moves, mend(A.path)]}])

    answer = pushed.work("--push", "origin:topic")

    assert (answer.code, answer.json["ended"]) == (1, "not-pushed"), answer.json
    assert "no session made" in answer.json["detail"]
    assert pushed.list_remote() == []
    receipt = pushed.run("campaign", "receipt", "--json")
    assert receipt.reason == "no-receipt"
    assert "no session made" in receipt.json["error"]["message"]
    assert pushed.ok("campaign", "land")["how"] == "commit"
    assert (pushed.root / A.path).read_text() == "fixed\n"
    assert not (pushed.root / "ci").exists()


def test_a_number_that_names_no_session_is_refused(campaigned: Campaigned) -> None:
    campaigned.plan_sessions(Session("one", [A]), scripts=({"*": [mend(A.path)]},))

    for name in ("²", "٣", "9" * 5000):
        answer = campaigned.run("campaign", "why", name, "--json")
        assert (answer.code, answer.reason) == (2, "usage"), answer
    assert campaigned.ok("campaign", "why", "1")
