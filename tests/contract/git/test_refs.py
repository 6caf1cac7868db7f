"""Branches, tags and stashes of the user's, before and after an agent worked."""

import os
from pathlib import Path

from goalkeeper.git.refs import compare_refs, read_refs
from tests.contract.git.yards import Agent, Plot


def test_refs_of_the_user_are_read_loose_and_packed(plot: Plot, agent: Agent) -> None:
    main = plot.git("rev-parse", "main")
    plot.git("branch", "feature/deep/one")
    plot.git("tag", "light")
    plot.git("tag", "--annotate", "heavy", "--message=x")
    plot.repository.write("product.txt", "stashed\n")
    plot.git("stash")
    loose = read_refs(agent.worktree.path)

    plot.git("pack-refs", "--all")

    assert read_refs(agent.worktree.path) == read_refs(str(plot.root)) == loose
    assert loose == {
        "refs/heads/main": main,
        "refs/heads/feature/deep/one": main,
        "refs/tags/light": main,
        "refs/tags/heavy": plot.git("rev-parse", "heavy"),
        "refs/stash": plot.git("rev-parse", "stash"),
    }


def test_refs_that_are_no_files_are_asked_of_git(plot: Plot, agent: Agent) -> None:
    plot.git("branch", "side")
    plot.git("tag", "light")
    files = read_refs(agent.worktree.path)

    (plot.root / ".git/reftable").mkdir()  # git itself keeps all refs there, if it is new enough
    (plot.root / ".git/refs/heads/only-a-file").write_text(files["refs/heads/main"])
    plot.git("pack-refs", "--all")
    (plot.root / ".git/refs/heads/no-ref").write_text("nothing")

    assert read_refs(agent.worktree.path).keys() == {*files, "refs/heads/only-a-file"}


def test_a_loose_ref_counts_more_than_a_packed_one(plot: Plot, agent: Agent) -> None:
    plot.git("pack-refs", "--all")
    plot.repository.write("product.txt", "next\n")
    head = plot.repository.commit("next")

    assert read_refs(agent.worktree.path)["refs/heads/main"] == head


def test_what_an_agent_moves_makes_and_deletes_is_seen(plot: Plot, agent: Agent) -> None:
    plot.git("branch", "old")
    plot.git("tag", "v1")
    before = read_refs(agent.worktree.path)
    agent.write("product.txt", "better\n")
    head = agent.commit()

    agent.git("branch", "--force", "new", "HEAD")
    agent.git("branch", "--delete", "--force", "old")
    agent.git("tag", "--force", "v1", "HEAD")
    agent.git("update-ref", "refs/heads/main", head)
    agent.git("pack-refs", "--all")

    assert compare_refs(before, read_refs(agent.worktree.path)) == (
        f"refs/heads/main {head}",
        f"refs/heads/new {head}",
        "refs/heads/old gone",
        f"refs/tags/v1 {head}",
    )


def test_work_on_the_goals_own_branch_moves_nothing_of_the_users(agent: Agent) -> None:
    before = read_refs(agent.worktree.path)
    agent.write("product.txt", "better\n")
    agent.commit()
    agent.end()

    assert compare_refs(before, read_refs(agent.worktree.path)) == ()


def test_a_name_that_is_no_text_can_still_be_told(plot: Plot, agent: Agent) -> None:
    before = read_refs(agent.worktree.path)
    main = plot.git("rev-parse", "main")
    plot.git("update-ref", os.fsdecode(b"refs/heads/caf\xe9"), "main")

    (told,) = compare_refs(before, read_refs(agent.worktree.path))

    assert told.encode() == f"refs/heads/caf\ufffd {main}".encode()


def test_where_there_is_no_repository_there_are_no_refs(tmp_path: Path) -> None:
    assert read_refs(str(tmp_path)) == {}


def test_of_very_many_refs_the_first_are_named_and_the_others_counted() -> None:
    after = {f"refs/tags/{number:05d}": "0" * 40 for number in range(30_000)}

    told = compare_refs({}, after)

    assert (len(told), told[-1]) == (201, "and 29800 more")
