"""`receipt`: what was signed, and whether it still speaks of what is at hand."""

from __future__ import annotations

import argparse
import json
import os
import time
from contextlib import suppress
from typing import Any

from goalkeeper import verifier
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs, verifying
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply, Table
from goalkeeper.core.model import Issued, Plan
from goalkeeper.core.receipts import FINAL, GOAL, stale
from goalkeeper.errors import UnknownRun, UsageError
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.receipts import Receipts
from goalkeeper.storage.run import FileRun

_LIMIT = verifier.MOST_BYTES


def configure(parser: Parser) -> None:
    parser.verb("list", summary="Which receipts a run has.", example="goalkeeper receipt list")
    show = parser.verb("show", summary="What a receipt states.", example="goalkeeper receipt show")
    verify = parser.verb(
        "verify",
        summary="Whether a receipt holds for a commit. Asks git, and no ledger.",
        example="goalkeeper receipt verify --file receipt.json --key them.pub --commit HEAD",
    )
    export = parser.verb(
        "export",
        summary="Write a receipt to a file, to be verified elsewhere.",
        example="goalkeeper receipt export --out receipt.json",
    )
    for verb in (show, verify, export):
        said = "of this goal; default: the final one, else the last"
        verb.add_argument("--goal-id", default="", metavar="ID", help=said)
    export.add_argument("--out", required=True, metavar="FILE", help="where to")
    _configure_verify(verify)


def _configure_verify(verify: Parser) -> None:
    said = "a receipt; default: the run's, and where there is no run the commit's note"
    verify.add_argument("--file", default="", metavar="FILE", help=said)
    said = "a public key to trust, besides your own; may be given again"
    verify.add_argument("--key", action="append", default=[], metavar="FILE", help=said)
    verify.add_argument("--policy", default="", metavar="FILE", help="demands, as TOML")
    verify.add_argument("--commit", default="HEAD", metavar="REV", help="default: HEAD")
    verify.add_argument("--kind", choices=verifier.KINDS, default="", help="demand this kind")
    verify.add_argument("--isolation", choices=verifier.ISOLATIONS, default="",
                        help="demand at least this level")  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    match args.verb:
        case "list":
            return _list(args, app)
        case "show":
            return _show(args, app)
        case "verify":
            return _verify(args, app)
        case _:
            return _export(args, app)


def _list(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    found = [(issued, stale(plan, issued)) for issued in plan.receipts]
    told = [{**issued.as_dict(), "stale": why or None} for issued, why in found]
    rows = tuple(
        (i.kind, i.goal_id, i.digest[:12], i.tree[:12], why or "fresh") for i, why in found
    )
    table = Table(("KIND", "GOAL", "RECEIPT", "TREE", "STATE"), rows)
    page = (table,) if rows else ("No receipt was issued yet.",)
    return Reply({"ok": True, "run_id": plan.run_id, "receipts": told}, page)


def _chosen(args: argparse.Namespace, app: App) -> tuple[FileRun, Plan, Issued]:
    """The one that is meant, of a run."""
    chosen = app.need_run(args.run)
    plan = chosen.read()
    kinds = [i for i in plan.receipts if i.kind == GOAL and i.goal_id == args.goal_id]
    final = [i for i in plan.receipts if i.kind == FINAL]
    found = kinds if args.goal_id else final or list(plan.receipts)
    if not found:
        of = f" of {args.goal_id}" if args.goal_id else ""
        problem = f"run {plan.run_id} has no receipt{of} yet"
        raise UsageError(problem=problem, hint="goalkeeper receipt list")
    return chosen, plan, found[-1]


def _envelope(app: App, chosen: FileRun, issued: Issued) -> bytes:
    kept = Receipts(chosen.files.dir, app.world.disk)
    data = kept.get(issued.digest)
    if not data:
        problem = f"the file of receipt {issued.digest[:12]} is gone: {kept.path(issued.digest)}"
        raise UsageError(problem=problem, hint="goalkeeper receipt list")
    return data


def _show(args: argparse.Namespace, app: App) -> Reply:
    chosen, plan, issued = _chosen(args, app)
    data = _envelope(app, chosen, issued)
    told: dict[str, Any] = json.loads(verifier.payload_of(data))
    text = json.dumps(told, indent=2, ensure_ascii=False)
    fresh = stale(plan, issued)
    data_out = {"ok": True, "statement": told, "digest": issued.digest, "stale": fresh or None}
    page = (text, f"stale: {fresh}" if fresh else "It speaks of the plan as it is.")
    return Reply(data_out, page, next="goalkeeper receipt verify")


def _verify(args: argparse.Namespace, app: App) -> Reply:
    keys = [app.keys.public(name) for name in app.keys.ids()]
    keys += [_input(app, path, "the key") for path in args.key]
    wanted = argparse.Namespace(
        kind=args.kind, run=args.run or "", goal=args.goal_id, isolation=args.isolation,
        commit=args.commit, repository=app.world.cwd, no_repository=False, tree="",
    )  # fmt: skip
    policy = _input(app, args.policy, "the policy") if args.policy else None
    given = _given(args, app)
    return verifying.reply(verifier.verify(given, keys, wanted, now=time.time(), policy=policy))


def _given(args: argparse.Namespace, app: App) -> bytes | None:
    """The receipt that is meant; None: the one in the note of the commit."""
    if args.file:
        return _input(app, args.file, "the receipt")
    with suppress(UnknownRun):  # it is somebody else's
        if app.run(args.run):
            chosen, _, issued = _chosen(args, app)
            return _envelope(app, chosen, issued)
    return None


def _input(app: App, path: str, what: str) -> bytes:
    return inputs.text_file(app, path, what, limit_bytes=_LIMIT).encode()


def _export(args: argparse.Namespace, app: App) -> Reply:
    chosen, _, issued = _chosen(args, app)
    data = _envelope(app, chosen, issued)
    path = os.path.join(app.world.cwd, args.out)
    if os.path.lexists(path):
        raise UsageError(problem=f"{args.out} exists", hint="choose another --out")
    with disk_errors("write", path):
        app.world.disk.write_new(path, data)
    out = {"ok": True, "digest": issued.digest, "out": path}
    return Reply(out, (f"Wrote {args.out}.",), next="goalkeeper keys export > goalkeeper.pub")
