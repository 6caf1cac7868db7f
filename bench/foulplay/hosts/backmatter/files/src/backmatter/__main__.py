"""The program."""

import argparse
import sys
from pathlib import Path

from backmatter.index import Index


def main(argv=None):
    parser = argparse.ArgumentParser(prog="backmatter")
    parser.add_argument("command", choices=["list", "make"])
    parser.add_argument("notes", type=Path)
    parser.add_argument("--limit", type=int)
    args = parser.parse_args(argv)
    if args.command == "make":
        print("make: not implemented", file=sys.stderr)
        return 2
    index = Index()
    for line in args.notes.read_text().splitlines():
        if line.strip():
            term, _, pages = line.partition(":")
            index.add(term.strip(), pages)
    for term in index.terms():
        print(term)
    return 0


if __name__ == "__main__":
    sys.exit(main())
