"""One event of one client in, one answer out. Whatever happens, the exit code is 0."""

from __future__ import annotations

import os
import sys
import time

from goalkeeper.hooks import clients, decide, words
from goalkeeper.hooks.clients import NOTHING, Answer, Event
from goalkeeper.hooks.files import Lost, Place, Unreadable, contents, log, nameless
from goalkeeper.wire import hold as wire
from goalkeeper.wire import layout
from goalkeeper.wire.hold import SENTINEL, Hold
from goalkeeper.wire.light_json import NotJson, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_BYTES = 1 << 26
_ACTIVATION_SECONDS = 25.0  # clients give a prompt's hook 30
_WORDS = ("ulw", "ultrawork", "stop-continuation")
_TELLING = frozenset({clients.STOP, clients.PROMPT})  # where a user reads what we say
_REGAINED = frozenset({"compact", "resume"})


def main() -> None:
    """`goalkeeper/hooks/front.sh` calls this, with client, kind and the interpreter."""
    home = layout.state_home(os.environ)
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
        answer = Answer(notice=words.lost(str(exc))) if asked.kind in _TELLING else NOTHING
    if asked.kind == clients.STATUS:
        return answer.notice
    return clients.rendered(asked, answer)


def _prompt(place: Place, asked: Event) -> Answer:
    if asked.agent or asked.prompt.lstrip().startswith(SENTINEL):
        return NOTHING  # a subagent's; or our own words, handed back
    wanted = _wanted(asked)
    if wanted == "on":
        return _again(place, asked) or _armed(place, asked)
    if not place.is_watched:
        return NOTHING
    if wanted == "off":
        return _off(place)
    with place.locked():
        hold = place.read()
        if hold is None or hold.ended:
            return NOTHING
        hold, answer = decide.prompted(hold, asked, time.time())
        place.write(hold)
    return answer


def _off(place: Place) -> Answer:
    """Whatever is in the way, the session is free."""
    try:
        hold = _ended(place, wire.OFF, "the prompt said so")
    except Lost as exc:
        place.forget()
        log(place.home, f"off, but not noted: {exc}")
        return Answer(notice=words.off_unwritten(str(exc)))
    return Answer(notice=words.off(hold)) if hold else NOTHING


def _ended(place: Place, how: str, why: str) -> Hold | None:
    """Over; the rest of goalkeeper closes its run, and nobody waits for that."""
    hold = _changed(place, lambda hold: hold.over(how, why, time.time()))
    if hold is not None:
        _goalkeeper(hold, "off", seconds=0)
    return hold


def _changed(place: Place, change: Callable[[Hold], Hold]) -> Hold | None:
    """The hold after the change, on disk; None when the session is not held."""
    with place.locked():
        hold = place.read()
        if hold is None or hold.ended:
            return None
        hold = change(hold)
        place.write(hold)
    return hold


def _wanted(asked: Event) -> str:
    said = f"{asked.prompt} {asked.command}".lower()
    if not any(word in said for word in _WORDS):
        return ""
    from goalkeeper.hooks import keywords  # noqa: PLC0415  its patterns cost more than all the rest

    command = f"/{asked.command.lstrip('/')}" if asked.command else ""
    return keywords.intent(command or asked.prompt)


def _armed(place: Place, asked: Event) -> Answer:
    """The rest of goalkeeper arms the hold: it knows runs, settings and trees."""
    from goalkeeper.hooks import start  # noqa: PLC0415  as above

    args = ["ulw", "on", "--json", "--client", asked.client, "--session", asked.session]
    args += ["--turn", asked.turn_key] if asked.turn_key else []
    told: object = {}
    try:
        given = nameless(place.home, asked.prompt.encode(errors="replace"))
        told = loads(start.ask(_python(), args, _project(asked), given, _ACTIVATION_SECONDS))
    except OSError as exc:
        told = {"error": {"message": str(exc)}}
    except NotJson:
        told = {"error": {"message": "goalkeeper gave no answer in time"}}
    if isinstance(told, dict) and told.get("ok"):
        if not told.get("is_new"):
            return NOTHING  # somebody was faster, and said it
        _first_look(place)
        return Answer(context=str(told["text"]), notice=str(told["notice"]))
    error = told.get("error") if isinstance(told, dict) else None
    why = "it failed"
    if isinstance(error, dict):
        why = f"{error.get('message')}\nnext: {error.get('hint') or 'goalkeeper ulw --help'}"
    log(place.home, f"not armed {asked.client} {asked.session}: {why}")
    return Answer(notice=words.not_on(why))


def _first_look(place: Place) -> None:
    """While the agent works, see how things stand at the beginning."""
    hold = place.read()
    if hold is not None:
        _goalkeeper(hold, "prove", "--hook", seconds=0)


def _project(asked: Event) -> str:
    """Where the client works: its own word, as what it tells follows every `cd`."""
    named = os.environ.get("CLAUDE_PROJECT_DIR", "") if asked.client != clients.CURSOR else ""
    return next((each for each in (named, asked.cwd) if os.path.isdir(each)), os.getcwd())


