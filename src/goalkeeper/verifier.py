#!/usr/bin/env python3
"""Verify a goalkeeper receipt. This file needs nothing but Python 3.11 and `cryptography`.

    python3 verifier.py [RECEIPT] --key KEY.pub [--policy POLICY.toml] [--repository DIR]
                        [--commit REV] [--kind final] [--goal GOAL] [--isolation sandbox]

A receipt is an in-toto Statement (v1) in a DSSE envelope, signed with ed25519. It says that a
gate was passed: for which tree, by which contracts, with which verdicts, how well isolated. Of
git is asked whether the commit at hand is the one it speaks of, and where no file is named, for
the receipts in its note (refs/notes/goalkeeper, one a line), of which one must hold. Nothing
else is asked: no ledger, no network, no goalkeeper. Exit 0: it holds; 1: it does not, and every
reason is told; 2: wrong usage.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, BinaryIO, NamedTuple

STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD = "application/vnd.in-toto+json"
PREDICATE = "urn:goalkeeper:receipt:v1"
GOAL, FINAL = KINDS = ("goal", "final")
ISOLATIONS = ("none", "checkout", "sandbox")  # from weak to strong
GATES = ("standard", "strict")  # from weak to strong
INDEPENDENT, REPORTED = TRUSTS = ("independent", "reported")
NOTES = "refs/notes/goalkeeper"
TRAILER = "Goalkeeper-Receipt"
MOST_BYTES = 16 << 20
_MOST_POLICY_BYTES = 64 << 10
_MOST_NOTED = 100  # receipts of one commit
_PEM = re.compile(rb"-----BEGIN PUBLIC KEY-----.+?-----END PUBLIC KEY-----", re.DOTALL)
_SECONDS = 60
_SKEW_SECONDS = 300  # by which clocks may differ
_DAY_SECONDS = 86_400


class Refused(Exception):
    """Why a receipt does not hold, in a word and in a sentence."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


def statement_of(envelope: bytes, keys: Sequence[bytes]) -> tuple[dict[str, Any], set[str]]:
    """What the receipt states, and which of these public keys (PEM) have signed it."""
    payload, signers = signed_payload(_json(envelope, "the envelope"), keys)
    told = _json(payload, "the statement")
    _check_shape(told)
    return told, signers


def payload_of(envelope: bytes) -> bytes:
    """What is in it, whoever has signed it or not."""
    return _bytes(_json(envelope, "the envelope").get("payload"), "the payload")


def signed_payload(envelope: dict[str, Any], keys: Sequence[bytes]) -> tuple[bytes, set[str]]:
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
    return payload, {signature["keyid"] for signature in mine}


def _known(files: Sequence[bytes]) -> dict[str, bytes]:
    """By their ids; a file may hold several. What is no key trusts nobody, and is in no way."""
    found = {}
    for key in (key for file in files for key in _PEM.findall(file)):
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


Fields = Mapping[str, type]
# What each part has: these fields, of these types, and no other.
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


def _check_shape(told: dict[str, Any]) -> None:
    if told.get("_type") != STATEMENT:
        raise Refused("malformed", "it is not an in-toto Statement v1")
    if told.get("predicateType") != PREDICATE:
        raise Refused("foreign", f"it states {told.get('predicateType')!r}, not a receipt of ours")
    _check_fields(told, _STATEMENT, "the statement")
    predicate = told["predicate"]
    _check_fields(predicate, _PREDICATE, "the predicate")
    _check_fields(predicate["gate"], _GATE, "the gate")
    _check_fields(predicate["ledger"], _LEDGER, "the ledger")
    for goal in predicate["goals"]:
        _check_fields(goal, _GOAL, "a goal")
        for seen in goal["criteria"]:
            _check_fields(seen, _CRITERION, f"a criterion of {goal['id']}")
    for lane in predicate["lanes"]:
        _check_fields(lane, _LANE, "a lane")
    _check_words(predicate)
    tree_of(told)


