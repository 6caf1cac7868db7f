"""Reads one event of one client and prints one answer. Whatever happens, the exit code is 0."""

from __future__ import annotations

import os
import sys
import time

from goalkeeper.hooks import decide, files, words
from goalkeeper.hooks.files import HoldPlace, Lost, Unreadable
from goalkeeper.wire import hold as wire
from goalkeeper.wire import hook, layout, switches
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.hold import SENTINEL, Hold
from goalkeeper.wire.hook import NOTHING, HookAnswer, HookEvent
from goalkeeper.wire.light_json import NotJson, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_BYTES = 1 << 26
_TRANSCRIPT_BYTES = 1 << 19  # so many bytes at its end are looked at
_WORDS = ("ulw", "ultrawork", "stop-continuation")
_TELLING = frozenset({hook.STOP, hook.PROMPT})  # a user reads what we say there
_REGAINED = frozenset({"compact", "resume"})


def main() -> None:
    """Answer one call of `goalkeeper/hooks/front.sh`, with client, kind and the interpreter."""
    home = layout.state_home(os.environ)
    try:
        source, kind = sys.argv[1:3]
        asked = _read_payload(source, kind)
        said = _answer_event(home, asked) if asked else ""
    except Exception as exc:  # noqa: BLE001  a bug of ours must not freeze anybody's agent
        files.write_log(home, f"let go: {exc!r}")
        said = ""
    if said:
        os.write(1, said.encode())
    os._exit(0)  # nothing is left to be done, and cleaning up takes time


def _read_payload(source: str, kind: str) -> HookEvent | None:
    try:
        told = loads(_read_stdin())
    except NotJson:
        return None
    if not isinstance(told, dict):
        return None
    client = _recognize_client(source, told)
    if client not in CLIENTS:
        return None
    # Only the module of the client that calls is loaded.
    module = __import__(f"goalkeeper.clients.{client}.hook", fromlist=["DIALECT"])
    process = files.find_process(os.environ.get(module.DIALECT.process_variable, ""))
    asked = hook.read_event(client, source, kind, told, module.DIALECT)
    return asked.replace(process=process)


def _recognize_client(source: str, told: dict[str, object]) -> str:
    """Find the client by the payload's shape: variables are inherited from other clients."""
    seen = {*told, hook.read_name(told)}
    for name in reversed(CLIENTS):
        for marks in CLIENTS[name].payload.split("|"):
            if marks and seen.issuperset(marks.split()):
                return name
    return source


