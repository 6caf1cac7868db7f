"""After a phase, on real git: what lies there is kept on the branch of the goal."""

import os
import shutil
from pathlib import Path

import pytest

from goalkeeper.git.refs import compare_refs, read_refs
from goalkeeper.git.repository import GitFailed
from tests.contract.git.yards import BRANCH, RUN, Agent, Plot


def test_what_lies_there_is_kept_on_the_branch_with_trailers(agent: Agent) -> None:
    agent.write("product.txt", "better\n")
    agent.write("new/file.txt", "new\n")

    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert agent.git("status", "--porcelain") == ""
    assert agent.log("%B") == [
        "G001: iteration 1, impl", "", f"Goalkeeper-Run: {RUN}", "Goal: G001",
    ]  # fmt: skip


def test_deletions_renames_modes_and_links_are_kept(agent: Agent) -> None:
    (agent.path / "product.txt").rename(agent.path / "renamed.txt")
    (agent.path / "renamed.txt").chmod(0o755)
    (agent.path / "link").symlink_to("renamed.txt")

    agent.end()

    listed = agent.git("ls-tree", "-r", "--format=%(objectmode) %(path)", BRANCH)
    assert listed.splitlines() == ["100644 .gitignore", "120000 link", "100755 renamed.txt"]


def test_ignored_files_and_what_tools_leave_behind_are_no_work(agent: Agent) -> None:
    before = agent.site.write_tree()

    for path in ("noise.log", "a/__pycache__/b.pyc", "node_modules/x/index.js", ".venv/pip"):
        agent.write(path, "left behind\n")

    assert agent.site.write_tree() == before


def test_nothing_new_is_no_error_and_no_commit(agent: Agent) -> None:
    agent.write("node_modules/x/index.js", "untracked, and no work\n")

    agent.end()
    agent.end()

    assert agent.log() == []


def test_what_the_agent_committed_itself_stays_as_it_is(agent: Agent) -> None:
    agent.write("product.txt", "better\n")
    head = agent.commit("mine")

    agent.end()

    assert agent.kept() == head
    assert agent.log() == ["mine"]


def test_what_the_agent_left_behind_its_own_commit_comes_on_top(agent: Agent) -> None:
    agent.write("product.txt", "better\n")
    agent.commit("mine")
    agent.write("product.txt", "best\n")
    agent.git("add", "product.txt")
    agent.write("product.txt", "best of all\n")

    agent.end()

    assert agent.log() == ["G001: iteration 1, impl", "mine"]
    assert agent.git("show", f"{BRANCH}:product.txt") == "best of all"


