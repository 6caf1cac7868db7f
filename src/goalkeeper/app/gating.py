"""The strict gate asks what reviewers say of one tree, and what their artifacts really show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from goalkeeper.app.contracts import JudgeContext, find_frozen
from goalkeeper.app.evidence_lookup import read_named_files
from goalkeeper.app.judging import make_trial
from goalkeeper.core.answers import scanning
from goalkeeper.core.answers.scanning import WrittenText
from goalkeeper.core.plan.gate import suggest_lanes
from goalkeeper.core.plan.model import Base, Goal
from goalkeeper.core.review.assessed import Diagnostic, Quality, Voice
from goalkeeper.core.review.lane import (
    INDEPENDENT,
    NEEDED,
    REPORTED,
    Lane,
    LaneRole,
    LaneWord,
    find_standing,
)
from goalkeeper.core.review.lane_answers import SECTION_OF, LaneAnswer, read_answer
from goalkeeper.core.review.reading import find_missing_cleaner, read_gate
from goalkeeper.core.review.shape import SECTIONS
from goalkeeper.core.review.words import IN_WORKTREE, About, Artifact, Proved, Shelf
from goalkeeper.wire.value import Value

Document = Mapping[str, Any]


class HandedIn(Value):
    """What a lane handed in about a goal on one tree, and where its artifacts lie."""

    role: LaneRole
    goal: Goal
    candidate: Base
    raw: Document
    shelf: Shelf


ReadLane: TypeAlias = Callable[[HandedIn], tuple[LaneAnswer, str]]  # and the digest of what is kept


class Assessment(Value):
    """Holds what a gate comes to, and the document that is kept when it opens."""

    quality: Quality
    document: Document


class Assessor:
    """Assesses one goal on one tree."""

    def __init__(self, context: JudgeContext, goal: Goal, candidate: Base) -> None:
        self._context = context
        self._goal = goal
        self._candidate = candidate
        self._plan = context.run.read()
        self._contract = goal.frozen.digest if goal.frozen else ""
        self._lanes = find_standing(goal.lanes, candidate.tree, self._contract)

    def assess(self, given: Document, said: str = "") -> Assessment:
        """Find everything that is in the way at once, and write nothing.

        `given` is the worker's quality gate, and `said` are its words about the goal.
        """
        read = read_gate(given, self._describe_subject(self._find_reported_sections()))
        proved = self._prove_artifacts(read.artifacts)
        heard = [found for lane in self._lanes.values() for found in self._hear_objections(lane)]
        found = [
            *read.diagnostics,
            *(() if LaneRole.CLEANER in self._lanes else find_missing_cleaner(given)),
            *_gather_diagnostics(proved),
            *heard,
            *self._check_claims(given, said),
        ]
        others = [role for role in self._lanes if role not in NEEDED]
        spoke = [role for role in NEEDED if role in self._lanes or role in SECTION_OF]
        voices = tuple(self._make_voice(role) for role in (*spoke, *others))
        quality = Quality(self._candidate.tree, "", voices, tuple(found))
        return Assessment(quality, self._make_document(given, proved))

    def read_lane(self, role: LaneRole, raw: Document, shelf: Shelf) -> tuple[LaneAnswer, Document]:
        about = self._describe_subject(frozenset())
        return weigh_answer(role, raw, about, lambda shown: self._prove_artifacts(shown, shelf))

    def _describe_subject(self, reported: frozenset[str]) -> About:
        criteria = tuple(state.id for state in self._goal.criteria)
        receipts = tuple(issued.digest for issued in self._plan.receipts)
        return About(self._goal.id, criteria, reported, receipts)

    def _find_reported_sections(self) -> frozenset[str]:
        """Find the sections that our own lanes have given, if they are clear."""
        clear = {role for role, lane in self._lanes.items() if lane.word is LaneWord.CLEAR}
        reported = {name for role, name in SECTION_OF.items() if role in clear}
        if clear >= set(NEEDED):  # all looked at this tree, and the witness runs all checks anew
            reported.add("iteration")
        return frozenset(reported)

    def _make_document(self, given: Document, proved: Sequence[Proved]) -> Document:
        return {
            "goal": self._goal.id,
            "tree": self._candidate.tree,
            "contract": self._contract,
            "gate": dict(given),
            "artifacts": {each.id: each.digest for each in proved if each.digest},
            "lanes": {role.value: lane.answer for role, lane in sorted(self._lanes.items())},
        }

    def _prove_artifacts(
        self, artifacts: Sequence[Artifact], shelf: Shelf = IN_WORKTREE
    ) -> tuple[Proved, ...]:
        if not artifacts:
            return ()
        asked = find_frozen(self._plan, self._goal)
        if asked is None:
            raise LookupError(self._goal.id)
        trial = make_trial(self._context, asked, self._candidate, cached=False, final=False)
        return self._context.witness.check_artifacts(trial, self._candidate, artifacts, shelf)

    def _diagnose_lane(self, role: LaneRole, code: str, said: str, first: str = "") -> Diagnostic:
        again = suggest_lanes(self._plan, self._goal.id, role)
        return Diagnostic(f"lanes.{role}", code, said, first + again)

    def _hear_objections(self, lane: Lane) -> list[Diagnostic]:
        """Say what a lane objects to, and whether the lane's answer is still what it was."""
        if lane.word is LaneWord.OBJECTS:
            said = "; ".join(lane.objections[:3]) or "it objects"
            return [self._diagnose_lane(lane.role, "lane-objects", said, "settle it, then ")]
        kept = self._context.witness.read_kept(lane.answer) or {}
        raw = kept.get("answer")
        read = read_answer(lane.role, raw, self._describe_subject(frozenset())) if raw else None
        if read is None or read.word is not lane.word:
            return [
                self._diagnose_lane(lane.role, "lane-lost", "its answer is not where it was kept")
            ]
        shelf = Shelf(lane.folder, lane.trust == INDEPENDENT)
        proved = self._prove_artifacts(read.artifacts, shelf)
        found = _gather_diagnostics(proved)
        changed = [each.id for each in proved if kept["artifacts"].get(each.id) != each.digest]
        if changed:
            said = f"artifacts changed after they were recorded: {', '.join(changed)}"
            found.append(self._diagnose_lane(lane.role, "artifact-changed", said))
        return found

    def _check_claims(self, given: Document, said: str) -> list[Diagnostic]:
        """Read what the worker says in its own words, too."""
        texts = [WrittenText(path, text) for path, text in _find_texts(given, said) if text]
        files = self._context.witness.open_tree(self._candidate.tree)
        read = read_named_files(files, set(files.list_paths()), scanning.files_in(texts))
        return [found for text in texts for found in scanning.in_passing(text, read)]

    def _make_voice(self, role: LaneRole) -> Voice:
        lane = self._lanes.get(role)
        if lane is None:
            return Voice(role.value, REPORTED, tree=self._candidate.tree)
        process = lane.process
        return Voice(
            role.value, lane.trust, process.client, process.session, process.model, lane.tree,
            process.out, lane.answer,
        )  # fmt: skip


