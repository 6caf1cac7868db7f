"""The commit that a receipt is held against, and the receipts in its note."""

from __future__ import annotations

import hashlib
import os
import subprocess

from goalkeeper.verifier.statement import MOST_BYTES, Refused

NOTES = "refs/notes/goalkeeper"
TRAILER = "Goalkeeper-Receipt"
_MOST_NOTED = 100  # receipts of one commit
_SECONDS = 60


class Git:
    """A repository and the commit in it that a receipt is held against."""

    def __init__(self, place: str, commit: str) -> None:
        self._place = place
        self.commit = self.ask("rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
        self.tree = self.ask("rev-parse", f"{self.commit}^{{tree}}")

    def ask(self, *args: str) -> str:
        return self._output(*args).decode(errors="replace").strip()

    def _output(self, *args: str) -> bytes:
        argv = ["git", "-C", self._place, "-c", "core.fsmonitor=false", *args]
        environ = {**os.environ, "LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1"}
        try:
            done = subprocess.run(
                argv, env=environ, capture_output=True, check=False, timeout=_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise Refused("no-repository", f"git does not answer: {exc}") from exc
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            raise Refused("no-repository", said or f"git {args[0]} failed")
        return done.stdout

    @property
    def is_shallow(self) -> bool:
        return self.ask("rev-parse", "--is-shallow-repository") == "true"

    def roots(self) -> list[str]:
        return sorted(self.ask("rev-list", "--max-parents=0", self.commit).split())

    def is_behind(self, commit: str) -> bool:
        """Whether that commit is one that this one was made from."""
        try:
            self.ask("merge-base", "--is-ancestor", commit, self.commit)
        except Refused:
            return False
        return True

    def note(self) -> bytes:
        try:
            blob = self.ask("notes", "--ref", NOTES, "list", self.commit)
            size = int(self.ask("cat-file", "-s", blob))
            if size <= MOST_BYTES:
                return self._output("cat-file", "blob", blob)
        except Refused as exc:
            fetch = f"git fetch origin {NOTES}:{NOTES} brings those of others"
            said = f"{self.commit[:12]} has no note in {NOTES} ({exc.message}); {fetch}"
            raise Refused("no-note", said) from exc
        raise Refused("malformed", f"the note is larger than {MOST_BYTES} bytes")

    def named(self) -> set[str]:
        """Digests of the receipts that the message of the commit names."""
        form = f"--format=%(trailers:key={TRAILER},valueonly)"
        words = self.ask("rev-list", "--max-count=1", form, self.commit).split()
        return {w.removeprefix("sha256:") for w in words if w.startswith("sha256:")}


def noted(git: Git | None) -> list[bytes]:
    """The receipts in the note of the commit, one a line; what else stands there is tried, too."""
    if git is None:
        raise Refused("no-note", "no repository was asked for a note")
    found = [line for line in map(bytes.strip, git.note().split(b"\n")) if line]
    if not found:
        raise Refused("no-note", f"the note of {git.commit[:12]} is empty")
    if len(found) > _MOST_NOTED:
        raise Refused("malformed", f"the note has more than {_MOST_NOTED} lines")
    named = git.named()
    if named and named.isdisjoint(hashlib.sha256(line).hexdigest() for line in found):
        said = f"the commit names receipt {min(named)[:12]}, and its note has another"
        raise Refused("other-receipt", said)
    return found
