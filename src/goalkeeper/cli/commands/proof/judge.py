"""`judge`: every criterion of a goal, seen by the witness."""

from __future__ import annotations

import argparse

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.app.judging import Ruling, judge
from goalkeeper.bootstrap import App
from goalkeeper.cli import boards, options, views
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import DONE, NO, Reply, refusal
from goalkeeper.config import ISOLATIONS
from goalkeeper.core.contract.criteria import CriterionStatus
from goalkeeper.core.decide import is_at_work
from goalkeeper.core.plan import gate
from goalkeeper.core.plan.model import Refused
from goalkeeper.wiring.judging import open_judge_context


def configure(parser: Parser) -> None:
    options.goal(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--tree", metavar="TREE", help="judge this tree, not the working tree")
    which.add_argument("--commit", metavar="COMMIT", help="judge this commit")
    parser.add_argument("--no-cache", action="store_true", help="run every check anew")
    options.isolation(parser, ISOLATIONS)
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    court = open_judge_context(app, chosen, args.isolation)
    named = args.tree or args.commit
    candidate = court.witness.resolve(named) if named else None
    ruled = judge(court, args.goal_id, candidate=candidate, cached=not args.no_cache)
    if isinstance(ruled, Refused):
        return refusal(ruled).replace(warnings=tuple(chosen.warnings))
    return _answer(court, ruled).replace(warnings=tuple(chosen.warnings))


def _answer(court: JudgeContext, ruled: Ruling) -> Reply:
    goal, judgement = ruled.goal, ruled.judgement
    contract = ruled.contract
    left = boards.remaining(goal, contract, _changed(court, ruled))
    met = gate.proves(goal, judgement)
    states = {state.id: state for state in goal.criteria}
    data = {
        "ok": met,
        "goal_id": goal.id,
        "iteration": goal.iteration,
        "tree": judgement.tree,
        "isolation": judgement.isolation,
        "criteria": [
            {
                "id": c.id,
                "status": states[c.id].status,
                "verdict": c.verdict,
                "fail_count": states[c.id].fail_count,
                "reason": c.reason,
                "evidence": c.evidence,
                "cached": c.cached,
            }
            for c in judgement.criteria
        ],
        "findings": [finding.as_dict() for finding in judgement.findings],
        "decision": goal.decision,
        "verdict": "PASS" if met else "FAIL",
        "remaining": left,
    }
    plan = ruled.plan
    follow = views.passing_command(plan, goal) if met else f"goalkeeper why {goal.id}"
    if is_at_work(plan, court.actor):
        follow = "end your turn: it is proven then" if met else "go on; nothing was recorded"
    page = (boards.markdown(goal, judgement, left, met=met),)
    return Reply(data, page, DONE if met else NO, next=follow)


def _changed(court: JudgeContext, ruled: Ruling) -> dict[str, list[str] | None]:
    """For what regressed: the files that changed since it passed."""
    found: dict[str, list[str] | None] = {}
    for state in ruled.goal.criteria:
        if state.status is CriterionStatus.REGRESSED:
            paths = court.witness.changed(state.passed_tree, ruled.judgement.tree)
            found[state.id] = None if paths is None else list(paths)
    return found
