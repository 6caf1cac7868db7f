"""Landing on real git: the proven work comes to the user's branch, or nothing changes."""

import os
from pathlib import Path

import pytest

from goalkeeper.loop.landing import Landed, land_branches
from tests.contract.git.yards import BRANCH, Plot
from tests.contract.loop.landings import (
    MESSAGE,
    is_right,
    landed,
    proven,
    refused,
    text,
    trees,
    working,
)

# Where nothing happened meanwhile


def test_a_branch_that_is_only_ahead_is_landed_as_one_commit_with_the_proven_tree(
    plot: Plot,
) -> None:
    agent = working(plot)
    agent.write("more.txt", "more\n")
    agent.commit("more")
    before = plot.git("rev-parse", "HEAD")

    landed(plot, agent, how="commit")

    assert plot.git("rev-parse", "HEAD^") == before
    assert plot.git("rev-parse", "HEAD^{tree}") == plot.git("rev-parse", f"{agent.tip}^{{tree}}")
    assert plot.git("log", "-1", "--format=%B").strip() == MESSAGE.strip()
    assert text(plot, "work.txt") == "work\n"
    assert plot.git("status", "--porcelain") == ""
    assert plot.git("symbolic-ref", "--short", "HEAD") == "main"


def test_all_commits_of_the_branch_come_along_where_that_is_asked_for(plot: Plot) -> None:
    agent = working(plot)
    agent.write("more.txt", "more\n")
    agent.commit("more")

    landed(plot, agent, how="fast-forward", keep_history=True)

    assert plot.git("rev-parse", "HEAD") == agent.tip
    assert plot.git("log", "--format=%s").splitlines() == [
        "more", "G001: iteration 1, impl", "base"
    ]  # fmt: skip


def test_what_is_landed_already_is_landed(plot: Plot) -> None:
    agent = working(plot)
    head = landed(plot, agent, how="commit")

    assert landed(plot, agent, how="already there") == head


def test_a_branch_without_work_is_there_already(plot: Plot) -> None:
    landed(plot, plot.settle(), how="already there")


# Where the user went on


def test_beside_commits_of_the_users_it_is_one_commit_on_top(plot: Plot) -> None:
    agent = working(plot)
    plot.repository.write("mine.txt", "mine\n")
    mine = plot.repository.commit("mine")

    head = landed(plot, agent, how="commit")

    assert plot.git("log", "-1", "--format=%P", head) == mine
    assert plot.git("log", "-1", "--format=%B", head).strip() == MESSAGE.strip()
    assert plot.git("show", "--format=", "--name-only", head) == "work.txt"
    assert plot.git("status", "--porcelain") == ""


def test_a_commit_on_top_is_not_made_twice(plot: Plot) -> None:
    agent = working(plot)
    plot.repository.write("mine.txt", "mine\n")
    plot.repository.commit("mine")
    head = landed(plot, agent, how="commit")

    assert landed(plot, agent, how="already there") == head


def test_the_same_work_done_by_the_user_is_there_already(plot: Plot) -> None:
    agent = working(plot)
    plot.repository.write("work.txt", "work\n")
    plot.repository.commit("I was faster")

    landed(plot, agent, how="already there")


def test_other_lines_of_the_same_file_are_merged(plot: Plot) -> None:
    lines = [f"{n}\n" for n in range(20)]
    plot.repository.write("list.txt", "".join(lines))
    plot.repository.commit("a list")
    agent = working(plot, "list.txt", "".join(["first\n", *lines[1:]]))
    plot.repository.write("list.txt", "".join([*lines[:-1], "last\n"]))
    plot.repository.commit("mine")

    landed(plot, agent, how="commit")

    assert text(plot, "list.txt") == "".join(["first\n", *lines[1:-1], "last\n"])


def test_the_same_lines_are_a_conflict_that_names_the_files(plot: Plot) -> None:
    agent = working(plot, "product.txt", "theirs\n")
    agent.write("more.txt", "more\n")
    agent.end()
    plot.repository.write("product.txt", "mine\n")
    plot.repository.write("mine.txt", "mine\n")
    plot.repository.commit("mine")

    refusal = refused(plot, agent)

    assert refusal.reason == "conflict"
    assert refusal.facts == {"files": ["product.txt"]}
    assert "changed the same lines: product.txt. Nothing was changed." in refusal.message
    assert refusal.hint == f"git merge {BRANCH}"


