"""What a campaign starts for each of its sessions: pre-flight, work and proofs."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from goalkeeper import wiring
from goalkeeper.bootstrap import App
from goalkeeper.campaign.preflight import check_place
from goalkeeper.campaign.queue import is_met_elsewhere, prove_batch, prove_whole
from goalkeeper.cli.campaign_words import find_unusable, list_child_words, require_session
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.campaign import events
from goalkeeper.core.campaign.state import Campaign, SessionState
from goalkeeper.core.decode import plain
from goalkeeper.core.drive.state import CANNOT_WORK, MET_ELSEWHERE
from goalkeeper.core.plan.model import Refused
from goalkeeper.wire import layout


def run_prove(args: argparse.Namespace, app: App) -> Reply:
    store = wiring.open_campaigns(app).named(args.campaign)
    campaign = store.read()
    sessions = [require_session(campaign, each) for each in args.sessions]
    unproven = [each.id for each in sessions if not each.work]
    if unproven or not (sessions or args.whole):
        said = (
            f"Not proven on a branch of their own yet: {', '.join(unproven) or 'no session named'}."
        )
        return refusal(Refused("nothing-proven", said, "goalkeeper campaign status"))
    deps = wiring.open_queue(app)
    if args.whole:
        whole = prove_whole(deps, campaign)
        if not whole.unproven and all(each.is_settled for each in campaign.sessions.values()):
            whole = whole.replace(receipt=wiring.certify_campaign(app, store, campaign))
        page = whole.unproven or ("Everything that landed holds on the head.",)
        return Reply({"ok": not whole.unproven, "whole": plain(whole)}, page)
    found = prove_batch(deps, campaign, [each.id for each in sessions])
    if isinstance(found, events.BatchRefused):
        return Reply({"ok": False, "refused": plain(found)}, found.reasons)
    page = (f"All that must hold does, on {found.merged.commit[:12]}.",)
    return Reply({"ok": True, "proven": plain(found)}, page)


def run_preflight(args: argparse.Namespace, app: App) -> Reply:
    campaign = wiring.open_campaigns(app).named(args.campaign).read()
    session = require_session(campaign, args.session)
    refused = _find_obstacle(app, campaign, session)
    if refused:
        return refusal(refused).replace(code=CANNOT_WORK)
    page = (f"{session.id} can be worked on here.",)
    return Reply({"ok": True, "session": session.id}, page, next="goalkeeper campaign run")


def run_work(args: argparse.Namespace, app: App) -> Reply:  # noqa: RET503  it becomes another program
    campaign = wiring.open_campaigns(app).named(args.campaign).read()
    session = require_session(campaign, args.session)
    refused = None if campaign.skipped_preflight else _find_obstacle(app, campaign, session)
    if refused:
        return refusal(refused).replace(code=CANNOT_WORK)
    if is_met_elsewhere(wiring.open_queue(app), campaign, session):
        page = (f"Nothing is left to do for {session.id}: others have met its criteria.",)
        return Reply({"ok": True, "met": session.id}, page, code=MET_ELSEWHERE)
    sys.stdout.flush()
    plan = app.runs.named(session.run_id).read()
    argv = [sys.executable, "-P", "-m", "goalkeeper", *list_child_words(campaign, session, plan)]
    os.execve(sys.executable, argv, {**app.world.environ, layout.IN_CAMPAIGN: "1"})  # noqa: S606  we start ourselves


def _find_obstacle(app: App, campaign: Campaign, session: SessionState) -> Refused | None:
    probe = partial(find_unusable, app, list_child_words(campaign, session))
    return check_place(wiring.open_preflight(app, campaign, probe))
