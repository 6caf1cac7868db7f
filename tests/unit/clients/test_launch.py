"""How each client is started: its words, and its environment."""

from goalkeeper.clients.client import Asked
from goalkeeper.clients.command.run import Command
from goalkeeper.clients.table import find_client
from goalkeeper.wire.clients import AGENTS
from tests.tables import for_each

SESSION = "0f0e5f0a-7a52-4a6e-9d3c-5d6f1a2b3c4d"
ASKED = Asked("/w", SESSION)

PLAIN = {
    "claude": (
        "claude", "-p", "--output-format", "stream-json", "--verbose",
        "--permission-mode", "bypassPermissions", "--session-id", SESSION,
    ),
    "codex": (
        "codex", "exec", "--json", "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check", "-",
    ),
    "gemini": (
        "gemini", "--output-format", "stream-json", "--approval-mode", "yolo",
        "--session-id", SESSION,
    ),
    "opencode": (
        "opencode", "run", "--format", "json", "--auto", "--dir", "/w",
        "--print-logs", "--log-level", "ERROR",
    ),
}  # fmt: skip
RESUMED = {
    "claude": (
        "claude", "-p", "--output-format", "stream-json", "--verbose",
        "--permission-mode", "bypassPermissions", "--resume", "earlier",
        "--model", "m", "--max-budget-usd", "1.250000",
    ),
    "codex": (
        "codex", "exec", "resume", "--json", "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check", "--model", "m", "earlier", "-",
    ),
    "gemini": (
        "gemini", "--output-format", "stream-json", "--approval-mode", "yolo",
        "--resume", "earlier", "--model", "m",
    ),
    "opencode": (
        "opencode", "run", "--format", "json", "--auto", "--dir", "/w",
        "--print-logs", "--log-level", "ERROR", "--session", "earlier", "--model", "m",
    ),
}  # fmt: skip


@for_each("name", AGENTS)
def test_a_session_begins_with_these_words(name: str) -> None:
    assert find_client(name).launch(ASKED, {}).argv == PLAIN[name]


@for_each("name", AGENTS)
def test_a_session_goes_on_with_these_words(name: str) -> None:
    asked = ASKED.replace(resume="earlier", model="m", microdollars=1_250_000)

    assert find_client(name).launch(asked, {}).argv == RESUMED[name]


def test_a_tiny_budget_is_not_rounded_to_none() -> None:
    argv = find_client("claude").launch(ASKED.replace(microdollars=1), {}).argv

    assert argv[-2:] == ("--max-budget-usd", "0.000001")


@for_each("name", AGENTS)
def test_the_users_logins_and_settings_stay(name: str) -> None:
    mine = {
        "PATH": "/bin",
        "HOME": "/home/u",
        "LC_ALL": "C.UTF-8",
        "HTTPS_PROXY": "http://proxy",
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": "http://u",
        "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "9",
        "CLAUDE_CONFIG_DIR": "/c",
        "CODEX_HOME": "/x",
        "CODEX_API_KEY": "k",
        "OPENAI_API_KEY": "k",
        "GEMINI_API_KEY": "k",
        "GEMINI_MODEL": "m",
        "OPENCODE_CONFIG": "/o",
        "GIT_AUTHOR_NAME": "u",
        "GOALKEEPER_RUN": "r",
    }

    assert mine.items() <= find_client(name).launch(ASKED, mine).env.items()


@for_each("name", AGENTS)
def test_the_marks_of_another_agent_and_our_secrets_do_not_get_in(name: str) -> None:
    marks = [
        "AGENT",
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_PLUGIN_ROOT",
        "CODEX_SESSION_ID",
        "CODEX_THREAD_ID",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_MANAGED_PACKAGE_ROOT",
        "GEMINI_CLI",
        "GEMINI_SESSION_ID",
        "GEMINI_CLI_IDE_SERVER_PORT",
        "OPENCODE",
        "OPENCODE_PID",
        "GOALKEEPER_APPROVAL",
        "GOALKEEPER_CHECK",
        "GOALKEEPER_SPAWNED",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "OLDPWD",
    ]
    env = find_client(name).launch(ASKED, dict.fromkeys(marks, "secret")).env

    assert [mark for mark in marks if mark in env] == []
    assert "secret" not in env.values()


@for_each("name", AGENTS)
def test_an_agent_knows_where_it_is_and_is_known_as_one(name: str) -> None:
    env = find_client(name).launch(ASKED, {"PWD": "/users/checkout"}).env

    assert env["PWD"] == "/w"
    assert env["GOALKEEPER_AGENT"] == name
    assert env["GOALKEEPER_SESSION"] == SESSION


def test_gemini_may_work_in_a_folder_that_nobody_could_trust_before() -> None:
    assert find_client("gemini").launch(ASKED, {}).env["GEMINI_CLI_TRUST_WORKSPACE"] == "true"


def test_nobody_is_told_that_a_sandbox_is_around_it() -> None:
    assert all(
        "IS_SANDBOX" not in client.launch(ASKED, {}).env for client in map(find_client, AGENTS)
    )


def test_a_command_is_started_as_it_was_given() -> None:
    launch = Command(("my-agent", "--flag", "a b; rm -rf $HOME")).launch(ASKED, {"HOME": "/h"})

    assert launch.argv == ("my-agent", "--flag", "a b; rm -rf $HOME")
    assert launch.env["GOALKEEPER_AGENT"] == "command"
    assert launch.env["HOME"] == "/h"


def test_a_path_to_a_command_is_meant_from_here_and_not_from_the_worktree() -> None:
    argv = Command(("./agent.sh",)).launch(ASKED, {}).argv

    assert argv[0].startswith("/")
    assert not argv[0].startswith("/w/")
