"""`explain`: what a rule looks for, and what to do about a finding."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, Option
from goalkeeper.cli.reply import Reply, Table
from goalkeeper.core.contract.findings import Level
from goalkeeper.core.problems import find_nearest
from goalkeeper.errors import UsageError
from goalkeeper.witness.rules import all_rules

_COMMAND = 'goalkeeper let-stand --goal-id ID --finding RULE --path PATH --reason "…"'
_LETTING_STAND = {
    Level.BLOCKING: (f"A human may let it stand: {_COMMAND}",),
    Level.ASKING: (f"It asks: mend it, or answer with a reason that reviewers read: {_COMMAND}",),
}
OPTIONS = (Option("rule RULE", "its id; none: list all", nargs="?", default=""), JSON)


def run(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  every command is called so
    rules = all_rules()
    if not args.rule:
        rows = tuple((r.id, r.family, r.level, r.summary) for r in rules.values())
        data = {"ok": True, "rules": [rule.describe() for rule in rules.values()]}
        return Reply(data, (Table(("rule", "family", "level", "what it sees"), rows),))
    rule = rules.get(args.rule)
    if rule is None:
        near = find_nearest(args.rule, rules)
        hint = f"goalkeeper explain {near}" if near else "goalkeeper explain"
        raise UsageError(problem=f"there is no rule '{args.rule}'", hint=hint)
    page = (
        f"{rule.id} ({rule.family}, {rule.level}): {rule.summary}",
        f"\nWhy: {rule.why}",
        "\nExample:",
        *rule.example.split("\n"),
        f"\nWhat to do: {rule.mend}",
        *(f"\n{line}" for line in _LETTING_STAND.get(rule.level, ())),
    )
    return Reply({"ok": True, **rule.describe()}, page)
