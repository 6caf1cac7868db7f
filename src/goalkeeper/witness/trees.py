"""Exact trees: of the working tree as it is, of a commit, of a candidate with base's tests.

Nothing of the user's changes: a snapshot works on a copy of the index, and what it writes
goes to an object store of ours that borrows from the repository's.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import new
from shlex import quote
from typing import NamedTuple

from goalkeeper import orphans
from goalkeeper.core.changes import FileChange
from goalkeeper.core.model import Base
from goalkeeper.errors import UsageError
from goalkeeper.plainly import contents
from goalkeeper.wire import layout
from goalkeeper.wire.value import Value
from goalkeeper.witness.git import GitFailed, NoCommitInside, Repository, find, git, unhide

NOBODY = {
    "GIT_AUTHOR_NAME": "goalkeeper", "GIT_AUTHOR_EMAIL": "goalkeeper@localhost",
    "GIT_COMMITTER_NAME": "goalkeeper", "GIT_COMMITTER_EMAIL": "goalkeeper@localhost",
}  # fmt: skip
LINK, SUBMODULE = "120000", "160000"
# The user's configuration has no say in a checkout: no filters, no line endings, no hooks.
_OWN = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


# What tools leave behind is no work, also where nobody has told git to ignore it.
LEFTOVERS = (
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox",
    ".venv", "node_modules",
)  # fmt: skip


WITHOUT_COMMIT = re.compile("error: '(.+)/' does not have a commit checked out")

# Of all attributes these count most: a file is what its blob says, whatever the tree asks for.
_ATTRIBUTES = b"* -text -ident -filter !working-tree-encoding\n"
_CONFIG = {
    "sha1": b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n",
    "sha256": b"[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = true\n"
    b"[extensions]\n\tobjectformat = sha256\n",
}


class Blob(NamedTuple):  # a tree has thousands of them, and a Value takes longer to make
    """A file of a tree: git's mode, and the id of its contents."""

    mode: str
    id: str


Entries = Mapping[str, Blob]


class Commit(Value):
    id: str
    at: int
    message: str


