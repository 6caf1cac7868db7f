"""Disguise: the same tests where nothing tells that they are tests.

A test that passes with signs of a test around it and fails without them is decided by the signs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from goalkeeper.core.contract.check_kinds import ARGV_KINDS, TEST_KINDS
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.held_out import find_python
from goalkeeper.core.contract.protected import Role, is_test, role_of_path
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.core.projects.commands import split_command
from goalkeeper.git.laying import lay_files
from goalkeeper.git.trees import Trees
from goalkeeper.system.run import Exited
from goalkeeper.tamper.source import MOST_BYTES, is_python, is_script
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import text_of
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import list_some
from goalkeeper.witness.probes.made import run_made
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.probes.ways import OtherWay, TestFiles, run_pytest, run_scripts
from goalkeeper.witness.scheduler import CheckJob

RULE = "knows-the-test"
_SHELLS = ("sh", "bash", "dash")
_BUILD_FILE = late_pattern(r"(?:.*/)?(?:[Mm]akefile|GNUmakefile|package\.json|[^/]*\.(?:mk|make))")


class Disguise(Value):
    """The probe."""

    trees: Trees
    base: str
    tree: str
    seed: str
    name: str = "disguise"

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        way = self._choose_way(asked, hides=True)
        return [self._make_job(asked, way, self.tree)] if way else []

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        """Run what fails in disguise with all signs, and, if the base passes it, there."""
        failed = self._list_failed(asked, results)
        shown, hidden = (self._choose_way(asked, hides=hides) for hides in (False, True))
        if not failed or not shown or not hidden:
            return []
        jobs = [self._make_job(asked, shown, self.tree)]
        is_known = not failed.isdisjoint(asked.known)
        return [*jobs, self._make_job(asked, hidden, self.base)] if is_known else jobs

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        hidden = self._choose_way(asked, hides=True)
        if hidden is None:
            return None
        told = self._read_run(asked, hidden, self.tree, results)
        report = ProbeReport(self.name, asked.criterion.id, "nothing")
        if not told:
            return report.replace(unseen=("its tests could not be run in disguise",))
        failed = self._list_failed(asked, results)
        accused = sorted(failed & self._list_shown(asked, results))
        accused = [name for name in accused if name not in self._list_excused(asked, results)]
        count = len(self._list_passed(asked))
        saw = f"{count - len(failed)} of {count} tests pass where nothing tells of a test"
        if "" in self._list_passed(asked):
            saw = f"it {'fails' if failed else 'passes'} where nothing tells of a test"
        left = len(failed) - len(accused)
        unseen = (f"{left} tests do not pass when they are run in another way",) if left else ()
        findings = [self._accuse(asked, accused)] if accused else []
        return report.replace(saw=saw, unseen=unseen, findings=tuple(findings))

    def _accuse(self, asked: ProbedCheck, names: Sequence[str]) -> Finding:
        what = list_some([name for name in names if name])
        told = f"{what} pass" if what else "it passes"
        said = (
            f"{asked.criterion.id}: {told} with signs of a test around, and not under other names, "
            "arguments and variables"
        )
        return Finding(RULE, Level.BLOCKING, "", 0, said)

    def _list_passed(self, asked: ProbedCheck) -> set[str]:
        if asked.criterion.check.kind not in TEST_KINDS:
            return {""}
        return {case.id for case in asked.seen.cases if case.outcome is Outcome.PASSED}

    def _list_failed(self, asked: ProbedCheck, results: JobResults) -> set[str]:
        """Return the tests that passed, and fail in disguise."""
        hidden = self._choose_way(asked, hides=True)
        told = self._read_run(asked, hidden, self.tree, results) if hidden else {}
        return {name for name in self._list_passed(asked) if told.get(name) is False}

    def _list_shown(self, asked: ProbedCheck, results: JobResults) -> set[str]:
        shown = self._choose_way(asked, hides=False)
        told = self._read_run(asked, shown, self.tree, results) if shown else {}
        return {name for name, passed in told.items() if passed}

    def _list_excused(self, asked: ProbedCheck, results: JobResults) -> set[str]:
        """Return the tests that fail in disguise on the base, too, although they pass there."""
        hidden = self._choose_way(asked, hides=True)
        told = self._read_run(asked, hidden, self.base, results) if hidden else {}
        return {name for name, passed in told.items() if not passed and name in asked.known}

    def _read_run(
        self, asked: ProbedCheck, way: OtherWay, tree: str, results: JobResults
    ) -> dict[str, bool]:
        seen = results.get(self._make_job(asked, way, tree))
        ran = seen.ran if seen else None
        return way.read(ran.out.text, ran.code) if isinstance(ran, Exited) else {}

    def _make_job(self, asked: ProbedCheck, way: OtherWay, tree: str) -> CheckJob:
        made = lay_files(self.trees, tree, way.files)
        ran = asked.seen.ran
        seconds = max(30.0, 4 * ran.seconds) if isinstance(ran, Exited) else 30.0
        return CheckJob(asked.criterion.id, made, argv=way.argv, env=way.env, seconds=seconds)

    @cached_property
    def _ways(self) -> dict[tuple[str, bool], OtherWay | None]:
        return {}

    def _choose_way(self, asked: ProbedCheck, *, hides: bool) -> OtherWay | None:
        """Return another way to run the tests of a check, chosen once; None if we know none."""
        key = asked.criterion.id, hides
        if key not in self._ways:
            self._ways[key] = self._find_way(asked, hides=hides)
        return self._ways[key]

    def _find_way(self, asked: ProbedCheck, *, hides: bool) -> OtherWay | None:
        check = asked.criterion.check
        if asked.reads is None or check.options.get("cwd"):
            return None
        if check.kind == "pytest":
            files = self._collect_files(asked, is_python)
            args = (*check.options["args"], *check.main_option)
            nonce = Chooser(self.seed, "nonce").choose_letters(20)
            return run_pytest(files, args, find_python(check), nonce, hides=hides)
        if check.kind not in ARGV_KINDS:
            return None
        programs = split_command(check.main_option, self._read_text) or (check.main_option,)
        has_report = check.kind == "tap"
        if all(self._is_script_run(argv, asked) for argv in programs):
            files = self._collect_files(asked, lambda path: not is_python(path))
            return run_scripts(files, programs, hides=hides, has_report=has_report)
        if has_report and len(programs) == 1 and {"node", "--test"} <= {*programs[0]}:
            files = self._collect_files(asked, is_script)
            each = [("node", path) for path in files.texts]
            return run_scripts(files, each, hides=hides, has_report=True) if each else None
        if check.main_option[0] == "make":
            files = self._collect_files(asked, lambda path: not is_python(path))
            return run_made(files, check.main_option, hides=hides, has_report=has_report)
        return None

    def _is_script_run(self, argv: Sequence[str], asked: ProbedCheck) -> bool:
        opened = asked.reads.files if asked.reads else frozenset()
        return len(argv) > 1 and argv[0] in _SHELLS and argv[1] in opened and is_test(argv[1])

    def _collect_files(self, asked: ProbedCheck, fits: Callable[[str], bool]) -> TestFiles:
        texts = self._texts
        opened = asked.reads.files if asked.reads else frozenset()
        own = {p: texts[p] for p in sorted(opened) if p in texts and is_test(p) and fits(p)}
        own = {path: text for path, text in own.items() if _is_run_itself(path)}
        others = [text for path, text in texts.items() if path not in own]
        return TestFiles(own, others, Chooser(self.seed, asked.criterion.id))

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """Return all files that may hold or name tests."""
        roles = (Role.TEST, Role.HARNESS)
        entries = self.trees.list_entries(self.tree)
        chosen = {
            path: blob
            for path, blob in entries.items()
            if role_of_path(path) in roles or _BUILD_FILE.fullmatch(path)
        }
        data = self.trees.read_blobs(sorted({blob.id for blob in chosen.values()}))
        found = {path: data.get(blob.id, b"") for path, blob in chosen.items()}
        return {path: text_of(each) for path, each in found.items() if len(each) <= MOST_BYTES}

    def _read_text(self, path: str) -> str:
        return (self.trees.open_tree(self.tree).read_file(path) or b"").decode(errors="replace")


def _is_run_itself(path: str) -> bool:
    """Return whether a file is run by its name; others are loaded by these."""
    name = path.rpartition("/")[2]
    return not is_python(path) or name.startswith("test_") or name.endswith("_test.py")
