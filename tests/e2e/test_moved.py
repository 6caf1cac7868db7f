"""A repository that was restored from a backup goes on with its open run."""

import shutil

from tests.e2e.drives import FIX, SPOIL, Driven


def test_a_run_goes_on_in_a_repository_that_was_restored_elsewhere(driven: Driven) -> None:
    """The backup has no HOME, in which the worktrees were."""
    end = driven.drive({"G001": [SPOIL]}, "--max-iterations", "1")
    assert end.reason == "max-iterations"
    driven.root = driven.root.rename(driven.root.with_name("restored"))
    driven.state = driven.root / ".goalkeeper"
    shutil.rmtree(driven.home)
    driven.home.mkdir()

    driven.ok("trust", "--state", "--yes", env=driven.human())
    assert driven.drive({"G001": [FIX]}).reason == "done"

    driven.ok("land")
    assert driven.mine() == "fixed\n"
    assert driven.git("worktree", "list").count("\n") == 1
