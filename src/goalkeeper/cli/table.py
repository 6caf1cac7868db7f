"""The table of commands: `commands.json` says what each takes, and which module answers it.

It is JSON because every command reads it, and TOML takes longer to import than to read. In it the
words of an option are those of argparse, and a text such as `module:name` stands for that object.
An option that is `shared` is completed by the entry that all commands share. At most one of the
options in `one_of` may be given. A command whose `run` is false does not work on a run.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any

from goalkeeper.cli.parsing import Parser

Entry = Mapping[str, Any]
_FILE = os.path.join(os.path.dirname(__file__), "commands.json")
_OBJECT = re.compile(r"[\w.]+:[\w.]+")


def list_commands() -> Mapping[str, Entry]:
    commands: Mapping[str, Entry] = _read_table()["commands"]
    return commands


@cache
def _read_table() -> Entry:
    with open(_FILE, encoding="utf-8") as file:
        table: Entry = json.load(file)
    return table


def load_module(name: str) -> ModuleType:
    return import_module(f"goalkeeper.cli.commands.{list_commands()[name]['module']}")


def parser_for(name: str) -> Parser:
    entry = list_commands()[name]
    return _fill(Parser(f"goalkeeper {name}", **_read_texts(entry)), entry)


def whole_parser() -> Parser:
    """Make one parser of all commands, for shell completion."""
    whole = Parser("goalkeeper", summary="", example="goalkeeper status")
    for name, entry in list_commands().items():
        _fill(whole.verb(name, **_read_texts(entry)), entry)
    return whole


def _read_texts(entry: Entry) -> dict[str, str]:
    return {"summary": entry["summary"], "example": "\n".join(entry["examples"])}


def _fill(parser: Parser, entry: Entry) -> Parser:
    if "options_of" in entry:  # it is a program of its own, with its own --run and --json
        _find_object(entry["options_of"])(parser)
        _add_options(parser, entry, entry["options"])
    elif "verbs" in entry:
        for name, verb in entry["verbs"].items():
            options = {**_list_common(verb), **verb.get("options", {})}
            _add_options(parser.verb(name, **_read_texts(verb)), verb, options)
    else:
        _add_options(parser, entry, {**entry.get("options", {}), **_list_common(entry)})
    return parser


def _list_common(entry: Entry) -> Entry:
    """List the options that every command takes, and those of commands that work on a run."""
    flags = ("--run", "--json") if entry.get("run", True) else ("--json",)
    return {flag: {"shared": True} for flag in flags}


def _add_options(parser: Parser, entry: Entry, options: Entry) -> None:
    places = {}
    if "one_of" in entry:
        required = entry.get("one_of_required", False)
        group = parser.add_mutually_exclusive_group(required=required)
        places = dict.fromkeys(entry["one_of"], group)
    for flag, option in options.items():
        told = {**_read_table()["shared"][flag], **option} if option.get("shared") else option
        words = {name: _find_object(word) for name, word in told.items() if name != "shared"}
        if "choices" in words:
            words["choices"] = [str(choice) for choice in words["choices"]]
        places.get(flag, parser).add_argument(flag, **words)


def _find_object(word: Any) -> Any:  # noqa: ANN401  whatever argparse takes
    if not isinstance(word, str) or not _OBJECT.fullmatch(word):
        return word
    module, _, name = word.partition(":")
    return attrgetter(name)(import_module(module))
