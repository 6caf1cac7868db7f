"""What the command prints: help, JSON, tables, completion; and where, and when it cannot."""

import fcntl
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.table import COMMANDS, FOR_AGENTS, FOR_PEOPLE, load_module, parser_for
from tests.e2e.world import COMMAND, World, plan_in
from tests.tables import for_each

ESCAPE = "\x1b"
REASONS = ("--evidence", "seen", "--rationale", "so that")
NOTE = ("steer", "--kind", "annotate_ledger", *REASONS)
FUNCTION = re.compile(r"run(_|$)")
HEAVY = {
    "rich", "yaml", "shtab", "dataclasses", "subprocess", "asyncio", "pathlib", "tempfile",
    "logging", "inspect", "importlib.metadata", "tomllib", "datetime",
}  # fmt: skip


def verbs(parser: Parser) -> list[str]:
    return [str(name) for name in parser.verbs.choices] if parser.verbs else []


EVERY_COMMAND = [(name,) for name in COMMANDS] + [
    (name, verb) for name in COMMANDS for verb in verbs(parser_for(name))
]


# Help


@for_each("words", EVERY_COMMAND, ids=" ".join)
def test_help_shows_an_example_and_the_exit_codes(
    tmp_path_factory: pytest.TempPathFactory, words: tuple[str, ...]
) -> None:
    answer = World(tmp_path_factory.mktemp("empty"), git=False).run(*words, "--help")

    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"usage: goalkeeper {' '.join(words)} ")
    _, _, example = answer.out.partition("\nexample:\n")
    assert f"goalkeeper {words[0]}" in example
    assert "exit codes: 0" in example


def list_functions(name: str) -> set[str]:
    """The functions of a command: in its module, or in those from which it loads them."""
    module = load_module(name)
    others = [import_module(f"goalkeeper.cli.{each}") for each in getattr(module, "MODULES", ())]
    return {each for place in (module, *others) for each in vars(place) if FUNCTION.match(each)}


def test_each_command_and_verb_has_a_function_and_no_function_is_left_over() -> None:
    wanted: dict[str, set[str]] = {}
    for name, row in COMMANDS.items():
        called = {each.replace("-", "_") for each in verbs(parser_for(name)) or [name]}
        functions = {f"run_{each}" for each in called}
        has = list_functions(name)
        assert functions <= has or "run" in has
        assert all(hasattr(load_module(name), each) for each in has)
        wanted.setdefault(row.module, {"run"}).update(functions)

    for name, row in COMMANDS.items():
        assert list_functions(name) <= wanted[row.module]


def test_a_module_says_what_each_of_its_commands_takes_and_of_no_other() -> None:
    for name, row in COMMANDS.items():
        module = load_module(name)
        said = getattr(module, "OPTIONS", None)
        answered = {each for each, other in COMMANDS.items() if other.module == row.module}

        assert (said is None) == hasattr(module, "VERBS")
        assert set(said) == answered if isinstance(said, dict) else answered == {name}


def test_every_command_and_verb_takes_json() -> None:
    for name in COMMANDS:
        parser = parser_for(name)
        for each in parser.verbs.choices.values() if parser.verbs else [parser]:
            assert "--json" in each.format_usage()


