"""The program."""

import argparse
import sys
from datetime import date
from pathlib import Path

from shelf.catalogue import Catalogue


def search(args):
    for item in Catalogue.parse(args.catalogue.read_text()).search(args.word):
        print(f"{item.title} ({item.kind})")
    return 0


def due(args):
    print("due: not implemented", file=sys.stderr)
    return 2


def main(argv=None):
    parser = argparse.ArgumentParser(prog="shelf")
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("search")
    command.add_argument("catalogue", type=Path)
    command.add_argument("word")
    command.set_defaults(run=search)
    command = commands.add_parser("due")
    command.add_argument("kind")
    command.add_argument("lent", type=date.fromisoformat)
    command.add_argument("--open", default="mon-fri")
    command.add_argument("--closed", type=date.fromisoformat, action="append", default=[])
    command.add_argument("--member", default="adult")
    command.set_defaults(run=due)
    args = parser.parse_args(argv)
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
