"""Finds all that speaks against a receipt, also by what those who verify it demand."""

from __future__ import annotations

import argparse
import hashlib
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from goalkeeper.verifier.envelope import read_statement
from goalkeeper.verifier.repository import GitCommit, read_noted
from goalkeeper.verifier.statement import (
    AGENT_LEG,
    ANSWERERS,
    AUTHORS,
    GATES,
    INDEPENDENT,
    ISOLATIONS,
    KINDS,
    REPORTED,
    ReceiptRefused,
    commit_of,
    read_issue_time,
    tree_of,
)

_MOST_POLICY_BYTES = 64 << 10
_SKEW_SECONDS = 300  # clocks may differ by so much
_DAY_SECONDS = 86_400
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


# A policy may have these lines: a name, what the value must be, and a test of it.
POLICY_LINES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "kind": (f"one of {', '.join(KINDS)}", lambda value: value in KINDS),
    "gate": (f"one of {', '.join(GATES)}", lambda value: value in GATES),
    "isolation": (f"one of {', '.join(ISOLATIONS)}", lambda value: value in ISOLATIONS),
    "keys": ("a list of key ids", lambda value: _is_list_of(value, _is_key_id)),
    "contract_by": (
        f"a list of {', '.join(AUTHORS)}",
        lambda value: _is_list_of(value, AUTHORS.__contains__),
    ),
    "let_stand_by": (
        f"a list of {', '.join(ANSWERERS)}, or empty",
        lambda value: value == [] or _is_list_of(value, ANSWERERS.__contains__),
    ),
    "independent": ("a list of roles", lambda value: _is_list_of(value, bool)),
    "max_age_days": ("a number of days above 0", _is_days),
}


def parse_policy(policy: bytes) -> tuple[Rules, list[ReceiptRefused]]:
    """Return what it demands, and all that is wrong with it. To demand nothing is a mistake."""
    try:
        if len(policy) > _MOST_POLICY_BYTES:
            raise ValueError(f"it is larger than {_MOST_POLICY_BYTES} bytes")
        given = tomllib.loads(policy.decode())
    except (ValueError, RecursionError) as exc:
        return {}, [ReceiptRefused("policy-invalid", f"the policy is not TOML: {exc}")]
    wrong = [f"{name!r} is unknown" for name in given if name not in POLICY_LINES]
    wrong += [
        f"{name} must be {what}"
        for name, (what, fits) in POLICY_LINES.items()
        if name in given and not fits(given[name])
    ]
    wrong += [] if given else ["it demands nothing"]
    return given, [ReceiptRefused("policy-invalid", f"in the policy {each}") for each in wrong]


class Inquiry:
    """What is asked: which keys are trusted, what is demanded, of which commit, and when."""

    def __init__(
        self, keys: Sequence[bytes], wanted: argparse.Namespace, rules: Rules, now: float
    ) -> None:
        self.keys, self.wanted, self.rules, self.now = keys, wanted, rules, now

    @cached_property
    def git(self) -> GitCommit | None:
        without = self.wanted.no_repository or self.wanted.tree
        return None if without else GitCommit(self.wanted.repository, self.wanted.commit)

    def find_demands(self, name: str) -> list[str]:
        """Return what is demanded by a flag, by the policy, or by both."""
        return sorted({getattr(self.wanted, name), self.rules.get(name, "")} - {""})


class ReceiptExamination(NamedTuple):
    """A receipt, all that speaks against it, and what it states if it is genuine."""

    digest: str
    told: dict[str, Any]
    against: list[ReceiptRefused]


def examine_receipt(envelope: bytes, asked: Inquiry) -> ReceiptExamination:
    told: dict[str, Any] = {}
    against: list[ReceiptRefused] = []
    try:
        told, signers = read_statement(envelope, asked.keys)
        against.extend(_object_to_predicate(told["predicate"], signers, asked))
        against.extend(_object_to_place(told, asked))
    except ReceiptRefused as exc:
        against.append(exc)
    return ReceiptExamination(hashlib.sha256(envelope).hexdigest(), told, against)