def test_work_on_another_branch_comes_to_the_branch_of_the_goal(agent: Agent) -> None:
    agent.git("switch", "--quiet", "--create", "feature")
    agent.write("product.txt", "better\n")
    theirs = agent.commit("on my branch")
    agent.write("more.txt", "more\n")

    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert agent.git("symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"
    assert agent.kept("^") == agent.worktree.commit
    assert agent.git("rev-parse", "feature") == theirs


@pytest.mark.parametrize("revision", ["HEAD", "HEAD^"])
def test_work_on_a_detached_head_comes_to_the_branch_of_the_goal(plot: Plot, revision: str) -> None:
    plot.repository.write("second.txt", "second\n")
    plot.repository.commit()
    agent = plot.settle()
    agent.git("switch", "--quiet", "--detach", revision)
    agent.write("product.txt", "better\n")
    agent.commit("nowhere")

    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert agent.kept("^") == agent.worktree.commit
    assert agent.git("symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"


def test_work_on_a_branch_without_a_beginning_keeps_the_history(agent: Agent) -> None:
    agent.git("checkout", "--quiet", "--orphan", "fresh")
    agent.write("product.txt", "better\n")

    agent.end()

    assert agent.kept("^") == agent.worktree.commit


def test_a_merge_that_was_left_in_the_middle_is_kept_as_it_lies_there(agent: Agent) -> None:
    for branch, text in (("one", "one\n"), ("two", "two\n")):
        agent.git("switch", "--quiet", "--create", branch, agent.worktree.commit)
        agent.write("product.txt", text)
        agent.commit(branch)
    agent.git("merge", "one", code=1)

    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert "<<<<<<<" in agent.git("show", f"{BRANCH}:product.txt")


def test_a_rebase_that_was_left_in_the_middle_is_kept_as_it_lies_there(agent: Agent) -> None:
    agent.write("product.txt", "one\n")
    agent.commit("one")
    agent.git("switch", "--quiet", "--create", "other", agent.worktree.commit)
    agent.write("product.txt", "other\n")
    agent.commit("other")
    agent.git("switch", "--quiet", BRANCH)
    agent.git("rebase", "other", code=1)

    tree = agent.end()

    assert agent.kept("^{tree}") == tree


def test_a_merge_is_over_when_the_phase_is(agent: Agent) -> None:
    agent.git("switch", "--quiet", "--create", "one", agent.worktree.commit)
    agent.write("product.txt", "one\n")
    agent.commit("one")
    agent.git("switch", "--quiet", BRANCH)
    agent.git("merge", "--no-ff", "--no-commit", "one")

    agent.end()

    assert agent.git("rev-parse", "--verify", "--quiet", "MERGE_HEAD", code=1) == ""
    assert agent.git("status", "--porcelain") == ""


def test_files_of_a_repository_that_was_begun_inside_are_kept(agent: Agent) -> None:
    for folder in ("new", "new/deeper", "other"):
        agent.write(f"{folder}/file.txt", "here\n")
        agent.git("init", "--quiet", folder)

    agent.end()

    assert "new/deeper/file.txt" in agent.git("ls-tree", "-r", "--name-only", BRANCH).split()
    assert agent.git("show", f"{BRANCH}:other/file.txt") == "here"


def test_a_branch_that_was_deleted_comes_back_with_its_beginning(agent: Agent) -> None:
    agent.git("checkout", "--quiet", "--detach")
    agent.git("branch", "--quiet", "-D", BRANCH)
    agent.write("product.txt", "better\n")

    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert agent.kept("^") == agent.worktree.commit


def test_a_branch_that_became_another_name_of_the_users_leaves_his_alone(
    agent: Agent, plot: Plot
) -> None:
    mine = plot.git("symbolic-ref", "HEAD")
    before = plot.git("rev-parse", mine)
    agent.git("symbolic-ref", f"refs/heads/{BRANCH}", mine)
    agent.write("product.txt", "a lie\n")

    tree = agent.end()

    assert plot.git("rev-parse", mine) == before
    assert agent.kept("^{tree}") == tree
    assert agent.kept("^") == agent.worktree.commit


@pytest.mark.parametrize("name", [".gitignore", "deep/.gitattributes"])
def test_git_does_not_wait_at_a_pipe(agent: Agent, name: str) -> None:
    (agent.path / name).parent.mkdir(exist_ok=True)
    (agent.path / name).unlink(missing_ok=True)
    os.mkfifo(agent.path / name)
    agent.write("product.txt", "better\n")

    tree = agent.end()

    assert agent.kept("^{tree}") == tree


def test_a_head_that_is_a_pipe_is_a_head_again(agent: Agent) -> None:
    head = Path(agent.git("rev-parse", "--path-format=absolute", "--git-path", "HEAD"))
    agent.write("product.txt", "better\n")
    head.unlink()
    os.mkfifo(head)

    tree = agent.end()

    assert agent.kept("^{tree}") == tree


def test_what_a_filter_leaves_running_is_ended(agent: Agent, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    alive = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    agent.git(
        "config", "--global", "filter.x.clean", f"cat; (sleep 1000 > {tmp_path}/pipe &) > /dev/null"
    )
    agent.write(".gitattributes", "product.txt filter=x\n")
    agent.write("product.txt", "better\n")

    agent.end()

    os.set_blocking(alive, True)
    assert os.read(alive, 1) == b""  # nobody holds the other end
    os.close(alive)


def test_a_tie_that_cannot_be_mended_is_made_anew(agent: Agent, plot: Plot) -> None:
    agent.write("product.txt", "better\n")
    agent.write("new.txt", "new\n")
    shutil.rmtree(plot.root / ".git" / "worktrees")

    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert agent.git("show", f"{BRANCH}:new.txt") == "new"
    assert agent.git("status", "--porcelain") == ""
    assert [path.name for path in agent.path.parent.iterdir()] == [agent.path.name]


@pytest.mark.parametrize("name", ["index.lock", "HEAD.lock", "branch"])
def test_the_lock_of_a_git_that_was_killed_is_not_in_the_way(agent: Agent, name: str) -> None:
    agent.write("product.txt", "better\n")
    place = f"refs/heads/{BRANCH}.lock" if name == "branch" else name
    lock = Path(agent.git("rev-parse", "--path-format=absolute", "--git-path", place))
    lock.touch()

    tree = agent.end()

    assert agent.kept("^{tree}") == tree


def test_work_that_cannot_be_kept_is_not_taken_for_kept(agent: Agent) -> None:
    agent.write("product.txt", "better\n")
    place = f"refs/heads/{BRANCH}.lock"
    Path(agent.git("rev-parse", "--path-format=absolute", "--git-path", place)).mkdir()

    with pytest.raises(GitFailed, match=r"git update-ref failed: .*lock"):
        agent.end()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("commit.gpgSign", "true"),
        ("gpg.program", "/bin/false"),
        ("core.autocrlf", "true"),
        ("commit.template", "/nowhere"),
        ("commit.status", "true"),
        ("commit.cleanup", "nonsense"),
        ("core.fsmonitor", "/bin/false"),
        ("core.untrackedCache", "true"),
    ],
)
def test_settings_of_the_user_do_not_stand_in_the_way(
    agent: Agent, setting: str, value: str
) -> None:
    agent.git("config", setting, value)
    agent.write("product.txt", "better\n")

    tree = agent.end()
    agent.end()

    assert agent.kept("^{tree}") == tree
    assert len(agent.log()) == 1


def test_hooks_of_the_user_do_not_run(plot: Plot) -> None:
    told = plot.place / "told"
    for name in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "reference-transaction",
    ):
        hook = plot.root / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {told}\nexit 1\n")
        hook.chmod(0o755)

    agent = plot.settle()
    agent.write("product.txt", "better\n")
    tree = agent.end()

    assert agent.kept("^{tree}") == tree
    assert not told.exists()


# Who commits


def test_a_user_whom_git_knows_is_the_author(agent: Agent, home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    agent.write("product.txt", "better\n")

    agent.end()

    assert agent.log("%an <%ae> %cn") == ["Ada <ada@example.org> Ada"]


@pytest.mark.parametrize("config", ["", "[user]\n\tuseConfigOnly = true\n"])
def test_a_user_whom_git_does_not_know_is_no_obstacle(
    agent: Agent, home: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    (home / ".gitconfig").write_text(config)
    agent.write("product.txt", "better\n")

    tree = agent.end()
    agent.end()

    assert agent.kept("^{tree}") == tree
    assert agent.log("%ae") == ["goalkeeper@localhost"]


# How dear it is


@pytest.mark.parametrize(("text", "most"), [("", 3), ("better\n", 5)])
def test_a_phase_takes_few_processes_of_git(
    agent: Agent, text: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho called >> {told}\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    if text:
        agent.write("product.txt", text)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")

    before = read_refs(agent.worktree.path)
    agent.end()
    compare_refs(before, read_refs(agent.worktree.path))

    assert len(told.read_text().splitlines()) == most
