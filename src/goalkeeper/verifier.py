#!/usr/bin/env python3
"""Verify a goalkeeper receipt. This file needs nothing but Python 3.11 and `cryptography`.

    python3 verifier.py RECEIPT --key KEY.pub [--repository DIR] [--commit REV] [--kind final]
                        [--run RUN] [--goal GOAL] [--isolation sandbox]

A receipt is an in-toto Statement (v1) in a DSSE envelope, signed with ed25519. It says that a
gate was passed: for which tree, by which contracts, with which verdicts, how well isolated. Of
git is asked whether the commit at hand is the one it speaks of. Nothing else is asked: no
ledger, no network, no goalkeeper. Exit 0: it holds; 1: it does not, and every reason is told;
2: wrong usage.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD = "application/vnd.in-toto+json"
PREDICATE = "urn:goalkeeper:receipt:v1"
GOAL, FINAL = KINDS = ("goal", "final")
ISOLATIONS = ("none", "checkout", "sandbox")  # from weak to strong
MOST_BYTES = 16 << 20
_SECONDS = 60


class Refused(Exception):
    """Why a receipt does not hold, in a word and in a sentence."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


def statement_of(envelope: bytes, keys: Sequence[bytes]) -> dict[str, Any]:
    """What the receipt states, if one of these public keys (PEM) has signed it."""
    payload = signed_payload(_json(envelope, "the envelope"), keys)
    told = _json(payload, "the statement")
    _check_shape(told)
    return told


def payload_of(envelope: bytes) -> bytes:
    """What is in it, whoever has signed it or not."""
    return _bytes(_json(envelope, "the envelope").get("payload"), "the payload")


def signed_payload(envelope: dict[str, Any], keys: Sequence[bytes]) -> bytes:
    if set(envelope) != {"payload", "payloadType", "signatures"}:
        raise Refused("malformed", "the envelope has other fields than DSSE has")
    if envelope["payloadType"] != PAYLOAD:
        raise Refused("malformed", f"its payload is {envelope['payloadType']!r}, not {PAYLOAD}")
    signatures = envelope["signatures"]
    if not isinstance(signatures, list) or not signatures:
        raise Refused("unsigned", "nobody has signed it")
    payload = _bytes(envelope["payload"], "the payload")
    known = _known(keys)
    named = [s.get("keyid") for s in signatures if isinstance(s, dict)]
    mine = [
        s for s in signatures
        if isinstance(s, dict) and isinstance(s.get("keyid"), str) and s["keyid"] in known
    ]  # fmt: skip
    if not mine:
        raise Refused("wrong-key", f"it is signed with {named}, which is no key that is trusted")
    text = b"DSSEv1 %d %b %d %b" % (len(PAYLOAD), PAYLOAD.encode(), len(payload), payload)
    for signature in mine:
        _check_signature(known[signature["keyid"]], _bytes(signature.get("sig"), "a sig"), text)
    return payload


def _known(keys: Sequence[bytes]) -> dict[str, bytes]:
    """By their ids; a file that is no key trusts nobody, and is in nobody's way."""
    found = {}
    for key in keys:
        try:
            found[key_id(key)] = key
        except Refused:
            continue
    return found


def _check_signature(key: bytes, signature: bytes, text: bytes) -> None:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  slow; help needs none

    try:
        _public(key).verify(signature, text)
    except InvalidSignature as exc:
        raise Refused("tampered", "its signature is not of these bytes") from exc


def _public(key: bytes) -> Any:  # noqa: ANN401  a type of a library that is loaded when needed
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  as above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415

    try:
        found = load_pem_public_key(key)
    except (ValueError, UnsupportedAlgorithm) as exc:
        raise Refused("wrong-key", "a key is not a public key in PEM") from exc
    if not isinstance(found, Ed25519PublicKey):
        raise Refused("wrong-key", "a key is not for ed25519")
    return found


