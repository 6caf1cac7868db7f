"""Claims about the state of a named file: what it holds, that it was changed, that it is gone."""

from __future__ import annotations

from collections.abc import Iterator

from goalkeeper.core.claims.found import Claim, ClaimClass
from goalkeeper.core.claims.masking import FILE, MASKS, QUOTE, flatten_signs
from goalkeeper.core.claims.paths import Mention
from goalkeeper.core.claims.reading import Reading
from goalkeeper.core.claims.words import FIRST, compile_words, join_lines, one_of, split_words

_WINDOW = 90  # characters before a file in which its verb is looked for
_LONGEST_JOINT = 24
_JOINT = compile_words(
    r"""
    (?:\x20*+,| (?:and|or|as well as|plus)|, (?:and|or)|\x20*+[&+/])
    (?: (?:the|also|both|then))?\x20*+
    """
)
_WORD = rf"(?:[\w{MASKS}'/=-]|\.(?=\w)){{1,99}}"
_THE = one_of("the a an both new file files our all existing its my this following for")
_ARTICLES = rf"(?:{_THE} ){{0,4}}"

# After the file: "a.md now contains", "a.md was deleted", "a.md's port is".
_ADVERB = one_of(
    """
    now already still also only currently correctly clearly really indeed again actually both all
    each just properly fully finally never always no_longer itself simply not successfully since
    completely entirely in_fact
    """
)
_ADVERBS = rf"(?:{_ADVERB} ){{0,4}}"
_HOLD = one_of(
    """
    contain hold include reflect indicate say define declare describe mention implement exist lack
    have confirm prove explain capture keep enable disable specif(?:y|ie) carr(?:y|ie) exclude omit
    expose enumerate require agree differ summari[sz]e equal add enforce listen
    """
)
# These are nouns, too: "a.md state" says nothing, "a.md states" does.
_NOUN = one_of(
    """
    show state list record document reference export import set name cover report use note track
    store pin register display matche? mirror change
    """
)
_HOLDS = join_lines(
    rf"""
    (?:{_HOLD}(?:s|d|ed)?|{_NOUN}(?:s|d|ed)|has|had|held|said|shown|kept|reads(?=:| {QUOTE})
    |(?:ends?|starts?|begins?) (?:with|in)|points? (?:to|at))
    """
)
_BE = join_lines(
    r"""
    (?:is|are|was|were|isn't|aren't|wasn't|weren't|(?:has|have|had)(?:n't| not)? been|got|remains?
    |stays?)
    """
)
# What a file is used for, or how a program behaves, says nothing about its state.
_USE = one_of(
    """
    read used parsed loaded imported called run executed invoked needed required where what how why
    for meant intended supposed expected going to about responsible important optional mandatory
    relevant interesting hard easy consumed sourced passing failing green red slow fast
    """
)
_STATES = join_lines(
    rf"""
    {_ADVERBS}(?:{_BE} {_ADVERBS}(?!(?:being )?{_USE}\b)
    (?:missing (?:the|a|an|its|any|some|one|two|\d)\b|{_WORD})
    |(?:does|do|did)(?: not|n't) {_ADVERBS}(?:{_HOLDS}|{_NOUN})\b(?! to\b)
    |{_HOLDS}\b(?! to\b| been\b| no effect\b))
    """
)
_NEXT_CLAUSE = one_of(
    """
    and but so because to while when if then that since as until or than by i we it you they pass
    passes passed fails? failed runs? ran exits exited prints printed takes took returns returned
    which
    """
)
_GAP = rf"\)?(?:'s)?(?: (?!{_NEXT_CLAUSE}\b){_WORD}| \([^()\n]{{1,40}}\)){{0,6}}?"
# As the subject of any other verb, if that is not how a program behaves, nor a plural.
_BEHAVES = one_of(
    """
    passes fails runs exits prints returns takes works crashes succeeds hangs loads builds compiles
    starts stops finishes needs produces writes throws raises sleeps accepts
    """
)
_PLURAL = one_of(
    """
    files lines values contents changes settings entries keys sections rows docs tests fields flags
    options results errors warnings failures imports exports functions classes types is was does has
    this its as us always across versus less plus perhaps
    """
)
_SUBJECT = compile_words(
    rf"""
    (?:{FIRST}|(?:[,;:]|\b(?:and|but|because|that|so|since|the|our|file))[ ])
    (?:(?:the|our|file) ){{0,4}}$
    """
)
_DOES = compile_words(
    rf"""
    [ ]{_ADVERBS}(?!(?:{_PLURAL}|{_BEHAVES})\b)
    (?:[a-z]{{2,}}+(?<=[^s]s)|did(?: not|n't) [a-z]++)\b
    """
)
_DO = compile_words(rf"[ ]{_ADVERBS}{_NOUN}\b")  # of several files
_COMPARED = compile_words(
    rf"""
    (?: {_WORD}){{0,4}}? (?:match(?:es)?|mirrors?|equals?|identical to|same as|copy of
    |in sync with|consistent with|differs? from|agrees? with)(?: (?:the|that of))? (?={FILE})
    """
)

