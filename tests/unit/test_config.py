"""config.toml: parsed and validated, every problem at once."""

import tomllib

import pytest

from goalkeeper.config import AGENTS, Settings, dump, parse


def problems(text: str) -> list[str]:
    found = parse(tomllib.loads(text))
    assert isinstance(found, tuple), found
    return [str(problem) for problem in found]


@pytest.mark.parametrize(
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
    assert parse(tomllib.loads(dump(settings))) == settings


@pytest.mark.parametrize("text", ["", "version = 1", "[verify]\n[agents]", "[verify]\ncommands=[]"])
def test_everything_has_a_default(text: str) -> None:
    assert parse(tomllib.loads(text)) == Settings()


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_we_know_may_be_the_default(name: str) -> None:
    assert parse({"agents": {"default": name}}) == Settings(agent=name)


@pytest.mark.parametrize("version", ["2", "0", '"1"'])
def test_another_version_is_refused(version: str) -> None:
    (problem,) = problems(f"version = {version}")

    assert problem.startswith("version: ")


@pytest.mark.parametrize(
    "commands",
    ['"make test"', '["make", "test"]', "[[]]", "[[1]]", '[["make"], "test"]', "{a = 1}"],
)
def test_commands_that_are_no_lists_of_words_are_refused(commands: str) -> None:
    assert problems(f"[verify]\ncommands = {commands}") == [
        'verify.commands: must be lists of words: [["make", "test"]]'
    ]


@pytest.mark.parametrize("default", ['"clippy"', "1", "[]"])
def test_an_unknown_agent_is_refused(default: str) -> None:
    assert problems(f"[agents]\ndefault = {default}") == [
        "agents.default: must be one of claude, codex, gemini, opencode"
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

    assert [problem.partition(":")[0] for problem in problems(text)] == [
        "colour",
        "version",
        "verify.command",
        "agents",
        "verify.commands",
    ]


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    assert problems("colour = 1") == ["colour: unknown; expected one of agents, verify, version"]
