"""`completion`: a script that completes commands and options."""

from __future__ import annotations

import argparse

import shtab

from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, Option
from goalkeeper.cli.reply import Reply
from goalkeeper.cli.table import whole_parser

OPTIONS = (Option("shell", "the shell", choices=("bash", "zsh", "tcsh")), JSON)


def run(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  every command takes both
    script = shtab.complete(whole_parser(), shell=args.shell)
    return Reply({"ok": True, "shell": args.shell, "script": script}, tuple(script.split("\n")))
