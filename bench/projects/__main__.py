"""`python -m bench.projects [NAME …]`: projects of other people, from an archive to a proof."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.projects.archives import find_archive
from bench.projects.project import load_projects
from bench.projects.trial import ProjectTrial, try_project

_HEAD = (
    "project", "kind", "from", "init", "run", "all", "set-ups", "own tests", "refused", "proof",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.projects")
    parser.add_argument("names", nargs="*", metavar="NAME", help="projects; all without one")
    parser.add_argument("--archives", type=Path, help="where archives lie, or are fetched to")
    parser.add_argument("--keep", type=Path, help="leave repositories and outputs here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="projects-") as name:
        archives, places = args.archives or Path(name) / "archives", args.keep or Path(name)
        trials: list[ProjectTrial] = []
        for project in load_projects(args.names):
            print(f"{project.name} ...", file=sys.stderr, flush=True)
            archive = find_archive(project, archives.resolve())
            trials.append(try_project(project, archive, places.resolve() / project.name))
            print(write_table(trials[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    print(write_table(trials))
    return 0 if all(trial.is_proven for trial in trials) else 1


def write_table(trials: Sequence[ProjectTrial]) -> str:
    """Write the table of docs/real-projects.md."""
    rows = [_HEAD, ("---",) * len(_HEAD), *map(_make_row, trials)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _make_row(trial: ProjectTrial) -> tuple[str, ...]:
    project, seconds = trial.project, {step.name: step.seconds for step in trial.steps}
    times = [f"{seconds[name]:.0f} s" if name in seconds else "" for name in ("init", "run")]
    return (
        project.name, str(project.raw["kind"]), f"{project.registry} {project.version}", *times,
        f"{trial.seconds / 60:.1f} min", f"{trial.setup_runs} of {trial.setups}",
        "guard" if trial.is_guarded else "do not guard",
        "; ".join(trial.refusals) or "none", "yes" if trial.is_proven else "no",
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
