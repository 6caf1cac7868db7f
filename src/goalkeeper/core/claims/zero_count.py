"""Claims of a statistic that is zero, or of a field that is missing: often it is only misspelt."""

from __future__ import annotations

from collections.abc import Iterator

from goalkeeper.core.claims.found import Claim, ClaimClass
from goalkeeper.core.claims.masking import CODE
from goalkeeper.core.claims.reading import Reading
from goalkeeper.core.claims.signs import Sign, make_claim, signs_in
from goalkeeper.core.claims.words import (
    NUMBER,
    OUTCOME,
    WORD,
    WordPattern,
    compile_words,
    join_lines,
    one_of,
)

_DATA = one_of(
    """
    records? rows? entry entries goals? events? items? users? documents? objects? samples?
    lines? messages? values? fields? columns? tickets? orders? accounts? experiments? hypothes[ie]s
    logs? runs? sessions? tasks? nodes? tuples? points? measurements? observations? customers?
    transactions? experiences? jobs? traces? spans? metrics commits? products? invoices? payments?
    posts? comments? articles? keys edges? features? predictions? annotations? labels? images?
    cells? vectors? embeddings? profiles? requests? receipts? pipelines? steps?
    """
)
_NO_TESTS = rf"(?!(?:tests?|checks?|{OUTCOME})\b)"
_SHARE = join_lines(
    rf"""
    (?:{NUMBER}\x20*+(?:%|percent\b|per cent\b)|{NUMBER}\x20*+/\x20*+{NUMBER}
    |{NUMBER} (?:out )?of(?: the| all)? {NUMBER}|(?:half|most|all|every|each|nearly all|almost all
    |the (?:vast )?majority|(?:a|one) (?:third|quarter)|two thirds)\b)
    """
)
_OF_THE = r"(?: of)?(?: (?:the|our|these|those|its|all|my)){0,4}"
_HAVE = one_of("have has had are is were was shows? contains? carry come came with reports? remain")
_EMPTY = one_of("null nil missing empty unset blank absent undefined nan unpopulated none 0 zero")
_ZERO = join_lines(
    rf"""
    (?:==?\x20*+(?:0\b(?![.,]\d)|null|none|nil|''|\[\])
    |\b(?:null|nil|missing|empty|unset|blank|absent|undefined|nan|unpopulated)\b
    |\b(?:zero|0)\b(?![.,:%]?\d)(?! {OUTCOME})|\b(?:no|without) (?!{OUTCOME}){WORD}
    |\bnot (?:set|populated|filled)\b)
    """
)
_LACK = rf"(?:lacks?|lacked|miss|without) (?!{OUTCOME}){WORD}"
_STOP = one_of(
    """
    and but because so while if when pass passes passed have has lacks? with can could may must will
    be it to
    """
)
_ON = rf"(?!{_STOP}\b)"
_NO_FIELD = rf"(?! (?:been|failed|passed|changed|{OUTCOME}))"
_NAME = rf"(?:{CODE}++|(?=\w)[^\W_]++(?:[._]++[^\W_]++){{1,20}})"
_EXIT = compile_words(
    rf"""
    \b(?:exit|return|status|error|result|failure|rc|errors|failures|warnings)
    (?: (?:code|status|count))?(?: {WORD}){{0,2}} $
    """
)

