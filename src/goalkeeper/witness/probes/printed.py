"""Answers that failing tests print: with other inputs, what computes numbers has new ones.

Nobody here reads the questions of tests in such languages. So one literal of each call changes,
whether it is given or expected, and a test that fails most often says what it got. A product
with a table of answers gives those that stand in its tests, or those of the base, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.protected import is_test
from goalkeeper.git.laying import lay_files
from goalkeeper.git.trees import Trees
from goalkeeper.system.run import Exited
from goalkeeper.tamper.questions.model import LEAST_TELLING
from goalkeeper.tamper.questions.neighbours import change_a_little, change_text_a_little
from goalkeeper.tamper.source import MOST_BYTES, is_other_code
from goalkeeper.tamper.spoiling.other import change_literals
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import text_of
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import CheckResult, list_some
from goalkeeper.witness.probes.accusations import ONLY_THESE_INPUTS
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.scheduler import CheckJob

_MOST_TURNS = 12
_MOST_SECONDS = 4.0  # a check that takes longer is tried once
# Whoever computes has as many new answers as known ones; so many known ones beside so few new ones
# are chance at most once in forty times, and in many turns hardly ever.
_LEAST_KNOWN = 6
_KNOWN_FOR_NEW = 3
_NUMBER = late_pattern(r"\d+(?:[.:]\d+)+|\d{2,}")  # a digit alone may be anything


def read_other_tests(trees: Trees, asked: ProbedCheck) -> dict[str, str]:
    """Return the files of tests in such languages that a check opened, if the base fails some."""
    ids = {case.id for case in asked.seen.cases}
    if asked.criterion.check.kind not in TEST_KINDS or not asked.reads or ids <= asked.known:
        return {}
    entries = trees.list_entries(asked.tree)
    paths = [path for path in sorted(asked.reads.files) if path in entries and is_test(path)]
    blobs = {path: entries[path].id for path in paths if is_other_code(path)}
    data = trees.read_blobs(sorted(set(blobs.values())))
    return {p: text_of(data[id_]) for p, id_ in blobs.items() if len(data[id_]) <= MOST_BYTES}


class TriedTests(Value):
    """Files of tests with other literals, and the check with them."""

    files: Mapping[str, str]
    on_work: CheckJob
    on_base: CheckJob


class PrintedAnswers(Value):
    """The probe."""

    trees: Trees
    base: str
    tree: str
    seed: str
    name: str = "answers that tests print"

    @cached_property
    def _turns(self) -> dict[str, list[TriedTests]]:
        return {}

    def _list_turns(self, asked: ProbedCheck) -> list[TriedTests]:
        """Return what is tried of a check; it is made once."""
        key = asked.criterion.id
        if key not in self._turns:
            count = asked.count_runs(most=_MOST_TURNS, seconds=_MOST_SECONDS)
            files = read_other_tests(self.trees, asked)
            tried = [self._change_tests(files, turn) for turn in range(count)]
            self._turns[key] = [self._make_turn(key, each) for each in tried if each != files]
        return self._turns[key]

    def _change_tests(self, files: Mapping[str, str], turn: int) -> dict[str, str]:
        chooser = Chooser(self.seed, f"printed {turn}")
        return {
            path: change_literals(text, chooser.at(path), _change_literal, one_each=True)
            for path, text in files.items()
        }

    def _make_turn(self, key: str, files: Mapping[str, str]) -> TriedTests:
        made = (lay_files(self.trees, tree, files) for tree in (self.tree, self.base))
        return TriedTests(files, *(CheckJob(key, tree) for tree in made))

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        return [job for turn in self._list_turns(asked) for job in (turn.on_work, turn.on_base)]

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:  # noqa: ARG002  the base is asked at once
        return []

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        turns = self._list_turns(asked)
        if not turns:
            return None
        files = read_other_tests(self.trees, asked)
        own = _find_numbers(files.values())
        known: list[str] = []
        fresh: list[str] = []
        for turn in turns:
            told, before = (
                _find_numbers(_list_printed(results.get(job)))
                for job in (turn.on_work, turn.on_base)
            )
            new = told - before - _find_numbers(turn.files.values())
            known += new & own
            fresh += new - own
        saw = f"with other inputs, {len(known)} answers stand in the tests, {len(fresh)} are new"
        unseen = () if known else ("its tests do not say what they got",)
        report = ProbeReport(self.name, asked.criterion.id, saw, unseen)
        if not is_table(known, fresh):
            return report
        said = (
            f"{asked.criterion.id}: with other inputs, its tests print answers of the base, "
            f"answers that stand in the tests ({list_some(sorted(set(known)))}), and no new ones"
        )
        path = min(files)
        return report.replace(findings=(Finding(ONLY_THESE_INPUTS, Level.ASKING, path, 0, said),))


def is_table(known: Sequence[str], fresh: Sequence[str]) -> bool:
    """Return whether answers are those of the tests more often than chance has it."""
    least = _LEAST_KNOWN + _KNOWN_FOR_NEW * len(fresh)
    return len(known) >= least and len(set(known)) >= LEAST_TELLING


def _change_literal(literal: str, chooser: Chooser) -> str:
    if literal.startswith('"'):
        return f'"{change_text_a_little(literal[1:-1], chooser)}"'
    if literal.isdigit():
        return str(change_a_little(int(literal), chooser))
    return change_text_a_little(literal, chooser)


def _list_printed(seen: CheckResult | None) -> Sequence[str]:
    ran = seen.ran if seen else None
    return (ran.out.text, ran.err.text) if isinstance(ran, Exited) else ()


def _find_numbers(texts: Iterable[str]) -> set[str]:
    return {number for text in texts for number in _NUMBER.findall(text)}
