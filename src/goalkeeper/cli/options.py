"""Options that several commands take."""

from __future__ import annotations

from goalkeeper.cli.parsing import Parser
from goalkeeper.core.plan.gate import GATES, STRICT


def goal(parser: Parser) -> None:
    said = "the goal, such as G001; default: the active one, or the only one"
    parser.add_argument("--goal-id", default="", metavar="ID", help=said)


def gate(parser: Parser) -> None:
    said = (
        "strict (default): every goal is also reviewed, and shown at work; standard: criteria, "
        "manifest, scope and tampering"
    )
    parser.add_argument("--gate", choices=GATES, default=STRICT, help=said)


def isolation(parser: Parser, levels: tuple[str, ...]) -> None:
    said = "demand this level, or fail" + ("; none opens no gate" if "none" in levels else "")
    parser.add_argument("--isolation", choices=levels, default="", help=said)
