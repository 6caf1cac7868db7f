"""What is not asserted: the unknown, questions, plans and conditions.

A sentence is read clause by clause. A plan or a condition covers its own clause and those that
follow, until the author turns to something else (`;`, a dash, "but", ", and"): what stands after
that is asserted again, so nothing is said in the shelter of an "if" long gone.
"""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.claims.masking import MASKS
from goalkeeper.core.claims.words import FIRST, compile_words, join_lines, one_of
from goalkeeper.wire.value import Value


class Modality(StrEnum):
    UNKNOWN = "unknown"  # "Unknown: …"
    QUESTION = "question"
    PLANNED = "planned"  # what will, shall or must be
    CONDITIONAL = "conditional"  # what would be, if


class Stretch(Value):
    """Where something is said without being asserted."""

    modality: Modality
    start: int
    end: int


# "should work" hopes for an outcome; every other "should" makes a rule or a plan.
_GOOD = one_of(
    """
    fine ok okay good working fixed resolved correct safe green passing enough stable sufficient
    ready unaffected identical equivalent compatible harmless gone right solved all_set all_right
    all_good the_same no_problem no_issue no_regression
    """
)
_HOPED = join_lines(
    rf"""
    (?:(?:now|all|also|still|just|then|both|really|probably|likely|again|mostly|even) ){{0,4}}
    (?:work|pass|hold|match|succeed|compile|suffice|behave|do (?:it|the)|run (?:fine|ok|without)
    |have (?:fixed|solved|resolved|done|worked|passed|been)|be {_GOOD})
    """
)
_HOPE = join_lines(
    r"""
    (?:this|that|it|which|change|patch|fix|commit) should
    (?: (?:fix|solve|resolve|address|close|cover|help|handle|prevent|settle))\b
    """
)
HEDGY_SHOULD = rf"(?:should|ought to) (?:not )?{_HOPED}|should now|{_HOPE}"

_UNKNOWN = join_lines(
    r"""
    (?:unknowns?|unverified|not (?:verified|known|checked|tested)|untested|unchecked
    |open questions?|inferred|hypothesis)(?: \([^()\n]{1,40}\))?(?:\x20*+:| [—–-] )
    """
)
_MEANS = one_of(
    """
    going about planned expected supposed meant wants? aims? proposes? hopes? needs? intends?
    planning plans? remains?
    """
)
_ORDER = one_of(
    """
    check ensure make_sure verify confirm update add create remove delete write edit change fix run
    use see open move rename replace restart commit push keep do_not don't
    """
)
_PLANNED = join_lines(
    rf"""
    (?:i|we|it|they|you|he|she|this|there)'ll\b
    |will\b(?<!\bat\x20will)(?<!free\x20will)
    (?! not (?:start|restart|respond|connect|boot|come)\b)
    |{_MEANS}(?<!would\x20need)(?<!'d\x20need) to\b(?! {_HOPED})
    |(?:has|have) to\b(?! (?:build|write|implement))|ought to\b(?! {_HOPED})
    |next,? (?:i|we|up|steps?)\b|{FIRST}(?:next|plan|todo|to-do)\b
    |(?:shall|gonna|must(?! have)|should(?! now\b| (?:not )?{_HOPED}))\b|let (?:me|us)\b|let's\b
    |{FIRST}(?:(?:please|then|now|also|first|finally),? ){{0,4}}
    {_ORDER} (?:the|a|an|all|your|that|whether|if|[{MASKS}])
    """
)
_IDIOM = one_of(
    """
    not_all any\\b anything at_all you_ask you_will i'm i_am i_recall i_remember i_understand i_read
    memory so\\b need_be
    """
)
_CONDITIONAL = join_lines(
    rf"""
    if\b(?<!\bas\x20if)(?! {_IDIOM})
    |(?:unless|assuming|provided that|in case|suppose|were to)\b
    |would\b(?! (?:seem|appear|suggest|say|guess|think|expect|(?:need|have) to
    [ ](?:build|write|implement|create|develop)))
    |{FIRST}(?:should|were|had) (?:the|a|an|it|this|that|you|we|any|there)\b
    """
)
_ONWARD = join_lines(
    r"""
    (?:when|whenever|until|till|where|wherever|whether|so that|in order to)\b
    |once (?:the|it|we|i|you|all|a|this|that)\b
    |(?<=\x20)(?:that|which|who) (?:will|would|should|must)\b
    |(?:tests?|checks|asserts|expects|requires|ensures|verifies|makes sure|guarantees) that\b
    |to (?:check|ensure|verify|see|test|make sure|confirm)\b
    |(?:case|cases|scenario|situation) (?:that|of|in which)\b
    """
)
_EVENTS = compile_words(
    rf"""
    (?=[;,()—–-])(?:(?P<turn>;|(?:—|–|--) |, (?:but|yet|however|though|although|so|still)\b)
    |(?P<also>, and\b)|(?P<pause>[,()]))
    |(?<!\w)(?=[a-z])(?:(?P<hope>{_HOPE})|(?P<unknown>{_UNKNOWN})|(?P<onward>{_ONWARD})|(?P<planned>{_PLANNED})
    |(?P<conditional>{_CONDITIONAL})|(?P<but>but\b)|(?P<listing>that\b)
    |(?P<clause>(?:and|which|because|since|while|whereas)\b))
    """
)


def find_stretches(view: str, start: int, end: int) -> list[Stretch]:
    """All that one sentence says without asserting it, in order."""
    if view[start:end].rstrip(" )]").endswith("?"):
        return [Stretch(Modality.QUESTION, start, end)]
    clauses = _Clauses(start)
    for event in _EVENTS.finditer(view, start, end):
        clauses.take_event(str(event.lastgroup), event.start())
    clauses.take_event("turn", end)
    return clauses.found


class _Clauses:
    """A sentence, read from left to right."""

    def __init__(self, start: int) -> None:
        self.found: list[Stretch] = []
        self._turned = start  # where the author last turned to something else
        self._start = start  # of this clause
        self._whole: Modality | None = None  # of this clause and those that follow
        self._onward = -1  # where a clause begins of which only the rest is not asserted
        self._is_listing = False  # "I will check that a, b, and c"

    def take_event(self, event: str, at: int) -> None:
        match event:
            case "turn" | "but":
                self._end_stretch(at, turns=True)
            case "also":
                self._end_stretch(at, turns=not self._is_listing)
            case "pause" | "clause":
                self._end_stretch(at, turns=False)
            case "hope":
                pass
            case "listing":
                self._is_listing = self._whole is not None
            case "onward":
                self._onward = at if self._onward < 0 else self._onward
            case "unknown":
                self._whole = Modality.UNKNOWN if at <= self._turned + 1 else self._whole
            case _:
                self._whole = self._whole or Modality(event)

    def _end_stretch(self, at: int, *, turns: bool) -> None:
        if self._whole is not None:
            self.found.append(Stretch(self._whole, self._start, at))
        elif self._onward >= 0:
            self.found.append(Stretch(Modality.CONDITIONAL, self._onward, at))
        self._start, self._onward = at, -1
        if turns:
            self._whole, self._turned, self._is_listing = None, at + 1, False
