"""`python -m bench.against CHECKOUT`: commands of this version beside those of another, in turns.

The tables of `make bench` compare with peers and limits. Two runs of it differ by more than small
losses do, so versions are compared in one run: every round runs every command of both.
"""

from __future__ import annotations

import argparse
import compileall
import tempfile
from pathlib import Path

from bench.timing import measure, median, table
from bench.witness import Project, criterion

HERE = Path(__file__).parents[1]
_ONE_CORE = ("taskset", "-c", "0")
_MANY = 101
_FRESH = ("judge", "--no-cache", "--isolation")
_COMMANDS: dict[str, tuple[str, ...]] = {
    "status": ("status",),
    "contract show": ("contract", "show"),
    "help of judge": ("judge", "--help"),
    f"judge {_MANY} checks again, checkout": ("judge", "--isolation", "checkout"),
    f"judge {_MANY} checks again, sandbox": ("judge", "--isolation", "sandbox"),
    f"judge {_MANY} checks, checkout": (*_FRESH, "checkout"),
    f"judge {_MANY} checks, sandbox": (*_FRESH, "sandbox"),
}


def compare(work: Path, other: Path, *, rounds: int) -> str:
    versions = {"other": other, "this": HERE}
    cases, places, env = {}, {}, {}
    for version, checkout in versions.items():
        compileall.compile_dir(checkout / "src", quiet=1)
        goalkeeper = str(checkout / ".venv/bin/goalkeeper")
        checks = [criterion(n, ["test", "-f", "done"], "src/**, done") for n in range(_MANY)]
        project = Project(work / version, goalkeeper, 20, checks)
        (project.root / "done").write_text("yes\n")
        for name, words in _COMMANDS.items():
            case = f"{version} {name}"
            cases[case] = [*_ONE_CORE, goalkeeper, *words]
            places[case], env[case] = project.root, project.environ
    seconds = measure(cases, rounds=rounds, cwd=places, env=env)
    rows = []
    for name in _COMMANDS:
        before, now = (1000 * median(seconds[f"{version} {name}"]) for version in versions)
        rows.append([name, f"{before:.1f}", f"{now:.1f}", f"{now / before:.2f}×"])
    return table(["command, on one core", "other, ms", "this, ms", "this / other"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.against", description=__doc__)
    parser.add_argument("checkout", type=Path, help="another version, with its .venv")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each command")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="goalkeeper-bench-") as folder:
        print(compare(Path(folder), args.checkout.resolve(), rounds=args.rounds))


if __name__ == "__main__":
    main()