def _check_words(predicate: dict[str, Any]) -> None:
    if predicate["kind"] not in KINDS or predicate["isolation"] not in ISOLATIONS:
        raise Refused("malformed", "its kind or isolation is not known")
    if predicate["gate"]["kind"] not in GATES:
        raise Refused("malformed", "the kind of its gate is not known")
    if not all(lane["trust"] in TRUSTS for lane in predicate["lanes"]):
        raise Refused("malformed", "the trust in a lane is not known")
    if not all(isinstance(root, str) for root in predicate["repository"]):
        raise Refused("malformed", "repository of the predicate is of another type")
    _issued_at(predicate)


def _check_fields(given: object, wanted: Fields, what: str) -> None:
    if not isinstance(given, dict):
        raise Refused("malformed", f"{what} is not an object")
    if set(given) != set(wanted):
        odd = sorted(set(given) ^ set(wanted))
        raise Refused("malformed", f"{what} has other fields: {', '.join(odd)}")
    for name, kind in wanted.items():
        if not isinstance(given[name], kind):
            raise Refused("malformed", f"{name} of {what} is of another type")


def _issued_at(predicate: dict[str, Any]) -> float:
    try:
        moment = datetime.fromisoformat(predicate["issuedAt"])
        if moment.tzinfo:
            return moment.timestamp()
    except (ValueError, OverflowError):
        pass
    raise Refused("malformed", "issuedAt of the predicate is not a time with its zone")


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


Rules = Mapping[str, Any]


def _is_list_of(value: object, fits: Callable[[str], bool]) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(each, str) and fits(each) for each in value)


def _is_key_id(text: str) -> bool:
    return len(text) == 64 and not set(text) - set("0123456789abcdef")  # noqa: PLR2004  SHA-256


def _is_days(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value < math.inf  # type: ignore[operator]


# What may stand in a policy: the name of a line, what it must be, and whether it is.
_LINES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "kind": (f"one of {', '.join(KINDS)}", lambda value: value in KINDS),
    "gate": (f"one of {', '.join(GATES)}", lambda value: value in GATES),
    "isolation": (f"one of {', '.join(ISOLATIONS)}", lambda value: value in ISOLATIONS),
    "keys": ("a list of key ids", lambda value: _is_list_of(value, _is_key_id)),
    "independent": ("a list of roles", lambda value: _is_list_of(value, bool)),
    "max_age_days": ("a number of days above 0", _is_days),
}


def rules_of(policy: bytes) -> tuple[Rules, list[Refused]]:
    """What it demands, and all that is wrong with it. One that demands nothing is a mistake."""
    try:
        if len(policy) > _MOST_POLICY_BYTES:
            raise ValueError(f"it is larger than {_MOST_POLICY_BYTES} bytes")
        given = tomllib.loads(policy.decode())
    except (ValueError, RecursionError) as exc:
        return {}, [Refused("policy-invalid", f"the policy is not TOML: {exc}")]
    wrong = [f"{name!r} is unknown" for name in given if name not in _LINES]
    wrong += [
        f"{name} must be {what}"
        for name, (what, fits) in _LINES.items()
        if name in given and not fits(given[name])
    ]
    wrong += [] if given else ["it demands nothing"]
    return given, [Refused("policy-invalid", f"in the policy {each}") for each in wrong]


class Inquiry:
    """What is asked: which keys are trusted, what is demanded, of which commit, and when."""

    def __init__(
        self, keys: Sequence[bytes], wanted: argparse.Namespace, rules: Rules, now: float
    ) -> None:
        self.keys, self.wanted, self.rules, self.now = keys, wanted, rules, now

    @cached_property
    def git(self) -> Git | None:
        without = self.wanted.no_repository or self.wanted.tree
        return None if without else Git(self.wanted.repository, self.wanted.commit)

    def demanded(self, name: str) -> list[str]:
        """By a flag, by the policy, or by both."""
        return sorted({getattr(self.wanted, name), self.rules.get(name, "")} - {""})


