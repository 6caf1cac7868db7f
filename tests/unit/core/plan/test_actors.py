"""Who acts: an agent's markers beat everything, then a terminal, then the approval key."""

from goalkeeper.core.plan.actors import decide_actor, session_of
from goalkeeper.core.plan.model import Actor, ActorKind
from goalkeeper.wire.canonical import digest
from tests.tables import for_each

KEY = "k" * 32
PRESENTED = {"GOALKEEPER_APPROVAL": KEY}


@for_each(
    "name",
    [
        "GOALKEEPER_AGENT",
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CODEX_SANDBOX",
        "CODEX_THREAD_ID",
        "GEMINI_CLI",
        "OPENCODE",
        "OPENCODE_SESSION_ID",
        "COPILOT_CLI",
        "CURSOR_AGENT",
    ],
)
def test_a_marker_makes_an_agent_even_on_a_terminal_and_with_the_key(name: str) -> None:
    who = decide_actor({name: "1", **PRESENTED}, on_terminal=True, approval_key=KEY)

    assert (who.kind, who.how) == (ActorKind.AGENT, f"environment: {name}")


def test_a_marker_counts_whatever_its_value() -> None:
    assert (
        decide_actor({"CLAUDECODE": ""}, on_terminal=True, approval_key="").kind is ActorKind.AGENT
    )


@for_each(
    "name",
    [
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_ENABLE_TELEMETRY",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_SSE_PORT",
        "CODEX_ACCESS_TOKEN",
        "GEMINI_CLI_IDE_SERVER_PORT",
        "GEMINI_SYSTEM_MD",
        "OPENCODE_SERVER_PASSWORD",
        "CODEX_HOME",
        "CODEX_API_KEY",
        "GEMINI_API_KEY",
        "GEMINI_MODEL",
        "OPENCODE_CONFIG",
        "OPENCODE_DISABLE_AUTOUPDATE",
        "GOALKEEPER_RUN",
        "EDITOR",
    ],
)
def test_settings_of_a_person_make_no_agent(name: str) -> None:
    who = decide_actor({name: "1"}, on_terminal=True, approval_key="")

    assert who == Actor(ActorKind.HUMAN, "terminal")


def test_without_a_terminal_somebody_is_an_agent() -> None:
    assert decide_actor({}, on_terminal=False, approval_key="") == Actor(
        ActorKind.AGENT, "no terminal"
    )


def test_the_approval_key_makes_a_human_without_a_terminal() -> None:
    who = decide_actor(PRESENTED, on_terminal=False, approval_key=KEY)

    assert who.kind is ActorKind.HUMAN
    assert who.how == f"approval key {digest(KEY)[:8]}"


@for_each(("given", "key"), [("wrong", KEY), ("", ""), ("", KEY), (KEY, "")], ids=repr)
def test_a_wrong_or_missing_approval_key_makes_no_human(given: str, key: str) -> None:
    who = decide_actor({"GOALKEEPER_APPROVAL": given}, on_terminal=False, approval_key=key)

    assert who.kind is ActorKind.AGENT


def test_the_session_is_named_with_the_variable_it_comes_from() -> None:
    who = decide_actor({"CODEX_THREAD_ID": "t1"}, on_terminal=False, approval_key="")

    assert who.session == "CODEX_THREAD_ID=t1"


def test_a_clients_session_comes_before_a_named_one_and_empty_ones_do_not_count() -> None:
    both = {"CLAUDE_CODE_SESSION_ID": "theirs", "GOALKEEPER_SESSION": "ours"}

    assert session_of(both) == "CLAUDE_CODE_SESSION_ID=theirs"
    assert session_of(both | {"CLAUDE_CODE_SESSION_ID": ""}) == "GOALKEEPER_SESSION=ours"
    assert session_of({}) == ""


def test_a_human_keeps_the_session_they_named() -> None:
    who = decide_actor({"GOALKEEPER_SESSION": "mine"}, on_terminal=True, approval_key="")

    assert who == Actor(ActorKind.HUMAN, "terminal", "GOALKEEPER_SESSION=mine")
