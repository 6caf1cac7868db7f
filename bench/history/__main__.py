"""`make bench-history`: reads the releases of real packages as if each were a goal's change.

Nobody cheated there, so whatever closes the gate is a false alarm or has to be explained.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from pathlib import Path

from bench.history.report import describe, report
from bench.history.steps import read_list, read_project

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.history",
        description=__doc__,
        epilog="example: python -m bench.history --list mine.toml --limit 30 --explain",
    )
    usual = HERE / "projects.toml"
    parser.add_argument("--list", type=Path, default=usual, help="a file that names projects")
    parser.add_argument("--limit", type=int, default=20, help="steps of each project, the last")
    parser.add_argument("--files", type=int, default=sys.maxsize, help="only steps as small")
    parser.add_argument("--only", default="", help="projects whose names have this in them")
    parser.add_argument("--explain", action="store_true", help="show each finding with its lines")
    parser.add_argument("--json", action="store_true", help="print every step as JSON")
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    kept = Path(home) / "goalkeeper-history"
    parser.add_argument("--cache", type=Path, default=kept, help="where releases are kept")
    args = parser.parse_args()
    gc.set_threshold(100_000)  # as the command line does, whose time this is
    steps = [
        step
        for project in read_list(args.list)
        if args.only in project.name
        for step in read_project(project, args.cache, most=args.limit, most_files=args.files)
    ]
    if args.json:
        print(json.dumps([describe(step) for step in steps], indent=1))
    else:
        print(report(steps, explain=args.explain))


if __name__ == "__main__":
    main()
