"""`receipt`: what was signed, and whether it still speaks of the current commit."""

from __future__ import annotations

import argparse
import json
import os
import time
from contextlib import suppress
from typing import Any

from goalkeeper import wiring
from goalkeeper.app.queries.receipts import find_fresh_receipts, find_receipt, list_receipts
from goalkeeper.app.receipting import issue
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import GOAL_ID, JSON, RUN, OneOf, Option, Verb, switch
from goalkeeper.cli.pages.receipts import receipts_page, verification_reply
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import Issued, Plan, Refused
from goalkeeper.core.plan.receipts import format_trailers, why_outdated
from goalkeeper.errors import StateForeign, UnknownRun, UsageError
from goalkeeper.git import notes
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.receipts import Receipts
from goalkeeper.storage.run import FileRun
from goalkeeper.verifier.envelope import read_payload
from goalkeeper.verifier.inquiry import verify_receipt
from goalkeeper.verifier.repository import NOTES
from goalkeeper.verifier.statement import ISOLATIONS, KINDS, MOST_BYTES
from goalkeeper.wire.canonical import sha256

_LIMIT = MOST_BYTES
_GOAL_ID = GOAL_ID.replace(help="of this goal; default: the final one, else the last")
VERBS = {
    "list": Verb("Which receipts a run has.", "goalkeeper receipt list", RUN, JSON),
    "show": Verb("What a receipt states.", "goalkeeper receipt show", RUN, JSON, _GOAL_ID,
        switch("--trailers", "print the lines for the message of a commit instead")),
    "verify": Verb("Whether a receipt holds for a commit. Asks git, and no ledger.",
        "goalkeeper receipt verify --file receipt.json --key them.pub --commit HEAD",
        RUN, JSON, _GOAL_ID,
        Option("--file FILE", "a receipt; default: the run's, and where there is no run the "
            "commit's note", default=""),
        Option("--key FILE", "a public key to trust, besides your own; may be given again",
            action="append", default=[]),
        Option("--policy FILE", "demands, as TOML", default=""),
        Option("--commit REV", "default: HEAD", default="HEAD"),
        Option("--kind", "demand this kind", choices=KINDS, default=""),
        Option("--isolation", "demand at least this level", choices=ISOLATIONS,
            default="")),
    "export": Verb("Write a receipt to a file, to be verified elsewhere.",
        "goalkeeper receipt export --out receipt.json", RUN, JSON, _GOAL_ID,
        Option("--out FILE", "where to", required=True)),
    "attach": Verb("Put the receipts of a commit's tree into its git note, to be pushed with it.",
        "goalkeeper receipt attach && git push origin refs/notes/goalkeeper", RUN, JSON,
        Option("--commit REV", "default: HEAD", default="HEAD")),
    "issue": Verb("Prove anew what is complete, and sign it: where no receipt came of it.",
        "goalkeeper receipt issue --final", RUN, JSON,
        OneOf(GOAL_ID.replace(help="for this goal"), switch("--final", "for the whole plan"),
            required=True),
        Option("--commit REV",
            "the commit that has what was proven; default: the files as they are", default="")),
}  # fmt: skip


def run_list(args: argparse.Namespace, app: App) -> Reply:
    plan = app.need_run(args.run).read()
    tree = wiring.take_snapshot(app).tree if plan.receipts else ""
    shown = list_receipts(plan, tree)
    return Reply(shown, receipts_page(shown["receipts"]))


def _choose_receipt(args: argparse.Namespace, app: App) -> tuple[FileRun, Plan, Issued]:
    """Find the receipt of a run that is meant."""
    chosen = app.need_run(args.run)
    plan = chosen.read()
    issued = find_receipt(plan, args.goal_id)
    if issued is None:
        of = f" of {args.goal_id}" if args.goal_id else ""
        problem = f"run {plan.run_id} has no receipt{of} yet"
        raise UsageError(problem=problem, hint="goalkeeper receipt list")
    return chosen, plan, issued


def _read_envelope(app: App, chosen: FileRun, issued: Issued) -> bytes:
    kept = Receipts(chosen.files.dir, app.world.disk)
    data = kept.get(issued.digest)
    if not data:
        problem = f"the file of receipt {issued.digest[:12]} is gone: {kept.path_of(issued.digest)}"
        raise UsageError(problem=problem, hint=_suggest_issue(issued))
    return data


def _suggest_issue(issued: Issued) -> str:
    of = f"--goal-id {issued.goal_id}" if issued.goal_id else "--final"
    return f"goalkeeper receipt issue {of}"


