"""A git that writes down what it is asked."""

import os
import shutil
from pathlib import Path


class Spy:
    def __init__(self, place: Path) -> None:
        place.mkdir()
        self._log = place / "asked"
        self._log.touch()
        script = place / "git"
        script.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$*" >> {self._log}\nexec {shutil.which("git")} "$@"\n'
        )
        script.chmod(0o755)
        self.path = f"{place}:{os.environ['PATH']}"

    def asked(self) -> list[str]:
        """The subcommand of every call, options of ours passed over."""
        calls = [line.split() for line in self._log.read_text().splitlines()]
        return [call[2 * call.count("-c")] for call in calls]

    def forget(self) -> None:
        self._log.write_text("")