def test_the_first_help_is_short_and_names_the_way_to_the_rest(world: World) -> None:
    pages = {world.run(*words).out for words in ((), ("--help",), ("-h",), ("help",))}

    (page,) = pages
    for_people = page.partition("commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in for_people] == [*FOR_PEOPLE]
    assert len(FOR_PEOPLE) <= 14
    assert "goalkeeper agent --help" in page
    assert "exit codes: 0" in page
    for words in (("agent",), ("agent", "--help"), ("help", "agent")):
        told = world.run(*words).out
        assert all(f"\n  {name} " in told for name in FOR_AGENTS)
    assert {*FOR_PEOPLE, *FOR_AGENTS} < {*COMMANDS}
    every = world.run("help", "all").out
    assert all(f"\n  {name} " in every for name in COMMANDS)


def test_documents_are_printed_by_their_names(world: World) -> None:
    folder = Path(__file__).parents[2] / "docs"
    named = {"contracts": "contracts.md", "verify.md": "verify.md", "reference/rules": None}
    named["configuration"] = "reference/configuration.md"

    for topic, file in named.items():
        text = (folder / (file or f"{topic}.md")).read_text()
        assert world.run("help", topic).out == text
    assert "\ngoalkeeper help witness\n" in world.run("help", "topics").out
    assert world.run("help", "verify").out == world.run("verify", "--help").out
    wrong = world.run("help", "contract.md", "--json")
    assert (wrong.code, wrong.reason) == (2, "usage")
    assert wrong.hint == "goalkeeper help contract"
    assert world.run("help", "../pyproject", "--json").code == 2


def test_help_comes_before_everything_that_may_be_wrong(world: World) -> None:
    (world.root / ".goalkeeper").write_text("not a directory")

    assert world.run("status", "--help", "--run", "../x").code == 0
    assert world.run("help", "status").out == world.run("status", "-h").out


def test_the_help_says_what_a_claim_of_completion_sets_going(world: World) -> None:
    told = " ".join(world.run("checkpoint", "--help").out.split())

    assert "complete runs all checks of the contract in fresh checkouts" in told
    assert "refused unless all pass" in told


def test_the_version_is_told(world: World) -> None:
    assert world.run("--version").out.startswith("goalkeeper 0.")


# JSON


def test_success_is_one_document_and_nothing_on_stderr(steady: World) -> None:
    for words in (
        ("status",), ("complete-goals",), ("goal", "get"), ("ledger", "show"),
        ("ledger", "verify"), ("state", "doctor"), ("completion", "bash"), ("explain",),
        ("why", "G002"), ("audit", "--goal-id", "G002"),
    ):  # fmt: skip
        answer = steady.run(*words, "--json")
        assert (answer.code, answer.err) == (0, "")
        assert answer.json["ok"] is True
        assert answer.out.count("\n") == 1


def test_the_flag_may_stand_first(steady: World) -> None:
    assert steady.run("--json", "goal", "get").json == steady.ok("goal", "get")
    run_id = steady.ok("status")["run_id"]
    assert steady.run("--run", run_id, "--json", "status").json == steady.ok("status")


def test_a_refusal_is_one_document_with_reason_and_next_step(steady: World) -> None:
    words = ("checkpoint", "--goal-id", "G002", "--status", "complete", "--evidence", "x")

    answer = steady.run(*words, "--json")
    page = steady.run(*words)

    assert (answer.code, page.code) == (1, 1)
    assert set(answer.json["error"]) >= {"code", "message", "hint"}
    assert answer.json["error"]["message"] in page.out
    assert f"next: {answer.hint}" in page.out
    assert answer.err == page.err == ""


@for_each(
    "words",
    [
        ("judge",),
        *(("contract", verb, "--goal-id", "G002") for verb in ("check", "show", "freeze")),
        ("contract", "amend", "--goal-id", "G002", "--reason", "so that"),
        ("checkpoint", "--goal-id", "G002", "--status", "complete", "--evidence", "x"),
    ],
    ids=" ".join,
)
def test_what_needs_a_contract_says_how_to_get_one(steady: World, words: tuple[str, ...]) -> None:
    answer = steady.run(*words, "--json")

    assert (answer.code, answer.err, answer.reason) == (1, "", "contract-missing")
    assert answer.hint == "goalkeeper contract freeze --goal-id G002 --file contract.yaml"


@for_each(
    ("code", "reason", "words"),
    [
        (2, "usage", ("status", "--nonsense")),
        (2, "unknown-goal", ("unblock", "--goal-id", "G9", "--evidence", "x")),
        (3, "brief-invalid", ("create-goals", "--brief", "@goal")),
    ],
)
def test_an_error_is_one_document_on_stdout_and_prose_on_stderr(
    steady: World, code: int, reason: str, words: tuple[str, ...]
) -> None:
    answer = steady.run(*words, "--json")
    said = steady.run(*words)

    assert (answer.code, answer.reason) == (code, reason)
    assert (said.code, said.out, said.err) == (code, "", answer.err)
    assert answer.err.startswith(f"goalkeeper: {answer.json['error']['message']}")


def test_a_broken_ledger_is_exit_4_in_one_document(planned: World) -> None:
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    ledger.write_text(ledger.read_text() + "{")

    answer = planned.run("complete-goals", "--json")

    assert (answer.code, answer.reason) == (4, "ledger-torn")
    assert answer.hint.startswith("goalkeeper state repair --run ")


def test_a_place_that_cannot_be_written_is_exit_5_in_one_document(world: World) -> None:
    world.plan("One.")

    answer = world.run("ledger", "export", "--output", "no/such/folder/copy", "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")


@contextmanager
def held(path: Path) -> Iterator[None]:
    with path.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def test_a_busy_lock_is_exit_75_in_one_document(planned: World) -> None:
    (lock,) = planned.state.glob("runs/*/lock")

    with held(lock):
        answer = planned.run(*NOTE, "--json", env={"GOALKEEPER_LOCK_TIMEOUT": "0.05"})

    assert (answer.code, answer.reason) == (75, "lock-busy")
    assert planned.run(*NOTE).code == 0


# Terminals


def test_without_a_terminal_there_are_no_escape_codes(steady: World) -> None:
    for words in (("status",), ("complete-goals",), ("ledger", "show"), ("status", "--nonsense")):
        answer = steady.run(*words, env={"TERM": "xterm-256color", "COLORTERM": "truecolor"})
        assert ESCAPE not in answer.out + answer.err


def test_a_terminal_gets_a_table_in_colours(steady: World) -> None:
    shown = steady.on_terminal("status")

    assert shown.code == 0
    assert f"{ESCAPE}[" in shown.out
    assert "─" in shown.out
    assert "Normalize records" in shown.out


def test_no_color_is_honoured(steady: World) -> None:
    shown = steady.on_terminal("status", env={"NO_COLOR": "1"}).out

    styles = {code for codes in re.findall(r"\x1b\[([\d;]*)m", shown) for code in codes.split(";")}
    assert styles <= {"", "0", "1", "2"}  # bold and dim are no colours
    assert "Normalize records" in shown


def test_a_dumb_terminal_gets_what_a_pipe_gets(steady: World) -> None:
    assert steady.on_terminal("status", env={"TERM": "dumb"}).out == steady.run("status").out


def test_json_on_a_terminal_is_json(steady: World) -> None:
    assert steady.on_terminal("status", "--json").json == steady.ok("status")


def test_what_agents_write_cannot_drive_a_persons_terminal(world: World) -> None:
    evil = "\x1b[2J\x1b]0;pwned\x07\x9b31m\u202e"
    world.plan(f"@goal: {evil}title\n{evil}body")
    world.start()
    world.checkpoint("G001", "blocked", f"{evil}evidence")

    for words in (("status",), ("complete-goals",), ("ledger", "show"), ("unblock", evil)):
        pages = (world.run(*words), world.on_terminal(*words, env={"TERM": "dumb"}))
        for page in pages:
            assert not set(evil) & set("\x1b\x07\x9b\u202e") & set(page.out + page.err)
        assert "\x1b]0;" not in world.on_terminal(*words).out
    assert world.goals()["G001"]["evidence"] == f"{evil}evidence"


# Completion


def bash(script: str) -> str:
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@for_each("shell", ["bash", "zsh"])
def test_a_completion_script_is_well_formed(steady: World, shell: str) -> None:
    script = steady.run("completion", shell).out

    # zsh is not everywhere; its script happens to be in the common part of both grammars.
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert all(name in script for name in COMMANDS)


def completions(script: str, *words: str) -> list[str]:
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    call = f"""
complete -p goalkeeper >/dev/null
COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; COMP_LINE="{" ".join(words)}"
COMP_POINT=${{#COMP_LINE}}; COMP_TYPE=9
$(complete -p goalkeeper | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    return bash(script + call).split()


def test_bash_really_completes(steady: World) -> None:
    script = steady.run("completion", "bash").out

    assert completions(script, "goalkeeper", "stat") == ["status", "state"]
    assert sorted(completions(script, "goalkeeper", "goal", "")) >= ["complete", "create"]
    assert completions(script, "goalkeeper", "goal", "res") == ["resume"]
    assert completions(script, "goalkeeper", "steer", "--ra") == ["--rationale"]
    assert "mark_blocked_superseded" in completions(script, "goalkeeper", "steer", "--kind", "")
    assert completions(script, "goalkeeper", "checkpoint", "--status", "f") == ["failed"]


# Start-up


def imported(*words: str | Path, cwd: Path, env: dict[str, str | bytes]) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *words],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@for_each("words", [("status", "--json"), NOTE], ids=["status", "steer"])
def test_the_commands_agents_call_all_day_import_nothing_heavy(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    planned = plan_in(tmp_path)
    env = planned.environ()
    bare = imported("-c", "pass", cwd=planned.root, env=env)

    ours = imported(COMMAND, *words, cwd=planned.root, env=env) - bare

    assert {"goalkeeper.cli.main", "goalkeeper.storage.run"} <= ours
    assert ours & HEAVY == set()


LOOKING = [("contract", "--help"), ("ulw", "status"), ("receipt", "list"),
           ("why", "G001"), ("judge", "--help")]  # fmt: skip
FOR_PROOFS = {
    "cryptography", "goalkeeper.core.claims.word_lists", "goalkeeper.tamper.review",
    "goalkeeper.witness.witness", "pathspec",
}  # fmt: skip


@for_each("words", LOOKING)
def test_who_only_looks_loads_nothing_that_proves(tmp_path: Path, words: tuple[str, ...]) -> None:
    planned = plan_in(tmp_path)

    ours = imported(COMMAND, *words, cwd=planned.root, env=planned.environ())

    assert "goalkeeper.cli.main" in ours
    assert ours & FOR_PROOFS == set()