def _object_to_predicate(
    predicate: dict[str, Any], signers: set[str], asked: Inquiry
) -> Iterator[ReceiptRefused]:
    wanted, ids = asked.wanted, [goal["id"] for goal in predicate["goals"]]
    yield from _object_to_verdicts(predicate["goals"])
    for kind in asked.find_demands("kind"):
        if predicate["kind"] != kind:
            yield ReceiptRefused(
                "other-kind", f"it is a {predicate['kind']} receipt, not a {kind} one"
            )
    if wanted.run and predicate["run"] != wanted.run:
        yield ReceiptRefused("other-run", f"it is of run {predicate['run']}, not {wanted.run}")
    if wanted.goal and wanted.goal not in ids:
        yield ReceiptRefused("other-goal", f"it is about {', '.join(ids)}, not {wanted.goal}")
    for least in asked.find_demands("isolation"):
        if ISOLATIONS.index(predicate["isolation"]) < ISOLATIONS.index(least):
            said = f"checks ran at level {predicate['isolation']}; {least} is asked for"
            yield ReceiptRefused("isolation-too-weak", said)
    yield from _object_by_policy(predicate, signers, asked.rules)
    yield from _object_to_time(predicate, asked)


def _object_to_verdicts(goals: list[dict[str, Any]]) -> Iterator[ReceiptRefused]:
    bad = [
        f"{goal['id']} {seen['id']} is {seen['verdict']}"
        for goal in goals
        for seen in goal["criteria"]
        if seen["verdict"] != (AGENT_LEG if seen.get("leftToUser") else "passed")
    ]
    bad += [f"{goal['id']} has no criteria" for goal in goals if not goal["criteria"]]
    bad += [] if goals else ["it has no goal"]
    if bad:
        yield ReceiptRefused("not-proven", "; ".join(bad))


def _object_by_policy(
    predicate: dict[str, Any], signers: set[str], rules: Rules
) -> Iterator[ReceiptRefused]:
    gate, trusted = predicate["gate"]["kind"], rules.get("keys")
    if GATES.index(gate) < GATES.index(rules.get("gate", gate)):
        yield ReceiptRefused(
            "gate-too-weak", f"it passed a {gate} gate; {rules['gate']} is asked for"
        )
    if trusted and not signers & set(trusted):
        yield ReceiptRefused(
            "key-not-in-policy", f"no key of the policy has signed it: {sorted(signers)}"
        )
    wanted = rules.get("contract_by", AUTHORS)
    authors = {goal["id"]: goal.get("contractBy", AUTHORS[-1]) for goal in predicate["goals"]}
    others = [f"{name} is by: {by}" for name, by in authors.items() if by not in wanted]
    if others and "contract_by" in rules:
        told = f"the contract of {', '.join(others)}; {' or '.join(wanted)} is asked for"
        yield ReceiptRefused("contract-by-another", told)
    heard = rules.get("let_stand_by", ANSWERERS)
    standing = [(goal["id"], each) for goal in predicate["goals"] for each in _list_stands(goal)]
    odd = [f"{name} {each['rule']} by {each['by']}" for name, each in standing
           if each["by"] not in heard]  # fmt: skip
    if odd:
        told = f"{', '.join(odd)} let stand; only {' or '.join(heard) or 'nobody'} may"
        yield ReceiptRefused("let-stand-by-another", told)
    for role in rules.get("independent", ()):
        lanes = [lane for lane in predicate["lanes"] if lane["role"] == role]
        heard = {(lane["goal"], lane["trust"]) for lane in lanes}
        ids = [goal["id"] for goal in predicate["goals"]]
        weak = [n for n in ids if (n, INDEPENDENT) not in heard or (n, REPORTED) in heard]
        if weak:
            told = f"the lane {role} is missing or only reported for {', '.join(weak)}"
            yield ReceiptRefused("lane-not-independent", told)


