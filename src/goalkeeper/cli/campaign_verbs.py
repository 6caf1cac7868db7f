"""What humans and agents ask of a campaign: each verb of `campaign` is a function."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.queries.campaigns import (
    describe_recovery,
    show_campaign,
    show_findings,
)
from goalkeeper.bootstrap import App
from goalkeeper.cli.campaign_amending import amend_session
from goalkeeper.cli.campaign_attach import attach_session
from goalkeeper.cli.campaign_landing import give_receipt, land_campaign
from goalkeeper.cli.campaign_rights import (
    refuse_agent,
    refuse_free,
    refuse_unbegun,
    refuse_worker,
)
from goalkeeper.cli.campaign_runs import (
    hold_campaign,
)
from goalkeeper.cli.campaign_view import show_campaigns, show_report, show_status
from goalkeeper.cli.campaign_words import require_session
from goalkeeper.cli.campaigning import (
    Findings,
    ask_plan_critic,
    criticise_plan,
    divide_plan,
    freeze_plan,
    plan_sentence,
    read_given_plan,
    write_specs,
)
from goalkeeper.cli.pages.campaign import (
    campaign_page,
    draw_graph,
    drift_page,
    findings_page,
    session_page,
    write_dot,
    write_mermaid,
)
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.campaign import events
from goalkeeper.core.campaign.plan import MasterPlan
from goalkeeper.core.campaign.spec import write_spec
from goalkeeper.core.plan.model import Refused
from goalkeeper.storage.lock import is_held

_STOP_SECONDS = 60  # sessions at work end before their campaign does


def run_plan(args: argparse.Namespace, app: App) -> Reply:
    if refused := refuse_worker(app):
        return refusal(refused)
    plan, text = _read_plan(args, app)
    advice = ask_plan_critic(args, app, text)
    made, found = freeze_plan(app, plan, text)
    found += advice
    told = {"findings": show_findings(found)}
    if isinstance(made, Refused):
        return _refuse_with_findings(made, found)
    campaign = made.read()
    data = {"ok": True, **told, **show_campaign(campaign, app.clock())}
    made_so = f"Campaign {campaign.campaign_id}: {campaign.plan.title}"
    page = (*findings_page(found), made_so, *draw_graph(campaign))
    loose = wiring.list_uncommitted(app, campaign.origin)
    named = ", ".join(loose[:3]) + (f" and {len(loose) - 3} more" if loose[3:] else "")
    warned = (f"sessions begin with files that are not committed: {named}",) if loose else ()
    return Reply(data, page, next="goalkeeper campaign run --parallel 2", warnings=warned)


def run_check(args: argparse.Namespace, app: App) -> Reply:
    plan, text = _read_plan(args, app)
    found = criticise_plan(plan) + ask_plan_critic(args, app, text)
    blocking = any(each.is_blocking for each in found)
    data = {"ok": not blocking, "findings": show_findings(found)}
    page = findings_page(found) or ("The critic found nothing.",)
    source = f"--from {args.source}" if args.source else f"--from-specs {args.specs}"
    return Reply(data, page, next="" if blocking else f"goalkeeper campaign plan {source}")


def run_show(args: argparse.Namespace, app: App) -> Reply:
    campaign = wiring.open_campaigns(app).named(args.campaign).read()
    if args.session:
        session = require_session(campaign, args.session)
        if args.spec:
            recovery = describe_recovery(campaign, session)
            text = write_spec(campaign.plan, session.id, recovery)
            return Reply({"ok": True, "spec": text}, (), raw=(text,) if not args.json else None)
        page = session_page(campaign, session, app.clock())
        return Reply({"ok": True, **show_campaign(campaign, app.clock())}, page)
    if args.dot or args.mermaid:
        text = write_dot(campaign) if args.dot else write_mermaid(campaign)
        return Reply({"ok": True, "graph": text}, (), raw=(text,) if not args.json else None)
    return Reply({"ok": True, **show_campaign(campaign, app.clock())}, draw_graph(campaign))


def run_attach(args: argparse.Namespace, app: App) -> Reply:
    store = wiring.open_campaigns(app).named(args.campaign)
    return attach_session(app, store, args.session, as_json=args.json)


def run_list(args: argparse.Namespace, app: App) -> Reply:  # noqa: ARG001  all commands have them
    return show_campaigns(app)


def run_status(args: argparse.Namespace, app: App) -> Reply:
    return show_status(app, wiring.open_campaigns(app).named(args.campaign))


def run_report(args: argparse.Namespace, app: App) -> Reply:
    return show_report(app, wiring.open_campaigns(app).named(args.campaign))


def run_why(args: argparse.Namespace, app: App) -> Reply:
    campaign = wiring.open_campaigns(app).named(args.campaign).read()
    session = require_session(campaign, args.session)
    shown = show_campaign(campaign, app.clock())
    mine = next(each for each in shown["sessions"] if each["id"] == session.id)
    follow = f"goalkeeper why --run {session.run_id}" if session.run_id else ""
    page = session_page(campaign, session, app.clock())
    return Reply({"ok": True, **mine}, page, next=follow)


def run_audit(args: argparse.Namespace, app: App) -> Reply:
    campaign = wiring.open_campaigns(app).named(args.campaign).read()
    session = require_session(campaign, args.session)
    if refused := refuse_unbegun(campaign, session, app.clock()):
        return refusal(refused)
    rows = wiring.audit_session(app, session)
    data = {"ok": all(row.is_there for row in rows), "drift": [row.as_dict() for row in rows]}
    return Reply(data, drift_page(rows))


def run_stop(args: argparse.Namespace, app: App) -> Reply:
    if refused := refuse_worker(app):
        return refusal(refused)
    store = wiring.open_campaigns(app).named(args.campaign)
    if not is_held(store.files.drive_lock):
        said = f"Nobody runs campaign {store.campaign_id}, so there is nothing to stop."
        return refusal(Refused("campaign-not-running", said, "goalkeeper campaign status"))
    store.record(events.StopAsked(args.reason), at=app.clock(), actor=app.actor)
    page = (f"Campaign {store.campaign_id} stops as soon as its process sees it.",)
    return Reply({"ok": True, "campaign_id": store.campaign_id}, page,
                 next="goalkeeper campaign resume")  # fmt: skip


def run_amend(args: argparse.Namespace, app: App) -> Reply:
    if refused := refuse_worker(app):
        return refusal(refused)
    store = wiring.open_campaigns(app).named(args.campaign)
    campaign = store.read()
    session = require_session(campaign, args.session)
    if refused := refuse_agent(app, f"The plan of {session.id} is changed by humans alone."):
        return refusal(refused)
    patience = _STOP_SECONDS if campaign.stop_asked else 0
    with hold_campaign(store, "goalkeeper campaign stop", timeout_seconds=patience):
        campaign = store.read()
        session = require_session(campaign, args.session)
        event, found = amend_session(app, campaign, session, args.source, args.reason)
        told = {"findings": show_findings(found)}
        if isinstance(event, Refused):
            return _refuse_with_findings(event, found)
        campaign = store.record(event, at=app.clock(), actor=app.actor)
    shown = {"ok": True, **told, **show_campaign(campaign, app.clock())}
    amended = session_page(campaign, campaign.sessions[session.id], app.clock())
    page = (*findings_page(found), *amended)
    return Reply(shown, page, next="goalkeeper campaign run")


def run_unblock(args: argparse.Namespace, app: App) -> Reply:
    if refused := refuse_worker(app):
        return refusal(refused)
    store = wiring.open_campaigns(app).named(args.campaign)
    session = require_session(store.read(), args.session)
    said = f"{session.id} waits for a human: agents do not let themselves try again."
    if refused := refuse_agent(app, said) or refuse_free(session):
        return refusal(refused)
    is_lost = wiring.is_run_lost(app, session)
    if not is_lost and (refused := wiring.release_goals(app, session, args.reason)):
        return refusal(refused)
    event = events.SessionUnblocked(session.id, args.reason, is_run_lost=is_lost)
    campaign = store.record(event, at=app.clock(), actor=app.actor)
    return Reply({"ok": True, **show_campaign(campaign, app.clock())},
                 campaign_page(campaign, app.clock()), next="goalkeeper campaign run")  # fmt: skip


def run_decompose(args: argparse.Namespace, app: App) -> Reply:
    plan, _ = read_given_plan(app, args.source, "")
    plan = divide_plan(plan, args.by)
    specs = {f"{each.id}.md": write_spec(plan, each.id) for each in plan.sessions}
    if args.out:
        write_specs(app, args.out, specs)
    shown = [{"id": s.id, "title": s.title, "steps": [step.number for step in s.steps],
              "depends_on": list(s.depends_on)} for s in plan.sessions]  # fmt: skip
    page = [f"{each.id} {each.title}: steps {', '.join(str(s.number) for s in each.steps)}"
            + (f", after {', '.join(each.depends_on)}" if each.depends_on else "")
            for each in plan.sessions]  # fmt: skip
    follow = f"goalkeeper campaign plan --from-specs {args.out}" if args.out else ""
    return Reply({"ok": True, "sessions": shown}, tuple(page), next=follow)


def run_land(args: argparse.Namespace, app: App) -> Reply:
    if refused := refuse_worker(app):
        return refusal(refused)
    return land_campaign(app, wiring.open_campaigns(app).named(args.campaign))


def run_receipt(args: argparse.Namespace, app: App) -> Reply:
    store = wiring.open_campaigns(app).named(args.campaign)
    return give_receipt(app, store, args.out, attach=args.attach)


def _read_plan(args: argparse.Namespace, app: App) -> tuple[MasterPlan, str]:
    """Read a plan, and make sessions of its steps if it has none; return also its text."""
    if getattr(args, "sentence", None):
        plan, text = plan_sentence(args, app)
    else:
        plan, text = read_given_plan(app, args.source, args.specs)
    return (plan if plan.sessions else divide_plan(plan, args.by)), text


def _refuse_with_findings(refused: Refused, found: Findings) -> Reply:
    reply = refusal(refused)
    page = (*findings_page(found), *reply.page)
    return reply.replace(page=page, data={**reply.data, "findings": show_findings(found)})
