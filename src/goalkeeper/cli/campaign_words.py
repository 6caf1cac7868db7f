"""The sessions that words name, and the words with which a campaign starts its sessions."""

from __future__ import annotations

import argparse
import os
from itertools import pairwise

from goalkeeper.bootstrap import App
from goalkeeper.cli import clients
from goalkeeper.core.campaign.state import Campaign, CampaignTerms, SessionState
from goalkeeper.core.drive.state import Budget, Drive
from goalkeeper.core.plan.model import Plan
from goalkeeper.core.problems import clip_line
from goalkeeper.errors import UsageError

_MOST_DIGITS = 9  # of the number of a session


def require_session(campaign: Campaign, session_id: str) -> SessionState:
    """Find a session by its id, or by its number alone."""
    is_number = session_id.isascii() and session_id.isdecimal() and len(session_id) <= _MOST_DIGITS
    wanted = f"S{int(session_id):02d}" if is_number else session_id.upper()
    if wanted not in campaign.sessions:
        known = ", ".join(list(campaign.sessions)[:10])
        named = clip_line(session_id, 60)
        problem = f"campaign {campaign.campaign_id} has no session {named}; it has {known}"
        raise UsageError(problem=problem, hint="goalkeeper campaign status")
    return campaign.sessions[wanted]


def find_unusable(app: App, words: list[str]) -> tuple[str, str]:
    """Say why the agent that these words name cannot work here, and what helps; or nothing."""
    named = argparse.Namespace(script="", command="", model="")
    for name, word in pairwise(words):
        if name in {"--agent", "--script", "--command"}:
            setattr(named, name.removeprefix("--"), word)
    client = clients.choose_client(named, app, None)
    found = clients.probe_client(client, app)
    return found.problem, found.hint


def list_child_words(
    campaign: Campaign, session: SessionState, plan: Plan | None = None
) -> list[str]:
    """List the words of the command that drives the run of a session; `plan` is its run's."""
    terms = campaign.terms or CampaignTerms("")
    options = list(terms.agent_options)
    if plan and plan.drive:
        options = _allow_iterations(options, plan, plan.drive)
    if "--script" in options:  # a folder has a story for each session
        place = options.index("--script") + 1
        if os.path.isdir(options[place]):
            options[place] = os.path.join(options[place], f"{session.id}.json")
    words = ["run", "--run", session.run_id, "--agent", terms.agent, *options, "--json"]
    model = terms.model or session.planned.model
    if model and terms.agent not in {"rehearsal", "command"}:
        words += ["--model", model]
    share, spent = session.slice, session.spend
    if share.microdollars:
        words += ["--max-cost", f"{((spent.microdollars or 0) + share.microdollars) / 1e6:.6f}"]
    if share.tokens:
        words += ["--max-tokens", str(spent.tokens + share.tokens)]
    if share.seconds:
        words += ["--max-time", str(share.seconds + session.milliseconds // 1000)]
    return words


def _allow_iterations(options: list[str], plan: Plan, drive: Drive) -> list[str]:
    """Let a recovery try its step as often as the agent before it; a run counts all of them."""
    most, others = Budget.iterations, options
    if "--max-iterations" in options:
        place = options.index("--max-iterations")
        most, others = int(options[place + 1]), options[:place] + options[place + 2 :]
    tried = max((goal.iteration for goal in plan.goals if not goal.is_over), default=0)
    # A drive that was killed goes on, and its limit stays as it is.
    limit = most + tried if drive.ended else drive.budget.iterations
    return [*others, "--max-iterations", str(limit)]


def locate_path(app: App, path: str) -> str:
    return os.path.join(app.world.cwd, path)