def _list_stands(goal: dict[str, Any]) -> list[dict[str, Any]]:
    return list(goal.get("letStand", ()))


def _object_to_time(predicate: dict[str, Any], asked: Inquiry) -> Iterator[ReceiptRefused]:
    age, days = asked.now - read_issue_time(predicate), asked.rules.get("max_age_days")
    said = f"it was issued at {predicate['issuedAt']}"
    if age < -_SKEW_SECONDS:
        yield ReceiptRefused("from-the-future", f"{said}, which is still to come by this clock")
    if days and age > days * _DAY_SECONDS:
        yield ReceiptRefused("too-old", f"{said}; at most {days} days ago is asked for")


def _object_to_place(told: dict[str, Any], asked: Inquiry) -> Iterator[ReceiptRefused]:
    git, tree, commit = asked.git, tree_of(told), commit_of(told)
    if git is None:
        if asked.wanted.tree not in {"", tree}:
            said = f"it is of tree {tree[:12]}, not of {asked.wanted.tree[:12]}"
            yield ReceiptRefused("stale", said)
        return
    roots = told["predicate"]["repository"]
    # A shallow clone does not have the first commits, so the tree must be enough.
    if roots and not git.is_shallow and not set(roots) & set(git.find_roots()):
        yield ReceiptRefused("foreign", "it is of another repository: no first commit is the same")
    if tree == git.tree:
        return
    if commit and commit != git.commit and git.is_behind(commit):
        said = f"it is of {commit[:12]}, which {git.commit[:12]} was made from, with other files"
        yield ReceiptRefused("parent-commit", said)
    else:
        said = f"it is of tree {tree[:12]}, and {git.commit[:12]} has {git.tree[:12]}"
        yield ReceiptRefused("stale", said)


def verify_receipt(
    given: bytes | None,
    keys: Sequence[bytes],
    wanted: argparse.Namespace,
    *,
    now: float,
    policy: bytes | None = None,
) -> dict[str, Any]:
    """Return whether it holds, all reasons why not, and what it states.

    If no receipt is given, one of those in the commit's note must hold.
    """
    rules, wrong = ({}, []) if policy is None else parse_policy(policy)
    asked = Inquiry(keys, wanted, rules, now)
    found: list[bytes] = []
    try:
        found = [given] if given is not None else read_noted(asked.git)
    except ReceiptRefused as exc:
        wrong = wrong or [exc]
    best = (
        ReceiptExamination("", {}, wrong)
        if wrong
        else _choose_best([examine_receipt(each, asked) for each in found])
    )
    return {
        "ok": not best.against,
        "reasons": [{"code": each.reason, "message": each.message} for each in best.against],
        "receipt": best.digest or None,
        "statement": best.told or None,
        "left_to_user": _list_left(best.told),
        "let_stand": _describe_stands(best.told),
    }


def _list_left(told: dict[str, Any]) -> list[str]:
    """List what is still open for the user, by goal and criterion."""
    return [
        f"{goal['id']} {seen['id']}: {left}"
        for goal in (told["predicate"]["goals"] if told else ())
        for seen in goal["criteria"]
        for left in seen.get("leftToUser", ())
    ]


def _describe_stands(told: dict[str, Any]) -> list[str]:
    """List findings that somebody let stand, by goal, with who did and why."""
    return [
        f"{goal['id']} {each['rule']} {each['path']}: {each['message']}; by {each['by']}: "
        f"{each['reason']}"
        for goal in (told["predicate"]["goals"] if told else ())
        for each in _list_stands(goal)
    ]


def _choose_best(found: list[ReceiptExamination]) -> ReceiptExamination:
    """Return the first that holds; if none does, what speaks against each."""
    holding = (one for one in found if not one.against or len(found) == 1)
    against = [
        ReceiptRefused(each.reason, f"{one.digest[:12]}: {each.message}")
        for one in found
        for each in one.against
    ]
    return next(holding, ReceiptExamination("", {}, against))
