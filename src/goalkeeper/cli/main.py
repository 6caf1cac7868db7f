"""From argv to an exit code. Everything a command can end in is translated here."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from goalkeeper.bootstrap import World, open_app, state_home
from goalkeeper.cli import render
from goalkeeper.cli.parsing import EXIT_CODES, Parser
from goalkeeper.cli.table import COMMANDS
from goalkeeper.errors import Bug, GoalkeeperError, Interrupted, UsageError

_GLOBAL_FLAGS = ("--run", "--json")


def main(argv: Sequence[str] | None = None, world: World | None = None) -> int:
    args = list(sys.argv[1:] if argv is None else argv)
    world = world or World.real()
    _tolerate_any_text(world)
    as_json = "--json" in args
    error: GoalkeeperError
    try:
        return _dispatch(_command_first(args), world, as_json=as_json)
    except SystemExit as done:  # argparse, after printing help
        return int(done.code or 0)
    except GoalkeeperError as exc:
        error = exc
    except KeyboardInterrupt:
        error = Interrupted()
    except Exception as exc:
        error = _bug(exc, args, world)
    render.show_error(error, world, as_json=as_json)
    return error.exit_code


def parser_for(name: str) -> Parser:
    spec = COMMANDS[name]
    parser = Parser(f"goalkeeper {name}", summary=spec.summary, example=spec.example)
    configure(name, parser)
    return parser


def configure(name: str, parser: Parser) -> None:
    import_module(f"goalkeeper.cli.commands.{COMMANDS[name].module}").configure(parser)


def overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name.ljust(width)}  {spec.summary}" for name, spec in COMMANDS.items()]
    return (
        "usage: goalkeeper COMMAND [options]\n\n"
        "Keeps a coding agent on a goal until an independent witness has proved it met.\n\n"
        "commands:\n" + "\n".join(lines) + "\n\n"
        "every command takes --help, --json and --run ID\n"
        'example:\n  goalkeeper create-goals --brief "Parse the intake CSVs"\n\n' + EXIT_CODES
    )


def _dispatch(args: list[str], world: World, *, as_json: bool) -> int:
    name = args[0] if args else "--help"
    if name in {"--help", "-h", "help"}:
        return _help(args[1:], world)
    if name == "--version":
        import goalkeeper  # noqa: PLC0415  looking the version up is slow

        world.stdout.write(f"goalkeeper {goalkeeper.__version__}\n")
        return 0
    if name not in COMMANDS:
        raise _unknown_command(name)
    module = import_module(f"goalkeeper.cli.commands.{COMMANDS[name].module}")
    arguments = parser_for(name).parse_args(args[1:])
    _check_text(args)
    reply = module.run(arguments, open_app(world))
    render.show(reply, world, as_json=as_json)
    return int(reply.exit_code)


def _command_first(args: list[str]) -> list[str]:
    """`goalkeeper --run ID status` means `goalkeeper status --run ID`."""
    leading: list[str] = []
    rest = list(args)
    while rest and rest[0].split("=", 1)[0] in _GLOBAL_FLAGS:
        takes_value = rest[0] == "--run"
        leading += rest[: 2 if takes_value else 1]
        rest = rest[2 if takes_value else 1 :]
    return [*rest[:1], *_after_verb(rest[1:], leading)]


def _after_verb(rest: list[str], leading: list[str]) -> list[str]:
    verbs = rest[:1] if rest and not rest[0].startswith("-") else []
    return [*verbs, *leading, *rest[len(verbs) :]]


def _help(names: list[str], world: World) -> int:
    name = names[0] if names else ""
    if name and name not in COMMANDS:
        raise _unknown_command(name)
    world.stdout.write(parser_for(name).format_help() if name else overview() + "\n")
    return 0


def _unknown_command(name: str) -> UsageError:
    from difflib import get_close_matches  # noqa: PLC0415  only when needed

    near = get_close_matches(name, COMMANDS, n=1)
    hint = f"goalkeeper {near[0]}" if near else "goalkeeper --help"
    return UsageError(problem=f"there is no command '{name}'", hint=hint)


def _check_text(args: Sequence[str]) -> None:
    """Arguments end up in JSON; bytes that are not UTF-8 cannot."""
    for arg in args:
        try:
            arg.encode()
        except UnicodeEncodeError:
            raise UsageError(problem=f"an argument is not UTF-8: {arg!a}") from None


def _tolerate_any_text(world: World) -> None:
    for stream in (world.stdout, world.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _bug(exc: Exception, args: Sequence[str], world: World) -> Bug:
    import traceback  # noqa: PLC0415  for bugs only

    story = f"{world.clock()} goalkeeper {' '.join(map(repr, args))}\n"
    story += "".join(traceback.format_exception(exc))
    path = os.path.join(state_home(world.environ), "crash.log")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as log:
            log.write(story)
    except OSError:
        return Bug(problem=repr(exc), where=story)
    return Bug(problem=repr(exc), where=f"The story is in {path}.")
