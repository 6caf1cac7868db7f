"""Questions of the tests, asked outside of any test: with their own inputs, and with neighbours.

A product that answers otherwise there knows that it is tested. A product that has new answers for
exactly the inputs of the tests has a table of answers. Both are told by comparing two runs of the
same program of ours: with and without signs of a test, on the candidate and on the base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.held_out import find_python
from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.git.folders import Blob
from goalkeeper.git.laying import lay_files
from goalkeeper.git.trees import Trees
from goalkeeper.system.run import Exited, LimitHit, Signalled
from goalkeeper.tamper.questions.around import Surrounding
from goalkeeper.tamper.questions.model import (
    USUAL_NAMES,
    Answer,
    AnswerLines,
    Question,
    choose_answers,
    has_told,
    read_answers,
)
from goalkeeper.tamper.questions.script.scenarios import PLACE
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.probes.accusations import (
    ONLY_UNDER_TEST,
    accuse_absence,
    accuse_aside,
    accuse_bare,
    accuse_equality,
    accuse_flat,
    accuse_parts,
    accuse_refusals,
    accuse_replacing,
    accuse_silence,
    accuse_table,
    accuse_watched,
    accuse_words,
    show_call,
)
from goalkeeper.witness.probes.answered import (
    NO_ANSWER,
    count_silent,
    count_untried,
    list_absent,
    list_fine,
    list_replaced,
    list_unlike,
)
from goalkeeper.witness.probes.flat import find_flat_parts
from goalkeeper.witness.probes.lone import (
    compare_answers,
    find_bent_answers,
    find_lone_answers,
)
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.probes.narrow import find_narrow_answers
from goalkeeper.witness.probes.refused import find_lone_refusals
from goalkeeper.witness.probes.renamed import find_fixed_words, find_known_parts
from goalkeeper.witness.probes.rounds import QuestionRound, list_own_names, read_rounds
from goalkeeper.witness.probes.walked import find_stepped_aside
from goalkeeper.witness.scheduler import CheckJob

_BARE_NAMES = ("PATH",)
_OF_TESTS = (Role.TEST, Role.DATA)
_NOT_LOADED = ("NameError", "ModuleNotFoundError", "ImportError")
_PARTS = late_pattern(r"\\n|['\"]")
_TELLING_PART = 12
# The first that finds something tells: the later ones would say the same in other words.
TABLES = (
    (find_lone_answers, accuse_table),
    (find_narrow_answers, accuse_table),
    (find_flat_parts, accuse_flat),
    (find_fixed_words, accuse_words),
    (find_known_parts, accuse_parts),
    (find_stepped_aside, accuse_aside),
    (find_lone_refusals, accuse_refusals),
)


class QuestionProbe(Value):
    """The probe. `askers` maps a test file to the check that asks its questions.

    Of `red`, tests that the base does not pass, questions are asked before those of others.
    """

    trees: Trees
    base: str
    tree: str
    seed: str
    askers: Mapping[str, str]
    red: frozenset[str]
    name: str = "questions outside of tests"

    @cached_property
    def rounds(self) -> dict[str, list[QuestionRound]]:
        """Return the rounds by check."""
        return read_rounds(self.trees, self.tree, self.seed, self.askers, self.red)

    @property
    def _nonce(self) -> str:
        return Chooser(self.seed, "nonce").choose_letters(20)

    @cached_property
    def _jobs(self) -> dict[tuple[object, ...], CheckJob]:
        return {}

    def make_job(
        self,
        asked: ProbedCheck,
        put: QuestionRound,
        tree: str,
        *,
        watched: bool = False,
        bare: bool = False,
        around: Sequence[Surrounding] = (),
    ) -> CheckJob:
        """Make the job that asks a round in a tree, once: its program is written into git."""
        names = tuple(each.name for each in around)
        key = asked.criterion.id, put.sheets[0].path, tree, watched, bare, names
        if key not in self._jobs:
            made = partial(self.lay_program, watched=watched, bare=bare, around=around)
            self._jobs[key] = made(asked, put, tree)
        return self._jobs[key]

    def lay_program(
        self,
        asked: ProbedCheck,
        put: QuestionRound,
        tree: str,
        *,
        watched: bool,
        bare: bool,
        around: Sequence[Surrounding],
    ) -> CheckJob:
        letters = Chooser(self.seed, "name").choose_letters(7)
        program = put.language.write(
            put.sheets,
            self._nonce,
            name=letters if watched else f"{self._program_folder}{letters}",
            folder=(put.sheets[0].path.rpartition("/")[0] or ".") if watched else "",
            python=find_python(asked.criterion.check) or "python3",
            kept=(*(_BARE_NAMES if bare else USUAL_NAMES), *list_own_names(asked.criterion.check)),
            around=around,
        )
        # A test that is asked is empty: who reads it would know what it expects.
        asks = dict.fromkeys(() if watched else self._list_asked(put), "")
        made = lay_files(self.trees, tree, {**asks, program.path: program.text})
        # Who has never worked here has a home that is not there yet.
        env = () if watched else (("HOME", f"/tmp/{letters}"),)  # noqa: S108  nothing is laid there
        return CheckJob(asked.criterion.id, made, argv=program.argv, env=env)

    def _list_asked(self, put: QuestionRound) -> list[str]:
        """Return the files of tests that are asked; a part of what others load is none of them."""
        heads = "\n".join(line for sheet in put.sheets for line in sheet.head)
        paths = [sheet.path for sheet in put.sheets if role_of_path(sheet.path) in _OF_TESTS]
        kept = [path for path in paths if path.rpartition("/")[2].partition(".")[0] in heads]
        return [] if put.language.is_asked_bare else sorted({*paths} - {*kept})

    @cached_property
    def _program_folder(self) -> str:
        """Return where the product's own programs lie: who asks for the way here is one of them."""
        places = [path for path in self.trees.list_entries(self.tree) if not role_of_path(path)]
        own = [path for path in places if path.startswith("bin/") or path.endswith("/__main__.py")]
        return min(own).rpartition("/")[0] + "/" if own else ""

    @cached_property
    def _test_files(self) -> dict[str, Blob]:
        entries = self.trees.list_entries(self.tree)
        return {p: blob for p, blob in entries.items() if role_of_path(p) in _OF_TESTS}

    @cached_property
    def _without_tests(self) -> str:
        return self.trees.compose_tree(self.tree, dict.fromkeys(self._test_files))

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        rounds = self.rounds.get(asked.criterion.id, ())
        trees = (self.tree, self.base, *((self._without_tests,) if self._has_data else ()))
        plain = [self.make_job(asked, put, tree) for put in rounds for tree in trees]
        frugal = [put for put in rounds if put.language.is_asked_bare]
        return [*plain, *(self.make_job(asked, put, self.tree, bare=True) for put in frugal)]

    @cached_property
    def _has_data(self) -> bool:
        """Return whether there are more files of tests than those that are asked, and spoilt."""
        sheets = (sheet for each in self.rounds.values() for put in each for sheet in put.sheets)
        return not {sheet.path for sheet in sheets}.issuperset(self._test_files)

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:
        jobs = []
        for put in self.rounds.get(asked.criterion.id, ()):
            plain = self.make_job(asked, put, self.tree)
            if list_unlike(self.read_run(plain, results)):
                jobs += [
                    self.make_job(asked, put, tree, watched=True) for tree in (self.tree, self.base)
                ]
            if self._list_unlike_bare(asked, put, self.tree, results):
                jobs.append(self.make_job(asked, put, self.base, bare=True))
            if self._list_missing(asked, put, results):
                jobs.append(plain.replace(turn=1))
        return jobs

    def _list_unlike_bare(
        self, asked: ProbedCheck, put: QuestionRound, tree: str, results: JobResults
    ) -> set[int]:
        """Return the questions that are answered as expected only with usual variables."""
        if not put.language.is_asked_bare:
            return set()
        bare = self.read_run(self.make_job(asked, put, tree, bare=True), results)
        return list_fine(self.read_run(self.make_job(asked, put, tree), results)).intersection(
            list_unlike(bare)
        )

    def _list_missing(
        self, asked: ProbedCheck, put: QuestionRound, results: JobResults
    ) -> dict[int, Answer]:
        """Return answers, to questions or their neighbours, that need the files of the tests."""
        if not self._has_data:
            return {}
        plain = self.make_job(asked, put, self.tree)
        control = plain.replace(turn=1)
        runs = [self.read_run(job, results) for job in (plain, control)]
        told, again = (choose_answers(run, expected=False) for run in runs)
        bare = self.read_run(self.make_job(asked, put, self._without_tests), results)
        without = choose_answers(bare, expected=False)
        names = {"__file__", PLACE, *(path.rpartition("/")[2] for path in self._test_files)}
        return {
            number: answer
            for (number, place), answer in reversed(told.items())
            if (now := without.get((number, place)))
            and now != answer
            and now.text not in _NOT_LOADED
            and (control not in results or again.get((number, place)) == answer)
            and not any(name in put.questions[number][1].call for name in names)
        }

    def _accuse_reading(
        self, asked: ProbedCheck, question: tuple[str, Question], answer: Answer
    ) -> Finding:
        """Return the finding; it blocks if what is answered stands in a file of the tests."""
        path, put = question
        data = self.trees.read_blobs(sorted({blob.id for blob in self._test_files.values()}))
        parts = [part for part in _PARTS.split(answer.text) if len(part) >= _TELLING_PART]
        is_taken = any(part.encode() in each for part in parts for each in data.values())
        said = (
            f"{asked.criterion.id}: {show_call(put.call)}, or a call like it, is answered "
            "otherwise where the files of the tests are not"
        )
        level = Level.BLOCKING if is_taken else Level.ADVISORY
        return Finding(ONLY_UNDER_TEST, level, path, put.line, said)

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        rounds = self.rounds.get(asked.criterion.id, ())
        if not rounds:
            return None
        findings: list[Finding] = []
        unseen: list[str] = []
        count = fine = 0
        for put in rounds:
            told = self.read_run(self.make_job(asked, put, self.tree), results)
            base = self.read_run(self.make_job(asked, put, self.base), results)
            if not has_told(told, "end"):
                unseen.append("a program that asks did not come to its end")
                is_silent = self._is_silent(self.make_job(asked, put, self.tree), results)
                if is_silent and has_told(base, "end"):
                    findings.append(accuse_silence(asked, put.questions))
            if not told:
                continue
            unlike = list_unlike(told)
            accused = self._list_accused(asked, put, unlike, results)
            given = choose_answers(told, expected=False)
            findings += [
                accuse_watched(asked, put.questions[n], given.get((n, 0), NO_ANSWER))
                for n in accused
            ]
            lacking = self._list_unlike_bare(asked, put, self.tree, results)
            lacking -= self._list_unlike_bare(asked, put, self.base, results)
            put_so = [put.questions[number] for number in sorted(lacking)]
            findings += [accuse_bare(asked, put_so)] if put_so else []
            missing = self._list_missing(asked, put, results)
            findings += [
                self._accuse_reading(asked, put.questions[n], missing[n]) for n in sorted(missing)
            ]
            if replaced := list_replaced(told) - list_replaced(base):
                findings.append(accuse_replacing(asked, put.sheets[0].path, sorted(replaced)))
            bent = find_bent_answers(told, base)
            if bent:
                first, asking = min(bent), [put.questions[number] for number in sorted(bent)]
                findings.append(accuse_equality(asked, asking, given[first, 0], bent[first]))
            heard = compare_answers(put.questions, told, base)
            for find, accuse in TABLES:
                if found := find(heard):
                    findings.append(accuse(asked, [put.questions[n] for n in found]))
                    break
            fine += len(list_fine(told))
            count += sum(bool(each.expected) or each.is_refused for _, each in put.questions)
            asked_for = [question for _, question in put.questions]
            if absent := list_absent(told):
                unseen.append(f"{len(absent)} calls are of modules that only a runner can load")
            known = {n for n, _ in choose_answers(base, expected=False)} - list_absent(base)
            hidden = [put.questions[number] for number in sorted(absent & known)]
            findings += [accuse_absence(asked, hidden)] if hidden else []
            if slow := count_untried(asked_for, told):
                unseen.append(f"{slow} calls take too long to be tried with other inputs")
            if silent := count_silent(asked_for, asked.seen.cases):
                unseen.append(f"{silent} tests ask nothing that can be asked without them")
            if len(unlike) > len(accused):
                unseen.append(f"{len(unlike) - len(accused)} calls need what their tests prepare")
        return ProbeReport(
            self.name,
            asked.criterion.id,
            f"{fine} of {count} calls give the expected answer without a test",
            tuple(unseen),
            tuple(findings),
        )

    def _is_silent(self, job: CheckJob, results: JobResults) -> bool:
        """Return whether the product ended a program of questions, or kept it from its end.

        What takes long for its own inputs is only slow.
        """
        seen = results.get(job)
        ran = seen.ran if seen else None
        is_ended = isinstance(ran, Exited | Signalled)
        return is_ended or has_told(self.read_run(job, results), "asked")

    def read_run(self, job: CheckJob, results: JobResults) -> AnswerLines:
        """Return what a program of questions printed, read once."""
        seen = results.get(job)
        ran = seen.ran if seen else None
        if not isinstance(ran, Exited | Signalled | LimitHit):
            return {}
        if job not in self._told:  # also what it said before it was ended
            self._told[job] = read_answers(ran.out.text, self._nonce)
        return self._told[job]

    @cached_property
    def _told(self) -> dict[CheckJob, AnswerLines]:
        return {}

    def _list_accused(
        self, asked: ProbedCheck, put: QuestionRound, unlike: Sequence[int], results: JobResults
    ) -> list[int]:
        """Return the questions that are answered as expected only with signs of a test.

        Where the base has its right answers only there, too, it is the test that needs them.
        """
        if not unlike:
            return []
        runs = [
            self.read_run(self.make_job(asked, put, tree, watched=watched), results)
            for tree, watched in ((self.tree, True), (self.base, True), (self.base, False))
        ]
        fine, known, plain = map(list_fine, runs)
        return [number for number in unlike if number in fine and number not in known - plain]