def _read_stdin() -> bytes:
    parts = []
    size = 0
    while size < _MOST_BYTES and (part := os.read(0, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _answer_event(home: str, asked: HookEvent) -> str:
    if asked.kind not in _ANSWERS or not wire.is_session_id(asked.session):
        return _render(asked, NOTHING)
    place = HoldPlace(home, asked.client, asked.session)
    if asked.kind != hook.PROMPT and not place.is_watched:
        return _render(asked, _answer_unheld(place, asked) if _may_concern_plan(asked) else NOTHING)
    try:
        answer = _tell_switched_off(place, asked, _ANSWERS[asked.kind](place, asked))
    except Lost as exc:
        files.write_log(home, f"let go {asked.client} {asked.session} at {asked.kind}: {exc}")
        if isinstance(exc, Unreadable) and asked.kind in _TELLING:
            place.forget()  # it was told once, and must not be told for ever
        answer = words.notify("lost", why=exc) if asked.kind in _TELLING else NOTHING
    if asked.kind == hook.STATUS:
        return answer.notice
    return _render(asked, answer)


def _may_concern_plan(asked: HookEvent) -> bool:
    """Return whether a plan may have something to say, though the session is not held."""
    if asked.kind == hook.START:
        return asked.origin in _REGAINED
    if asked.kind == hook.COMPACT:
        return asked.dialect.takes_context_at_compaction
    return asked.kind == hook.TOOL and asked.tool in hook.QUESTION_TOOLS


def _answer_unheld(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    from goalkeeper.hooks import unheld  # noqa: PLC0415  few events need it

    if asked.kind == hook.PROMPT:
        return unheld.arm(place, asked)
    return unheld.answer_for_plan(place.home, asked)


def _tell_switched_off(place: HoldPlace, asked: HookEvent, answer: HookAnswer) -> HookAnswer:
    """Note and tell that the client is to call no more hooks, while it still calls this one."""
    hold = place.read()
    if hold is None or hold.ended:
        return answer
    project, read = hold.worktree, files.read_if_there
    why = switches.find_switched_off(asked.client, os.environ, project, hold.hooked, read)
    if why == hold.hooks_off:
        return answer
    _change_hold(place, lambda hold: (hold.replace(hooks_off=why), NOTHING))
    if not why or asked.kind not in _TELLING:
        return answer
    told = words.notify("switched-off", why=why).notice
    return answer.replace(notice=f"{answer.notice}\n{told}".strip())


def _render(asked: HookEvent, answer: HookAnswer) -> str:
    """Print only what the client knows, and nothing where there is nothing to say."""
    said = asked.dialect.render(asked, answer)
    return dumps(said) + "\n" if said else asked.dialect.silence


def _answer_prompt(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    if asked.agent or asked.prompt.lstrip().startswith(SENTINEL):
        return NOTHING  # it is a subagent's, or our own words come back
    wanted = _find_intent(asked)
    if wanted == "on":
        return _renew(place, asked) or _answer_unheld(place, asked)
    if not place.is_watched:
        return NOTHING
    if wanted == "off":
        return _turn_off(place)
    return _change_hold(place, lambda hold: decide.rule_on_prompt(hold, asked, time.time()))[1]


def _turn_off(place: HoldPlace) -> HookAnswer:
    """Turn ultrawork off. Whatever is in the way, the session is free."""
    try:
        hold = _end_hold(place, wire.OFF, "the prompt said so")
    except Lost as exc:
        place.forget()
        files.write_log(place.home, f"off, but not noted: {exc}")
        return words.notify("off-unwritten", why=exc)
    return words.notify("off", hold) if hold else NOTHING


def _end_hold(place: HoldPlace, how: str, why: str) -> Hold | None:
    """End the hold. The rest of goalkeeper closes its run, and nobody waits for that."""
    hold, _ = _change_hold(place, lambda hold: (hold.end_hold(how, why, time.time()), NOTHING))
    if hold is not None:
        _call_goalkeeper(hold, "off", seconds=0)
    return hold


def _change_hold(
    place: HoldPlace, rule: Callable[[Hold], decide.HookRuling]
) -> tuple[Hold | None, HookAnswer]:
    """Change the hold on disk as a rule says, and return the rule's answer.

    If the session is not held, there is no hold and nothing to say.
    """
    with place.lock():
        hold = place.read()
        if hold is None or hold.ended:
            return None, NOTHING
        changed, answer = rule(hold)
        if changed is not hold:
            place.write(changed)
    return changed, answer


def _renew(place: HoldPlace, asked: HookEvent) -> HookAnswer | None:
    """Begin again if it is on; return None if it is not."""
    if not place.is_watched:
        return None
    from goalkeeper.hooks import unheld  # noqa: PLC0415  few events need it

    activation = os.urandom(4).hex()
    try:
        known = place.read()
        if known is None or known.ended:
            return None
        asked = asked.replace(prompt=unheld.redact_prompt(place.home, asked))
        hold, answer = _change_hold(
            place, lambda hold: decide.rule_on_renewal(hold, activation, asked, time.time())
        )
    except Unreadable as exc:
        files.write_log(place.home, f"armed anew {asked.client} {asked.session}: {exc}")
        place.forget()  # what is known of the old hold cannot be used, and a new one is asked for
        return None
    return answer if hold else None


def _find_intent(asked: HookEvent) -> str:
    said = f"{asked.prompt} {asked.command}".lower()
    if not any(word in said for word in _WORDS):
        return ""
    from goalkeeper.hooks import keywords  # noqa: PLC0415  its patterns cost more than all the rest

    command = f"/{asked.command.lstrip('/')}" if asked.command else ""
    return keywords.find_intent(command or asked.prompt)


def _answer_stop(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    why = decide.find_release(asked)
    if why:
        files.write_log(place.home, f"let go {asked.client} {asked.session}: {why}")
        return NOTHING
    answer = _rule_on_stop(place, asked)
    return answer if isinstance(answer, HookAnswer) else _answer_after_proof(place, answer, asked)


def _answer_after_proof(place: HoldPlace, hold: Hold, asked: HookEvent) -> HookAnswer:
    """Answer after a proof of the tree as it is, or say why there is none."""
    since = time.time()
    asks = ("--hook", "--record", "--since", repr(since))
    code = _call_goalkeeper(hold, "prove", *asks, seconds=hold.limits.wait)
    answer = _rule_on_stop(place, asked, since, is_confirmed=code == 0)
    if isinstance(answer, HookAnswer):
        return answer
    _change_hold(place, lambda hold: (hold.pause_for("it could not be checked in time"), NOTHING))
    if code is None:
        return words.notify("still-proving", hold)
    said = f"let go {asked.client} {asked.session}: ulw prove ended with {code}"
    files.write_log(place.home, said)
    return words.notify("not-checked", code=code)


def _rule_on_stop(
    place: HoldPlace, asked: HookEvent, since: float = float("inf"), *, is_confirmed: bool = False
) -> HookAnswer | Hold:
    """Write the answer to disk before it is printed. Return the hold if it needs a proof first."""
    from goalkeeper.wire import fingerprint  # noqa: PLC0415  other events do without it

    with place.lock():
        hold = place.read()
        if hold is None:
            return NOTHING
        seen, is_sure = fingerprint.take_fingerprint(hold, time.time_ns(), os.scandir, os.stat)
        ledger = fingerprint.of_ledger(hold, os.stat)
        now = decide.Now(time.time(), seen, seen if is_sure else "", ledger, since, is_confirmed)
        decided = decide.rule_on_stop(hold, asked, now, lambda: _has_own_goal(asked))
        if decided is None:
            return hold
        if decided[0].ended == wire.OFF:
            place.forget()  # it was told
        else:
            place.write(decided[0])
    return decided[1]


def _has_own_goal(asked: HookEvent) -> bool:
    """Return whether the client keeps a goal of its own, because two loops would fight."""
    has_goal = asked.dialect.has_own_goal
    if has_goal is None or not asked.transcript:
        return False
    try:
        return has_goal(files.read_file(asked.transcript, _TRANSCRIPT_BYTES))
    except OSError:
        return False


def _call_goalkeeper(hold: Hold, verb: str, *more: str, seconds: float) -> int | None:
    from goalkeeper.hooks import start  # noqa: PLC0415  what only reads does without

    return start.call_ulw(hold, verb, *more, seconds=seconds)


def _answer_start(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    if asked.origin == "clear":
        return _clear(place)
    hold = place.read() if asked.origin in _REGAINED else None
    return HookAnswer(context=words.say_regained(hold)) if hold and not hold.ended else NOTHING


def _answer_end(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    if asked.why == "clear":
        return _clear(place)
    return _change_hold(place, lambda hold: (hold.replace(process=wire.LEFT), NOTHING))[1]


def _clear(place: HoldPlace) -> HookAnswer:
    _end_hold(place, wire.CLEARED, "the session was cleared")
    return NOTHING


def _answer_compaction(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    """Answer a compaction. All that must last is on disk; clients that take context get it."""
    hold, _ = _change_hold(
        place, lambda hold: (hold.replace(compactions=hold.compactions + 1), NOTHING)
    )
    takes = asked.dialect.takes_context_at_compaction
    return HookAnswer(context=words.say_regained(hold)) if hold and takes else NOTHING


def _answer_failure(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    said = f"{asked.client} ended the turn: {asked.why or 'an error'}; say anything to go on"
    return _change_hold(place, lambda hold: (hold.pause_for(said), NOTHING))[1]


def _answer_tool(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    from goalkeeper.hooks import tools  # noqa: PLC0415  as above

    hold = place.read()
    if hold is None or hold.ended:
        return NOTHING
    try:
        paths = frozenset(files.read_file(place.protected).decode(errors="replace").split("\n"))
    except OSError:
        paths = frozenset()
    settings = switches.list_settings(asked.client, os.environ, hold.worktree)
    return HookAnswer(deny=tools.find_denial(hold, asked, paths, settings))


def _answer_status(place: HoldPlace, _asked: HookEvent) -> HookAnswer:
    hold = place.read()
    return HookAnswer(notice=words.say_status(hold)) if hold and not hold.ended else NOTHING


_ANSWERS = {
    hook.PROMPT: _answer_prompt, hook.STOP: _answer_stop, hook.START: _answer_start,
    hook.END: _answer_end, hook.COMPACT: _answer_compaction, hook.FAILURE: _answer_failure,
    hook.TOOL: _answer_tool, hook.STATUS: _answer_status,
}  # fmt: skip
