"""What agents of a campaign find shut: records, keys, caches, processes, settings of others."""

import os
import socket
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

import goalkeeper
from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import shell
from tests.e2e.screens import serve_tmux
from tests.e2e.world import COMMAND

A = Step("parts/a.txt")

pytestmark = pytest.mark.needs("bwrap")


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    return Campaigned(tmp_path)


def try_as_agent(
    campaigned: Campaigned, *tries: str, env: Mapping[str, str] | None = None
) -> list[str]:
    """Let an agent of a campaign try commands; return those that succeeded."""
    told = campaigned.stories / "told"
    told.touch()
    words = "; ".join(
        f"{{ {each}; }} > {told}.{number} 2>&1 && echo {number} >> {told}"
        for number, each in enumerate(tries)
    )
    campaigned.plan_sessions(
        Session("tries", [A]), scripts=({"*": [shell(f"{words}; true"), mend(A.path)]},)
    )
    answer = campaigned.work(env=env)
    assert answer.json["ended"] == "done", answer
    return [tries[int(number)] for number in told.read_text().split()]


def test_folders_above_what_is_sealed_cannot_be_renamed(campaigned: Campaigned) -> None:
    root = campaigned.root
    (campaigned.home / ".config/goalkeeper").mkdir(parents=True)
    places = (
        campaigned.state, root / ".git", root, root.parent, campaigned.home,
        campaigned.home / ".config", campaigned.home / ".local/state",
    )  # fmt: skip

    done = try_as_agent(campaigned, *(f"mv {each} {each}.old" for each in places))

    assert done == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root has these rights")
def test_root_cannot_undo_a_seal(campaigned: Campaigned) -> None:
    place = campaigned.state / "campaigns"

    done = try_as_agent(
        campaigned,
        f"mount -o remount,rw,bind {campaigned.state}",
        f"umount {campaigned.state}",
        f"mount -o remount,rw,bind {place}",
        f"umount {place}",
        f"mount -t tmpfs none {campaigned.home}",
        f"touch {campaigned.state}/junk",
        f"touch /proc/1/root{campaigned.state}/junk",
        "chattr +i parts/b.txt && chattr -i parts/b.txt",
        # The kernel runs what is named there, outside of all walls. Only what is there is written.
        "said=$(cat /proc/sys/kernel/core_pattern); echo $said > /proc/sys/kernel/core_pattern",
        "cd $(find /sys/fs/cgroup -name cgroup.procs -printf '%h\\n' -quit); mkdir me && rmdir me",
        "ip link add mine type dummy && ip link del mine",
    )

    assert done == []
    assert not (campaigned.state / "junk").exists()


def test_an_agent_reaches_no_process_of_others(campaigned: Campaigned) -> None:
    with serve_tmux() as tmux:
        tmux.ask("new-session", "-d", "-s", "mine", "sleep 600")
        # Nobody above us is in sight, so neither is what we start for it.
        done = try_as_agent(
            campaigned,
            f"kill -0 {os.getpid()}", f"test -d /proc/{os.getpid()}", "test -d /proc/$$",
            "tmux has-session -t mine",
            env=tmux.environ,
        )  # fmt: skip

    assert done == ["test -d /proc/$$"]


def test_an_agent_finds_a_copy_of_its_run_and_nothing_of_others(campaigned: Campaigned) -> None:
    state = campaigned.state
    own = f"{state}/runs/$GOALKEEPER_RUN"
    tries = (
        f"test $(ls -d {state}/runs/2* | wc -l) = 1",
        f"grep -q plan_created {own}/ledger.jsonl",
        f"ls {state}/campaigns/2*",
        f"ls {own}/drive.lock",
        f"ls {own}/phases",
        f"echo junk >> {own}/ledger.jsonl",
        f"touch {own}/mine {state}/cache/mine",
        f"env -i {COMMAND} campaign stop",
    )

    done = try_as_agent(campaigned, *tries)

    assert [tries.index(each) for each in done] == [0, 1, 5, 6]
    assert "junk" not in "".join(p.read_text() for p in state.glob("runs/*/ledger.jsonl"))
    assert [*state.glob("**/mine"), *state.glob("**/*.copy")] == []


def test_an_agent_cannot_ask_servers_that_run_programs_for_everybody(
    campaigned: Campaigned,
) -> None:
    with tempfile.TemporaryDirectory() as runtime, ExitStack() as stack:
        places = [f"{runtime}/{name}" for name in ("bus", "docker.sock", "elsewhere", "other")]
        for place in places:
            server = stack.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(place)
            server.listen()
        connect = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
        tries = [f'{sys.executable} -c "{connect}" {place}' for place in places]

        done = try_as_agent(
            campaigned,
            *tries,
            env={"XDG_RUNTIME_DIR": runtime, "DOCKER_HOST": f"unix://{places[2]}"},
        )

    assert done == tries[3:]


