"""Laws of receipts: what we sign is readable, what is changed is refused, nothing makes it fall."""

import argparse
import base64
import copy
import hashlib
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.plan.model import Issued, Plan
from goalkeeper.core.plan.receipts import (
    FINAL,
    GOAL,
    Circumstances,
    Proven,
    make_statement,
    why_outdated,
)
from goalkeeper.verifier import statement as verifier
from goalkeeper.verifier.envelope import read_statement
from goalkeeper.verifier.inquiry import verify_receipt
from goalkeeper.verifier.statement import ISOLATIONS, PREDICATE, STATEMENT
from goalkeeper.wire.canonical import compact
from tests.property.strategies import (
    goals,
    ids,
    json_values,
    judgements,
    marks,
    marks_or_none,
    numbers,
    plans,
    words,
)

KEY = Ed25519PrivateKey.from_private_bytes(b"1" * 32)
PEM = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
NAME = hashlib.sha256(KEY.public_key().public_bytes_raw()).hexdigest()
CONTRACT = read_text("criteria: [{id: C1, text: it holds, check: {command: [make]}}]")
assert isinstance(CONTRACT, Contract)

# An example has whole plans and takes long.
FEW = settings(max_examples=min(40, settings().max_examples))

NOW = datetime(2026, 6, 1, tzinfo=UTC)

levels = st.sampled_from(ISOLATIONS)
moments = st.datetimes(max_value=NOW.replace(tzinfo=None)).map(lambda at: f"{at.isoformat()}Z")
seen = st.builds(lambda judgement, level: judgement.replace(isolation=level), judgements, levels)
proven = st.builds(Proven, goals, st.just(CONTRACT), seen)
circumstances = st.builds(
    Circumstances,
    st.lists(marks, max_size=2).map(tuple),
    marks_or_none,
    marks_or_none,
    numbers,
    marks,
    moments,
    marks_or_none,
)
statements = st.builds(
    make_statement,
    st.sampled_from([GOAL, FINAL]),
    ids,
    st.lists(st.tuples(plans, proven), min_size=1, max_size=3),
    circumstances,
)
issued = st.builds(
    Issued, st.sampled_from([GOAL, FINAL]), ids | st.just(""), words, words, words, numbers
)


def signed(payload: bytes) -> dict[str, Any]:
    """By the words of the specification of DSSE, with nothing of ours."""
    kind = b"application/vnd.in-toto+json"
    text = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": kind.decode(),
        "signatures": [{"keyid": NAME, "sig": base64.b64encode(KEY.sign(text)).decode()}],
    }


def wanted(repository: Path | None = None, **more: str) -> argparse.Namespace:
    asked = {"kind": "", "run": "", "goal": "", "isolation": "", "tree": "", "commit": "HEAD"}
    asked |= more
    place = str(repository or "")
    return argparse.Namespace(repository=place, no_repository=repository is None, **asked)


def answered(envelope: object, asked: argparse.Namespace | None = None) -> dict[str, Any]:
    """The answer, which is whole, whatever was asked."""
    data = envelope if isinstance(envelope, bytes) else json.dumps(envelope).encode()
    answer = verify_receipt(data, [PEM], asked or wanted(), now=NOW.timestamp())
    told = {"ok", "reasons", "receipt", "statement", "left_to_user", "let_stand"}
    assert set(answer) == told
    assert answer["ok"] is (not answer["reasons"])
    assert all(reason["code"] and reason["message"] for reason in answer["reasons"])
    assert not answer["ok"] or answer["statement"]
    return answer


def codes(answer: dict[str, Any]) -> list[str]:
    return [reason["code"] for reason in answer["reasons"]]


