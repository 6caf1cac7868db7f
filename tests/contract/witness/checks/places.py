"""A folder in which one check looks and runs."""

import os
from pathlib import Path
from typing import Any

from bench.lean import lean_python
from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.system.run import ProgramLimits
from goalkeeper.witness.check_context import CheckResult, WorkFacts
from goalkeeper.witness.checks import run_check
from goalkeeper.witness.scheduler import UnisolatedScheduler
from tests.checks import check

LIMITS = ProgramLimits(seconds=60.0, free_mb=0)


class Folder:
    """The files of a folder, as those of a tree."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def list_paths(self) -> list[str]:
        found = (file for file in self.root.rglob("*") if not file.is_dir())
        return sorted(str(file.relative_to(self.root)) for file in found)

    def read_file(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() and not file.is_symlink() else None


class Bench:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.programs = lean_python()
        self.work = WorkFacts(
            (), lambda: True, lambda *_: (), lambda _: None, {}, lambda _: [], 0.0
        )

    def write(self, path: str, text: str | bytes = "", mode: int = 0o644) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        file.chmod(mode)
        return file

    def know(self, **known: Any) -> None:  # noqa: ANN401  fields of Work
        self.work = self.work.replace(**known)

    def see(self, kind: str, main: object, **options: object) -> CheckResult:
        """What a check of this kind sees in the folder."""
        return self.see_check(check(kind, main, **options))

    def see_check(self, given: Check) -> CheckResult:
        return run_check(given, self._open())

    def _open(self) -> UnisolatedScheduler:
        environ = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}"}
        files = Folder(self.root)
        return UnisolatedScheduler(str(self.root), "", {}, environ, LIMITS, files, self.work)
