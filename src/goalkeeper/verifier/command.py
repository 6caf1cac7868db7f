"""The command line: options, files, and the answer in words or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

from goalkeeper.verifier.inquiry import verify_receipt
from goalkeeper.verifier.statement import ISOLATIONS, KINDS, MOST_BYTES


def add_options(parser: argparse.ArgumentParser) -> None:
    said = "a file, or - for standard input; default: the note of the commit"
    parser.add_argument("receipt", nargs="?", default="", metavar="FILE", help=said)
    parser.add_argument("--key", action="append", default=[], metavar="FILE",
                        help="public keys (PEM) that are trusted; may be given again")  # fmt: skip
    parser.add_argument("--policy", default="", metavar="FILE", help="demands, as TOML")
    parser.add_argument("--repository", default=".", metavar="DIR", help="default: this folder")
    parser.add_argument("--commit", default="HEAD", metavar="REV", help="default: HEAD")
    parser.add_argument("--tree", default="", metavar="ID",
                        help="hold it against this tree, and ask git nothing")  # fmt: skip
    parser.add_argument("--no-repository", action="store_true", help="ask git nothing")
    parser.add_argument("--kind", choices=KINDS, default="", help="demand this kind")
    parser.add_argument("--run", default="", help="demand this run")
    parser.add_argument("--goal", default="", help="demand this goal")
    parser.add_argument("--isolation", choices=ISOLATIONS, default="", help="at least this level")
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")


class Unusable(Exception):
    """What was asked cannot be answered."""


def answer_command(wanted: argparse.Namespace, stdin: BinaryIO) -> dict[str, Any]:
    """Answer what the command line asks; raise Unusable if that is not possible."""
    if not wanted.key:
        raise Unusable("which key is trusted? Give --key FILE")
    if not wanted.receipt and (wanted.tree or wanted.no_repository):
        raise Unusable("where git is asked nothing there is no note: name the file of a receipt")
    try:
        keys = [_read_bounded(path) for path in wanted.key]
        policy = _read_bounded(wanted.policy) if wanted.policy else None
        given = None
        if wanted.receipt:
            given = (
                stdin.read(MOST_BYTES + 1)
                if wanted.receipt == "-"
                else _read_bounded(wanted.receipt)
            )
    except OSError as exc:
        raise Unusable(str(exc)) from exc
    return verify_receipt(given, keys, wanted, now=time.time(), policy=policy)


def _read_bounded(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(MOST_BYTES + 1)


def main(argv: Sequence[str] | None = None) -> int:
    said = "Start it with python3 -I: then nothing that PYTHONPATH names is imported."
    parser = argparse.ArgumentParser(description="Verify a goalkeeper receipt.", epilog=said)
    add_options(parser)
    wanted = parser.parse_args(argv)
    try:
        answer = answer_command(wanted, sys.stdin.buffer)
    except Unusable as exc:
        sys.stderr.write(f"{exc}\n")
        return 2
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if wanted.json:
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        lines = [f"{each['code']}: {each['message']}" for each in answer["reasons"]]
        lines.append("it holds" if answer["ok"] else "it does not hold")
        lines += [f"open for the user: {each}" for each in answer["left_to_user"]]
        lines += [f"let stand: {each}" for each in answer["let_stand"]]
        sys.stdout.writelines(f"{_make_printable(line)}\n" for line in lines)
    return 0 if answer["ok"] else 1


def _make_printable(text: str) -> str:
    """Remove what would move a cursor, if the text goes to a terminal."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)
