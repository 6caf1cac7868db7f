"""Reading back what verification wrote: events, and what goals.json keeps of them."""

from __future__ import annotations

from collections.abc import Callable

from goalkeeper.core.contract.judgement import read_judgement
from goalkeeper.core.decode import Fields
from goalkeeper.core.plan import answer_events as happened
from goalkeeper.core.plan import events
from goalkeeper.core.plan.model import Answered, StepPassed, Streak


def streak(f: Fields) -> Streak:
    return Streak(
        f.text("last_at", ""), f.number("current", 0), f.number("longest", 0),
        f.number("count", 0), f.text("window", ""), f.text("contract", ""), f.texts("cycles"),
        f.text("anomaly", ""),
    )  # fmt: skip


def step(f: Fields) -> StepPassed:
    return StepPassed(f.text("step", ""), f.text("inputs", ""), f.text("note", ""))


def answer(f: Fields) -> Answered:
    return Answered(
        f.text("criterion", ""), f.text("tree", ""), f.text("contract", ""), f.text("reason", ""),
        f.text("answers", ""),
    )  # fmt: skip


def _answered(f: Fields) -> happened.QuestionsAnswered:
    return happened.QuestionsAnswered(
        f.text("goal_id"), f.texts("criteria"), f.text("tree", ""), f.text("contract", ""),
        f.text("reason", ""), f.text("answers", ""), f.texts("overrides"),
    )  # fmt: skip


def _cycle(f: Fields) -> happened.CycleAchieved:
    seen = read_judgement(f.inner("judgement")) if f.has("judgement") else None
    return happened.CycleAchieved(
        f.text("goal_id"), f.text("cycle", ""), f.text("evidence", ""), f.text("gate", ""), seen
    )


READERS: dict[str, tuple[type[events.Event], Callable[[Fields], events.Event]]] = {
    "step_verified": (
        happened.StepVerified,
        lambda f: happened.StepVerified(
            f.text("goal_id"), f.text("step", ""), f.text("inputs", ""), f.text("note", "")
        ),
    ),
    "questions_answered": (happened.QuestionsAnswered, _answered),
    "abbreviation_refused": (
        happened.AbbreviationRefused,
        lambda f: happened.AbbreviationRefused(
            f.text("goal_id"), f.text("step", ""), f.text("condition", ""), f.text("reason", "")
        ),
    ),
    "hypothesis_expired": (
        happened.HypothesisExpired,
        lambda f: happened.HypothesisExpired(f.text("goal_id"), f.text("evidence", "")),
    ),
    "cycle_achieved": (happened.CycleAchieved, _cycle),
}
