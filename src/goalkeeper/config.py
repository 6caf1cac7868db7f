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
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.clients import AGENTS
from goalkeeper.wire.hold import LONGEST_WAIT_SECONDS, Limits
from goalkeeper.wire.value import Value

VERSION = 1
BOUNDED, YIELD = STOP_POLICIES = ("bounded", "yield")
OBSERVE, HOLD = VENDOR_POLICIES = ("observe", "hold")

Argv = tuple[str, ...]

_MARK = "\n# init --again replaces this file while nobody has edited it: "


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


def _with_defaults_of(value: type[Value], **told: tuple[Shape, str]) -> dict[str, Field]:
    return {
        name: Field(shape, getattr(value, name), help=text) for name, (shape, text) in told.items()
    }


def _table(about: str, fields: Mapping[str, Field]) -> Field:
    return Field(RecordShape(fields), help=about)


_COMMANDS = ListOf(ListOf(ProgramWord(), least=1))
# The texts are for users: docs/reference/configuration.md is written from them.
TABLES = {
    "verify": _table(
        "What must pass before this project is healthy.",
        {
            "commands": Field(
                _COMMANDS,
                (),
                help="run as checks; usual ones, such as `make test`, count without trust",
            )
        },
    ),
    "agents": _table(
        "Which agents work here. What a command line names comes first.",
        {
            "default": Field(
                Choice(("", *AGENTS)),
                "",
                help="the agent that works; not given: the client around you, or the only one",
            ),
            "examiner": Field(
                Choice(("", *AGENTS)),
                "",
                help="the agent that drafts contracts; not given: the one that works",
            ),
        },
    ),
    "witness": _table(
        "How checks run. What the base tree says counts: later edits change nothing.",
        _with_defaults_of(
            WitnessSettings,
            setup=(_COMMANDS, "run after `fetch`, with the code and, in a sandbox, no network"),
            isolation=(
                Choice(("", *judgement.ISOLATIONS)),
                "how checks are kept apart; `none` opens no gate; not given: the strongest one",
            ),
            env=(ListOf(ProgramWord()), "names of your variables that checks may see"),
            timeout=(WholeNumber(1), "seconds that each check may take"),
            memory_mb=(WholeNumber(16), "megabytes of memory for all processes of a check"),
            output_mb=(WholeNumber(1), "megabytes that a check may print"),
            processes=(WholeNumber(1), "processes of a check; every thread counts"),
            fetch=(
                _COMMANDS,
                "run first, with the network; they see what the project declares, and no code",
            ),
        ),
    ),
    "judge": _table(
        "How often something is tried or told.",
        _with_defaults_of(
            JudgeSettings,
            max_iterations=(WholeNumber(1), "judgements of a goal before it is given up"),
            repeats=(
                WholeNumber(),
                "how often a check runs again that passed before and fails now",
            ),
            held_out_reports=(
                WholeNumber(),
                "how often an agent may hear that a held-out check failed",
            ),
        ),
    ),
    "hold": _table(
        "Ultrawork: how long a client's session is held before it is let go unproven.",
        {
            **_with_defaults_of(
                Limits,
                max_blocks=(WholeNumber(1), "how often a stop is held back"),
                cooldown=(
                    WholeNumber(),
                    "seconds; an agent that stops again sooner after a block did no work",
                ),
                minutes=(WholeNumber(1), "how long a session is held"),
                # A client would end a hook that takes longer, and the agent would stop unproven.
                wait=(
                    WholeNumber(1, LONGEST_WAIT_SECONDS),
                    f"seconds to wait for a proof, at most {LONGEST_WAIT_SECONDS}",
                ),
            ),
            "stop_hook_active": Field(
                Choice(STOP_POLICIES),
                BOUNDED,
                help="a stop that follows a block: `bounded` holds it within the limits, `yield` "
                "lets it go",
            ),
            "protect": Field(
                Flag(),
                default=True,
                help="deny the agent questions, and writing to protected files",
            ),
            "vendor_goal": Field(
                Choice(VENDOR_POLICIES),
                OBSERVE,
                help="while the client keeps a goal of its own: `observe` only tells you the "
                "verdict, `hold` holds, too",
            ),
        },
    ),
    "replay": _table(
        "What proofs by replay may run besides the project's own programs.",
        {"allow": Field(_COMMANDS, (), help="patterns of commands; `**` is any rest")},
    ),
    "keep": _table(
        "What `goalkeeper clean` leaves of what nothing needs any more.",
        _with_defaults_of(
            KeepSettings,
            days=(WholeNumber(), "days for all evidence of a run after its end, and for checkouts"),
            megabytes=(WholeNumber(1), "megabytes for checkouts and passes of this repository"),
        ),
    ),
    "gate": _table(
        "What a goal must pass.",
        {"default": Field(Choice(GATES), STANDARD, help="the gate of plans that name none")},
    ),
}
_SHAPE = RecordShape({"version": Field(WholeNumber(VERSION, VERSION), VERSION), **TABLES})


def parse_settings_table(raw: Mapping[str, object]) -> Settings | tuple[Problem, ...]:
    """Read the settings; return everything that is wrong with them if something is."""
    notes = Notes("settings")
    tables: dict[str, object] = {name: {} for name in TABLES}  # each has its defaults
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
    text = text.format(version=VERSION, verify=verify, agent=agent, fetch=fetch, setup=setup)
    return f"{text}{_MARK}{_digest_text(text)}\n"


def is_as_dumped(text: str) -> bool:
    """Return whether nobody has edited what `dump_settings` wrote."""
    written, _, digest = text.rpartition(_MARK)
    return digest == f"{_digest_text(written)}\n"


def _digest_text(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass"))[:16]


def _dump_commands(name: str, commands: tuple[Argv, ...]) -> str:
    rows = "".join(f"  {json.dumps(argv, ensure_ascii=False)},\n" for argv in commands)
    return f"{name} = [\n{rows}]" if rows else ""
