"""A script says which acts are played when. All of it is checked before anything is played."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from goalkeeper.rehearsal.acts import ACTS, LAST, ActReader, ScriptMalformed, read_argument
from goalkeeper.rehearsal.stage import Deed

PHASES = (
    "plan", "impl", "verify", "refine", "ship", "cleaner", "architect", "qa", "critic",
    "examiner", "challenge", "planner", "plan-critic",
)  # fmt: skip
ANY = "*"

Deeds = tuple[Deed, ...]
Acts = Mapping[str, ActReader]
Script = Mapping[str, Mapping[str, Deeds]]
Moment = tuple[str, str, str, str]  # goal, iteration, phase and attempt make it up

_NUMBER = "[1-9][0-9]*"
_PHASE = "|".join(PHASES)
_GOAL = "G[0-9]{3,}|WORK"  # a review has no plan, and its lanes look at WORK
_GOAL_KEY = re.compile(rf"{_GOAL}|\*")
_TURN_KEY = re.compile(rf"({_NUMBER}|\*)(/({_PHASE})(/{_NUMBER})?)?")
_MOMENT = re.compile(rf"({_GOAL})/({_NUMBER})/({_PHASE})/({_NUMBER})")


def read_moment(told: str) -> Moment:
    found = _MOMENT.fullmatch(told)
    if found is None:
        raise ScriptMalformed(f"GOALKEEPER_PHASE is {told!a}, and not like G001/2/impl/1")
    goal, iteration, phase, attempt = found.groups()
    return goal, iteration, phase, attempt


def load_script(path: str) -> Script:
    try:
        with open(path, encoding="utf-8") as file:
            return read_script(json.load(file, object_pairs_hook=_without_doubles))
    except OSError as exc:
        raise ScriptMalformed(f"{path}: {exc.strerror}") from exc
    except RecursionError as exc:
        raise ScriptMalformed(f"{path}: it is nested too deeply") from exc
    except ValueError as exc:
        raise ScriptMalformed(f"{path}: {exc}") from exc


def read_script(raw: object) -> Script:
    if not isinstance(raw, dict):
        raise ScriptMalformed("a script is an object: {GOAL: {ITERATION: [ACT, …]}}")
    acts = {**ACTS, **(_load_acts(raw["acts"]) if "acts" in raw else {})}
    plans = {goal: turns for goal, turns in raw.items() if goal != "acts"}
    for goal in plans:
        if not isinstance(goal, str) or not _GOAL_KEY.fullmatch(goal):
            raise ScriptMalformed(f"{goal!a} is neither a goal, such as G001, nor *")
    return {goal: _read_turns(goal, turns, acts) for goal, turns in plans.items()}


def _load_acts(path: object) -> Acts:
    """Load the user's own acts: a file of Python with a table ACTS, as in our own `acts`."""
    place = read_argument(path, "acts")
    own: dict[str, object] = {}
    try:
        with open(place, encoding="utf-8") as file:
            exec(compile(file.read(), place, "exec"), own)  # noqa: S102  it is the user's file
    except (Exception, SystemExit) as exc:  # it may do anything
        raise ScriptMalformed(f"acts: {place} gives {type(exc).__name__}: {exc}") from exc
    acts = own.get("ACTS")
    if not isinstance(acts, dict) or not all(map(callable, acts.values())):
        raise ScriptMalformed(f"acts: {place} has no table ACTS, with a function for each name")
    return acts


def deeds_at(script: Script, moment: Moment) -> Deeds | None:
    """Return what the most exact entry says; None if there is no entry."""
    goal, iteration, phase, attempt = moment
    for turns in (script.get(goal, {}), script.get(ANY, {})):
        for turn in (iteration, ANY):
            for key in (f"{turn}/{phase}/{attempt}", f"{turn}/{phase}", turn):
                if key in turns:
                    return turns[key]
    return None


def _read_turns(goal: str, raw: object, acts: Acts) -> dict[str, Deeds]:
    if isinstance(raw, list):
        return {ANY: _read_acts(goal, raw, acts)}
    if not isinstance(raw, dict):
        raise ScriptMalformed(
            f"{goal}: it must be a list of acts, or an object of them by iteration"
        )
    for key in raw:
        if not isinstance(key, str) or not _TURN_KEY.fullmatch(key):
            raise ScriptMalformed(
                f"{goal}: {key!a} is not like 2, 2/impl, 2/impl/1, or * for the 2"
            )
    return {key: _read_acts(f"{goal}, {key}", given, acts) for key, given in raw.items()}


def _read_acts(where: str, raw: object, acts: Acts) -> Deeds:
    if not isinstance(raw, list):
        raise ScriptMalformed(f"{where}: it must be a list of acts")
    return tuple(
        _read_act(f"{where}, act {index}", act, acts, is_last=index == len(raw))
        for index, act in enumerate(raw, start=1)
    )


def _read_act(where: str, raw: object, acts: Acts, *, is_last: bool) -> Deed:
    if not isinstance(raw, dict) or len(raw) != 1:
        raise ScriptMalformed(f"{where}: an act is an object with one name")
    ((name, given),) = raw.items()
    if name not in acts:
        raise ScriptMalformed(f"{where}: there is no act {name!a}; there are {', '.join(acts)}")
    if name == LAST and not is_last:
        raise ScriptMalformed(f"{where}: nothing can come after {name}")
    try:
        return acts[name](given, name)
    except ScriptMalformed as exc:
        raise ScriptMalformed(f"{where}: {exc}") from exc


def _without_doubles(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made:
            raise ScriptMalformed(f"{name!a} stands there twice")
        made[name] = value
    return made
