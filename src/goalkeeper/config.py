"""Settings of a repository are parsed and validated, and every problem is reported at once."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from goalkeeper.core.contract import judgement
from goalkeeper.core.keeping import KeepSettings
from goalkeeper.core.plan.model import GATES, STANDARD
from goalkeeper.core.problems import Problem
from goalkeeper.core.schema import (
    Choice,
    Field,
    Flag,
    ListOf,
    Node,
    Notes,
    ProgramWord,
    RecordShape,
    Shape,
    WholeNumber,
)
from goalkeeper.wire.clients import AGENTS
from goalkeeper.wire.hold import LONGEST_WAIT_SECONDS, Limits
from goalkeeper.wire.value import Value

VERSION = 1
BOUNDED, YIELD = STOP_POLICIES = ("bounded", "yield")
OBSERVE, HOLD = VENDOR_POLICIES = ("observe", "hold")

Argv = tuple[str, ...]


class WitnessSettings(Value):
    """How checks run. The file in the base tree counts: later edits change nothing."""

    setup: tuple[Argv, ...] = ()
    isolation: str = ""  # if it is empty, the strongest one is used
    env: tuple[str, ...] = ()  # the user's variables that checks may see
    timeout: int = 600  # the seconds that each check may take
    memory_mb: int = 4096  # for all processes of a check together
    output_mb: int = 64
    processes: int = 1000  # of a check, and every thread counts
    fetch: tuple[Argv, ...] = ()  # these come before set-up, and have the network


class JudgeSettings(Value):
    max_iterations: int = 5
    repeats: int = 1  # how often a check runs again that passed before and fails now
    held_out_reports: int = 3  # how often an agent may hear that a held-out check failed


class Settings(Value):
    verify: tuple[Argv, ...] = ()
    agent: str = ""
    witness: WitnessSettings = WitnessSettings()
    judge: JudgeSettings = JudgeSettings()
    hold: Limits = Limits()
    replays: tuple[Argv, ...] = ()  # patterns of commands, besides the project's own
    keep: KeepSettings = KeepSettings()
    gate: str = STANDARD  # of plans for which none is named
    examiner: str = ""  # the agent that drafts contracts; if it is empty, the one that works
    left_out: tuple[str, ...] = ()  # what the file says and does not count, as nobody trusts it
    # These are the commands among it; the files that they name stay protected.
    left_commands: tuple[Argv, ...] = ()

    @property
    def weakened(self) -> str:
        """Name what checks lack that nobody trusts; a check that fails may fail for that alone."""
        return ", ".join(name for name in self.left_out if name.startswith("witness."))


def _with_defaults_of(value: type[Value], **shapes: Shape) -> dict[str, Field]:
    return {name: Field(shape, getattr(value, name)) for name, shape in shapes.items()}


_COMMANDS = ListOf(ListOf(ProgramWord(), least=1))
_TABLES = {
    "verify": {"commands": Field(_COMMANDS, ())},
    "agents": {
        "default": Field(Choice(("", *AGENTS)), ""),
        "examiner": Field(Choice(("", *AGENTS)), ""),
    },
    "witness": _with_defaults_of(
        WitnessSettings,
        setup=_COMMANDS,
        isolation=Choice(("", *judgement.ISOLATIONS)),
        env=ListOf(ProgramWord()),
        timeout=WholeNumber(1),
        memory_mb=WholeNumber(16),
        output_mb=WholeNumber(1),
        processes=WholeNumber(1),
        fetch=_COMMANDS,
    ),
    "judge": _with_defaults_of(
        JudgeSettings,
        max_iterations=WholeNumber(1),
        repeats=WholeNumber(),
        held_out_reports=WholeNumber(),
    ),
    "hold": {
        **_with_defaults_of(
            Limits,
            max_blocks=WholeNumber(1),
            cooldown=WholeNumber(),
            minutes=WholeNumber(1),
            # A client would end a hook that takes longer, and the agent would stop unproven.
            wait=WholeNumber(1, LONGEST_WAIT_SECONDS),
        ),
        "stop_hook_active": Field(Choice(STOP_POLICIES), BOUNDED),
        "protect": Field(Flag(), default=True),
        "vendor_goal": Field(Choice(VENDOR_POLICIES), OBSERVE),
    },
    "replay": {"allow": Field(_COMMANDS, ())},
    "keep": _with_defaults_of(KeepSettings, days=WholeNumber(), megabytes=WholeNumber(1)),
    "gate": {"default": Field(Choice(GATES), STANDARD)},
}
_SHAPE = RecordShape(
    {
        "version": Field(WholeNumber(VERSION, VERSION), VERSION),
        **{name: Field(RecordShape(fields)) for name, fields in _TABLES.items()},
    }
)


def parse_settings_table(raw: Mapping[str, object]) -> Settings | tuple[Problem, ...]:
    """Read the settings; return everything that is wrong with them if something is."""
    notes = Notes("settings")
    tables: dict[str, object] = {name: {} for name in _TABLES}  # each has its defaults
    told = _SHAPE.read_node(Node.from_plain(tables | {**raw}), "", notes)
    if notes.problems:
        return tuple(notes.problems)
    hold = told["hold"]
    yields = hold.pop("stop_hook_active") == YIELD
    observes = hold.pop("vendor_goal") == OBSERVE
    return Settings(
        told["verify"]["commands"],
        told["agents"]["default"],
        WitnessSettings(**told["witness"]),
        JudgeSettings(**told["judge"]),
        Limits(protects=hold.pop("protect"), yields=yields, observes=observes, **hold),
        told["replay"]["allow"],
        KeepSettings(**told["keep"]),
        told["gate"]["default"],
        examiner=told["agents"]["examiner"],
    )


def dump_settings(settings: Settings) -> str:
    """Write a config.toml that a person likes to read."""
    # TOML and JSON write lists of strings in the same way.
    verify = _dump_commands("commands", settings.verify) or 'commands = []  # [["make", "test"]]'
    fetch = _dump_commands("fetch", settings.witness.fetch) or '# fetch = [["npm", "ci"]]'
    setup = _dump_commands("setup", settings.witness.setup) or '# setup = [["npm", "rebuild"]]'
    agent = f'default = "{settings.agent}"' if settings.agent else f'# default = "{AGENTS[0]}"'
    path = os.path.join(os.path.dirname(__file__), "config_template.txt")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text.format(version=VERSION, verify=verify, agent=agent, fetch=fetch, setup=setup)


def _dump_commands(name: str, commands: tuple[Argv, ...]) -> str:
    rows = "".join(f"  {json.dumps(argv, ensure_ascii=False)},\n" for argv in commands)
    return f"{name} = [\n{rows}]" if rows else ""
