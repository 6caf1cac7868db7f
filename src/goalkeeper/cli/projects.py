"""A repository that nobody prepared is prepared: found, tried, written down, and confirmed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from goalkeeper import config, wiring
from goalkeeper.app.plans import refuse_driven
from goalkeeper.app.preparing import Preparation, TriedCommand, choose_untried
from goalkeeper.app.trust import digest_parts, list_risky_parts
from goalkeeper.bootstrap import App
from goalkeeper.cli.inputs import is_confirmed
from goalkeeper.cli.reply import visible
from goalkeeper.config import Settings
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.plan.model import Refused
from goalkeeper.core.plan.rights import refuse_confirming
from goalkeeper.core.projects.commands import describe_argv
from goalkeeper.core.projects.detect import DetectedProject
from goalkeeper.errors import LedgerError
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire.value import Value

_WORDS = {
    Verdict.PASSED: "green in a clean checkout",
    Verdict.FAILED: "RED already, in a clean checkout",
    Verdict.UNKNOWN: "could not be shown",
}


class PreparedProject(Value):
    """What came of preparing a repository."""

    found: Preparation
    is_trusted: bool

    @property
    def settings(self) -> Settings:
        return self.found.settings


def is_prepared(app: App) -> bool:
    return os.path.exists(app.state.config)


def refuse_preparing(app: App) -> Refused | None:
    """Refuse to find settings for an agent at work, or where somebody has written their own."""
    with suppress(LedgerError):  # nobody is driven through a plan that cannot be read
        if refused := refuse_driven(app.runs, app.actor):
            return refused
    if not is_prepared(app):
        return None
    text = read_plain_file(app.state.config).decode(errors="replace")
    if not text or config.is_as_dumped(text):
        return None
    return Refused(
        "settings-edited",
        "config.toml is not as init wrote it, and would be lost.",
        "goalkeeper init after you have moved .goalkeeper/config.toml away",
    )


def prepare_unprepared(
    app: App, *, asks: bool, tries: bool, tell: Callable[[str], None]
) -> PreparedProject | None:
    """Prepare a repository whose settings nobody wrote; None if whoever was asked said no.

    `asks` asks a person before anything is written, and before anything runs without a sandbox.
    What a human has had proven, and was not kept from seeing, is trusted.
    """
    detected = wiring.detect_here(app, app.root)
    found = _find_settings(app, detected, asks=asks, tries=tries, tell=tell)
    text = config.dump_settings(found.settings)
    asked = "Write this to .goalkeeper/config.toml?"
    lines = (*describe_preparation(found), "", *text.split("\n"), asked)
    if asks and not is_confirmed(app.world, *lines, default=True):
        return None
    with app.runs.holding(), disk_errors("write", app.state.config):
        app.world.disk.replace(app.state.config, text.encode())
    return PreparedProject(found, _trust(app, found.settings))


def prepare_for_draft(app: App, *, can_ask: bool) -> None:
    """Prepare a repository for whoever begins with a sentence; nobody is asked where it is safe."""
    if is_prepared(app) or refuse_driven(app.runs, app.actor):  # the plan is refused, too
        return
    is_unsafe = bool(wiring.explain_unisolated(app))
    tell = make_teller(app)
    made = prepare_unprepared(
        app, asks=is_unsafe and can_ask, tries=can_ask or not is_unsafe, tell=tell
    )
    for line in describe_preparation(made.found) if made else ():
        app.world.stderr.write(visible(f"{line}\n"))


def make_teller(app: App, form: str = "  {} …") -> Callable[[str], None]:
    """Return what tells people on standard error what is done; it is for commands that wait."""

    def tell(text: str) -> None:
        with suppress(OSError):
            app.world.stderr.write(f"{form.format(visible(text))}\n")
            app.world.stderr.flush()

    return tell


def _find_settings(
    app: App, detected: DetectedProject, *, asks: bool, tries: bool, tell: Callable[[str], None]
) -> Preparation:
    untried = choose_untried(detected, Settings())
    if not untried.settings.verify and not untried.settings.witness.fetch:
        return untried
    if not tries:
        return untried.replace(notes=(*untried.notes, "nothing was tried"))
    why = wiring.explain_unisolated(app)
    if why and asks:
        commands = (f"  {line}" for line in _list_commands(untried.settings))
        said = f"There is no sandbox here ({why}), so these would run as you do:"
        if not is_confirmed(app.world, said, *commands, "Try them now?", default=False):
            return untried.replace(notes=(*untried.notes, "nothing was tried"))
    return wiring.try_project(app, detected, Settings(), tell)


def _trust(app: App, settings: Settings) -> bool:
    """Trust what a human has confirmed; an agent confirms nothing."""
    digest = digest_parts(list_risky_parts(settings))
    if digest and not refuse_confirming(app.actor):
        wiring.open_trusted_settings(app).add(digest)
    return not digest or wiring.has_trust(app, digest)


def _list_commands(settings: Settings) -> Iterator[str]:
    witness = settings.witness
    for name, commands in (("fetch", witness.fetch), ("set-up", witness.setup)):
        yield from (f"{name}: {describe_argv(argv)}" for argv in commands)
    yield from (f"verify: {describe_argv(argv)}" for argv in settings.verify)


def describe_preparation(found: Preparation) -> list[str]:
    """Say what was found and what trying it has shown, in one line each."""
    lines = []
    witness = found.settings.witness
    if witness.fetch or witness.setup:
        lines.append(f"  set up by {found.way}:")
        lines += [f"    {line}" for line in _list_commands(found.settings.replace(verify=()))]
    tried = {each.argv: each for each in found.tried}
    for argv in found.settings.verify:
        lines.append(f"  verified by {describe_argv(argv)}: {_describe_tried(tried.get(argv))}")
    if not found.settings.verify:
        lines.append("  verified by nothing: no tests were found; edit [verify]")
    lines += [f"  left out {describe_argv(each.argv)}: {each.reason}" for each in found.left]
    lines += [f"  did not work: {problem}" for problem in found.problems]
    return lines + [f"  note: {note}" for note in found.notes]


def _describe_tried(tried: TriedCommand | None) -> str:
    if tried is None:
        return "not tried"
    is_green = tried.verdict is Verdict.PASSED
    return _WORDS[tried.verdict] + ("" if is_green else f" ({tried.reason})")


def show_preparation(found: Preparation) -> dict[str, Any]:
    """Show as data what trying has shown."""
    witness = found.settings.witness
    tried = [
        {"command": each.argv, "verdict": each.verdict, "reason": each.reason}
        for each in (*found.tried, *found.left)
    ]
    return {
        "fetch": witness.fetch,
        "setup": witness.setup,
        "set_up_by": found.way,
        "tried": tried,
        "proven": found.is_proven,
        "problems": found.problems,
        "notes": found.notes,
    }
