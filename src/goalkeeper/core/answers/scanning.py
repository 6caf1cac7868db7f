"""All that is said in answers is read for hedges, form and claims."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from goalkeeper.core.answers.document import Answers
from goalkeeper.core.claims.evidence import (
    Contained,
    Evidence,
    Health,
    Override,
    Probe,
    Read,
    Search,
    Signal,
    Unsupported,
    find_unsupported,
)
from goalkeeper.core.claims.flaws import Flaw, find_bare_assertions, find_hedges
from goalkeeper.core.claims.reading import Claim, ClaimClass
from goalkeeper.core.claims.scan import find_claims
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.wire.value import Value

MOST_TOLD = 50  # so many problems of each text are told
_KINDS = {
    Search: ClaimClass.ABSENCE,
    Signal: ClaimClass.INFRASTRUCTURE,
    Health: ClaimClass.INFRASTRUCTURE,
    Probe: ClaimClass.ZERO_COUNT,
}
_SHOWN = 300  # so many characters of a sentence are shown


class WrittenText(Value):
    """A text that stands at `path` in the answers."""

    path: str
    text: str
    # It reports what was seen, so it must have no hedges and a reason for each sentence.
    asserts: bool = False


class Scanned(Value):
    diagnostics: tuple[Diagnostic, ...]
    overridden: tuple[str, ...]  # claims that stand only because of an override, and its reason


def list_texts(answers: Answers) -> tuple[WrittenText, ...]:
    """Return everything somebody wrote, but for evidence and reasons to override."""
    q1, q2, q3 = answers.q1, answers.q2, answers.q3
    found = [
        WrittenText("q1.claim", q1.claim if q1 else "", asserts=True),
        *(
            WrittenText(f"q1_5.items[{number}].question", item.question)
            for number, item in enumerate(answers.q1_5 or ())
        ),
        WrittenText("q2.failure_mode", q2.failure_mode if q2 else ""),
        WrittenText("q2.finding", q2.finding if q2 else "", asserts=True),
        WrittenText("q3.claim", q3.claim if q3 else "", asserts=True),
        *(
            WrittenText(f"agent_leg[{number}].claim", leg.claim, asserts=True)
            for number, leg in enumerate(answers.agent_leg)
        ),
        WrittenText("result", answers.result, asserts=True),
        WrittenText("summary", answers.summary),
    ]
    return tuple(said.replace(path=f"answers.{said.path}") for said in found if said.text)


def list_probed_fields(answers: Answers) -> tuple[tuple[str, str], ...]:
    """Return files with the fields whose absence or zero is claimed."""
    asked = [
        (path, claim.field)
        for said in list_texts(answers)
        for claim in _read_claims(said.text)
        if claim.kind is ClaimClass.ZERO_COUNT and claim.field
        for path in claim.files
    ]
    asked += [
        (given.fields["path"], given.fields["field"])
        for given in answers.evidence
        if given.kind == "probe"
    ]
    return tuple(dict.fromkeys(asked))


def list_contents(answers: Answers) -> tuple[tuple[str, str], ...]:
    """Return files with the texts that they are said to contain."""
    claims = [claim for said in list_texts(answers) for claim in _read_claims(said.text)]
    return tuple(
        dict.fromkeys(
            (path, text) for each in claims for path in each.files for text in each.contents
        )
    )


def list_used(answers: Answers, evidence: Sequence[Evidence]) -> dict[str, tuple[Evidence, ...]]:
    """Return for each part of the answers the evidence that its claims depend on."""
    used: dict[str, tuple[Evidence, ...]] = {}
    for said in list_texts(answers):
        claims = _read_claims(said.text)
        part = re.split(r"[.\[]", said.path.removeprefix("answers."), maxsplit=1)[0]
        own = (each for each in evidence if any(_concerns(each, claim) for claim in claims))
        used[part] = (*used.get(part, ()), *own)
    return used


def _concerns(evidence: Evidence, claim: Claim) -> bool:
    if isinstance(evidence, Read | Contained):
        return any(
            f"/{evidence.path}".endswith(f"/{path.removeprefix('./')}") for path in claim.files
        )
    return claim.kind is _KINDS[type(evidence)]


@lru_cache(maxsize=64)  # it is read to find what to look at, and again to judge it
def _read_claims(text: str) -> tuple[Claim, ...]:
    return find_claims(text)


def scan_answers(
    answers: Answers, evidence: tuple[Evidence, ...], *, may_override: bool
) -> Scanned:
    """An override lets a claim stand without its evidence; that is for a human to say."""
    given = tuple(Override(each.reason, each.claim) for each in answers.overrides)
    overrides = given if may_override else ()
    found = [_NOT_THEIRS] if given and not may_override else []
    used: list[Override] = []
    for said in list_texts(answers):
        flaws = (*find_hedges(said.text), *find_bare_assertions(said.text)) if said.asserts else ()
        bare, needed = find_unsupported(_read_claims(said.text), evidence, overrides)
        found += _word_problems(said, (*flaws, *bare))
        used += needed
    overridden = [
        f"'{_clip_sentence(each.claim)}' ({_clip_sentence(each.reason)})" for each in used
    ]
    return Scanned(tuple(found), tuple(dict.fromkeys(overridden)))


def in_passing(said: WrittenText, read: Sequence[Read]) -> tuple[Diagnostic, ...]:
    """Read a text that is no answer for hedges, and for what it says of files that were read.

    The other claims need evidence that only answers carry (`goalkeeper verify`).
    """
    of_files = tuple(each for each in _read_claims(said.text) if each.kind is ClaimClass.FILE_STATE)
    bare, _ = find_unsupported(of_files, tuple(read))
    return tuple(_word_problems(said, (*find_hedges(said.text), *bare)))


def files_in(texts: Sequence[WrittenText]) -> tuple[str, ...]:
    """Return the files that claims of texts are about."""
    found = [path for said in texts for claim in _read_claims(said.text) for path in claim.files]
    return tuple(dict.fromkeys(found))


def _word_problems(said: WrittenText, wrong: tuple[Flaw | Unsupported, ...]) -> list[Diagnostic]:
    told = [_make_diagnostic(said, each) for each in wrong[:MOST_TOLD]]
    more = len(wrong) - MOST_TOLD
    if more > 0:
        rest = f"{more} more are not listed"
        told.append(Diagnostic(said.path, "more", rest, "mend these first"))
    return told


def _make_diagnostic(said: WrittenText, wrong: Flaw | Unsupported) -> Diagnostic:
    if isinstance(wrong, Flaw):
        code = "hedge" if wrong.kind == "hedge" else "form"
        told = f"'{_clip_sentence(wrong.sentence)}': {wrong.message}"
        return Diagnostic(said.path, code, told, _MENDS[code])
    told = f"'{_clip_sentence(wrong.claim.sentence)}': {wrong.message}"
    return Diagnostic(said.path, wrong.code, told, wrong.mend)


def _clip_sentence(sentence: str) -> str:
    shown = sentence if len(sentence) <= _SHOWN else sentence[: _SHOWN - 3] + "..."
    return " ".join(shown.split())


_NOT_THEIRS = Diagnostic(
    "answers.overrides",
    "override-needs-human",
    "only a human lets a claim stand without its evidence",
    "bring the evidence, take the claim out, or ask a human to give these answers",
)
_MENDS = {
    "hedge": "say what was observed; say what is unknown in a sentence of its own: Unknown: …",
    "form": "say it as: X is Y because Z, with what shows it (a file, a command, a number) in Z",
}
