"""`campaign`: many sessions at once under one plan, and a queue that carries proof."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from goalkeeper import wiring
from goalkeeper.app.queries.campaigns import (
    describe_recovery,
    show_campaign,
    show_findings,
)
from goalkeeper.bootstrap import App
from goalkeeper.campaign.preflight import check_place
from goalkeeper.campaign.queue import is_met_elsewhere, prove_batch, prove_whole
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
    drive_campaign,
    find_unusable,
    hold_campaign,
    list_child_words,
    resume_campaign,
)
from goalkeeper.cli.campaign_view import show_campaigns, show_report, show_status
from goalkeeper.cli.campaigning import (
    Findings,
    ask_plan_critic,
    criticise_plan,
    divide_plan,
    freeze_plan,
    plan_sentence,
    read_given_plan,
    require_session,
    write_specs,
)
from goalkeeper.cli.options import ISOLATION, JSON, WORKER, OneOf, Option, Verb, switch
from goalkeeper.cli.pages.campaign import (
    campaign_page,
    draw_graph,
    drift_page,
    findings_page,
    session_page,
    write_dot,
    write_mermaid,
)
from goalkeeper.cli.parsing import dollars, parse_words
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.campaign import events
from goalkeeper.core.campaign.plan import MasterPlan
from goalkeeper.core.campaign.spec import write_spec
from goalkeeper.core.campaign.state import Campaign, SessionState
from goalkeeper.core.decode import plain
from goalkeeper.core.drive.state import CANNOT_WORK, MET_ELSEWHERE
from goalkeeper.core.plan.model import Refused
from goalkeeper.storage.lock import is_held
from goalkeeper.wire import layout

_CAMPAIGN = Option("--campaign ID", "the campaign, if not the newest", default="")
_STOP_SECONDS = 60  # sessions at work end before their campaign does
_SESSION = Option("session", "such as S03")
_CRITIC = Option("--critic NAME", "an agent that reads the plan, too; what it finds is advice",
    default="")  # fmt: skip
_TMUX = switch("--tmux", "show each session in a window of tmux, to watch it")
_ALLOWANCE = (
    Option("--max-time SECONDS", "of the campaign", dest="seconds", type=int, default=0),
    Option("--max-cost DOLLARS", "of all sessions together", dest="dollars", type=dollars,
        default=0.0),
    Option("--max-tokens N", "of all sessions together", dest="tokens", type=int, default=0),
)  # fmt: skip
VERBS = {
    "plan": Verb("Read a plan, criticise it and freeze it as a campaign.",
        "goalkeeper campaign plan --from plan.md\n"
        'goalkeeper campaign plan "Add search to the API" --agent claude',
        OneOf(Option("sentence SENTENCE", "what you want; an agent writes the plan", nargs="?",
                type=parse_words),
            Option("--from PATH", "a master plan or a session spec", dest="source", default=""),
            Option("--from-specs DIR", "a folder of session specs", dest="specs", default=""),
            required=True),
        Option("--by", "steps become sessions by files (default), by goal, or so many sessions",
            default="files"), _CRITIC, *WORKER, JSON),
    "check": Verb("The critic: say all that is wrong with a plan. It makes nothing.",
        "goalkeeper campaign check --from plan.md",
        OneOf(Option("--from PATH", "a master plan or a session spec", dest="source", default=""),
            Option("--from-specs DIR", "a folder of session specs", dest="specs", default=""),
            required=True),
        Option("--by", "as for plan", default="files"), _CRITIC, *WORKER, JSON),
    "show": Verb("Draw the sessions, or print one as a session spec.",
        "goalkeeper campaign show\ngoalkeeper campaign show S03 --spec",
        Option("session", "such as S03", nargs="?", default=""), _CAMPAIGN,
        OneOf(switch("--spec", "the session spec that its agent is given"),
            switch("--dot", "for Graphviz"), switch("--mermaid", "for Markdown")), JSON),
    "run": Verb("Work on all sessions that can be worked on, and land what is proven together.",
        "goalkeeper campaign run --parallel 4 --agent claude", _CAMPAIGN, *WORKER,
        Option("--parallel N", "so many sessions at once (default %(default)s)", type=int,
            default=2),
        *_ALLOWANCE,
        Option("--max-iterations N", "of each step", dest="iterations", type=int, default=0),
        OneOf(Option("--push REMOTE[:BRANCH]", "push what landed when everything holds; whether "
                "that can be done is tried before any work", default=""),
            switch("--no-push", "push nothing, whatever was asked for before")),
        ISOLATION, _TMUX, JSON),
    "resume": Verb("Go on with the newest campaign that is not done, on the terms that it had.",
        "goalkeeper campaign resume", _CAMPAIGN, _TMUX, JSON),
    "attach": Verb("Watch one session: what its agents and its driver print. It changes nothing.",
        "goalkeeper campaign attach S03", _SESSION, _CAMPAIGN, JSON),
    "list": Verb("List all campaigns of this repository.", "goalkeeper campaign list", JSON),
    "status": Verb("Say how far all sessions are.", "goalkeeper campaign status", _CAMPAIGN, JSON),
    "report": Verb("Say what landed, what did not and why, and what it cost.",
        "goalkeeper campaign report", _CAMPAIGN, JSON),
    "why": Verb("Say what is in the way of a session.", "goalkeeper campaign why S06", _SESSION,
        _CAMPAIGN, JSON),
    "audit": Verb("Compare what a session's manifests expect with its branch.",
        "goalkeeper campaign audit S03", _SESSION, _CAMPAIGN, JSON),
    "stop": Verb("Let a campaign stop; what is at work goes on with `campaign resume`.",
        'goalkeeper campaign stop --reason "the machine is needed"', _CAMPAIGN,
        Option("--reason TEXT", "why", type=parse_words, default="somebody asked for it"), JSON),
    "amend": Verb("Change what a session is to do, if it has not landed. Only a human can.",
        "goalkeeper campaign show S03 --spec > S03.md\n"
        'goalkeeper campaign amend S03 --from S03.md --reason "the API has moved"', _SESSION,
        _CAMPAIGN, Option("--from PATH", "its new session spec", dest="source", required=True),
        Option("--reason TEXT", "why", type=parse_words, required=True), JSON),
    "unblock": Verb("Let a blocked or failed session be tried once more.",
        'goalkeeper campaign unblock S03 --reason "the key is there now"', _SESSION, _CAMPAIGN,
        Option("--reason TEXT", "what is different now", type=parse_words, required=True), JSON),
    "prove": Verb("Merge sessions onto the head and prove what must hold there. Nothing moves.",
        "goalkeeper campaign prove S03 S05",
        Option("sessions", "such as S03", nargs="*"), _CAMPAIGN,
        switch("--whole", "everything that landed, without a cache"), JSON),
    "preflight": Verb("Step 0 of a session: can it be worked on here? Exit 77 means no.",
        "goalkeeper campaign preflight S03", _SESSION, _CAMPAIGN, JSON),
    "decompose": Verb("Make sessions of the steps of a plan, and write their specs into a folder.",
        "goalkeeper campaign decompose --from plan.md --out sessions",
        Option("--from PATH", "a master plan", dest="source", required=True),
        Option("--by", "as for plan", default="files"),
        Option("--out DIR", "the folder for the session specs; none is written without it",
            default=""), JSON),
    "work": Verb("What the campaign starts for a session: pre-flight, then its run.",
        "goalkeeper campaign work S03", _SESSION, _CAMPAIGN, JSON),
    "receipt": Verb("Give the receipt for everything that landed and holds on the head.",
        "goalkeeper campaign receipt --out receipt.json\ngoalkeeper campaign receipt --attach",
        _CAMPAIGN, OneOf(Option("--out FILE", "write it to a file, to be verified elsewhere",
                default=""),
            switch("--attach", "put it into the git note of the head, to be pushed with it")),
        JSON),
    "land": Verb("Bring what the campaign landed to your branch.", "goalkeeper campaign land",
        _CAMPAIGN, JSON),
}  # fmt: skip


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


def run_run(args: argparse.Namespace, app: App) -> Reply:
    if refused := refuse_worker(app):
        return refusal(refused)
    return drive_campaign(args, app, wiring.open_campaigns(app).named(args.campaign))


def run_resume(args: argparse.Namespace, app: App) -> Reply:
    refused = refuse_worker(app)
    return refusal(refused) if refused else resume_campaign(args, app)


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
