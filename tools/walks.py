"""Prints how far three commands walk through src/goalkeeper: functions, files, repeated questions.

The stories are a judge that passes, a checkpoint that completes a goal and issues its receipt, and
a run in which the rehearsal agent needs four iterations. Each is the command itself, called in a
process of its own, in a repository that is made for it. Only the functions of that process count,
in all of its threads; the programs that it starts do not. Lambdas and comprehensions do not count.

`python -m tools.walks` measures this checkout, `--src DIR` another one by the Python of its .venv;
`--compare DIR` prints the figures of an earlier checkout beside them.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import FrameType

from tools.house import find_checkout, format_table

HERE = Path(__file__).parent.parent
GOAL = "G001"
STORIES: Mapping[str, Sequence[str]] = {
    "judge": ("judge",),
    "checkpoint": ("checkpoint", "--goal-id", GOAL, "--status", "complete", "--evidence", "done"),
    "run": ("run", "--brief-file", "brief.md", "--gate", "standard", "--script", "../story.json"),
}
PREPARATIONS: Sequence[Sequence[str]] = (
    ("create-goals", "--gate", "standard", "--brief-file", "brief.md"),
    ("contract", "freeze", "--goal-id", GOAL),
    ("complete-goals",),
)
# The functions that answer a question, as module:name. A version that renames one of them adds its
# own spelling, and this script goes on measuring the versions before it.
QUESTIONS: Mapping[str, Sequence[str]] = {
    "loads of the run": ("goalkeeper.storage.run:FileRun.load",),
    "calls of decide": ("goalkeeper.core.decide:decide",),
    "settings asked for": (
        "goalkeeper.witness.witness:Witness.settings",
        "goalkeeper.witness.witness:GitWitness.settings_of",
        "goalkeeper.bootstrap:App.settings",
        "goalkeeper.storage.settings:find_settings",
    ),
}
LIMITS = {("checkpoint", "loads of the run"): "3"}


class DemoProject:
    """The project of the demo, as it is when a story begins, with a home of its own."""

    def __init__(self, checkout: Path, place: Path) -> None:
        self.bin = checkout / ".venv" / "bin"
        self.folder = place / "amounts"
        home = place / "home"
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        who = {"NAME": "Somebody", "EMAIL": "somebody@localhost"}
        git = {f"GIT_{by}_{key}": who[key] for by in ("AUTHOR", "COMMITTER") for key in who}
        self.environ = {**kept, **git, "HOME": str(home)}
        home.mkdir()
        self.folder.mkdir()
        material = next((checkout / "src").rglob("story.json")).parent
        self.acts = json.loads((material / "story.json").read_bytes())
        (place / "story.json").write_text(json.dumps(self.acts))
        for path in material.iterdir():
            if path != material / "story.json":
                (self.folder / path.name.removesuffix(".txt")).write_bytes(path.read_bytes())
        for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "-m", "base")):
            self.call("git", *words)

    def call(self, *argv: str | Path, cwd: Path | None = None) -> None:
        done = subprocess.run(
            argv, cwd=cwd or self.folder, env=self.environ, input=b"", capture_output=True,
            check=False,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{argv} ended with {done.returncode}: {done.stderr.decode()}")

    def finish_work(self) -> None:
        """Plan the goal and do its work, as the agent does it in the last iteration."""
        for words in PREPARATIONS:
            self.call(self.bin / "goalkeeper", *words)
        for act in self.acts[GOAL]["4"]:
            if "write" in act:
                (self.folder / act["write"]["path"]).write_text(act["write"]["text"])


def measure_checkout(checkout: Path) -> dict[tuple[str, str], int]:
    """What was counted, by story and figure."""
    measured: dict[tuple[str, str], int] = {}
    for story in STORIES:
        with tempfile.TemporaryDirectory(prefix="goalkeeper-walk-") as place:
            project, result = DemoProject(checkout, Path(place)), Path(place, "result.json")
            if story != "run":
                project.finish_work()
            argv = (project.bin / "python", "-m", "tools.walks", "--walk", story)
            project.call(*argv, project.folder, result, cwd=HERE)
            found = json.loads(result.read_text())
        measured |= {(story, figure): count for figure, count in found.items()}
    return measured


def take_walk(story: str, project: str, result: str) -> None:
    """Call the command of a story in this process, and write down what was called."""
    calls: Counter[str] = Counter()
    files: set[str] = set()

    def count_call(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(package):
            calls[f"{frame.f_globals['__name__']}:{code.co_qualname}"] += 1
            files.add(code.co_filename)

    package = str(import_module("goalkeeper").__path__[0])
    main = import_module("goalkeeper.cli.main").main
    os.chdir(project)
    threading.setprofile(count_call)
    sys.setprofile(count_call)
    exit_code = main(STORIES[story])
    sys.setprofile(None)
    threading.setprofile(None)
    assert exit_code == 0, f"{story} ended with {exit_code}"
    figures = {"functions": len(calls), "files": len(files)}
    for question, spellings in QUESTIONS.items():
        assert any(map(is_there, spellings)), f"{question}: none of {spellings} is in this checkout"
        figures[question] = sum(calls[spelling] for spelling in spellings)
    Path(result).write_text(json.dumps(figures))


def is_there(spelling: str) -> bool:
    module, _, name = spelling.partition(":")
    try:
        return callable(attrgetter(name)(import_module(module)))
    except (ImportError, AttributeError):
        return False


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.walks")
    parser.add_argument("--src", type=find_checkout, default=__file__, help="another checkout")
    parser.add_argument("--compare", type=find_checkout, help="an earlier checkout")
    parser.add_argument("--walk", nargs=3, metavar=("STORY", "PROJECT", "RESULT"),
                        help="take one walk; the script calls itself like this")  # fmt: skip
    args = parser.parse_args()
    if args.walk:
        take_walk(*args.walk)
        return
    measured = {name: measure_checkout(checkout)
                for name, checkout in (("before", args.compare), ("value", args.src))
                if checkout}  # fmt: skip
    rows = [["story", "figure", *measured, "limit"]]
    rows += [
        [*key, *(str(each[key]) for each in measured.values()), LIMITS.get(key, "")]
        for key in measured["value"]
    ]
    print(format_table(rows))


if __name__ == "__main__":
    main()