LANE = ("goal", "role", "agent", "session", "model", "trust", "tree", "transcript", "answer")
EXAMPLE = {
    "_type": STATEMENT,
    "subject": [{"name": "tree", "digest": {"gitTree": "0" * 40}}],
    "predicateType": PREDICATE,
    "predicate": {
        "kind": "goal",
        "run": "20260101-000000-abcd",
        "goals": [
            {
                "id": "G001",
                "title": "One",
                "contract": "c" * 64,
                "criteria": [{"id": "C1", "text": "", "verdict": "passed", "evidence": ""}],
            }
        ],
        "repository": ["0" * 40],
        "gate": {"kind": "standard", "digest": "d" * 64},
        "ledger": {"head": "e" * 64, "seq": 3},
        "isolation": "checkout",
        "lanes": [dict.fromkeys(LANE, "x") | {"trust": "reported"}],
        "tools": [],
        "goalkeeper": "0.1.0",
        "issuedAt": "2026-01-01T00:00:00.000000Z",
        "previous": "",
    },
}
PAYLOAD = json.dumps(EXAMPLE).encode()
GENUINE = signed(PAYLOAD)
ENVELOPE = json.dumps(GENUINE).encode()
# Lists of lists most of all: they are no keys of a table, which a reader easily forgets.
odd_values = json_values | st.lists(st.lists(words, max_size=1), max_size=2)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("repository")
    for command in (("init", "--quiet"), ("commit", "--quiet", "--allow-empty", "--message", "a")):
        subprocess.run(["git", *command], cwd=place, check=True)
    return place


def test_the_example_holds() -> None:
    assert answered(ENVELOPE)["statement"] == EXAMPLE


# What we sign


@FEW
@given(told=statements)
def test_what_we_state_is_what_the_verifier_reads(told: dict[str, Any]) -> None:
    envelope = compact(signed(compact(told).encode())).encode()

    assert read_statement(envelope, [PEM]) == (told, {NAME})


def test_a_file_of_keys_that_begin_and_never_end_is_read_at_once() -> None:
    """A search that starts anew at each of them would take hours."""
    begun = b"-----BEGIN PUBLIC KEY-----" * 400_000

    assert read_statement(ENVELOPE, [begun, PEM + begun])[1] == {NAME}


@FEW
@given(told=statements)
def test_it_holds_if_and_only_if_every_criterion_of_every_goal_passed(told: dict[str, Any]) -> None:
    every = [goal["criteria"] for goal in told["predicate"]["goals"]]
    good = ("passed", "agent-leg")
    passed = all(
        criteria and all(seen["verdict"] in good for seen in criteria) for criteria in every
    )

    assert codes(answered(signed(compact(told).encode()))) == ([] if passed else ["not-proven"])


@FEW
@given(plan=plans, one=issued, other=plans)
def test_only_goals_contracts_and_revisions_make_it_stale(
    plan: Plan, one: Issued, other: Plan
) -> None:
    elsewhere = ("run_id", "session", "base", "tool", "blocker", "steering_keys", "handoff",
                 "closed", "drive", "receipts", "updated_at")  # fmt: skip
    changed = plan.replace(**{name: getattr(other, name) for name in elsewhere})

    assert why_outdated(changed, one) == why_outdated(plan, one)


@given(plan=plans, one=issued)
def test_a_final_receipt_is_fresh_for_its_own_revision_while_all_is_complete(
    plan: Plan, one: Issued
) -> None:
    final = one.replace(kind=FINAL)

    assert (why_outdated(plan, final.replace(revision=plan.revision)) == "") is plan.is_complete
    assert why_outdated(plan, final.replace(revision=plan.revision + 1)) != ""


# What is changed


@given(place=st.integers(0, len(PAYLOAD) - 1), bits=st.integers(1, 255))
def test_any_changed_byte_of_the_payload_is_refused(place: int, bits: int) -> None:
    changed = bytearray(PAYLOAD)
    changed[place] ^= bits
    told = base64.b64encode(changed).decode()

    assert codes(answered({**signed(PAYLOAD), "payload": told})) == ["tampered"]


@given(place=st.integers(0, 63), bits=st.integers(1, 255))
def test_any_changed_byte_of_the_signature_is_refused(place: int, bits: int) -> None:
    envelope = signed(PAYLOAD)
    changed = bytearray(base64.b64decode(envelope["signatures"][0]["sig"]))
    changed[place] ^= bits
    envelope["signatures"][0]["sig"] = base64.b64encode(changed).decode()

    assert codes(answered(envelope)) == ["tampered"]


@given(place=st.integers(0, len(ENVELOPE) - 1), byte=st.integers(0, 255))
def test_a_changed_byte_of_the_file_is_refused_or_changes_nothing_that_is_said(
    place: int, byte: int
) -> None:
    """Spaces may change, and the bits of base64 that stand for nothing."""
    changed = bytearray(ENVELOPE)
    changed[place] = byte
    answer = answered(bytes(changed))

    assert answer["statement"] == (EXAMPLE if answer["ok"] else None)


