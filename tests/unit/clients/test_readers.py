"""Streams that are cut, strange or contradictory still make sense."""

import json

from goalkeeper.clients.table import find_client
from goalkeeper.core.drive.phases import SAID_LIMIT, Ending, Spend
from goalkeeper.wire.clients import AGENTS
from tests.tables import for_each
from tests.unit.clients.transcripts import printed, read


def line(**event: object) -> bytes:
    return json.dumps(event).encode()


def claude_says(text: str, number: int = 1, **usage: int) -> bytes:
    content = [{"type": "text", "text": text}]
    message = {"id": f"m{number}", "model": "claude-x", "content": content, "usage": usage}
    return line(type="assistant", message=message, session_id="s")


CLAUDE_OK = line(type="result", subtype="success", is_error=False, result="done", session_id="s")


# Any client


@for_each("client", AGENTS)
def test_a_client_that_prints_nothing_and_fails_crashed(client: str) -> None:
    record, activities = read(client, [], exit_code=1, errors=b"it is broken\n")

    assert (record.ending, record.problem) == (Ending.CRASH, "it is broken")
    assert record.spend == Spend(microdollars=None)
    assert activities == []


@for_each("client", AGENTS)
def test_exit_code_zero_without_a_result_is_not_all_right(client: str) -> None:
    record, _ = read(client, [], exit_code=0)

    assert record.ending is Ending.CRASH
    assert record.problem == "it told no result; it ended with exit code 0"


@for_each("client", AGENTS)
@for_each(("code", "name"), [(-9, "SIGKILL"), (137, "SIGKILL"), (139, "SIGSEGV")])
def test_one_that_was_killed_crashed(client: str, code: int, name: str) -> None:
    record, _ = read(client, printed(client, "success")[:3], exit_code=code)

    assert record.ending is Ending.CRASH
    assert name in record.problem


@for_each("client", AGENTS)
@for_each("code", [-15, 143, 130, 129])
def test_one_that_was_asked_to_end_was_interrupted(client: str, code: int) -> None:
    record, _ = read(client, printed(client, "success")[:3], exit_code=code)

    assert record.ending is Ending.INTERRUPTED


@for_each("client", AGENTS)
def test_one_that_had_finished_and_then_failed_crashed(client: str) -> None:
    record, _ = read(client, printed(client, "success"), exit_code=3)

    assert record.ending is Ending.CRASH
    assert "after it had finished" in record.problem


@for_each("client", AGENTS)
def test_one_that_had_finished_and_was_then_ended_is_all_right(client: str) -> None:
    """Its own servers may keep it from ending, until we do."""
    record, _ = read(client, printed(client, "success"), exit_code=-15)

    assert record.ending is Ending.OK


@for_each("client", ["claude", "codex", "gemini"])
def test_a_result_counts_also_when_nobody_saw_the_end(client: str) -> None:
    assert read(client, printed(client, "success"), exit_code=None)[0].ending is Ending.OK


def test_opencode_tells_no_result_so_its_end_must_be_seen() -> None:
    record, _ = read("opencode", printed("opencode", "success"), exit_code=None)

    assert record.ending is Ending.CRASH


@for_each("client", AGENTS)
def test_noise_between_the_lines_changes_nothing(client: str) -> None:
    noise = [
        b"",
        b"(node:7) Warning: rate limit 429",
        b'{"type":"not known yet"}',
        b"\xff\x00",
        b"{",
    ]
    noisy = [part for line in printed(client, "success") for part in (line, *noise)]

    assert read(client, noisy) == read(client, printed(client, "success"))


@for_each("client", AGENTS)
def test_events_in_one_array_are_events(client: str) -> None:
    whole = b"[" + b",".join(printed(client, "success")) + b"]"

    assert read(client, [whole])[0] == read(client, printed(client, "success"))[0]


