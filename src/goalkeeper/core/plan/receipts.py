"""What a receipt states: which tree passed which gate, by which contract, and how it was seen.

An in-toto Statement (v1). The words are those of `verifier.py`, which reads them without us.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.judgement import ISOLATIONS, Judgement
from goalkeeper.core.draft.model import Standing
from goalkeeper.core.plan.model import (
    EXAMINER,
    STANDARD,
    UNKNOWN,
    Goal,
    GoalStatus,
    Issued,
    Plan,
    name_author,
)
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.value import Value

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:goalkeeper:receipt:v1"
GOAL, FINAL = "goal", "final"
AGENT_LEG = "agent-leg"  # the agent's part holds, and the user's is still open


class Proven(Value):
    """A goal with the contract it was frozen with, and what was seen of it on the tree."""

    goal: Goal
    contract: Contract
    judgement: Judgement
    session: str = ""  # the session of a campaign that it belongs to

    @property
    def name(self) -> str:
        return f"{self.session}/{self.goal.id}" if self.session else self.goal.id


class Circumstances(Value):
    """What else a receipt states."""

    roots: tuple[str, ...]  # the first commits of the repository
    commit: str  # the commit that has the tree; empty if it was not committed
    head: str  # the digest of the ledger's last line
    seq: int
    version: str  # the version of goalkeeper
    at: str
    previous: str  # the digest of the receipt before


def make_statement(
    kind: str, run_id: str, parts: Sequence[tuple[Plan, Proven]], told: Circumstances
) -> dict[str, Any]:
    """Make the statement about goals that were proven on one tree, each with its plan."""
    tree = parts[0][1].judgement.tree
    subjects = [{"name": "tree", "digest": {"gitTree": tree}}]
    if told.commit:
        subjects.append({"name": "commit", "digest": {"gitCommit": told.commit}})
    return {
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": PREDICATE,
        "predicate": _make_predicate(kind, run_id, parts, told),
    }


def _make_predicate(
    kind: str, run_id: str, parts: Sequence[tuple[Plan, Proven]], told: Circumstances
) -> dict[str, Any]:
    proven = [each for _, each in parts]
    authors = {plan.author or UNKNOWN for plan, _ in parts}
    gates = {plan.gate or STANDARD for plan, _ in parts}
    gate = gates.pop() if len(gates) == 1 else STANDARD
    weakest = min((each.judgement.isolation for each in proven), key=ISOLATIONS.index)
    conditions = sorted({said for each in proven for said in each.judgement.conditions})
    goals = [_describe_goal(plan, each) for plan, each in parts]
    reviewed = [(each.name, each.goal.quality) for each in proven if each.goal.quality]
    lanes = [{"goal": goal, **v.as_dict()} for goal, quality in reviewed for v in quality.lanes]
    kept = [quality.digest for _, quality in reviewed]
    frozen = [each.goal.frozen for each in proven if each.goal.frozen]
    tools = sorted({tool for each in frozen for tool in each.tools})
    return {
        "kind": kind,
        "run": run_id,
        "author": authors.pop() if len(authors) == 1 else UNKNOWN,
        "goals": goals,
        "repository": list(told.roots),
        "gate": {"kind": gate, "digest": digest([goals, lanes, *kept])},
        "ledger": {"head": told.head, "seq": told.seq},
        "isolation": weakest,
        **({"conditions": conditions} if conditions else {}),
        "lanes": lanes,
        "tools": tools,
        "goalkeeper": told.version,
        "issuedAt": told.at,
        "previous": told.previous,
    }


def _describe_goal(plan: Plan, proven: Proven) -> dict[str, Any]:
    texts = {criterion.id: criterion.text for criterion in proven.contract.criteria}
    passed = {seen.id for seen in proven.judgement.criteria if seen.verdict is Verdict.PASSED}
    left = {a.criterion: list(a.left_to_user) for a in proven.goal.answers if a.criterion in passed}
    return {
        "id": proven.name,
        "title": proven.goal.title,
        "contract": proven.judgement.contract,
        "contractBy": name_author(plan, proven.goal),
        **_describe_draft(proven.goal),
        **_describe_let_stand(proven.goal),
        "criteria": [
            {
                "id": seen.id,
                "text": texts.get(seen.id, ""),
                "verdict": AGENT_LEG if left.get(seen.id) else str(seen.verdict),
                "evidence": seen.evidence,
                **({"tree": seen.tree} if seen.tree else {}),
                **({"leftToUser": left[seen.id]} if left.get(seen.id) else {}),
            }
            for seen in proven.judgement.criteria
        ],
    }


def _describe_let_stand(goal: Goal) -> dict[str, Any]:
    """Name the findings that somebody let stand; nothing if there are none."""
    found = [
        {
            "rule": each.rule, "level": each.level, "path": each.path, "line": each.line,
            "message": each.message, "by": each.stands_by, "reason": each.stands,
        }
        for each in goal.let_stand
    ]  # fmt: skip
    return {"letStand": found} if found else {}


def _describe_draft(goal: Goal) -> dict[str, Any]:
    """Say how the contract was drafted and tried, and who accepted it; nothing if it was not."""
    draft = goal.draft
    if draft is None or goal.frozen is None or goal.frozen.author != EXAMINER:
        return {}
    asked = [e for e in goal.examiners if e.round == draft.round and e.answer]
    counted = draft.list_tests(Standing.BINDING)
    return {
        "draft": {
            "examiners": [
                {"agent": e.agent, "model": e.model, "prompt": e.prompt, "answer": e.answer}
                for e in asked
            ],
            "tests": len(counted),
            "heldOut": sum(test.held_out for test in counted),
            "leftOut": len(draft.tests) - len(counted),
            "faults": draft.faults,
            "faultsNoticed": draft.killed,
            "acceptedBy": draft.accepted_by,
        }
    }


def format_trailers(goal_ids: Sequence[str], digest: str) -> str:
    """Format lines for a commit's message: its goals, and the receipt that says so."""
    goals = "".join(f"Goal: {goal_id}\n" for goal_id in goal_ids)
    return goals + (f"Goalkeeper-Receipt: sha256:{digest}\n" if digest else "")


def find_fresh(plan: Plan, kind: str, goal_id: str = "") -> Issued | None:
    """Find the last receipt of a goal or of the whole, if it still speaks of the plan as it is."""
    found = [i for i in plan.receipts if (i.kind, i.goal_id) == (kind, goal_id)]
    return found[-1] if found and not why_outdated(plan, found[-1]) else None


def why_outdated(plan: Plan, issued: Issued) -> str:
    """Say why a receipt no longer speaks of the plan as it is; empty while it does.

    Work on other goals, notes and refusals make no receipt stale. The plan's revision grows with
    every change of its goals and of their contracts.
    """
    if issued.kind == FINAL:
        if plan.revision - plan.raised_by_cycles != issued.revision:
            return f"the plan changed since (revision {issued.revision}, now {plan.revision})"
        return "" if plan.is_complete else "goals were reopened since"
    goal = plan.find_goal(issued.goal_id)
    if goal is None or goal.status is not GoalStatus.COMPLETE:
        return f"{issued.goal_id} is no longer complete"
    contract = goal.frozen.digest if goal.frozen else ""
    if contract != issued.contract:
        return f"the contract of {issued.goal_id} is another now"
    is_same = goal.proven is not None and goal.proven.tree == issued.tree
    return "" if is_same else f"{issued.goal_id} was proven again, on another tree"
