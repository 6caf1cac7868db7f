"""One event of one client in, one answer out. Whatever happens, the exit code is 0."""

from __future__ import annotations

import os
import sys
import time

from goalkeeper.hooks import clients, decide
from goalkeeper.hooks.clients import NOTHING, Answer, Event
from goalkeeper.hooks.files import Lost, Place, Unreadable, contents, log, state_home
from goalkeeper.hooks.words import anew_text, lost_text, regained_text, status_text
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import SENTINEL, Hold
from goalkeeper.wire.light_json import NotJson, loads

_MOST_BYTES = 1 << 26
_ACTIVATION_SECONDS = 25.0  # clients give a prompt's hook 30
_WORDS = ("ulw", "ultrawork", "stop-continuation")
_NO_TIME = float("inf")
_TELLING = frozenset({clients.STOP, clients.PROMPT})  # where a user reads what we say


def main() -> None:
    """`goalkeeper/hooks/front.sh CLIENT KIND PYTHON` calls this with its arguments."""
    home = state_home(os.environ)
    try:
        source, kind = sys.argv[1:3]
        asked = _event(source, kind)
        said = _answered(home, asked) if asked else ""
    except Exception as exc:  # noqa: BLE001  a bug of ours must not freeze anybody's agent
        log(home, f"let go: {exc!r}")
        said = ""
    if said:
        os.write(1, said.encode())
    os._exit(0)  # nothing is left to be done, and tidying up takes time


def _event(source: str, kind: str) -> Event | None:
    try:
        told = loads(_stdin())
    except NotJson:
        return None
    asked = clients.event(source, kind, told) if isinstance(told, dict) else None
    return asked if asked and asked.client in clients.CLIENTS else None


