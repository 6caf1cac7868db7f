"""Links in the place of files and folders."""

import shutil
from pathlib import Path


def lead_away(path: Path, target: Path) -> None:
    """Put a link there, with what was there at its end, so that git finds all that it needs."""
    if path.is_dir():
        shutil.copytree(path, target, dirs_exist_ok=True)
        shutil.rmtree(path)
    elif path.exists():
        shutil.move(path, target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
