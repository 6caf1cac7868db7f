"""What agents leave behind: processes, branches, broken worktrees, locks."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.drives import (
    BOTH,
    COMMIT,
    FINDS_NOTHING,
    FIX,
    INTERRUPT,
    NOTE,
    PLANS,
    SPOIL,
    Act,
    Acts,
    Driven,
    git,
    shell,
    write,
)
from tests.e2e.project import belongings, contract, criterion
from tests.tables import sampled

GIT_DIR = '"$(git rev-parse --git-dir)"'
UNTIE: Act = {"delete": {"path": ".git"}}
DELETE_BRANCH = shell(
    "git branch -D $(git branch --format='%(refname:short)' --list 'goalkeeper/*')"
)


# Processes


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_a_grandchild_that_holds_the_output_open_is_ended(driven: Driven, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    end = driven.drive({"G001": [FIX, {"fork": {"seconds": 300, "pid_file": str(pid_file)}}]})

    assert end.reason == "done"
    assert not is_running(int(pid_file.read_text()))


@pytest.mark.thorough
def test_the_grandchildren_of_an_agent_that_stalls_are_ended(
    driven: Driven, tmp_path: Path
) -> None:
    pid_file = tmp_path / "pid"
    forks: Act = {"fork": {"seconds": 300, "pid_file": str(pid_file)}}
    end = driven.drive({"G001": [forks, {"silence": 300}]}, "--stall-time", "1")

    assert end.reason == "stalled"
    assert not is_running(int(pid_file.read_text()))


@pytest.mark.thorough
def test_an_agent_that_ignores_sigterm_and_stalls_is_killed(driven: Driven) -> None:
    stubborn: Acts = [{"ignore_term": {}}, {"silence": 300}]
    end = driven.drive({"G001": {"1/impl/1": stubborn, "*": [FIX]}}, "--stall-time", "2")

    assert end.reason == "done"
    assert driven.endings() == ["stalled", "ok"]
    assert driven.left_running() == []


@pytest.mark.thorough
def test_an_agent_that_is_ended_has_time_to_save_its_state(driven: Driven) -> None:
    saves = (
        "import signal, sys, time\n"
        "def save(*_):\n    time.sleep(0.3)\n    open('saved', 'w').write('all')\n    sys.exit()\n"
        "signal.signal(signal.SIGTERM, save)\n"
        "time.sleep(300)\n"
    )
    stalls: Acts = [{"ignore_term": {}}, {"run": {"argv": [sys.executable, "-c", saves]}}]
    driven.drive({"G001": {"1/impl/1": stalls, "*": [FIX]}}, "--stall-time", "2")

    assert driven.kept("saved") == "all"


def test_nothing_is_written_after_the_end_of_an_agent(driven: Driven) -> None:
    late: Act = {"late": {"seconds": 0.2, "path": "product.txt", "text": "too late\n"}}
    end = driven.drive({"G001": [FIX, late]})

    assert end.reason == "done"
    assert driven.kept() == "fixed\n"
    assert driven.left_running() == []
    assert (driven.worktree() / "product.txt").read_text() == "fixed\n"


# Branches


HISTORIES: dict[str, Acts] = {
    "leaves its work uncommitted": [FIX],
    "commits itself": [FIX, COMMIT],
    "commits, and leaves more": [NOTE, COMMIT, FIX],
    "leaves HEAD on another branch": [{"branch": {"name": "mine"}}, FIX],
    "commits on another branch": [{"branch": {"name": "mine"}}, FIX, COMMIT],
    "detaches HEAD": [git("checkout", "--quiet", "--detach"), FIX, COMMIT],
    "begins a history of its own": [git("checkout", "--quiet", "--orphan", "mine"), FIX, COMMIT],
    "takes its own commit back": [FIX, COMMIT, git("reset", "--soft", "HEAD~1")],
    "deletes its branch": [git("checkout", "--quiet", "--detach"), FIX, COMMIT, DELETE_BRANCH],
    "hides a file from git": [FIX, git("update-index", "--assume-unchanged", "product.txt")],
    "leaves a merge half done": [FIX, shell(f"git rev-parse HEAD > {GIT_DIR}/MERGE_HEAD")],
    "leaves a lock of git's": [FIX, shell(f"touch {GIT_DIR}/index.lock {GIT_DIR}/HEAD.lock")],
    "deletes what ties its files to git": [FIX, UNTIE],
    "begins another repository": [FIX, UNTIE, git("init", "--quiet"), COMMIT],
}  # fmt: skip


@pytest.mark.parametrize("acts", sampled(HISTORIES.values(), one_in=4), ids=HISTORIES)
def test_whatever_an_agent_does_to_git_its_work_is_kept_and_lands(
    driven: Driven, acts: Acts
) -> None:
    end = driven.drive({"G001": acts})

    assert (end.reason, driven.endings()) == ("done", ["ok"]), end
    assert driven.kept() == "fixed\n"
    driven.ok("land")
    assert driven.mine() == "fixed\n"


@pytest.mark.thorough
def test_each_phase_builds_on_the_one_before(driven: Driven) -> None:
    driven.drive({"G001": {"1": [SPOIL, COMMIT], "2": [write("more.txt", "more\n"), FIX]}})

    log = driven.git("log", "--format=%s", f"main..{driven.branch()}").splitlines()
    assert log[:2] == ["G001: iteration 2, impl", "my own work"]
    assert "Goal: G001" in driven.git("log", "-1", driven.branch())


def test_work_that_the_last_phase_took_off_the_branch_lands(driven: Driven) -> None:
    back = [git("reset", "--soft", "HEAD~1")]
    first: dict[str, Acts] = {"1/plan": [PLANS], "1/impl": [FIX], "1/verify": [FINDS_NOTHING]}
    end = driven.drive({"G001": {**first, "1/ship": back}}, "--depth", "full")

    assert end.reason == "done"
    driven.ok("land")
    assert driven.mine() == "fixed\n"


# Worktrees


@pytest.mark.parametrize(
    "delete", [{"delete": {"path": "."}}, shell('rm -rf "$PWD"')], ids=["emptied", "gone"]
)
def test_a_worktree_that_an_agent_deleted_is_made_again(driven: Driven, delete: Act) -> None:
    end = driven.drive({"G001": {"1/impl/1": [delete], "*": [FIX]}})

    assert end.reason == "done"
    assert (driven.kept(), driven.kept("notes.txt")) == ("fixed\n", "nothing yet\n")


def test_work_that_was_kept_survives_the_end_of_its_worktree(driven: Driven) -> None:
    driven.ask(BOTH)
    gone: Acts = [shell('rm -rf "$PWD"'), {"exit": 1}]
    end = driven.drive({"G001": {"1": [NOTE], "2/impl/1": gone, "*": [FIX]}})

    assert end.reason == "done"
    assert driven.kept("notes.txt") == "fixed\n"


@pytest.mark.thorough
def test_a_worktree_that_the_user_deleted_is_made_again(driven: Driven) -> None:
    driven.drive({"G001": []})
    shutil.rmtree(driven.worktree())

    assert driven.drive({"G001": [FIX]}).reason == "done"


def test_a_worktree_that_lost_its_tie_is_tied_again(driven: Driven) -> None:
    breaks = shell(f"rm -rf {GIT_DIR}")

    assert driven.drive({"G001": {"1/impl/1": [FIX, breaks]}}).reason == "done"
    driven.ok("land")
    assert driven.mine() == "fixed\n"


def test_work_that_cannot_be_kept_is_a_failure_that_can_be_mended(driven: Driven) -> None:
    costs: Act = {"usage": {"input": 7, "cost": 0.25}}
    ref = "git rev-parse --path-format=absolute --git-path $(git symbolic-ref HEAD)"
    breaks = shell(f'mkdir "$({ref}).lock"')
    end = driven.drive({"G001": {"1/impl/1": [FIX, costs, breaks], "*": []}})

    assert (end.reason, end.code, end.next) == ("failed", 5, driven.again)
    assert "G001.lock': File exists" in end.detail

    for lock in (driven.root / ".git/refs/heads").rglob("*.lock"):
        lock.rmdir()
    again = driven.drive({"G001": []})
    assert again.reason == "done"
    assert "7 tokens, $0.25." in again.out


STRAY = "sleep [9]87654"  # a pattern that does not mean whoever looks for it


@pytest.mark.thorough
def test_what_a_filter_of_the_agents_starts_is_gone_before_checks_run(driven: Driven) -> None:
    """It could change the checkout while they run."""
    starts = f"cat; touch {driven.home}/ran; (setsid sleep 987654 > /dev/null 2>&1 &)"
    look = f"grep -q fixed product.txt && ! pgrep -f '{STRAY}' > /dev/null"
    driven.ask(contract(criterion("C1", {"command": ["bash", "-c", look]})))
    (driven.home / "starts.sh").write_text("cat")
    mine = str(driven.home / ".gitconfig")
    driven.git("config", "--file", mine, "filter.x.clean", f"bash {driven.home}/starts.sh")
    (driven.root / ".git/info").mkdir(exist_ok=True)
    (driven.root / ".git/info/attributes").write_text("product.txt filter=x\n")
    sets = shell(f"echo '{starts}' > {driven.home}/starts.sh")

    end = driven.drive({"G001": [sets, FIX]})

    assert (end.reason, driven.decisions()) == ("done", ["DONE"]), end
    assert (driven.home / "ran").exists()
    found = subprocess.run(["pgrep", "-f", STRAY], capture_output=True, check=False)
    assert found.stdout == b""


# What is the user's


def test_a_dirty_checkout_with_index_stash_and_branches_stays_as_it_is(driven: Driven) -> None:
    driven.write({"notes.txt": "stashed\n"})
    driven.git("stash")
    driven.git("branch", "other")
    driven.git("tag", "v1")
    driven.write({"notes.txt": "staged\n"})
    driven.git("add", "notes.txt")
    driven.write({"notes.txt": "changed\n", "untracked.txt": "mine\n"})
    before = belongings(driven.root)

    end = driven.drive({"G001": {"1": [SPOIL, COMMIT], "2": [FIX, write("notes.txt", "x\n")]}})

    after = belongings(driven.root)
    ours = ("worktrees", "objects", "refs/heads/goalkeeper", "logs/refs/heads/goalkeeper")
    assert end.reason == "done"
    assert {path: after[path] for path in before} == before
    assert [
        path
        for path in after
        if path not in before and not path.removeprefix(".git/").startswith(ours)
    ] == []


def test_a_goal_begins_with_what_lay_there_uncommitted(driven: Driven) -> None:
    driven.write({"untracked.txt": "mine\n", "notes.txt": "changed\n"})
    driven.drive({"G001": [FIX]})

    assert driven.kept("untracked.txt") == "mine\n"
    assert driven.kept("notes.txt") == "changed\n"


def test_a_branch_of_the_users_that_moved_is_recorded_and_told(driven: Driven) -> None:
    moves = git("update-ref", "refs/heads/main", "HEAD")
    end = driven.drive({"G001": [FIX, COMMIT, moves, git("tag", "mine")]})

    (moved,) = driven.data("refs_moved")
    at = driven.git("rev-parse", driven.branch()).strip()
    assert moved == {"goal_id": "G001", "refs": [f"refs/heads/main {at}", f"refs/tags/mine {at}"]}
    assert f"refs/heads/main {at}" in end.err


def test_what_the_user_commits_meanwhile_stays(driven: Driven) -> None:
    process = driven.driving({"G001": [driven.waits(), FIX]})
    gate = driven.at_work()
    driven.write({"mine.txt": "mine\n"})
    mine = driven.commit("mine")
    driven.let_go(gate)
    out, _ = process.communicate()

    assert process.returncode == 0, out
    assert driven.git("rev-parse", "main").strip() == mine
    driven.ok("land")
    assert (driven.mine(), driven.mine("mine.txt")) == ("fixed\n", "mine\n")


def test_an_interrupt_ends_the_agent_and_keeps_its_work(driven: Driven) -> None:
    end = driven.drive({"G001": {"1/impl/1": [NOTE, INTERRUPT, {"silence": 300}], "*": [FIX]}})

    assert (end.code, end.next) == (130, driven.again)
    assert driven.endings() == ["interrupted"]
    assert driven.left_running() == []
    assert driven.kept("notes.txt") == "fixed\n"
    assert driven.data("drive_ended") == []


@pytest.mark.parametrize(
    "act", [shell("echo 'exit 0' > $(git rev-parse --git-common-dir)/hooks/pre-commit"),
            shell("git config core.editor 'sh -c true'"), shell("echo alias ls=rm >> ~/.bashrc"),
            shell("mkdir -p ~/.ssh; echo ssh-ed25519 AAAA >> ~/.ssh/authorized_keys"),
            shell("mkdir -p ~/.claude; echo '{}' > ~/.claude/settings.json"),
            shell("mkdir -p ~/.config/systemd/user; ln -s /x ~/.config/systemd/user/x.service")],
    ids=["hook", "config", "shell", "keys", "client", "service"],
)  # fmt: skip
def test_an_agent_that_changes_what_others_obey_is_stopped_and_a_human_is_asked(
    driven: Driven, act: Act
) -> None:
    (driven.root / ".git" / "hooks").mkdir(exist_ok=True)
    end = driven.drive({"*": [act, FIX]})
    assert end.reason == "needs-human"
    assert (".git/" in end.out) != ("~/." in end.out)
    assert "changed while an agent was at work" in end.out
