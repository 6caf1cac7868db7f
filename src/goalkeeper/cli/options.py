"""What commands take: options as values, and those that several commands share.

A command changes a shared option with `replace`. `add_options` hands options to argparse.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from goalkeeper.cli.parsing import Parser, parse_given, parse_words
from goalkeeper.core.contract.judgement import ISOLATIONS
from goalkeeper.core.plan.model import GATES
from goalkeeper.wire.value import Value


class Option(Value):
    """Holds what argparse is told of an option. Its flag is written as in the help: `--pr N`."""

    flag: str
    help: str | None = None
    dest: str | None = None
    action: str | None = None
    nargs: str | None = None
    const: str | None = None
    type: Callable[[str], object] | None = None
    choices: Iterable[str] | None = None
    default: object = None
    required: bool | None = None


def switch(flag: str, help: str) -> Option:  # noqa: A002  the word of argparse
    return Option(flag, help, action="store_true")


class OneOf:
    """Holds options of which at most one may be given, and exactly one if it is required."""

    def __init__(self, *options: Option, required: bool = False) -> None:
        self.options, self.required = options, required


Taken = Option | OneOf | Callable[[argparse.ArgumentParser], None]


class Verb:
    """Holds what one of several verbs of a command is for, and what it takes."""

    def __init__(self, summary: str, example: str, *options: Taken) -> None:
        self.summary, self.example, self.options = summary, example, options


def add_options(parser: Parser, options: Iterable[Taken]) -> None:
    for option in options:
        if isinstance(option, Option):
            _add_option(parser, option)
        elif isinstance(option, OneOf):
            group = parser.add_mutually_exclusive_group(required=option.required)
            for each in option.options:
                _add_option(group, each)
        else:
            option(parser)


def _add_option(place: argparse._ActionsContainer, option: Option) -> None:
    flag, _, metavar = option.flag.partition(" ")
    choices = option.choices and [str(choice) for choice in option.choices]
    words = {**option.as_dict(), "flag": None, "metavar": metavar or None, "choices": choices}
    place.add_argument(flag, **{name: word for name, word in words.items() if word is not None})


RUN = Option("--run ID", "the run, if not the current", type=parse_given)
JSON = switch("--json", "answer with one JSON document")
GOAL_ID = Option("--goal-id ID", "the goal, such as G001; default: the active one, or the only one",
    default="")  # fmt: skip
GOAL_JSON = Option("--goal-json JSON|PATH", "the goal as the client's own goal tool shows it; it "
    "must agree with ours")  # fmt: skip
EVIDENCE = Option("--evidence TEXT", type=parse_words, required=True)
GATE = Option("--gate", "standard: criteria, manifest, scope and tampering; strict: every goal is "
    "also reviewed, and shown at work; default: [gate] default in config.toml, else standard",
    choices=GATES, default="")  # fmt: skip
ISOLATION = Option("--isolation", "demand this level, or fail", choices=ISOLATIONS[1:], default="")
ANY_ISOLATION = ISOLATION.replace(
    choices=ISOLATIONS, help="demand this level, or fail; none opens no gate"
)
AGENT = Option("--agent NAME", "the agent that works; default: that of the drive, else [agents] "
    "default in config.toml, else the client around you, else the only one that is installed",
    default="")  # fmt: skip
MODEL = Option("--model NAME", "the model it is to use; default: that of the drive, or the "
    "agent's own choice", default="")  # fmt: skip
SCRIPT = Option("--script PATH", "what the rehearsal agent is to do (goalkeeper help rehearsal)",
    default="")  # fmt: skip
COMMAND = Option("--command JSON", "a program that reads its prompt on standard input, as one "
    "JSON list of words", default="")  # fmt: skip
WORKER = (AGENT, MODEL, SCRIPT, COMMAND)