def key_id(key: bytes) -> str:
    """SHA-256 of the key's 32 bytes: whoever holds the key can tell its name."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415

    raw = _public(key).public_bytes(Encoding.Raw, PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()


def _bytes(value: object, what: str) -> bytes:
    if not isinstance(value, str):
        raise Refused("malformed", f"{what} is missing")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise Refused("malformed", f"{what} is not base64") from exc


def _json(data: bytes, what: str) -> dict[str, Any]:
    if len(data) > MOST_BYTES:
        raise Refused("malformed", f"{what} is larger than {MOST_BYTES} bytes")
    try:
        told = json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as exc:
        raise Refused("malformed", f"{what} is not JSON: {exc}") from exc
    if not isinstance(told, dict):
        raise Refused("malformed", f"{what} is not an object")
    return told


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two readers might each believe another of two."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


# Fields of a predicate and what they hold.
_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "kind": str, "run": str, "goals": list, "repository": list, "gate": dict, "ledger": dict,
    "isolation": str, "lanes": list, "tools": list, "goalkeeper": str, "issuedAt": str,
    "previous": str,
}  # fmt: skip
_GOAL_FIELDS: Mapping[str, type] = {"id": str, "title": str, "contract": str, "criteria": list}
_CRITERION_FIELDS = {"id", "text", "verdict", "evidence"}


def _check_shape(told: dict[str, Any]) -> None:
    if told.get("_type") != STATEMENT:
        raise Refused("malformed", "it is not an in-toto Statement v1")
    if told.get("predicateType") != PREDICATE:
        raise Refused("foreign", f"it states {told.get('predicateType')!r}, not a receipt of ours")
    predicate = told.get("predicate")
    if not isinstance(predicate, dict) or set(told) - {
        "_type", "subject", "predicateType", "predicate",
    }:  # fmt: skip
        raise Refused("malformed", "the statement has other fields")
    _check_fields(predicate, _FIELDS, "the predicate")
    if predicate["kind"] not in KINDS or predicate["isolation"] not in ISOLATIONS:
        raise Refused("malformed", "its kind or isolation is not known")
    if not all(isinstance(root, str) for root in predicate["repository"]):
        raise Refused("malformed", "repository of the predicate is of another type")
    for goal in predicate["goals"]:
        if not isinstance(goal, dict):
            raise Refused("malformed", "a goal is not an object")
        _check_fields(goal, _GOAL_FIELDS, "a goal")
        for seen in goal["criteria"]:
            if not isinstance(seen, dict) or set(seen) != _CRITERION_FIELDS:
                raise Refused("malformed", f"a criterion of {goal['id']} has other fields")
    tree_of(told)


def _check_fields(
    given: dict[str, Any], wanted: Mapping[str, type | tuple[type, ...]], what: str
) -> None:
    if set(given) != set(wanted):
        odd = sorted(set(given) ^ set(wanted))
        raise Refused("malformed", f"{what} has other fields: {', '.join(odd)}")
    for name, kind in wanted.items():
        if not isinstance(given[name], kind):
            raise Refused("malformed", f"{name} of {what} is of another type")


def tree_of(told: dict[str, Any]) -> str:
    return _subject(told, "gitTree") or _no_tree()


def _no_tree() -> str:
    raise Refused("malformed", "it names no tree")


def commit_of(told: dict[str, Any]) -> str:
    """Empty where what was proven was not committed then."""
    return _subject(told, "gitCommit")


def _subject(told: dict[str, Any], kind: str) -> str:
    subjects = told.get("subject")
    for subject in subjects if isinstance(subjects, list) else ():
        digest = subject.get("digest") if isinstance(subject, dict) else None
        if isinstance(digest, dict) and isinstance(digest.get(kind), str):
            return str(digest[kind])
    return ""


def problems(told: dict[str, Any], wanted: argparse.Namespace, git: Git | None) -> list[Refused]:
    """All that speaks against it, though it is genuine."""
    checks: list[Callable[[], None]] = [
        lambda: _check_verdicts(told),
        lambda: _check_wanted(told, wanted),
        lambda: _check_isolation(told, wanted.isolation),
    ]
    checks += [lambda: _check_repository(told, git), lambda: _check_tree(told, git)] if git else []
    found = []
    for check in checks:
        try:
            check()
        except Refused as exc:
            found.append(exc)
    return found


def _check_verdicts(told: dict[str, Any]) -> None:
    goals = told["predicate"]["goals"]
    bad = [
        f"{goal['id']} {seen['id']} is {seen['verdict']}"
        for goal in goals
        for seen in goal["criteria"]
        if seen["verdict"] != "passed"
    ]
    empty = [goal["id"] for goal in goals if not goal["criteria"]]
    if bad or empty or not goals:
        said = "; ".join([*bad, *(f"{each} has no criteria" for each in empty)]) or "it has no goal"
        raise Refused("not-proven", said)


def _check_wanted(told: dict[str, Any], wanted: argparse.Namespace) -> None:
    predicate = told["predicate"]
    if wanted.kind and predicate["kind"] != wanted.kind:
        raise Refused("other-kind", f"it is a {predicate['kind']} receipt, not a {wanted.kind} one")
    if wanted.run and predicate["run"] != wanted.run:
        raise Refused("other-run", f"it is of run {predicate['run']}, not {wanted.run}")
    ids = [goal["id"] for goal in predicate["goals"]]
    if wanted.goal and wanted.goal not in ids:
        raise Refused("other-goal", f"it is about {', '.join(ids)}, not {wanted.goal}")


def _check_isolation(told: dict[str, Any], least: str) -> None:
    seen = told["predicate"]["isolation"]
    if least and ISOLATIONS.index(seen) < ISOLATIONS.index(least):
        raise Refused("isolation-too-weak", f"checks ran at level {seen}; {least} is asked for")


class Git:
    """A repository and the commit in it that a receipt is held against."""

    def __init__(self, place: str, commit: str) -> None:
        self._place = place
        self.commit = self.ask("rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
        self.tree = self.ask("rev-parse", f"{self.commit}^{{tree}}")

    def ask(self, *args: str) -> str:
        argv = ["git", "-C", self._place, "-c", "core.fsmonitor=false", *args]
        environ = {**os.environ, "LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1"}
        try:
            done = subprocess.run(
                argv, env=environ, capture_output=True, text=True, check=False, timeout=_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise Refused("no-repository", f"git does not answer: {exc}") from exc
        if done.returncode:
            raise Refused("no-repository", done.stderr.strip() or f"git {args[0]} failed")
        return done.stdout.strip()

    def roots(self) -> list[str]:
        return sorted(self.ask("rev-list", "--max-parents=0", self.commit).split())

    def is_behind(self, commit: str) -> bool:
        """Whether that commit is one that this one was made from."""
        try:
            self.ask("merge-base", "--is-ancestor", commit, self.commit)
        except Refused:
            return False
        return True


def _check_repository(told: dict[str, Any], git: Git) -> None:
    named = told["predicate"]["repository"]
    if git.ask("rev-parse", "--is-shallow-repository") == "true":
        return  # its first commits are not there; the tree has to do
    if named and not set(named) & set(git.roots()):
        raise Refused("foreign", "it is of another repository: no first commit is the same")


def _check_tree(told: dict[str, Any], git: Git) -> None:
    tree, commit = tree_of(told), commit_of(told)
    if tree == git.tree:
        return
    if commit and commit != git.commit and git.is_behind(commit):
        said = f"it is of {commit[:12]}, which {git.commit[:12]} was made from, with other files"
        raise Refused("parent-commit", said)
    raise Refused("stale", f"it is of tree {tree[:12]}, and {git.commit[:12]} has {git.tree[:12]}")


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("receipt", help="a file, or - for standard input")
    parser.add_argument("--key", action="append", default=[], metavar="FILE",
                        help="a public key (PEM) that is trusted; may be given again")  # fmt: skip
    parser.add_argument("--repository", default=".", metavar="DIR", help="default: this folder")
    parser.add_argument("--commit", default="HEAD", metavar="REV", help="default: HEAD")
    parser.add_argument("--no-repository", action="store_true", help="ask git nothing")
    parser.add_argument("--kind", choices=KINDS, default="", help="demand this kind")
    parser.add_argument("--run", default="", help="demand this run")
    parser.add_argument("--goal", default="", help="demand this goal")
    parser.add_argument("--isolation", choices=ISOLATIONS, default="", help="at least this level")
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")
    return parser


def verify(envelope: bytes, keys: Sequence[bytes], wanted: argparse.Namespace) -> dict[str, Any]:
    """The answer: whether it holds, all reasons why not, and what it states."""
    told: dict[str, Any] = {}
    found: list[Refused] = []
    try:
        told = statement_of(envelope, keys)
        git = None if wanted.no_repository else Git(wanted.repository, wanted.commit)
        found = problems(told, wanted, git)
    except Refused as exc:
        found = [exc]
    return {
        "ok": not found,
        "reasons": [{"code": each.reason, "message": each.message} for each in found],
        "statement": told or None,
    }


def main(argv: Sequence[str] | None = None) -> int:
    wanted = arguments().parse_args(argv)
    if not wanted.key:
        sys.stderr.write("which key is trusted? Give --key FILE\n")
        return 2
    try:
        keys = [_read(path) for path in wanted.key]
        envelope = sys.stdin.buffer.read() if wanted.receipt == "-" else _read(wanted.receipt)
    except OSError as exc:
        sys.stderr.write(f"{exc}\n")
        return 2
    answer = verify(envelope, keys, wanted)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if wanted.json:
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        for each in answer["reasons"]:
            sys.stdout.write(f"{each['code']}: {each['message']}\n")
        sys.stdout.write("it holds\n" if answer["ok"] else "it does not hold\n")
    return 0 if answer["ok"] else 1


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(MOST_BYTES + 1)


if __name__ == "__main__":
    sys.exit(main())
