"""What agents of a campaign find shut: records, keys, caches, processes, settings of others."""

import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

import goalkeeper
from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import shell
from tests.e2e.screens import TMUX, serve_tmux
from tests.e2e.world import COMMAND

A = Step("parts/a.txt")
CONNECT = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
ME = "git -c user.name=x -c user.email=x@x"
COMMIT = f"{ME} commit --quiet"
ASKS = (f"{COMMAND} status", f"{COMMAND} why G001")
# What others obey, beside what git obeys.
SHELLS = (
    "git config core.editor true", "echo alias ls=rm >> ~/.bashrc", "rm ~/.bashrc",
    "mv ~/.bashrc ~/.old", "echo alias ls=rm >> ~/.bash_aliases", "touch ~/.config/autostart/x",
)  # fmt: skip

pytestmark = pytest.mark.needs("bwrap")


class Tried(NamedTuple):
    """What an agent of a campaign has tried, for each of the tests below."""

    campaigned: Campaigned
    tries: Mapping[str, Sequence[str]]
    told: Path  # it has the tries that succeeded
    before: Mapping[Path, object]  # what lay there

    def list_done(self, about: str) -> list[str]:
        """List what succeeded, as it was tried."""
        done = self.told.read_text().splitlines()
        numbered = enumerate(self.tries[about])
        return [each for number, each in numbered if f"{about} {number}" in done]


def look(place: Path) -> object:
    return sorted(os.listdir(place)) if place.is_dir() else place.read_bytes()


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    """Let one agent try everything, each in a shell of its own, and each test looks at a part."""
    campaigned = Campaigned(tmp_path_factory.mktemp("walls"))
    lay_things_of_others(campaigned)
    common = campaigned.root / ".git"
    with tempfile.TemporaryDirectory() as runtime, ExitStack() as stack:
        sockets = [f"{runtime}/{name}" for name in ("bus", "docker.sock", "elsewhere", "other")]
        for place in sockets:
            server = stack.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(place)
            server.listen()
        env = {"XDG_RUNTIME_DIR": runtime, "DOCKER_HOST": f"unix://{sockets[2]}"}
        if TMUX is not None:
            tmux = stack.enter_context(serve_tmux())
            tmux.ask("new-session", "-d", "-s", "mine", "sleep 600")
            env |= tmux.environ
        tries = {
            "keys": list_keys(campaigned), "folders": list_folders(campaigned),
            "seals": list_seals(campaigned), "copy": list_copy(campaigned),
            # Nobody above us is in sight, so neither is what we start for it.
            "processes": (
                f"kill -0 {os.getpid()}", f"test -d /proc/{os.getpid()}", "test -d /proc/$$",
                "tmux has-session -t mine",
            ),
            "servers": [f'{sys.executable} -c "{CONNECT}" {place}' for place in sockets],
            "shells": SHELLS, "settings": list_settings(campaigned), "git": list_in_git(common),
        }  # fmt: skip
        told = campaigned.stories / "told"
        told.touch()
        words = "; ".join(
            f"({each}) > '{told}.{about}.{number}' 2>&1 && echo {about} {number} >> {told}"
            for about, wanted in tries.items()
            for number, each in enumerate(wanted)
        )
        campaigned.plan_sessions(
            Session("tries", [A]), scripts=({"*": [shell(f"{words}; true"), mend(A.path)]},)
        )
        kept = (common, common / "HEAD", common / "config", campaigned.home / ".bashrc")
        before = {each: look(each) for each in (*kept, common / "worktrees/beside/commondir")}
        answer = campaigned.work(env=env)
        assert answer.json["ended"] == "done", answer
        yield Tried(campaigned, tries, told, before)


