"""Drafted tests are run before they count: on the base, on solutions, and on faults in these."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from goalkeeper.app.contract_runs import (
    REPETITIONS,
    ContractRuns,
    FaultRow,
    Seen,
    Solution,
    list_verdicts,
    run_again,
)
from goalkeeper.app.contracts import read_sound
from goalkeeper.app.guarding import ExamineBase, FoundGuards, find_guards
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, read_plain
from goalkeeper.core.contract.held_out import HELD_OUT, find_python
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.draft.answer import DraftAnswer, WrittenTest
from goalkeeper.core.draft.lint import LintFacts, lint_test
from goalkeeper.core.draft.model import Draft, DraftedTest, Standing
from goalkeeper.core.draft.rating import RunTable, rate_test
from goalkeeper.core.draft.scope import list_closed
from goalkeeper.core.problems import clip_line
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value

_BINDING = Standing.BINDING
_NAME_WIDTH = 80

KeepHeldOut = Callable[[str, str], str]  # it keeps a text for a path, and says where


class ExamTest(Value):
    """A drafted test in the form in which it will count."""

    id: str
    test: WrittenTest
    examiner: int  # it counts from 0
    held_out: str = ""  # where it is kept, if the worker is not to see it

    def to_plain(self) -> dict[str, Any]:
        said = {"id": self.id, "text": self.test.criterion}
        if not self.held_out:
            return {**said, "check": self.test.check.to_plain()}
        folder, below = place_held_out(self.test)
        check = _rename(self.test.check.to_plain(), self.test.path, f"{folder}/{below}")
        return {**said, "check": check, "held_out": [self.held_out], "held_out_at": folder}


def place_held_out(test: WrittenTest) -> tuple[str, str]:
    """Return the folder that a held-out test is laid into, and its path below.

    Python tests have a folder of their own, and lie there as deep as before. All others run where
    the product is: they lie at their own path, from which they may import what is beside them.
    """
    below = test.path.partition("/")[2]
    moved = _rename(dict(test.check.options), test.path, f"{HELD_OUT}/{below}")
    if find_python(test.check.replace(options=moved)):
        return HELD_OUT, below
    folder, _, name = test.path.rpartition("/")
    return folder, name


def _rename(value: Any, old: str, new: str) -> Any:  # noqa: ANN401  what JSON can say
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, Mapping):
        return {name: _rename(item, old, new) for name, item in value.items()}
    return [_rename(item, old, new) for item in value] if isinstance(value, list | tuple) else value


def write_exam(answers: Sequence[DraftAnswer], taken: Collection[str]) -> tuple[ExamTest, ...]:
    """Put the tests of all examiners together."""
    tests = [(number, test) for number, answer in enumerate(answers) for test in answer.tests]
    exam, used = [], set(taken)
    for index, (examiner, test) in enumerate(tests):
        path = _find_free(test.path, used)
        used.add(path)
        check = test.check.replace(options=_rename(dict(test.check.options), test.path, path))
        own = test.replace(path=path, check=check)
        exam.append(ExamTest(f"C{index + 1}", own, examiner))
    return tuple(exam)


def hide_tests(
    exam: Sequence[ExamTest], names: Collection[str], keep: KeepHeldOut
) -> tuple[ExamTest, ...]:
    """Hold some tests out."""
    kept = {
        each.id: keep(f"{each.id}/{place_held_out(each.test)[1]}", each.test.text)
        for each in exam
        if each.id in names
    }
    return tuple(each.replace(held_out=kept.get(each.id, "")) for each in exam)


def _find_free(path: str, taken: set[str]) -> str:
    """Find a path that nobody else has: tests/test_a.py, tests/test_a_2.py."""
    folder, _, name = path.rpartition("/")
    stem, dot, ending = name.partition(".")
    names = (f"{folder}/{stem}{f'_{n}' if n > 1 else ''}{dot}{ending}" for n in range(1, 1000))
    return next(name for name in names if name not in taken)


class DraftRater(Value):
    """Rates one draft: it runs the tests, and finds the commands that guard beside them."""

    runs: ContractRuns
    answers: tuple[DraftAnswer, ...]
    exam: tuple[ExamTest, ...]
    words: str
    hide: Callable[[Sequence[ExamTest], Sequence[str]], tuple[ExamTest, ...]]
    shuffle: Callable[[Sequence[str]], Sequence[str]]
    examine: ExamineBase  # it looks at contracts that are no secret

    def rate_draft(self, round_number: int) -> Draft:
        """Run everything and return the draft that nobody has accepted yet.

        One half of what will count is held out, so it is chosen when examiners were compared.
        From then on every test runs in the form in which it will count.
        """
        self.runs.tell("the drafted tests on the base")
        base = self.runs.run_on_base(_make_contract(self.exam))
        tables = self._run_exam(base)
        exam, tables = self._hold_half_out(tables, base)
        return self.replace(exam=exam).finish_rating(tables, base, round_number)

    def _hold_half_out(
        self, first: dict[str, RunTable], base: Seen
    ) -> tuple[tuple[ExamTest, ...], dict[str, RunTable]]:
        """Hold out one half of the tests on which all agree, and run what is sound again.

        One that cannot run where it is held out stays visible if another can take its place.
        """
        agreed = self.shuffle([name for name, table in first.items() if table.is_agreed])
        chosen, spare = agreed[: len(agreed) // 2], agreed[len(agreed) // 2 :]
        exam = self.hide(self.exam, chosen)
        tables = first | self._run_again(exam, first, base)
        while swaps := dict(
            zip(
                (name for name in chosen if tables[name].is_tied),
                (name for name in spare if tables[name].is_sound),
                strict=False,
            )
        ):
            chosen = [swaps.get(name, name) for name in chosen]
            spare = [name for name in spare if name not in swaps.values()]
            exam = self.hide(self.exam, chosen)
            anew = {name: first[name] for swap in swaps.items() for name in swap}
            tables |= self._run_again(exam, anew, base)
        return exam, tables

    def finish_rating(self, tables: dict[str, RunTable], base: Seen, round_number: int) -> Draft:
        """Run the tests, some of which are held out by now, on faults."""
        caught = self._run_faults([each for each in self.exam if tables[each.id].is_sound], base)
        rated = [_rate_test(each, tables[each.id], caught) for each in self.exam]
        counted = {each.id for each in rated if each.standing is _BINDING}
        binding = [each for each in self.exam if each.id in counted]
        is_useful = any(each.standing in {_BINDING, Standing.DISPUTED} for each in rated)
        guards = self._find_guards(binding) if is_useful else FoundGuards()
        killed = [row for row in caught if any(row.get(n) is Verdict.FAILED for n in counted)]
        questions = [text for answer in self.answers for text in answer.questions]
        assumed = [text for answer in self.answers for text in answer.assumptions]
        return Draft(
            draw_contract(
                self.exam, rated, (), [each.to_plain() for each in guards.criteria],
                self._list_closed(),
            ),
            tuple(rated), round_number, len(self.answers),
            faults=len(caught), killed=len(killed), questions=tuple(dict.fromkeys(questions)),
            assumptions=tuple(dict.fromkeys((*assumed, *guards.told))),
            names=self._list_names(binding),
        )  # fmt: skip

    def _list_closed(self) -> tuple[str, ...]:
        touched = {path for each in self.answers for path in (*each.touch, *each.reference)}
        return list_closed(touched, self.words)

    def _list_names(self, binding: Sequence[ExamTest]) -> tuple[str, ...]:
        """List the new names that tests call; a worker cannot guess those of held-out ones."""
        asking = sorted({each.examiner for each in binding})
        names = (clip_line(name, _NAME_WIDTH) for by in asking for name in self.answers[by].surface)
        return tuple(dict.fromkeys(names))

    def _find_guards(self, binding: Sequence[ExamTest]) -> FoundGuards:
        """Find commands that some solution meets with the tests that will lie in the tree."""
        solved = [answer.reference for answer in self.answers if answer.tests]
        solutions = [Solution(self.runs.base.tree, files) for files in solved] if binding else []
        guards = find_guards(self.runs, self.examine)
        return guards.try_on_solutions(self.runs, solutions, _list_visible(binding))

    def _run_exam(self, base: Seen) -> dict[str, RunTable]:
        """Run the tests on every solution."""
        solved: list[Seen] = []
        for number, answer in enumerate(self.answers, 1):
            self.runs.tell(f"on the solution of examiner {number}")
            solved.append(self._judge_solution(_make_contract(self.exam), answer.reference, base))
        facts = self._read_facts()
        return {
            each.id: RunTable(
                base=[base[each.id].verdict],
                own=[solved[each.examiner][each.id].verdict],
                others=[
                    seen[each.id].verdict
                    for by, seen in enumerate(solved)
                    if by != each.examiner and self.answers[by].tests  # else it solved nothing
                ],
                lint=lint_test(each.test.path, each.test.text, facts),
                reason=base[each.id].reason,
                own_reason=solved[each.examiner][each.id].reason,
            )
            for each in self.exam
        }  # fmt: skip

    def _run_again(
        self, exam: Sequence[ExamTest], tables: Mapping[str, RunTable], first: Seen
    ) -> dict[str, RunTable]:
        """Run what is sound so far twice more, under other circumstances and in another order."""
        sound = [each for each in exam if each.id in tables and tables[each.id].is_sound]
        if not sound:
            return {}
        self.runs.tell("again, in another order, time zone and locale")
        base = run_again(self.runs.run_on_base, _make_contract(sound), REPETITIONS[:1])
        own: dict[str, list[Judged]] = {}
        for by, answer in enumerate(self.answers):
            run = partial(self._judge_solution, files=answer.reference, base=first)
            own |= run_again(run, _make_contract([each for each in sound if each.examiner == by]))
        return {
            each.id: self._add_runs(each, tables[each.id], base[each.id], own[each.id])
            for each in sound
        }

    def _add_runs(
        self, each: ExamTest, table: RunTable, base: Sequence[Judged], own: Sequence[Judged]
    ) -> RunTable:
        on_base, on_own = ([judged.verdict for judged in runs] for runs in (base, own))
        if not each.held_out:
            return table.replace(base=[*table.base, *on_base], own=[*table.own, *on_own])
        apart = RunTable(on_base, on_own, (), reason=self._read_reason(base))
        return table.replace(apart=apart.replace(own_reason=self._read_reason(own)))

    def _read_reason(self, runs: Sequence[Judged]) -> str:
        """Read why a held-out test did not pass: a judgement does not say it."""
        failed = [each.evidence for each in runs if each.verdict is not Verdict.PASSED]
        kept = self.runs.witness.read_kept(failed[0]) if failed else None
        return str(kept["reason"]).partition("\n")[0] if kept else ""

    def _run_faults(self, sound: Sequence[ExamTest], base: Seen) -> list[FaultRow]:
        """Run the tests of each examiner on faults in its own solution."""
        caught: list[FaultRow] = []
        for by, answer in enumerate(self.answers):
            contract = _make_contract([each for each in sound if each.examiner == by])
            solution = Solution(self.runs.base.tree, answer.reference)
            if contract.criteria:
                caught += self.runs.run_on_faults(contract, solution, base)
        return caught

    def _judge_solution(
        self, contract: Contract, files: Mapping[str, str | None], base: Seen
    ) -> Seen:
        if not contract.criteria:
            return {}
        return self.runs.run_on_solution(contract, Solution(self.runs.base.tree, files), base)

    def _read_facts(self) -> LintFacts:
        changed = {path for answer in self.answers for path in answer.reference}
        surface = {name for answer in self.answers for name in answer.surface}
        return LintFacts(self.words, surface, changed, self.runs.read_base_text)


def _rate_test(each: ExamTest, runs: RunTable, caught: Sequence[FaultRow]) -> DraftedTest:
    runs = runs.replace(faults=list_verdicts(caught, each.id))
    rating = rate_test(runs)
    return DraftedTest(
        each.id, each.test.criterion, each.examiner + 1, rating.standing, rating.rule,
        rating.reason, held_out=bool(each.held_out), killed=runs.killed,
    )  # fmt: skip


def _make_contract(exam: Sequence[ExamTest]) -> Contract:
    told = {"criteria": [each.to_plain() for each in exam], "tests": _list_visible(exam)}
    return read_sound(read_plain(told), "the draft")


def _list_visible(exam: Sequence[ExamTest]) -> dict[str, str]:
    return {each.test.path: each.test.text for each in exam if not each.held_out}


def draw_contract(
    exam: Sequence[ExamTest],
    rated: Sequence[DraftedTest],
    approved: Sequence[str],
    guards: Sequence[Mapping[str, Any]],
    closed: Sequence[str],
) -> str:
    """Draw up the contract: what is binding, what a human approved, and the project's own tests.

    It is JSON, in the form in which contracts are frozen.
    """
    counted = {test.id for test in rated if test.standing is _BINDING or test.id in approved}
    chosen = [each for each in exam if each.id in counted]
    criteria = [*(each.to_plain() for each in chosen), *guards]
    told = {"criteria": criteria, "tests": _list_visible(chosen), "scope": {"never": closed}}
    return compact(read_sound(read_plain(told), "the draft").plain)


def approve_disputed(draft: Draft, exam: Sequence[ExamTest], approved: Sequence[str]) -> Draft:
    """Return the draft with disputed tests that a human wants."""
    contract = json.loads(draft.contract)
    guards = [each for each in contract["criteria"] if each.get("guard")]
    tests = tuple(
        test.replace(standing=_BINDING, reason="a human wants it") if test.id in approved else test
        for test in draft.tests
    )
    closed = contract.get("scope", {}).get("never", ())
    drawn = draw_contract(exam, draft.tests, approved, guards, closed)
    return draft.replace(contract=drawn, tests=tests)
