"""Hedges on observed outcomes: what was seen is told as it was seen, or named unknown."""

from __future__ import annotations

import re

from goalkeeper.core.claims.found import Flaw
from goalkeeper.core.claims.masking import CODE, QUOTE
from goalkeeper.core.claims.modality import HEDGY_SHOULD
from goalkeeper.core.claims.reading import Reading, read_text
from goalkeeper.core.claims.words import compile_words, join_lines, one_of

_ADVERB = one_of(
    """
    possibly perhaps maybe probably presumably apparently seemingly supposedly conceivably arguably
    ostensibly potentially hopefully theoretically allegedly reportedly unlikely almost_certainly
    imho afaict afaik iirc unsure in_theory in_principle more_or_less pretty_much by_and_large
    for_the_most_part at_first_glance at_first_sight on_the_face_of_it to_some_extent
    not_necessarily in_all_likelihood in_all_probability chances_are odds_are with_any_luck
    fingers_crossed hard_to_say hard_to_tell there's_a_chance there_is_a_chance
    """
)
_QUALIFIED = join_lines(
    r"""
    (?:(?:very|most|more|quite|highly|pretty|just as) )?likely
    |(?:good|fair|small|high|slight|decent) (?:chance|probability)
    |(?:sort|kind) of(?= (?:work|fix|done|pass|ok|fine))
    |mostly(?= (?:work|fix|done|pass|ok|fine|green|correct|complete|finished))
    """
)
_MIND = one_of(
    """
    think believe guess suspect suppose reckon presume imagine gather expect hope assume figure feel
    """
)
_OPINION = join_lines(
    rf"""
    (?:i|we)(?:'d| would| do| don't| do not)?(?: (?:strongly|still|just|only|really|also))?
    [ ]{_MIND}(?! (?:in|of|about|to)\b)
    |i(?:'m| am)(?: (?:not|fairly|pretty|quite|reasonably|almost|rather|mostly|99%|90%)){{0,4}}
    [ ](?:sure|certain|confident|convinced|guessing|assuming|inclined)
    |(?:not|n't)(?: (?:entirely|quite|100%|completely|fully|too|really))? (?:sure|certain)
    |i(?:'d| would) say|one would (?:think|expect)|(?:safe|fair) to (?:say|assume)
    |i have (?:a feeling|the impression)|(?:my|our)(?: (?:best|first|current))?
    [ ](?:guess|hunch|understanding|impression|assumption|suspicion|bet)
    |(?:so|as) far as (?:i|we|one) (?:can|could|know|knew|understand|remember|am aware)
    (?: (?:tell|see|judge|know|say))?|to (?:my|our) knowledge|to the best of (?:my|our)
    |from what (?:i|we)(?: can| could)? (?:see|tell|saw|know|understand|gather)
    |(?:from|by) the looks? of (?:it|things)|(?:can't|cannot) (?:fully )?(?:be ruled|rule) out
    |if (?:i (?:remember|recall|am not mistaken|understand)|i'm not mistaken|memory serves)
    |it(?:'s| is| was)(?: (?:quite|very|entirely|also|just|well))?
    [ ](?:possible|probable|conceivable|plausible|assumed|presumed)(?= that\b|,| the\b)
    |(?:a|one|the)(?: most)? (?:possible|probable|plausible) (?:cause|reason|explanation|culprit)
    |(?:this|that|which|it|output|logs?|evidence|results?|trace|numbers|data) suggests?
    """
)
_FINE = one_of(
    """
    fine ok okay good right correct broken stable healthy done complete working normal stuck gone
    unrelated unaffected successful green clean intact consistent identical ready unchanged valid
    safe related resolved fixed equivalent reasonable plausible sound solid faster slower sufficient
    enough wrong off flaky as_if as_though
    """
)
_LOOKS = join_lines(
    rf"""
    (?:would )?seem(?:s|ed)?|would appear
    |(?:it|this|so it) appear(?:s|ed)?(?= that\b| the\b| we\b|,|\.)
    |appear(?:s|ed)? (?:to(?! (?:the|users?)\b)|that|(?:now |fully |quite )?{_FINE})
    |(?:look|sound|feel)(?:s|ed)?
    [ ](?:like(?! (?:this|these|the following|so\b|[{CODE}{QUOTE}{{\[<]))|to be|{_FINE})
    """
)
_EPISTEMIC = one_of(
    """
    be have fail work need cause contain break differ pass indicate affect lead result happen occur
    exist mean explain require take miss leak depend come help hit stem show still also well just
    even
    """
)
# "The flag may be given twice" allows; it does not hedge.
_ALLOWED = join_lines(
    r"""
    (?:(?:only|also|not) )?be (?:used|called|given|passed|omitted|set|repeated|overridden|null
    |combined|edited|changed|empty|copied|shared|named|written|left|added|read)\b
    """
)
# "could be reproduced" tells what was possible, "could be simplified" what one might do next.
_ABLE = join_lines(
    r"""
    (?:\w++ly )?
    (?!(?:caused|related|attributed|explained|linked|triggered|affected|tied|corrupted|outdated
    |connected)\b)
    (?:\w++(?<=ed)|read|found|built|run|written|seen|shown|proven|split|made|done|put|sent)\b
    """
)
_MODAL = join_lines(
    rf"""
    may(?! {_ALLOWED})(?: not)? {_EPISTEMIC}
    |might(?! (?:of|and main|is|was)\b)(?: \w++)
    |could be(?! {_ABLE})|could (?:potentially|possibly|perhaps|well|conceivably|easily|still be
    |also be|just be|indicate|mean|explain|suggest|cause|break|lead|affect|result
    |have (?:been|caused|led|had|happened|broken|introduced|missed))
    |must have (?:been|had|\w++(?<=ed))|{HEDGY_SHOULD}
    """
)
_HEDGES = compile_words(
    rf"(?<![\w-])(?=[a-z])(?:{_ADVERB}|{_QUALIFIED}|{_OPINION}|{_LOOKS}|{_MODAL})(?![\w-])"
)

