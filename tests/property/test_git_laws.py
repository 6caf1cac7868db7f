"""What we read and make of git's files ourselves, git reads and makes alike."""

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.git.folders import Blob, Entries
from goalkeeper.git.index import LIST, parse_index, parse_listed
from goalkeeper.git.trees import Trees
from tests.contract.witness.repository import Repository

FEW = settings(max_examples=15, deadline=None)
FORMATS = st.sampled_from(["sha1", "sha256"])
# Names that sort oddly beside each other, once as files and once as folders.
LATIN = os.fsdecode(b"\xe9")
names = st.sampled_from(["a", "a.b", "a-b", "ab", "b", "tab\t", "né", LATIN, "x" * 90])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
modes = st.sampled_from(["100644", "100755", "120000", "160000"])
files = st.dictionaries(paths, st.tuples(modes, st.sampled_from("123")), max_size=12)
flags = st.sampled_from(["", "--assume-unchanged", "--skip-worktree"])
changes = st.dictionaries(paths, st.none() | st.tuples(modes, st.sampled_from("123")), max_size=5)


class Tried:
    """A repository, and an index to ask git with."""

    def __init__(self, folder: str, ids: str) -> None:
        self.repo = Repository(Path(folder) / "repo", f"--object-format={ids}")
        self.trees: Trees = self.repo.trees()
        self.blobs = {text: self.trees.write_blob(text.encode()) for text in "123"}
        self._objects = f"{self.trees.git_dir}/objects"

    def git(self, *words: str, told: bytes = b"") -> str:
        return self.repo.git(*words, input=told, GIT_ALTERNATE_OBJECT_DIRECTORIES=self._objects)

    def index(self, given: Mapping[str, tuple[str, str] | None]) -> None:
        """Enter files one by one; a later one takes the place of what is in its way."""
        none = "0" * len(self.blobs["1"])
        lines = (
            f"{file[0]} {self.blobs[file[1]]}\t{path}\0" if file else f"0 {none}\t{path}\0"
            for path, file in given.items()
        )
        self.git("update-index", "-z", "--index-info", told=os.fsencode("".join(lines)))

    def tree(self) -> str:
        return self.git("write-tree", "--missing-ok")

    def listed(self, tree: str) -> dict[str, Blob]:
        rows = self.git("ls-tree", "-r", "-z", tree).split("\0")[:-1]
        split = (row.partition("\t") for row in rows)
        return {path: Blob(*facts.split(" ")[::2]) for facts, _, path in split}

    def changed(self, given: Mapping[str, tuple[str, str] | None]) -> dict[str, Blob | None]:
        return {p: Blob(f[0], self.blobs[f[1]]) if f else None for p, f in given.items()}


@FEW
@given(files, st.lists(flags, min_size=12, max_size=12), st.sampled_from([2, 3, 4]), FORMATS)
def test_the_index_says_what_git_says(
    given: Mapping[str, tuple[str, str]], flagged: list[str], version: int, ids: str
) -> None:
    with TemporaryDirectory() as folder:
        tried = Tried(folder, ids)
        tried.index(given)
        there = tried.repo.git("ls-files", "-z").split("\0")[:-1]
        for path, flag in zip(there, flagged, strict=False):
            if flag:
                tried.repo.git("update-index", flag, "--", path)
        tried.repo.git("update-index", f"--index-version={version}")

        data = (tried.repo.root / ".git/index").read_bytes()
        told = parse_listed(os.fsencode(tried.repo.git(*LIST)))

        assert [*parse_index(data, {"sha1": 20, "sha256": 32}[ids])] == told


@FEW
@given(files, FORMATS)
def test_a_tree_is_listed_as_git_lists_it(given: Mapping[str, tuple[str, str]], ids: str) -> None:
    with TemporaryDirectory() as folder:
        tried = Tried(folder, ids)
        tried.index(given)
        tree = tried.tree()

        ours, theirs = tried.trees.list_entries(tree), tried.listed(tree)

        assert list(ours.items()) == list(theirs.items())


@FEW
@given(files, files, FORMATS)
def test_trees_differ_as_git_says(
    before: Mapping[str, tuple[str, str]], after: Mapping[str, tuple[str, str]], ids: str
) -> None:
    with TemporaryDirectory() as folder:
        tried = Tried(folder, ids)
        tried.index(before)
        old = tried.tree()
        tried.index(after)
        new = tried.tree()

        ours = tried.trees.list_differences(old, new)
        rows = tried.trees.own_git.call("diff-tree", "-r", "-z", "--name-only", old, new).split(
            b"\0"
        )[:-1]
        there: Entries = tried.listed(new)

        assert ours == {p: there.get(p) for p in map(os.fsdecode, rows)}
        assert [change.path for change in tried.trees.list_changes(old, old)] == []


@FEW
@given(files, changes, FORMATS)
def test_trees_are_composed_as_by_gits_index(
    before: Mapping[str, tuple[str, str]],
    wanted: Mapping[str, tuple[str, str] | None],
    ids: str,
) -> None:
    """But for wishes that contradict each other: a file, and a file below it."""
    wanted = {p: f for p, f in wanted.items() if not any(p.startswith(f"{o}/") for o in wanted)}
    with TemporaryDirectory() as folder:
        tried = Tried(folder, ids)
        tried.index(before)
        base = tried.tree()

        made = tried.trees.compose_tree(base, tried.changed(wanted))
        tried.index(wanted)

        assert made == tried.tree()
        assert tried.trees.list_entries(made) == tried.listed(made)
