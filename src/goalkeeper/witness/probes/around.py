"""Other surroundings: another time zone, locale, working folder and order of questions.

What is right in those of the tests alone is found by one more run where all of them are others, and
named by a run for each. Products may mean what is around them: where the tests speak of it, or the
base depends on it, too, nothing is held against the work. It asks, and never blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.system.run import Exited, Signalled
from goalkeeper.tamper.questions.around import REPETITION, Surrounding, is_named_in
from goalkeeper.tamper.questions.model import AnswerLines, Question, choose_answers, has_told
from goalkeeper.tamper.questions.own_text import read_own_text
from goalkeeper.tamper.questions.script.own_text import read_own_script
from goalkeeper.tamper.source import is_script
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import list_some
from goalkeeper.witness.probes.accusations import accuse_surrounding
from goalkeeper.witness.probes.answered import NO_ANSWER, list_fine, list_refused
from goalkeeper.witness.probes.asking import QuestionProbe
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.probes.rounds import QuestionRound
from goalkeeper.witness.scheduler import CheckJob

_GIVEN = ("value", "error")
_STARTS_TESTS = late_pattern(r"(?:.*/)?(?:package\.json|pyproject\.toml|[Mm]akefile|GNUmakefile)")


class OtherSurroundings(Value):
    """The probe. It has its questions from the one that asks them in usual surroundings."""

    asking: QuestionProbe
    name: str = "other surroundings"

    def _list_rounds(self, asked: ProbedCheck) -> Sequence[QuestionRound]:
        return self.asking.rounds.get(asked.criterion.id, ())

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        make, tree = self.asking.make_job, self.asking.tree
        return [
            make(asked, put, tree, around=around)
            for put in self._list_rounds(asked)
            for around in ((), put.language.around)
        ]

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        """Change one thing after the other, on both sides, and all of them once more."""
        make, jobs = self.asking.make_job, []
        for put in self._list_rounds(asked):
            if self._list_doubted(asked, put, results):
                jobs += [self._make_again(asked, put)]
                jobs += [
                    make(asked, put, tree, around=around)
                    for tree in (self.asking.tree, self.asking.base)
                    for around in ((), *((each,) for each in put.language.around))
                ]
            if self._list_tired(asked, put, results):
                jobs += [
                    self._make_again(asked, put),
                    self._make_whole(asked, put, self.asking.base),
                ]
        return jobs

    def _list_tired(self, asked: ProbedCheck, put: QuestionRound, results: JobResults) -> set[int]:
        """Return the questions whose right answer is there twice, and another one later.

        What counts or keeps something has another answer the second time. The control may not have
        run yet.
        """
        jobs = self._make_whole(asked, put, self.asking.tree), self._make_again(asked, put)
        runs = [self.asking.read_run(job, results) for job in jobs if job in results]
        base = self._make_whole(asked, put, self.asking.base)
        tired = set.intersection(*map(_list_other_later, runs)) if runs else set()
        tired -= _list_other_later(self.asking.read_run(base, results))
        return {n for n in tired if not self._is_meant(asked, put, n, REPETITION)}

    def _make_whole(self, asked: ProbedCheck, put: QuestionRound, tree: str) -> CheckJob:
        return self.asking.make_job(asked, put, tree, around=put.language.around)

    def _list_doubted(
        self, asked: ProbedCheck, put: QuestionRound, results: JobResults
    ) -> set[int]:
        """Return the questions with other answers that do not themselves name what is around."""
        around = put.language.around
        return {
            number
            for number in self._list_other(asked, put, around, results)
            if not any(is_named_in(put.questions[number][1], e, self._paths) for e in around)
        }

    def _make_again(self, asked: ProbedCheck, put: QuestionRound) -> CheckJob:
        return self._make_whole(asked, put, self.asking.tree).replace(turn=1)

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        rounds = self._list_rounds(asked)
        if not rounds:
            return None
        findings: list[Finding] = []
        other = count = excused = 0
        names: dict[str, None] = {}
        for put in rounds:
            names |= dict.fromkeys(each.name for each in put.language.around)
            found = self._list_other(asked, put, put.language.around, results)
            doubted = self._list_doubted(asked, put, results)
            accused = [*self._accuse(asked, put, doubted, results)] if doubted else []
            findings += [finding for finding, _ in accused]
            if tired := sorted(self._list_tired(asked, put, results)):
                findings.append(self._ask_about(asked, put, tired, REPETITION.said))
            other += len(found)
            excused += len(found - {n for _, numbers in accused for n in numbers})
            told = self.asking.make_job(asked, put, self.asking.tree)
            count += len(list_fine(self.asking.read_run(told, results)))
        saw = f"{count - other} of {count} calls give the expected answer in another "
        said = f"{excused} calls depend on what is around them, as tests or base do, or on chance"
        return ProbeReport(
            self.name,
            asked.criterion.id,
            saw + list_some([*names]),
            (said,) if excused else (),
            tuple(findings),
        )

    def _accuse(
        self, asked: ProbedCheck, put: QuestionRound, other: set[int], results: JobResults
    ) -> Iterator[tuple[Finding, Sequence[int]]]:
        """Yield findings, each with the questions that it is about."""
        again = self._list_other(asked, put, put.language.around, results, turn=1)
        left = other & again
        for each in put.language.around:
            single = self._list_other(asked, put, (each,), results)
            left -= single
            if self._list_other(asked, put, (each,), results, tree=self.asking.base):
                left = set()
                continue
            numbers = [n for n in sorted(other & single) if not self._is_meant(asked, put, n, each)]
            if numbers:
                yield self._ask_about(asked, put, numbers, each.said), numbers
        means = any(self._is_meant(asked, put, n, e) for n in left for e in put.language.around)
        if left and not means:
            names = " and ".join(each.name for each in put.language.around)
            said = f"right in the surroundings of the tests alone ({names} are others at once)"
            yield self._ask_about(asked, put, sorted(left), said), sorted(left)

    def _ask_about(
        self, asked: ProbedCheck, put: QuestionRound, numbers: Sequence[int], said: str
    ) -> Finding:
        return accuse_surrounding(asked, [put.questions[number] for number in numbers], said)

    def _list_other(
        self,
        asked: ProbedCheck,
        put: QuestionRound,
        around: Sequence[Surrounding],
        results: JobResults,
        *,
        tree: str = "",
        turn: int = 0,
    ) -> set[int]:
        """Return the questions that are answered as expected in usual surroundings alone."""
        tree = tree or self.asking.tree
        job = self.asking.make_job(asked, put, tree, around=around).replace(turn=turn)
        usual = self.asking.read_run(self.asking.make_job(asked, put, tree), results)
        told = self.asking.read_run(job, results)
        ran = results[job].ran if job in results else None
        is_ended = isinstance(ran, Exited | Signalled) and not has_told(told, "end")
        return {n for n in list_fine(usual) if _is_other(told, n, is_ended=is_ended)}

    def _is_meant(
        self, asked: ProbedCheck, put: QuestionRound, number: int, around: Surrounding
    ) -> bool:
        path, question = put.questions[number]
        return around.is_meant(self._read_told(asked, path, question))

    @cached_property
    def _paths(self) -> frozenset[str]:
        paths = self.asking.trees.list_entries(self.asking.tree)
        parts = (path.split("/") for path in paths)
        return frozenset(
            "/".join(each[:count]) for each in parts for count in range(1, 1 + len(each))
        )

    def _read_told(self, asked: ProbedCheck, path: str, question: Question) -> str:
        """Return what tells how a test is meant; files that start the tests are base's."""
        trees, base = self.asking.trees, self.asking.trees.list_entries(self.asking.base)
        starting = [
            p for p in base if role_of_path(p) is Role.HARNESS or _STARTS_TESTS.fullmatch(p)
        ]
        own = base.get(path) or trees.list_entries(self.asking.tree)[path]
        places = {own.id, *(base[p].id for p in starting)}
        data = {place: text_of(each) for place, each in trees.read_blobs(sorted(places)).items()}
        text = data.pop(own.id)
        told = (
            read_own_script(Source(path, text), question.line)
            if is_script(path)
            else read_own_text(text, question.test)
        )
        check = asked.criterion.check
        return "\n".join((asked.criterion.text, *_list_words(check), told, *data.values()))


def _list_words(check: Check) -> Sequence[str]:
    return str(check.main_option), str(check.options.get("env") or "")


def _is_other(told: AnswerLines, number: int, *, is_ended: bool) -> bool:
    """Return whether an answer is not what is expected now; what was never asked has none."""
    answer = choose_answers(told, expected=False).get((number, 0))
    wanted = choose_answers(told, expected=True).get((number, 0), NO_ANSWER)
    if answer is None:
        return is_ended
    if number in list_refused(told):
        return answer.kind == "value"
    return answer.kind != "value" or (wanted.kind == "expected" and answer.text != wanted.text)


def _list_other_later(told: AnswerLines) -> set[int]:
    """Return the questions that are answered as expected twice, and otherwise later."""
    answers = {n: [e for e in each if e.kind in _GIVEN] for (n, _), each in told.items()}
    return {
        n for n in list_fine(told) if answers[n][1:2] == answers[n][:1] and len({*answers[n]}) > 1
    }
