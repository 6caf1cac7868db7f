"""A git repository to look at, and a fingerprint of all that must not change in it."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from goalkeeper.git.trees import Trees


class Repository:
    def __init__(self, root: Path, *options: str) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    def git(self, *args: str, input: bytes = b"", **env: str) -> str:  # noqa: A002  as subprocess
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            env={**os.environ, **env},
            input=input,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return os.fsdecode(done.stdout).strip()

    def write(self, path: str, text: str | bytes = "", mode: int = 0o644) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        file.chmod(mode)
        return file

    def commit(self, message: str = "a step") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def tree(self) -> str:
        """What `git add -A; git write-tree` gives, on a copy of the index."""
        index = Path(self.git("rev-parse", "--path-format=absolute", "--git-path", "index"))
        copy = self.root.parent / f"{self.root.name}-index"
        copy.unlink(missing_ok=True)
        if index.exists():
            shutil.copy2(index, copy)
        self.git("add", "--all", GIT_INDEX_FILE=str(copy))
        return self.git("write-tree", GIT_INDEX_FILE=str(copy))

    def fingerprint(self) -> dict[str, str]:
        """Every file below the root, .git included: kind, mode, contents, time."""
        found = {}
        for folder, folders, files in os.walk(os.fsencode(self.root)):
            for name in (*folders, *files):
                path = os.path.join(folder, name)
                stat = os.lstat(path)
                # git touches what it reads there, so that no collection of garbage takes it.
                touched = b"/.git/objects/" in path or b"/.git/sharedindex." in path
                timeless = touched or os.path.isdir(path)
                said = f"{stat.st_mode:o} {0 if timeless else stat.st_mtime_ns}"
                if os.path.islink(path):
                    said += f" {os.readlink(path)!r}"
                elif os.path.isfile(path):
                    with open(path, "rb") as file:
                        said += f" {hashlib.sha256(file.read()).hexdigest()}"
                found[os.fsdecode(path)] = said
        return found

    def trees(self) -> Trees:
        return Trees(str(self.root), str(self.root.parent / f"{self.root.name}-store"))