class Tried(NamedTuple):
    """A receipt, and all that speaks against it; what it states, if it is genuine."""

    digest: str
    told: dict[str, Any]
    against: list[Refused]


def tried(envelope: bytes, asked: Inquiry) -> Tried:
    told: dict[str, Any] = {}
    against: list[Refused] = []
    try:
        told, signers = statement_of(envelope, asked.keys)
        for found in (_unwanted(told["predicate"], signers, asked), _elsewhere(told, asked)):
            against.extend(found)
    except Refused as exc:
        against.append(exc)
    return Tried(hashlib.sha256(envelope).hexdigest(), told, against)


def _unwanted(predicate: dict[str, Any], signers: set[str], asked: Inquiry) -> Iterator[Refused]:
    wanted, ids = asked.wanted, [goal["id"] for goal in predicate["goals"]]
    yield from _unproven(predicate["goals"])
    for kind in asked.demanded("kind"):
        if predicate["kind"] != kind:
            yield Refused("other-kind", f"it is a {predicate['kind']} receipt, not a {kind} one")
    if wanted.run and predicate["run"] != wanted.run:
        yield Refused("other-run", f"it is of run {predicate['run']}, not {wanted.run}")
    if wanted.goal and wanted.goal not in ids:
        yield Refused("other-goal", f"it is about {', '.join(ids)}, not {wanted.goal}")
    for least in asked.demanded("isolation"):
        if ISOLATIONS.index(predicate["isolation"]) < ISOLATIONS.index(least):
            said = f"checks ran at level {predicate['isolation']}; {least} is asked for"
            yield Refused("isolation-too-weak", said)
    yield from _against_policy(predicate, signers, asked.rules)
    yield from _untimely(predicate, asked)


def _unproven(goals: list[dict[str, Any]]) -> Iterator[Refused]:
    bad = [
        f"{goal['id']} {seen['id']} is {seen['verdict']}"
        for goal in goals
        for seen in goal["criteria"]
        if seen["verdict"] != "passed"
    ]
    bad += [f"{goal['id']} has no criteria" for goal in goals if not goal["criteria"]]
    bad += [] if goals else ["it has no goal"]
    if bad:
        yield Refused("not-proven", "; ".join(bad))


def _against_policy(
    predicate: dict[str, Any], signers: set[str], rules: Rules
) -> Iterator[Refused]:
    gate, trusted = predicate["gate"]["kind"], rules.get("keys")
    if GATES.index(gate) < GATES.index(rules.get("gate", gate)):
        yield Refused("gate-too-weak", f"it passed a {gate} gate; {rules['gate']} is asked for")
    if trusted and not signers & set(trusted):
        yield Refused("key-not-in-policy", f"no key of the policy has signed it: {sorted(signers)}")
    for role in rules.get("independent", ()):
        seen = {g["id"]: _trusts(predicate, g["id"], role) for g in predicate["goals"]}
        weak = [name for name, trusts in seen.items() if not trusts or REPORTED in trusts]
        if weak:
            told = f"the lane {role} is missing or only reported for {', '.join(weak)}"
            yield Refused("lane-not-independent", told)


def _trusts(predicate: dict[str, Any], goal: str, role: str) -> list[str]:
    lanes = predicate["lanes"]
    return [lane["trust"] for lane in lanes if (lane["goal"], lane["role"]) == (goal, role)]


def _untimely(predicate: dict[str, Any], asked: Inquiry) -> Iterator[Refused]:
    age, days = asked.now - _issued_at(predicate), asked.rules.get("max_age_days")
    said = f"it was issued at {predicate['issuedAt']}"
    if age < -_SKEW_SECONDS:
        yield Refused("from-the-future", f"{said}, which is still to come by this clock")
    if days and age > days * _DAY_SECONDS:
        yield Refused("too-old", f"{said}; at most {days} days ago is asked for")