def lay_things_of_others(campaigned: Campaigned) -> None:
    home, common = campaigned.home, campaigned.root / ".git"
    campaigned.git("worktree", "add", "--quiet", "-b", "mine", str(home / "beside"))
    for name in ("lfs", "rr-cache"):
        (common / name).mkdir()
    for name in (".config/goalkeeper/keys", ".config/autostart", ".cache/goalkeeper/of-others"):
        (home / name).mkdir(parents=True)
    (home / ".config/goalkeeper/keys/note").write_text("beside the keys\n")
    (home / ".config/goalkeeper/approval.key").write_text("key\n")
    (home / ".bashrc").write_text("# mine\n")
    (home / ".gitconfig").write_text(
        '[include]\n\tpath = ~/.gitconfig.local\n[includeIf "gitdir:/"]\n\tpath = .missing\n'
        "[core]\n\tattributesFile = ~/.attributes\n"
    )
    (home / ".gitconfig.local").write_text("[alias]\n\tst = status\n")


def list_keys(campaigned: Campaigned) -> Sequence[str]:
    return (
        f"{COMMAND} judge --goal-id G001",
        "ls ~/.config/goalkeeper/keys | grep .", "cat ~/.config/goalkeeper/approval.key",
        "mkdir ~/.config/goalkeeper/new", "mkdir ~/.local/state/goalkeeper/known/new",
        f"ls {campaigned.home}/.cache/goalkeeper/of-others",
        f"echo x >> {campaigned.state}/config.toml",
        f"mkdir {sys.prefix}/new", f"mkdir {os.path.dirname(goalkeeper.__file__)}/new",
        "mkdir ~/new ~/.cache/new", *ASKS,
    )  # fmt: skip


def list_folders(campaigned: Campaigned) -> Sequence[str]:
    root, home = campaigned.root, campaigned.home
    places = (
        campaigned.state, root / ".git", root, root.parent, home, home / ".config",
        home / ".local/state",
    )  # fmt: skip
    return [f"mv {each} {each}.old" for each in places]


def list_seals(campaigned: Campaigned) -> Sequence[str]:
    state, place = campaigned.state, campaigned.state / "campaigns"
    return (
        f"mount -o remount,rw,bind {state}", f"umount {state}",
        f"mount -o remount,rw,bind {place}", f"umount {place}",
        f"mount -t tmpfs none {campaigned.home}",
        f"touch {state}/junk", f"touch /proc/1/root{state}/junk",
        "chattr +i parts/b.txt && chattr -i parts/b.txt",
        # The kernel runs what is named there, outside of all walls. Only what is there is written.
        "said=$(cat /proc/sys/kernel/core_pattern); echo $said > /proc/sys/kernel/core_pattern",
        "cd $(find /sys/fs/cgroup -name cgroup.procs -printf '%h\\n' -quit); mkdir me && rmdir me",
        "ip link add mine type dummy && ip link del mine",
    )  # fmt: skip


def list_copy(campaigned: Campaigned) -> Sequence[str]:
    state = campaigned.state
    own = f"{state}/runs/$GOALKEEPER_RUN"
    return (
        f"test $(ls -d {state}/runs/2* | wc -l) = 1",
        f"grep -q plan_created {own}/ledger.jsonl",
        f"ls {state}/campaigns/2*",
        f"ls {own}/drive.lock",
        f"ls {own}/phases",
        f"echo junk >> {own}/ledger.jsonl",
        f"touch {own}/mine {state}/cache/mine",
        f"env -i {COMMAND} campaign stop",
    )


def list_settings(campaigned: Campaigned) -> Sequence[str]:
    home, common = campaigned.home, campaigned.root / ".git"
    places = (
        home / ".gitconfig", home / ".gitconfig.local", home / ".missing", home / ".attributes",
        home / ".config/git/config", home / ".config/git/attributes", common / "info/attributes",
        common / "hooks/post-commit", common / "hooks/post-checkout",
    )  # fmt: skip
    return (*(f"mkdir -p {each.parent} && echo x >> {each}" for each in places), "git status")


