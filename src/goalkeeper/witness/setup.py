"""Set-up that a project needs before its checks can run, once for a slot and its lockfiles.

What set-up makes in the checkout (a virtual environment, node_modules) stays there for the next
proof, as long as the lockfiles are the same and nothing of it was changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from goalkeeper.git.folders import Entries
from goalkeeper.system.run import Exited, LimitHit, Limits, NotStarted, Ran, Signalled
from goalkeeper.system.safe_open import replace_file
from goalkeeper.wire.canonical import compact, digest
from goalkeeper.wire.value import Value
from goalkeeper.witness.pool import Slot, mark, read_note, remove, walk

LOCKFILE = re.compile(
    r"(.*/)?(uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock|requirements[^/]*\.(txt|in)|"
    r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|"
    r"Cargo\.lock|go\.(sum|mod)|Gemfile\.lock|composer\.lock|mix\.lock|pyproject\.toml|"
    r"package\.json|setup\.(py|cfg))"
)
_BINS = {".venv": ".venv/bin", "venv": "venv/bin", "node_modules": "node_modules/.bin"}
Runner = Callable[..., Ran]


def lockfiles(entries: Entries) -> dict[str, str]:
    return {path: blob.id for path, blob in entries.items() if LOCKFILE.fullmatch(path)}


class Setup(Value):
    commands: tuple[tuple[str, ...], ...]
    limits: Limits
    locks: Mapping[str, str]  # lockfile to the id of its contents

    @property
    def key(self) -> str:
        return digest([self.commands, dict(self.locks)])

    def bins(self, made: tuple[str, ...]) -> list[str]:
        """Return folders of programs that set-up made; those of the tree are not trusted."""
        return [folder for name, folder in _BINS.items() if name in made]

    def carry_out(self, slot: Slot, run: Runner) -> tuple[tuple[str, ...], str]:
        """Run the set-up; return what it made in the checkout, and what went wrong."""
        if not self.commands:
            return (), ""
        known = self.remembered(slot)
        if known is not None:
            return known, ""
        for path in _noted(slot).get("made", []):
            remove(os.path.join(slot.tree, path))
        problem = next(filter(None, (self._step(argv, slot, run) for argv in self.commands)), "")
        made = () if problem else self._note(slot)
        return made, problem

    def remembered(self, slot: Slot) -> tuple[str, ...] | None:
        noted = _noted(slot)
        fits = noted.get("key") == self.key and noted.get("state") == _state(slot, noted["made"])
        return tuple(noted["made"]) if fits else None

    def is_intact(self, slot: Slot) -> bool:
        return not self.commands or self.remembered(slot) is not None

    def kept(self, slot: Slot) -> tuple[str, ...]:
        """Return the paths that a checkout of the next tree must not change."""
        return (self.remembered(slot) or ()) if self.commands else ()

    def _step(self, argv: tuple[str, ...], slot: Slot, run: Runner) -> str:
        ran = run(argv, slot.tree, self.limits, {}, network=True)
        if isinstance(ran, Exited) and ran.code == 0:
            return ""
        how = _how(ran)
        out = "" if isinstance(ran, NotStarted) else ran.err.text.strip() or ran.out.text.strip()
        said = f": {out.splitlines()[-1][:200]}" if out else ""
        return f"set-up: {' '.join(argv)} failed ({how}){said}"

    def _note(self, slot: Slot) -> tuple[str, ...]:
        found = walk(slot.tree, slot.laid.__contains__)
        made = sorted(path for path, _ in found if path not in slot.laid)
        noted = {"key": self.key, "made": made, "state": _state(slot, made)}
        replace_file(slot.setup, compact(noted).encode(errors="surrogateescape"))
        return tuple(made)


def _how(ran: Ran) -> str:
    match ran:
        case Exited(code):
            return f"exit {code}"
        case LimitHit(limit):
            return f"it hit the limit on {limit}"
        case Signalled(number):
            return f"signal {number}"
        case NotStarted(reason):
            return f"it could not be started: {reason}"


def _noted(slot: Slot) -> dict[str, Any]:
    noted = read_note(slot.setup)
    return noted if isinstance(noted.get("made"), list) else {}


def _state(slot: Slot, made: list[str]) -> str:
    """Return a digest of names, sizes, times and inodes, which changes if a file is changed."""
    seen: list[tuple[object, ...]] = []
    for path in made:
        full = os.path.join(slot.tree, path)
        _look(full, seen)
        for folder, folders, files in os.walk(full):
            for name in (*folders, *files):
                _look(os.path.join(folder, name), seen)
    return digest(sorted(map(str, seen)))


def _look(path: str, seen: list[tuple[object, ...]]) -> None:
    with suppress(OSError):
        seen.append((path, *mark(os.lstat(path))))
