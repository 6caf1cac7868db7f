"""`campaign`: many sessions at once under one plan, and a queue that carries proof.

The functions of its verbs are loaded when one is called. A campaign starts three processes of ours
for each session, and these load little.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from goalkeeper.cli.options import ISOLATION, JSON, WORKER, OneOf, Option, Verb, switch
from goalkeeper.cli.parsing import dollars, parse_words

MODULES = {
    "campaign_children": ("preflight", "prove", "work"),
    "campaign_runs": ("run", "resume"),
    "campaign_verbs": (
        "plan", "check", "show", "attach", "list", "status", "report", "why", "audit", "stop",
        "amend", "unblock", "decompose", "receipt", "land",
    ),
}  # fmt: skip
_CAMPAIGN = Option("--campaign ID", "the campaign, if not the newest", default="")
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


def __getattr__(name: str) -> Any:  # noqa: ANN401  Python asks for what the module does not hold
    for module, verbs in MODULES.items():
        if name.removeprefix("run_") in verbs:
            return getattr(import_module(f"goalkeeper.cli.{module}"), name)
    raise AttributeError(name)
