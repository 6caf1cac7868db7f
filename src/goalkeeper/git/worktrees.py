"""The worktrees in which agents work on goals, and the branches that keep the work.

The user's checkout, index, stashes and branches do not change: a worktree has its own index and
HEAD. It shares refs with the user's checkout, so refs are read before and after every phase.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from goalkeeper.core.drive.state import Worktree
from goalkeeper.errors import OutsideError
from goalkeeper.git.drivers import TrustDrivers, trust_no_driver
from goalkeeper.git.entries import (
    find_free_path,
    is_linked,
    link_folder,
    move_entries,
    remove_entries,
)
from goalkeeper.git.index import list_tracked, read_index
from goalkeeper.git.ownership import refuse_foreign_folders
from goalkeeper.git.places import find_common_dir, find_git_dir
from goalkeeper.git.refs import PREFIX
from goalkeeper.git.repository import Git, GitFailed
from goalkeeper.git.trees import LEFTOVERS, NOBODY, WITHOUT_COMMIT
from goalkeeper.system.removal import remove_tree
from goalkeeper.system.safe_open import (
    NEW,
    make_folder,
    open_without_links,
    read_plain_file,
    replace_file,
)
from goalkeeper.wire import layout
from goalkeeper.wire.value import Value

_ANYBODY = {"EMAIL": "goalkeeper@localhost"}  # git uses it if the user has set no address
_RULES = frozenset({".gitignore", ".gitattributes"})
_MOST_ROUNDS = 3  # files that were ignored show when the rules are back
_UNFINISHED = ("MERGE", "CHERRY_PICK", "REVERT")
_LENT = "lane-"


class FilesNotPutBack(OutsideError, hint="see what git status says there"):
    """What an agent changed in {path} without leave cannot be undone."""


class BranchInTheWay(
    OutsideError,
    hint="git branch -m {branch} <another name>, then repeat the command",
):
    """Git keeps no branch {branch}/… beside your branch {branch}, and work needs one."""


class Worktrees(Value):
    """The worktrees of one run."""

    root: str  # the user's checkout
    place: str
    run_id: str
    is_trusted: TrustDrivers = trust_no_driver

    def make_worktree(self, goal_id: str, commit: str) -> Worktree:
        """Return a worktree that begins with the commit; an existing one is used as it is."""
        git, branch = self._git, self._name_branch(goal_id)
        path = self.find_path(goal_id)
        for place in (os.path.dirname(path), path):
            if os.path.islink(place):  # it leads to files that are not ours
                os.unlink(place)
        self._link_path(branch, path)
        if not os.path.lexists(os.path.join(path, ".git")):
            remove_entries(self.root, path)
            ref = f"refs/heads/{branch}"
            known = git.ask_if_any("rev-parse", "--verify", "--quiet", ref)
            # The user may look at our branch in a worktree of his own.
            words = ("--force", path, branch) if known else ("-b", branch, path, commit)
            if not known:
                self._refuse_own_name()
            with _move_aside(path) as options:
                git.ask("worktree", "add", "--quiet", *options, *words)
            os.chmod(path, 0o700)
            _write_ignore_file(path)
        return Worktree(goal_id, path, branch, commit)

    def find_path(self, goal_id: str) -> str:
        """Say where a goal is worked on now; its run may have begun at another place."""
        return os.path.join(self._run_folder, goal_id)

    def _name_branch(self, goal_id: str) -> str:
        return f"{PREFIX}/{self.run_id}/{goal_id}"

    def _link_path(self, branch: str, path: str) -> None:
        """Link what git has of our branch to its folder, as far as there is one."""
        if not is_linked(path, self.root):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            move_entries(self.root, branch, path)
            if _has_files(path):
                link_folder(path, self.root)

    def move_work(self, goal_id: str, commit: str, merge: Callable[[str, str], str]) -> None:
        """Bring work that was begun elsewhere onto a commit; work that conflicts is set aside.

        `merge` makes a commit of two, or returns an empty text. If there is no work yet, it begins
        with the commit.
        """
        ref = f"refs/heads/{self._name_branch(goal_id)}"
        tip = self._git.ask_if_any("rev-parse", "--verify", "--quiet", ref)
        if not tip:
            self._refuse_own_name()
            self._git.ask("update-ref", ref, commit)
            return
        if self._git.is_ancestor(commit, tip):
            return
        self.take_back(self.find_path(goal_id))
        moved = commit if self._git.is_ancestor(tip, commit) else merge(commit, tip)
        if not moved:
            self._git.ask("update-ref", f"{ref}-aside-{tip[:8]}", tip)
        self._git.ask("update-ref", ref, moved or commit)

    def clear_place(self, goal_id: str) -> None:
        """Remove what lies in the place of a goal on which no work was begun yet.

        Others can guess its names. What our own killed process made there is only a beginning.
        """
        path, ref = self.find_path(goal_id), f"refs/heads/{self._name_branch(goal_id)}"
        if os.path.lexists(path):
            self.take_back(path)
        if self._git.ask_if_any("rev-parse", "--verify", "--quiet", ref):
            self._git.ask("update-ref", "--no-deref", "-d", ref)

    def _refuse_own_name(self) -> None:
        """Refuse a branch of the user's that has the name of the folder of our branches."""
        ref = f"refs/heads/{PREFIX}"
        if self._git.ask_if_any("rev-parse", "--verify", "--quiet", ref):
            raise BranchInTheWay(branch=PREFIX)

    def remove_worktree(self, goal_id: str) -> None:
        """Remove the folder unless it has changes that no commit has; the branch stays.

        What programs leave behind, such as node_modules, are no such changes.
        """
        git, path = self._git, self.find_path(goal_id)
        self._link_path(self._name_branch(goal_id), path)
        entry = find_git_dir(path)
        was_known = os.path.isdir(entry)
        with suppress(GitFailed):
            git.ask("worktree", "remove", path)
            return
        # git forgets a worktree without changes, also if it cannot remove all of the folder.
        is_forgotten = was_known and not os.path.isdir(entry)
        tip = git.ask_if_any("rev-parse", "--verify", "--quiet", self._name_branch(goal_id))
        is_there = os.path.isfile(os.path.join(path, ".git"))
        if is_forgotten or (tip and is_there and not self.describe_changes(path, tip)):
            self.take_back(path)

    def lend_worktree(self, name: str, commit: str) -> str:
        """Return a worktree for reading, on no branch."""
        path = os.path.join(self._run_folder, f"{_LENT}{name}")
        os.makedirs(self._run_folder, mode=0o700, exist_ok=True)
        self._git.ask("worktree", "add", "--quiet", "--detach", path, commit)
        return path

    def list_lent(self) -> list[str]:
        """Return the folders that were lent and not taken back."""
        try:
            names = os.listdir(self._run_folder)
        except OSError:
            return []
        return [os.path.join(self._run_folder, name) for name in names if name.startswith(_LENT)]

    def describe_changes(self, path: str, commit: str) -> str:
        """Return what a reader changed in a lent worktree; empty if it changed nothing."""
        left = [f":(exclude,top,glob)**/{name}/**" for name in LEFTOVERS]
        asked = ("status", "--porcelain", "--untracked-files=all", "--ignore-submodules", "--")
        git = Git(path, NOBODY, (self.root, path), self.is_trusted)
        try:
            rows = git.call(*asked, ":/", *left).splitlines()
            head = git.ask("rev-parse", "HEAD")
        except GitFailed as exc:
            return f"its worktree cannot be read any more: {exc.message}"
        if not rows and head != commit:
            return "it made a commit of its own"
        return f"it changed files: {os.fsdecode(rows[0])}" if rows else ""

    def take_back(self, path: str) -> None:
        """Remove a lent worktree, also if git does not know it any more."""
        with suppress(GitFailed):
            self._git.ask("worktree", "remove", "--force", "--force", path)  # even if it is locked
        if os.path.lexists(path):
            remove_tree(path)
            remove_entries(self.root, path)

    @property
    def _run_folder(self) -> str:
        return os.path.join(self.place, self.run_id)

    @property
    def _git(self) -> Git:
        """Return git in the user's checkout; whatever writes there begins with it."""
        refuse_foreign_folders(self.root)
        return Git(self.root, NOBODY, (self.root,), self.is_trusted)


