"""Answers for a session that is not held: ultrawork is armed, or its plan has something to say."""

from __future__ import annotations

import os

from goalkeeper.hooks import files, start, words
from goalkeeper.hooks.files import HoldPlace
from goalkeeper.wire import hook, layout
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.hook import NOTHING, HookAnswer, HookEvent
from goalkeeper.wire.light_json import NotJson, loads

_NO_ANSWER = "goalkeeper gave no answer in time"
_ACTIVATION_SECONDS = 25.0  # clients give a prompt's hook 30


def arm(place: HoldPlace, asked: HookEvent) -> HookAnswer:
    """Have the rest of goalkeeper arm the hold, because it knows runs, settings and trees."""
    args = _list_arming_words(asked)
    args += ["--turn", asked.turn_key] if asked.turn_key else []
    args += ["--process", asked.process] if asked.process else []
    told = _ask_goalkeeper(place.home, asked, args)
    if isinstance(told, dict) and told.get("ok"):
        if not told.get("is_new"):
            return NOTHING  # another process was faster, and said it
        hold = place.read()
        if hold is not None:  # while the agent works, find out how things are at the beginning
            start.call_ulw(hold, "prove", "--hook", seconds=0)
        warnings = told.get("warnings")
        said = [told["notice"], *(warnings if isinstance(warnings, list) else ())]
        return HookAnswer(context=str(told["text"]), notice="\n".join(map(str, said)))
    error = told.get("error") if isinstance(told, dict) else None
    why, text = "it failed", ""
    if isinstance(error, dict):
        why = f"{error.get('message')}\nnext: {error.get('hint') or 'goalkeeper ulw --help'}"
        facts = error.get("facts")
        text = str(facts.get("text") or "") if isinstance(facts, dict) else ""
    files.write_log(place.home, f"not armed {asked.client} {asked.session}: {why}")
    return words.notify("not-on", why=why).replace(context=text)


def redact_prompt(home: str, asked: HookEvent) -> str:
    """Return the prompt of a session that is held without secrets, or nothing if none answers.

    The rest of goalkeeper knows secrets; it leaves such a hold as it is.
    """
    told = _ask_goalkeeper(home, asked, _list_arming_words(asked))
    return str(told.get("asked_for") or "") if isinstance(told, dict) else ""


def _list_arming_words(asked: HookEvent) -> list[str]:
    return ["ulw", "on", "--json", "--client", asked.client, "--session", asked.session]


def answer_for_plan(home: str, asked: HookEvent) -> HookAnswer:
    """Answer for a session with a plan: the plan may close questions, and is told again."""
    if asked.kind != hook.TOOL:
        told = _ask_plan(home, asked, "status")
        is_past = _is_of_past_hold(home, asked, told.get("run_id"))
        return NOTHING if is_past else HookAnswer(context=words.say_plan(told))
    error = _ask_plan(home, asked, "guard", "ask").get("error")
    if not isinstance(error, dict) or not isinstance(error.get("facts"), dict):
        return NOTHING
    is_past = _is_of_past_hold(home, asked, error["facts"].get("run"))
    return NOTHING if is_past else HookAnswer(deny=words.say_questions_closed(error))


def _is_of_past_hold(home: str, asked: HookEvent, run: object) -> bool:
    """Return whether a run was made for a hold of this session, which has ended since."""
    hold = files.read_past_hold(home, _find_project(asked), asked.client, asked.session)
    return bool(hold and hold.own and hold.run == run)


def _ask_plan(home: str, asked: HookEvent, *command: str) -> dict[str, object]:
    """Ask the rest of goalkeeper about the plan of this session."""
    project = _find_project(asked)
    if not os.path.exists(os.path.join(project, layout.STATE_DIR, layout.CURRENT)):
        return {}
    os.environ[CLIENTS[asked.client].sessions[0]] = asked.session
    told = _ask_goalkeeper(home, asked, [*command, "--json"])
    return told if isinstance(told, dict) else {}


def _ask_goalkeeper(home: str, asked: HookEvent, args: list[str]) -> object:
    """Return what it answers; it gets the prompt on its stdin."""
    try:
        given = files.open_nameless(home, asked.prompt.encode(errors="replace"))
        return loads(start.ask(args, _find_project(asked), given, _ACTIVATION_SECONDS))
    except (OSError, NotJson) as exc:
        said = _NO_ANSWER if isinstance(exc, NotJson) else str(exc)
        return {"error": {"message": said}}


def _find_project(asked: HookEvent) -> str:
    """Find where the client works. Its variable counts most, because `cwd` follows every `cd`."""
    named = os.environ.get(asked.dialect.project_variable, "")
    return next((each for each in (named, asked.cwd) if os.path.isdir(each)), os.getcwd())
