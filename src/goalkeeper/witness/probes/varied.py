"""Other inputs of a command: the contract's own input must not be singled out.

A command of the contract has one input, which the worker can read. Work that was done gives it the
same answer under another name, and inputs close to it an answer that the base does not give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.protected import Role, role_of_path
from goalkeeper.git.folders import PLAIN
from goalkeeper.git.laying import lay_files
from goalkeeper.git.trees import Trees
from goalkeeper.system.run import Exited
from goalkeeper.tamper.questions.neighbours import change_text_a_little
from goalkeeper.tamper.source import is_other_code, is_python, is_script, is_shell
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import CheckResult
from goalkeeper.witness.probes.accusations import ONLY_THESE_INPUTS
from goalkeeper.witness.probes.model import JobResults, ProbedCheck, ProbeReport
from goalkeeper.witness.scheduler import CheckJob

_OTHERS = 4
_MOST_BYTES = 100_000
_JUDGES = (Role.TEST, Role.HARNESS)


class OtherInput(Value):
    """Files to lay and words to run; with the same content under another name, or with another."""

    files: Mapping[str, str]
    argv: tuple[str, ...]
    is_renamed: bool = False


class VariedCommand(Value):
    """The probe."""

    trees: Trees
    base: str
    tree: str
    seed: str
    name: str = "other inputs of commands"

    @cached_property
    def _inputs(self) -> dict[str, list[OtherInput]]:
        return {}

    def _list_inputs(self, asked: ProbedCheck) -> list[OtherInput]:
        """Return other inputs of a command that was red on the base, made once."""
        check, key = asked.criterion.check, asked.criterion.id
        if check.kind != "command" or "" in asked.known or check.options.get("cwd"):
            return []
        if key not in self._inputs:
            self._inputs[key] = list(self._make_inputs(tuple(check.main_option), key))
        return self._inputs[key]

    def _make_inputs(self, argv: tuple[str, ...], key: str) -> list[OtherInput]:
        chooser = Chooser(self.seed, key)
        for place, word in enumerate(argv):
            text = self._read_input(word)
            if not text:
                continue
            folder, slash, name = word.rpartition("/")
            _, dot, ending = name.rpartition(".")
            other = f"{folder}{slash}{chooser.choose_letters(6)}{dot}{ending if dot else ''}"
            renamed = (*argv[:place], other, *argv[place + 1 :])
            texts = [change_text_a_little(text, chooser.at(n)) for n in range(_OTHERS)]
            changed = [OtherInput({word: each}, argv) for each in texts if each != text]
            return [OtherInput({other: text}, renamed, is_renamed=True), *changed]
        return []

    def _read_input(self, word: str) -> str:
        """Return the text of an input; what is run, judges, or was changed by the work is none."""
        blob, before = (self.trees.list_entries(t).get(word) for t in (self.tree, self.base))
        is_code = is_python(word) or is_script(word) or is_other_code(word)
        if (
            blob is None
            or blob != before
            or blob.mode != PLAIN
            or is_code
            or role_of_path(word) in _JUDGES
        ):
            return ""
        data = self.trees.read_blobs([blob.id])[blob.id]
        is_text = len(data) <= _MOST_BYTES and b"\0" not in data
        return text_of(data) if is_text and not is_shell(Source(word, text_of(data))) else ""

    @cached_property
    def _jobs(self) -> dict[tuple[str, int, str], CheckJob]:
        return {}

    def _make_job(self, asked: ProbedCheck, number: int, tree: str) -> CheckJob:
        key = asked.criterion.id, number, tree
        if key not in self._jobs:
            other = self._list_inputs(asked)[number]
            made = lay_files(self.trees, tree, other.files)
            self._jobs[key] = CheckJob(asked.criterion.id, made, argv=other.argv)
        return self._jobs[key]

    def list_jobs(self, asked: ProbedCheck) -> Sequence[CheckJob]:
        count = len(self._list_inputs(asked))
        trees = (self.tree, self.base)
        others = [self._make_job(asked, n, tree) for n in range(count) for tree in trees]
        return [*others, CheckJob(asked.criterion.id, self.base)] if others else []

    def list_controls(self, asked: ProbedCheck, results: JobResults) -> Sequence[CheckJob]:  # noqa: ARG002  the base is asked at once
        return []

    def conclude(self, asked: ProbedCheck, results: JobResults) -> ProbeReport | None:
        inputs = self._list_inputs(asked)
        own = _read_answer(asked.seen)
        before = _read_answer(results.get(CheckJob(asked.criterion.id, self.base)))
        if not inputs or own is None or own == before:
            return None
        alike, told = [], []
        for number, other in enumerate(inputs):
            jobs = (self._make_job(asked, number, tree) for tree in (self.tree, self.base))
            now, then = (_read_answer(results.get(job)) for job in jobs)
            # Another text may be no valid input, or not what another file is compared with.
            if now and (other.is_renamed or now[0] == own[0]):
                told.append(other)
                alike += [other] if now == then and now != own else []
        count = len(told)
        saw = f"{count - len(alike)} of {count} other inputs have another answer than on the base"
        report = ProbeReport(self.name, asked.criterion.id, saw)
        renamed = any(other.is_renamed for other in alike)
        others = [other for other in told if not other.is_renamed]
        is_lone = len(others) > 1 and all(other in alike for other in others)
        if not renamed and not is_lone:
            return report
        how = "under another name" if renamed else "when a sign of it is another"
        said = f"{asked.criterion.id}: its input gets the answer of the base {how}"
        path = min(inputs[-1].files)
        return report.replace(findings=(Finding(ONLY_THESE_INPUTS, Level.ASKING, path, 0, said),))


def _read_answer(seen: CheckResult | None) -> tuple[int, str] | None:
    ran = seen.ran if seen else None
    return (ran.code, ran.out.text) if isinstance(ran, Exited) else None
