"""Lessons are remembered across runs: they come from verdicts and never from what an agent says.

People read `lessons.md`, too. The mark at the end of a line finds a criterion again by what proves
it, however it is worded.
"""

from __future__ import annotations

import os
import re
from typing import BinaryIO

from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.plan.model import Goal
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.safe_open import open_plain_file, read_plain_file
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

MOST_TOLD = 5
_TRIES = 2  # so many failures before a pass are worth a lesson
_LINE = late_pattern(r"- (?P<text>.+) <!-- (?P<mark>[0-9a-f]{16}) (?P<run>\S+) (?P<what>\w+) -->")


def fingerprint_criterion(criterion: Criterion) -> str:
    return digest(criterion.check.to_plain())[:16]


class Memory(Value):
    path: str
    run_id: str

    def find_lessons(self, contract: Contract) -> tuple[str, ...]:
        """Find what is known about the criteria of a contract; the latest comes last."""
        told = [found["text"] for found in self._read_lines(contract)]
        return tuple(told[-MOST_TOLD:])

    def find_blocked(self, contract: Contract) -> dict[str, str]:
        """Find the criteria that were blocked when another run last taught something of them."""
        last = {found["mark"]: found for found in self._read_lines(contract)}
        known = [(c.id, last.get(fingerprint_criterion(c))) for c in contract.criteria]
        return {
            name: found["text"]
            for name, found in known
            if found and found["what"] == "blocked" and found["run"] != self.run_id
        }

    def learn_from(self, goal: Goal, contract: Contract, at: str, *, stopped: str = "") -> None:
        """Write down what a judgement teaches, or what a drive that was stopped left undone."""
        lines_before = self._read_lines()
        known = {(found["mark"], found["run"], found["what"]) for found in lines_before}
        last = {found["mark"]: found["what"] for found in lines_before}
        lines = []
        for state in goal.criteria:
            criterion = contract.find_criterion(state.id)
            if criterion is None or criterion.held_out:
                continue
            mark = fingerprint_criterion(criterion)
            lesson = _make_lesson(state, stopped, was_blocked=last.get(mark) == "blocked")
            if lesson:
                what, said = lesson
                if (mark, self.run_id, what) not in known:
                    text = " ".join(f"{at[:10]} {criterion.text}: {said}".split())
                    lines.append(f"- {text} <!-- {mark} {self.run_id} {what} -->\n")
        if lines:
            added = "".join(lines).encode(errors="replace")
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
            with (
                disk_errors("keep lessons in", self.path),
                open_plain_file(self.path, flags) as file,
            ):
                file.write((b"" if _has_whole_end(file) else b"\n") + added)

    def _read_lines(self, contract: Contract | None = None) -> list[re.Match[str]]:
        """Read what is known about all criteria, or about those of a contract."""
        text = read_plain_file(self.path).decode(errors="replace")
        lines = [found for line in text.split("\n") if (found := _LINE.fullmatch(line))]
        if contract is None:
            return lines
        wanted = {fingerprint_criterion(criterion) for criterion in contract.criteria}
        return [found for found in lines if found["mark"] in wanted]


def _has_whole_end(file: BinaryIO) -> bool:
    """Return whether the file ends with a whole line; people edit it, too."""
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _make_lesson(
    state: CriterionState, stopped: str, *, was_blocked: bool
) -> tuple[str, str] | None:
    if state.is_left:
        return None  # the run in which it failed has told of it
    if state.status is CriterionStatus.BLOCKED:
        return "blocked", f"failed three times in a row; seen last: {state.reason}"
    if state.is_met and (state.failed >= _TRIES or was_blocked):
        return "passed", f"passed in iteration {state.passed_at} after {state.failed} failures"
    if stopped and state.failed and not state.is_met:
        return "open", f"{state.status} when a run ended as {stopped}; seen last: {state.reason}"
    return None
