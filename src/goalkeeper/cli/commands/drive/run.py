"""`run`: drive an agent through the plan until it is proven, or there is a reason to stop."""

from __future__ import annotations

import argparse
import math
import shlex

from goalkeeper.app.plans import normalize_brief, read_brief
from goalkeeper.app.queries.report import show_report
from goalkeeper.bootstrap import App
from goalkeeper.cli import clients, inputs, options
from goalkeeper.cli.pages.report import report_markdown
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.planning import make_provable_plan
from goalkeeper.cli.progress import ProgressEvents, ProgressLines
from goalkeeper.cli.reply import DONE, NO, Reply, refusal
from goalkeeper.clients.client import Client
from goalkeeper.config import GATE_ISOLATIONS
from goalkeeper.core.decide import is_at_work
from goalkeeper.core.drive.events import TermsChanged
from goalkeeper.core.drive.phases import Depth
from goalkeeper.core.drive.state import Budget, Reason
from goalkeeper.core.plan import ids
from goalkeeper.core.plan.graph import next_goal
from goalkeeper.core.plan.model import Plan, Refused
from goalkeeper.errors import Interrupted, NoPlan, UsageError
from goalkeeper.storage.ancestry import is_driven
from goalkeeper.storage.lock import holding
from goalkeeper.storage.run import FileRun
from goalkeeper.wiring.driving import open_driver

_OUTSIDE = {Reason.AUTH, Reason.AGENT_MISSING, Reason.OUTAGE, Reason.FAILED}
# What has nothing to do with the work: another go may be all that it takes.
_LATER = {Reason.RATE_LIMITED, Reason.OUTAGE, Reason.STALLED, Reason.CRASHED, Reason.FAILED}
# What an option is called in the budget, and the least that it takes.
_LIMITS = {
    "max_iterations": ("iterations", 1),
    "max_time": ("seconds", 0),
    "max_cost": ("microdollars", 0),
    "max_tokens": ("tokens", 0),
    "phase_time": ("phase_seconds", 0),
    "stall_time": ("stall_seconds", 0),
    "max_pause": ("pause_seconds", 0),
    "backoff": ("backoff_seconds", 0),
}
_DEPTH = "quick: one process an iteration (default); full: plan, impl, verify, refine, ship"
_TRY_AGAIN = 75
_OUTSIDE_CODE = 5


def configure(parser: Parser) -> None:
    parser.add_argument("--brief-file", metavar="PATH", help="make the plan from this brief first")
    clients.configure(parser)
    options.gate(parser)
    depths = [str(depth) for depth in Depth]
    parser.add_argument("--depth", choices=depths, default=str(Depth.QUICK), help=_DEPTH)
    _limits(parser)
    options.isolation(parser, GATE_ISOLATIONS)
    parser.add_argument("--dry-run", action="store_true", help="say what would be done")
    parser.common()


def _limits(parser: Parser) -> None:
    usual = Budget()
    add = parser.add_argument
    add("--max-iterations", type=int, default=usual.iterations, metavar="N", help="of each goal")
    add("--max-time", type=int, default=0, metavar="SECONDS", help="of work, pauses not counted")
    add("--max-cost", type=dollars, default=0.0, metavar="DOLLARS", help="of all agents together")
    add("--max-tokens", type=int, default=0, metavar="N", help="of all agents together")
    for flag, seconds, said in (
        ("--phase-time", usual.phase_seconds, "of one agent process"),
        ("--stall-time", usual.stall_seconds, "without a sign of life or a changed file"),
        ("--max-pause", usual.pause_seconds, "to wait for the end of a rate limit"),
        ("--backoff", usual.backoff_seconds, "of the first pause that nobody gave a length"),
    ):
        add(flag, type=int, default=seconds, metavar="SECONDS", help=f"{said} (default {seconds})")
    known = "with --max-cost: what to do with an agent that does not tell what it costs"
    add("--cost-unknown", choices=("refuse", "allow"), default="refuse", help=known)


