"""Claims that something is not there: not built, not supported, not committed, nowhere found."""

from __future__ import annotations

from collections.abc import Iterator

from goalkeeper.core.claims.found import Claim, ClaimClass
from goalkeeper.core.claims.masking import FILE
from goalkeeper.core.claims.reading import Reading
from goalkeeper.core.claims.signs import Sign, make_claim, signs_in
from goalkeeper.core.claims.words import (
    BE,
    CANNOT,
    NOT_BE,
    OUTCOME,
    WORD,
    compile_words,
    join_lines,
    one_of,
)

_MADE = one_of(
    """
    built implemented committed pushed merged released deployed created written added published
    tagged tracked checked_in wired defined documented registered exposed provided included shipped
    installed ported configured integrated supported landed
    """
)
_IN_GIT = join_lines(
    r"""
    (?:in|part of|on|under)(?: the| our| this)? (?:git|repo|repository|remote|tree|codebase|index
    |main|master|upstream|origin|version control|api|sdk|release|history
    |registry|manifest|list|docs)
    """
)
_YET = r"(?: (?:yet|currently|actually|even|really|natively|fully|officially|ever|been)){0,4}"
_NOT_DO = r"(?:(?:does|do|did)(?: not|n't)(?: yet| currently| even| actually)?|no longer|never)"
_HOLDS = one_of(
    """
    includes? contains? defines? mentions? covers? handles? offers? provides? exposes? ships? have
    has come_with
    """
)
_MISSING = one_of(
    """
    impossible infeasible unsupported unimplemented undocumented uncommitted unpushed untracked
    unmerged unreleased unbuilt nonexistent non-existent nowhere absent
    """
)
_THE = one_of("the a an its any some one")
_SERVES = one_of(
    """
    exists? is_available are_available implements? supports? handles? provides? covers? defines?
    calls? uses? references? could_be_found can_be_found (?:is|are|was|were)_(?:found|there|present)
    """
)
_COPES = one_of("handle support parse express represent deal_with do be_used process export import")
_OUTSIDE = one_of("network internet response reply answer connection route space")  # see outage.py
# What a named file does not hold is the state of that file, and is read there.
_OF_A_FILE = compile_words(rf"{FILE}(?:'s)?(?: (?!(?:and|but|which|that)\b)\w++){{0,3}} $")

_SIGNS = (
    Sign(
        compile_words(
            rf"""
            \b(?:{NOT_BE}{_YET} (?:{_MADE}|possible|feasible|there|present|found)
            |(?:{NOT_BE}|not)(?: yet)? (?:{_MADE}|{_IN_GIT})
            |(?:(?:has|have|had)(?: not|n't| never)|never|not){_YET} {_MADE}
            |(?:has|have|is|are) yet to be {_MADE}|no longer (?:available|supported))\b
            """
        )
    ),
    Sign(
        compile_words(rf"\b{NOT_BE}{_YET} available\b"),
        unless=compile_words(r"\b(?:he|she|i|we|you|they) $"),
    ),
    Sign(compile_words(rf"\b{_NOT_DO} (?:exists?|supports?|implements?|made? it (?:in)?to)\b")),
    Sign(compile_words(rf"\bno (?!{OUTCOME}){WORD}(?: {WORD})? yet\b")),
    Sign(
        compile_words(
            rf"""
            \b(?:{_NOT_DO} {_HOLDS}\b(?! (?:any |an |a |the )?{OUTCOME})(?! to\b)
            |(?:has|have|had|offers|provides|ships with)(?: still)? no (?!{OUTCOME}){WORD}
            |(?:lack|lacks|lacked|lacking) (?!of\b){WORD}|{BE} missing(?= {_THE}\b))
            """
        ),
        unless=_OF_A_FILE,
    ),
    Sign(
        compile_words(
            rf"""
            \bthere(?:(?:'s| is| are| was| were| exists)(?: currently| still| also| simply)?
            [ ](?:no|not any)| (?:is|are|was|were)n't (?:any|a|an))
            [ ](?!{OUTCOME}|{_OUTSIDE}\b){WORD}
            """
        )
    ),
    Sign(
        compile_words(
            rf"""
            \b(?:no|none of the|nothing) (?!{OUTCOME})(?:{WORD} ){{0,6}}?
            (?:{_SERVES}|{BE} {_MADE})\b
            """
        )
    ),
    Sign(compile_words(rf"\b(?:nobody|no one)(?: has| have| ever| yet){{0,4}} {_MADE}\b")),
    Sign(
        compile_words(
            rf"""
            \bno (?:(?:existing|such) {WORD}|(?:way|support) (?:to|for|of)\b
            |(?:trace|sign|mention|evidence) of\b)|\bfound no (?!{OUTCOME}){WORD}
            """
        )
    ),
    Sign(
        compile_words(
            rf"""
            \b(?:(?:can't|cannot|can not|could not|couldn't) be (?:done|found|located|{_MADE})
            |(?:can't|cannot|can not) {_COPES})\b
            """
        )
    ),
    Sign(
        compile_words(
            rf"""
            \b(?:{CANNOT}|have not|haven't|has not|hasn't|never) (?:find|found|locate|located)\b
            (?! (?:any |a |an |the )?{OUTCOME})
            """
        )
    ),
    Sign(
        compile_words(
            rf"""
            \b{BE}(?: simply| currently| technically| still| entirely| now)?
            [ ](?:{_MISSING}|missing(?! {_THE}))\b
            """
        )
    ),
    Sign(compile_words(r"\b(?:(?:absent|missing) from|nowhere to be found)\b")),
    Sign(
        compile_words(
            r"""
            \b(?:we|i|one|you)(?:'d| would)(?: first)? (?:need|have) to
            [ ](?:build|write|implement|create|develop)\b
            """
        )
    ),
)


def find_absences(reading: Reading) -> Iterator[Claim]:
    for start, end in signs_in(reading, _SIGNS):
        yield make_claim(ClaimClass.ABSENCE, reading, start, end)
