"""`python -m bench.fixes [NAME …]`: releases of real packages as whole judgements."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.fixes.fix import load_fixes
from bench.fixes.trial import FixTrial, try_fix

_HEAD = ("package", "step", "proven", "questions", "seconds", "rests on, or stands against it")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.fixes",
        description=__doc__,
        epilog="example: python -m bench.fixes sqlparse iniconfig:2.3.1",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="packages, or NAME:VERSION")
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    kept = Path(home) / "goalkeeper-history"
    parser.add_argument("--cache", type=Path, default=kept, help="where releases are kept")
    parser.add_argument("--keep", type=Path, help="leave repositories and outputs here")
    args = parser.parse_args()
    trials: list[FixTrial] = []
    with tempfile.TemporaryDirectory(prefix="fixes-") as name:
        for fix in load_fixes(args.names):
            place = (args.keep or Path(name)).resolve() / f"{fix.package}-{fix.new}"
            trials.append(try_fix(fix, args.cache.resolve(), place))
            print(write_table(trials[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    print(write_table(trials))
    proven = sum(trial.is_proven for trial in trials)
    asked = sum(trial.is_only_asked for trial in trials)
    print(f"\n{proven} of {len(trials)} proven as they are; {asked} more only asked about")
    return 0 if proven == len(trials) else 1


def write_table(trials: Sequence[FixTrial]) -> str:
    rows = [_HEAD, ("---",) * len(_HEAD), *map(_make_row, trials)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _make_row(trial: FixTrial) -> tuple[str, ...]:
    fix, told = trial.fix, "; ".join(trial.reasons)
    proven = "yes" if trial.is_proven else "asked" if trial.is_only_asked else "no"
    told = told.replace("|", "/").replace("\n", " ")[:300]
    step, questions = f"{fix.old} to {fix.new}", str(trial.questions or "")
    return fix.package, step, proven, questions, f"{trial.seconds:.0f}", told


if __name__ == "__main__":
    sys.exit(main())
