"""What the verbs of `campaign` share: its terms, its sessions, and the words for their runs."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Mapping
from itertools import pairwise

from goalkeeper.app.queries.campaigns import describe_state
from goalkeeper.bootstrap import App
from goalkeeper.cli import clients
from goalkeeper.cli.inputs import text_file
from goalkeeper.cli.reply import visible
from goalkeeper.core.campaign.decompose import decompose
from goalkeeper.core.campaign.document import read_plan, read_specs
from goalkeeper.core.campaign.plan import MasterPlan
from goalkeeper.core.campaign.state import (
    Allowance,
    Campaign,
    CampaignTerms,
    SessionState,
    SessionStatus,
)
from goalkeeper.core.plan.model import Refused
from goalkeeper.errors import BriefInvalid, UsageError
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.safe_open import make_folder, replace_file
from goalkeeper.wire.canonical import compact

_MOST_PARALLEL = 64
_PLAN_LIMIT_BYTES = 16 << 20
_PLAN_FILES = (".md", ".yaml", ".yml")


def require_session(campaign: Campaign, session_id: str) -> SessionState:
    """Find a session by its id, or by its number alone."""
    wanted = f"S{int(session_id):02d}" if session_id.isdigit() else session_id.upper()
    if wanted not in campaign.sessions:
        known = ", ".join(list(campaign.sessions)[:10])
        problem = f"campaign {campaign.campaign_id} has no session {session_id}; it has {known}"
        raise UsageError(problem=problem, hint="goalkeeper campaign status")
    return campaign.sessions[wanted]


def read_terms(args: argparse.Namespace, app: App, campaign: Campaign) -> CampaignTerms | Refused:
    """Read how the campaign is to be run; what is not given is as it was before."""
    if not 1 <= args.parallel <= _MOST_PARALLEL:
        problem = f"--parallel takes 1 to {_MOST_PARALLEL}"
        raise UsageError(problem=problem, hint="goalkeeper campaign run --help")
    before = campaign.terms
    if before and not args.agent:
        args.agent = before.agent
    folder = args.script if args.script and os.path.isdir(_locate(app, args.script)) else ""
    if folder:
        first = next(iter(campaign.sessions))
        args.script = os.path.join(folder, f"{first}.json")
    client = clients.choose_client(args, app, None)
    probe = clients.require_usable(client, app)
    microdollars = math.ceil(args.dollars * 1_000_000)
    if microdollars and not probe.cost_known:
        said = f"{client.name} does not tell what it costs, so --max-cost cannot be held."
        return Refused("cost-unknown", said, "leave --max-cost out, or limit --max-tokens")
    options: list[str] = []
    if folder or args.script:
        options += ["--script", _locate(app, folder or args.script)]
    for name in ("command", "isolation"):
        if getattr(args, name):
            options += [f"--{name}", getattr(args, name)]
    if args.iterations:
        options += ["--max-iterations", str(args.iterations)]
    if before and before.agent == client.name and not options:
        options = list(before.agent_options)
    allowance = Allowance(args.seconds, microdollars, args.tokens)
    return CampaignTerms(client.name, tuple(options), args.parallel, allowance, args.model)


def read_given_plan(app: App, source: str, specs: str) -> tuple[MasterPlan, str]:
    """Read a plan from a file, or from a folder of session specs; return it and its text."""
    if specs:
        folder = _locate(app, specs)
        if not os.path.isdir(folder):
            raise UsageError(
                problem=f"{specs} is no folder", hint="goalkeeper campaign plan --help"
            )
        names = sorted(
            name for name in os.listdir(folder) if name.endswith((".md", ".yaml", ".yml"))
        )
        texts = {name: _read_text(app, os.path.join(folder, name)) for name in names}
        read, text = read_specs(texts), "\n\n".join(texts.values())
    else:
        text = _read_text(app, _locate(app, source))
        read = read_plan(text, source)
    if isinstance(read, tuple):
        problems = "; ".join(map(str, read))
        raise BriefInvalid(source=source or specs, problems=problems)
    return read, text


def divide_plan(plan: MasterPlan, by: str) -> MasterPlan:
    """Make sessions of the steps of a plan: by files, by goal, or so many."""
    try:
        return decompose(plan, int(by) if by.isdigit() else by)
    except ValueError as exc:
        problem = f"--by takes files, goal or a number of sessions, and not {by}"
        raise UsageError(problem=problem, hint="goalkeeper campaign plan --help") from exc


def write_specs(app: App, folder: str, specs: Mapping[str, str]) -> None:
    """Write session specs into a new or empty folder; nothing that is there is overwritten."""
    place = _locate(app, folder)
    if os.path.isdir(place) and os.listdir(place):
        problem = f"{folder} has files already, and none of them is overwritten"
        raise UsageError(problem=problem, hint="name another folder with --out")
    with disk_errors("write the session specs to", place):
        make_folder(place)
        for name, text in specs.items():
            replace_file(os.path.join(place, name), text.encode())


def _read_text(app: App, path: str) -> str:
    return text_file(app, path, "the plan", limit_bytes=_PLAN_LIMIT_BYTES)


def open_watch(app: App, *, as_json: bool) -> Callable[[Campaign], None]:
    """Open what tells whoever looks on how the campaign goes: a line for each change."""
    shown: dict[str, str] = {}

    def see(campaign: Campaign) -> None:
        now = app.clock()
        for session in campaign.sessions.values():
            # What grows every second is no change.
            state = "at work" if session.status is SessionStatus.WORKING else ""
            text = state or describe_state(campaign, session, now)
            if session.status is not SessionStatus.WAITING and shown.get(session.id) != text:
                shown[session.id] = text
                line = f"{session.id} {session.planned.title}: {text}"
                told = {"session": session.id, "status": str(session.status), "state": text}
                app.world.stderr.write((compact(told) if as_json else visible(line)) + "\n")
                app.world.stderr.flush()

    return see


def find_unusable(app: App, words: list[str]) -> tuple[str, str]:
    """Say why the agent that these words name cannot work here, and what helps; or nothing."""
    named = argparse.Namespace(script="", command="", model="")
    for name, word in pairwise(words):
        if name in {"--agent", "--script", "--command"}:
            setattr(named, name.removeprefix("--"), word)
    client = clients.choose_client(named, app, None)
    found = clients.probe_client(client, app)
    return found.problem, found.hint


def _locate(app: App, path: str) -> str:
    return os.path.join(app.world.cwd, path)


def list_child_words(campaign: Campaign, session: SessionState) -> list[str]:
    """List the words of the command that drives the run of a session."""
    terms = campaign.terms or CampaignTerms("")
    options = list(terms.agent_options)
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
