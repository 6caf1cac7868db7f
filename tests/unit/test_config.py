"""config.toml: parsed and validated, every problem at once."""

import tomllib

from goalkeeper.config import (
    JudgeSettings,
    Settings,
    WitnessSettings,
    dump_settings,
    parse_settings_table,
)
from goalkeeper.core.contract.judgement import ISOLATIONS
from goalkeeper.wire.clients import AGENTS
from tests.tables import for_each


def problems(text: str) -> list[str]:
    found = parse_settings_table(tomllib.loads(text))
    assert isinstance(found, tuple), found
    return [problem.message for problem in found]


@for_each(
    "settings",
    [
        Settings(),
        Settings(agent="codex"),
        Settings((("make", "test"),)),
        Settings((("make", "test"), ("npm", "run", "lint")), "claude"),
        Settings((("sh", "-c", "echo \"a\\b\" | grep 'a' # ✓"), ("a\tb", ""))),
    ],
)
def test_what_is_written_is_read_back(settings: Settings) -> None:
    assert parse_settings_table(tomllib.loads(dump_settings(settings))) == settings


@for_each("text", ["", "version = 1", "[verify]\n[agents]", "[verify]\ncommands=[]"])
def test_everything_has_a_default(text: str) -> None:
    assert parse_settings_table(tomllib.loads(text)) == Settings()


@for_each("name", AGENTS)
def test_every_agent_we_know_may_be_the_default(name: str) -> None:
    assert parse_settings_table({"agents": {"default": name}}) == Settings(agent=name)


@for_each("version", ["2", "0", '"1"'])
def test_another_version_is_refused(version: str) -> None:
    (problem,) = problems(f"version = {version}")

    assert problem.startswith("version: ")


@for_each(
    ("commands", "problem"),
    [
        ('"make test"', "verify.commands: expected a list"),
        ("{a = 1}", "verify.commands: expected a list"),
        ('[["make"], "test"]', "verify.commands[1]: expected a list"),
        ("[[]]", "verify.commands[0]: expected at least 1"),
        ("[[1]]", "verify.commands[0][0]: expected a word (put it in quotes)"),
    ],
)
def test_commands_that_are_no_lists_of_words_are_refused(commands: str, problem: str) -> None:
    assert problems(f"[verify]\ncommands = {commands}") == [problem]


@for_each("default", ['"clippy"', "1", "[]"])
def test_an_unknown_agent_is_refused(default: str) -> None:
    assert problems(f"[agents]\ndefault = {default}") == [
        "agents.default: expected one of claude, codex, gemini, opencode"
    ]


def test_every_problem_is_reported_at_once() -> None:
    text = """
    version = 9
    colour = "red"
    agents = 3
    [verify]
    command = []
    commands = "make"
    """

    fields = "version, verify, agents, witness, judge, hold, replay, keep, gate"
    assert problems(text) == [
        f"unknown field 'colour'; it has {fields}",
        "version: expected 1 to 1, not 9",
        "verify: unknown field 'command'; did you mean commands?",
        "verify.commands: expected a list",
        "agents: expected a mapping with default, examiner",
    ]


def test_how_the_witness_runs_checks() -> None:
    text = """
    [witness]
    setup = [["uv", "sync"], ["npm", "ci"]]
    isolation = "checkout"
    env = ["JAVA_HOME"]
    timeout = 60
    processes = 90
    fetch = [["true"]]
    memory_mb = 512
    output_mb = 8
    [judge]
    max_iterations = 9
    repeats = 0
    held_out_reports = 0
    """

    assert parse_settings_table(tomllib.loads(text)) == Settings(
        witness=WitnessSettings(
            (("uv", "sync"), ("npm", "ci")),
            "checkout",
            ("JAVA_HOME",),
            60,
            512,
            8,
            90,
            (("true",),),
        ),
        judge=JudgeSettings(9, 0, 0),
    )


@for_each("level", ISOLATIONS)
def test_every_level_of_isolation_may_be_asked_for(level: str) -> None:
    settings = parse_settings_table({"witness": {"isolation": level}})

    assert isinstance(settings, Settings)
    assert settings.witness.isolation == level


@for_each(
    ("line", "problem"),
    [
        ("setup = ['uv sync']", "witness.setup[0]: expected a list"),
        ("setup = [[]]", "witness.setup[0]: expected at least 1"),
        ("isolation = 'jail'", "witness.isolation: expected one of none, checkout, sandbox"),
        ("isolation = 3", "witness.isolation: expected one of none, checkout, sandbox"),
        ("isolation = ['none']", "witness.isolation: expected one of none, checkout, sandbox"),
        ("env = 'PATH'", "witness.env: expected a list"),
        ("env = [1]", "witness.env[0]: expected a word (put it in quotes)"),
        ("timeout = 0", "witness.timeout: expected 1 to 2147483648, not 0"),
        ("timeout = 1.5", "witness.timeout: expected a whole number"),
        ("timeout = true", "witness.timeout: expected a whole number"),
        ("memory_mb = 15", "witness.memory_mb: expected 16 to 2147483648, not 15"),
        ("output_mb = '8'", "witness.output_mb: expected a whole number"),
    ],
)
def test_what_the_witness_cannot_use_is_refused(line: str, problem: str) -> None:
    assert problems(f"[witness]\n{line}") == [problem]


@for_each(
    ("line", "problem"),
    [
        ("max_iterations = 0", "judge.max_iterations: expected 1 to 2147483648, not 0"),
        ("repeats = -1", "judge.repeats: expected 0 to 2147483648, not -1"),
        ("held_out_reports = []", "judge.held_out_reports: expected a whole number"),
        ("iterations = 3", "judge: unknown field 'iterations'; did you mean max_iterations?"),
    ],
)
def test_what_the_judge_cannot_use_is_refused(line: str, problem: str) -> None:
    assert problems(f"[judge]\n{line}") == [problem]


def test_tables_that_are_none_are_refused() -> None:
    assert problems("witness = 1\nagents = []") == [
        "agents: expected a mapping with default, examiner",
        f"witness: expected a mapping with {', '.join(WitnessSettings().as_dict())}",
    ]


def test_a_new_file_names_no_table_that_the_version_before_refuses() -> None:
    assert not {"keep", "gate"} & {*tomllib.loads(dump_settings(Settings()))}


def test_the_examples_in_a_new_file_can_be_used() -> None:
    """Whoever takes away the sign of comment gets what the comment promises."""
    lines = dump_settings(Settings()).splitlines()
    taken = [line.removeprefix("# ") if " = " in line or "# [" in line else line for line in lines]

    settings = parse_settings_table(tomllib.loads("\n".join(taken)))

    assert settings == Settings(
        agent="claude",
        witness=WitnessSettings(
            (("npm", "rebuild"),), "sandbox", ("JAVA_HOME",), 600, fetch=(("npm", "ci"),)
        ),
        replays=(("cargo", "run", "--quiet", "--", "**"),),
        gate="strict",
        examiner="codex",
    )
