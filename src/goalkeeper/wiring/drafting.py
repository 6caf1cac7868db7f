"""The ports that drafting a contract needs."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence

from goalkeeper.app.draft_goals import DraftDeps
from goalkeeper.bootstrap import App
from goalkeeper.clients.client import Client
from goalkeeper.loop.examining import Examiners
from goalkeeper.storage.run import FileRun
from goalkeeper.wire import layout
from goalkeeper.wiring.driving import open_apart
from goalkeeper.wiring.judging import open_judge_context, open_witness
from goalkeeper.wiring.trees import find_held_out, open_trees
from goalkeeper.witness.evidence import EvidenceStore


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
    base = plan.judged_from
    verify = context.witness.settings_of(base).verify if base else ()
    examiners = Examiners(
        open_apart(app, chosen, client), open_trees(app).commit_of, EvidenceStore(secret),
        os.path.join(secret, "drafts"), plan.constraints,
        tuple(" ".join(argv) for argv in verify), model,
    )  # fmt: skip
    # Guards are looked at by the witness of the run, so what it saw of them lies there.
    rater = open_witness(
        app, secret, chosen.run_id, apart=os.path.join(secret, "trees"),
        others=os.path.join(chosen.files.dir, layout.EVIDENCE),
    )  # fmt: skip
    return DraftDeps(context, rater, examiners, shuffle, tell, count)


def shuffle(names: Sequence[str]) -> list[str]:
    """Put names into an order that nobody can foresee."""
    return random.SystemRandom().sample(names, len(names))
