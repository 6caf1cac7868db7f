"""What the scripted model does to a client: work, and every kind of trouble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from goalkeeper.wire.value import Value

Turn: TypeAlias = Mapping[str, Any]

OUT = "out.txt"
WRITTEN = "from the script\n"
# Words that must not be taken for trouble when an agent or a tool says them.
QUOTED = "API Error: 429 rate limit reached, overloaded, please run /login"

WORK: Mapping[str, Turn] = {
    "claude": {
        "text": f"Writing. The log says: {QUOTED}",
        "tool": "Bash",
        "input": {"command": f"printf '{WRITTEN}' > {OUT}; echo '{QUOTED}'"},
    },
    "codex": {
        "text": f"Writing. The log says: {QUOTED}",
        "tool": "exec_command",
        "input": {"cmd": f"printf '{WRITTEN}' > {OUT}; echo '{QUOTED}'"},
    },
    "gemini": {
        "text": f"Writing. The log says: {QUOTED}",
        "tool": "run_shell_command",
        "input": {"command": f"printf '{WRITTEN}' > {OUT}; echo '{QUOTED}'"},
    },
    "opencode": {
        "text": f"Writing. The log says: {QUOTED}",
        "tool": "bash",
        "input": {"command": f"printf '{WRITTEN}' > {OUT}; echo '{QUOTED}'", "description": "w"},
    },
}
DONE: Turn = {"text": f"done; {QUOTED}"}
SIDE: Turn = {"text": "{}"}


def _anthropic(kind: str, message: str) -> Turn:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _openai(message: str, kind: str, code: str | None) -> Turn:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _google(code: int, message: str, status: str, *details: Turn) -> Turn:
    error = {"code": code, "message": message, "status": status}
    return {"error": {**error, "details": list(details)} if details else error}


_PER_MINUTE = "This request would exceed your organization's rate limit of 30,000 tokens a minute."
_TOKENS = "Rate limit reached for m: Limit 30000, Used 29999. Please try again in 11.054s."
_SORRY = "The server had an error while processing your request."
_GOOGLE = "type.googleapis.com/google.rpc"
_DAILY = {"@type": f"{_GOOGLE}.QuotaFailure", "violations": [{"quotaId": "RequestsPerDayPerModel"}]}
_BAD_KEY = {
    "@type": f"{_GOOGLE}.ErrorInfo",
    "reason": "API_KEY_INVALID",
    "domain": "googleapis.com",
}
RESETS_AT = 1_794_751_200  # 2026-11-15T14:00:00Z

TROUBLE: Mapping[str, Mapping[str, Turn]] = {
    "claude": {
        "bad-request": {"status": 400, "body": _anthropic("invalid_request_error", "no text")},
        "server-error": {"status": 500, "body": _anthropic("api_error", "Internal server error")},
        "overloaded": {"status": 529, "body": _anthropic("overloaded_error", "Overloaded")},
        "rate-limit": {"status": 429, "body": _anthropic("rate_limit_error", _PER_MINUTE)},
        "rate-limit-told": {
            "status": 429,
            "headers": {"retry-after": "1"},
            "body": _anthropic("rate_limit_error", _PER_MINUTE),
        },
        "usage-limit": {
            "status": 429,
            "headers": {
                "anthropic-ratelimit-unified-status": "rejected",
                "anthropic-ratelimit-unified-reset": str(RESETS_AT),
                "anthropic-ratelimit-unified-representative-claim": "five_hour",
            },
            "body": _anthropic("rate_limit_error", "This would exceed your account's rate limit."),
        },
        "bad-key": {"status": 401, "body": _anthropic("authentication_error", "invalid x-api-key")},
        "forbidden": {"status": 403, "body": _anthropic("permission_error", "not for this key")},
        "no-credit": {
            "status": 400,
            "body": _anthropic(
                "invalid_request_error", "Your credit balance is too low to access."
            ),
        },
        "too-long": {
            "status": 400,
            "body": _anthropic(
                "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"
            ),
        },
        "cut": {"text": "half", "cut": True},
    },
    "codex": {
        "bad-request": {
            "status": 400,
            "body": _openai("Invalid value: 'x'.", "invalid_request_error", "invalid_value"),
        },
        "server-error": {"status": 500, "body": _openai(_SORRY, "server_error", None)},
        "overloaded": {"status": 503, "body": _openai("overloaded", "server_error", "overloaded")},
        "rate-limit": {"status": 429, "body": _openai(_TOKENS, "tokens", "rate_limit_exceeded")},
        "rate-limit-told": {
            "status": 429,
            "headers": {"retry-after": "1"},
            "body": _openai(_TOKENS, "tokens", "rate_limit_exceeded"),
        },
        "usage-limit": {
            "status": 429,
            "body": {
                "error": {
                    "type": "usage_limit_reached",
                    "message": "The usage limit has been reached",
                    "plan_type": "plus",
                    "resets_at": RESETS_AT + 60 * 86400,
                }
            },
        },
        "bad-key": {
            "status": 401,
            "body": _openai(
                "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"
            ),
        },
        "no-credit": {
            "status": 429,
            "body": _openai("You exceeded your quota.", "insufficient_quota", "insufficient_quota"),
        },
        "too-long": {
            "status": 400,
            "body": _openai(
                "Your input exceeds the context window of this model.",
                "invalid_request_error",
                "context_length_exceeded",
            ),
        },
        "cut": {"text": "half", "cut": True},
    },
    "gemini": {
        "bad-request": {"status": 400, "body": _google(400, "Invalid value.", "INVALID_ARGUMENT")},
        "server-error": {"status": 500, "body": _google(500, "An internal error.", "INTERNAL")},
        "overloaded": {"status": 503, "body": _google(503, "It is overloaded.", "UNAVAILABLE")},
        "rate-limit": {"status": 429, "body": _google(429, "Exhausted.", "RESOURCE_EXHAUSTED")},
        "rate-limit-told": {
            "status": 429,
            "body": _google(
                429,
                "You exceeded your current quota. Please retry in 2.07s.",
                "RESOURCE_EXHAUSTED",
                {"@type": f"{_GOOGLE}.RetryInfo", "retryDelay": "2s"},
            ),
        },
        "daily-limit": {
            "status": 429,
            "body": _google(429, "You exceeded your quota.", "RESOURCE_EXHAUSTED", _DAILY),
        },
        "unauthenticated": {
            "status": 401,
            "body": _google(401, "Invalid authentication credentials.", "UNAUTHENTICATED"),
        },
        "bad-key": {
            "status": 400,
            "body": _google(400, "API key not valid.", "INVALID_ARGUMENT", _BAD_KEY),
        },
        "too-long": {
            "status": 400,
            "body": _google(
                400,
                "The input token count (1200000) exceeds the maximum number of tokens allowed.",
                "INVALID_ARGUMENT",
            ),
        },
        "cut": {"text": "half", "cut": True},
    },
    "opencode": {
        "bad-request": {
            "status": 400,
            "body": _openai("Invalid value: 'x'.", "invalid_request_error", "invalid_value"),
        },
        "server-error": {"status": 500, "body": _openai(_SORRY, "server_error", None)},
        "rate-limit": {"status": 429, "body": _openai(_TOKENS, "tokens", "rate_limit_exceeded")},
        "rate-limit-told": {
            "status": 429,
            "headers": {"retry-after": "1"},
            "body": _openai(_TOKENS, "tokens", "rate_limit_exceeded"),
        },
        "bad-key": {
            "status": 401,
            "body": _openai(
                "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"
            ),
        },
        "too-long": {
            "status": 400,
            "body": _openai(
                "This model's maximum context length is 128000 tokens.",
                "invalid_request_error",
                "context_length_exceeded",
            ),
        },
        "cut": {"text": "half", "cut": True},
    },
}


class Scene(Value):
    """What the model does, and what the client is started with."""

    turns: Sequence[Turn]
    rules: Sequence[Turn] = ()
    microdollars: int = 0
    subscribed: bool = False  # logged in with an account instead of a key


_HELPER = {
    "tool": "Agent",
    "input": {"description": "help", "prompt": "HELP", "subagent_type": "general-purpose"},
}
_HELPS = {
    "when": {"last": "HELP"},
    "turns": [{"thinking": "hm", "tool": "Bash", "input": {"command": "true"}}, {"text": "helped"}],
}
_ONLY_CLAUDE = {
    "usage-limit": Scene([TROUBLE["claude"]["usage-limit"]], subscribed=True),
    "budget": Scene([WORK["claude"]], microdollars=10),
    "helper": Scene([_HELPER, {"thinking": "hm", **DONE}], [_HELPS]),
}


def scenes(name: str) -> Mapping[str, Scene]:
    troubles = {scene: Scene([turn]) for scene, turn in TROUBLE[name].items()}
    own = _ONLY_CLAUDE if name == "claude" else {}
    return {"success": Scene([WORK[name], DONE]), **troubles, **own}