def weigh_answer(
    role: LaneRole,
    raw: Document,
    about: About,
    prove: Callable[[Sequence[Artifact]], tuple[Proved, ...]],
) -> tuple[LaneAnswer, Document]:
    """Read a lane's answer, look at its artifacts, and make the document to keep of it."""
    answer = read_answer(role, raw, about)
    proved = prove(answer.artifacts)
    unshown = _gather_diagnostics(proved)
    if unshown:
        found = (*answer.diagnostics, *unshown)
        answer = answer.replace(word=LaneWord.UNUSABLE, diagnostics=found)
    return answer, {"answer": dict(raw), "artifacts": {p.id: p.digest for p in proved}}


def read_plan_lane(context: JudgeContext, given: HandedIn) -> tuple[LaneAnswer, str]:
    """Read what a lane answers about a goal of a plan; return the digest of what is kept, too."""
    assessor = Assessor(context, given.goal, given.candidate)
    answer, document = assessor.read_lane(given.role, given.raw, given.shelf)
    return answer, context.witness.keep_document(document)


def _find_texts(given: Document, said: str) -> Iterator[tuple[str, str]]:
    yield "--evidence", said
    for name in SECTIONS:
        section = given.get(name)
        text = section.get("evidence") if isinstance(section, Mapping) else ""
        yield f"{name}.evidence", text if isinstance(text, str) else ""


def _gather_diagnostics(proved: Sequence[Proved]) -> list[Diagnostic]:
    return [diagnostic for each in proved for diagnostic in each.diagnostics]
