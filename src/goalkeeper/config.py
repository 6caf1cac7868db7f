"""Settings of a repository: parsed and validated, every problem reported at once."""

from __future__ import annotations

import json
from collections.abc import Mapping

from goalkeeper.core.problems import Problem
from goalkeeper.wire.clients import AGENTS
from goalkeeper.wire.hold import LONGEST_WAIT_SECONDS, Limits
from goalkeeper.wire.value import Value

VERSION = 1
GATE_ISOLATIONS = ("checkout", "sandbox")
ISOLATIONS = ("none", *GATE_ISOLATIONS)
BOUNDED, YIELD = STOP_POLICIES = ("bounded", "yield")
OBSERVE, HOLD = VENDOR_POLICIES = ("observe", "hold")
_KNOWN = {
    "": {"version", "verify", "agents", "witness", "judge", "hold", "replay"},
    "verify": {"commands"},
    "agents": {"default"},
    "witness": {"setup", "isolation", "env", "timeout", "memory_mb", "output_mb"},
    "replay": {"allow"},
    "judge": {"max_iterations", "repeats", "held_out_reports"},
    "hold": {
        "max_blocks",
        "cooldown",
        "minutes",
        "wait",
        "stop_hook_active",
        "protect",
        "vendor_goal",
    },
}

Argv = tuple[str, ...]


class WitnessSettings(Value):
    """How checks run. What counts is the file in the base tree: later edits change nothing."""

    setup: tuple[Argv, ...] = ()
    isolation: str = ""  # empty: the strongest there is
    env: tuple[str, ...] = ()  # variables of the user's that checks may see
    timeout: int = 600  # seconds, each check
    memory_mb: int = 4096
    output_mb: int = 64


class JudgeSettings(Value):
    max_iterations: int = 5
    repeats: int = 1  # of a check that passed before and fails now
    held_out_reports: int = 3  # how often an agent may hear that a held-out check failed


class Settings(Value):
    verify: tuple[Argv, ...] = ()
    agent: str = ""
    witness: WitnessSettings = WitnessSettings()
    judge: JudgeSettings = JudgeSettings()
    hold: Limits = Limits()
    replays: tuple[Argv, ...] = ()  # patterns of commands, besides the project's own


def parse_settings_table(raw: Mapping[str, object]) -> Settings | tuple[Problem, ...]:
    """Settings, or everything that is wrong with them."""
    problems = _find_unknown(raw, "")
    version = raw.get("version", VERSION)
    if version is True or version != VERSION:
        problems.append(Problem("version", f"must be {VERSION}, not {version!r}"))
    verify = _parse_table(raw, "verify", problems)
    agents = _parse_table(raw, "agents", problems)
    settings = Settings(
        _parse_commands(verify.get("commands", []), "verify.commands", problems),
        _parse_agent(agents.get("default", ""), problems),
        _parse_witness(_parse_table(raw, "witness", problems), problems),
        _parse_judge(_parse_table(raw, "judge", problems), problems),
        _parse_hold(_parse_table(raw, "hold", problems), problems),
        _parse_commands(
            _parse_table(raw, "replay", problems).get("allow", []), "replay.allow", problems
        ),
    )
    return tuple(problems) or settings


