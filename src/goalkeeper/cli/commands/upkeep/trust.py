"""`trust`: what a stranger may have written counts when a human has seen and confirmed it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from shlex import join

from goalkeeper import wiring
from goalkeeper.app.trust import RISKS, RiskyPart, digest_parts, list_risky_parts
from goalkeeper.bootstrap import App
from goalkeeper.cli.inputs import is_confirmed
from goalkeeper.cli.options import JSON, OneOf, Option, switch
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import Refused
from goalkeeper.core.plan.rights import refuse_confirming
from goalkeeper.git.drivers import find_drivers
from goalkeeper.git.repository import open_git
from goalkeeper.storage.runs import list_run_ids
from goalkeeper.wire import layout

OPTIONS = (
    OneOf(
        switch(
            "--show",
            f"show the settings and their digest, no more; in CI {layout.TRUST} "
            "holds the digest (several: with blanks between), and then nobody is asked",
        ),
        switch("--remove", "trust no settings of this repository any more"),
        switch(
            "--state",
            "take over the state that lies here, after a move or an upgrade, or with another HOME",
        ),
    ),
    Option("--revision REV", "the settings as that commit has them, not the file", default=""),
    switch("--yes", "do not ask"),
    JSON,
)


def run(args: argparse.Namespace, app: App) -> Reply:
    if args.state:
        return _take_over_state(args, app)
    kept = wiring.open_trusted_settings(app)
    if args.remove:
        refused = refuse_confirming(app.actor)
        if refused:
            return refusal(refused)
        had = kept.remove_all()
        said = "is trusted no more" if had else "was not trusted"
        return Reply({"ok": True, "root": app.root, "removed": had}, (f"{app.root} {said}.",))
    parts = list_risky_parts(wiring.read_any_settings(app, args.revision))
    drivers = find_drivers(open_git(app.worktree).read_config())
    digests = [digest for digest in (digest_parts(parts), digest_parts(drivers)) if digest]
    page = (f"What {app.root} asks for:", *_describe_parts(parts), *_describe_drivers(drivers))
    data = {"ok": True, "root": app.root, "digest": " ".join(digests) or None,
            "parts": parts, "git": drivers}  # fmt: skip
    if not digests:
        said = "Nothing that runs or loosens anything; there is nothing to trust."
        return Reply({**data, "trusted": True}, (page[0], said))
    page = (*page, *(f"digest: {digest}" for digest in digests))
    trusted = all(wiring.has_trust(app, digest) for digest in digests)
    if args.show or trusted:
        said = "It is trusted." if trusted else "It is not trusted."
        return Reply({**data, "trusted": trusted}, (*page, said))
    refused = _refuse_unconfirmed(args, app, page, f"goalkeeper trust{_repeat(args)} --yes")
    if refused:
        facts = {"digest": data["digest"], "parts": parts, "git": drivers}
        return refusal(refused.replace(facts=facts))
    for digest in digests:
        kept.add(digest)
    shown = (*_repeat_page(args, app, page), "It is trusted from now on.")
    return Reply({**data, "trusted": True}, shown)


def _repeat(args: argparse.Namespace) -> str:
    return f" --revision {args.revision}" if args.revision else ""


def _describe_parts(parts: Mapping[str, RiskyPart]) -> Iterator[str]:
    for name, value in parts.items():
        for each in value if isinstance(value, tuple) else (value,):
            shown = join(each) if isinstance(each, tuple) else str(each)
            yield f"  {RISKS[name]}: {shown}  ({name})"


def _describe_drivers(drivers: Mapping[str, str]) -> Iterator[str]:
    for key, value in drivers.items():
        yield f"  git runs for its files: {value}  ({key} in .git/config)"


def _take_over_state(args: argparse.Namespace, app: App) -> Reply:
    state = app.state
    state.check_placement()
    state.check_tracking()
    data = {"ok": True, "root": app.root, "state": state.dir}
    if state.is_known or not state.is_begun:
        said = "was made here" if state.is_known else "holds no state"
        return Reply({**data, "taken_over": False}, (f"{state.dir} {said}; nothing to take over.",))
    runs = [name for place in (state.runs, state.archive) for name in list_run_ids(place)]
    page = (f"{state.dir} was not made here. Its runs:", *(f"  {name}" for name in runs))
    refused = _refuse_unconfirmed(args, app, page, "goalkeeper trust --state --yes")
    if refused:
        return refusal(refused.replace(facts={"runs": runs}))
    app.runs.take_over()
    shown = (*_repeat_page(args, app, page), "It is used from now on.")
    counted = wiring.read_settings(app)  # it warns of settings that do not count here
    follow = "goalkeeper trust" if counted.left_out else "goalkeeper status"
    return Reply({**data, "taken_over": True, "runs": runs}, shown, next=follow)


def _repeat_page(args: argparse.Namespace, app: App, page: Sequence[str]) -> Sequence[str]:
    """Return what is confirmed, unless whoever was asked has read it already."""
    return () if app.world.stdin.isatty() and not args.yes else page


def _refuse_unconfirmed(
    args: argparse.Namespace, app: App, page: Sequence[str], again: str
) -> Refused | None:
    """Ask the human, unless `--yes` says it already; return None if it is confirmed."""
    refused = refuse_confirming(app.actor)
    if refused or args.yes:
        return refused
    if app.world.stdin.isatty():
        asked = "Somebody else may have written this. Use it?"
        if is_confirmed(app.world, *page, asked, default=False):
            return None
        again = "goalkeeper trust --show"
    return Refused("declined", "Nothing was confirmed.", again)