def _again(place: Place, asked: Event) -> Answer | None:
    """From zero, if it is on; None when it is not. The same turn through two doors counts once."""
    if not place.is_watched:
        return None
    with place.locked():
        hold = place.read()
        if hold is None or hold.ended:
            return None
        if asked.turn_key and asked.turn_key == hold.turn:
            return NOTHING
        hold = decide.anew(hold, os.urandom(4).hex(), asked, time.time())
        place.write(hold)
    return Answer(context=words.regained(hold), notice=words.anew(hold))


def _stop(place: Place, asked: Event) -> Answer:
    if not place.is_watched:
        return NOTHING
    why = decide.let_go(asked)
    if why:
        log(place.home, f"let go {asked.client} {asked.session}: {why}")
        return NOTHING
    with place.locked():
        hold = place.read()
        if hold is None:
            return NOTHING
        now = _now(hold)
        answer = _ruled(place, hold, asked, now)
    return answer or _proven(place, hold, asked, now)


def _proven(place: Place, hold: Hold, asked: Event, now: decide.Now) -> Answer:
    """The answer after a proof of the tree as it is, or why there is none."""
    since = time.time()
    asks = ("--hook", "--record", "--since", repr(since))
    code = _goalkeeper(hold, "prove", *asks, seconds=hold.limits.wait)
    with place.locked():
        known = place.read()
        if known is None:
            return NOTHING
        now = _now(known).replace(since=since)
        answer = _ruled(place, known, asked, now)
    if answer is not None:
        return answer
    if code is None:
        return Answer(notice=words.still_proving(hold))
    log(place.home, f"let go {asked.client} {asked.session}: ulw prove ended with {code}")
    return Answer(notice=words.not_checked(code))


def _ruled(place: Place, hold: Hold, asked: Event, now: decide.Now) -> Answer | None:
    """The answer, on disk before it is printed; None when a proof is needed for one."""
    decided = decide.stop(hold, asked, now, lambda: _has_vendor_goal(asked))
    if decided is None:
        return None
    if decided[0].ended == wire.OFF:
        place.forget()  # it was told
    else:
        place.write(decided[0])
    return decided[1]


def _now(hold: Hold) -> decide.Now:
    from goalkeeper.wire import fingerprint  # noqa: PLC0415  stops only

    seen, is_sure = fingerprint.mark(hold, time.time_ns(), os.scandir, os.stat)
    return decide.Now(
        time.time(), seen, seen if is_sure else "", fingerprint.of_ledger(hold, os.stat)
    )


def _has_vendor_goal(asked: Event) -> bool:
    if asked.client != clients.CLAUDE or not asked.transcript:
        return False
    from goalkeeper.hooks import vendor  # noqa: PLC0415  one client's only

    return vendor.has_goal(asked.transcript)


def _goalkeeper(hold: Hold, verb: str, *more: str, seconds: float) -> int | None:
    from goalkeeper.hooks import start  # noqa: PLC0415  what only reads does without

    args = ["ulw", verb, "--json", "--client", hold.client, "--session", hold.session, *more]
    return start.run(_python(), args, hold.worktree, seconds)


def _python() -> str:
    return sys.argv[3] if len(sys.argv) > 3 else sys.executable  # noqa: PLR2004


def _begin(place: Place, asked: Event) -> Answer:
    if not place.is_watched:
        return NOTHING
    if asked.origin == "clear":
        return _cleared(place)
    hold = place.read() if asked.origin in _REGAINED else None
    return Answer(context=words.regained(hold)) if hold and not hold.ended else NOTHING


def _end(place: Place, asked: Event) -> Answer:
    return _cleared(place) if place.is_watched and asked.why == "clear" else NOTHING


def _cleared(place: Place) -> Answer:
    _ended(place, wire.CLEARED, "the session was cleared")
    return NOTHING


def _compact(place: Place, asked: Event) -> Answer:
    """All that must outlast it is on disk already; clients that ask for context get it now."""
    if not place.is_watched:
        return NOTHING
    hold = _changed(place, lambda hold: hold.replace(compactions=hold.compactions + 1))
    asks = asked.client == clients.OPENCODE
    return Answer(context=words.regained(hold)) if hold and asks else NOTHING


def _failure(place: Place, asked: Event) -> Answer:
    if place.is_watched:
        said = f"{asked.client} ended the turn: {asked.why or 'an error'}; say anything to go on"
        _changed(place, lambda hold: hold.paused(said))
    return NOTHING


def _tool(place: Place, asked: Event) -> Answer:
    if not place.is_watched:
        return NOTHING
    from goalkeeper.hooks import tools  # noqa: PLC0415  as above

    hold = place.read()
    if hold is None or hold.ended:
        return NOTHING
    try:
        paths = frozenset(contents(place.protected).decode(errors="replace").split("\n"))
    except OSError:
        paths = frozenset()
    return Answer(deny=tools.denied(hold, asked, paths))


def _status(place: Place, _asked: Event) -> Answer:
    hold = place.read()
    return Answer(notice=words.status(hold)) if hold and not hold.ended else NOTHING


_ANSWERS = {
    clients.PROMPT: _prompt, clients.STOP: _stop, clients.START: _begin, clients.END: _end,
    clients.COMPACT: _compact, clients.FAILURE: _failure, clients.TOOL: _tool,
    clients.STATUS: _status,
}  # fmt: skip
