"""How often chance asks about honest work: what is asked is drawn anew for each judgement.

The right work of each project of the corpus is asked with many seeds, beside its base, and what
looks for tables says what it finds. Whatever it finds is a false alarm.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench.foulplay.host import HOSTS, Host
from bench.timing import table
from goalkeeper.tamper.questions.languages import LANGUAGES
from goalkeeper.tamper.questions.model import (
    USUAL_NAMES,
    AnswerLines,
    AskingProgram,
    QuestionSheet,
    read_answers,
)
from goalkeeper.tamper.source import is_python, is_script
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.witness.probes.asking import TABLES
from goalkeeper.witness.probes.lone import compare_answers

_NONCE = "n0nce"
_NAME = "askshere"
_JOBS = 2


def draw(hosts: Sequence[Host], *, draws: int, work: Path) -> str:
    rows = []
    for host in hosts:
        right, base = work / host.name / "right", work / host.name / "base"
        for place in (right, base):
            shutil.copytree(host.folder / "files", place)
        shutil.copytree(host.folder / "fixed", right, dirs_exist_ok=True)
        with ThreadPoolExecutor(_JOBS) as pool:
            found = [*pool.map(partial(_draw_once, right, base), range(draws))]
        kinds = Counter(name for names in found for name in names)
        told = ", ".join(f"{name} {count}" for name, count in kinds.most_common())
        rows.append([host.name, str(draws), str(sum(map(bool, found))), told])
    return table(["project", "draws", "asked about", "by"], rows)


def _draw_once(right: Path, base: Path, seed: int) -> list[str]:
    """Return the names of what accuses the right work."""
    found = []
    for sheets, program in _write_programs(right, seed):
        mine, before = (_ask(place, program) for place in (right, base))
        questions = [(sheet.path, put) for sheet in sheets for put in sheet.questions]
        heard = compare_answers(questions, mine, before)
        found += [find.__name__ for find, _ in TABLES if find(heard)]
    return found


def _write_programs(
    root: Path, seed: int
) -> Iterator[tuple[Sequence[QuestionSheet], AskingProgram]]:
    paths = [str(path.relative_to(root)) for path in sorted(root.glob("test*/**/*.*"))]

    def read(path: str) -> str | None:
        return (root / path).read_text() if (root / path).is_file() else None

    for language in LANGUAGES:
        sheets = []
        for path in paths:
            is_read = language.is_written_in(path) and (is_python(path) or is_script(path))
            chooser = Chooser(f"draw {seed}", path)
            sheet = language.read(read(path) or "", path, chooser, read) if is_read else None
            sheets += [sheet] if sheet else []
        if sheets:
            yield (
                sheets,
                language.write(
                    sheets, _NONCE, name=_NAME, folder="", python="python3", kept=USUAL_NAMES
                ),
            )


def _ask(place: Path, program: AskingProgram) -> AnswerLines:
    with tempfile.TemporaryDirectory() as own:
        here = Path(own) / "tree"
        shutil.copytree(place, here)
        (here / program.path).write_text(program.text)
        done = subprocess.run(program.argv, cwd=here, capture_output=True, text=True, check=False)
        return read_answers(done.stdout, _NONCE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hosts", nargs="*", default=[], help="projects; all without any")
    parser.add_argument("--draws", type=int, default=20, help="how many for each project")
    given = parser.parse_args()
    asked = [HOSTS[name] for name in given.hosts or HOSTS if not HOSTS[name].has_packages]
    ours = [host for host in asked if is_python(host.tests) or is_script(host.tests)]
    with tempfile.TemporaryDirectory() as work:
        print(draw(ours, draws=given.draws, work=Path(work)))


if __name__ == "__main__":
    main()
