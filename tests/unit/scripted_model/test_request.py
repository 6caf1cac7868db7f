from __future__ import annotations

from tests.scripted_model.answer import answer_to
from tests.scripted_model.request import Message, messages_of, text_of
from tests.scripted_model.script import Call, FreeformCall, Reply, Usage
from tests.tables import for_each
from tests.unit.scripted_model.examples import ASKED


def test_instructions_at_the_end_are_not_the_last_word() -> None:
    messages = (Message("user", "do it"), Message("system", "env"), Message("developer", "hook"))

    assert ASKED.replace(messages=messages).last == "do it"
    assert ASKED.replace(messages=messages[1:]).last == "hook"
    assert ASKED.replace(messages=()).last == ""


def test_the_text_of_a_message_is_found_however_it_is_nested() -> None:
    content = [
        {"type": "text", "text": "one"},
        {"type": "tool_result", "content": [{"type": "text", "text": "two"}]},
        {"type": "function_call_output", "output": "three"},
        {"functionResponse": {"response": {"output": "four"}}},
        "five",
    ]

    lines = text_of({"role": "user", "content": content}).splitlines()

    assert lines[:3] == ["one", "two", "three"]
    assert "four" in lines[3]
    assert lines[4] == "five"


def test_what_is_no_message_is_passed_over() -> None:
    items = [None, 5, {"role": 5, "type": "odd", "text": ["a"]}]

    assert messages_of(items) == (Message("odd", "a"),)
    assert messages_of("not a list") == ()


@for_each(
    "told",
    [
        " - Primary working directory: /srv/my repo\n - Is a git repository: true",
        "  Working directory: /srv/my repo\n  Platform: linux",
        "<environment_context>\n  <cwd>/srv/my repo</cwd>\n  <shell>bash</shell>",
        "I'm currently working in the directory: /srv/my repo\nHere is",
        "- **Workspace Directories:**\n  - /srv/my repo\n- **Directory",
    ],
)
def test_clients_say_where_they_work_in_many_ways(told: str) -> None:
    assert ASKED.replace(system=told).directory == "/srv/my repo"
    assert ASKED.replace(messages=(Message("user", told),)).directory == "/srv/my repo"


def test_the_working_directory_is_filled_in_wherever_it_stands() -> None:
    request = ASKED.replace(system="Working directory: /srv/a")
    call = Call("Write", {"path": "{{cwd}}/b", "deep": [{"more": "{{cwd}}"}, 1]})
    patch = FreeformCall("apply_patch", "*** Add File: {{cwd}}/c")

    answer = answer_to(request, Reply(calls=(call, patch)), key="k", now=1)

    assert answer.calls == (
        Call("Write", {"path": "/srv/a/b", "deep": [{"more": "/srv/a"}, 1]}),
        FreeformCall("apply_patch", "*** Add File: /srv/a/c"),
    )


def test_a_client_that_does_not_say_where_it_works_works_here() -> None:
    answer = answer_to(ASKED, Reply(calls=(Call("ls", {"path": "{{cwd}}/a"}),)), key="k", now=1)

    assert answer.calls == (Call("ls", {"path": "./a"}),)


def test_tokens_are_told_as_scripted_or_estimated_from_what_was_sent() -> None:
    long = ASKED.replace(system="x" * 4000)

    told = answer_to(long, Reply(usage=Usage(5, 6, 7)), key="k", now=1)
    guessed = answer_to(long, Reply(), key="k", now=1)

    assert (told.input_tokens, told.output_tokens, told.cached_tokens) == (5, 6, 7)
    assert 1000 <= guessed.input_tokens <= 1002
