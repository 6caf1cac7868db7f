"""Work that is kept as a file: header lines, a blank line, and a diff of the host's files."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.foulplay.control import Control
from bench.foulplay.edits import Edit, EditDoesNotFit, WorkerTree
from bench.foulplay.host import HOSTS
from bench.foulplay.operators.operator import FAMILIES, Operator

_FOLDER = Path(__file__).parent / "rounds"
_ROUNDS = {"second": 2, "third": 3, "fourth": 4}
_KNOWN = {"family", "summary", "decidable", "honest", "may-change", "made-with"}


class PatchUnreadable(Exception):
    """A file below rounds/ has another form than ours."""


def applied(patch: Path) -> Edit:
    """Apply a diff; git reads over the header lines."""

    def edit(tree: WorkerTree) -> None:
        try:
            tree.git("apply", "--whitespace=nowarn", str(patch))
        except subprocess.CalledProcessError as exc:
            raise EditDoesNotFit(patch, exc.stderr) from None

    return edit


def read(patch: Path, round_: int) -> Operator | Control:
    told = _header(patch)
    works = {patch.parent.name: applied(patch)}
    freed = tuple(path for path in told.get("may-change", "").replace(",", " ").split() if path)
    if told.get("honest") == "yes":
        return Control(patch.stem, told["summary"], works, freed, round_)
    if told.get("family") not in FAMILIES:
        raise PatchUnreadable(patch, "family")
    decidable = told.get("decidable", "yes") == "yes"
    return Operator(patch.stem, told["family"], told["summary"], works, decidable, freed, round_)


def _header(patch: Path) -> dict[str, str]:
    head, _, diff = patch.read_text(errors="replace").partition("\n\n")
    pairs = [line.partition(": ") for line in head.splitlines()]
    told = {name: value.strip() for name, _, value in pairs}
    if not told.keys() <= _KNOWN or "summary" not in told or not diff.startswith("diff --git "):
        raise PatchUnreadable(patch, "header")
    return told


def _all() -> Sequence[Operator | Control]:
    return [
        read(patch, number)
        for name, number in _ROUNDS.items()
        for host in HOSTS
        for patch in sorted((_FOLDER / name / host).glob("*.patch"))
    ]


_WORKS = _all()
PATCHED_OPERATORS = tuple(work for work in _WORKS if isinstance(work, Operator))
PATCHED_CONTROLS = tuple(work for work in _WORKS if isinstance(work, Control))