# Before the file, when the file is not what the sentence is about.
_OF_FILE = compile_words(
    r"""
    \b(?P<noun>\w++)(?:'s)? (?:in|of|from|inside|within|at)
    (?: (?:the|our|your|file|my|this)){0,4} $
    """
)
_BEHAVIOUR = split_words(
    """
    test tests case cases suite suites assertion assertions bug bugs error errors failure failures
    race leak crash regression check checks function functions method methods loop typo warning
    warnings problem issue issues code
    """
)
_ELSEWHERE = compile_words(
    r"""
    \b(?:by|with|to|for|via|using|through|against|into|on|onto|than|per|like|as|see|under|about
    |after|before|until|without|between|name|named|run|runs|running|ran|executing|executed|calls?|calling)
    (?: (?:the|our|your|file|my|this|both|python|python3|node|bash|sh)){0,4} $
    """
)

# Before the file: "updated a.md", "added a test to a.py", "is set in a.yaml", "according to a.md".
_CHANGED = one_of(
    """
    updated created wrote written rewrote rewritten edited modified changed deleted removed set
    generated regenerated saved replaced fixed populated overwrote extended reworked refactored
    formatted bumped patched restored reverted added appended filled_in produced refreshed put
    inserted stored recorded documented moved renamed copied implemented defined listed noted
    configured enabled disabled pinned declared registered described mentioned committed introduced
    dropped erased exported dumped logged cleaned_up checked_in touched corrected adjusted
    referenced
    """
)
_AFTER = compile_words(
    rf"""
    {_GAP}(?: |,? which ){_STATES}|(?:,|,? and|;) it {_STATES}
    |(?:: | [—–-] | \(){_ADVERBS}{_CHANGED}\b(?: {_WORD})?
    """
)
_NO_ARTICLE = r"(?<![-\w])(?<!\bthe\x20)(?<!\ban\x20)(?<!\ba\x20)"  # not "the updated a.md"
_LIES = join_lines(
    rf"""
    (?:{_BE}|lives?|sits?|resides?|exists?|appears?|stands?)(?: (?:now|already|all|also|present
    |found|visible|there|stored|kept|located|available|only)){{0,4}}
    """
)
_DID = compile_words(
    rf"""
    {_NO_ARTICLE}{_CHANGED}:? {_ARTICLES}$
    |{_NO_ARTICLE}(?P<verb>{_CHANGED})
    (?: (?!(?:by|and|but|because|so|then|using|with)\b){_WORD},?){{0,9}}?
    (?P<place> (?:to|in|into|from|at|inside|within|as|under|of)) {_ARTICLES}$
    |{_NO_ARTICLE}(?:found|saw|see|verified|confirmed|located)
    (?: (?!(?:by|and|but|because|so|then|using|with)\b){_WORD},?){{0,6}}? in {_ARTICLES}$
    |\b(?:{_LIES} (?:in|inside|within|under|at)(?: the (?:top|bottom|end|start|root|head) of)?
    |there (?:is|are|was|were)(?: (?!(?:and|but|by)\b){_WORD}){{1,6}}? in
    |according to|{FIRST}per|as (?:stated|shown|seen|recorded|documented|listed|described) in)
    [ ]{_ARTICLES}$
    """
)
_NONE = compile_words(r"\bno(?: such)?(?: file)?(?: named| called)? $")
_NONE_AFTER = compile_words(
    r"(?: file)?(?: (?:exists?|in|at|on|was|is|here|there|yet)\b|[.,;)\n]|$)"
)

