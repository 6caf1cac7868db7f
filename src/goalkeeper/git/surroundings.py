"""What lies around the worktree of an agent, and may not change while it works there."""

from __future__ import annotations

import os
from collections.abc import Mapping

from goalkeeper.git.places import find_common_dir
from goalkeeper.git.worktrees import read_refs
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.value import Value

# What git runs, or is told to run. Worktrees share all of it.
_COMMANDING = ("config", "config.worktree")


class Surroundings(Value):
    """The user's refs, and the digests of files that make git run something."""

    refs: Mapping[str, str]
    commanding: Mapping[str, str]


def read_surroundings(root: str) -> Surroundings:
    common = find_common_dir(root)
    hooks = os.path.join(common, "hooks")
    names = sorted(os.listdir(hooks)) if os.path.isdir(hooks) else []
    paths = [*_COMMANDING, *(os.path.join("hooks", name) for name in names)]
    found = {path: read_plain_file(os.path.join(common, path)) for path in paths}
    said = {f".git/{path}": sha256(data) for path, data in found.items() if data}
    return Surroundings(read_refs(root), said)


def list_changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name for name in sorted({*before, *after}) if before.get(name) != after.get(name))
