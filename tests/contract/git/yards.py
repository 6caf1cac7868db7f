"""A user's repository, the worktrees that goalkeeper makes of it, and agents who work there."""

import os
import subprocess
from pathlib import Path

from goalkeeper.core.drive.state import Worktree
from goalkeeper.git.worktrees import GoalWorktree, Worktrees
from tests.contract.witness.repository import Repository

RUN = "20260101-000000-abcd"
BRANCH = f"goalkeeper/{RUN}/G001"
TRAILERS = {"Goalkeeper-Run": RUN, "Goal": "G001"}
# What git writes there belongs to a worktree of ours.
OURS = (
    ".git/objects",
    ".git/worktrees",
    "refs/heads/goalkeeper",
    ".git/logs/refs/heads/goalkeeper",
)


class Plot:
    def __init__(self, place: Path, *options: str) -> None:
        self.place = place
        self.repository = Repository(place / "repository", *options)
        self.worktrees = Worktrees(str(self.repository.root), str(place / "yard"), RUN)

    @property
    def root(self) -> Path:
        return self.repository.root

    def git(self, *words: str) -> str:
        return self.repository.git(*words)

    def base(self) -> str:
        """The commit that work begins with: the checkout as it is now."""
        trees = self.repository.trees()
        return trees.commit_of(trees.take_snapshot())

    def settle(self, goal_id: str = "G001") -> "Agent":
        worktree = self.worktrees.make_worktree(goal_id, self.base())
        return Agent(worktree, self.worktrees)

    def theirs(self) -> dict[str, str]:
        """All that is the user's: files, index, branches, stashes, configuration."""
        found = self.repository.fingerprint()
        return {
            path: said
            for path, said in found.items()
            if not any(name in path for name in OURS) and not said.startswith("4")  # folders
        }


class Agent:
    """Somebody at work in a worktree, and what goalkeeper does when it has ended."""

    def __init__(self, worktree: Worktree, worktrees: Worktrees) -> None:
        self.worktree = worktree
        self.path = Path(worktree.path)
        self._worktrees = worktrees

    @property
    def site(self) -> GoalWorktree:
        self._worktrees.make_worktree(self.worktree.goal_id, self.worktree.commit)
        return GoalWorktree(self.worktree, self._worktrees)

    @property
    def tip(self) -> str:
        """Of the branch; empty when it is gone."""
        ref = f"refs/heads/{self.worktree.branch}"
        words = ["git", "for-each-ref", "--format=%(objectname)", ref]
        done = subprocess.run(words, cwd=self._worktrees.root, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def write(self, path: str, text: str) -> None:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *words: str, code: int = 0) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.path, capture_output=True, check=False, env=os.environ
        )
        assert done.returncode == code, done
        return done.stdout.decode().strip()

    def commit(self, message: str = "a step of the agent's") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def end(self, title: str = "G001: iteration 1, impl") -> str:
        """As after every phase; the tree that lies there."""
        site = self.site
        tree = site.write_tree()
        site.commit_tree(tree, title, TRAILERS)
        return tree

    def kept(self, what: str = "") -> str:
        """What the branch has."""
        return self.git("rev-parse", f"refs/heads/{self.worktree.branch}{what}")

    def log(self, form: str = "%s") -> list[str]:
        """Of the branch since it began, newest first."""
        span = f"{self.worktree.commit}..refs/heads/{self.worktree.branch}"
        return self.git("log", f"--format={form}", span).splitlines()
