"""Lists, compares and composes trees, which git stores folder by folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import new
from typing import NamedTuple

from goalkeeper.git.objects import TREE, Objects
from goalkeeper.git.repository import GitFailed

FOLDER, PLAIN, EXECUTABLE = "040000", "100644", "100755"
LINK, SUBMODULE = "120000", "160000"
_KINDS = {0o04: FOLDER, 0o10: PLAIN, 0o12: LINK, 0o16: SUBMODULE}  # the kinds by the first digits
_OWNER_MAY_RUN = 0o100
_SHA1_LENGTH = 40


class Blob(NamedTuple):  # a tree has thousands, and a Value takes longer to make
    """A file of a tree: git's mode, and the id of its contents."""

    mode: str
    id: str

    def is_at(self, place: str) -> bool:
        """Return whether these bytes lie at a place, maybe with other line endings."""
        try:
            if self.mode == LINK:
                data = os.fsencode(os.readlink(place))
            else:
                with open(place, "rb") as file:
                    data = file.read()
        except OSError:
            return False
        kind = "sha1" if len(self.id) == _SHA1_LENGTH else "sha256"
        # Git itself writes other line endings where somebody asks for them.
        ways = (data, data.replace(b"\r\n", b"\n"))
        names = (new(kind, b"blob %d\0" % len(way) + way).hexdigest() for way in ways)
        return self.id in names


_NOTHING = Blob("000000", "")
Entries = Mapping[str, Blob]
BlobPair = tuple[Blob | None, Blob | None]  # a file before and after
Changes = Mapping[str, Blob | None]  # the new file for each path; None deletes it


class Folders:
    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._known: dict[str, dict[str, Blob]] = {"": {}}  # an id never changes its contents

    def list_files(self, tree: str) -> dict[str, Blob]:
        """Return every file of a tree, in git's order."""
        self._load_all(tree)
        found = {}
        waiting = [("", Blob(FOLDER, tree))]
        while waiting:
            path, blob = waiting.pop()
            if blob.mode != FOLDER:
                found[path] = blob
                continue
            inside = [(_join_path(path, name), each) for name, each in self._known[blob.id].items()]
            waiting += reversed(inside)
        return found

    def list_names(self, tree: str, folder: str) -> list[str]:
        """Return the names in a folder, those of folders with a slash; none if it is not there."""
        for name in filter(None, (*folder.split("/"), "")):
            self._load_folders([tree])
            tree = _folder_id(self._known[tree].get(name))
            if not tree:
                return []
        self._load_folders([tree])
        rows = self._known[tree].items()
        return [f"{name}/" if blob.mode == FOLDER else name for name, blob in rows]

    def _load_all(self, tree: str) -> None:
        """Read all folders below a tree, one level after another."""
        level, done = {tree}, {tree}
        while level:
            self._load_folders(level)
            inside = (blob for name in level for blob in self._known[name].values())
            level = {blob.id for blob in inside if blob.mode == FOLDER} - done
            done |= level

    def _load_folders(self, trees: Iterable[str]) -> None:
        unknown = sorted({*trees} - self._known.keys())
        read = self._objects.read_verified(TREE, unknown) if unknown else {}
        for tree in unknown:
            if tree not in read:
                raise self._objects.make_lost_error("ls-tree", f"tree {tree}")
            self._known[tree] = _parse_rows(tree, read[tree])

    def compare_trees(self, old: str, new: str) -> dict[str, BlobPair]:
        """Return both sides of every file that differs, by path in git's order."""
        found: dict[str, BlobPair] = {}
        level = [("", old, new)] if old != new else []
        while level:
            self._load_folders(tree for _, *pair in level for tree in pair)
            differing = [row for folder in level for row in self._compare_folder(*folder)]
            both = {path: (_keep_file(one), _keep_file(other)) for path, one, other in differing}
            found |= {path: sides for path, sides in both.items() if any(sides)}
            level = [
                (path, _folder_id(one), _folder_id(other))
                for path, one, other in differing
                if _folder_id(one) != _folder_id(other)
            ]
        return dict(sorted(found.items(), key=lambda each: os.fsencode(each[0])))

    def _compare_folder(
        self, folder: str, old: str, new: str
    ) -> Iterator[tuple[str, Blob | None, Blob | None]]:
        before, after = self._known[old], self._known[new]
        for name in before.keys() | after.keys():
            one, other = before.get(name), after.get(name)
            if one != other:
                yield _join_path(folder, name), one, other

    def compose_tree(self, tree: str, changes: Changes) -> str:
        """Return the tree with some paths replaced, added or deleted, as git's index does it."""
        return self._change_folder(tree, changes) or self._write_folder({})

    def _change_folder(self, tree: str, changes: Changes) -> str:
        """Return a folder with these changes below it; empty if nothing is left in it."""
        self._load_folders([tree])
        rows = dict(self._known[tree])
        inside: dict[str, dict[str, Blob | None]] = {}
        for path, blob in changes.items():
            name, _, rest = path.partition("/")
            if rest:
                inside.setdefault(name, {})[rest] = blob
        for name, below in inside.items():
            before = _folder_id(rows.get(name))
            made = self._change_folder(before, below)
            if made:
                rows[name] = Blob(FOLDER, made)
            elif before:
                del rows[name]
        for name, blob in changes.items():
            if blob and "/" not in name:
                rows[name] = blob
            elif _keep_file(rows.get(name)):
                del rows[name]
        return self._write_folder(rows) if rows else ""

    def _write_folder(self, rows: Mapping[str, Blob]) -> str:
        # git sorts a folder as if its name ended with a slash.
        folder = {name: "/" if blob.mode == FOLDER else "" for name, blob in rows.items()}
        ordered = sorted(rows.items(), key=lambda row: os.fsencode(row[0] + folder[row[0]]))
        lines = (
            b"%s %s\0%s" % (mode.lstrip("0").encode(), os.fsencode(name), bytes.fromhex(blob))
            for name, (mode, blob) in ordered
        )
        made = self._objects.write_object(TREE, b"".join(lines))
        self._known[made] = dict(ordered)
        return made


