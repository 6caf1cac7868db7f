"""An examiner is asked in a process apart; its answer is kept where no worker is led to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from uuid import uuid4

from goalkeeper.app.contracts import contract_of
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.draft.answer import OPINION, DraftAnswer, read_answer
from goalkeeper.core.draft.model import Examiner, Opinion
from goalkeeper.core.drive.phases import Phase
from goalkeeper.core.drive.state import Running
from goalkeeper.core.plan.model import Base, Goal, Plan
from goalkeeper.core.schema import Node, Notes
from goalkeeper.loop.apart import ApartRequest, ProcessApart
from goalkeeper.loop.prompting import (
    ChallengeFacts,
    ExaminerFacts,
    write_challenge_prompt,
    write_examiner_prompt,
)
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.safe_open import read_plain_file, replace_file
from goalkeeper.wire.value import Value
from goalkeeper.witness.evidence import EvidenceStore
from goalkeeper.witness.pool import remove_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.app.draft_goals import ExaminerCall

_MOST_PROBLEMS, _LONGEST_PROBLEM = 10, 400


class Examiners(Value):
    """Asks examiners, and keeps what they hand in outside of the repository."""

    apart: ProcessApart
    commit_of: Callable[[Base], str]
    store: EvidenceStore
    folder: str  # held-out tests lie in it
    constraints: str
    verify: tuple[str, ...]
    model: str = ""

    def ask(self, call: ExaminerCall) -> Examiner:
        told = ExaminerFacts(call.goal, self.constraints, self.verify, call.remark, call.unusable)
        running = Running(
            call.goal.id, call.number, Phase.EXAMINER, call.attempt, uuid4().hex, call.base.tree
        )
        write = partial(write_examiner_prompt, told)
        request = ApartRequest(running, self.commit_of(call.base), write, self.model)
        asked = self.apart.ask(request, lambda _: None)
        remove_path(asked.folder)  # what it wrote is kept below its digest
        examiner = Examiner(
            call.number, call.round, self.apart.runner.client.name, asked.record, asked.prompt,
            model=asked.record.model or self.model,
        )  # fmt: skip
        if asked.problem:
            return examiner.replace(problems=(asked.problem[:_LONGEST_PROBLEM],))
        answer = read_answer(asked.raw)
        if not isinstance(answer, DraftAnswer):
            said = [str(problem)[:_LONGEST_PROBLEM] for problem in answer[:_MOST_PROBLEMS]]
            return examiner.replace(problems=tuple(said))
        return examiner.replace(answer=self.store.put(asked.raw))

    def read(self, examiner: Examiner) -> DraftAnswer | None:
        kept = self.store.get(examiner.answer)
        answer = read_answer(kept) if kept is not None else ()
        return answer if isinstance(answer, DraftAnswer) else None

    def keep_held_out(self, goal: Goal, round_number: int, path: str, text: str) -> str:
        """Keep a test; a checkout gets the file, or the folder in which it lies."""
        name, first, *more = path.split("/")
        place = os.path.join(self.folder, f"{goal.id}-{round_number}", name)
        file = os.path.join(place, first, *more)
        with disk_errors("keep the test", file):
            for folder in (self.folder, os.path.dirname(file)):
                os.makedirs(folder, mode=0o700, exist_ok=True)
            replace_file(file, text.encode(), mode=0o600)
        return os.path.join(place, first)


def ask_opinion(
    apart: ProcessApart, commit_of: Callable[[Base], str], plan: Plan, goal: Goal, about: str
) -> Opinion:
    """Ask a fresh examiner about the contract of a goal, on the work as it was judged last."""
    contract = contract_of(goal) or Contract()
    line = plan.drive.line(goal.id) if plan.drive else None
    base = goal.frozen.base if goal.frozen else None
    seen = Base(line.judged_tree) if line and line.judged_tree else base
    hidden = {
        f"{criterion.id} (held out), {name}": text.decode(errors="replace")
        for criterion in contract.criteria
        for path in criterion.held_out
        for name, text in read_held_out(os.path.expanduser(path))
    }
    told = ChallengeFacts(goal, plan.constraints, contract, hidden, about)
    model = plan.drive.model if plan.drive else ""
    running = Running(goal.id, 1, Phase.CHALLENGE, 1, uuid4().hex, "")
    write = partial(write_challenge_prompt, told)
    request = ApartRequest(running, commit_of(seen or Base("")), write, model)
    asked = apart.ask(request, lambda _: None)
    remove_path(asked.folder)
    notes = Notes("answer")
    fields = OPINION.read_node(Node.from_plain(asked.raw), "", notes)
    problem = asked.problem or "; ".join(map(str, notes.problems))
    word, because = ("", problem) if problem else (fields["verdict"], fields["because"])
    return Opinion(
        word, because[:_LONGEST_PROBLEM], about, apart.runner.client.name, asked.record,
        asked.prompt, asked.record.model or model,
    )  # fmt: skip


def read_held_out(path: str) -> Iterator[tuple[str, bytes]]:
    """Read a held-out file, or all files of a held-out folder."""
    below = (os.path.join(top, name) for top, _, names in os.walk(path) for name in names)
    for file in sorted(below) or [path]:
        yield os.path.relpath(file, os.path.dirname(path)), read_plain_file(file)
