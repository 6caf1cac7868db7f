"""How a campaign is run or gone on with: its terms, and the words for its sessions."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from shlex import quote

from goalkeeper import wiring
from goalkeeper.app.queries.campaign_rows import Plans
from goalkeeper.app.queries.campaigns import show_campaign, suggest_after_campaign
from goalkeeper.bootstrap import App
from goalkeeper.campaign.preflight import refuse_push
from goalkeeper.campaign.tmux import TmuxWindows
from goalkeeper.cli import clients
from goalkeeper.cli.campaign_rights import refuse_worker
from goalkeeper.cli.campaign_view import open_view
from goalkeeper.cli.campaign_words import find_unusable, list_child_words, locate_path
from goalkeeper.cli.drive_options import find_given_terms
from goalkeeper.cli.pages.campaign import campaign_page
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.campaign.events import CampaignBegan
from goalkeeper.core.campaign.state import (
    Allowance,
    Campaign,
    CampaignReason,
    CampaignTerms,
    PushTarget,
)
from goalkeeper.core.drive.state import CANNOT_WORK
from goalkeeper.core.plan.model import Refused
from goalkeeper.errors import Interrupted, LockBusy, UsageError
from goalkeeper.storage.campaigns import FileCampaign
from goalkeeper.storage.lock import hold_lock

_MOST_PARALLEL = 64
_SKIP_PREFLIGHT = "GOALKEEPER_SKIP_PREFLIGHT"
ChooseTerms = Callable[[Campaign], CampaignTerms | Refused]


def run_run(args: argparse.Namespace, app: App) -> Reply:
    if refused := refuse_worker(app):
        return refusal(refused)
    return drive_campaign(args, app, wiring.open_campaigns(app).named(args.campaign))


def drive_campaign(args: argparse.Namespace, app: App, store: FileCampaign) -> Reply:
    """Run a campaign until it ends, and say how."""
    return _run_campaign(args, app, store, partial(read_terms, args, app))


def run_resume(args: argparse.Namespace, app: App) -> Reply:
    """Go on with a campaign that began and is not done, on the terms that it had."""
    if refused := refuse_worker(app):
        return refusal(refused)
    store = find_unfinished(app, args.campaign)
    return _run_campaign(args, app, store, partial(_keep_terms, app))


def find_unfinished(app: App, campaign_id: str) -> FileCampaign:
    """Find the newest campaign that began and is not done, or else the newest of all."""
    campaigns = wiring.open_campaigns(app)
    if campaign_id:
        return campaigns.named(campaign_id)
    for place, known in enumerate(reversed(campaigns.ids())):
        store = campaigns.named(known)
        campaign = store.read()
        if campaign.terms and campaign.ended != CampaignReason.DONE:
            if place:
                app.tell(f"this is campaign {known}, which is not done; newer ones are not at work")
            return store
    return campaigns.named("")


def _keep_terms(app: App, campaign: Campaign) -> CampaignTerms | Refused:
    named = f"--campaign {campaign.campaign_id}"
    if campaign.terms is None:
        said = f"Campaign {campaign.campaign_id} never began, so there is nothing to go on with."
        return Refused("campaign-not-begun", said, f"goalkeeper campaign run {named}")
    if campaign.ended == CampaignReason.DONE:
        said = f"Campaign {campaign.campaign_id} is done: all of it has landed on its branch."
        return Refused("campaign-done", said, f"goalkeeper campaign land {named}")
    words = list_child_words(campaign, next(iter(campaign.sessions.values())))
    problem, hint = find_unusable(app, words)
    if problem:
        raise clients.AgentUnusable(client=campaign.terms.agent, problem=problem, hint=hint)
    return campaign.terms.replace(push=_read_push("", app, campaign))


def _run_campaign(
    args: argparse.Namespace, app: App, store: FileCampaign, choose_terms: ChooseTerms
) -> Reply:
    windows = open_windows(app, store) if getattr(args, "tmux", False) else None
    if isinstance(windows, Refused):
        return refusal(windows)
    with hold_campaign(store, "goalkeeper campaign status"):
        repaired = store.repair()
        if repaired:
            app.tell(f"a crash cut the last record short; its bytes are in {repaired}")
        campaign = store.read()
        terms = choose_terms(campaign)
        if isinstance(terms, Refused):
            return refusal(terms)
        if place := wiring.find_checkout(app, campaign):
            said = (
                f"{campaign.branch} is checked out in {place}, and moves when a session lands: "
                "what is there would look as if somebody had taken the work back."
            )
            return refusal(Refused("branch-checked-out", said, f"git -C {quote(place)} switch -"))
        skips = app.world.environ.get(_SKIP_PREFLIGHT) == "1"
        if terms.push and not skips:
            problem = wiring.push_head(app, campaign, terms.push, is_trial=True)
            if refused := refuse_push(problem):
                return refusal(refused).replace(code=CANNOT_WORK)
        store.record(CampaignBegan(terms, skips), at=app.clock(), actor=app.actor)
        with open_view(app, as_json=args.json) as view:

            def see(campaign: Campaign, plans: Plans) -> None:
                view.see(campaign, plans)
                if windows:
                    windows.show_working(campaign, view.tell_note)

            try:
                campaign = wiring.open_parent(app, store, see).run_to_end()
            except KeyboardInterrupt as exc:
                hint = f"goalkeeper campaign resume --campaign {store.campaign_id}"
                raise Interrupted(exc, hint=hint) from None
    wiring.clean_up(app)
    is_done = campaign.ended == CampaignReason.DONE
    data = {"ok": is_done, **show_campaign(campaign, app.clock())}
    return Reply(data, campaign_page(campaign, app.clock()), next=suggest_after_campaign(campaign))


@contextmanager
def hold_campaign(store: FileCampaign, hint: str, *, timeout_seconds: float = 0) -> Iterator[None]:
    """Hold a campaign, so that nobody else runs it; the hint is for whoever comes second."""
    with ExitStack() as held:
        try:
            lock = hold_lock(store.files.drive_lock, shared=False, timeout_seconds=timeout_seconds)
            held.enter_context(lock)
        except LockBusy as exc:
            exc.hint = hint
            raise
        yield


def open_windows(app: App, store: FileCampaign) -> TmuxWindows | Refused:
    """Open what shows sessions in tmux; refuse where there is none."""
    program = wiring.find_program(app, "tmux")
    if program is None:
        said = "--tmux shows each session in a window of tmux, and there is no tmux on PATH."
        return Refused("tmux-missing", said, "install tmux, or leave --tmux out")
    return TmuxWindows(program, store.campaign_id, app.root, app.world.environ)


def read_terms(args: argparse.Namespace, app: App, campaign: Campaign) -> CampaignTerms | Refused:
    """Read how the campaign is to be run; what is not given is as it was before."""
    if not 1 <= args.parallel <= _MOST_PARALLEL:
        problem = f"--parallel takes 1 to {_MOST_PARALLEL}"
        raise UsageError(problem=problem, hint="goalkeeper campaign run --help")
    before = campaign.terms
    if before and (args.agent or before.agent) == before.agent:
        args.agent = before.agent
        _take_earlier_options(args, before.agent_options)
    folder = args.script if args.script and os.path.isdir(locate_path(app, args.script)) else ""
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
        options += ["--script", locate_path(app, folder or args.script)]
    for name in ("command", "isolation"):
        if getattr(args, name):
            options += [f"--{name}", getattr(args, name)]
    if args.iterations:
        options += ["--max-iterations", str(args.iterations)]
    allowance, parallel = Allowance(args.seconds, microdollars, args.tokens), args.parallel
    if before:  # what is not given stays as it was
        given = find_given_terms(args)
        allowance = Allowance(
            args.seconds if "seconds" in given else before.allowance.seconds,
            microdollars if "microdollars" in given else before.allowance.microdollars,
            args.tokens if "tokens" in given else before.allowance.tokens,
        )
        parallel = parallel if "parallel" in given else before.parallel
    model = args.model or (before.model if before else "")
    is_without = getattr(args, "no_push", False)
    push = None if is_without else _read_push(getattr(args, "push", ""), app, campaign)
    return CampaignTerms(client.name, tuple(options), parallel, allowance, model, push)


def _take_earlier_options(args: argparse.Namespace, options: Sequence[str]) -> None:
    """Take what is not given from the options with which the same agent was started before."""
    for name, value in zip(options[::2], options[1::2], strict=True):
        field = "iterations" if name == "--max-iterations" else name.removeprefix("--")
        if not getattr(args, field):
            setattr(args, field, int(value) if field == "iterations" else value)


def _read_push(given: str, app: App, campaign: Campaign) -> PushTarget | None:
    """Read where to push to: as it is given, or as it was before."""
    before = campaign.terms.push if campaign.terms else None
    if not given:
        return wiring.find_push_target(app, before.remote, before.branch) if before else None
    remote, _, branch = given.partition(":")
    if not remote or (":" in given and not branch) or set(given) & set(" \t\n~^?*[\\"):
        problem = f"--push takes REMOTE or REMOTE:BRANCH, and not {given!r}"
        raise UsageError(problem=problem, hint="git remote")
    return wiring.find_push_target(app, remote, branch or campaign.branch)
