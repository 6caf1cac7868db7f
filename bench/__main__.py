"""`make bench`: every table of docs/benchmarks.md, in one run."""

from __future__ import annotations

import argparse
import compileall
import sys
import tempfile
from pathlib import Path

from bench.appends import appends
from bench.claims.measure import labelled
from bench.doubt import doubt
from bench.gate import gate
from bench.growth import growth, memory, runs
from bench.hooks import hooks
from bench.loop import drives
from bench.plan import whole_plan
from bench.schedule import schedule
from bench.startup import startup
from bench.witness import big_tree, many_checks, overhead

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, help="runs of each command")
    parser.add_argument("--events", type=int, default=1_000_000, help="the longest ledger")
    args = parser.parse_args()
    compileall.compile_dir(HERE.parent / "src", quiet=1)  # as an installed package would be
    goalkeeper = str(Path(sys.executable).parent / "goalkeeper")
    sizes = tuple(sorted({1000, min(100_000, args.events), args.events}))
    with tempfile.TemporaryDirectory(prefix="goalkeeper-bench-") as folder:
        work = Path(folder)
        print("## Claims\n\n" + labelled())
        print("\n## Start-up\n\n" + startup(work, goalkeeper, rounds=args.rounds))
        print("\n## Hooks\n\n" + hooks(work, goalkeeper, rounds=args.rounds))
        print("\n## Durable appends\n\n" + appends(work, rounds=args.rounds))
        print("\n## Growth with the ledger\n")
        print(growth(work, goalkeeper, sizes=sizes, rounds=args.rounds))
        print("\n" + memory(work, goalkeeper, events=args.events))
        print("\n" + runs(work, goalkeeper))
        few = max(args.rounds // 5, 1)
        print("\n## Proofs\n\n" + big_tree(work, goalkeeper, rounds=few))
        print("\n" + overhead(work, goalkeeper, rounds=few))
        print("\n" + many_checks(work, goalkeeper, rounds=few))
        print("\n## Doubt\n\n" + doubt(work, goalkeeper, rounds=max(few // 2, 1)))
        print("\n## Gate\n\n" + gate(work, goalkeeper, rounds=few))
        print("\n## Plans\n\n" + whole_plan(work, goalkeeper))
        print("\n## Drives\n\n" + drives(work, goalkeeper, rounds=few))
        print("\n## Campaigns\n\n" + schedule())


if __name__ == "__main__":
    main()
