"""Plans of campaigns: how they are read, made of a brief, criticised and frozen."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from goalkeeper import wiring
from goalkeeper.bootstrap import App
from goalkeeper.campaign.roles import PlanningDesk
from goalkeeper.cli import clients
from goalkeeper.cli.campaign_words import locate_path
from goalkeeper.cli.inputs import text_file
from goalkeeper.core.campaign.briefs import has_goals, read_goals
from goalkeeper.core.campaign.critic import criticise
from goalkeeper.core.campaign.decompose import decompose
from goalkeeper.core.campaign.document import read_plan, read_specs
from goalkeeper.core.campaign.events import CampaignMade
from goalkeeper.core.campaign.findings import CriticFinding
from goalkeeper.core.campaign.plan import MasterPlan
from goalkeeper.core.plan.model import Refused
from goalkeeper.core.problems import Problem
from goalkeeper.errors import BriefInvalid, UsageError
from goalkeeper.storage.campaigns import FileCampaign
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.safe_open import make_folder, replace_file
from goalkeeper.tamper.dangerous import find_dangers

Findings = tuple[CriticFinding, ...]
_PLAN_LIMIT_BYTES = 16 << 20
_PLAN_FILES = (".md", ".yaml", ".yml")
_MOST_PROBLEMS = 20  # nobody reads more of them at once


def freeze_plan(app: App, plan: MasterPlan, text: str) -> tuple[FileCampaign | Refused, Findings]:
    """Make a campaign of a plan, unless the critic found something that blocks."""
    found = criticise_plan(plan)
    if any(each.is_blocking for each in found):
        said = f"The plan has {len(found)} findings, and it is not frozen with them."
        hint = "mend the plan, then goalkeeper campaign plan"
        return Refused("plan-refused", said, hint), found
    base = wiring.take_snapshot(app)
    base = base.replace(commit=wiring.open_trees(app).commit_of(base))
    made = wiring.open_campaigns(app).create(
        lambda campaign_id: CampaignMade(
            campaign_id, plan, text, f"goalkeeper/campaign-{campaign_id}", base
        ),
        suffix=app.world.suffix(), at=app.clock(), actor=app.actor,
    )  # fmt: skip
    wiring.make_branch(app, made.read())
    return made, found


def criticise_plan(plan: MasterPlan) -> Findings:
    return criticise(
        plan, lambda command: [f"{each.what}: {each.reason}" for each in find_dangers(command)]
    )


def read_given_plan(app: App, source: str, specs: str) -> tuple[MasterPlan, str]:
    """Read a plan from a file, or from a folder of session specs; return it and its text."""
    read: MasterPlan | tuple[Problem, ...]
    if specs:
        folder = locate_path(app, specs)
        if not os.path.isdir(folder):
            raise UsageError(
                problem=f"{specs} is no folder", hint="goalkeeper campaign plan --help"
            )
        names = [name for name in sorted(os.listdir(folder)) if _is_spec(folder, name)]
        texts = {name: _read_text(app, os.path.join(folder, name)) for name in names}
        read, text = read_specs(texts), "\n\n".join(texts.values())
    else:
        text = read_plan_text(app, source)
        read = read_goals(text, source) if has_goals(text) else read_plan(text, source)
    if isinstance(read, tuple):
        raise refuse_reading(source or specs, read)
    return read, text


def refuse_reading(source: str, problems: Sequence[Problem], hint: str = "") -> BriefInvalid:
    more = len(problems) - _MOST_PROBLEMS
    told = [*map(str, problems[:_MOST_PROBLEMS]), *([f"and {more} more"] if more > 0 else [])]
    usual = "mend the plan, then goalkeeper campaign plan; nothing was written"
    return BriefInvalid(source=source, problems="; ".join(told), hint=hint or usual)


def _is_spec(folder: str, name: str) -> bool:
    """Return whether a name is that of a spec; a folder or a pipe is none, whatever its name."""
    path = os.path.join(folder, name)
    return name.endswith(_PLAN_FILES) and (os.path.isfile(path) or not os.path.exists(path))


def plan_sentence(args: argparse.Namespace, app: App) -> tuple[MasterPlan, str]:
    """Have a planner write a plan for a sentence; return it and its text."""

    def find_problems(text: str) -> list[str]:
        read = read_plan(text)
        if isinstance(read, tuple):
            return list(map(str, read))
        divided = read if read.sessions else divide_plan(read, args.by)
        blocking = [each for each in criticise_plan(divided) if each.is_blocking]
        return [f"{each.where}: {each.message} {each.mend}" for each in blocking]

    with _open_desk(args, app, args.agent) as desk:
        text = desk.ask_planner(args.sentence, find_problems)
    read = read_plan(text)
    if isinstance(read, tuple):
        raise refuse_reading("The planner's plan", read)
    return read, text


def ask_plan_critic(args: argparse.Namespace, app: App, text: str) -> Findings:
    """Ask an agent what is wrong with a plan, if the user wants one to be asked."""
    if not args.critic:
        return ()
    with _open_desk(args, app, args.critic) as desk:
        return desk.ask_critic(text)


@contextmanager
def _open_desk(args: argparse.Namespace, app: App, name: str) -> Iterator[PlanningDesk]:
    named = argparse.Namespace(**{**vars(args), "agent": name})
    client = clients.choose_client(named, app, None)
    clients.require_usable(client, app)
    base = wiring.take_snapshot(app)
    commit = wiring.open_trees(app).commit_of(base)
    with wiring.hold_review_lock(app), tempfile.TemporaryDirectory(prefix="plan-") as place:
        yield PlanningDesk(wiring.open_planning(app, client, place), commit, args.model)


def divide_plan(plan: MasterPlan, by: str) -> MasterPlan:
    """Make sessions of the steps of a plan: by files, by goal, or so many."""
    try:
        return decompose(plan, int(by) if by.isascii() and by.isdecimal() else by)
    except ValueError as exc:
        problem = f"--by takes files, goal or a number of sessions, and not {by}"
        raise UsageError(problem=problem, hint="goalkeeper campaign plan --help") from exc


def write_specs(app: App, folder: str, specs: Mapping[str, str]) -> None:
    """Write session specs into a new or empty folder; nothing that is there is overwritten."""
    place = locate_path(app, folder)
    if os.path.isdir(place) and os.listdir(place):
        problem = f"{folder} has files already, and none of them is overwritten"
        raise UsageError(problem=problem, hint="name another folder with --out")
    with disk_errors("write the session specs to", place):
        make_folder(place)
        for name, text in specs.items():
            replace_file(os.path.join(place, name), text.encode())


def read_plan_text(app: App, source: str) -> str:
    return _read_text(app, locate_path(app, source))


def _read_text(app: App, path: str) -> str:
    return text_file(app, path, "the plan", limit_bytes=_PLAN_LIMIT_BYTES)
