"""Claims that something outside does not work."""

from goalkeeper.core.claims import ClaimClass, find_claims
from tests.tables import for_each


def found(text: str) -> list[str]:
    return [claim.matched for claim in find_claims(text) if claim.kind is ClaimClass.INFRASTRUCTURE]


def kinds(text: str) -> set[ClaimClass]:
    return {claim.kind for claim in find_claims(text)}


def test_T33_a_refused_connection_is_claimed() -> None:
    assert found("Then: connection refused.") == ["connection refused"]


def test_T34_support_is_no_port() -> None:
    assert kinds("The library doesn't support it.") == {ClaimClass.ABSENCE}


def test_T34_one_sentence_may_make_claims_of_two_classes() -> None:
    assert kinds("The server is down and the API doesn't exist.") == {
        ClaimClass.INFRASTRUCTURE,
        ClaimClass.ABSENCE,
    }


@for_each(
    "text",
    [
        "The server is down.",
        "The service was unavailable.",
        "Postgres isn't running.",
        "The API is not responding.",
        "The host is unreachable.",
        "The broker is unhealthy.",
        "The worker process died.",
        "The daemon won't start.",
        "The daemon will not start.",
        "The service is no longer running.",
        "I can't reach the mirror.",
        "I was unable to connect to it.",
        "The request timed out.",
        "There was no response from the proxy.",
        "Port 8080 is closed.",
        "DNS resolution failed.",
        "Permission denied.",
        "It says HTTP 503.",
        "The endpoint returned 500.",
        "The endpoint returned a 404 for every id.",
        "It fails with status code: 502.",
        "503 Service Unavailable",
        "The disk is full.",
    ],
)
def test_an_outage_is_claimed(text: str) -> None:
    assert found(text)


@for_each(
    "text",
    [
        "It processed 500 rows.",
        "The query returned 500 rows.",
        "We deleted 404 sessions.",
        "The failure rate is down.",
        "It is down to 3 failures.",
        "I shut the server down.",
        "The timeout is 30 s.",
        "The client retries when the connection is refused.",
        "If the server is down, it retries.",
        "Is the server down?",
        "The test simulates a timed out request.",
        "No request timed out.",
        "It never timed out.",
        "Connection refused errors are retried.",
        "I could not reach the goal.",
        "The import and the report support it.",
        '"connection refused" is in line 3.',
        "`HTTP 500` is printed.",
    ],
)
def test_no_outage_is_claimed(text: str) -> None:
    assert found(text) == []
