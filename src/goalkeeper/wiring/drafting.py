"""The ports that drafting a contract needs."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence

from goalkeeper.app.draft_goals import DraftDeps, ExaminerCall
from goalkeeper.bootstrap import App
from goalkeeper.clients.client import Client
from goalkeeper.core.draft.answer import DraftAnswer
from goalkeeper.core.draft.model import Examiner
from goalkeeper.core.plan.model import Goal
from goalkeeper.loop.examining import Examiners
from goalkeeper.loop.prompting import ExaminerFacts
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import replace_file
from goalkeeper.wire import layout
from goalkeeper.wire.value import Value
from goalkeeper.wiring.driving import open_apart
from goalkeeper.wiring.judging import find_held_out, open_judge_context, open_trees, open_witness
from goalkeeper.witness.evidence import EvidenceStore

_FOLDER = "drafts"


class ExaminerDesk(Value):
    """Asks examiners, and keeps what they hand in outside of the repository."""

    examiners: Examiners
    folder: str
    constraints: str
    verify: tuple[str, ...]

    def ask(self, call: ExaminerCall) -> Examiner:
        told = ExaminerFacts(call.goal, self.constraints, self.verify, call.remark, call.unusable)
        return self.examiners.ask_examiner(
            told, call.base, number=call.number, round_number=call.round, attempt=call.attempt
        )

    def read(self, examiner: Examiner) -> DraftAnswer | None:
        return self.examiners.read_kept(examiner)

    def keep_held_out(self, goal: Goal, round_number: int, path: str, text: str) -> str:
        """Keep a test under the path that it has below `held_out`.

        A checkout gets the file, or the folder in which it lies.
        """
        first, *more = path.split("/")[1:]
        place = os.path.join(self.folder, f"{goal.id}-{round_number}", path.replace("/", "_"))
        file = os.path.join(place, first, *more)
        with disk_errors("keep the test", file):
            for folder in (self.folder, os.path.dirname(file)):
                os.makedirs(folder, mode=0o700, exist_ok=True)
            replace_file(file, text.encode(), mode=0o600)
        return os.path.join(place, first)


def open_draft_deps(
    app: App,
    chosen: FileRun,
    client: Client,
    tell: Callable[[str], None],
    *,
    count: int,
    model: str,
    isolation: str,
) -> DraftDeps:
    context = open_judge_context(app, chosen, isolation)
    plan = chosen.read()
    secret = find_held_out(app, chosen.run_id)
    store = EvidenceStore(secret)
    apart = open_apart(app, chosen, client)
    examiners = Examiners(apart, open_trees(app).commit_of, store.put, store.get, model)
    base = plan.judged_from
    verify = context.witness.settings_of(base).verify if base else ()
    desk = ExaminerDesk(
        examiners, os.path.join(secret, _FOLDER), plan.constraints,
        tuple(" ".join(argv) for argv in verify),
    )  # fmt: skip
    # Guards are looked at by the witness of the run, so what it saw of them lies there.
    rater = open_witness(
        app, secret, chosen.run_id, apart=os.path.join(secret, "trees"),
        others=os.path.join(chosen.files.dir, layout.EVIDENCE),
    )  # fmt: skip
    return DraftDeps(context, rater, desk, choose_half, tell, count)


def choose_half(names: Sequence[str]) -> list[str]:
    """Choose by chance which half of the tests is held out."""
    return random.SystemRandom().sample(list(names), len(names) // 2)