def test_keys_and_caches_are_out_of_reach_and_an_agent_still_asks_for_judgements(
    campaigned: Campaigned,
) -> None:
    config = campaigned.home / ".config/goalkeeper"
    (config / "keys").mkdir(parents=True)
    (config / "keys/note").write_text("beside the keys\n")
    (config / "approval.key").write_text("key\n")
    of_others = campaigned.home / ".cache/goalkeeper/of-others"
    of_others.mkdir(parents=True)
    asks = [f"{COMMAND} status", f"{COMMAND} why G001"]

    done = try_as_agent(
        campaigned,
        f"{COMMAND} judge --goal-id G001",
        "ls ~/.config/goalkeeper/keys | grep .", "cat ~/.config/goalkeeper/approval.key",
        "mkdir ~/.config/goalkeeper/new", "mkdir ~/.local/state/goalkeeper/known/new",
        f"ls {of_others}",
        f"echo x >> {campaigned.state}/config.toml",
        f"mkdir {sys.prefix}/new", f"mkdir {os.path.dirname(goalkeeper.__file__)}/new",
        "mkdir ~/new ~/.cache/new", *asks,
    )  # fmt: skip

    assert done == ["mkdir ~/new ~/.cache/new", *asks]
    assert "| C1 | FAIL | exit 1, expect" in (campaigned.stories / "told.0").read_text()


def test_what_git_obeys_cannot_be_changed_nor_come_to_be(campaigned: Campaigned) -> None:
    home, common = campaigned.home, campaigned.root / ".git"
    (home / ".gitconfig").write_text(
        '[include]\n\tpath = ~/.gitconfig.local\n[includeIf "gitdir:/"]\n\tpath = .missing\n'
        "[core]\n\tattributesFile = ~/.attributes\n"
    )
    (home / ".gitconfig.local").write_text("[alias]\n\tst = status\n")
    places = (
        home / ".gitconfig", home / ".gitconfig.local", home / ".missing", home / ".attributes",
        home / ".config/git/config", home / ".config/git/attributes", common / "info/attributes",
        common / "hooks/post-commit",
    )  # fmt: skip

    done = try_as_agent(
        campaigned,
        *(f"mkdir -p {each.parent} && echo x >> {each}" for each in places),
        "git status",
    )

    assert done == ["git status"]


def test_in_gits_folder_an_agent_commits_and_changes_nothing_that_others_obey(
    campaigned: Campaigned,
) -> None:
    common, beside = campaigned.root / ".git", campaigned.home / "beside"
    campaigned.git("worktree", "add", "--quiet", "-b", "mine", str(beside))
    for name in ("lfs", "rr-cache"):
        (common / name).mkdir()
    own = "$(git rev-parse --git-dir)"
    shut = (
        f"{common}/HEAD", f"{common}/index", f"{common}/packed-refs", f"{common}/objects/info/new",
        f"{common}/worktrees/beside/commondir", f"{common}/worktrees/beside/index",
        f"{common}/refs/replace/new",
        f"{common}/worktrees/new", f"{own}/commondir", f"{own}/gitdir", f"{own}/config.worktree",
    )  # fmt: skip
    for_itself = ("commondir", "rebase-merge", "shallow", "config.worktree", "modules")
    me = "git -c user.name=x -c user.email=x@x"
    commit = f"{me} commit --quiet"
    before = set(os.listdir(common))
    mine = (common / "worktrees/beside/commondir").read_text(), (common / "HEAD").read_text()
    usual = (
        f"echo a > n && git add n && {commit} -m one && git tag t && git branch c",
        f"echo b > n && {me} stash && git stash pop && git reset && git checkout n",
        f"git checkout --quiet c && echo c > n && {commit} -am two && git checkout --quiet -",
        f"{me} cherry-pick c && git reset --quiet --hard HEAD~2 && git update-ref -d refs/heads/c",
        f"git log --all && git status && git fsck && touch {common}/lfs/x {common}/rr-cache/x",
    )

    done = try_as_agent(
        campaigned,
        *(f"echo x >> {each}" for each in shut),
        *(f"mv {each} {each}.old" for each in shut),
        *(f"rm {common}/{each}; mkfifo {common}/{each}" for each in for_itself),
        f"rm {common}/[a-z]*",
        *usual,
        "git pack-refs --all",
    )

    assert [each for each in done if "mkfifo" not in each] == [*usual]
    known = {"packed-refs", "hooks", "info", "MERGE_RR"}  # the last by the commit of the plan
    assert set(os.listdir(common)) - before <= known
    now = (common / "worktrees/beside/commondir").read_text(), (common / "HEAD").read_text()
    assert now == mine
    assert (common / "lfs/x").exists()
    assert os.listdir(common / "rr-cache") == []