# The word itself is meant: "the word possibly". Or a noun, a month, a permission: "the might of",
# "in May 2024", "users may pass".
_SPOKEN_OF = compile_words(r"\b(?:words?|terms?|phrases?|hedges?|adverbs?|such as|called|named) $")
_NO_MODAL = compile_words(
    r"""
    \b(?:users?|callers?|clients?|agents?|you|people|the|its|his|her|their|all|our|my|full|with|in
    |on|of|since|by|until|\d{1,2}) $
    """
)
_KIND_OF_THING = compile_words(
    r"""
    (?: (?:type|class|monad|module|function|label|package|library|enum|variant|helper|method|field
    |flag|option)\b|<)
    """
)
_WINDOW = 24
_MESSAGE = (
    "'{}' hedges on an outcome: state what was observed, and what is unknown in a sentence of its "
    "own that begins with 'Unknown:'"
)


def find_hedges(text: str) -> tuple[Flaw, ...]:
    """Every hedge on something that the author asserts."""
    reading = read_text(text)
    return tuple(
        _make_flaw(reading, *hedge.span())
        for hedge in _HEDGES.finditer(reading.view)
        if reading.is_asserted(*hedge.span()) and not _is_name(reading, hedge)
    )


def _is_name(reading: Reading, hedge: re.Match[str]) -> bool:
    start, end = hedge.span()
    before, word = reading.view[max(start - _WINDOW, 0) : start], reading.text[start:end]
    if reading.view[end : end + 1] == "(":
        return True
    is_modal = hedge[0].startswith(("may ", "might "))
    if _SPOKEN_OF.search(before) or (is_modal and _NO_MODAL.search(before)):
        return True
    is_first = start == reading.sentence_at(start).start or before.rstrip(" ").endswith(":")
    is_capital = word[:1].isupper() and word[1:].islower() and not is_first
    return is_capital and bool(_KIND_OF_THING.match(reading.view, end) or word.startswith("May"))


def _make_flaw(reading: Reading, start: int, end: int) -> Flaw:
    sentence, matched = reading.sentence_at(start), reading.text[start:end]
    return Flaw("hedge", sentence.text, matched, start, end, _MESSAGE.format(matched))