def test_a_conflict_names_its_files_though_one_side_moved_or_removed_them(plot: Plot) -> None:
    lines = [f"{number}\n" for number in range(20)]
    plot.repository.write("moved.txt", "".join(lines))
    plot.repository.write("gone.txt", "once\n")
    plot.repository.commit("both")
    agent = working(plot, "moved.txt", "".join(["theirs\n", *lines[1:]]))
    agent.write("gone.txt", "theirs\n")
    agent.write("folder/näme with\nbreak", "a file in a folder\n")
    agent.end()
    plot.git("rm", "--quiet", "gone.txt")
    plot.git("mv", "moved.txt", "elsewhere.txt")
    plot.repository.write("elsewhere.txt", "".join(["mine\n", *lines[1:]]))
    plot.repository.write("folder", "a file\n")
    plot.repository.commit("mine")

    files = refused(plot, agent).facts["files"]

    assert isinstance(files, list)
    assert {"gone.txt", "elsewhere.txt"} < {*files}
    assert any(each.startswith("folder") for each in files)


def test_a_branch_of_the_users_can_be_landed_on(plot: Plot) -> None:
    agent = working(plot)
    plot.git("switch", "--quiet", "--create", "feature")
    main = plot.git("rev-parse", "main")

    landed(plot, agent, how="commit")

    assert plot.git("rev-parse", "main") == main
    assert plot.git("symbolic-ref", "--short", "HEAD") == "feature"


# What was not committed


def test_what_was_uncommitted_when_work_began_stays_so(plot: Plot) -> None:
    plot.repository.write("product.txt", "mine, uncommitted\n")
    plot.repository.write("untracked.txt", "mine, untracked\n")
    before = plot.git("status", "--porcelain")
    agent = working(plot)
    assert (agent.path / "untracked.txt").exists()

    head = landed(plot, agent, how="commit")

    assert plot.git("show", "--format=", "--name-only", head) == "work.txt"
    assert plot.git("status", "--porcelain") == before
    assert text(plot, "product.txt") == "mine, uncommitted\n"


def test_what_was_uncommitted_and_is_committed_now_does_not_come_twice(plot: Plot) -> None:
    plot.repository.write("product.txt", "mine\n")
    agent = working(plot)
    plot.repository.commit("mine, at last")

    head = landed(plot, agent, how="commit")

    assert plot.git("show", "--format=", "--name-only", head) == "work.txt"
    assert text(plot, "product.txt") == "mine\n"


def test_work_on_what_is_uncommitted_cannot_be_told_apart_from_it(plot: Plot) -> None:
    plot.repository.write("product.txt", "mine, uncommitted\n")
    agent = working(plot, "product.txt", "mine, uncommitted, and better\n")

    refusal = refused(plot, agent)

    assert refusal.reason == "conflict"
    assert refusal.facts == {"files": ["product.txt"]}
    plot.repository.commit("mine, at last")
    landed(plot, agent, how="commit")
    assert text(plot, "product.txt") == "mine, uncommitted, and better\n"


def test_staged_changes_to_other_files_stay_staged(plot: Plot) -> None:
    agent = working(plot)
    plot.repository.write("product.txt", "staged\n")
    plot.git("add", "product.txt")

    landed(plot, agent, how="commit")

    assert plot.git("status", "--porcelain") == "M  product.txt"


@pytest.mark.parametrize("moved_on", [False, True], ids=["ahead", "moved on"])
def test_uncommitted_changes_in_the_way_are_not_overwritten(plot: Plot, moved_on: bool) -> None:
    agent = working(plot, "product.txt", "better\n")
    if moved_on:
        plot.repository.write("mine.txt", "mine\n")
        plot.repository.commit("mine")
    plot.repository.write("product.txt", "mine, uncommitted\n")

    refusal = refused(plot, agent)

    assert refusal.reason == "not-merged"
    assert "product.txt" in refusal.message
    assert refusal.message.endswith("Nothing was changed.")


def test_an_untracked_file_in_the_way_is_not_overwritten(plot: Plot) -> None:
    agent = working(plot)
    plot.repository.write("work.txt", "mine, untracked\n")

    assert refused(plot, agent).reason == "not-merged"


def test_a_lock_that_a_killed_git_left_is_named(plot: Plot) -> None:
    lock = plot.repository.write(".git/index.lock")
    hint = refused(plot, working(plot)).hint
    assert hint == f"if no git runs here: rm {lock}, then goalkeeper land"


# Where there is nowhere to land


def test_a_detached_head_is_no_branch_to_land_on(plot: Plot) -> None:
    agent = working(plot)
    plot.git("switch", "--quiet", "--detach")

    assert refused(plot, agent).reason == "no-branch"


def test_a_branch_without_a_commit_is_nothing_to_land_on_yet(tmp_path: Path) -> None:
    plot = Plot(tmp_path)
    plot.repository.write("product.txt", "base\n")
    agent = working(plot)

    assert refused(plot, agent).reason == "no-commit"
    plot.repository.commit("base, at last")
    landed(plot, agent, how="commit")
    assert (text(plot, "product.txt"), text(plot, "work.txt")) == ("base\n", "work\n")