class GoalWorktree:
    """One worktree between phases. It takes three git processes if nothing changed, else five."""

    def __init__(self, worktree: Worktree, worktrees: Worktrees) -> None:
        self.worktree = worktree
        walls = (worktrees.root, worktree.path)
        self._git = Git(worktree.path, _ANYBODY, walls, worktrees.is_trusted)

    def unhide_paths(self) -> None:
        """Make git look at files that it was told to ignore."""
        self._remove_leftovers()
        rows = self._git.call("ls-files", "-v", "-z").split(b"\0")
        hidden = [row[2:] for row in rows if row[:1].islower() or row[:1] == b"S"]
        self._git.unhide_paths(hidden, self.worktree.path)

    def write_tree(self) -> str:
        """Return the tree of all files but ignored ones, and update the worktree's index."""
        self._remove_leftovers()
        _remove_pipes(self.worktree.path)
        # Without the stars at the start git complains of paths that are ignored already.
        ours = [f"**/{layout.STATE_DIR}/{name}**" for name in layout.IGNORED]
        names = [*ours, *(f"**/{name}/**" for name in LEFTOVERS)]
        self._add_files([f":(exclude,top,glob){name}" for name in names])
        return self._git.ask("write-tree")

    def put_back(self, tree: str) -> str:
        """Make the files those of the tree, but for ignored ones, and return the tree."""
        for _ in range(_MOST_ROUNDS):
            self._git.ask("read-tree", "--reset", "-u", tree)
            self._git.ask("clean", "-ffdq")  # also repositories inside
            if self.write_tree() == tree:
                return tree
        raise FilesNotPutBack(path=self.worktree.path)

    def _add_files(self, left: Sequence[str]) -> None:
        """Add all files, also those in repositories that an agent created inside."""
        try:
            self._git.add_all(("--", ":/", *left), self._list_submodules())
        except GitFailed as exc:
            inside = WITHOUT_COMMIT.search(exc.message)
            own = os.path.join(self.worktree.path, inside[1], ".git") if inside else ""
            if not own or os.path.islink(own):
                raise
            os.rename(own, find_free_path(self.worktree.path))
            self._add_files(left)

    def _list_submodules(self) -> list[str]:
        index = read_index(os.path.join(find_git_dir(self.worktree.path), "index"))
        width = len(self.worktree.commit) // 2  # of an id in bytes
        known = list_tracked(index.data, width, self._git.call)
        return [os.fsdecode(path) for path, _, is_one in known if is_one]

    def put_back_start(self) -> str:
        """Make the files those that work began with, and return their tree."""
        return self.put_back(self._git.ask("rev-parse", f"{self.worktree.commit}^{{tree}}"))

    def commit_tree(
        self, tree: str, title: str, trailers: Mapping[str, str], *, is_promised: bool = False
    ) -> None:
        """Commit the tree to the goal's own branch, wherever HEAD is.

        A title that is promised comes, too, if somebody has committed the tree under another one.
        """
        ref = f"refs/heads/{self.worktree.branch}"
        tip, known = self._find_tip(ref)
        is_named = not is_promised or tip == self.worktree.commit or self._has_title(tip, title)
        if known == tree and is_named:
            return
        told = "".join(f"{name}: {value}\n" for name, value in trailers.items())
        words = ("commit-tree", tree, "-p", tip, "-m", f"{title}\n\n{told}")
        self.set_branch(commit_as_user(lambda who: self._git.replace(env=who).ask(*words)))

    def _has_title(self, commit: str, title: str) -> bool:
        return self._git.ask("log", "-1", "--format=%s", commit) == title.partition("\n")[0]

    def find_tip(self) -> str:
        """Return the last commit of the branch."""
        return self._find_tip(f"refs/heads/{self.worktree.branch}")[0]

    def _find_tip(self, ref: str) -> list[str]:
        """Return the last commit of the branch and its tree, or the commit that it began with."""
        loose = os.path.join(find_common_dir(self.worktree.path), ref)
        with suppress(GitFailed):
            if not _read_text(loose).startswith("ref:"):  # it would lead to another branch
                return self._git.ask("rev-parse", f"{ref}^{{commit}}", f"{ref}^{{tree}}").split()
        return [self.worktree.commit, ""]

    def set_branch(self, commit: str) -> None:
        """Set the goal's branch to this commit, whatever it is now."""
        self._git.ask("update-ref", "--no-deref", f"refs/heads/{self.worktree.branch}", commit)

    def _remove_leftovers(self) -> None:
        """Remove what a killed git left: no other process works here now."""
        own = find_git_dir(self.worktree.path)
        if not own:  # git will say what is wrong
            return
        common = find_common_dir(self.worktree.path)
        branch = os.path.join(common, "refs", "heads", self.worktree.branch)
        left = ("index.lock", "HEAD.lock", *(f"{name}_HEAD" for name in _UNFINISHED))
        for path in (*(os.path.join(own, name) for name in left), f"{branch}.lock"):
            with suppress(OSError):
                os.unlink(path)
        head, ref = os.path.join(own, "HEAD"), f"ref: refs/heads/{self.worktree.branch}\n"
        if _read_text(head) != ref:
            replace_file(head, ref.encode())


