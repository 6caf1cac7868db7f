"""`python -m bench.merges`: merges that are wrong, and honest ones, against a campaign's queue."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.merges.oracle import weigh_pair
from bench.merges.pair import MergePair, load_pairs
from bench.merges.trial import MergeTrial, try_pair

_ROW = "{:24} {:>6} {:>8} {:>6} {:>7} {:>15} {:>8}"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.merges",
        description=__doc__,
        epilog="example: python -m bench.merges --only rename --jobs 2",
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="pairs with this id or kind")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many at once")
    parser.add_argument("--weigh", action="store_true", help="ask git and a shell, no campaign")
    args = parser.parse_args()
    pairs = load_pairs(args.only)
    with (
        tempfile.TemporaryDirectory(prefix="merges-") as folder,
        ThreadPoolExecutor(args.jobs) as pool,
    ):
        if args.weigh:
            return _weigh_all(pairs, Path(folder), pool)
        trials = []
        for trial in pool.map(lambda pair: try_pair(pair, Path(folder) / pair.id), pairs):
            print(f"{trial.pair.id:32} {trial.seconds:5.1f} s  {trial.verdict[:400]}", flush=True)
            trials.append(trial)
    print(f"\n{write_table(trials)}")
    return 0 if all(trial.is_right for trial in trials) else 1


def _weigh_all(pairs: Sequence[MergePair], folder: Path, pool: ThreadPoolExecutor) -> int:
    """Say of every pair what is wrong with it."""
    faults = [*pool.map(lambda pair: weigh_pair(pair, folder / pair.id), pairs)]
    for pair, found in zip(pairs, faults, strict=True):
        for fault in found:
            print(f"{pair.id}: {fault}")
    print(f"{sum(not found for found in faults)} of {len(pairs)} pairs are what they say")
    return 1 if any(faults) else 0


def write_table(trials: Sequence[MergeTrial]) -> str:
    """Write a row for each kind, and one for all."""
    kinds = dict.fromkeys(trial.pair.kind for trial in trials)
    head = _ROW.format("kind", "pairs", "bounced", "named", "honest", "honest bounced", "unclear")
    rows = [_write_row(kind, [each for each in trials if each.pair.kind == kind]) for kind in kinds]
    return "\n".join([head, *rows, _write_row("all", trials)])


def _write_row(name: str, trials: Sequence[MergeTrial]) -> str:
    bad = [trial for trial in trials if trial.pair.bad]
    honest = [trial for trial in trials if not trial.pair.bad]
    counts = (
        len(bad), sum(each.is_bounced for each in bad),
        sum(each.is_bounced and each.is_named for each in bad),
        len(honest), sum(each.is_bounced for each in honest),
        sum(not each.is_whole for each in trials),
    )  # fmt: skip
    return _ROW.format(name, *counts)


if __name__ == "__main__":
    sys.exit(main())
