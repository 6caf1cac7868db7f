"""argparse, made strict: it refuses abbreviations and repetitions; every help has an example."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any, NoReturn

from goalkeeper.core.problems import is_blank
from goalkeeper.errors import UsageError

EXIT_CODES = (
    "exit codes: 0 yes or done, 1 the answer is no, 2 usage, 3 configuration or brief,\n"
    "4 ledger integrity, 5 outside world, 70 bug, 75 try again, 77 this place cannot do the work,\n"
    "130 interrupted (after SIGTERM 143, after SIGHUP 129)"
)
_WIDTH = 90
_LARGEST_COUNT = 1_000_000


class Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # With a given width no command imports the module that asks the terminal for it.
        super().__init__(prog, width=_WIDTH)


class Once(argparse.Action):
    """Stores a value. A second one would silently replace the first, so it is an error."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        given: dict[str, str] = namespace.__dict__.setdefault("given", {})
        if self.dest in given:
            parser.error(f"argument {option_string}: given twice")
        given[self.dest] = option_string or ""
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    def __init__(self, prog: str, *, summary: str, example: str) -> None:
        indented = "\n".join(f"  {line}" for line in example.splitlines())
        super().__init__(
            prog,
            description=summary,
            epilog=f"example:\n{indented}\n\n{EXIT_CODES}",
            formatter_class=Formatter,
            allow_abbrev=False,
        )
        self.register("action", None, Once)
        self.verbs: argparse._SubParsersAction[Parser] | None = None

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("goalkeeper ")
        if message.endswith("expected one argument"):
            message += " (a value that begins with a dash is written --flag=-value)"
        elif message.startswith("unrecognized arguments"):
            message += " (a text with spaces needs quotes)"
        elif message.endswith("required: VERB") and self.verbs:
            message = "say which: " + ", ".join(self.verbs.choices)
        raise UsageError(problem=f"{command}: {message}", hint=f"{self.prog} --help")

    def verb(self, name: str, *, summary: str, example: str) -> Parser:
        """Add one of several verbs of a command, with its own help."""
        if self.verbs is None:
            self.verbs = self.add_subparsers(dest="verb", required=True, metavar="VERB")
        prog = f"{self.prog} {name}"
        return self.verbs.add_parser(
            name, help=summary, prog=prog, summary=summary, example=example
        )


def parse_given(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text


def parse_words(text: str) -> str:
    """Return a text that says something."""
    if is_blank(text):
        raise argparse.ArgumentTypeError("it says nothing")
    return text


def parse_pull_request(text: str) -> int:
    return _parse_whole(text, 1, math.inf, "no number of a pull request")


def parse_count(text: str) -> int:
    return _parse_whole(text, 1, _LARGEST_COUNT, f"not a number from 1 to {_LARGEST_COUNT}")


def parse_days(text: str) -> int:
    return _parse_whole(text, 0, _LARGEST_COUNT, "no number of days")


def _parse_whole(text: str, least: int, most: float, problem: str) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"'{text}' is {problem}")
    return int(text)


def dollars(text: str) -> float:
    """Read an amount. argparse shows users this name when a value is no amount."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value
