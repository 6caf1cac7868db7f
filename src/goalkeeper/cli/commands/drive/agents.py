"""`agents`: which coding agents can be driven here."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from goalkeeper.bootstrap import App
from goalkeeper.cli.clients import DefaultAgent, find_default_agent, probe_client
from goalkeeper.cli.options import AGENT, JSON, Verb
from goalkeeper.cli.reply import Reply, Table
from goalkeeper.clients.client import AgentProbe
from goalkeeper.clients.table import find_client
from goalkeeper.wire.clients import AGENTS

_COST = {True: "yes", False: "no"}
_OURS = (
    AgentProbe("command", hint="goalkeeper run --command '[\"my-agent\"]'"),
    AgentProbe("rehearsal", hint="goalkeeper run --script story.json", cost_known=True),
)
VERBS = {
    "list": Verb("Show the agents that are known, and whether they can be used here.",
        "goalkeeper agents list", JSON),
    "probe": Verb(
        "The same of one agent, or of all that have to be installed; nobody outside is asked.",
        "goalkeeper agents probe --agent claude", JSON,
        AGENT.replace(help="the agent; default: all")),
}  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    asked = getattr(args, "agent", "")
    clients = [find_client(name) for name in ((asked,) if asked else AGENTS)]
    probes = [probe_client(client, app) for client in clients]
    usable = [probe for probe in probes if not probe.problem]
    listed = probes if args.verb == "probe" else [*probes, *_OURS]
    default = find_default_agent(app)
    rows = tuple(
        (
            f"{each.client} *" if each.client == default.name else each.client,
            each.version,
            each.auth or "-",
            _COST[each.cost_known],
            each.problem,
        )
        for each in listed
    )
    table = Table(("agent", "version", "logs in with", "tells cost", "problem"), rows)
    says = f"* the default: {default.why}" if default.name else f"no default: {default.why}"
    data = {
        "ok": bool(usable),
        "default": default.as_dict(),
        "agents": [probe.as_dict() for probe in listed],
    }
    return Reply(data, (table, says), next=_suggest_cure(probes, default))


def _suggest_cure(probes: Sequence[AgentProbe], default: DefaultAgent) -> str:
    """Suggest how to mend the default agent; others only where no agent can be used."""
    if any(not probe.problem for probe in probes if probe.client == (default.name or probe.client)):
        return ""
    broken = sorted(probes, key=lambda probe: probe.client != default.name)
    return next((probe.hint for probe in broken if probe.hint), "")