@for_each("client", AGENTS)
def test_a_stream_that_ends_in_half_a_line_keeps_what_came_before(client: str) -> None:
    *lines, last = printed(client, "success")
    record, _ = read(client, [*lines, last[: len(last) // 2]], exit_code=1)

    assert record.ending is Ending.CRASH
    assert record.session
    assert record.tool_calls == 1
    assert record.said.startswith("done")


@for_each("client", AGENTS)
def test_of_what_is_huge_only_what_is_needed_is_kept(client: str) -> None:
    blob = "x" * (2 << 20)
    reader = find_client(client).make_reader()
    reader.read_line(line(type="user", message={"content": blob}))
    reader.read_line(
        line(type="error", message=blob, severity="error", error={"data": {"message": blob}})
    )
    reader.read_line(blob.encode())
    for kept in printed(client, "success"):
        reader.read_line(kept)

    assert len(repr(vars(reader))) < 20_000
    assert reader.make_record(exit_code=0, errors=b"").ending is Ending.OK


# Claude Code


def test_an_error_is_one_also_with_exit_code_zero() -> None:
    result = line(
        type="result", subtype="success", is_error=True, result="API Error: 529 Overloaded"
    )

    assert read("claude", [result], exit_code=0)[0].ending is Ending.OUTAGE


def test_without_a_result_tokens_are_taken_from_the_messages_and_the_cost_is_unknown() -> None:
    lines = [
        claude_says("a", 1, input_tokens=10, cache_read_input_tokens=5, output_tokens=1),
        claude_says("b", 1, input_tokens=10, cache_read_input_tokens=5, output_tokens=7),
        claude_says("c", 2, input_tokens=20, cache_creation_input_tokens=4, output_tokens=2),
    ]
    record, _ = read("claude", lines, exit_code=137)

    assert record.spend == Spend(39, 9, 5, None)
    assert record.said == "c"


def test_older_versions_tell_totals_only() -> None:
    usage = {"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 2}
    result = line(type="result", subtype="success", total_cost_usd=0.5, usage=usage, result="x")

    assert read("claude", [result])[0].spend == Spend(10, 2, 3, 500_000)


def claude_spent(*models: object, **told: object) -> bytes:
    """A result that tells what each model has used since the result before."""
    since = {f"model {number}": used for number, used in enumerate(models)}
    told = {"model_usage_since_last_result": since, "result": "x", **told}
    return line(type="result", subtype="success", **told)


def test_several_results_of_one_process_are_added_up() -> None:
    small = {"inputTokens": 5, "outputTokens": 1, "costUSD": 0.01}
    big = {"inputTokens": 7, "cacheReadInputTokens": 3, "outputTokens": 2, "costUSD": 0.02}

    spend = read("claude", [claude_spent(small), claude_spent(big, small)])[0].spend

    assert spend == Spend(20, 4, 3, 40_000)


def test_the_cost_is_unknown_if_one_of_the_models_does_not_tell_its_own() -> None:
    priced, silent = {"inputTokens": 5, "costUSD": 0.01}, {"inputTokens": 2}

    for results in ([claude_spent(priced, silent)], [claude_spent(silent), claude_spent(priced)]):
        assert read("claude", results)[0].spend == Spend(7, 0, 0, None)


def test_of_a_resumed_session_only_what_is_new_is_counted() -> None:
    model = {"inputTokens": 5, "outputTokens": 1, "cacheReadInputTokens": 0, "costUSD": 0.01}
    all_of_it = {**model, "inputTokens": 500, "costUSD": 1.0}
    result = claude_spent(model, total_cost_usd=1.0, modelUsage={"m": all_of_it})

    assert read("claude", [result])[0].spend == Spend(5, 1, 0, 10_000)


@for_each(
    ("fields", "ending"),
    [
        ({"subtype": "error_max_turns"}, Ending.MOST_TURNS),
        ({"subtype": "error_max_budget_usd"}, Ending.MOST_COST),
        ({"subtype": "success", "terminal_reason": "prompt_too_long"}, Ending.CONTEXT),
        ({"subtype": "error_during_execution"}, Ending.CRASH),
        (
            {"subtype": "error_during_execution", "terminal_reason": "aborted_tools"},
            Ending.INTERRUPTED,
        ),
        ({"subtype": "success", "api_error_status": 429}, Ending.RATE_LIMITED),
    ],
)
def test_a_result_says_why_in_its_fields(fields: dict[str, object], ending: Ending) -> None:
    result = line(type="result", is_error=True, errors=["one", "two"], **fields)
    record, _ = read("claude", [result], exit_code=1)

    assert (record.ending, record.problem) == (ending, "one; two")


def test_a_limit_that_only_warns_is_no_limit() -> None:
    warning = line(type="rate_limit_event", rate_limit_info={"status": "allowed_warning"})
    record, activities = read("claude", [warning, claude_says("x"), CLAUDE_OK])

    assert record.ending is Ending.OK
    assert [activity.kind for activity in activities] == ["says"]


def test_one_that_died_while_it_tried_again_died_of_that() -> None:
    retry = line(type="system", subtype="api_retry", error="overloaded", error_status=529)

    assert read("claude", [claude_says("x"), retry], exit_code=137)[0].ending is Ending.OUTAGE


def test_one_that_went_on_after_trying_again_did_not_die_of_that() -> None:
    retry = line(type="system", subtype="api_retry", error="overloaded", error_status=529)

    assert read("claude", [retry, claude_says("x")], exit_code=137)[0].ending is Ending.CRASH


def test_one_that_went_on_after_its_result_is_not_through() -> None:
    """A helper in the background makes it go on."""
    assert read("claude", [CLAUDE_OK, claude_says("more")], exit_code=137)[0].ending is Ending.CRASH


def test_an_error_that_nobody_knows_is_not_the_one_before_it() -> None:
    retry = line(type="system", subtype="api_retry", error="overloaded", error_status=529)
    message = {"model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 400 odd"}]}
    odd = line(type="assistant", message=message, error="unknown", api_error_status=400)
    result = line(
        type="result", subtype="success", is_error=True, api_error_status=400, result="odd"
    )

    assert read("claude", [retry, odd, result], exit_code=1)[0].ending is Ending.CRASH


def test_thinking_is_not_said() -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]
    message = {"id": "m", "model": "x", "content": content}

    record, _ = read("claude", [line(type="assistant", message=message), CLAUDE_OK[:9]])
    assert record.said == "yes"


def test_an_empty_result_does_not_take_back_what_was_said() -> None:
    empty = line(type="result", subtype="success", is_error=False, result="")

    assert read("claude", [claude_says("last words"), empty])[0].said == "last words"


def test_last_words_are_clipped_and_clean() -> None:
    long = line(type="result", subtype="success", result="\x1b[31m" + "x" * 50_000)
    record, _ = read("claude", [long])

    assert record.said == "x" * SAID_LIMIT


def test_session_and_model_are_what_they_are_or_nothing() -> None:
    odd = [
        line(type="system", subtype="init", session_id=7, model=["m"]),
        line(type="assistant", message="not an object"),
        line(type="assistant", message={"content": "not a list", "usage": "much"}),
        line(type="result", subtype="success", usage=[], modelUsage=3, total_cost_usd="1"),
    ]
    record, _ = read("claude", odd)

    assert (record.session, record.model, record.ending) == ("", "", Ending.OK)
    assert record.spend == Spend(microdollars=None)


# Codex


def test_a_warning_of_codex_is_no_failure() -> None:
    warning = line(
        type="item.completed", item={"id": "1", "type": "error", "message": "rate limit"}
    )
    done = line(type="turn.completed", usage={"input_tokens": 3, "cached_input_tokens": 2})
    record, activities = read("codex", [warning, done])

    assert record.ending is Ending.OK
    assert record.spend == Spend(3, 0, 2, None)
    assert [activity.kind for activity in activities] == ["notes"]


def test_a_tool_is_counted_once_whether_it_began_ended_or_both() -> None:
    def item(kind: str, name: str, what: str) -> bytes:
        return line(type=kind, item={"id": name, "type": what, "command": "ls"})

    lines = [
        item("item.started", "1", "command_execution"),
        item("item.completed", "1", "command_execution"),
        item("item.completed", "2", "file_change"),
        item("item.started", "3", "command_execution"),
        item("item.completed", "4", "reasoning"),
    ]
    record, activities = read("codex", lines, exit_code=1)

    assert record.tool_calls == 3
    assert [activity.text for activity in activities] == [
        "command execution ls",
        "file change ls",
        "command execution ls",
    ]


def test_codex_that_went_on_after_reconnecting_is_all_right() -> None:
    lines = [line(type="error", message="Reconnecting... 1/5 (status 503)")]
    lines += printed("codex", "success")

    assert read("codex", lines)[0].ending is Ending.OK


# Gemini CLI


def test_what_comes_in_pieces_is_put_together_and_a_tool_ends_it() -> None:
    def piece(text: str) -> bytes:
        return line(type="message", role="assistant", content=text, delta=True)

    lines = [
        piece("be"),
        piece("fore"),
        line(type="tool_use", tool_name="t"),
        piece("af"),
        piece("ter"),
    ]

    assert read("gemini", lines, exit_code=1)[0].said == "after"


@for_each(("code", "ending"), [(41, Ending.AUTH), (53, Ending.MOST_TURNS), (55, Ending.CRASH)])
def test_exit_codes_of_gemini_say_why(code: int, ending: Ending) -> None:
    assert read("gemini", [], exit_code=code)[0].ending is ending


def test_gemini_tells_its_own_limit_by_name() -> None:
    error = {"type": "FatalTurnLimitedError", "message": "Reached it."}
    result = line(type="result", status="error", error=error, stats={"input_tokens": 9})
    record, _ = read("gemini", [result], exit_code=53)

    assert (record.ending, record.problem) == (Ending.MOST_TURNS, "Reached it.")
    assert record.spend.input_tokens == 9


def test_a_warning_of_gemini_is_no_failure() -> None:
    warning = line(type="error", severity="warning", message="Loop detected, rate limit")
    success = line(type="result", status="success")

    assert read("gemini", [warning, success])[0].ending is Ending.OK


# OpenCode


def opencode_step(reason: str, cost: float = 0.0, **cache: int) -> bytes:
    tokens = {"input": 10, "output": 2, "reasoning": 1, "cache": cache}
    return line(type="step_finish", part={"reason": reason, "tokens": tokens, "cost": cost})


def test_steps_of_opencode_add_up() -> None:
    lines = [opencode_step("tool-calls", 0.25, read=5), opencode_step("stop", 0.5, write=3)]

    assert read("opencode", lines)[0].spend == Spend(28, 6, 5, 750_000)


def test_a_cost_of_zero_for_tokens_is_an_unknown_cost() -> None:
    assert read("opencode", [opencode_step("stop")])[0].spend.microdollars is None


def test_what_opencode_says_to_its_own_model_is_not_said() -> None:
    synthetic = line(
        type="text", part={"text": "Continue if you have next steps", "synthetic": True}
    )
    record, activities = read("opencode", [synthetic, opencode_step("stop")])

    assert (record.said, activities) == ("", [])


def test_opencode_that_stopped_in_the_middle_of_its_tools_is_not_through() -> None:
    assert read("opencode", [opencode_step("tool-calls")])[0].ending is Ending.CRASH