def commit_as_user(commit: Callable[[Mapping[str, str]], str]) -> str:
    """Commit in the user's name; in our name if git does not know the user's."""
    try:
        return commit(_ANYBODY)
    except GitFailed as exc:
        if "ident" not in exc.message:
            raise
    return commit(NOBODY)


@contextmanager
def _move_aside(path: str) -> Iterator[tuple[str, ...]]:
    """Move files aside while a worktree is made at their place; then they become its files."""
    if not _has_files(path):
        yield ()
        return
    kept = find_free_path(path)
    os.rename(path, kept)
    try:
        yield ("--no-checkout",)
        os.rename(os.path.join(path, ".git"), os.path.join(kept, ".git"))
    finally:
        with suppress(OSError):
            os.rmdir(path)
        os.rename(kept, path)


def _write_ignore_file(worktree: str) -> None:
    """Let git ignore the files that we leave for an agent, as in the user's checkout."""
    path = os.path.join(worktree, layout.STATE_DIR, layout.IGNORE)
    with suppress(OSError):
        make_folder(os.path.dirname(path))
        with open(open_without_links(path, NEW), "wb") as file:
            file.write(layout.IGNORE_TEXT.encode())


def _has_files(path: str) -> bool:
    """Return whether a folder has files; one that was emptied is made again."""
    return os.path.isdir(path) and bool(os.listdir(path))


def _remove_pipes(place: str) -> None:
    """Remove pipes that have the names of git's rules: git would wait for ever to read one."""
    for folder, _, files in os.walk(place):
        for name in _RULES.intersection(files):
            path = os.path.join(folder, name)
            if stat.S_ISFIFO(os.lstat(path).st_mode):
                os.unlink(path)


def _read_text(path: str) -> str:
    return read_plain_file(path).decode(errors="replace")
