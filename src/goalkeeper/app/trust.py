"""What a repository's settings make run, or loosen, counts only if their digest is trusted.

A clone brings settings along that somebody else wrote. `decide_settings` is the only place that
says which of them count; whoever reads settings asks it, by `wiring.weigh_settings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.config import YIELD, Argv, Settings
from goalkeeper.core.contract.judgement import ISOLATIONS
from goalkeeper.core.projects.runners import is_detected
from goalkeeper.wire.canonical import digest

RiskyPart = str | int | tuple[str | Argv, ...]

_SANDBOX = ISOLATIONS[-1]
# Without trust a limit is at most so large. That is enough for usual projects.
CEILINGS = {
    "witness.timeout": 3600,
    "witness.memory_mb": 16384,
    "witness.output_mb": 1024,
    "witness.processes": 4096,
    "judge.max_iterations": 100,
    "judge.repeats": 10,
    "judge.held_out_reports": 10,
    "hold.max_blocks": 100,
    "hold.minutes": 1440,
    "keep.megabytes": 16384,
}
# What each part does, for whoever is asked to confirm it.
RISKS = {
    "witness.isolation": "checks run without a sandbox, at level",
    "witness.env": "checks see your variables",
    "witness.fetch": "runs before set-up, with the network and without the code",
    "witness.setup": "runs before checks; it has the network where there is no sandbox",
    "verify.commands": "runs as a check",
    "replay.allow": "lets proofs by replay run",
    "hold.protect": "lets the agent of a held session edit protected files",
    "hold.stop_hook_active": "lets an agent go at its second stop",
    **{name: f"raises a limit above {most}" for name, most in CEILINGS.items()},
}


def list_risky_parts(settings: Settings) -> dict[str, RiskyPart]:
    """List what the settings make run or loosen, by the names that it has in config.toml.

    The agent that works by default is none of it: it is one of the clients that goalkeeper knows.
    """
    witness, hold = settings.witness, settings.hold
    limits = {name: _read_limit(settings, name) for name in CEILINGS}
    found: dict[str, RiskyPart] = {
        "witness.isolation": "" if witness.isolation == _SANDBOX else witness.isolation,
        "witness.env": witness.env,
        "witness.fetch": witness.fetch,
        "witness.setup": witness.setup,
        "verify.commands": tuple(each for each in settings.verify if not is_detected(each)),
        "replay.allow": settings.replays,
        "hold.protect": "" if hold.protects else "false",
        "hold.stop_hook_active": YIELD if hold.yields else "",
        **{name: value for name, value in limits.items() if value > CEILINGS[name]},
    }
    return {name: value for name, value in found.items() if value}


def digest_parts(parts: Mapping[str, object]) -> str:
    """Return the digest by which settings are trusted; it is empty if there is nothing to trust."""
    return digest(parts) if parts else ""


def decide_settings(settings: Settings, is_trusted: Callable[[str], bool]) -> Settings:
    """Return the settings that count; those that do not are named in `left_out`."""
    parts = list_risky_parts(settings)
    if not parts or is_trusted(digest_parts(parts)):
        return settings
    settings = _lower_limits(settings)
    return settings.replace(
        verify=tuple(filter(is_detected, settings.verify)),
        witness=settings.witness.replace(isolation=_SANDBOX, env=(), fetch=(), setup=()),
        hold=settings.hold.replace(protects=True, yields=False),
        replays=(),
        left_out=tuple(f"{n} above {CEILINGS[n]}" if n in CEILINGS else n for n in parts),
        left_commands=(*settings.witness.fetch, *settings.witness.setup),
    )


def _lower_limits(settings: Settings) -> Settings:
    for name, most in CEILINGS.items():
        table, _, field = name.partition(".")
        lower = getattr(settings, table).replace(**{field: min(_read_limit(settings, name), most)})
        settings = settings.replace(**{table: lower})
    return settings


def _read_limit(settings: Settings, name: str) -> int:
    table, _, field = name.partition(".")
    return int(getattr(getattr(settings, table), field))
