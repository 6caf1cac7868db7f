"""`campaign attach`: what one session's driver and agents print, until the session has ended."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from goalkeeper.app.queries.campaigns import describe_state
from goalkeeper.bootstrap import App
from goalkeeper.campaign.following import HeardLine, SessionOutput, read_object
from goalkeeper.cli.campaign_rights import refuse_unbegun
from goalkeeper.cli.campaign_view import describe_change
from goalkeeper.cli.campaign_words import require_session
from goalkeeper.cli.progress import STEP_NAMES, describe_criteria, describe_lane, describe_step
from goalkeeper.cli.render import silence_stream
from goalkeeper.cli.reply import Reply, keep_line, refusal, visible
from goalkeeper.clients.client import Reader
from goalkeeper.clients.command.run import CommandReader
from goalkeeper.clients.rehearsal.run import RehearsalReader
from goalkeeper.clients.table import find_client
from goalkeeper.core.campaign.state import Campaign, SessionState
from goalkeeper.core.contract.criteria import CriterionState, Decision
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.decode import decode
from goalkeeper.core.problems import cut_text
from goalkeeper.errors import GoalkeeperError
from goalkeeper.storage.campaigns import FileCampaign
from goalkeeper.storage.lock import is_held
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import compact

_PAUSE_SECONDS = 0.2
_INTERRUPTED = 130
_MOST_SHOWN = 4000  # so many characters of a line are for people
_READERS: Mapping[str, type[Reader]] = {"rehearsal": RehearsalReader, "command": CommandReader}
_STEPS = {name: shape for shape, name in STEP_NAMES.items()}


def attach_session(app: App, store: FileCampaign, session_id: str, *, as_json: bool) -> Reply:
    """Follow a session until it has ended, or nobody runs it any more. It changes nothing."""
    campaign = store.read()
    session = require_session(campaign, session_id)
    if refused := refuse_unbegun(campaign, session, app.clock()):
        return refusal(refused)
    attached = AttachedSession(app, store, session.id, as_json=as_json)
    try:
        return attached.follow()
    except KeyboardInterrupt:
        said = f"You do not watch {session.id} any more; nothing else has changed."
        return Reply({"ok": True, "session": session.id}, (said,), code=_INTERRUPTED)


class AttachedSession:
    def __init__(self, app: App, store: FileCampaign, session_id: str, *, as_json: bool) -> None:
        self._app = app
        self._store = store
        self._session_id = session_id
        self._as_json = as_json
        log = os.path.join(store.files.logs, f"{session_id}.err")
        self._output = SessionOutput(log, self._find_phases)
        self._readers: dict[str, Reader] = {}  # each phase has one
        self._titles: dict[str, str] = {}
        self._told = ""
        self._has_onlooker = True

    def follow(self) -> Reply:
        while True:
            campaign = self._store.read()
            session = campaign.sessions[self._session_id]
            is_last = not self._is_worked_on(campaign, session)
            self._tell_change(campaign, session)
            for heard in self._output.close() if is_last else self._output.read():
                self._tell_line(campaign, heard)
            if is_last or not self._has_onlooker:
                return self._reply(campaign, session)
            time.sleep(_PAUSE_SECONDS)

    def _find_phases(self) -> str:
        """Find the folder with the phases of the newest run."""
        run_id = self._store.read().sessions[self._session_id].run_id
        with suppress(GoalkeeperError):  # a damaged run has output still
            plan = self._app.runs.named(run_id).read()
            self._titles = {goal.id: goal.title for goal in plan.goals}
        return os.path.join(self._app.state.files_of_run(run_id).dir, layout.PHASES)

    def _is_worked_on(self, campaign: Campaign, session: SessionState) -> bool:
        """Return whether more may come: its driver runs, or the campaign does and may start it."""
        if is_held(self._app.state.files_of_run(session.run_id).drive_lock):
            return True
        is_open = not session.is_over and not campaign.ended
        return is_open and is_held(self._store.files.drive_lock)

    def _tell_change(self, campaign: Campaign, session: SessionState) -> None:
        state = describe_change(campaign, session, self._app.clock())
        if not state or state == self._told:
            return
        self._told = state
        if self._as_json:
            told = {"session": session.id, "status": str(session.status), "state": state}
            self._write(compact(told))
        else:
            self._say(f"{session.id} {session.planned.title}: {state}")

    def _tell_line(self, campaign: Campaign, heard: HeardLine) -> None:
        heard = heard.replace(text=self._app.redactor.clean_text(heard.text))
        if self._as_json:
            self._write(compact(self._show_line(heard)))
        elif heard.phase:
            self._say(self._describe_output(campaign, heard))
        else:
            agent = campaign.terms.agent if campaign.terms else ""
            for line in describe_told(heard.text, self._titles, agent):
                self._say(line)

    def _show_line(self, heard: HeardLine) -> dict[str, Any]:
        told = read_object(heard.text)
        session = {"session": self._session_id}
        if heard.phase:
            place = {"phase": heard.phase, "stream": heard.stream}
            return {**session, "event": "output", **place, "line": told or heard.text}
        return {**session, **told} if told else {**session, "event": "line", "line": heard.text}

    def _describe_output(self, campaign: Campaign, heard: HeardLine) -> str:
        """Show a line of an agent as it is; of one for programs, what it tells people."""
        text = heard.text.rstrip()
        if heard.stream == "err" or not text.startswith("{"):
            return f"    {text}" if text else ""
        agent = campaign.terms.agent if campaign.terms else ""
        if heard.phase not in self._readers:
            made = _READERS.get(agent) or find_client(agent).make_reader
            self._readers[heard.phase] = made()
        activity = self._readers[heard.phase].read_line(text.encode())
        return f"    {activity.kind} {activity.text}" if activity else ""

    def _say(self, line: str) -> None:
        if line:
            self._write(visible(keep_line(cut_text(line, _MOST_SHOWN))))

    def _write(self, line: str) -> None:
        """Write a line; nobody follows any more when nobody reads it."""
        if not self._has_onlooker:
            return
        try:
            self._app.world.stdout.write(line + "\n")
            self._app.world.stdout.flush()
        except OSError:
            silence_stream(self._app.world.stdout)
            self._has_onlooker = False

    def _reply(self, campaign: Campaign, session: SessionState) -> Reply:
        state = describe_state(campaign, session, self._app.clock())
        name = f"{session.id} {session.planned.title}"
        if session.is_over:
            said, follow = f"{name} has ended: {state}.", f"goalkeeper campaign why {session.id}"
        else:
            said, follow = f"Nobody works on {name} now.", "goalkeeper campaign resume"
        data = {"ok": True, "session": session.id, "status": str(session.status), "state": state}
        return Reply(data, (said,), next=follow)


def describe_told(line: str, titles: Mapping[str, str], agent: str) -> list[str]:
    """Say in words for people what a driver told as JSON; any other line stays as it is."""
    told = read_object(line)
    if not told:
        return [line]
    goal_id = str(told.get("goal_id", ""))
    with suppress(ValueError, TypeError):
        match told.get("event"):
            case "judgement":
                table = [decode(CriterionState, each) for each in told["criteria"]]
                findings = [decode(Finding, each) for each in told["findings"]]
                is_met = told["decision"] == Decision.DONE
                last = [] if is_met else [f"{goal_id}: not proven"]
                return [*describe_criteria(table, findings), *last]
            case "lane":
                objections = list(map(str, told["objections"]))
                return describe_lane(goal_id, told["role"], told["word"], objections)
            case "proven":
                return [f"{goal_id}: proven"]
            case "pause":
                return [f"paused, {told.get('why')}, until {str(told.get('until'))[:19]}Z"]
            case "note":
                return [f"    {told.get('text')}"]
            case str(name) if name in _STEPS:
                return [describe_step(decode(_STEPS[name], told), titles, agent)]
    return []
