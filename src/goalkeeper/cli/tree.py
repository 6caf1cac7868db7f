"""All commands as one parser, for shell completion."""

from __future__ import annotations

from goalkeeper.cli.main import configure
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.table import COMMANDS


def whole_parser() -> Parser:
    whole = Parser("goalkeeper", summary="", example="goalkeeper status")
    added = whole.add_subparsers(dest="command", metavar="COMMAND")
    for name, spec in COMMANDS.items():
        parser = added.add_parser(
            name, help=spec.summary, prog=f"goalkeeper {name}", summary=spec.summary,
            example=spec.example,
        )  # fmt: skip
        configure(name, parser)
    return whole