def _stdin() -> bytes:
    parts = []
    size = 0
    while size < _MOST_BYTES and (part := os.read(0, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _answered(home: str, asked: Event) -> str:
    if asked.kind not in _ANSWERS or not wire.is_session_id(asked.session):
        return clients.rendered(asked, NOTHING)
    place = Place(home, asked.client, asked.session)
    try:
        answer = _ANSWERS[asked.kind](place, asked)
    except Lost as exc:
        log(home, f"let go {asked.client} {asked.session} at {asked.kind}: {exc}")
        if isinstance(exc, Unreadable) and asked.kind in _TELLING:
            place.forget()  # it was told, and would be told for ever
        answer = Answer(notice=lost_text(str(exc))) if asked.kind in _TELLING else NOTHING
    if asked.kind == clients.STATUS:
        return answer.notice
    return clients.rendered(asked, answer)


def _prompt(place: Place, asked: Event) -> Answer:
    if asked.agent or asked.prompt.lstrip().startswith(SENTINEL):
        return NOTHING  # a subagent's; or our own words, handed back
    wanted = _wanted(asked)
    if wanted == "on":
        return _activated(place, asked)
    if not place.is_watched:
        return NOTHING
    now = time.time()
    with place.locked():
        hold = place.read()
        after, answer = (
            decide.switched_off(hold, now) if wanted == "off" else decide.prompted(hold, asked, now)
        )
        place.write(after)
    if after.ended:
        _goalkeeper(after, "off", seconds=0)
    return answer


def _wanted(asked: Event) -> str:
    said = f"{asked.prompt} {asked.command}".lower()
    if not any(word in said for word in _WORDS):
        return ""
    from goalkeeper.hooks import keywords  # noqa: PLC0415  its patterns cost more than all the rest

    command = f"/{asked.command.lstrip('/')}" if asked.command else ""
    return keywords.intent(command or asked.prompt)


def _activated(place: Place, asked: Event) -> Answer:
    """The rest of goalkeeper arms the hold: it knows runs, settings and trees."""
    if place.is_watched:
        return _again(place, asked)
    from goalkeeper.hooks import start  # noqa: PLC0415  as above

    args = ["ulw", "on", "--json", "--client", asked.client, "--session", asked.session]
    args += ["--turn", asked.turn or asked.timestamp] if asked.turn or asked.timestamp else []
    here = _project(asked)
    given = asked.prompt.encode(errors="replace")
    try:
        told = loads(start.ask(_python(), args, here, given, _ACTIVATION_SECONDS))
    except NotJson:
        told = {}
    if not isinstance(told, dict) or not told.get("ok"):
        error = told.get("error") if isinstance(told, dict) else None
        why = error.get("message") if isinstance(error, dict) else "it gave no answer in time"
        log(place.home, f"not armed {asked.client} {asked.session}: {why}")
        return Answer(notice=f"{SENTINEL} Ultrawork is NOT on: {why}")
    if told.get("armed"):
        with place.locked():
            hold = place.read()
        _prove(hold, mark=_mark(hold), seconds=0)
    return Answer(context=str(told["text"]), notice=str(told["notice"]))


def _project(asked: Event) -> str:
    """Where the client works: its own word, as what it tells follows every `cd`."""
    named = os.environ.get("CLAUDE_PROJECT_DIR", "") if asked.client != clients.CURSOR else ""
    return next((each for each in (named, asked.cwd) if os.path.isdir(each)), os.getcwd())


def _again(place: Place, asked: Event) -> Answer:
    """Asked for while it is on: from zero. The same turn through another door counts once."""
    turn = asked.turn or asked.timestamp
    with place.locked():
        hold = place.read()
        if turn and turn == hold.turn:
            return NOTHING
        hold = decide.anew(hold, os.urandom(4).hex(), turn, asked.prompt, time.time())
        place.write(hold)
    return Answer(context=regained_text(hold), notice=anew_text(hold))


def _stop(place: Place, asked: Event) -> Answer:
    if not place.is_watched or decide.is_let_go(asked):
        return NOTHING
    with place.locked():
        hold = place.read()
        seen = _mark(hold)
        answer = _ruled(place, hold, asked, seen, since=_NO_TIME, waited=False)
    if answer is not None:
        return answer
    since = time.time()
    _prove(hold, mark=seen, seconds=hold.wait)
    with place.locked():
        hold = place.read()
        return _ruled(place, hold, asked, seen, since=since, waited=True) or NOTHING


def _ruled(
    place: Place, hold: Hold, asked: Event, seen: str, *, since: float, waited: bool
) -> Answer | None:
    """The answer, on disk before it is printed; None when a proof is needed for one."""
    observes = hold.observes and _has_vendor_goal(asked)
    decided = decide.stop(
        hold, asked, now=time.time(), mark=seen, since=since, waited=waited, observes=observes
    )
    if isinstance(decided, decide.Needs):
        return None
    place.write(decided[0])
    return decided[1]


def _has_vendor_goal(asked: Event) -> bool:
    if asked.client != clients.CLAUDE or not asked.transcript:
        return False
    from goalkeeper.hooks import vendor  # noqa: PLC0415  one client's only

    return vendor.has_goal(asked.transcript)


def _mark(hold: Hold) -> str:
    from goalkeeper.hooks import look  # noqa: PLC0415  stops only

    return look.mark(hold, time.time_ns())


def _prove(hold: Hold, *, mark: str, seconds: float) -> None:
    more = ("--mark", mark) if mark else ()
    _goalkeeper(hold, "prove", "--since", repr(time.time()), *more, seconds=seconds)


def _goalkeeper(hold: Hold, verb: str, *more: str, seconds: float) -> None:
    from goalkeeper.hooks import start  # noqa: PLC0415  what only reads does without

    args = ["ulw", verb, "--json", "--client", hold.client, "--session", hold.session, *more]
    start.run(_python(), args, hold.worktree, seconds)


def _python() -> str:
    return sys.argv[3] if len(sys.argv) > 3 else sys.executable  # noqa: PLR2004


def _begin(place: Place, asked: Event) -> Answer:
    if not place.is_watched:
        return NOTHING
    with place.locked():
        hold = place.read()
        if asked.origin == "clear":
            place.write(decide.ended(hold, wire.CLEARED, "the session was cleared", time.time()))
            return NOTHING
    return Answer(context=regained_text(hold)) if asked.origin in _REGAINED else NOTHING


_REGAINED = frozenset({"compact", "resume"})


def _end(place: Place, asked: Event) -> Answer:
    if place.is_watched and asked.why == "clear":
        with place.locked():
            hold = decide.ended(place.read(), wire.CLEARED, "the session was cleared", time.time())
            place.write(hold)
        _goalkeeper(hold, "off", seconds=0)
    return NOTHING


def _compact(place: Place, asked: Event) -> Answer:
    """All that must outlast it is on disk already; clients that ask for context get it now."""
    if not place.is_watched:
        return NOTHING
    with place.locked():
        hold = place.read()
        place.write(hold.replace(compactions=hold.compactions + 1))
    return Answer(context=regained_text(hold)) if asked.client == clients.OPENCODE else NOTHING


def _failure(place: Place, asked: Event) -> Answer:
    if place.is_watched:
        with place.locked():
            hold = place.read()
            said = (
                f"{asked.client} ended the turn: {asked.why or 'an error'}; say anything to go on"
            )
            place.write(hold.replace(waiting=said, awaiting=False))
    return NOTHING


def _tool(place: Place, asked: Event) -> Answer:
    if not place.is_watched:
        return NOTHING
    from goalkeeper.hooks import tools  # noqa: PLC0415  as above

    hold = place.read()
    try:
        paths = frozenset(contents(place.protected).decode(errors="replace").split("\n"))
    except OSError:
        paths = frozenset()
    return Answer(deny=tools.denied(hold, asked, paths))


def _status(place: Place, _asked: Event) -> Answer:
    return Answer(notice=status_text(place.read())) if place.is_watched else NOTHING


_ANSWERS = {
    clients.PROMPT: _prompt, clients.STOP: _stop, clients.START: _begin, clients.END: _end,
    clients.COMPACT: _compact, clients.FAILURE: _failure, clients.TOOL: _tool,
    clients.STATUS: _status,
}  # fmt: skip
