"""Options that several commands take."""

from __future__ import annotations

from goalkeeper.cli.parsing import Parser
from goalkeeper.config import ISOLATIONS


def goal(parser: Parser, *, required: bool = True) -> None:
    said = "the goal, such as G001" + ("" if required else "; default: the active one")
    parser.add_argument("--goal-id", required=required, default="", metavar="ID", help=said)


def isolation(parser: Parser) -> None:
    parser.add_argument(
        "--isolation", choices=ISOLATIONS, default="", help="demand this level, or fail"
    )
