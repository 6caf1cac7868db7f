"""`schema`: the JSON Schema of what people write for us."""

from __future__ import annotations

import argparse
import json

from goalkeeper.bootstrap import App
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.core import answers, contract

_SCHEMAS = {"contract": contract.schema, "answers": answers.schema}


def configure(parser: Parser) -> None:
    parser.add_argument("name", choices=sorted(_SCHEMAS), help="of what")
    parser.common(run=False)


def run(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  every command is called so
    document = _SCHEMAS[args.name]()
    return Reply({}, (), raw=(json.dumps(document, indent=2) + "\n").encode())
