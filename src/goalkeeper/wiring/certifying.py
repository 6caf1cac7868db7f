"""The receipt of a campaign needs the witness and the user's key."""

from __future__ import annotations

from goalkeeper.app.receipting import certify_sessions
from goalkeeper.bootstrap import App
from goalkeeper.core.campaign.state import Campaign, SessionStatus
from goalkeeper.core.plan.receipts import Circumstances
from goalkeeper.storage.campaigns import FileCampaign
from goalkeeper.wiring.campaigning import list_strange_commits, open_queue
from goalkeeper.wiring.judging import open_signer
from goalkeeper.wiring.trees import open_trees


def certify_campaign(app: App, store: FileCampaign, campaign: Campaign) -> str:
    """Sign what landed and was seen on the head just now; return the digest."""
    open_context = open_queue(app).open_context
    landed = campaign.list_sessions(SessionStatus.LANDED)
    sessions = {each.id: open_context(each.run_id) for each in landed}
    if not sessions or list_strange_commits(app, campaign):
        return ""
    head, signer = campaign.head, open_signer(app, store.files.dir)
    roots = open_trees(app).find_roots(head.commit)
    told = Circumstances(roots, head.commit, *store.head(), signer.version(), app.clock(), "")
    return certify_sessions(campaign.campaign_id, head, sessions, signer, told)