def test_a_branch_that_is_gone_cannot_be_landed(plot: Plot) -> None:
    agent = working(plot)
    plot.git("worktree", "remove", "--force", str(agent.path))
    plot.git("branch", "--delete", "--force", BRANCH)

    refusal = refused(plot, agent)

    assert refusal.reason == "branch-gone"
    assert BRANCH in refusal.message


def test_what_was_put_on_the_branch_after_the_proof_does_not_land(plot: Plot) -> None:
    agent = working(plot)
    tip = plot.git("rev-parse", BRANCH)
    agent.write("evil.py", "unproven\n")
    agent.commit()

    done = land_branches(trees(plot), [proven(agent).replace(commit=tip)], is_right)

    assert isinstance(done, Landed)
    assert plot.git("rev-parse", "HEAD^{tree}") == plot.git("rev-parse", f"{tip}^{{tree}}")
    assert not (plot.root / "evil.py").exists()


def test_what_an_agent_made_of_the_history_does_not_matter(plot: Plot) -> None:
    agent = working(plot)
    fresh = plot.git("commit-tree", "-m", "fresh", f"{BRANCH}^{{tree}}")
    plot.git("update-ref", f"refs/heads/{BRANCH}", fresh)

    landed(plot, agent, how="commit")

    assert text(plot, "work.txt") == "work\n"
    assert plot.git("log", "--format=%s").splitlines() == ["Sums", "base"]


# Whatever the user's settings are


def test_ids_may_be_sha256(tmp_path: Path) -> None:
    plot = Plot(tmp_path, "--object-format=sha256")
    plot.repository.write("product.txt", "base\n")
    plot.repository.commit("base")
    plot.repository.write("untracked.txt", "mine\n")

    assert len(landed(plot, working(plot), how="commit")) == 64


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("merge.ff", "false"),
        ("commit.gpgSign", "true"),
        ("gpg.program", "/bin/false"),
        ("merge.conflictStyle", "diff3"),
        ("core.autocrlf", "input"),
    ],
)
@pytest.mark.parametrize("moved_on", [False, True], ids=["ahead", "moved on"])
def test_settings_of_the_user_do_not_stand_in_the_way(
    plot: Plot, setting: str, value: str, moved_on: bool
) -> None:
    agent = working(plot)
    if moved_on:
        plot.repository.write("mine.txt", "mine\n")
        plot.repository.commit("mine")
    plot.git("config", setting, value)

    landed(plot, agent, how="commit")


def test_a_commit_on_top_is_the_users_own(plot: Plot, home: Path) -> None:
    agent = working(plot)
    plot.repository.write("mine.txt", "mine\n")
    plot.repository.commit("mine")

    head = landed(plot, agent, how="commit")

    assert plot.git("log", "-1", "--format=%an %cn", head) == "A. Tester A. Tester"


@pytest.mark.parametrize("config", ["", "[user]\n\tuseConfigOnly = true\n"])
def test_a_user_whom_git_does_not_know_is_no_obstacle(
    plot: Plot, home: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = working(plot)
    plot.repository.write("mine.txt", "mine\n")
    plot.repository.commit("mine")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    (home / ".gitconfig").write_text(config)

    head = landed(plot, agent, how="commit")

    assert plot.git("log", "-1", "--format=%ae", head) == "goalkeeper@localhost"


# What an agent wrote into the repository


def test_a_merge_driver_of_the_agents_has_no_say(plot: Plot) -> None:
    agent = working(plot)
    agent.git("config", "merge.evil.driver", "echo evil > %A")
    agent.git("config", "merge.default", "evil")
    (plot.root / ".git/info").mkdir(exist_ok=True)
    (plot.root / ".git/info/attributes").write_text("* merge=evil\n")
    plot.repository.write("mine.txt", "mine\n")
    plot.repository.commit()
    before = agent.git("show", f"{agent.worktree.branch}:product.txt")

    landed(plot, agent, how="commit")

    assert text(plot, "product.txt").strip() == before
    assert text(plot, "mine.txt") == "mine\n"


def test_landing_starts_no_program_that_verifies_or_makes_signatures(
    plot: Plot, tmp_path: Path
) -> None:
    agent = working(plot)
    program = tmp_path / "gpg"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    branch, head = plot.git("branch", "--show-current"), plot.git("rev-parse", "HEAD")
    agent.git("config", "gpg.program", str(program))
    agent.git("config", "merge.verifySignatures", "true")
    agent.git("config", f"branch.{branch}.mergeOptions", "--strategy=ours --gpg-sign --edit")

    assert landed(plot, agent, how="commit") != head
    assert not (tmp_path / "started").exists()


def test_grafts_do_not_make_work_look_landed(plot: Plot) -> None:
    agent = working(plot)
    head = plot.git("rev-parse", "HEAD")
    (plot.root / ".git/info").mkdir(exist_ok=True)
    (plot.root / ".git/info/grafts").write_text(f"{head} {agent.tip}\n")

    assert landed(plot, agent, how="commit") != head
