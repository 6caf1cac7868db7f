"""argparse, made strict: no abbreviations, errors as values, an example in every help."""

from __future__ import annotations

import argparse
from typing import NoReturn

from goalkeeper.errors import UsageError

EXIT_CODES = (
    "exit codes: 0 yes or done, 1 the answer is no, 2 usage, 3 configuration or brief,\n"
    "4 ledger integrity, 5 outside world, 70 bug, 75 try again, 130 interrupted"
)


class Parser(argparse.ArgumentParser):
    def __init__(self, prog: str, *, summary: str, example: str) -> None:
        super().__init__(
            prog,
            description=summary,
            epilog=f"example:\n{_indented(example)}\n\n{EXIT_CODES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.verbs: argparse._SubParsersAction[Parser] | None = None

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("goalkeeper ")
        raise UsageError(problem=f"{command}: {message}", hint=f"{self.prog} --help")

    def common(self) -> Parser:
        """The options every command takes."""
        self.add_argument("--run", default="", metavar="ID", help="the run, if not the current one")
        self.add_argument("--json", action="store_true", help="answer with one JSON document")
        return self

    def verb(self, name: str, *, summary: str, example: str) -> Parser:
        """One of several verbs of a command, with its own help."""
        if self.verbs is None:
            self.verbs = self.add_subparsers(dest="verb", required=True, metavar="VERB")
        prog = f"{self.prog} {name}"
        added = self.verbs.add_parser(
            name, help=summary, prog=prog, summary=summary, example=example
        )
        return added.common()


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())


def words(parser: argparse.ArgumentParser, *flags: str, help: str, required: bool = True) -> None:  # noqa: A002  as argparse names it
    """A flag that takes text which must say something."""
    parser.add_argument(
        *flags, required=required, type=_worded, default="", help=help, metavar="TEXT"
    )


def _worded(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text
