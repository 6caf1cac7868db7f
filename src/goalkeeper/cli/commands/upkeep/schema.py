"""`schema`: the JSON Schema of what people write for us."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.options import JSON, Option
from goalkeeper.cli.reply import Reply, document
from goalkeeper.core.answers import document as answers_document
from goalkeeper.core.contract import document as contract_document
from goalkeeper.core.draft import answer as draft_answer

SCHEMAS = {
    "answers": answers_document.json_schema,
    "contract": contract_document.json_schema,
    "draft": draft_answer.json_schema,
}
OPTIONS = (Option("name", "of what", choices=SCHEMAS), JSON)


def run(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  every command is called so
    return document(SCHEMAS[args.name]())