def dollars(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def run(args: argparse.Namespace, app: App) -> Reply:
    client = clients.chosen(args, app, app.plan(args.run))
    budget = _budget(args)
    refused = _usable(client, budget, app, allowed=args.cost_unknown == "allow")
    if refused:
        return refusal(refused)
    chosen = _known(args, app)
    if args.dry_run and not isinstance(chosen, Refused):
        return _dry(args, app, chosen, client, budget)
    chosen = chosen or _made(args, app)
    if isinstance(chosen, Refused):
        return refusal(chosen)
    plan = chosen.read()
    if plan.is_complete and not next_goal(plan, retry_failed=False, at=app.clock()):
        chosen.catch_up()  # nothing else will be written
        return _answer(args, plan, Reason.DONE, tuple(chosen.warnings))
    lock = chosen.files.drive_lock
    with holding(lock, shared=False, timeout_seconds=0), _onlooker(args, app) as onlooker:
        if is_at_work(plan, app.actor) and is_driven(app.state):  # it took the lock away
            said = f"Run {chosen.run_id} is driven already, and you are the agent at work for it."
            return refusal(Refused("driven", said, "end your turn: your files are judged then"))
        driver = open_driver(app, chosen, client, onlooker, args.isolation)
        terms = TermsChanged(client.name, Depth(args.depth), budget, args.model)
        driver.begin(terms, _given(args))
        try:
            plan = driver.drive()
        except KeyboardInterrupt:
            raise Interrupted(hint=_again(args)) from None
    reason = Reason(plan.drive.ended) if plan.drive else Reason.FAILED
    return _answer(args, plan, reason, tuple(chosen.warnings))


def _onlooker(args: argparse.Namespace, app: App) -> ProgressLines:
    """A board that stays in place on a terminal, else lines, or JSON when that is asked for."""
    stream = app.world.stderr
    if args.json:
        return ProgressEvents(stream, app.clock)
    if not stream.isatty():
        return ProgressLines(stream, app.clock)
    from goalkeeper.cli.progress_board import ProgressBoard  # noqa: PLC0415  rich takes its time

    return ProgressBoard(stream, app.clock)


def _budget(args: argparse.Namespace) -> Budget:
    below = [name for name, (_, least) in _LIMITS.items() if getattr(args, name) < least]
    if below:
        problem = f"run: --{below[0].replace('_', '-')} {getattr(args, below[0])} is too little"
        raise UsageError(problem=problem, hint="goalkeeper run --help")
    given = {field: getattr(args, option) for option, (field, _) in _LIMITS.items()}
    cost = math.ceil(args.max_cost * 1_000_000)  # however little, it is a limit
    return Budget(**{**given, "microdollars": cost})


def _usable(client: Client, budget: Budget, app: App, *, allowed: bool) -> Refused | None:
    found = clients.usable(client, app)
    if budget.microdollars and not found.cost_known and not allowed:
        said = f"{client.name} does not tell what it costs, so --max-cost cannot be held."
        hint = "leave --max-cost out, limit --max-tokens, or add --cost-unknown allow"
        return Refused("cost-unknown", said, hint)
    return None


def _known(args: argparse.Namespace, app: App) -> FileRun | Refused | None:
    """The run to go on with; None: the brief has to become one."""
    if not args.brief_file:
        known = app.run(args.run)
        if known is None:
            hint = "goalkeeper run --brief-file brief.md; docs/contracts.md says how to write one"
            raise NoPlan(root=app.root, hint=hint)
        return known
    brief, chosen = normalize_brief(_brief(args, app)), app.run(args.run)
    if chosen is None or chosen.read().closed:
        return None
    with open(chosen.files.brief, encoding="utf-8") as file:
        if file.read() == brief:
            return chosen  # one that is complete, too: nobody pays twice for the same
    return _changed(chosen, args.brief_file) if chosen.read().is_live else None


def _brief(args: argparse.Namespace, app: App) -> str:
    limit = inputs.BRIEF_LIMIT_BYTES
    return inputs.text_file(app, args.brief_file, "the brief", limit_bytes=limit)


def _made(args: argparse.Namespace, app: App) -> FileRun | Refused:
    brief = _brief(args, app)
    if not any(goal.contract for goal in read_brief(brief, args.brief_file).goals):
        said = f"No goal of {args.brief_file} has a contract, and what cannot fail is not proven."
        hint = "give each goal one (docs/contracts.md) and run it again; nothing was written"
        return Refused("contract-missing", said, hint)
    made = make_provable_plan(app, brief, source=args.brief_file, gate=args.gate)
    return made if isinstance(made, Refused) else app.need_run(made.run.run_id)


def _changed(chosen: FileRun, name: str) -> Refused:
    said = f"Run {chosen.run_id} is live, and its brief is not what {name} says now."
    hint = f"goalkeeper run, to go on; or goalkeeper create-goals --brief-file {name} --archive"
    return Refused("brief-changed", said, hint)


def _given(args: argparse.Namespace) -> set[str]:
    """The terms of a drive that this command names."""
    given = args.__dict__.get("given", set())
    return {_LIMITS[option][0] if option in _LIMITS else option for option in given}


def _dry(
    args: argparse.Namespace, app: App, chosen: FileRun | None, client: Client, budget: Budget
) -> Reply:
    """What would be done. Nothing is, so a brief becomes no plan."""
    if chosen:
        left = [goal for goal in chosen.read().required if goal.status != "complete"]
        goals = {goal.id: f"{goal.status}: {goal.title}" for goal in left}
    else:
        news = read_brief(_brief(args, app), args.brief_file).goals
        goals = {ids.goal_id(number): f"new: {new.title}" for number, new in enumerate(news, 1)}
    data = {"ok": True, "dry_run": True, "run_id": chosen.run_id if chosen else "",
            "agent": client.name, "goals": list(goals), "limits": budget.as_dict()}  # fmt: skip
    counted = "1 goal" if len(goals) == 1 else f"{len(goals)} goals"
    page = [f"{client.name} would work on {counted}:"]
    page += [f"  {goal_id} {said}" for goal_id, said in goals.items()]
    return Reply(data, tuple(page), next=_again(args))


def _answer(
    args: argparse.Namespace, plan: Plan, reason: Reason, warnings: tuple[str, ...]
) -> Reply:
    done = reason is Reason.DONE
    code = DONE if done else NO
    if reason in _OUTSIDE:
        code = _OUTSIDE_CODE
    elif reason is Reason.RATE_LIMITED:
        code = _TRY_AGAIN
    data = {"ok": done, **show_report(plan)}
    return Reply(
        data, (report_markdown(plan),), code, next=_next(args, plan, reason), warnings=warnings
    )


def _next(args: argparse.Namespace, plan: Plan, reason: Reason) -> str:
    goal = next((goal for goal in plan.required if goal.status != "complete"), None)
    match reason:
        case Reason.DONE:
            return "goalkeeper land"
        case Reason.BLOCKED if goal and goal.status == "failed":
            return "goalkeeper complete-goals --retry-failed"
        case Reason.BLOCKED | Reason.IMPOSSIBLE | Reason.NEEDS_HUMAN if goal:
            return f"goalkeeper unblock --goal-id {goal.id} --evidence <what changed>"
        case Reason.NO_CONTRACT if goal:
            verb = "check" if goal.contract else "freeze --file contract.yaml"
            return f"goalkeeper contract {verb} --goal-id {goal.id}"
        case Reason.NOT_DUE:
            return "goalkeeper due"
        case Reason.AUTH | Reason.AGENT_MISSING:
            return "goalkeeper agents probe"
        case _ if reason in _LATER:
            return _again(args)
        case _:
            return f"goalkeeper why {goal.id}" if goal else "goalkeeper status"


def _again(args: argparse.Namespace) -> str:
    """The same command, as it goes on with what there is."""
    given = args.__dict__.get("given", set()) - {"dry_run", "json"}
    words = [
        word
        for name, value in vars(args).items()
        if name in given
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    return shlex.join(["goalkeeper", "run", *words])