@given(cut=st.integers(0, len(ENVELOPE) - 1))
def test_a_part_of_a_receipt_is_none(cut: int) -> None:
    assert codes(answered(ENVELOPE[:cut])) == ["malformed"]


# Whatever comes


@given(data=st.binary(max_size=200))
def test_any_bytes_get_an_answer(data: bytes) -> None:
    assert codes(answered(data)) == ["malformed"]


@given(told=json_values)
def test_any_document_gets_an_answer(told: object) -> None:
    assert answered(told)["ok"] is False


@given(
    payload=st.just(GENUINE["payload"]) | json_values,
    kind=st.just(verifier.PAYLOAD) | st.just(verifier.PAYLOAD) | json_values,
    signatures=json_values
    | st.lists(
        st.fixed_dictionaries(
            {"keyid": st.just(NAME) | odd_values, "sig": st.just("AAAA") | odd_values}
        ),
        min_size=1,
        max_size=2,
    ),
)
def test_any_envelope_gets_an_answer(payload: object, kind: object, signatures: object) -> None:
    told = {"payload": payload, "payloadType": kind, "signatures": signatures}

    assert answered(told)["ok"] is False


def paths(told: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a document."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(told, dict):
        inner = list(told.items())
    elif isinstance(told, list):
        inner = list(enumerate(told))
    return [path, *(found for key, each in inner for found in paths(each, (*path, key)))][
        0 if path else 1 :
    ]


def changed_at(path: tuple[Any, ...], value: object) -> dict[str, Any]:
    told = copy.deepcopy(EXAMPLE)
    place: Any = told
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return told


@given(path=st.sampled_from(paths(EXAMPLE)), value=odd_values)
def test_any_statement_that_is_signed_gets_an_answer(
    repository: Path, path: tuple[Any, ...], value: object
) -> None:
    envelope = signed(json.dumps(changed_at(path, value)).encode())

    assert answered(envelope, wanted(repository))["ok"] is False
    answered(envelope, wanted(kind="goal", run="another", goal="G009", isolation="sandbox"))


@given(data=st.binary(max_size=100), envelope=st.just(ENVELOPE) | st.binary(max_size=20))
def test_any_key_gets_an_answer(data: bytes, envelope: bytes) -> None:
    answer = verify_receipt(envelope, [data], wanted(), now=NOW.timestamp())

    assert answer["ok"] is False


# Policies

policy_values = (
    st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(("goal", "final", "standard", "strict", "checkout", "sandbox", ""))
    | st.just([NAME])
    | st.lists(words, max_size=2)
)
lines = st.sampled_from(
    (
        "kind",
        "gate",
        "isolation",
        "keys",
        "contract_by",
        "let_stand_by",
        "independent",
        "max_age_days",
        "least",
        "Kind",
    )
)


def toml(value: object) -> str:
    return str(value) if isinstance(value, float) else json.dumps(value)


@given(given=st.dictionaries(lines, policy_values, max_size=4))
def test_a_policy_is_obeyed_or_invalid_and_never_read_past(given: dict[str, object]) -> None:
    text = "".join(f"{name} = {toml(value)}\n" for name, value in given.items())
    answer = verify_receipt(ENVELOPE, [PEM], wanted(), now=NOW.timestamp(), policy=text.encode())

    more = {"contract_by", "let_stand_by"}
    met = {"kind": "goal", "gate": "standard", "isolation": "checkout", "keys": [NAME]}
    if answer["ok"]:
        age = NOW - datetime(2026, 1, 1, tzinfo=UTC)
        days = given.pop("max_age_days", age.days)
        assert isinstance(days, int | float)
        assert days >= age.days
        assert not given.pop("let_stand_by", [])  # nothing stands
        assert given.items() <= met.items()
    elif set(given) - {*met, *more, "independent", "max_age_days"} or not given:
        assert set(codes(answer)) == {"policy-invalid"}


@given(data=st.binary(max_size=200))
def test_any_policy_gets_an_answer(data: bytes) -> None:
    answer = verify_receipt(ENVELOPE, [PEM], wanted(), now=NOW.timestamp(), policy=data)

    assert answer["ok"] is (not answer["reasons"])
