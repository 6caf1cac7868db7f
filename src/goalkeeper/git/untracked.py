"""What lies in the user's checkout and is in no snapshot: what git ignores, and leftovers."""

from __future__ import annotations

import os

from goalkeeper.git.repository import Git
from goalkeeper.git.trees import LEFTOVERS

_LIST = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")


def list_ignored(git: Git) -> list[str]:
    """List ignored files and folders; of a folder that is ignored as a whole only its name."""
    leftovers = (f"--exclude={name}" for name in LEFTOVERS)
    found = git.call(*_LIST, *leftovers).split(b"\0")
    return [os.fsdecode(path).rstrip("/") for path in found if path]
