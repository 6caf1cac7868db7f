"""Landing the work of several goals: all of it, or nothing."""

from tests.contract.git.yards import Agent, Plot
from tests.contract.loop.landings import landed, refused, text, working


def after(plot: Plot, first: Agent) -> Agent:
    """Who works on the second goal, which begins where the first ended."""
    return Agent(plot.worktrees.make_worktree("G002", first.kept()), plot.worktrees)


def test_goals_that_follow_each_other_land_as_a_commit_each(plot: Plot) -> None:
    first = working(plot)
    second = after(plot, first)
    second.write("work.txt", "more work\n")
    second.end()

    landed(plot, first, second, how="commit")

    assert text(plot, "work.txt") == "more work\n"
    assert plot.git("log", "--format=%s").splitlines() == ["Sums", "Sums", "base"]
    assert plot.git("rev-parse", "HEAD~1^{tree}") == plot.git(
        "rev-parse", f"{first.kept()}^{{tree}}"
    )


def test_goals_that_follow_each_other_leave_out_what_was_uncommitted(plot: Plot) -> None:
    plot.repository.write("product.txt", "mine, uncommitted\n")
    first = working(plot)
    second = after(plot, first)
    second.write("work.txt", "more work\n")
    second.end()

    landed(plot, first, second, how="commit")

    assert plot.git("diff", "--name-only", "HEAD~2", "HEAD") == "work.txt"
    assert text(plot, "work.txt") == "more work\n"
    assert plot.git("status", "--porcelain") == "M product.txt"


def test_goals_beside_each_other_land_together(plot: Plot) -> None:
    first = working(plot)
    second = plot.settle("G002")
    second.write("beside.txt", "beside\n")
    second.end()

    head = landed(plot, first, second, how="commit")

    assert plot.git("log", "--format=%s").splitlines() == ["Sums", "Sums", "base"]
    assert (text(plot, "work.txt"), text(plot, "beside.txt")) == ("work\n", "beside\n")
    assert landed(plot, first, second, how="already there") == head


def test_goals_that_contradict_each_other_are_not_landed_in_part(plot: Plot) -> None:
    first = working(plot)
    second = plot.settle("G002")
    second.write("work.txt", "another way\n")
    second.end()

    refusal = refused(plot, first, second)

    assert refusal.facts == {"files": ["work.txt"]}
    assert second.worktree.branch in refusal.message


def test_one_branch_that_is_gone_keeps_all_from_landing(plot: Plot) -> None:
    first, second = working(plot), plot.settle("G002")
    plot.git("worktree", "remove", "--force", str(second.path))
    plot.git("branch", "--delete", "--force", second.worktree.branch)

    assert refused(plot, first, second).reason == "branch-gone"
