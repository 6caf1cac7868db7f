"""The way from argv to an exit code. Every end of a command is translated here."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Collection, Sequence

import goalkeeper
from goalkeeper.bootstrap import World, open_app
from goalkeeper.cli import render
from goalkeeper.cli.parsing import EXIT_CODES
from goalkeeper.cli.table import COMMANDS, FOR_AGENTS, FOR_PEOPLE, load_module, parser_for
from goalkeeper.cli.topics import list_topics, read_topic
from goalkeeper.core.problems import find_nearest
from goalkeeper.errors import Bug, GoalkeeperError, Interrupted, UsageError
from goalkeeper.wire import layout

_GLOBAL_FLAGS = ("--run", "--json")
_HELP = ("help", "--help", "-h")
_AGENT = "agent"


def main(argv: Sequence[str] | None = None, world: World | None = None) -> int:
    args = list(sys.argv[1:] if argv is None else argv)
    world = world or World.real()
    _tolerate_any_text(world)
    as_json = "--json" in args
    error: GoalkeeperError
    try:
        return _dispatch(_global_flags_last(_as_text(args)), world, as_json=as_json)
    except SystemExit as done:  # argparse raises it after printing help
        return int(done.code or 0)
    except GoalkeeperError as exc:
        error = exc
    except KeyboardInterrupt as exc:
        error = Interrupted(exc)
    except Exception as exc:
        error = _bug(exc, args, world)
    render.show_error(error, world, as_json=as_json)
    return error.exit_code


def overview() -> str:
    return (
        "usage: goalkeeper COMMAND [options]\n\n"
        "Keeps a coding agent on a goal until an independent witness has proved it met.\n\n"
        f"{_list_commands(FOR_PEOPLE)}\n\n"
        "more:\n"
        "  goalkeeper agent --help   what agents and scripts call: create-goals, judge, …\n"
        "  goalkeeper help all       every command\n"
        "  goalkeeper help TOPIC     a document: quickstart, drafts, configuration, …\n"
        "  goalkeeper help topics    the names of all documents\n\n"
        "every command takes --help and --json; those that work on a run take --run ID\n"
        'example:\n  goalkeeper run "Amounts may carry thousands separators"\n\n' + EXIT_CODES
    )


def overview_for_agents() -> str:
    return (
        "usage: goalkeeper COMMAND [options]\n\n"
        "What agents and scripts call while they work on a plan; the skills of\n"
        "`goalkeeper install CLIENT` tell an agent when.\n\n"
        f"{_list_commands(FOR_AGENTS)}\n\n"
        "every command takes --help and --json; those that work on a run take --run ID\n"
        'example:\n  goalkeeper create-goals --brief "Parse the intake CSVs"\n\n' + EXIT_CODES
    )


def _list_commands(names: Collection[str]) -> str:
    width = max(map(len, names))
    return "commands:\n" + "\n".join(f"  {n.ljust(width)}  {COMMANDS[n].summary}" for n in names)


def _dispatch(args: list[str], world: World, *, as_json: bool) -> int:
    names = [arg for arg in args if arg not in _HELP and not arg.startswith(_GLOBAL_FLAGS)]
    if not names or args[0] in (*_HELP, _AGENT) or {"--help", "-h"} & set(args):
        render.write(world.stdout, _help(names, is_topic=args[:1] == ["help"]))
        return 0
    name = args[0]
    if name == "--version":
        render.write(world.stdout, f"goalkeeper {goalkeeper.__version__}\n")
        return 0
    if name not in COMMANDS:
        raise _unknown_command(name)
    arguments = parser_for(name).parse_args(args[1:])
    module = load_module(name)
    called = getattr(arguments, "verb", name).replace("-", "_")
    answer = getattr(module, f"run_{called}", None) or module.run
    app = open_app(world)
    reply = answer(arguments, app)
    render.show(reply, world, as_json=as_json, warned=app.warned)
    return int(reply.exit_code)


def _global_flags_last(args: list[str]) -> list[str]:
    """Let `goalkeeper --run ID status` and `goal --json get` mean what they say."""
    kept: list[str] = []
    moved: list[str] = []
    rest = iter(args)
    for arg in rest:
        if arg.split("=", 1)[0] not in _GLOBAL_FLAGS:
            kept.append(arg)
        else:
            moved += [arg, *itertools.islice(rest, 1)] if arg == "--run" else [arg]
    return kept + moved


def _help(names: list[str], *, is_topic: bool) -> str:
    """Return the help of the command or verb that is named, a document, or the first help."""
    if not names or names[0] == "--version":
        return overview() + "\n"
    if names[0] == _AGENT:
        return overview_for_agents() + "\n"
    if is_topic and names[0] not in COMMANDS:
        return _read_topic(names[0])
    if names[0] not in COMMANDS:
        raise _unknown_command(names[0])
    parser = parser_for(names[0])
    verbs = parser.verbs.choices if parser.verbs else {}
    verb = next((name for name in names[1:2] if name in verbs), "")
    return (verbs[verb] if verb else parser).format_help()


def _read_topic(name: str) -> str:
    if name == "all":
        return _list_commands(COMMANDS) + "\n"
    if name == "topics":
        return "".join(f"goalkeeper help {topic}\n" for topic in list_topics())
    text = read_topic(name)
    if not text:
        hint = f"goalkeeper help {find_nearest(name, (*COMMANDS, *list_topics())) or 'topics'}"
        raise UsageError(problem=f"there is no command or document '{name}'", hint=hint)
    return text


def _unknown_command(name: str) -> UsageError:
    hint = f"goalkeeper {find_nearest(name, COMMANDS) or '--help'}"
    what = "option" if name.startswith("-") else "command"
    return UsageError(problem=f"there is no {what} '{name}'", hint=hint)


def _as_text(args: Sequence[str]) -> list[str]:
    """Read arguments as UTF-8, whatever the locale says: they end up in JSON."""
    try:
        return [os.fsencode(arg).decode() for arg in args]
    except UnicodeError as exc:
        raise UsageError(problem="an argument is not UTF-8", hint="goalkeeper --help") from exc


def _tolerate_any_text(world: World) -> None:
    for stream in (world.stdout, world.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _bug(exc: Exception, args: Sequence[str], world: World) -> Bug:
    import traceback  # noqa: PLC0415  for bugs only

    from goalkeeper.system.redaction import Redactor  # noqa: PLC0415  for bugs only

    story = f"{world.clock()} goalkeeper {' '.join(map(repr, args))}\n"
    story += "".join(traceback.format_exception(exc))
    story, problem = map(Redactor(world.environ).clean_text, (story, repr(exc)))
    path = os.path.join(layout.state_home(world.environ), "crash.log")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as log:
            log.write(story)
    except OSError:
        return Bug(problem=problem, where=story)
    return Bug(problem=problem, where=f"The story is in {path}.")
