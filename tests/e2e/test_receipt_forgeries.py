"""Receipts that were forged, borrowed or outlived: none holds, and each is told why."""

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.e2e.receipts import (
    HOLDS,
    IN_TOTO,
    LANE,
    Change,
    Desk,
    envelope,
    pem,
    refused,
    signature,
    text,
)
from tests.tables import for_each, sampled

Forgery = Callable[[Desk], bytes]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk.at(tmp_path_factory.mktemp("desk"))


def test_what_is_forged_below_holds_as_long_as_it_is_genuine(desk: Desk) -> None:
    again = envelope(desk.payload, desk.theirs)
    countersigned = envelope(desk.payload, desk.mine, desk.theirs)

    for genuine in (desk.final, again, countersigned):
        assert desk.stranger.by_all(genuine, desk.trusted) == HOLDS
        assert desk.stranger.by_securesystemslib(genuine, desk.trusted) is not None


# Signatures


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def sig(desk: Desk) -> bytes:
    return base64.b64decode(json.loads(desk.final)["signatures"][0]["sig"])


SIGNATURES: dict[str, tuple[str, Forgery]] = {
    "one byte of the payload": (
        "tampered",
        lambda d: d.altered(payload=text(flipped(d.payload, len(d.payload) // 2))),
    ),
    "the payload of another receipt": (
        "tampered",
        lambda d: d.altered(payload=json.loads(d.first)["payload"]),
    ),
    "no payload": ("malformed", lambda d: d.altered(payload=None)),
    "a payload that is not base64": ("malformed", lambda d: d.altered(payload="{}")),
    "no signatures": ("malformed", lambda d: d.altered(signatures=None)),
    "an empty list of signatures": ("unsigned", lambda d: d.altered(signatures=[])),
    "one byte of the signature": (
        "tampered",
        lambda d: d.signed_so(sig=text(flipped(sig(d), 40))),
    ),
    "a truncated signature": ("tampered", lambda d: d.signed_so(sig=text(sig(d)[:63]))),
    "a longer signature": ("tampered", lambda d: d.signed_so(sig=text(sig(d) + b"\0"))),
    "an empty signature": ("tampered", lambda d: d.signed_so(sig="")),
    "a signature that is not base64": ("malformed", lambda d: d.signed_so(sig="no\u00e9")),
    "a signature without its bytes": ("malformed", lambda d: d.signed_so(sig=None)),
    "a signature of another receipt": (
        "tampered",
        lambda d: d.altered(signatures=json.loads(d.first)["signatures"]),
    ),
    "another key": ("wrong-key", lambda d: envelope(d.payload, d.mine)),
    "another key under the trusted name": (
        "tampered",
        lambda d: d.signed_so(sig=signature(d.payload, d.mine)["sig"]),
    ),
    "a renamed key": ("wrong-key", lambda d: d.signed_so(keyid="0" * 64)),
    "no name of a key": ("wrong-key", lambda d: d.signed_so(keyid=None)),
    "a name of a key that is a list": ("wrong-key", lambda d: d.signed_so(keyid=["a"])),
    "a name of a key that is an object": ("wrong-key", lambda d: d.signed_so(keyid={})),
    "a signature that is a text": ("wrong-key", lambda d: d.altered(signatures=["signed, me"])),
    "another type of payload": ("malformed", lambda d: d.altered(payloadType="text/plain")),
    "a true signature and a false one by the same key": (
        "tampered",
        lambda d: d.altered(
            signatures=[
                signature(d.payload, d.theirs),
                {**signature(d.payload, d.theirs), "sig": text(b"\0" * 64)},
            ]
        ),
    ),
}


@pytest.mark.parametrize("name", sampled(SIGNATURES, one_in=5))
def test_scenario_40_a_signature_that_is_not_of_these_bytes_by_this_key_is_refused_by_all(
    desk: Desk, name: str
) -> None:
    reason, forgery = SIGNATURES[name]
    forged = forgery(desk)

    assert desk.stranger.by_all(forged, desk.trusted) == refused(reason)
    assert desk.stranger.by_securesystemslib(forged, desk.trusted) is None


def test_a_signature_for_another_type_of_payload_is_none_for_ours(desk: Desk) -> None:
    other = signature(desk.payload, desk.theirs, "text/plain")
    forged = desk.altered(signatures=[other], payloadType=IN_TOTO)

    assert desk.stranger.by_all(forged, desk.trusted) == refused("tampered")
    assert desk.stranger.by_securesystemslib(forged, desk.trusted) is None


def test_a_true_receipt_is_nothing_to_those_who_trust_another_key(desk: Desk) -> None:
    key = pem(desk.mine)

    assert desk.stranger.by_all(desk.final, key) == refused("wrong-key")
    assert desk.stranger.by_securesystemslib(desk.final, key) is None


@for_each("kind", ["no key at all", "a key of another kind", "nothing"])
def test_what_is_no_key_verifies_nothing(desk: Desk, kind: str) -> None:
    other = generate_private_key(SECP256R1()).public_key()
    spki = PublicFormat.SubjectPublicKeyInfo
    keys = {
        "no key at all": b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        "a key of another kind": other.public_bytes(Encoding.PEM, spki),
        "nothing": b"",
    }

    assert desk.stranger.by_all(desk.final, keys[kind]) == refused("wrong-key")


# Envelopes


def padded(desk: Desk, size: int) -> bytes:
    return desk.final + b" " * (size - len(desk.final))


ENVELOPES: dict[str, Forgery] = {
    "another field": lambda d: d.altered(note="all is well"),
    "a name given twice": lambda d: d.final[:-1] + b"," + d.final[1:],
    "NaN": lambda d: d.final.replace(b'"payload":', b'"a":NaN,"payload":', 1),
    "a hundred thousand brackets": lambda _: b"[" * 100_000 + b"]" * 100_000,
    "a hundred thousand objects": lambda _: b'{"a":' * 100_000,
    "no JSON": lambda _: b"it holds\n",
    "nothing": lambda _: b"",
    "a list": lambda d: b"[" + d.final + b"]",
    "a number": lambda _: b"1" * 10_000,
    "half of it": lambda d: d.final[: len(d.final) // 2],
    "two of them": lambda d: d.final + d.final,
}


@for_each("name", ENVELOPES)
def test_what_is_no_plain_envelope_is_malformed(desk: Desk, name: str) -> None:
    assert desk.stranger.by_all(ENVELOPES[name](desk), desk.trusted) == refused("malformed")


@for_each(
    "made",
    [lambda d: padded(d, 17 << 20), lambda d: b"\xff" + d.final, lambda d: d.final + b"\0"],
    ids=["17 MB", "no UTF-8", "a NUL"],
)
def test_what_is_no_text_of_a_fair_size_is_not_read(desk: Desk, made: Forgery) -> None:
    given = made(desk)

    for by in (desk.stranger.by_script, desk.stranger.by_command):
        assert by(given, desk.trusted).brief == refused("malformed")
    ours = desk.stranger.by_goalkeeper(given, desk.trusted)
    assert (ours.code, ours.reasons) == (2, ["input-unreadable"])


# Statements


def lane(without: str) -> dict[str, str]:
    return {name: value for name, value in LANE.items() if name != without}


def first_seen(predicate: Any) -> Any:  # noqa: ANN401  JSON
    return predicate["goals"][0]["criteria"][0]


STATEMENTS: dict[str, tuple[str, Change]] = {
    "another type of statement": (
        "malformed",
        lambda s, _: s.update(_type="https://in-toto.io/Statement/v0.1"),
    ),
    "another predicate": (
        "foreign",
        lambda s, _: s.update(predicateType="https://slsa.dev/provenance/v1"),
    ),
    "another field of the statement": ("malformed", lambda s, _: s.update(note="trust me")),
    "another field of the predicate": ("malformed", lambda _, p: p.update(note="trust me")),
    "a field less": ("malformed", lambda _, p: p.pop("ledger")),
    "a field of another type": ("malformed", lambda _, p: p.update(goals={})),
    "no predicate": ("malformed", lambda s, _: s.update(predicate=None)),
    "an unknown kind": ("malformed", lambda _, p: p.update(kind="best")),
    "an unknown isolation": ("malformed", lambda _, p: p.update(isolation="total")),
    "a goal that is a text": ("malformed", lambda _, p: p.update(goals=["G001"])),
    "a criterion without a verdict": ("malformed", lambda _, p: first_seen(p).pop("verdict")),
    "no subject": ("malformed", lambda s, _: s.update(subject=[])),
    "a subject that is a text": ("malformed", lambda s, _: s.update(subject=["HEAD"])),
    "a repository that is no list of names": (
        "malformed",
        lambda _, p: p.update(repository=[["a"]]),
    ),
    "a failed criterion": ("not-proven", lambda _, p: first_seen(p).update(verdict="failed")),
    "an unknown verdict": ("not-proven", lambda _, p: first_seen(p).update(verdict="unknown")),
    "a verdict that is true": ("not-proven", lambda _, p: first_seen(p).update(verdict=True)),
    "a goal without criteria": ("not-proven", lambda _, p: p["goals"][1].update(criteria=[])),
    "no goal": ("not-proven", lambda _, p: p.update(goals=[])),
    "an unknown gate": ("malformed", lambda _, p: p["gate"].update(kind="lenient")),
    "another field of the gate": ("malformed", lambda _, p: p["gate"].update(passed=True)),
    "a lane that is a text": ("malformed", lambda _, p: p.update(lanes=["architect"])),
    "a lane with another field": ("malformed", lambda _, p: p.update(lanes=[{**LANE, "ok": "1"}])),
    "a lane of unknown trust": ("malformed", lambda _, p: p.update(lanes=[{**LANE, "trust": "x"}])),
    "a lane without a session": ("malformed", lambda _, p: p.update(lanes=[lane("session")])),
    "a lane with a number": ("malformed", lambda _, p: p.update(lanes=[{**LANE, "model": 4}])),
    "no time": ("malformed", lambda _, p: p.update(issuedAt="lately")),
    "a time of no zone": ("malformed", lambda _, p: p.update(issuedAt="2026-01-01T00:00:00")),
    "a time to come": ("from-the-future", lambda _, p: p.update(issuedAt="2999-01-01T00:00:00Z")),
    "another repository": ("foreign", lambda _, p: p.update(repository=["0" * 40])),
    "another tree": ("stale", lambda s, _: s["subject"][0]["digest"].update(gitTree="0" * 40)),
}


@pytest.mark.parametrize("name", sampled(STATEMENTS, one_in=5))
def test_what_says_something_else_does_not_hold_though_it_is_signed(desk: Desk, name: str) -> None:
    reason, change = STATEMENTS[name]
    payload = desk.told(change)

    signed = envelope(payload, desk.theirs)
    assert desk.stranger.by_all(signed, desk.trusted) == refused(reason)
    by_another = envelope(payload, desk.mine)
    assert desk.stranger.by_script(by_another, desk.trusted).brief == refused("wrong-key")


def test_a_strict_gate_with_its_lanes_holds_and_so_does_a_clock_that_is_a_little_fast(
    desk: Desk,
) -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=60)).isoformat()
    payload = desk.told(
        lambda _, p: (
            p["gate"].update(kind="strict"),
            p.update(lanes=[LANE, {**LANE, "role": "critic", "trust": "reported"}], issuedAt=soon),
        )
    )

    assert desk.stranger.by_all(envelope(payload, desk.theirs), desk.trusted) == HOLDS


@for_each(
    "payload",
    [
        b"[]",
        b"all is well",
        b"\xff\xfe",
        b'{"_type": NaN}',
        b'{"a": 1, "a": 2}',
        b"[" * 100_000 + b"]" * 100_000,
        b"",
    ],
    ids=["a list", "a text", "no UTF-8", "NaN", "a name twice", "brackets", "nothing"],
)
def test_what_is_no_statement_is_malformed_though_it_is_signed(desk: Desk, payload: bytes) -> None:
    signed = envelope(payload, desk.theirs)

    assert desk.stranger.by_all(signed, desk.trusted) == refused("malformed")


def test_all_that_speaks_against_it_is_told_at_once(desk: Desk) -> None:
    payload = desk.told(
        lambda s, p: (
            first_seen(p).update(verdict="failed"),
            p.update(repository=["0" * 40]),
            s["subject"][0]["digest"].update(gitTree="0" * 40),
        )
    )
    more = ("--kind", "goal", "--isolation", "sandbox")

    ruling = desk.stranger.by_script(envelope(payload, desk.theirs), desk.trusted, *more)

    reasons = ("not-proven", "other-kind", "isolation-too-weak", "foreign", "stale")
    assert ruling.brief == refused(*reasons)


def test_words_that_no_terminal_can_show_are_told_all_the_same(desk: Desk) -> None:
    payload = desk.told(lambda _, p: p["goals"][0].update(id="\ud800", criteria=[]))
    code, out, err = desk.stranger.told_by_script(envelope(payload, desk.theirs), desk.trusted)

    assert (code, err) == (1, "")
    assert out.startswith("not-proven: ")
    assert out.endswith("it does not hold\n")


# Another than was asked for


DEMANDS = {
    "G001": HOLDS,
    "G002": refused("other-goal"),
    "--kind=goal": HOLDS,
    "--kind=final": refused("other-kind"),
    "--isolation=none": HOLDS,
    "--isolation=sandbox": refused("isolation-too-weak"),
    "--run=20260101-000000-abcd": refused("other-run"),
}


@for_each("demand", DEMANDS)
def test_a_receipt_of_something_else_is_not_what_was_asked_for(desk: Desk, demand: str) -> None:
    is_flag = demand.startswith("--")
    ours = (demand,) if is_flag else ("--goal-id", demand)
    alone = (demand,) if is_flag else ("--goal", demand)
    at = ("--commit", "HEAD~1")

    assert desk.stranger.by_script(desk.first, desk.trusted, *alone, *at).brief == DEMANDS[demand]
    assert (
        desk.stranger.by_goalkeeper(desk.first, desk.trusted, *ours, *at).brief == (DEMANDS[demand])
    )
