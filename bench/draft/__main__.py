"""`python -m bench.draft` measures drafts; `--validate` asks whether the corpus is right."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor

from bench.draft.measure import measure
from bench.draft.task import DraftTask, load_tasks
from bench.draft.validate import find_faults


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.draft")
    parser.add_argument("--validate", action="store_true", help="run the corpus's own tests")
    parser.add_argument("--only", default="", metavar="WORDS", help="tasks whose names have one")
    parser.add_argument("--kinds", default="", metavar="WORDS", help="kinds of examiners")
    parser.add_argument("--agent", default="", help="a real examiner in their place")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if args.validate:
        return _validate(args.only, args.jobs)
    data, page = measure(only=args.only, kinds=args.kinds, agent=args.agent, jobs=args.jobs)
    print(page)
    return 0 if data["ok"] else 1


def _validate(only: str, jobs: int) -> int:
    tasks = load_tasks(only)
    with ProcessPoolExecutor(jobs) as pool:
        faults = [fault for found in pool.map(_list_faults, tasks) for fault in found]
    print("\n".join(faults) or f"{len(tasks)} tasks are as they should be")
    return 1 if faults else 0


def _list_faults(task: DraftTask) -> list[str]:
    return [f"{task.name}: {fault}" for fault in find_faults(task)]


if __name__ == "__main__":
    sys.exit(main())
