"""What an agent asked for in its copy of the record is recorded when the agent has ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.app.ports import Clock, Entry
from goalkeeper.app.verifying import verify
from goalkeeper.core.answers.document import Answers, read_answers
from goalkeeper.core.answers.procedure import StageResult
from goalkeeper.core.drive.state import Running
from goalkeeper.core.entitled import decide_asked
from goalkeeper.core.plan import events
from goalkeeper.core.plan.model import Actor, ActorKind
from goalkeeper.storage.record_copy import RecordCopy
from goalkeeper.storage.run import FileRun
from goalkeeper.wire.value import Value
from goalkeeper.witness.evidence import EvidenceStore

_MOST_ASKED = 1000  # each takes a moment of the disk, and an agent can write any number
_LONGEST_DOCUMENT = 512 << 10  # of answers
_RESULTS = {StageResult.CONFIRMED, StageResult.CORRECTED}


class AskedRecorder(Value):
    run: FileRun
    clock: Clock
    find_copy: Callable[[Running], RecordCopy]
    open_judge_context: Callable[[str], JudgeContext]

    def record(self, running: Running, worktree: str) -> None:
        """Record what the agent of a phase asked for, who worked in this worktree."""
        copy = self.find_copy(running)
        added = copy.read_added()
        if not added:
            return
        self._record_entries(added, running.goal_id)
        last = _find_answered(added, running.goal_id)
        if last:
            self._verify_again(copy, running.goal_id, *last, worktree)

    def _record_entries(self, added: Sequence[Entry], goal_id: str) -> None:
        taken = 0
        with self.run.writing() as turn:
            for entry in added:
                at, actor = self.clock(), entry.actor
                asked = decide_asked(turn.plan, goal_id, entry.event, at=at, actor=actor)
                if asked:
                    turn.append(asked, at=at, actor=actor)
                    taken += 1
                if taken == _MOST_ASKED:
                    break

    def _verify_again(
        self, copy: RecordCopy, goal_id: str, answered: str, actor: Actor, worktree: str
    ) -> None:
        """Verify answers outside of the agent's walls: in there it can write what it likes."""
        document = EvidenceStore(copy.evidence, most=_LONGEST_DOCUMENT).get(answered) or {}
        with suppress(RecursionError):
            answers = read_answers(document.get("answers"))
            told = document.get("result")
            result = str(told) if told in _RESULTS else ""
            if isinstance(answers, Answers):
                context = self.open_judge_context(worktree).replace(actor=actor)
                verify(context, goal_id, answers, result)


def _find_answered(added: Sequence[Entry], goal_id: str) -> tuple[str, Actor] | None:
    """Find the document with the last answers of which the agent said that they hold."""
    found = None
    for entry in added:
        match entry.event:
            case events.QuestionsAnswered(about, answers=name) if about == goal_id and name:
                found = (name, entry.actor) if entry.actor.kind is ActorKind.AGENT else None
            case events.VerificationFailed(about) if about == goal_id:
                found = None
    return found