def run_show(args: argparse.Namespace, app: App) -> Reply:
    chosen, plan, issued = _choose_receipt(args, app)
    data = _read_sound_envelope(app, chosen, issued)
    told: dict[str, Any] = json.loads(read_payload(data))
    text = json.dumps(told, indent=2, ensure_ascii=False)
    why = why_outdated(plan, issued)
    if args.trailers:
        lines = format_trailers([goal["id"] for goal in told["predicate"]["goals"]], issued.digest)
        warned = (f"the receipt is stale: {why}",) if why else ()
        return Reply(
            {"ok": True, "trailers": lines}, tuple(lines.rstrip().split("\n")), warnings=warned
        )
    data_out = {"ok": True, "statement": told, "digest": issued.digest, "stale": why or None}
    page = (*text.split("\n"), f"stale: {why}" if why else "It speaks of the plan as it is.")
    return Reply(data_out, page, next="goalkeeper receipt verify")


def run_verify(args: argparse.Namespace, app: App) -> Reply:
    own = wiring.open_keys(app)
    keys = [own.read_public_key(name) for name in own.list_ids()]
    keys += [_read_input(app, path, "the key") for path in args.key]
    wanted = argparse.Namespace(
        kind=args.kind, run=args.run or "", goal=args.goal_id, isolation=args.isolation,
        commit=args.commit, repository=app.world.cwd, no_repository=False, tree="",
    )  # fmt: skip
    policy = _read_input(app, args.policy, "the policy") if args.policy else None
    given = _read_given_envelope(args, app)
    return verification_reply(verify_receipt(given, keys, wanted, now=time.time(), policy=policy))


def _read_given_envelope(args: argparse.Namespace, app: App) -> bytes | None:
    """Read the receipt that is meant; None stands for the one in the commit's note."""
    if args.file:
        return _read_input(app, args.file, "the receipt")
    with suppress(UnknownRun, StateForeign):  # it is somebody else's
        if app.run(args.run):
            chosen, _, issued = _choose_receipt(args, app)
            return _read_envelope(app, chosen, issued)
    return None


def _read_input(app: App, path: str, what: str) -> bytes:
    return inputs.text_file(app, path, what, limit_bytes=_LIMIT).encode()


def run_attach(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    trees = wiring.open_trees(app)
    base = trees.resolve_revision(args.commit)
    if not base.commit:
        raise UsageError(problem=f"'{args.commit}' is not a commit", hint="git log --oneline")
    found = find_fresh_receipts(plan, base.tree)
    if not found:
        said = f"Run {plan.run_id} has no fresh receipt of the tree of {base.commit[:12]}."
        return refusal(Refused("no-receipt", said, "goalkeeper receipt list"))
    added = notes.attach_lines(
        trees, base.commit, [_read_sound_envelope(app, chosen, i) for i in found]
    )
    if added is None:
        said = f"The note of {base.commit[:12]} would be longer than anybody reads."
        hint = f"git notes --ref {NOTES} remove {base.commit}"
        return refusal(Refused("note-too-long", said, hint))
    digests = [issued.digest for issued in found]
    data = {"ok": True, "commit": base.commit, "ref": NOTES, "receipts": digests,
            "added": added}  # fmt: skip
    counted = "1 receipt" if len(digests) == 1 else f"{len(digests)} receipts"
    page = (f"The note of {base.commit[:12]} has {counted}, {added} of them new.",)
    return Reply(data, page, next=f"git push origin {NOTES}")


def _read_sound_envelope(app: App, chosen: FileRun, issued: Issued) -> bytes:
    """Read what was issued; refuse it if it was changed."""
    data = _read_envelope(app, chosen, issued)
    if sha256(data) != issued.digest:
        problem = f"the file of receipt {issued.digest[:12]} was changed"
        raise UsageError(problem=problem, hint=_suggest_issue(issued))
    return data


def run_issue(args: argparse.Namespace, app: App) -> Reply:
    context = wiring.open_judge_context(app, app.need_run(args.run))
    witness = context.witness
    candidate = witness.resolve_revision(args.commit) if args.commit else witness.take_snapshot()
    done = issue(context, args.goal_id, candidate)
    if isinstance(done, Refused):
        return refusal(done)
    data = {"ok": True, "digest": done.digest, "repeated": done.repeated}
    said = "is fresh; nothing was issued" if done.repeated else "was issued"
    page = (f"Receipt {done.digest[:12]} {said}.",)
    return Reply(data, page, next="goalkeeper receipt verify")


def run_export(args: argparse.Namespace, app: App) -> Reply:
    chosen, _, issued = _choose_receipt(args, app)
    data = _read_sound_envelope(app, chosen, issued)
    path = os.path.join(app.world.cwd, args.out)
    if os.path.lexists(path):
        raise UsageError(problem=f"{args.out} exists", hint="choose another --out")
    with disk_errors("write", path):
        app.world.disk.write_new(path, data)
    out = {"ok": True, "digest": issued.digest, "out": path}
    return Reply(out, (f"Wrote {args.out}.",), next="goalkeeper keys export > goalkeeper.pub")
