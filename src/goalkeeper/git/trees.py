"""Makes exact trees: of the working tree, of a commit, of a candidate with base's tests.

The user's repository does not change: a snapshot works on a copy of the index, and writes to an
object store of our own, which reads the objects of the repository as well.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from hashlib import new
from shlex import quote

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.plan.model import Base
from goalkeeper.errors import UsageError
from goalkeeper.git import commits
from goalkeeper.git.commits import LOG, Commit, read_log
from goalkeeper.git.drivers import TrustDrivers, trust_no_driver
from goalkeeper.git.folders import (
    LINK,
    SUBMODULE,
    Blob,
    Changes,
    DiffRow,
    Entries,
    Folders,
    parse_raw_diff,
)
from goalkeeper.git.index import Index, SnapshotState, list_tracked, read_index
from goalkeeper.git.objects import BLOB, Objects
from goalkeeper.git.places import follow_path
from goalkeeper.git.repository import Git, GitFailed, NoCommitInside, Repository, find_repository
from goalkeeper.system import reaper
from goalkeeper.system.safe_open import read_plain_file, replace_file
from goalkeeper.wire import layout
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

NOBODY = {
    "GIT_AUTHOR_NAME": "goalkeeper", "GIT_AUTHOR_EMAIL": "goalkeeper@localhost",
    "GIT_COMMITTER_NAME": "goalkeeper", "GIT_COMMITTER_EMAIL": "goalkeeper@localhost",
}  # fmt: skip
# The user's configuration has no effect on a checkout: no filters, no line endings, no hooks.
_OWN = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_COUNT": "0"}


# Files that tools leave behind are no work, also if git was not told to ignore them.
LEFTOVERS = (
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox",
    ".venv", "node_modules",
)  # fmt: skip


_OURS = tuple(os.fsencode(f"{layout.STATE_DIR}/{name}") for name in layout.IGNORED)
# These are patterns from the first character on. git takes a plain path as one that is asked for,
# also if it is excluded, and complains if it is ignored as well.
_LEFT_OUT = tuple(
    f":(exclude,top,glob){pattern}"
    for pattern in (
        *(f"**/{name}/**" for name in LEFTOVERS),
        *(f"[.]{layout.STATE_DIR[1:]}/{name.rstrip('/')}" for name in layout.IGNORED),
        *(f"[.]{layout.STATE_DIR[1:]}/{name.rstrip('/')}/**" for name in layout.IGNORED),
    )
)

WITHOUT_COMMIT = late_pattern("error: '(.+)/' does not have a commit checked out")

# These attributes win over others: a file has the bytes of its blob, whatever the tree asks for.
_ATTRIBUTES = b"* -text -ident -filter !working-tree-encoding\n"
_CONFIG = {
    "sha1": b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n",
    "sha256": b"[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = true\n"
    b"[extensions]\n\tobjectformat = sha256\n",
}


class Trees:
    def __init__(
        self,
        worktree: str,
        store: str,
        rooms: str = "",
        *,
        lenders: Sequence[str] = (),  # other stores, whose trees can be read
        is_trusted: TrustDrivers = trust_no_driver,
    ) -> None:
        """Open the trees; `store` and `rooms` are outside of the repository.

        The store holds trees that cannot be made again; rooms hold checkouts, which can.
        """
        self.worktree = worktree
        self.store = store
        self.checkouts = rooms or store
        self._lenders = [os.path.join(lender, "store.git", "objects") for lender in lenders]
        self.is_trusted = is_trusted
        self._known: dict[str, dict[str, Blob]] = {}  # trees never change
        self._last_snapshot: SnapshotState | None = None  # the last snapshot was made of it

    @cached_property
    def repository(self) -> Repository:
        return find_repository(self.worktree)[0]

    @cached_property
    def objects(self) -> Objects:
        """Return the objects of our repository and of the user's."""
        start = partial(self.own_git.start, "cat-file", "--batch")
        folder, lent = os.path.join(self.git_dir, "objects"), self.repository.objects
        return Objects(start, folder, self.repository.format, borrowed=lent)

    @cached_property
    def folders(self) -> Folders:
        return Folders(self.objects)

    @cached_property
    def git_dir(self) -> str:
        """Return our own repository, which is made when it is first needed.

        It reads the user's objects, and nothing in it changes a checkout.
        """
        path = os.path.join(self.store, "store.git")
        if not os.path.exists(os.path.join(path, "HEAD")):
            os.makedirs(self.store, mode=0o700, exist_ok=True)
            made = f"--object-format={self.repository.format}"
            git = Git(self.store, _OWN, (self.worktree,))
            git.call("init", "--quiet", "--bare", "--template=", made, path)
        lent = os.fsencode("".join(f"{x}\n" for x in (self.repository.objects, *self._lenders)))
        _write_unless_same(os.path.join(path, "objects", "info", "alternates"), lent)
        _write_unless_same(os.path.join(path, "info", "attributes"), _ATTRIBUTES)
        _write_unless_same(os.path.join(path, "config"), _CONFIG[self.repository.format])
        return path

    @cached_property
    def _shallow(self) -> str:
        """Return the file that lists commits whose parents the repository does not have."""
        return os.path.join(self.repository.common_dir, "shallow")

    def commit_of(self, base: Base) -> str:
        """Return a commit in the user's repository with the base's tree; it is made if needed."""
        theirs = Git(self.repository.worktree, {}, (self.worktree,))
        if base.commit and theirs.ask("rev-parse", f"{base.commit}^{{tree}}") == base.tree:
            return base.commit
        parents = ("-p", base.commit) if base.commit else ()
        said = b"What was there when the plan was made\n"
        made = self.own_git.ask("commit-tree", base.tree, *parents, input=said)
        wanted = f"{made}\n" + (f"^{base.commit}\n" if base.commit else "")
        pack = ("pack-objects", "--revs", "--stdout", "--quiet")
        theirs.call("unpack-objects", "-q", input=self.own_git.call(*pack, input=wanted.encode()))
        return made

    @property
    def own_git(self) -> Git:
        """Return a git with our repository and our configuration."""
        mine = {"GIT_DIR": self.git_dir, "GIT_SHALLOW_FILE": self._shallow}
        return Git(self.store, {**_OWN, **NOBODY, **mine}, (self.worktree,))

    @property
    def user_git(self) -> Git:
        env = {**NOBODY, "GIT_DIR": self.repository.git_dir}
        return Git(self.worktree, env, (self.worktree,))

    @property
    def lent_environment(self) -> dict[str, str]:
        """Return the environment of our git, but new objects go into the user's object store."""
        return {**self.own_git.env, "GIT_OBJECT_DIRECTORY": self.repository.objects}

    def find_commit(self, revision: str) -> str:
        """Return the commit that a revision names; empty if it names none."""
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options")
        return self.user_git.ask_if_any(*asked, revision + "^{commit}")

    def resolve_revision(self, revision: str) -> Base:
        """Return the commit or tree that the user names."""
        asked = ("rev-parse", "--verify", "--end-of-options")
        try:
            tree = self.user_git.ask(*asked, revision + "^{tree}")
        except GitFailed as exc:
            problem = f"'{revision}' is not a commit or tree of this repository"
            raise UsageError(problem=problem, hint="git log --oneline") from exc
        return Base(tree, self.find_commit(revision))

    def find_fork_point(self, one: str, other: str) -> str:
        """Return the last commit that both histories have; empty if there is none."""
        return self.user_git.ask_if_any("merge-base", "--", one, other)

    def take_snapshot(self) -> Base:
        """Return the working tree with its untracked files, without ignored ones."""
        self.repository, head = find_repository(self.worktree)
        reaper.become_subreaper()  # filters of git may leave processes behind
        theirs = self._read_user_index()
        with self._copy_index(theirs) as git:
            width = new(self.repository.format).digest_size
            known = list_tracked(theirs.data, width, git.call)
            hidden = [path for path, is_hidden, _ in known if is_hidden]
            absent = git.unhide_paths(hidden, self.repository.worktree)
            submodules = [os.fsdecode(path) for path, _, is_one in known if is_one]
            self._add_files(git, submodules)
            if any(path.startswith(_OURS) for path, *_ in known):
                ours = [f":/{os.fsdecode(path)}" for path in _OURS]
                forget = ("rm", "-r", "--quiet", "--cached", "--force", "--ignore-unmatch", "--")
                git.call(*forget, *ours)
            tree = git.ask("write-tree")
            ours_now = read_index(git.env["GIT_INDEX_FILE"])
            self._last_snapshot = SnapshotState(tree, theirs.data, ours_now, absent)
        return Base(tree, head.commit)

    def is_still(self, tree: str) -> bool:
        """Return whether the working tree is that tree now; fast if the last snapshot gave it."""
        return self._is_as_in_snapshot(tree) or self.take_snapshot().tree == tree

    def _is_as_in_snapshot(self, tree: str) -> bool:
        """Return whether git finds no difference to the index of the last snapshot."""
        seen, place = self._last_snapshot, self.repository.worktree
        if seen is None or seen.tree != tree or seen.theirs != self._read_user_index().data:
            return False
        if any(os.path.lexists(os.path.join(os.fsencode(place), path)) for path in seen.absent):
            return False
        asked = ("ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
        with self._copy_index(seen.ours) as git:
            return not git.call(*asked, "--", ":/", *_LEFT_OUT)

    def _read_user_index(self) -> Index:
        return read_index(os.path.join(self.repository.git_dir, "index"))

    @contextmanager
    def _copy_index(self, index: Index) -> Iterator[Git]:
        """Yield a git with the user's files and a copy of the index."""
        repository = self.repository
        os.makedirs(self.store, mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="index-", dir=self.store) as folder:
            copy = os.path.join(folder, "index")
            if index.data:
                with open(copy, "wb") as file:
                    file.write(index.data)
                os.utime(copy, ns=(index.written, index.written))
            env = {
                "GIT_DIR": repository.git_dir,
                "GIT_WORK_TREE": repository.worktree,
                "GIT_INDEX_FILE": copy,
                "GIT_OBJECT_DIRECTORY": os.path.join(self.git_dir, "objects"),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": repository.objects,
            }
            yield Git(repository.worktree, env, (self.worktree,), self.is_trusted)

    def _add_files(self, git: Git, submodules: Sequence[str]) -> None:
        try:
            git.add_all(("--", ":/", *_LEFT_OUT), submodules)
        except GitFailed as exc:
            inside = WITHOUT_COMMIT.search(exc.message)
            if inside is None:
                raise
            folder = os.path.join(git.cwd, inside[1])
            raise NoCommitInside(folder=quote(folder)) from exc  # the hint is a shell command

    def list_entries(self, tree: str) -> dict[str, Blob]:
        if tree not in self._known:
            self._known[tree] = self.folders.list_files(tree)
        return self._known[tree]

    def derive_entries(self, tree: str, changes: Changes, name: str) -> dict[str, Blob]:
        """Return the entries of tree `name`, which is `tree` with these changes."""
        found = dict(self.list_entries(tree))
        for path, blob in changes.items():
            if blob is None:
                found.pop(path, None)
            else:
                found[path] = blob
        self._known[name] = found
        return found

    def read_blobs(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return contents by id, without those that are missing, such as a submodule's."""
        found = self.objects.read_objects(ids)
        return {name: data for name, (kind, data) in found.items() if kind == BLOB}

    def has_forged(self, ids: Iterable[str]) -> bool:
        """Return whether contents are lost or do not match their ids, which git does not check."""
        wanted = sorted(set(ids))
        return len(self.objects.read_verified(BLOB, wanted)) < len(wanted)

    def compose_tree(self, tree: str, changes: Changes) -> str:
        """Return the tree with some paths replaced, added, or (None) deleted."""
        return self.folders.compose_tree(tree, changes) if changes else tree

    def write_blob(self, data: bytes) -> str:
        """Write a blob; return its id."""
        return self.objects.write_object(BLOB, data)

    def list_changes(self, base: str, candidate: str) -> tuple[FileChange, ...]:
        """Return every file that differs, with both contents; a rename is one change."""
        sides = self.folders.compare_trees(base, candidate)
        rows = [DiffRow.from_sides(path, *both) for path, both in sides.items()]
        if not all(row.old.id for row in rows) and not all(row.new.id for row in rows):
            # There are new files and deleted files: some may be renamed.
            asked = ("diff-tree", "-r", "-z", "-M", "--raw", "--no-commit-id")
            rows = list(parse_raw_diff(self.own_git.call(*asked, base, candidate)))
        found = self.read_blobs(sorted({side.id for row in rows for side in row[2:] if side.id}))
        return tuple(
            FileChange(
                row.path, row.old_path, found.get(row.old.id), found.get(row.new.id),
                row.old.mode, row.new.mode,
            )
            for row in rows
        )  # fmt: skip

    def list_differences(self, base: str, candidate: str) -> dict[str, Blob | None]:
        """Return the candidate's file for every path that differs; None if it has none."""
        sides = self.folders.compare_trees(base, candidate)
        return {path: new for path, (_, new) in sides.items()}

    def show_difference(self, old: str, new: str) -> str:
        asked = ("diff", "--no-color", "--no-ext-diff", "--no-textconv")
        return self.own_git.call(*asked, old, new).decode(errors="replace")

    def list_commits(self, base: str, head: str, *paths: str) -> tuple[Commit, ...]:
        """Return commits that `head` has and `base` has not, newest first."""
        if not head:
            return ()
        span = f"{base}..{head}" if base else head
        return read_log(self.own_git.call("log", "-z", LOG, span, "--", *paths))

    def find_tree(self, commit: str) -> str:
        return commits.find_tree(self.objects, commit)

    def find_roots(self, commit: str) -> tuple[str, ...]:
        """Return the first commits of a history, which clones and forks of a repository share.

        A history may be long, so the result is stored, and the next search ends there.
        """
        if os.path.exists(self._shallow):  # the end of a shallow history may change
            return self._ask_for_roots(commit)
        memory = os.path.join(self.store, "roots.json")
        known = commits.decode_known_roots(read_plain_file(memory))
        found = commits.find_first_commits(self.objects, commit, known) or self._ask_for_roots(
            commit
        )
        _write_unless_same(memory, commits.encode_known_roots({**known, commit: found}))
        return found

    def _ask_for_roots(self, commit: str) -> tuple[str, ...]:
        return tuple(sorted(self.own_git.ask("rev-list", "--max-parents=0", commit).split()))

    def list_worktrees(self) -> list[str]:
        """Return every working tree of the repository."""
        common = self.repository.common_dir
        home, found = os.path.join(common, "worktrees"), [common]
        for name in os.listdir(home) if os.path.isdir(home) else ():
            told = follow_path(os.path.join(home, name, "gitdir"))
            if told:
                found.append(os.path.normpath(told))
        return [path.removesuffix("/.git") for path in found]

    def count_mentions(self, tree: str, query: str, *, without: Sequence[str]) -> int:
        """Return how many files contain the text, in upper or lower case."""
        asked = ("grep", "-I", "--ignore-case", "--fixed-strings", "--files-with-matches", "-z")
        left = [f":(exclude,top,literal){path}" for path in without]
        try:
            return self.own_git.call(*asked, "-e", query, tree, "--", *left).count(b"\0")
        except GitFailed as exc:
            if exc.facts.get("reason") != "exit 1":  # git says nothing else if it finds no file
                raise
            return 0

    def open_tree(self, tree: str) -> TreeFiles:
        return TreeFiles(self, self.list_entries(tree))

    def keep_tree(self, name: str, tree: str) -> None:
        """Keep a tree from git's garbage collection."""
        _write_unless_same(
            os.path.join(self.git_dir, "refs/goalkeeper", name), f"{tree}\n".encode()
        )


def _write_unless_same(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if read_plain_file(path) != data:
        replace_file(path, data, sync=True)


class TreeFiles(Value):
    """The files of a tree, read from git's objects."""

    trees: Trees
    entries: Entries

    @cached_property
    def _paths(self) -> list[str]:
        return [path for path, blob in self.entries.items() if blob.mode != SUBMODULE]

    def list_paths(self) -> list[str]:
        return self._paths

    def read_file(self, path: str) -> bytes | None:
        blob = self.entries.get(path)
        if blob is None or blob.mode in {LINK, SUBMODULE}:
            return None
        return self.trees.read_blobs([blob.id]).get(blob.id)
