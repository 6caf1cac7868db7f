"""A draft is shown to whoever asked for it, who accepts, edits or refuses it."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from collections.abc import Callable

from goalkeeper import wiring
from goalkeeper.app.contracts import check_contract, freeze, read_contract, require_base
from goalkeeper.app.draft_goals import (
    DraftDeps,
    DraftedGoal,
    accept_draft,
    draft_goal,
    list_undrafted,
    refuse_unaccepted,
)
from goalkeeper.bootstrap import App
from goalkeeper.cli import clients
from goalkeeper.cli.inputs import is_confirmed
from goalkeeper.cli.options import Option, switch
from goalkeeper.cli.pages.draft import draft_page
from goalkeeper.cli.parsing import parse_count, parse_words
from goalkeeper.cli.projects import make_teller
from goalkeeper.cli.render import text as render_text
from goalkeeper.cli.reply import Reply, refusal, visible
from goalkeeper.clients.client import Client
from goalkeeper.core.decode import plain
from goalkeeper.core.draft.model import Standing
from goalkeeper.core.plan.model import Refused
from goalkeeper.core.plan.rights import refuse_at_work
from goalkeeper.core.yaml_nodes import write_yaml
from goalkeeper.errors import ContractInvalid
from goalkeeper.storage.lock import hold_lock
from goalkeeper.storage.run import FileRun
from goalkeeper.system.foreground import run_in_foreground
from goalkeeper.system.scratch import make_scratch
from goalkeeper.wire.value import Value

SENTENCE = Option("sentence SENTENCE", "what you want, in a sentence; its contract is drafted, "
    "tried and shown to you first", nargs="?", type=parse_words)  # fmt: skip
EXAMINING = (
    Option("--examiner NAME", "the agent that drafts contracts; default: [agents] examiner in "
        "config.toml, else the one that works", default=""),
    Option("--examiner-model NAME", "the model that it is to use", default=""),
    Option("--examiners N", "so many draft apart from each other (default %(default)s)",
        type=parse_count, default=2),
)  # fmt: skip
ACCEPT_DRAFT = switch("--accept-draft", "accept what is binding in a draft without asking; not "
    "for agents")  # fmt: skip
_KEYS = "[a]ccept, [e]dit, [r]edraft with a remark, [q]uit? "
_EDITOR = "vi"
_HEAD = """\
# This contract counts when you save and close it; an empty file changes nothing.
# docs/contracts.md says what can stand here.
"""


class DraftDesk(Value):
    """Where drafts of a run are made and shown."""

    app: App
    deps: DraftDeps
    can_ask: bool
    accepts: bool
    again: str  # the command that goes on

    def settle_goal(self, goal_id: str) -> Reply | None:
        """Draft a contract and have it accepted; answer if it was not."""
        drafted = draft_goal(self.deps, goal_id)
        while not isinstance(drafted, Refused):
            if not self.can_ask:
                return self._accept_unseen(drafted)
            self._write(render_text(Reply({}, draft_page(drafted))))
            match self._ask_key():
                case b"a":
                    wanted = self._ask_doubts(drafted)
                    return _answer(accept_draft(self.deps.context, drafted, wanted))
                case b"e":
                    problem = self._edit_draft(drafted)
                    if not problem:
                        return None
                    self._write(f"{problem}\n")
                case b"r":
                    self._write("What should be different? ")
                    remark = self.app.world.stdin.readline().decode(errors="replace").strip()
                    drafted = draft_goal(self.deps, goal_id, remark) if remark else drafted
                case _:
                    return refusal(refuse_unaccepted(goal_id, self.again))
        return refusal(drafted)

    def _accept_unseen(self, drafted: DraftedGoal) -> Reply | None:
        goal_id = drafted.goal.id
        if self.accepts:
            if drafted.goal.draft != drafted.draft:  # else whoever ran it before has seen it
                self._write(render_text(Reply({}, draft_page(drafted))))
            return _answer(accept_draft(self.deps.context, drafted, ()))
        refused = refuse_unaccepted(goal_id, f"{self.again} --accept-draft")
        said = refusal(refused)
        shown = {**said.data, "goal_id": goal_id, "draft": plain(drafted.draft)}
        return said.replace(data=shown, page=(*draft_page(drafted), *said.page))

    def _ask_doubts(self, drafted: DraftedGoal) -> list[str]:
        """Ask about each test on which examiners do not agree; return those that are wanted."""
        texts = {each.id: each.test.text for each in drafted.exam}
        world, said, asked = self.app.world, "One examiner reads it so:", "Shall this count, too?"
        return [
            test.id
            for test in drafted.draft.list_tests(Standing.DISPUTED)
            if is_confirmed(world, f"{said}\n{test.text}\n{texts[test.id]}", asked, default=False)
        ]

    def _edit_draft(self, drafted: DraftedGoal) -> str:
        """Let a human write the contract himself; say why it does not count if it does not."""
        context = self.deps.context
        before = _HEAD + write_yaml(json.loads(drafted.draft.contract))
        text = _edit_text(self.app, before)
        if text.strip() in {"", before.strip()}:
            return "Nothing was changed."
        try:
            contract = read_contract(text, "what you wrote")
        except ContractInvalid as exc:
            return exc.message
        plan = context.run.read()
        goal = drafted.goal
        base = require_base(context, plan, goal)
        result = freeze(context, goal, check_contract(context, plan, goal, contract, base))
        refused = result if isinstance(result, Refused) else result.refused
        return refused.message if refused else ""

    def _ask_key(self) -> bytes:
        self._write(_KEYS)
        return self.app.world.stdin.readline().strip().lower()[:1]

    def _write(self, text: str) -> None:
        self.app.world.stderr.write(visible(text))
        self.app.world.stderr.flush()


def open_deps(args: argparse.Namespace, app: App, chosen: FileRun, worker: Client) -> DraftDeps:
    return wiring.open_draft_deps(
        app, chosen, _choose_examiner(args, app, worker), make_teller(app, "draft: {}"),
        count=args.examiners, model=args.examiner_model, isolation=args.isolation,
    )  # fmt: skip


def draft_missing(
    app: App, chosen: FileRun, settle_goal: Callable[[str], Reply | None]
) -> Reply | None:
    """Settle all goals that have no contract; answer if one of them was not settled."""
    plan = chosen.read()
    if refused := refuse_at_work(plan, app.actor):
        return refusal(refused)
    with hold_lock(chosen.files.drive_lock, shared=False, timeout_seconds=0):
        answers = (settle_goal(goal.id) for goal in list_undrafted(plan))
        return next(filter(None, answers), None)


def _choose_examiner(args: argparse.Namespace, app: App, worker: Client) -> Client:
    named = args.examiner or wiring.read_settings(app).examiner
    if not named or named == worker.name:
        return worker
    found = clients.make_client(named)
    clients.require_usable(found, app)
    return found


def _answer(accepted: object) -> Reply | None:
    return refusal(accepted) if isinstance(accepted, Refused) else None


def _edit_text(app: App, text: str) -> str:
    environ = app.world.environ
    words = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or _EDITOR)
    with make_scratch("draft") as folder:
        path = os.path.join(folder, "contract.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if run_in_foreground((*words, path), environ):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
