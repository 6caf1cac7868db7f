"""Starts the two processes of a held-out check: its tests in one checkout, the product in another.

The checkout of the tests has no code that the worker could have written. The product's checkout has
no held-out file. The two share a home and a temporary folder, and a pair of sockets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from goalkeeper.app.trials import Files
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.held_out import HELD_OUT, find_python
from goalkeeper.git.trees import Trees
from goalkeeper.system.run import LimitHit, NotStarted, Ran, describe_end
from goalkeeper.system.threads import SideThread
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import (
    CheckResult,
    ProgramCall,
    ProgramRun,
    WorkFacts,
    list_some,
    make_failed,
    make_unknown,
)
from goalkeeper.witness.workspace import Workspace

if TYPE_CHECKING:
    import socket

ASKED = "across a pipe"
FOLDER = ".goalkeeper-across"
_NOTES = f"{FOLDER}/notes"
_PACKAGE = "goalkeeper_across"  # the copy is no part of a goalkeeper that is tested itself
_SOURCES = (
    "begin", "doubts", "imports", "judge", "patches", "peer", "product", "programs", "stands",
    "strangers", "values",
)  # fmt: skip
_CODE = (".py", ".pyc", ".pyo", ".so", ".pyd", ".pth", ".egg", ".whl", ".zip")
_NOTES_BYTES = 1 << 20
_BEGIN = f"""\
import json, os, sys
if os.environ.pop("GOALKEEPER_ACROSS", ""):
    folder = os.path.dirname(__file__)
    from {_PACKAGE} import begin
    with open(os.path.join(folder, "asked.json"), encoding="utf-8") as file:
        begin.begin(folder, json.load(file))
"""
_SERVE = f"import sys; sys.path[0] = sys.argv.pop(1); from {_PACKAGE}.product import main; main()"


def describe_unasked(criteria: Iterable[Criterion]) -> tuple[str, ...]:
    """Return what limits held-out checks that are not asked across a pipe."""
    inside = [each.id for each in criteria if each.held_out and not find_python(each.check)]
    said = f"held-out files of {', '.join(inside)} lie where the product runs, which can read them"
    return (f"{said} and bend their runner",) if inside else ()


def build_judge_tree(trees: Trees, tree: str, protected: Iterable[str]) -> str:
    """Return the tree that the tests run in: without the product's code, which would run there."""
    kept = frozenset(protected)
    code = (path for path in trees.list_entries(tree) if path.endswith(_CODE) and path not in kept)
    return trees.compose_tree(tree, dict.fromkeys(code))


def list_import_names(
    paths: Iterable[str], protected: Iterable[str], *, regular: bool = False
) -> dict[str, list[str]]:
    """Return what can be imported from each folder that is no package itself.

    A folder without `__init__.py` is a package, too, but not a regular one.
    """
    kept, paths = frozenset(protected), [*paths]
    packages = {os.path.dirname(path) for path in paths if path.endswith("/__init__.py")}
    found: dict[str, set[str]] = {}
    for path in paths:
        if path in kept or not path.endswith((".py", ".so", ".pyd", ".pyx")):
            continue
        steps = path.split("/")
        for depth, step in enumerate(steps):
            below = "/".join(steps[: depth + 1])
            is_regular = below in packages or below == path
            if is_regular or not regular:
                found.setdefault("/".join(steps[:depth]) or ".", set()).add(step.partition(".")[0])
            if is_regular:
                break
    return {folder: sorted(names) for folder, names in found.items()}


class AcrossContext(Value):
    """The context of one held-out check: a workspace for its tests, and one for the product."""

    tests: Workspace
    product: Workspace
    files: Files
    work: WorkFacts
    python: str
    names: Mapping[str, list[str]]
    known: Mapping[str, list[str]]  # those that the base has, too

    def run_program(self, call: ProgramCall) -> ProgramRun:
        import socket  # noqa: PLC0415  slow, and few goals have held-out checks

        with ExitStack() as ends:
            asking = [ends.enter_context(end) for end in socket.socketpair()]
            starting = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours, theirs = zip(asking, map(ends.enter_context, starting), strict=True)
            self._lay_files([end.fileno() for end in ours])
            product = SideThread(partial(self._run_product, call, theirs))
            try:
                more = {"GOALKEEPER_ACROSS": "1"}
                path = os.path.join(self.tests.seen_at, FOLDER)
                ended = self.tests.run_program(
                    call, more=more, python_path=path, inherited=[end.fileno() for end in ours]
                )
            finally:
                for end in ours:  # then the product's process ends, too
                    end.close()
                product.join()
            ran = product.wait_for_result()
        return ended.replace(beside=ran)

    def _run_product(self, call: ProgramCall, ends: Iterable[socket.socket]) -> Ran:
        numbers = [end.fileno() for end in ends]
        words = [str(number) for number in numbers]
        at = self.product.seen_at
        argv = (self.python, "-c", _SERVE, os.path.join(at, FOLDER), *words, at)
        try:
            served = call.replace(argv=argv, outputs=())
            return self.product.run_program(served, inherited=numbers).ran
        finally:
            for end in ends:  # otherwise the tests would wait for an answer
                end.close()

    def _lay_files(self, ends: list[int]) -> None:
        """Write what both need. The product must not reach what the tests' Python may load."""
        asked = {
            "asking": ends[0],
            "starting": ends[1],
            "root": self.tests.seen_at,
            "held_out": HELD_OUT,
            "names": self.names,
            "known": self.known,
        }
        sources = {f"{_PACKAGE}/{name}.py": _read_source(name) for name in _SOURCES}
        own = {"sitecustomize.py": _BEGIN, "asked.json": json.dumps(asked)}
        self.tests.write_folder(FOLDER, {**sources, **own})
        self.product.write_folder(FOLDER, sources)

    def conclude(self, seen: CheckResult) -> CheckResult:
        """Return the result, as far as both processes did what they are for."""
        return self._doubt(seen).replace(asked=ASKED)

    def _doubt(self, seen: CheckResult) -> CheckResult:
        ran = seen.ended.beside if seen.ended else None
        if isinstance(ran, NotStarted | LimitHit):
            said = f"the product's process: {describe_end(ran, self.python)}"
            ended = seen.ended.replace(ran=ran) if seen.ended else None
            return make_unknown(said, ended, outside=True)
        notes = self._read_notes()
        if notes is None or "begun" not in notes:
            said = f"{self.python} did not load what asks the product across a pipe"
            return make_unknown(said, seen.ended)
        if "unknown" in notes:
            said = f"it cannot be asked across a pipe: {list_some(notes['unknown'])}"
            return make_unknown(said, seen.ended)
        if "failed" in notes and seen.verdict is not Verdict.FAILED:
            return make_failed(notes["failed"][0], seen.ended, seen.cases)
        return seen

    def _read_notes(self) -> dict[str, list[str]] | None:
        """Return the notes by kind; None if they cannot be read."""
        found: dict[str, list[str]] = {}
        try:
            for line in self.tests.read_file(_NOTES, _NOTES_BYTES).decode().splitlines():
                ((kind, text),) = json.loads(line).items()
                if text not in found.setdefault(kind, []):
                    found[kind].append(str(text))
        except (ValueError, AttributeError):
            return None
        return found


def _read_source(name: str) -> str:
    path = os.path.join(os.path.dirname(__file__), f"{name}.py")
    with open(path, encoding="utf-8") as file:
        return file.read().replace(__package__, _PACKAGE)