def _join_path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _keep_file(blob: Blob | None) -> Blob | None:
    return None if blob is None or blob.mode == FOLDER else blob


def _folder_id(blob: Blob | None) -> str:
    return blob.id if blob and blob.mode == FOLDER else ""


def _parse_rows(tree: str, data: bytes) -> dict[str, Blob]:
    width = len(tree) // 2
    rows = {}
    place = 0
    try:
        while place < len(data):
            space = data.index(b" ", place)
            end = data.index(b"\0", space)
            mode, name = _read_mode(data[place:space]), os.fsdecode(data[space + 1 : end])
            # Anybody can write a tree. These names lead out of a checkout or into git's files.
            if name in rows or name in {"", ".", ".."} or "/" in name or name.lower() == ".git":
                raise ValueError(name)
            place = end + 1 + width
            rows[name] = Blob(mode, data[end + 1 : place].hex())
    except ValueError as exc:
        said = f"tree {tree} holds what no checkout may hold"
        raise GitFailed(action="ls-tree", reason=said, place=".") from exc
    return rows


@cache
def _read_mode(told: bytes) -> str:
    """Return a mode as git reads it: only one of the rights counts."""
    mode = int(told, 8)
    kind = _KINDS.get(mode >> 12, SUBMODULE)
    return EXECUTABLE if kind == PLAIN and mode & _OWNER_MAY_RUN else kind


class DiffRow(NamedTuple):
    """One file that differs between two trees; on a side without an id there is no file."""

    path: str
    old_path: str
    old: Blob
    new: Blob

    @classmethod
    def from_sides(cls, path: str, old: Blob | None, new: Blob | None) -> DiffRow:
        return cls(path, path if old else "", old or _NOTHING, new or _NOTHING)


def parse_raw_diff(raw: bytes) -> Iterator[DiffRow]:
    """Read what `git diff-tree -z --raw` prints."""
    words = iter(raw.split(b"\0"))
    for word in words:
        if not word.startswith(b":"):
            continue
        old_mode, new_mode, old, new, status = word[1:].decode().split(" ")
        first = os.fsdecode(next(words))
        path = os.fsdecode(next(words)) if status[0] in "RC" else first
        was, now = (
            Blob(mode, name) if name.strip("0") else _NOTHING
            for mode, name in ((old_mode, old), (new_mode, new))
        )
        yield DiffRow(path, first if was.id else "", was, now)