def _parse_witness(table: Mapping[str, object], problems: list[Problem]) -> WitnessSettings:
    default = WitnessSettings()
    isolation = table.get("isolation", "")
    if isolation not in ("", *ISOLATIONS):
        problems.append(Problem("witness.isolation", f"must be one of {', '.join(ISOLATIONS)}"))
    names = table.get("env", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        problems.append(Problem("witness.env", 'must be names of variables: ["JAVA_HOME"]'))
        names = []
    return WitnessSettings(
        _parse_commands(table.get("setup", []), "witness.setup", problems),
        str(isolation),
        tuple(names),
        _parse_number(table, "witness.timeout", default.timeout, 1, problems),
        _parse_number(table, "witness.memory_mb", default.memory_mb, 16, problems),
        _parse_number(table, "witness.output_mb", default.output_mb, 1, problems),
    )


def _parse_judge(table: Mapping[str, object], problems: list[Problem]) -> JudgeSettings:
    default = JudgeSettings()
    return JudgeSettings(
        _parse_number(table, "judge.max_iterations", default.max_iterations, 1, problems),
        _parse_number(table, "judge.repeats", default.repeats, 0, problems),
        _parse_number(table, "judge.held_out_reports", default.held_out_reports, 0, problems),
    )


def _parse_hold(table: Mapping[str, object], problems: list[Problem]) -> Limits:
    default = Limits()
    protects = table.get("protect", default.protects)
    if not isinstance(protects, bool):
        problems.append(Problem("hold.protect", "must be true or false"))
    follow = _parse_choice(table, "hold.stop_hook_active", STOP_POLICIES, problems)
    vendor = _parse_choice(table, "hold.vendor_goal", VENDOR_POLICIES, problems)
    return Limits(
        _parse_number(table, "hold.max_blocks", default.max_blocks, 1, problems),
        _parse_number(table, "hold.cooldown", default.cooldown, 0, problems),
        _parse_number(table, "hold.minutes", default.minutes, 1, problems),
        # Later a client would end the hook, and let the agent go unseen.
        _parse_number(table, "hold.wait", default.wait, 1, problems, most=LONGEST_WAIT_SECONDS),
        yields=follow == YIELD,
        protects=protects is True,
        observes=vendor == OBSERVE,
    )


def _parse_choice(
    table: Mapping[str, object], where: str, choices: tuple[str, ...], problems: list[Problem]
) -> str:
    """One of several words; the first is the default."""
    value = table.get(where.split(".")[1], choices[0])
    if value not in choices:
        problems.append(Problem(where, f"must be one of {', '.join(choices)}"))
        return choices[0]
    return str(value)


def _parse_number(
    table: Mapping[str, object],
    where: str,
    default: int,
    least: int,
    problems: list[Problem],
    *,
    most: float = float("inf"),
) -> int:
    value = table.get(where.split(".")[1], default)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        problems.append(Problem(where, f"must be a whole number, at least {least}"))
        return default
    if value > most:
        problems.append(Problem(where, f"must be at most {most}"))
    return value


def dump_settings(settings: Settings) -> str:
    """A config.toml that a person likes to read."""
    commands = "".join(f"  {_format_argv(argv)},\n" for argv in settings.verify)
    verify = f"commands = [\n{commands}]\n" if commands else 'commands = []  # [["make", "test"]]\n'
    agent = f'default = "{settings.agent}"\n' if settings.agent else f'# default = "{AGENTS[0]}"\n'
    return (
        f"version = {VERSION}\n\n"
        "# What must pass before this project is healthy; each command is a list of words.\n"
        f"[verify]\n{verify}\n"
        "# The agent that works when none is named.\n"
        f"[agents]\n{agent}\n"
        "# How the witness runs checks. What the base tree says counts, not later edits.\n"
        "[witness]\n"
        '# setup = [["uv", "sync"]]  # before the first check, again when a lockfile changes\n'
        '# isolation = "sandbox"     # or checkout; not given: the strongest there is\n'
        '# env = ["JAVA_HOME"]       # variables of yours that checks may see\n'
        "# timeout = 600             # seconds, each check\n\n"
        "# What proofs by replay may run besides the project's own programs; ** is any rest.\n"
        "[replay]\n"
        '# allow = [["cargo", "run", "--quiet", "--", "**"]]\n\n'
        "# Ultrawork: how long a client's session is held before it is let go unproven.\n"
        "[hold]\n"
        "# max_blocks = 8\n"
        "# minutes = 480\n"
    )


def _find_unknown(table: Mapping[str, object], where: str) -> list[Problem]:
    known = _KNOWN[where]
    path = f"{where}." if where else ""
    expected = ", ".join(sorted(known))
    return [
        Problem(f"{path}{name}", f"unknown; expected one of {expected}")
        for name in table
        if name not in known
    ]


def _parse_table(
    raw: Mapping[str, object], name: str, problems: list[Problem]
) -> Mapping[str, object]:
    value = raw.get(name, {})
    if not isinstance(value, Mapping):
        problems.append(Problem(name, "must be a table"))
        return {}
    problems += _find_unknown(value, name)
    return value


def _parse_commands(value: object, where: str, problems: list[Problem]) -> tuple[Argv, ...]:
    if not isinstance(value, list) or not all(_is_argv(item) for item in value):
        problems.append(Problem(where, 'must be lists of words: [["make", "test"]]'))
        return ()
    return tuple(tuple(item) for item in value)


def _is_argv(item: object) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(word, str) for word in item)


def _parse_agent(value: object, problems: list[Problem]) -> str:
    if value not in ("", *AGENTS):
        problems.append(Problem("agents.default", f"must be one of {', '.join(AGENTS)}"))
        return ""
    return str(value)


def _format_argv(argv: Argv) -> str:
    return json.dumps(argv)  # TOML and JSON agree on lists of strings
