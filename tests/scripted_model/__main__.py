"""`python -m tests.scripted_model --script FILE`: the scripted model as a program."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import suppress

from goalkeeper.storage.disk import Disk
from tests.scripted_model.lanes import Lanes
from tests.scripted_model.reading import ScriptInvalid, read_script
from tests.scripted_model.script import DEFAULT, Script
from tests.scripted_model.server import Server


def main(argv: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        script = _script(options.script) if options.script else DEFAULT
        if options.log:
            os.makedirs(options.log, exist_ok=True)
        with Server(Lanes(script, options.log), port=options.port) as server:
            _announce(server, options.port_file)
            with suppress(KeyboardInterrupt):
                server.serve_forever()
    except (OSError, OverflowError, ScriptInvalid) as exc:
        parser.error(str(exc))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.scripted_model",
        description="Serve a model that follows a script, on loopback.",
    )
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument("--port-file", default="", help="write the port here when ready")
    parser.add_argument("--script", default="", help="for lanes that were given none; JSON")
    parser.add_argument("--log", default="", help="a folder: one JSON file for each request")
    return parser


def _script(path: str) -> Script:
    with open(path, "rb") as file:
        data = file.read()
    try:
        return read_script(json.loads(data))
    except ScriptInvalid as exc:
        raise ScriptInvalid([f"{path}: {problem}" for problem in exc.problems]) from exc
    except (ValueError, RecursionError) as exc:
        raise ScriptInvalid([f"{path}: not JSON: {exc}"]) from exc


def _announce(server: Server, port_file: str) -> None:
    if port_file:
        Disk().replace(port_file, str(server.port).encode())
    sys.stdout.write(f"listening on {server.url}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