def list_usual(common: Path) -> Sequence[str]:
    return (
        f"echo a > n && git add n && {COMMIT} -m one && git tag t && git branch c",
        f"echo b > n && {ME} stash && git stash pop && git reset && git checkout n",
        f"git checkout --quiet c && echo c > n && {COMMIT} -am two && git checkout --quiet -",
        f"{ME} cherry-pick c && git reset --quiet --hard HEAD~2 && git update-ref -d refs/heads/c",
        f"git log --all && git status && git fsck && touch {common}/lfs/x {common}/rr-cache/x",
    )


def list_in_git(common: Path) -> Sequence[str]:
    own = "$(git rev-parse --git-dir)"
    shut = (
        f"{common}/HEAD", f"{common}/index", f"{common}/packed-refs", f"{common}/objects/info/new",
        f"{common}/worktrees/beside/commondir", f"{common}/worktrees/beside/index",
        f"{common}/refs/replace/new",
        f"{common}/worktrees/new", f"{own}/commondir", f"{own}/gitdir", f"{own}/config.worktree",
    )  # fmt: skip
    for_itself = ("commondir", "rebase-merge", "shallow", "config.worktree", "modules")
    return (
        *(f"echo x >> {each}" for each in shut),
        *(f"mv {each} {each}.old" for each in shut),
        *(f"rm {common}/{each}; mkfifo {common}/{each}" for each in for_itself),
        f"rm {common}/[a-z]*",
        *list_usual(common),
        "git pack-refs --all",
    )


@pytest.mark.thorough
def test_folders_above_what_is_sealed_cannot_be_renamed(tried: Tried) -> None:
    assert tried.list_done("folders") == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root has these rights")
def test_root_cannot_undo_a_seal(tried: Tried) -> None:
    assert tried.list_done("seals") == []
    assert not (tried.campaigned.state / "junk").exists()


@pytest.mark.needs("tmux")
def test_an_agent_reaches_no_process_of_others(tried: Tried) -> None:
    assert tried.list_done("processes") == ["test -d /proc/$$"]


def test_an_agent_finds_a_copy_of_its_run_and_nothing_of_others(tried: Tried) -> None:
    tries, state = tried.tries["copy"], tried.campaigned.state
    assert [tries.index(each) for each in tried.list_done("copy")] == [0, 1, 5, 6]
    assert "junk" not in "".join(p.read_text() for p in state.glob("runs/*/ledger.jsonl"))
    assert [*state.glob("**/mine"), *state.glob("**/*.copy")] == []


def test_an_agent_cannot_ask_servers_that_run_programs_for_everybody(tried: Tried) -> None:
    assert tried.list_done("servers") == tried.tries["servers"][3:]


def test_keys_and_caches_are_out_of_reach_and_an_agent_still_asks_for_judgements(
    tried: Tried,
) -> None:
    assert tried.list_done("keys") == ["mkdir ~/new ~/.cache/new", *ASKS]
    assert "| C1 | FAIL | exit 1, expect" in Path(f"{tried.told}.keys.0").read_text()


def test_what_others_obey_is_sealed_for_the_agents_of_a_campaign(tried: Tried) -> None:
    assert tried.list_done("shells") == []
    for place in (tried.campaigned.home / ".bashrc", tried.campaigned.root / ".git/config"):
        assert look(place) == tried.before[place]


def test_what_git_obeys_cannot_be_changed_nor_come_to_be(tried: Tried) -> None:
    assert tried.list_done("settings") == ["git status"]
    assert look(tried.campaigned.root / ".git/hooks") == []


def test_in_gits_folder_an_agent_commits_and_changes_nothing_that_others_obey(tried: Tried) -> None:
    common = tried.campaigned.root / ".git"
    done = tried.list_done("git")
    assert [each for each in done if "mkfifo" not in each] == [*list_usual(common)]
    known = {"packed-refs", "hooks", "info", "MERGE_RR"}  # the last by the commit of the plan
    had = tried.before[common]
    assert isinstance(had, list)
    assert set(os.listdir(common)) - set(had) <= known
    for place in (common / "worktrees/beside/commondir", common / "HEAD"):
        assert look(place) == tried.before[place]
    assert (common / "lfs/x").exists()
    assert os.listdir(common / "rr-cache") == []
