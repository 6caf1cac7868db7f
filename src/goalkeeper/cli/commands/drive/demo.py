"""`demo`: an agent that lies is caught, in a repository made for the demonstration."""

from __future__ import annotations

import argparse
import os
import subprocess
from importlib import resources

from goalkeeper import wiring
from goalkeeper.app.queries.drives import show_report
from goalkeeper.bootstrap import App, open_app
from goalkeeper.cli.options import JSON, Option
from goalkeeper.cli.pages.report import report_page
from goalkeeper.cli.planning import make_provable_plan
from goalkeeper.cli.progress import ProgressLines
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.clients.rehearsal.run import Rehearsal
from goalkeeper.core import next_step
from goalkeeper.core.drive.events import DriveBegan
from goalkeeper.core.drive.phases import Depth
from goalkeeper.core.drive.state import Budget
from goalkeeper.core.plan.model import STANDARD, Plan, Refused
from goalkeeper.errors import UsageError
from goalkeeper.system.scratch import make_scratch

OPTIONS = (Option("--keep FOLDER", "leave the repository there", default=""), JSON)


def run(args: argparse.Namespace, app: App) -> Reply:
    if args.keep:
        if os.path.lexists(args.keep):
            raise UsageError(problem=f"demo: {args.keep} exists", hint="goalkeeper demo")
        os.makedirs(args.keep)
        return _play(os.path.abspath(args.keep), app)
    with make_scratch("demo") as place:
        return _play(place, app)


def _play(place: str, outside: App) -> Reply:
    app = _prepare_project(place, outside)
    say = app.world.stderr.write
    say("# A small project, a brief, and a goal whose contract is red before the work:\n\n")
    say("".join(f"    {line}\n" for line in _read_story("brief.md").splitlines()))
    say("\n# goalkeeper run --brief-file brief.md --gate standard --script story.json\n")
    made = make_provable_plan(app, _read_story("brief.md"), source="brief.md", gate=STANDARD)
    if isinstance(made, Refused):
        return refusal(made)
    client = Rehearsal(os.path.join(place, "story.json"))
    narrator = DemoNarrator(app.world.stderr, app.clock)
    driver = wiring.open_driver(app, made, client, narrator)
    driver.begin_drive(DriveBegan(client.name, Depth.QUICK, Budget()), ())
    plan = driver.run_to_end()
    say("\n")
    data = {"ok": plan.is_complete, **show_report(plan)}
    page = (*report_page(plan), *_read_story("next.txt").splitlines())
    return Reply(data, page)


def _prepare_project(place: str, app: App) -> App:
    """Make the project, with a home of its own."""
    home, project = os.path.join(place, "home"), os.path.join(place, "amounts")
    os.makedirs(home)
    os.makedirs(project)
    for name in ("amounts.py", "test_amounts.py"):
        with open(os.path.join(project, name), "w", encoding="utf-8") as file:
            file.write(_read_story(f"{name}.txt"))
    with open(os.path.join(place, "story.json"), "w", encoding="utf-8") as file:
        file.write(_read_story("story.json"))
    kept = {n: v for n, v in app.world.environ.items() if not n.startswith(("XDG_", "GIT_"))}
    environ = {**kept, "HOME": home}
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@localhost")
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "-m", "base")):
        subprocess.run(["git", *who, *words], cwd=project, env=environ, check=True)
    return open_app(app.world.replace(cwd=project, environ=environ))


def _read_story(name: str) -> str:
    return resources.files("goalkeeper.cli").joinpath("story", name).read_text(encoding="utf-8")


class DemoNarrator(ProgressLines):
    def _tell_step(self, plan: Plan, step: next_step.Step) -> None:
        if isinstance(step, next_step.Exec):
            acts = _read_story("acts.txt").splitlines()
            self._say(f"\n# {''.join(acts[step.iteration - 1 : step.iteration])}")
        super()._tell_step(plan, step)
