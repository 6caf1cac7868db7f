"""The goals of a brief as a campaign: each is a session."""

from __future__ import annotations

import argparse

from goalkeeper.bootstrap import App
from goalkeeper.cli.campaign_runs import drive_campaign
from goalkeeper.cli.campaigning import freeze_plan
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.campaign.briefs import read_goals
from goalkeeper.core.plan.model import Refused
from goalkeeper.errors import BriefInvalid


def run_in_parallel(args: argparse.Namespace, app: App, brief: str, source: str) -> Reply:
    """Make a campaign of the goals of a brief, and run it."""
    plan = read_goals(brief, source)
    if isinstance(plan, tuple):
        problems = "; ".join(map(str, plan))
        raise BriefInvalid(source=source or "The plan", problems=problems)
    made, _ = freeze_plan(app, plan, brief)
    return refusal(made) if isinstance(made, Refused) else drive_campaign(args, app, made)
