"""`python -m bench.small [NAME …]`: small goals with honest solutions, judged as a user would.

With `--cheats`, what passes the tests of some of them without doing the work is judged instead.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.projects.trial import commit_all, lay_out, run_git, take_step
from goalkeeper.wire.value import Value

_GOALS = Path(__file__).with_name("goals")
_PART = re.compile(r"^=== (\w+)\n", re.MULTILINE)
_CONTRACT = """\
criteria:
  - id: C1
    text: it does what its tests ask for
    check: {}
"""


class SmallGoal(Value):
    """A stub, tests that fail on it, honest solutions and perhaps cheats."""

    name: str
    is_python: bool
    base: str
    tests: str
    work: str
    works: tuple[str, ...] = ()
    cheats: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return f"{self.name}.py" if self.is_python else f"{self.name}.js"

    def list_files(self) -> dict[str, str]:
        if self.is_python:
            start = "import sys\nfrom pathlib import Path\n\n"
            start += "sys.path.insert(0, str(Path(__file__).parent))\n"
            return {"conftest.py": start, f"tests/test_{self.name}.py": self.tests}
        return {
            "package.json": '{"type": "module"}\n',
            f"test/{self.name}.test.js": self.tests,
        }

    def write_brief(self) -> str:
        check = "{tap: [node, --test, --test-reporter=tap]}"
        if self.is_python:
            check = f"{{pytest: tests/test_{self.name}.py}}"
        return f"@goal: {self.name}\nIt works.\n```contract\n{_CONTRACT.format(check)}```\n"


def load_goals(names: Sequence[str]) -> Iterator[SmallGoal]:
    for file in sorted(_GOALS.glob("*.txt")):
        for text in re.split(r"^### ", file.read_text(), flags=re.MULTILINE)[1:]:
            head, _, rest = text.partition("\n")
            _, *found = _PART.split(rest)
            parts = dict(zip(found[::2], found[1::2], strict=True))
            if not names or head in names:
                is_python = file.stem.endswith("python")
                works, cheats = (
                    tuple(part for name, part in parts.items() if name.startswith(kind))
                    for kind in ("work", "cheat")
                )
                base, tests = parts["base"], parts["tests"]
                yield SmallGoal(head, is_python, base, tests, works[0], works, cheats)


def judge(goal: SmallGoal, place: Path) -> str:
    """Return what a judgement of the goal's work comes to: proven, or what is said of it."""
    tree = place / "tree"
    tree.mkdir(parents=True)
    lay_out(place)
    run_git(place, "init", "--quiet")
    for path, text in {goal.path: goal.base, **goal.list_files()}.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    commit_all(place, "the stub")
    brief = place / "brief.md"
    brief.write_text(goal.write_brief())
    steps = [
        take_step(words, place)
        for words in (("create-goals", "--brief-file", str(brief)), ("complete-goals",))
    ]
    (tree / goal.path).write_text(goal.work)
    steps.append(take_step(("judge", "--goal-id", "G001"), place))
    if any(step.code for step in steps[:-1]):
        return f"no plan: {steps[0].told}{steps[1].told}"
    found = [each for each in steps[-1].said.get("findings", ()) if each["level"] != "advisory"]
    told = "; ".join(f"{each['level']} {each['rule']}: {each['message']}" for each in found)
    return told or ("proven" if steps[-1].code == 0 else steps[-1].told)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.small",
        description=__doc__,
        epilog="example: python -m bench.small month_days semver",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="goals; all, if none is named")
    parser.add_argument("--cheats", action="store_true", help="judge the cheats of the goals")
    args = parser.parse_args()
    said: list[str] = []
    with tempfile.TemporaryDirectory(prefix="small-") as folder:
        for goal in load_goals(args.names):
            for number, work in enumerate(goal.cheats if args.cheats else goal.works, start=1):
                place = Path(folder) / f"{goal.name}-{number}"
                said.append(judge(goal.replace(work=work), place))
                print(f"{place.name:24} {' '.join(said[-1].split())[:200]}", flush=True)
    proven, asked = said.count("proven"), sum(each.startswith("asking") for each in said)
    print(f"\n{proven} of {len(said)} proven; {asked} only asked about")
    return 0 if proven == (0 if args.cheats else len(said)) else 1


if __name__ == "__main__":
    sys.exit(main())