def _elsewhere(told: dict[str, Any], asked: Inquiry) -> Iterator[Refused]:
    tree, named = tree_of(told), asked.wanted.tree
    if asked.git:
        yield from _not_of(asked.git, told)
    elif named and named != tree:
        yield Refused("stale", f"it is of tree {tree[:12]}, not of {named[:12]}")


def _not_of(git: Git, told: dict[str, Any]) -> Iterator[Refused]:
    roots = told["predicate"]["repository"]
    # In a shallow clone the first commits are not there: the tree has to do.
    if roots and not git.is_shallow and not set(roots) & set(git.roots()):
        yield Refused("foreign", "it is of another repository: no first commit is the same")
    tree, commit = tree_of(told), commit_of(told)
    if tree == git.tree:
        return
    if commit and commit != git.commit and git.is_behind(commit):
        said = f"it is of {commit[:12]}, which {git.commit[:12]} was made from, with other files"
        yield Refused("parent-commit", said)
    else:
        said = f"it is of tree {tree[:12]}, and {git.commit[:12]} has {git.tree[:12]}"
        yield Refused("stale", said)


class Git:
    """A repository and the commit in it that a receipt is held against."""

    def __init__(self, place: str, commit: str) -> None:
        self._place = place
        self.commit = self.ask("rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
        self.tree = self.ask("rev-parse", f"{self.commit}^{{tree}}")

    def ask(self, *args: str) -> str:
        return self._output(*args).decode(errors="replace").strip()

    def _output(self, *args: str) -> bytes:
        argv = ["git", "-C", self._place, "-c", "core.fsmonitor=false", *args]
        environ = {**os.environ, "LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1"}
        try:
            done = subprocess.run(
                argv, env=environ, capture_output=True, check=False, timeout=_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise Refused("no-repository", f"git does not answer: {exc}") from exc
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            raise Refused("no-repository", said or f"git {args[0]} failed")
        return done.stdout

    @property
    def is_shallow(self) -> bool:
        return self.ask("rev-parse", "--is-shallow-repository") == "true"

    def roots(self) -> list[str]:
        return sorted(self.ask("rev-list", "--max-parents=0", self.commit).split())

    def is_behind(self, commit: str) -> bool:
        """Whether that commit is one that this one was made from."""
        try:
            self.ask("merge-base", "--is-ancestor", commit, self.commit)
        except Refused:
            return False
        return True

    def note(self) -> bytes:
        try:
            blob = self.ask("notes", "--ref", NOTES, "list", self.commit)
            size = int(self.ask("cat-file", "-s", blob))
            if size <= MOST_BYTES:
                return self._output("cat-file", "blob", blob)
        except Refused as exc:
            fetch = f"git fetch origin {NOTES}:{NOTES} brings those of others"
            said = f"{self.commit[:12]} has no note in {NOTES} ({exc.message}); {fetch}"
            raise Refused("no-note", said) from exc
        raise Refused("malformed", f"the note is larger than {MOST_BYTES} bytes")

    def named(self) -> set[str]:
        """Digests of the receipts that the message of the commit names."""
        form = f"--format=%(trailers:key={TRAILER},valueonly)"
        words = self.ask("rev-list", "--max-count=1", form, self.commit).split()
        return {w.removeprefix("sha256:") for w in words if w.startswith("sha256:")}


def noted(git: Git | None) -> list[bytes]:
    """The receipts in the note of the commit, one a line; what else stands there is tried, too."""
    if git is None:
        raise Refused("no-note", "no repository was asked for a note")
    found = [line for line in map(bytes.strip, git.note().split(b"\n")) if line]
    if not found:
        raise Refused("no-note", f"the note of {git.commit[:12]} is empty")
    if len(found) > _MOST_NOTED:
        raise Refused("malformed", f"the note has more than {_MOST_NOTED} lines")
    named = git.named()
    if named and named.isdisjoint(hashlib.sha256(line).hexdigest() for line in found):
        said = f"the commit names receipt {min(named)[:12]}, and its note has another"
        raise Refused("other-receipt", said)
    return found


def verify(
    given: bytes | None,
    keys: Sequence[bytes],
    wanted: argparse.Namespace,
    *,
    now: float,
    policy: bytes | None = None,
) -> dict[str, Any]:
    """The answer: whether it holds, all reasons why not, and what it states.

    Where none is given, one of those in the commit's note must hold.
    """
    rules, wrong = ({}, []) if policy is None else rules_of(policy)
    asked = Inquiry(keys, wanted, rules, now)
    found: list[bytes] = []
    try:
        found = [given] if given is not None else noted(asked.git)
    except Refused as exc:
        wrong = wrong or [exc]
    best = Tried("", {}, wrong) if wrong else _best([tried(each, asked) for each in found])
    return {
        "ok": not best.against,
        "reasons": [{"code": each.reason, "message": each.message} for each in best.against],
        "receipt": best.digest or None,
        "statement": best.told or None,
    }


def _best(found: list[Tried]) -> Tried:
    """Of several the first that holds; where none does, what speaks against each."""
    holding = (one for one in found if not one.against or len(found) == 1)
    against = [
        Refused(each.reason, f"{one.digest[:12]}: {each.message}")
        for one in found
        for each in one.against
    ]
    return next(holding, Tried("", {}, against))


def options(parser: argparse.ArgumentParser) -> None:
    said = "a file, or - for standard input; default: the note of the commit"
    parser.add_argument("receipt", nargs="?", default="", metavar="FILE", help=said)
    parser.add_argument("--key", action="append", default=[], metavar="FILE",
                        help="public keys (PEM) that are trusted; may be given again")  # fmt: skip
    parser.add_argument("--policy", default="", metavar="FILE", help="demands, as TOML")
    parser.add_argument("--repository", default=".", metavar="DIR", help="default: this folder")
    parser.add_argument("--commit", default="HEAD", metavar="REV", help="default: HEAD")
    parser.add_argument("--tree", default="", metavar="ID",
                        help="hold it against this tree, and ask git nothing")  # fmt: skip
    parser.add_argument("--no-repository", action="store_true", help="ask git nothing")
    parser.add_argument("--kind", choices=KINDS, default="", help="demand this kind")
    parser.add_argument("--run", default="", help="demand this run")
    parser.add_argument("--goal", default="", help="demand this goal")
    parser.add_argument("--isolation", choices=ISOLATIONS, default="", help="at least this level")
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")


class Unusable(Exception):
    """What was asked cannot be answered."""


def answered(wanted: argparse.Namespace, stdin: BinaryIO) -> dict[str, Any]:
    """The answer to what the command line asks. Raises Unusable."""
    if not wanted.key:
        raise Unusable("which key is trusted? Give --key FILE")
    if not wanted.receipt and (wanted.tree or wanted.no_repository):
        raise Unusable("where git is asked nothing there is no note: name the file of a receipt")
    try:
        keys = [_read(path) for path in wanted.key]
        policy = _read(wanted.policy) if wanted.policy else None
        given = None
        if wanted.receipt:
            given = stdin.read(MOST_BYTES + 1) if wanted.receipt == "-" else _read(wanted.receipt)
    except OSError as exc:
        raise Unusable(str(exc)) from exc
    return verify(given, keys, wanted, now=time.time(), policy=policy)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(MOST_BYTES + 1)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    options(parser)
    wanted = parser.parse_args(argv)
    try:
        answer = answered(wanted, sys.stdin.buffer)
    except Unusable as exc:
        sys.stderr.write(f"{exc}\n")
        return 2
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if wanted.json:
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        lines = [f"{each['code']}: {each['message']}" for each in answer["reasons"]]
        lines.append("it holds" if answer["ok"] else "it does not hold")
        sys.stdout.writelines(f"{_shown(line)}\n" for line in lines)
    return 0 if answer["ok"] else 1


def _shown(text: str) -> str:
    """On a terminal, without what would move its cursor."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


if __name__ == "__main__":
    sys.exit(main())
