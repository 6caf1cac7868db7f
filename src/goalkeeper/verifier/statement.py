"""What a receipt states: its words, its shape, and the reasons why it does not hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD = "application/vnd.in-toto+json"
PREDICATE = "urn:goalkeeper:receipt:v1"
GOAL, FINAL = KINDS = ("goal", "final")
ISOLATIONS = ("none", "checkout", "sandbox")  # they go from weak to strong
GATES = ("standard", "strict")  # they go from weak to strong
AGENT_LEG = "agent-leg"  # a verdict: the agent's part holds, and the user's is still open
AUTHORS = ("human", "examiner", "agent", "self-written", "unknown")  # of contracts
ANSWERERS = ("human", "agent")  # who may have let a finding stand
INDEPENDENT, REPORTED = TRUSTS = ("independent", "reported")
MOST_BYTES = 16 << 20


class ReceiptRefused(Exception):
    """A receipt does not hold. The reason is given in a word and in a sentence."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


def read_json(data: bytes, what: str) -> dict[str, Any]:
    if len(data) > MOST_BYTES:
        raise ReceiptRefused("malformed", f"{what} is larger than {MOST_BYTES} bytes")
    try:
        told = json.loads(
            data.decode(), object_pairs_hook=_refuse_doubled, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as exc:
        raise ReceiptRefused("malformed", f"{what} is not JSON: {exc}") from exc
    if not isinstance(told, dict):
        raise ReceiptRefused("malformed", f"{what} is not an object")
    return told


def _refuse_doubled(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice: two readers might each believe another of the two."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


Fields = Mapping[str, type]
# Each part has these fields, of these types, and no other.
_STATEMENT: Fields = {"_type": str, "subject": list, "predicateType": str, "predicate": dict}
_PREDICATE: Fields = {
    "kind": str, "run": str, "goals": list, "repository": list, "gate": dict, "ledger": dict,
    "isolation": str, "lanes": list, "tools": list, "goalkeeper": str, "issuedAt": str,
    "previous": str,
}  # fmt: skip
_GATE: Fields = {"kind": str, "digest": str}
_LEDGER: Fields = {"head": str, "seq": int}
_GOAL: Fields = {"id": str, "title": str, "contract": str, "criteria": list}
_CRITERION: Fields = {"id": str, "text": str, "verdict": object, "evidence": str}
_LANE: Fields = dict.fromkeys(
    ("goal", "role", "agent", "session", "model", "trust", "tree", "transcript", "answer"), str
)


_NO_FIELDS: Fields = {}
# The first version stated nothing about these.
_PREDICATE_SINCE: Fields = {"author": str, "conditions": list}
_GOAL_SINCE: Fields = {"contractBy": str, "draft": dict, "letStand": list}
_LET_STAND: Fields = {
    "line": int, **dict.fromkeys(("rule", "level", "path", "message", "by", "reason"), str)
}  # fmt: skip
_DRAFT: Fields = {
    "examiners": list, "acceptedBy": str,
    **dict.fromkeys(("tests", "heldOut", "leftOut", "faults", "faultsNoticed"), int),
}  # fmt: skip
_EXAMINER: Fields = dict.fromkeys(("agent", "model", "prompt", "answer"), str)
# A criterion may have been seen on an earlier tree, and leave something to the user.
_CRITERION_SINCE: Fields = {"tree": str, "leftToUser": list}


def check_shape(told: dict[str, Any]) -> None:
    if told.get("_type") != STATEMENT:
        raise ReceiptRefused("malformed", "it is not an in-toto Statement v1")
    if told.get("predicateType") != PREDICATE:
        raise ReceiptRefused(
            "foreign", f"it states {told.get('predicateType')!r}, not a receipt of ours"
        )
    _check_fields(told, _STATEMENT, "the statement")
    predicate = told["predicate"]
    _check_fields(predicate, _PREDICATE, "the predicate", _PREDICATE_SINCE)
    _check_fields(predicate["gate"], _GATE, "the gate")
    _check_fields(predicate["ledger"], _LEDGER, "the ledger")
    for goal in predicate["goals"]:
        _check_fields(goal, _GOAL, "a goal", _GOAL_SINCE)
        if "draft" in goal:
            _check_draft(goal["draft"])
        for finding in goal.get("letStand", ()):
            _check_fields(finding, _LET_STAND, f"a finding of {goal['id']}")
        for seen in goal["criteria"]:
            _check_fields(seen, _CRITERION, f"a criterion of {goal['id']}", _CRITERION_SINCE)
    for lane in predicate["lanes"]:
        _check_fields(lane, _LANE, "a lane")
    _check_words(predicate)
    tree_of(told)


def _check_draft(draft: dict[str, Any]) -> None:
    _check_fields(draft, _DRAFT, "a draft")
    for examiner in draft["examiners"]:
        _check_fields(examiner, _EXAMINER, "an examiner")


def _check_words(predicate: dict[str, Any]) -> None:
    if predicate["kind"] not in KINDS or predicate["isolation"] not in ISOLATIONS:
        raise ReceiptRefused("malformed", "its kind or isolation is not known")
    if predicate["gate"]["kind"] not in GATES:
        raise ReceiptRefused("malformed", "the kind of its gate is not known")
    if not all(lane["trust"] in TRUSTS for lane in predicate["lanes"]):
        raise ReceiptRefused("malformed", "the trust in a lane is not known")
    if not all(isinstance(root, str) for root in predicate["repository"]):
        raise ReceiptRefused("malformed", "repository of the predicate is of another type")
    read_issue_time(predicate)


def _check_fields(given: object, wanted: Fields, what: str, since: Fields = _NO_FIELDS) -> None:
    """Check that all wanted fields are there, and no others but those of later versions."""
    if not isinstance(given, dict):
        raise ReceiptRefused("malformed", f"{what} is not an object")
    known = {**wanted, **{name: kind for name, kind in since.items() if name in given}}
    if set(given) != set(known):
        odd = sorted(set(given) ^ set(known))
        raise ReceiptRefused("malformed", f"{what} has other fields: {', '.join(odd)}")
    for name, kind in known.items():
        if not isinstance(given[name], kind):
            raise ReceiptRefused("malformed", f"{name} of {what} is of another type")


def read_issue_time(predicate: dict[str, Any]) -> float:
    try:
        moment = datetime.fromisoformat(predicate["issuedAt"])
        if moment.tzinfo:
            return moment.timestamp()
    except (ValueError, OverflowError):
        pass
    raise ReceiptRefused("malformed", "issuedAt of the predicate is not a time with its zone")


def tree_of(told: dict[str, Any]) -> str:
    tree = _find_subject(told, "gitTree")
    if not tree:
        raise ReceiptRefused("malformed", "it names no tree")
    return tree


def commit_of(told: dict[str, Any]) -> str:
    """Return the commit; it is empty if the proven tree was not committed then."""
    return _find_subject(told, "gitCommit")


def _find_subject(told: dict[str, Any], kind: str) -> str:
    subjects = told.get("subject")
    for subject in subjects if isinstance(subjects, list) else ():
        digest = subject.get("digest") if isinstance(subject, dict) else None
        if isinstance(digest, dict) and isinstance(digest.get(kind), str):
            return str(digest[kind])
    return ""
