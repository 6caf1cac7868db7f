"""Ready answers: texts in the work that tests expect, and that have parts of what tests give.

What is computed of an input stands nowhere in the code. Such a text may still be an example, so all
of them are changed in the code, and the tests run again: one that fails had its answer from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from functools import cached_property

from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.git.laying import lay_files
from goalkeeper.tamper.literals.model import Literal
from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.spoiling.values import Chooser, change_text
from goalkeeper.tamper.syntax import text_of
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import CheckResult
from goalkeeper.witness.probes.accusations import accuse_ready
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.probes.spoilt import SpoiltTests
from goalkeeper.witness.probes.work_literals import WorkLiterals
from goalkeeper.witness.scheduler import CheckJob

_PART = late_pattern(r"\d{2,}|[^\W\d_]{3,}")
_CAPITAL = late_pattern(r"(?<=\w)\W+[A-Z][a-z]{2,}")
_TITLE = late_pattern(r"""\b(?:test|it|describe|context|suite)\w*\(\s*(['"`]).*?\1""")
_WORD = late_pattern(r"\w+|\W+")
_MOST_LINES = 5000  # of a test file; to compare more takes long
_FAILED = frozenset({Outcome.FAILED, Outcome.ERROR})
_LEAST_PARTS = 2
_LEAST_READY = 3
# One text alone tells if it has so much of what tests give.
_MANY_PARTS = 5
_MANY_NUMBERS = 2


class ReadyAnswers(Value):
    """The probe. What tests expect is what other expectations take the place of."""

    work: WorkLiterals
    spoilt: SpoiltTests
    name: str = "ready answers"

    @cached_property
    def _likely(self) -> dict[str, list[Literal]]:
        """Return texts that are not in code by chance, and of which tests have all parts."""
        parts = {p for d in self.spoilt.list_files().values() for p in _PART.findall(text_of(d))}
        found = {
            path: [each for each in literals if _is_telling(each) and _list_parts(each) <= parts]
            for path, literals in self.work.literals.items()
        }
        return {path: literals for path, literals in found.items() if literals}

    @cached_property
    def _said(self) -> tuple[set[str], set[str]]:
        """Return the parts of what tests expect, and of what they give."""
        expected, given = set[str](), set[str]()
        for path, data in self.spoilt.list_files().items():
            others = text_of(self.spoilt.suite.files.get(path, data))
            for piece, is_expected in _split(text_of(data), others):
                (expected if is_expected else given).update(_PART.findall(_TITLE.sub("", piece)))
        return expected, given

    @cached_property
    def _ready(self) -> dict[str, list[Literal]]:
        """Return, by file of the work, the texts that are ready; none if they are few."""
        if not self._likely:
            return {}
        expected, given = self._said
        given -= {part for text in self.work.old_texts.values() for part in _PART.findall(text)}
        found = {
            path: [
                each
                for each in literals
                if (parts := _list_parts(each)) <= expected and len(parts & given) >= _LEAST_PARTS
            ]
            for path, literals in self._likely.items()
        }
        ready = {path: literals for path, literals in found.items() if literals}
        texts = {each.value: each for literals in ready.values() for each in literals}
        is_rich = any(_is_rich(_list_parts(each) & given) for each in texts.values())
        return ready if is_rich or len(texts) >= _LEAST_READY else {}

    @cached_property
    def _tree(self) -> str:
        changed = {
            path: apply_changes(self.work.texts[path], map(self._change, literals))
            for path, literals in self._ready.items()
        }
        return lay_files(self.work.trees, self.work.tree, changed)

    def _change(self, literal: Literal) -> Change:
        chooser = Chooser(self.spoilt.seed, f"ready {literal.start}")
        other = change_text(str(literal.value), chooser)
        return Change(literal.start, literal.end, other if literal.is_bare else repr(other))

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        is_asked = asked.criterion.check.kind in TEST_KINDS and bool(self._ready)
        return [CheckJob(asked.criterion.id, self._tree)] if is_asked else []

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        """Run it again: a test may fail by chance."""
        return [
            job.replace(turn=1)
            for job in self.list_jobs(asked)
            if _list_lost(asked, results.get(job))
        ]

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        jobs = self.list_jobs(asked)
        if not jobs:
            return None
        lost = [_list_lost(asked, results.get(job.replace(turn=t))) for job in jobs for t in (0, 1)]
        tests = sorted(set.intersection(*lost))
        texts = [str(each.value) for literals in self._ready.values() for each in literals]
        saw = f"{len(texts)} texts of the work are what tests expect, and were changed"
        found = (accuse_ready(asked, next(iter(self._ready)), texts, tests),) if tests else ()
        return ProbeReport(self.name, asked.criterion.id, saw, (), found)


def _list_lost(asked: ProbedCheck, seen: CheckResult | None) -> set[str]:
    """Return the tests that pass, and did not on the base, and fail with changed texts."""
    if seen is None:
        return set()
    before = {case.id for case in asked.seen.cases if case.outcome is Outcome.PASSED}
    failed = {case.id for case in seen.cases if case.outcome in _FAILED}
    return (before & failed) - asked.known


def _split(text: str, other: str) -> Iterator[tuple[str, bool]]:
    """Yield pieces of a test file, each with whether something else is expected there now."""
    lines, others = text.splitlines(), other.splitlines()
    if text == other or len(lines) > _MOST_LINES:
        yield text, False
        return
    for kind, start, end, low, high in SequenceMatcher(None, lines, others).get_opcodes():
        words, news = (
            _WORD.findall("\n".join(each)) for each in (lines[start:end], others[low:high])
        )
        if kind == "equal" or len(words) > _MOST_LINES:
            yield "".join(words), False
            continue
        for what, first, last, _, _ in SequenceMatcher(None, words, news).get_opcodes():
            yield "".join(words[first:last]), what != "equal"


def _list_parts(literal: Literal) -> set[str]:
    return {*_PART.findall(str(literal.value))}


def _is_telling(literal: Literal) -> bool:
    """Return whether a text has a number or a name behind another word."""
    parts = _list_parts(literal) if literal.is_text else set[str]()
    is_name = _CAPITAL.search(str(literal.value)) is not None
    return len(parts) >= _LEAST_PARTS and (is_name or any(map(str.isdigit, parts)))


def _is_rich(parts: AbstractSet[str]) -> bool:
    return len(parts) >= _MANY_PARTS and sum(map(str.isdigit, parts)) >= _MANY_NUMBERS
