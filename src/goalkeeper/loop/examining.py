"""An examiner is asked in a process apart; its answer is kept where no worker is led to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import uuid4

from goalkeeper.core.draft.answer import DraftAnswer, read_answer
from goalkeeper.core.draft.model import STANDS, WRONG, Examiner, Opinion
from goalkeeper.core.drive.phases import Phase
from goalkeeper.core.drive.state import Running
from goalkeeper.core.plan.model import Base
from goalkeeper.core.schema import Choice, Field, Node, Notes, RecordShape, Text
from goalkeeper.loop.apart import ApartRequest, ProcessApart
from goalkeeper.loop.prompting import (
    ChallengeFacts,
    ExaminerFacts,
    write_challenge_prompt,
    write_examiner_prompt,
)
from goalkeeper.wire.value import Value
from goalkeeper.witness.pool import remove_path

_MOST_PROBLEMS, _LONGEST_PROBLEM = 10, 400


class Examiners(Value):
    """What examiners are asked with."""

    apart: ProcessApart
    commit_of: Callable[[Base], str]
    keep: Callable[[Mapping[str, Any]], str]
    read: Callable[[str], Mapping[str, Any] | None]
    model: str = ""

    def ask_examiner(
        self, told: ExaminerFacts, base: Base, *, number: int, round_number: int, attempt: int
    ) -> Examiner:
        """Ask one examiner; return what is recorded of it."""
        running = Running(
            told.goal.id, number, Phase.EXAMINER, attempt, uuid4().hex, base.tree
        )  # fmt: skip
        write = partial(write_examiner_prompt, told)
        request = ApartRequest(running, self.commit_of(base), write, self.model)
        asked = self.apart.ask(request, lambda _: None)
        remove_path(asked.folder)  # what it wrote is kept below its digest
        examiner = Examiner(
            number, round_number, self.apart.runner.client.name, asked.record, asked.prompt,
            model=asked.record.model or self.model,
        )  # fmt: skip
        if asked.problem:
            return examiner.replace(problems=(asked.problem[:_LONGEST_PROBLEM],))
        answer = read_answer(asked.raw)
        if not isinstance(answer, DraftAnswer):
            said = [str(problem)[:_LONGEST_PROBLEM] for problem in answer[:_MOST_PROBLEMS]]
            return examiner.replace(problems=tuple(said))
        return examiner.replace(answer=self.keep(asked.raw))

    def read_kept(self, examiner: Examiner) -> DraftAnswer | None:
        """Read an answer that was recorded; None if it cannot be read any more."""
        kept = self.read(examiner.answer) if examiner.answer else None
        answer = read_answer(kept) if kept is not None else ()
        return answer if isinstance(answer, DraftAnswer) else None


_CHALLENGE = RecordShape(
    {
        "verdict": Field(Choice((STANDS, WRONG)), "", required=True),
        "because": Field(Text("the reason"), "", required=True),
    }
)


def ask_opinion(apart: ProcessApart, told: ChallengeFacts, commit: str, model: str) -> Opinion:
    """Ask a fresh examiner whether a drafted contract is right."""
    running = Running(told.goal.id, 1, Phase.CHALLENGE, 1, uuid4().hex, "")
    write = partial(write_challenge_prompt, told)
    asked = apart.ask(ApartRequest(running, commit, write, model), lambda _: None)
    remove_path(asked.folder)
    notes = Notes("answer")
    fields = _CHALLENGE.read_node(Node.from_plain(asked.raw), "", notes)
    problem = asked.problem or "; ".join(map(str, notes.problems))
    word, because = ("", problem) if problem else (fields["verdict"], fields["because"])
    return Opinion(
        word, because[:_LONGEST_PROBLEM], told.about, apart.runner.client.name, asked.record,
        asked.prompt, asked.record.model or model,
    )  # fmt: skip