class Trees:
    def __init__(self, worktree: str, store: str, rooms: str = "") -> None:
        """`store` and `rooms` are outside the repository.

        The store holds trees that nobody could make again; rooms are for checkouts, which can.
        """
        self._worktree = worktree
        self.store = store
        self.rooms = rooms or store
        self._known: dict[str, dict[str, Blob]] = {}  # trees never change

    def _git(
        self,
        args: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        input: bytes = b"",  # noqa: A002
    ) -> bytes:
        return git(args, env=env, cwd=cwd, input=input, walls=(self._worktree,))

    @cached_property
    def repository(self) -> Repository:
        return find(self._worktree)

    @cached_property
    def git_dir(self) -> str:
        """Our own repository, made when first needed."""
        path = os.path.join(self.store, "store.git")
        if not os.path.exists(os.path.join(path, "HEAD")):
            os.makedirs(self.store, mode=0o700, exist_ok=True)
            made = f"--object-format={self.repository.format}"
            init = ("init", "--quiet", "--bare", "--template=", made, path)
            self._git(init, env=_OWN, cwd=self.store)
        self._borrow(path)
        return path

    def _borrow(self, path: str) -> None:
        """The store as it must be: objects borrowed, and nothing that changes a checkout."""
        lent = os.fsencode(self.repository.objects) + b"\n"
        _settle(os.path.join(path, "objects", "info", "alternates"), lent)
        _settle(os.path.join(path, "info", "attributes"), _ATTRIBUTES)
        _settle(os.path.join(path, "config"), _CONFIG[self.repository.format])

    @cached_property
    def _shallow(self) -> str:
        """Where the repository says which commits have parents that it does not have."""
        return os.path.join(os.path.dirname(self.repository.objects), "shallow")

    def commit_of(self, base: Base) -> str:
        """A commit of the user's repository with that tree: the base's, else one on top of it."""
        theirs = self.repository.worktree
        if base.commit:
            asked = ("rev-parse", f"{base.commit}^{{tree}}")
            if self._git(asked, env={}, cwd=theirs).decode().strip() == base.tree:
                return base.commit
        parents = ("-p", base.commit) if base.commit else ()
        said = b"What was there when the plan was made\n"
        made = self.ask("commit-tree", base.tree, *parents, input=said).decode().strip()
        wanted = f"{made}\n" + (f"^{base.commit}\n" if base.commit else "")
        pack = self.ask("pack-objects", "--revs", "--stdout", "--quiet", input=wanted.encode())
        self._git(("unpack-objects", "-q"), env={}, cwd=theirs, input=pack)
        return made

    @property
    def _own(self) -> dict[str, str]:
        """The environment of a git with our repository and our configuration."""
        mine = {"GIT_DIR": self.git_dir, "GIT_SHALLOW_FILE": self._shallow}
        return {**_OWN, **NOBODY, **mine}

    @property
    def lent(self) -> dict[str, str]:
        """The same, writing what it makes where the user's repository finds it."""
        return {**self._own, "GIT_OBJECT_DIRECTORY": self.repository.objects}

    def ask(self, *args: str, index: str = "", worktree: str = "", input: bytes = b"") -> bytes:  # noqa: A002
        """Our repository, our configuration."""
        env = self._own
        env |= {"GIT_INDEX_FILE": index} if index else {}
        env |= {"GIT_WORK_TREE": worktree} if worktree else {}
        return self._git(args, env=env, cwd=worktree or self.store, input=input)

    def head(self) -> str:
        """The commit the working tree is on; empty before the first."""
        return self.named("HEAD")

    def named(self, revision: str) -> str:
        """The commit that a revision names; empty when it names none."""
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        try:
            return self._theirs(*asked).strip()
        except GitFailed:
            return ""

    def resolve(self, revision: str) -> Base:
        """A commit, or a tree, that the user names."""
        try:
            tree = self._theirs("rev-parse", "--verify", "--end-of-options", revision + "^{tree}")
        except GitFailed as exc:
            problem = f"'{revision}' is not a commit or tree of this repository"
            raise UsageError(problem=problem, hint="git log --oneline") from exc
        return Base(tree.strip(), self.named(revision))

    def fork(self, one: str, other: str) -> str:
        """The last commit that both have; empty when they have none."""
        try:
            return self._theirs("merge-base", "--", one, other).strip()
        except GitFailed:
            return ""

    def _theirs(self, *args: str) -> str:
        env = {"GIT_DIR": self.repository.git_dir}
        return os.fsdecode(self._git(args, env=env, cwd=self._worktree))

    def snapshot(self) -> Base:
        """The working tree with its untracked files, ignored ones left out."""
        repository = self.repository
        commit = self.head()
        orphans.adopt()  # also what filters leave behind
        with self._scratch() as folder:
            index = os.path.join(folder, "index")
            theirs = os.path.join(repository.git_dir, "index")
            if os.path.exists(theirs):
                shutil.copy2(theirs, index)  # its time, too: git tells by it what to look at again
            env = {
                "GIT_DIR": repository.git_dir,
                "GIT_WORK_TREE": repository.worktree,
                "GIT_INDEX_FILE": index,
                "GIT_OBJECT_DIRECTORY": os.path.join(self.git_dir, "objects"),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": repository.objects,
            }
            unhide(
                lambda args, given: self._git(args, env=env, cwd=repository.worktree, input=given),
                repository.worktree,
            )
            left = [f":(exclude,top,glob)**/{name}/**" for name in LEFTOVERS]
            self._add(("--", ":/", *left), env)
            ours = [f":/{layout.STATE_DIR}/{name}" for name in layout.IGNORED]
            forget = ("rm", "-r", "--quiet", "--cached", "--force", "--ignore-unmatch", "--")
            self._git((*forget, *ours), env=env, cwd=repository.worktree)
            tree = self._git(("write-tree",), env=env, cwd=repository.worktree)
        return Base(tree.decode().strip(), commit)

    def _add(self, paths: Sequence[str], env: Mapping[str, str]) -> None:
        place = self.repository.worktree
        try:
            self._git(("add", "--all", *paths), env=env, cwd=place)
        except GitFailed as exc:
            inside = WITHOUT_COMMIT.search(exc.message)
            if inside is None:
                raise
            folder = os.path.join(place, inside[1])
            raise NoCommitInside(folder=quote(folder)) from exc  # the hint is for a shell

    @contextmanager
    def _scratch(self) -> Iterator[str]:
        os.makedirs(self.store, mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="index-", dir=self.store) as folder:
            yield folder

    def entries(self, tree: str) -> dict[str, Blob]:
        if tree not in self._known:
            self._known[tree] = self._listed(tree)
        return self._known[tree]

    def derived(self, tree: str, changes: Mapping[str, Blob | None], name: str) -> dict[str, Blob]:
        """The entries of tree `name`, which is another one with these changes."""
        found = dict(self.entries(tree))
        for path, blob in changes.items():
            if blob is None:
                found.pop(path, None)
            else:
                found[path] = blob
        self._known[name] = found
        return found

    def _listed(self, tree: str) -> dict[str, Blob]:
        listed = self.ask("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0")
        found = {}
        for line in listed[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, _, blob = facts.decode().split(" ")
            found[os.fsdecode(path)] = Blob(mode, blob)
        return found

    def blobs(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Contents by id; one that is missing (a submodule's) is left out."""
        if not ids:
            return {}
        wanted = "".join(f"{blob}\n" for blob in ids).encode()
        out = self.ask("cat-file", "--batch", input=wanted)
        found = {}
        place = 0
        while place < len(out):
            end = out.index(b"\n", place)
            words = out[place:end].split(b" ")
            place = end + 1
            if len(words) == 3 and words[2].isdigit():  # noqa: PLR2004  id, type, size
                size = int(words[2])
                if words[1] == b"blob":
                    found[words[0].decode()] = out[place : place + size]
                place += size + 1
        return found

    def forged(self, ids: Iterable[str]) -> bool:
        """Whether contents are lost, or are not what their ids say: git believes its files."""
        wanted = sorted(set(ids))
        found = self.blobs(wanted)
        kind = self.repository.format
        told = {name: new(kind, b"blob %d\0" % len(data) + data) for name, data in found.items()}
        return any(name not in told or told[name].hexdigest() != name for name in wanted)

    def composed(self, tree: str, changes: Mapping[str, Blob | None]) -> str:
        """The tree with some paths replaced, added, or (None) left out."""
        if not changes:
            return tree
        gone = "0" * len(tree)
        lines = [
            f"{blob.mode} {blob.id}\t{path}\0" if blob else f"0 {gone}\t{path}\0"
            for path, blob in changes.items()
        ]
        with self._scratch() as folder:
            index = os.path.join(folder, "index")
            self.ask("read-tree", tree, index=index)
            told = os.fsencode("".join(lines))
            self.ask("update-index", "-z", "--index-info", index=index, input=told)
            made = self.ask("write-tree", index=index).decode().strip()
        self.derived(tree, changes, made)
        return made

    def write(self, data: bytes) -> str:
        """A blob with these contents; its id."""
        return self.ask("hash-object", "-w", "--stdin", input=data).decode().strip()

    def changes(self, base: str, candidate: str) -> tuple[FileChange, ...]:
        """Every file that differs, renames paired, with the contents of both sides."""
        raw = self.ask("diff-tree", "-r", "-z", "-M", "--raw", "--no-commit-id", base, candidate)
        rows = list(_raw_rows(raw))
        ids = [blob for row in rows for blob in (row.old, row.new) if blob.strip("0")]
        found = self.blobs(sorted(set(ids)))
        return tuple(
            FileChange(
                row.path, row.old_path, found.get(row.old), found.get(row.new), row.old_mode,
                row.new_mode,
            )
            for row in rows
        )  # fmt: skip

    def differences(self, base: str, candidate: str) -> dict[str, Blob | None]:
        """What the candidate has instead, by path; None for what it has not."""
        if base == candidate:
            return {}
        raw = self.ask("diff-tree", "-r", "-z", "--raw", "--no-renames", base, candidate)
        return {
            row.path: Blob(row.new_mode, row.new) if row.new.strip("0") else None
            for row in _raw_rows(raw)
        }

    def commits(self, base: str, head: str, *paths: str) -> tuple[Commit, ...]:
        """Commits that `head` has and `base` has not, newest first."""
        if not head:
            return ()
        span = f"{base}..{head}" if base else head
        out = self.ask("log", "-z", "--format=%H %ct %B", span, "--", *paths)
        found = []
        for entry in out.decode(errors="replace").split("\0"):
            name, _, rest = entry.strip("\n").partition(" ")
            at, _, message = rest.partition(" ")
            if name:
                found.append(Commit(name, int(at), message.strip()))
        return tuple(found)

    def roots(self, commit: str) -> tuple[str, ...]:
        """The first commits behind one: what clones and forks of a repository share."""
        return tuple(sorted(self.ask("rev-list", "--max-parents=0", commit).decode().split()))

    def worktrees(self) -> list[str]:
        """Every working tree of the repository."""
        told = self._theirs("worktree", "list", "--porcelain", "-z")
        return [row[9:] for row in told.split("\0") if row.startswith("worktree ")]

    def keep(self, name: str, tree: str) -> None:
        """So that no collection of garbage takes it."""
        self.ask("update-ref", f"refs/goalkeeper/{name}", tree)


class _Row(Value):
    path: str
    old_path: str
    old: str
    new: str
    old_mode: str
    new_mode: str


def _raw_rows(raw: bytes) -> Iterator[_Row]:
    words = iter(raw.split(b"\0"))
    for word in words:
        if not word.startswith(b":"):
            continue
        old_mode, new_mode, old, new, status = word[1:].decode().split(" ")
        first = os.fsdecode(next(words))
        renamed = status[0] in "RC"
        path = os.fsdecode(next(words)) if renamed else first
        yield _Row(path, "" if status == "A" else first, old, new, old_mode, new_mode)


def _settle(path: str, data: bytes) -> None:
    """Let a file say exactly this; it is not written when it does."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if contents(path) != data:
        new = f"{path}.{os.getpid()}"
        with open(new, "wb") as file:
            file.write(data)
        os.replace(new, path)
