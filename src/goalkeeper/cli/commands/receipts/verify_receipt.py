"""`verify-receipt`: the verifier that others run as a script, without a ledger or a run."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.options import switch
from goalkeeper.cli.pages.receipts import verification_reply
from goalkeeper.cli.reply import Reply
from goalkeeper.errors import UsageError
from goalkeeper.verifier.command import Unusable, add_options, answer_command
from goalkeeper.verifier.script import join_script

OPTIONS = (
    add_options,
    switch("--print-script",
        "print the verifier itself: one file for those who have no goalkeeper;"
        " it is started with python3 -I"))  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    if args.print_script:
        script = join_script()
        data = {"ok": True, "script": script}
        return Reply(data, (), raw=None if args.json else (script.encode(),))
    try:
        answer = answer_command(args, app.world.stdin)
    except Unusable as exc:
        raise UsageError(problem=str(exc), hint="goalkeeper verify-receipt --help") from exc
    return verification_reply(answer)
