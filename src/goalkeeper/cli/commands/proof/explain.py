"""`explain`: what a rule looks for, or what was looked at for the verdicts of a goal."""

from __future__ import annotations

import argparse
import os

from goalkeeper.app.contracts import choose_goal
from goalkeeper.app.queries.proof import describe_looks
from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, RUN, Option
from goalkeeper.cli.pages.proof import looks_page
from goalkeeper.cli.reply import Reply, Table
from goalkeeper.core.problems import find_nearest
from goalkeeper.errors import UsageError
from goalkeeper.wire import layout
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.evidence import EvidenceStore
from goalkeeper.witness.rules import all_rules

OPTIONS = (
    Option("what WHAT", "a rule, or a goal such as G001; none: list all rules", nargs="?",
           default=""),
    RUN,
    JSON,
)  # fmt: skip
_GOAL = late_pattern(r"G\d+(-\w+)*")


def run(args: argparse.Namespace, app: App) -> Reply:
    if _GOAL.fullmatch(args.what):
        return _explain_goal(args, app)
    rules = all_rules()
    if not args.what:
        rows = tuple((r.id, r.family, r.level, r.summary) for r in rules.values())
        data = {"ok": True, "rules": [rule.describe() for rule in rules.values()]}
        return Reply(data, (Table(("rule", "family", "level", "what it sees"), rows),))
    rule = rules.get(args.what)
    if rule is None:
        near = find_nearest(args.what, rules)
        hint = f"goalkeeper explain {near}" if near else "goalkeeper explain"
        raise UsageError(problem=f"there is no rule '{args.what}'", hint=hint)
    page = (
        f"{rule.id} ({rule.family}, {rule.level}): {rule.summary}",
        f"\nWhy: {rule.why}",
        "\nExample:",
        *rule.example.split("\n"),
        f"\nWhat to do: {rule.mend}",
    )
    return Reply({"ok": True, **rule.describe()}, page)


def _explain_goal(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    goal = choose_goal(chosen.read(), args.what)
    store = EvidenceStore(os.path.join(chosen.files.dir, layout.EVIDENCE))
    document = describe_looks(goal, store.get)
    return Reply(document, looks_page(document))
