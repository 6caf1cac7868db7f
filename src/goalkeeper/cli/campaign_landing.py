"""What a campaign gives to its user: the work on the user's branch, and a receipt for it."""

from __future__ import annotations

import json
import os

from goalkeeper import wiring
from goalkeeper.app.queries.campaigns import list_in_order
from goalkeeper.bootstrap import App
from goalkeeper.campaign.queue import prove_whole
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.campaign import events
from goalkeeper.core.campaign.state import Campaign, SessionState
from goalkeeper.core.plan.model import Refused
from goalkeeper.errors import UsageError
from goalkeeper.git import notes
from goalkeeper.git.trees import Trees
from goalkeeper.loop.landing import ProvenBranch, land_branches
from goalkeeper.storage.campaigns import FileCampaign
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.receipts import Receipts
from goalkeeper.verifier.envelope import read_payload
from goalkeeper.verifier.repository import NOTES
from goalkeeper.wire.canonical import sha256


def land_campaign(app: App, store: FileCampaign) -> Reply:
    """Bring what landed to the user's branch, if it holds there."""
    campaign = store.read()
    trees, deps = wiring.open_trees(app), wiring.open_queue(app)
    sessions = list_in_order(campaign)
    branches = [each for session in sessions for each in _list_work(trees, campaign, session)]
    if not branches:
        said = f"Nothing of campaign {campaign.campaign_id} has landed on its branch yet."
        return refusal(Refused("nothing-proven", said, "goalkeeper campaign run"))

    def refuse_commit(commit: str) -> Refused | None:
        new = trees.resolve_revision(commit)
        if new.tree == campaign.whole and not campaign.unproven:
            return None
        unproven = prove_whole(deps, campaign, new).unproven
        said = f"On what would land, this does not hold: {'; '.join(unproven[:3])}."
        hint = "mend your branch, then goalkeeper campaign land"
        return Refused("not-proven", f"{said} Nothing was changed.", hint) if unproven else None

    again = "goalkeeper campaign land"
    landed = land_branches(trees, branches, refuse_commit, keep_history=True, again=again)
    if isinstance(landed, Refused):
        return refusal(landed)
    store.record(events.CampaignLanded(landed.commit), at=app.clock(), actor=app.actor)
    onto = trees.user_git.ask_if_any("symbolic-ref", "--short", "HEAD")
    told = {"ok": True, "how": landed.how, "commit": landed.commit}
    data = {**told, "branch": campaign.branch, "onto": onto}
    count = "1 session is" if len(sessions) == 1 else f"{len(sessions)} sessions are"
    page = (f"{count} in {onto} ({landed.how}), HEAD is {landed.commit[:12]}.",)
    moved = wiring.list_moved_refs(app, campaign)
    warned = tuple(f"this moved while an agent was at work: {each}" for each in moved)
    if campaign.receipt and trees.find_tree(landed.commit) != campaign.whole:
        warned += (
            f"your branch is not as {campaign.branch} is, and the receipt is for that alone",
        )
    return Reply({**data, "moved_refs": list(moved)}, page, next="git log", warnings=warned)


def _list_work(trees: Trees, campaign: Campaign, session: SessionState) -> list[ProvenBranch]:
    """List the commits of a session, oldest first.

    If somebody had its work on the branch before it landed, it is only on its own branch.
    """
    end, start = session.landed, session.before
    if not end or not start:
        return []
    if end.commit != start.commit:
        commits = trees.list_commits(start.commit, end.commit)[::-1]
        before = (start.commit, *(each.id for each in commits))
        pairs = zip(commits, before, strict=False)
        return [ProvenBranch(campaign.branch, c.id, parent, c.message) for c, parent in pairs]
    end, start = session.work, session.base
    said = f"{session.planned.title}\n\nGoalkeeper-Session: {session.id}\n"
    return [ProvenBranch(campaign.branch, end.commit, start.commit, said)] if end and start else []


def give_receipt(app: App, store: FileCampaign, out: str, *, attach: bool) -> Reply:
    """Show the receipt of a campaign, write it to a file, or put it into a git note."""
    campaign = store.read()
    if not campaign.receipt:
        strange = wiring.list_strange_commits(app, campaign)
        why = wiring.explain_strange_commits(strange) or "not all of it is proven yet"
        said = f"Campaign {campaign.campaign_id} has no receipt: {why}."
        return refusal(Refused("no-receipt", said, "goalkeeper campaign status"))
    envelope = _read_envelope(app, store, campaign)
    if attach:
        return _attach(app, campaign, envelope)
    told = {"ok": True, "digest": campaign.receipt}
    if out:
        path = os.path.join(app.world.cwd, out)
        if os.path.lexists(path):
            raise UsageError(problem=f"{out} exists", hint="choose another --out")
        with disk_errors("write", path):
            app.world.disk.write_new(path, envelope)
        page = (f"Receipt {campaign.receipt[:12]} is in {out}.",)
        return Reply({**told, "out": path}, page, next="goalkeeper keys export > goalkeeper.pub")
    statement = json.loads(read_payload(envelope))
    text = json.dumps(statement, indent=2, ensure_ascii=False)
    follow = "goalkeeper campaign receipt --attach"
    return Reply({**told, "statement": statement}, tuple(text.split("\n")), next=follow)


def _read_envelope(app: App, store: FileCampaign, campaign: Campaign) -> bytes:
    kept = Receipts(store.files.dir, app.world.disk)
    envelope = kept.get(campaign.receipt)
    if not envelope or sha256(envelope) != campaign.receipt:
        where = kept.path_of(campaign.receipt)
        problem = f"the file of receipt {campaign.receipt[:12]} is gone or was changed: {where}"
        raise UsageError(problem=problem, hint="restore it from a copy")
    return envelope


def _attach(app: App, campaign: Campaign, envelope: bytes) -> Reply:
    commit = campaign.head.commit
    added = notes.attach_lines(wiring.open_trees(app), commit, [envelope])
    if added is None:
        said = f"The note of {commit[:12]} would be longer than anybody reads."
        return refusal(Refused("note-too-long", said, f"git notes --ref {NOTES} remove {commit}"))
    word = "has the receipt now" if added else "has the receipt already"
    data = {"ok": True, "commit": commit, "ref": NOTES, "digest": campaign.receipt, "added": added}
    return Reply(data, (f"The note of {commit[:12]} {word}.",), next=f"git push origin {NOTES}")
