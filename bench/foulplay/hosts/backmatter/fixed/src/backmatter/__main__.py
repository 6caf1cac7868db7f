"""The program."""

import argparse
import sys
from pathlib import Path

from backmatter.errors import PageError, TermError
from backmatter.index import Index


def main(argv=None):
    parser = argparse.ArgumentParser(prog="backmatter")
    parser.add_argument("command", choices=["list", "make"])
    parser.add_argument("notes", type=Path)
    parser.add_argument("--limit", type=int)
    args = parser.parse_args(argv)
    index = Index(args.limit)
    for number, line in enumerate(args.notes.read_text().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            read_line(index, line)
        except (PageError, TermError) as error:
            print(f"line {number}: {error}", file=sys.stderr)
            return 1
    for text in index.terms() if args.command == "list" else index.lines():
        print(text)
    return 0


def read_line(index, line):
    """Read `term: pages`, or `term -> other term`."""
    old, arrow, new = line.partition("->")
    if arrow:
        index.see(old.strip(), new.strip())
    else:
        term, _, pages = line.partition(":")
        index.add(term.strip(), pages)


if __name__ == "__main__":
    sys.exit(main())