_GONE_BEFORE = compile_words(r"^(?:deleted|removed|erased|dropped|renamed|moved|no)\b")
_PLACE = compile_words(r" (?:from|in|to|into|of|at|within|inside|as|under) ")
_GONE_AFTER = compile_words(
    r"""
    \b(?<!not\x20)(?<!n't\x20)(?<!never\x20)(?<!no\x20longer\x20)
    (?:deleted|removed|erased|gone|dropped|absent|missing|renamed|moved)$
    |(?:\b(?:not|no longer)|n't) (?:there|present|found|exists?)$
    """
)


def is_gone(matched: str) -> bool:
    """Whether a claim with these words says that the file is not there any more."""
    said = flatten_signs(matched)
    if _GONE_BEFORE.search(said):
        return not _PLACE.search(said)
    return bool(_GONE_AFTER.search(said))


def file_states(reading: Reading) -> Iterator[Claim]:
    runs = {run[0].start: run for run in _group_mentions(reading)}
    for run in runs.values():
        for start, end in (*_told_before(reading.view, run), *_told_after(reading.view, run)):
            if reading.is_asserted(start, end):
                compared = _COMPARED.match(reading.view, run[-1].end)
                others = runs.get(compared.end(), []) if compared and end > run[-1].end else []
                yield _make_claim(reading, start, end, [*run, *others])


def _make_claim(reading: Reading, start: int, end: int, named: list[Mention]) -> Claim:
    return Claim(
        ClaimClass.FILE_STATE,
        reading.sentence_at(start).text,
        reading.text[start:end],
        start,
        end,
        tuple(dict.fromkeys(mention.path for mention in named)),
    )


def _group_mentions(reading: Reading) -> Iterator[list[Mention]]:
    """Files in a row: "a.md, b.md and c.md"."""
    run: list[Mention] = []
    for mention in reading.mentions:
        if run and not _is_joined(reading.view, run[-1].end, mention.start):
            yield run
            run = []
        run.append(mention)
    if run:
        yield run


def _is_joined(view: str, end: int, start: int) -> bool:
    return start - end <= _LONGEST_JOINT and bool(_JOINT.fullmatch(view, end, start))


def _told_before(view: str, run: list[Mention]) -> Iterator[tuple[int, int]]:
    first, last = run[0].start, run[-1].end
    window = view[max(first - _WINDOW, 0) : first]
    if (none := _NONE.search(window)) and _NONE_AFTER.match(view, last):
        yield first - len(none[0]), last
    elif did := _DID.search(window):
        moved = did["verb"] in ("renamed", "moved")
        yield first - len(window) + (did.start("place") + 1 if moved else did.start()), last


def _told_after(view: str, run: list[Mention]) -> Iterator[tuple[int, int]]:
    first, last = run[0].start, run[-1].end
    window = view[max(first - _WINDOW, 0) : first]
    part = _OF_FILE.search(window)
    if _ELSEWHERE.search(window) or (part and part["noun"] in _BEHAVIOUR):
        return
    states = _AFTER.match(view, last) or (len(run) > 1 and _DO.match(view, last))
    if states or (_SUBJECT.search(window) and (states := _DOES.match(view, last))):
        yield first, states.end()
