from __future__ import annotations

from tests.scripted_model.routes import Kind, Route, route
from tests.tables import for_each


@for_each(
    ("method", "target", "expected"),
    [
        ("POST", "/v1/messages?beta=true", Route(Kind.MODEL, "", "anthropic")),
        ("POST", "/messages", Route(Kind.MODEL, "", "anthropic")),
        ("POST", "/s/t1/v1/responses", Route(Kind.MODEL, "t1", "responses")),
        ("POST", "/s/t1/v1/chat/completions", Route(Kind.MODEL, "t1", "chat")),
        ("POST", "/s/a%20%2Fb/messages", Route(Kind.MODEL, "a /b", "anthropic")),
        ("POST", "/v1/messages/count_tokens", Route(Kind.COUNT, "", "anthropic")),
        ("POST", "/v1beta/models/pro:countTokens", Route(Kind.COUNT, "", "gemini")),
        ("GET", "/s/t1/v1/models", Route(Kind.MODELS, "t1")),
        ("HEAD", "/", Route(Kind.ALIVE)),
        ("HEAD", "/s/t1", Route(Kind.ALIVE, "t1")),
        ("GET", "/__health", Route(Kind.HEALTH)),
        ("GET", "/s/t1/__log", Route(Kind.LOG, "t1")),
        ("POST", "/s/t1/__script", Route(Kind.SCRIPT, "t1")),
        ("GET", "/__script", Route(Kind.NOWHERE)),
        ("GET", "/v1/messages", Route(Kind.NOWHERE)),
        ("POST", "/v1/embeddings", Route(Kind.NOWHERE)),
        ("CONNECT", "api.example.org:443", Route(Kind.OUTSIDE)),
        ("POST", "http://api.example.org/v1/messages", Route(Kind.OUTSIDE)),
    ],
)
def test_a_path_leads_somewhere(method: str, target: str, expected: Route) -> None:
    assert route(method, target) == expected


@for_each(("verb", "stream"), [("generate", False), ("streamGenerate", True)])
def test_gemini_says_in_the_path_what_others_say_in_the_body(verb: str, stream: bool) -> None:
    asked = route("POST", f"/s/t1/v1beta/models/gemini-2.5-pro:{verb}Content?alt=sse")

    said = {"model": "gemini-2.5-pro", "stream": stream}
    assert asked == Route(Kind.MODEL, "t1", "gemini", said)
