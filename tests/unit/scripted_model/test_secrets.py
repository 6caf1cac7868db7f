from __future__ import annotations

from tests.scripted_model.secrets import (
    hidden_body,
    hidden_headers,
    hidden_target,
    secrets_in,
)
from tests.tables import for_each

KEY = "sk-test-0123"


@for_each(
    "name",
    ["authorization", "Proxy-Authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"],
)
def test_a_header_with_a_key_only_shows_that_it_is_set(name: str) -> None:
    assert hidden_headers({name: f"Bearer {KEY}", "accept": "*/*"}) == {
        name: "<set>",
        "accept": "*/*",
    }


def test_a_key_in_the_query_is_hidden_there() -> None:
    assert hidden_target(f"/v1?alt=sse&key={KEY}&x=1") == "/v1?alt=sse&key=<set>&x=1"


def test_keys_are_hidden_wherever_a_body_repeats_them() -> None:
    secrets = secrets_in({"authorization": f"Bearer {KEY}"}, "/v1?key=another-key")
    body = {"a": [f"KEY={KEY}\n", 1, None], "b": {"c": "my another-key"}}

    assert secrets == [KEY, "another-key"]
    assert hidden_body(body, secrets) == {"a": ["KEY=<set>\n", 1, None], "b": {"c": "my <set>"}}


def test_a_key_too_short_to_be_one_is_not_looked_for_in_texts() -> None:
    assert secrets_in({"x-api-key": "test", "cookie": " "}, "/") == []
