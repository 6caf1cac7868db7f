"""Campaigns that are pushed in the end, and what is found out before any agent is asked."""

import os
import shutil
from pathlib import Path

import pytest

from goalkeeper.core.drive.state import CANNOT_WORK
from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import shell
from tests.e2e.test_campaign_seed import count_phases

A, B = (Step(f"parts/{name}.txt") for name in "ab")
DENY = "#!/bin/sh\necho the rules of the house deny it\nexit 1\n"


class Pushed(Campaigned):
    """A repository with a remote, and a campaign of a few sessions."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.remote = place / "remote.git"
        self.git("init", "--quiet", "--bare", str(self.remote))
        self.git("remote", "add", "origin", str(self.remote))

    def find_remote(self, branch: str) -> str:
        return self.git("-C", str(self.remote), "rev-parse", "--quiet", branch).strip()

    def list_remote(self) -> list[str]:
        return self.git("-C", str(self.remote), "for-each-ref", "--format=%(refname)").split()


@pytest.fixture
def pushed(tmp_path: Path) -> Pushed:
    return Pushed(tmp_path)


def plan_one(pushed: Pushed) -> None:
    pushed.plan_sessions(Session("one", [A]), scripts=[{"*": [mend(A.path)]}])


def write_hook(place: Path, text: str) -> Path:
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)
    place.chmod(0o755)
    return place


def test_what_landed_is_pushed_and_neither_tags_nor_programs_of_an_agent_count(
    pushed: Pushed,
) -> None:
    with (pushed.home / ".gitconfig").open("a") as settings:
        settings.write("[push]\n\tfollowTags = true\n\trecurseSubmodules = only\n")
    venv, ran = pushed.root / ".venv/bin", pushed.stories / "ran"
    venv.mkdir(parents=True)
    planted = f'#!/bin/sh\necho $* >> {ran}\nexec {shutil.which("git")} "$@"\n'
    (pushed.stories / "git").write_text(planted)
    pushed.write({".gitignore": ".venv\n"})
    plant = shell(f"install {pushed.stories}/git {venv}/git")
    tag = shell("git -c user.name=a -c user.email=a@b tag -a -m mine v9 HEAD")
    pushed.plan_sessions(Session("one", [A]), scripts=[{"*": [mend(A.path), tag, plant]}])
    path = f"{venv}{os.pathsep}{os.environ['PATH']}"

    # The words of the name change nothing.
    answer = pushed.work("--push", "origin:fix/error-handling", env={"PATH": path})

    assert answer.code == 0, answer.json
    head = pushed.show()["head"]
    assert pushed.find_remote("fix/error-handling") == head == pushed.show()["pushed"]
    assert "v9" in pushed.git("tag")
    assert pushed.list_remote() == ["refs/heads/fix/error-handling"]
    assert (venv / "git").exists()
    assert not ran.exists(), ran.read_text()


@pytest.mark.thorough
def test_a_push_may_be_taken_back_and_asked_for_anew_under_the_name_of_the_campaigns_own(
    pushed: Pushed,
) -> None:
    hook = write_hook(pushed.remote / "hooks/pre-receive", DENY)
    plan_one(pushed)
    assert pushed.work("--push", "origin").code == 1

    assert pushed.work("--no-push").code == 0
    assert pushed.list_remote() == []
    hook.unlink()
    assert pushed.work("--push", "origin").code == 0
    assert pushed.list_remote() == [f"refs/heads/{pushed.show()['branch']}"]


@pytest.mark.parametrize("how", ["no such remote", "not there", "denied by a hook", "elsewhere"])
def test_a_push_that_will_be_refused_is_found_before_anything_begins(
    pushed: Pushed, how: str
) -> None:
    plan_one(pushed)
    if how == "not there":
        pushed.remote.rename(pushed.remote.with_name("moved.git"))
    elif how == "denied by a hook":
        write_hook(pushed.root / ".git/hooks/pre-push", DENY)
    elif how == "elsewhere":  # the branch of the remote has a commit that is not ours
        theirs = pushed.git("commit-tree", "-m", "theirs", "HEAD^{tree}").strip()
        pushed.git("push", "--quiet", "origin", f"{theirs}:refs/heads/topic")
    before = pushed.list_remote() if how != "not there" else []

    answer = pushed.work("--push", "nowhere" if how == "no such remote" else "origin:topic")

    assert (answer.code, answer.reason) == (CANNOT_WORK, "preflight")
    assert "nothing can be pushed" in answer.json["error"]["message"]
    assert pushed.list_events() == ["campaign_made"]
    assert count_phases(pushed) == 0
    assert how == "not there" or pushed.list_remote() == before


@pytest.mark.thorough
def test_a_remote_that_goes_meanwhile_blocks_the_next_session_before_its_work(
    pushed: Pushed,
) -> None:
    goes = shell(f"mv {pushed.remote} {pushed.remote}.away")
    pushed.plan_sessions(
        Session("one", [A]),
        Session("two", [B], after="Session 1"),
        scripts=[{"*": [mend(A.path), goes]}, {"*": [mend(B.path)]}],
    )

    answer = pushed.work("--push", "origin")

    assert answer.code == 1
    one, two = pushed.show()["sessions"]
    assert (one["status"], two["status"]) == ("landed", "blocked")
    assert "nothing can be pushed" in " ".join(two["why"])
    assert count_phases(pushed) == 1
    os.rename(f"{pushed.remote}.away", pushed.remote)
    assert pushed.list_remote() == []


@pytest.mark.thorough
def test_what_the_remote_refuses_in_the_end_is_pushed_later_without_any_work(
    pushed: Pushed,
) -> None:
    hook = write_hook(pushed.remote / "hooks/pre-receive", DENY)
    plan_one(pushed)

    first = pushed.work("--push", "origin:topic")
    told, phases = pushed.show(), count_phases(pushed)
    hook.unlink()
    again = pushed.work()

    assert (first.code, told["ended"]) == (1, "not-pushed")
    assert "pre-receive hook declined" in told["detail"]
    assert (again.code, pushed.show()["ended"]) == (0, "done")
    assert pushed.find_remote("topic") == told["head"]
    assert count_phases(pushed) == phases


def test_what_git_runs_for_a_push_must_be_what_the_user_saw(pushed: Pushed) -> None:
    write_hook(pushed.root / ".git/hooks/pre-push", "#!/bin/sh\ngit config my.own setting\n")
    plan_one(pushed)

    answer = pushed.work("--push", "origin")

    assert answer.code == 1
    (session,) = pushed.show()["sessions"]
    assert ".git/config changed since you asked for it" in " ".join(session["why"])
    assert count_phases(pushed) == 0
    assert pushed.list_remote() == []


@pytest.mark.parametrize("given", [":topic", "origin:", "origin:a b", "origin:a~1"])
def test_what_names_no_branch_of_a_remote_is_refused_and_nothing_begins(
    pushed: Pushed, given: str
) -> None:
    plan_one(pushed)

    assert pushed.work("--push", given).code == 2
    assert pushed.list_events() == ["campaign_made"]


def test_hooks_of_another_folder_count_as_those_of_git(pushed: Pushed) -> None:
    write_hook(pushed.root / "mine/pre-push", "#!/bin/sh\necho '# more' >> mine/pre-push\n")
    pushed.git("config", "core.hooksPath", "mine")
    plan_one(pushed)

    pushed.work("--push", "origin")

    (session,) = pushed.show()["sessions"]
    assert "mine/pre-push changed since you asked for it" in " ".join(session["why"])


def test_what_was_not_committed_is_named_and_never_pushed(pushed: Pushed) -> None:
    plan_one(pushed)
    pushed.write({"diary.txt": "private\n"})
    planned = pushed.run("campaign", "plan", "--from", "plan.md")

    answer = pushed.work("--push", "origin")

    assert "not committed: diary.txt" in planned.err
    assert (answer.code, answer.reason) == (CANNOT_WORK, "preflight")
    assert "files that you had not committed" in answer.json["error"]["message"]
    assert pushed.list_remote() == []
