"""The commit that a receipt is held against, and the receipts in its note."""

from __future__ import annotations

import hashlib
import os
import subprocess

from goalkeeper.verifier.statement import MOST_BYTES, ReceiptRefused

NOTES = "refs/notes/goalkeeper"
TRAILER = "Goalkeeper-Receipt"
_MOST_NOTED = 100  # so many receipts of one commit are read
_SECONDS = 60


class GitCommit:
    """A repository and the commit in it that a receipt is held against."""

    def __init__(self, place: str, commit: str) -> None:
        self._place = place
        self.commit = self.ask_git(
            "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}"
        )
        self.tree = self.ask_git("rev-parse", f"{self.commit}^{{tree}}")

    def ask_git(self, *args: str) -> str:
        return self._run_git(*args).decode(errors="replace").strip()

    def _run_git(self, *args: str) -> bytes:
        environ = _build_git_environment(self._place)
        argv = ["git", "-C", self._place, "-c", "core.fsmonitor=false", *args]
        try:
            done = subprocess.run(
                argv,
                env=environ,
                capture_output=True,
                check=False,
                timeout=_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise ReceiptRefused("no-repository", f"git does not answer: {exc}") from exc
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            raise ReceiptRefused("no-repository", said or f"git {args[0]} failed")
        return done.stdout

    @property
    def is_shallow(self) -> bool:
        return self.ask_git("rev-parse", "--is-shallow-repository") == "true"

    def find_roots(self) -> list[str]:
        return sorted(self.ask_git("rev-list", "--max-parents=0", self.commit).split())

    def is_behind(self, commit: str) -> bool:
        """Return whether that commit is one that this one was made from."""
        try:
            self.ask_git("merge-base", "--is-ancestor", commit, self.commit)
        except ReceiptRefused:
            return False
        return True

    def read_note(self) -> bytes:
        try:
            blob = self.ask_git("notes", "--ref", NOTES, "list", self.commit)
            size = int(self.ask_git("cat-file", "-s", blob))
            if size <= MOST_BYTES:
                return self._run_git("cat-file", "blob", blob)
        except ReceiptRefused as exc:
            fetch = f"git fetch origin {NOTES}:{NOTES} brings those of others"
            said = f"{self.commit[:12]} has no note in {NOTES} ({exc.message}); {fetch}"
            raise ReceiptRefused("no-note", said) from exc
        raise ReceiptRefused("malformed", f"the note is larger than {MOST_BYTES} bytes")

    def named_receipts(self) -> set[str]:
        """Return the digests of the receipts that the message of the commit names."""
        form = f"--format=%(trailers:key={TRAILER},valueonly)"
        words = self.ask_git("rev-list", "--max-count=1", form, self.commit).split()
        return {w.removeprefix("sha256:") for w in words if w.startswith("sha256:")}


def _build_git_environment(place: str) -> dict[str, str]:
    """Return an environment in which the files of the repository name no program and no object.

    Its settings may name a remote that has the missing objects; no protocol is allowed for that.
    """
    mine = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    folders = mine.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(each for each in folders if not _belongs_to(each, place))
    steady = {"LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1",
              "GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0"}  # fmt: skip
    return {**mine, **steady, "PATH": path or os.defpath}


def _belongs_to(folder: str, place: str) -> bool:
    """Return whether a folder is relative, or lies in the working tree around that place."""
    real, tree = os.path.realpath(folder), os.path.realpath(place)
    while not os.path.lexists(os.path.join(tree, ".git")) and tree != os.path.dirname(tree):
        tree = os.path.dirname(tree)
    is_inside = tree != os.path.dirname(tree) and os.path.commonpath([real, tree]) == tree
    return not os.path.isabs(folder) or is_inside


def read_noted(git: GitCommit | None) -> list[bytes]:
    """Return the receipts in the note of the commit, one a line; other lines are tried, too."""
    if git is None:
        raise ReceiptRefused("no-note", "no repository was asked for a note")
    found = [line for line in map(bytes.strip, git.read_note().split(b"\n")) if line]
    if not found:
        raise ReceiptRefused("no-note", f"the note of {git.commit[:12]} is empty")
    if len(found) > _MOST_NOTED:
        raise ReceiptRefused("malformed", f"the note has more than {_MOST_NOTED} lines")
    named = git.named_receipts()
    if named and named.isdisjoint(hashlib.sha256(line).hexdigest() for line in found):
        said = f"the commit names receipt {min(named)[:12]}, and its note has another"
        raise ReceiptRefused("other-receipt", said)
    return found
