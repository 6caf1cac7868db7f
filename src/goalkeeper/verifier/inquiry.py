"""All that speaks against a receipt."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from goalkeeper.verifier.envelope import statement_of
from goalkeeper.verifier.policy import Rules, rules_of
from goalkeeper.verifier.repository import Git, noted
from goalkeeper.verifier.statement import (
    GATES,
    ISOLATIONS,
    REPORTED,
    Refused,
    commit_of,
    read_issue_time,
    tree_of,
)

_SKEW_SECONDS = 300  # by which clocks may differ
_DAY_SECONDS = 86_400


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
    age, days = asked.now - read_issue_time(predicate), asked.rules.get("max_age_days")
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