_SIGNS = (
    # A share: 98% of records have x=0; 12/40 records lack y; every row has an empty z.
    Sign(
        compile_words(
            rf"""
            (?<![\w.]){_SHARE}{_OF_THE}(?: {NUMBER})?
            [ ]{_NO_TESTS}{WORD}(?: {_ON}(?!{_HAVE}\b){WORD}){{0,4}}?
            [ ](?:{_HAVE}(?: {_ON}{WORD},?){{0,7}}?\x20*+{_ZERO}|{_LACK})
            """
        )
    ),
    # A number: 12 records have no title.
    Sign(
        compile_words(
            rf"""
            (?<![\w.]){NUMBER} (?:{WORD} ){{0,2}}?{_DATA} (?:(?:have|has|had) (?:no|null|empty
            |an? (?:empty|null|missing))|(?:are|is|were) (?:missing|without|null|empty)
            |lack|lacks|lacked|without|with (?:no|empty|null|missing))\b(?! {OUTCOME})
            """
        )
    ),
    # None: 0 goals have priority=HIGH; none of the entries have tags; a query returned 0 rows.
    Sign(
        compile_words(
            rf"""
            (?<![\w.,%$])(?:0\x20*+%|0|zero)
            (?: (?:out )?of(?: the| our| all){{0,4}}(?: {NUMBER})?)?
            [ ]{_NO_TESTS}(?:{WORD} ){{1,3}}?
            (?:have|has|had|with|contain|carry|show|showing|include|use|satisfy|match|are|were)\b
            {_NO_FIELD}
            """
        )
    ),
    Sign(
        compile_words(
            rf"""
            \b(?:no|none of (?:the|our|these|those)|not (?:a single|one))(?: {NUMBER})?(?! such\b)
            [ ](?:{WORD} ){{0,2}}?{_DATA} (?:have|has|had|with|contains?|carry|carries|shows?
            |showing|includes?|match|matched|(?:were |was )?(?:found|returned))\b{_NO_FIELD}
            """
        )
    ),
    Sign(
        compile_words(
            rf"""
            \b(?:return(?:s|ed)?|found|finds|yield(?:s|ed)|matche[sd]|gave|contains?|has|have|had
            |holds|are|were|is|shows?) (?:0|zero|no) (?:{WORD} )?{_DATA}\b(?! (?:left|remain))
            """
        )
    ),
    # A field: a missing column; the owner field is empty; retry_count is always 0.
    Sign(
        compile_words(
            rf"""
            \b(?:missing|absent) (?:{WORD} )?(?:field|column|attribute|property|key)s?\b
            (?! (?:error|errors|handling|check|checks|case|cases)\b)
            """
        ),
        unless=compile_words(
            r"\b(?:added|fixed|restored|filled|inserted|handles?|on|for) (?:in )?(?:the|a) $"
        ),
    ),
    Sign(
        compile_words(
            rf"""
            \b(?:(?:field|column|attribute|property|key)s?(?: {WORD})? (?:is|are|was|were)
            (?: (?:always|entirely|all|completely|mostly|still))? {_EMPTY}\b
            |(?:is|was|are|were|been) never (?:been )?(?:set|populated|filled)\b)
            |\b(?:only|nothing but) (?:zeros|zeroes|nulls|blanks)\b
            """
        ),
        unless=compile_words(
            r"\b(?:api|ssh|secret|public|private|signing|licen[cs]e|access|deploy) $"
        ),
    ),
    Sign(
        compile_words(
            rf"""
            (?<![\w.{CODE}]){_NAME} (?:is|are|was|were|=)
            (?: (?:always|all|entirely|mostly|only)){{0,4}} {_EMPTY}
            (?= (?:across|for|in|on|everywhere|throughout)\b|\x20*+[.,;\n])
            """
        )
    ),
    Sign(
        compile_words(
            rf"""
            (?:=|\b(?:is|are|was|of|equals))\x20*+{_EMPTY} (?:across|for|in|on)
            [ ](?:(?:all|every|each|most|half|nearly|almost)\b|{NUMBER})
            """
        ),
        unless=_EXIT,
    ),
    Sign(
        compile_words(
            rf"""
            (?<!\w)(?:zero|0%?|no)[\x20-](?:cache )?utili[sz]ation\b
            |\b(?:number|count|share|percentage|fraction) of {_NO_TESTS}(?:{WORD} ){{1,6}}?
            (?:is|was|=|equals)\x20*+(?:0|zero|none|nil)\b(?![.,]\d)
            """
        )
    ),
)

# How a field is written: `a.b`, a.b=0, beside its kind, in snake_case, or as what is missing.
_KIND = "(?:field|column|attribute|property|key|value)s?"
_ARTICLES = r"(?:(?:an?|the|any|their|its|value|for|set|non-null|valid)\s++){0,4}"
_NO_NAME = one_of(
    """
    the an? missing empty null unset blank each this no is are was were in of for on rows? records?
    zero fields? columns? keys? values? attributes? propert(?:y|ies)
    """
)
_LACKING = one_of("missing lacks? lacking without no null empty unset blank have has with")
_EMPTIED = r"(?:is|are|was|were)\s++(?:always\s++|all\s++)?(?:empty|null|zero|0|missing|unset)\b"
_FIELDS = tuple(
    WordPattern("(?i)" + way)
    for way in (
        r"`\s*+([a-z_][\w.-]*+)\s*+(?:[=!<>:][^`\n]{0,80})?`",
        r"(?<![\w.-])([a-z_][\w.-]*+)\s{0,3}={1,3}",
        rf"(?<![\w.-])(?!{_NO_NAME}\b)([a-z_][\w.-]*+)['\"]?\s++{_KIND}\b",
        rf"\b{_KIND}\s++['\"]?(?!{_NO_NAME}\b)([a-z_][\w.-]*+)",
        r"(?<![\w.`/-])([a-z][^\W_]*+(?:[._]++[^\W_]++){1,20})(?![\w(/])",
        rf"\b{_LACKING}\s++{_ARTICLES}(?!{_NO_NAME}\b)([a-z_][\w-]*+)(?!\s++(?:have|has|had|with)\b)",
        rf"(?<![\w.-])(?!{_NO_NAME}\b)([a-z_][\w.-]*+)\s++{_EMPTIED}",
    )
)
_AROUND = 100  # characters before and after the sign in which its field may be named
_LONGEST = 400


def zero_counts(reading: Reading) -> Iterator[Claim]:
    for start, end in signs_in(reading, _SIGNS):
        sentence = reading.sentence_at(start)
        first, last = max(sentence.start, start - _AROUND), min(sentence.end, end + _AROUND)
        files = tuple(mention.path for mention in reading.mentions_between(first, last))
        onward = reading.text[start : min(last, start + _LONGEST)]
        field = _find_field(onward, files) or _find_field(reading.text[first:start] + onward, files)
        yield make_claim(ClaimClass.ZERO_COUNT, reading, start, end).replace(
            files=files, field=field
        )


def _find_field(said: str, files: tuple[str, ...]) -> str:
    """The first name of a field, by the surest way of writing one."""
    names = (found[1].strip(".-") for way in _FIELDS for found in way.finditer(said))
    return next((name for name in names if name and name not in files), "")
