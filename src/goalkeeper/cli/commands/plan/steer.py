"""`steer`: an evidence-backed change of the plan."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from goalkeeper.app.handle import CommandResult
from goalkeeper.app.queries.results import show_steering
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.acting import act
from goalkeeper.cli.options import GOAL_ID, JSON, RUN, Option
from goalkeeper.cli.reply import Reply
from goalkeeper.core.decode import Malformed, decode
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import NewGoal, clip_title
from goalkeeper.errors import NotAnObject, UsageError
from goalkeeper.wire.value import Value


def run(args: argparse.Namespace, app: App) -> Reply:
    _check_flags(args)
    change = CHANGES[args.kind](args, app)
    command = commands.Steer(change, args.evidence, args.rationale, args.key)

    def answer(result: CommandResult) -> Reply:
        shown = show_steering(result, change)
        said = "Accepted" if result.changed else "Already accepted"
        about = f" ({', '.join(result.goal_ids)})" if result.goal_ids else ""
        page = (f"{said} {shown['kind']} steering{about}.",)
        return Reply(shown, page, next="goalkeeper status")

    return act(args, app, command, answer)


_FLAGS = {
    "add_subgoal": {"title", "objective"},
    "split_subgoal": {"goal_id", "replacements_json"},
    "reorder_pending": {"order_json"},
    "revise_pending_wording": {"goal_id", "title", "objective"},
    "annotate_ledger": set(),
    "mark_blocked_superseded": {"goal_id"},
}


def _check_flags(args: argparse.Namespace) -> None:
    """Refuse a flag that a kind does not use, because it would be ignored otherwise."""
    for name in sorted(set().union(*_FLAGS.values()) - _FLAGS[args.kind]):
        if getattr(args, name):
            flag = "--" + name.replace("_", "-")
            problem = f"--kind {args.kind} does not take {flag}"
            raise UsageError(problem=problem, hint="goalkeeper steer --help")


def _read_replacements(args: argparse.Namespace, app: App) -> tuple[NewGoal, ...]:
    what = "--replacements-json"
    given = inputs.json_list(app, _require_given(args, what), what)
    try:
        return tuple(_read_replacement(item, f"[{n}]") for n, item in enumerate(given))
    except Malformed as exc:
        raise NotAnObject(what=what, expected="array of goals", problem=str(exc)) from exc


class ReplacementGoal(Value):
    """A goal that somebody asks for in place of another."""

    title: str
    objective: str


def _read_replacement(item: object, where: str) -> NewGoal:
    unknown = item.keys() - {"title", "objective"} if isinstance(item, dict) else set()
    if unknown:
        names = ", ".join(sorted(unknown))
        raise Malformed("a replacement has a title and an objective", f"{names}:")
    asked = decode(ReplacementGoal, item, where)
    return NewGoal(clip_title(asked.title), asked.objective)


def _read_order(args: argparse.Namespace, app: App) -> tuple[str, ...]:
    what = "--order-json"
    given = inputs.json_list(app, _require_given(args, what), what)
    if not all(isinstance(item, str) for item in given):
        raise NotAnObject(what=what, expected="array of goal ids", problem="an item is not text")
    return tuple(given)


def _require_given(args: argparse.Namespace, flag: str) -> str:
    value: str = getattr(args, flag.removeprefix("--").replace("-", "_"))
    if not value:
        problem = f"--kind {args.kind} needs {flag}"
        raise UsageError(problem=problem, hint="goalkeeper steer --help")
    return value


CHANGES: Mapping[str, Callable[[argparse.Namespace, App], commands.Change]] = {
    "add_subgoal": lambda a, _: commands.AddSubgoal(NewGoal(clip_title(a.title), a.objective)),
    "split_subgoal": lambda a, app: commands.SplitSubgoal(
        _require_given(a, "--goal-id"), _read_replacements(a, app)
    ),
    "reorder_pending": lambda a, app: commands.ReorderPending(_read_order(a, app)),
    "revise_pending_wording": lambda a, _: commands.RevisePendingWording(
        _require_given(a, "--goal-id"), clip_title(a.title), a.objective
    ),
    "annotate_ledger": lambda _a, _: commands.AnnotateLedger(),
    "mark_blocked_superseded": lambda a, _: commands.MarkBlockedSuperseded(
        _require_given(a, "--goal-id")
    ),
}

OPTIONS = (
    Option("--kind", "what to change", choices=CHANGES, required=True),
    GOAL_ID.replace(help="split, revise, supersede: the goal"),
    Option("--title TEXT", "add, revise: the title", default=""),
    Option("--objective TEXT", "add, revise: the objective", default=""),
    Option("--replacements-json JSON|PATH", 'split: [{"title":…,"objective":…},…]'),
    Option("--order-json JSON|PATH", 'reorder: ["G003","G002"]'),
    Option("--evidence TEXT", "what you found (required)", default=""),
    Option("--rationale TEXT", "why it matters (required)", default=""),
    Option("--key KEY", "a repeat with the same key, within 100 steers, changes nothing",
        default=""),
    RUN, JSON)  # fmt: skip
