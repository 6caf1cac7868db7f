"""Inputs that the product knows by heart: its own literals are changed, and it is asked again.

Where the work has added a literal that is the input of a test, it may be a special one, or the
product knows that input and no other. With a close one in the literal's place, what knows it by
heart gives the test's answer to that close one, nothing new to the test's own, and to all others
what it gave before. What computes does not: a limit that moves, or a sum, shows elsewhere, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from goalkeeper.git.laying import lay_files
from goalkeeper.tamper.literals.languages import find_language
from goalkeeper.tamper.literals.model import (
    CLOSE,
    Given,
    Literal,
    is_given,
    list_others,
)
from goalkeeper.tamper.literals.parts import open_literals
from goalkeeper.tamper.questions.model import Question, choose_answers
from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.value import Value
from goalkeeper.witness.probes.accusations import accuse_heart
from goalkeeper.witness.probes.asking import QuestionProbe
from goalkeeper.witness.probes.known import (
    Answers,
    KnownGroup,
    KnownRound,
    KnownTurn,
    is_by_heart,
    list_beside,
    list_values,
    tell_unlike,
    write_round,
)
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.probes.rounds import QuestionRound
from goalkeeper.witness.probes.work_literals import WorkLiterals
from goalkeeper.witness.scheduler import CheckJob

_MOST_GROUPS = 4  # each is a run


class KnownByHeart(Value):
    """The probe. It asks what the probe of questions asks."""

    questions: QuestionProbe
    name: str = "literals of the work"

    @cached_property
    def _work(self) -> WorkLiterals:
        asking = self.questions
        return WorkLiterals(asking.trees, asking.base, asking.tree)

    @cached_property
    def _known(self) -> dict[tuple[str, int], KnownRound | None]:
        return {}

    def _list_rounds(self, asked: ProbedCheck) -> list[KnownRound]:
        """Return the rounds in which tests give what the work has added, found once."""
        name = asked.criterion.id
        for turn, put in enumerate(self.questions.rounds.get(name, ())):
            if (name, turn) not in self._known:
                self._known[name, turn] = self._find_known(put, asked.criterion.text)
        return [found for (own, _), found in self._known.items() if own == name and found]

    def _find_known(self, put: QuestionRound, told: str) -> KnownRound | None:
        given = [_list_given(path, question) for path, question in put.questions]
        groups = [
            group
            for path, literals in self._work.literals.items()
            for group in self._list_groups(path, [*open_literals(literals, given)], given, told)
        ]
        return write_round(put, groups[:_MOST_GROUPS], given) if groups else None

    def _list_groups(
        self,
        path: str,
        literals: Sequence[Literal],
        given: Sequence[Sequence[Given]],
        told: str,
    ) -> Iterator[KnownGroup]:
        for group in list_beside(literals):
            asked = {n: [i for i, each in enumerate(given) if is_given(n, each)] for n in group}
            known = [literal for literal, numbers in asked.items() if numbers]
            new = {each.value: each for each in known if not self._work.is_old(path, each)}
            lines = {value: self._work.find_told(each, told) for value, each in new.items()}
            named = {value for value in new if isinstance(value, str) and lines[value]}
            added = [each for value, each in new.items() if value not in named] or [*new.values()]
            if not added or not is_by_heart(group, known):
                continue
            chooser = Chooser(self.questions.seed, f"{path} {group[0].group}")
            taken = {str(value) for each in (*given, *list_values(group)) for value in each}
            numbers = {n for each in added for n in asked[each]}
            yield KnownGroup(
                path,
                tuple(added),
                tuple(tuple(list_others(e, chooser.at(e.value), taken)) for e in added),
                tuple(sorted(numbers)),
                {each: _list_alike(each, literals) for each in added},
                tuple(line for each in added for line in lines[each.value]),
                is_named=len(named) == len(new),
            )

    def _make_job(
        self, asked: ProbedCheck, known: KnownRound, changes: tuple[int, int] | None = None
    ) -> CheckJob:
        """Make the job that asks a round, of the work or with other literals in it; once."""
        key = asked.criterion.id, known.put.sheets[0].path, changes
        if key not in self._jobs:
            tree = self.questions.tree
            if changes is not None:
                group = known.groups[changes[0]]
                tree = lay_files(self.questions.trees, tree, self._change(group, changes[1]))
            self._jobs[key] = self.questions.lay_program(
                asked, known.put, tree, watched=False, bare=False, around=()
            )
        return self._jobs[key]

    @cached_property
    def _jobs(self) -> dict[tuple[str, str, tuple[int, int] | None], CheckJob]:
        return {}

    def _change(self, group: KnownGroup, turn: int) -> dict[str, str]:
        """Return the product's file with other literals: texts wherever they stand in it."""
        changes = [
            Change(each.start, each.end, other if each.is_bare or not each.is_text else repr(other))
            for literal, other in group.list_changes(turn)
            for each in group.alike[literal]
        ]
        return {group.path: apply_changes(self._work.texts[group.path], changes)}

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        return [self._make_job(asked, known) for known in self._list_rounds(asked)]

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        return [
            self._make_job(asked, known, (place, turn))
            for known in self._list_rounds(asked)
            for place, turn in self._choose_turns(asked, known, results)
        ]

    def _choose_turns(
        self, asked: ProbedCheck, known: KnownRound, results: JobResults
    ) -> Iterator[tuple[int, int]]:
        """Yield groups with the turn in which most close values have another answer."""
        heard = self._hear(self._make_job(asked, known), results)
        for place, group in enumerate(known.groups):
            new = self._list_new(asked, known, group, results)
            counts = {
                turn: sum(tell_unlike(known, heard, (n, known.places[place, n][turn])) for n in new)
                for turn in range(min(CLOSE, *map(len, group.others)))
            }
            best = max(counts, key=lambda turn: counts[turn], default=0)
            if counts.get(best):
                yield place, best

    def _list_new(
        self, asked: ProbedCheck, known: KnownRound, group: KnownGroup, results: JobResults
    ) -> list[int]:
        """Return the group's questions that have another answer than on the base."""
        heard = self._hear(self._make_job(asked, known), results)
        mine, base = (
            self._hear(self.questions.make_job(asked, known.own, tree), results)
            for tree in (self.questions.tree, self.questions.base)
        )
        return [
            n
            for n in group.numbers
            if (own := heard.get((n, 0))) is not None
            and own.kind == "value"
            and own == mine.get((n, 0))
            and base.get((n, 0)) not in {None, own}
        ]

    def _hear(self, job: CheckJob, results: JobResults) -> Answers:
        return choose_answers(self.questions.read_run(job, results), expected=False)

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        rounds = self._list_rounds(asked)
        if not rounds:
            return None
        findings = []
        for known in rounds:
            heard = self._hear(self._make_job(asked, known), results)
            for place, turn in self._choose_turns(asked, known, results):
                now = self._hear(self._make_job(asked, known, (place, turn)), results)
                new = self._list_new(asked, known, known.groups[place], results)
                if found := KnownTurn(known, place, turn).find_by_heart(new, heard, now):
                    put = [known.put.questions[n] for n in found]
                    findings.append(accuse_heart(asked, put))
        count = sum(len(group.literals) for known in rounds for group in known.groups)
        saw = f"{count} literals of the work are inputs of tests, and were changed"
        return ProbeReport(self.name, asked.criterion.id, saw, (), tuple(findings))


def _list_alike(literal: Literal, literals: Sequence[Literal]) -> list[Literal]:
    """Return a text wherever it stands, and a number where it is compared with the same."""
    return [
        each
        for each in literals
        if each.value == literal.value and (literal.is_text or each.group == literal.group)
    ]


def _list_given(path: str, question: Question) -> Sequence[Given]:
    language = find_language(path)
    try:
        return language.list_given(question.call, path) if language else ()
    except RecursionError:
        return ()
