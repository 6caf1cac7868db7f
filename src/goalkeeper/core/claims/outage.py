"""Claims that something outside does not work: down, unreachable, refused, timed out."""

from __future__ import annotations

from collections.abc import Iterator

from goalkeeper.core.claims.found import Claim, ClaimClass
from goalkeeper.core.claims.masking import flatten_signs
from goalkeeper.core.claims.reading import Reading
from goalkeeper.core.claims.signs import Sign, make_claim, signs_in
from goalkeeper.core.claims.words import (
    BE,
    CANNOT,
    FIRST,
    LAST,
    NOT_BE,
    WORD,
    compile_words,
    join_lines,
    one_of,
)

_THING = one_of(
    """
    servers? services? hosts? apis? endpoints? databases? db daemons? containers? clusters? nodes?
    pods? networks? proxy proxies gateways? registry registries runners? brokers? queues? redis
    mirrors? postgres postgresql mysql mongodb kafka rabbitmq nginx docker kubernetes elasticsearch
    backends? sites? website process(?:es)? jobs? workers? vms? machines? instances? sockets? dns
    vpn ssh tunnels? build_agent github gitlab npm pypi jenkins ci internet disks? storage
    load_balancer upstream cloud listener scheduler supervisor localhost device
    """
)
_ADVERB = one_of(
    """
    still now currently again completely temporarily apparently already also all both simply
    probably possibly likely reportedly
    """
)
_VERB = one_of("went goes seems appears looks seems_to_be appears_to_be looks_to_be")
_IS = rf"(?:{BE}|{_VERB})(?: {_ADVERB}){{0,4}}"
_BROKEN = one_of(
    """
    crash(?:ed|es|ing) crash-?looping died dies stopped broken hung hangs frozen down dead offline
    full overloaded out_of_(?:memory|disk|space) unavailable inaccessible inoperative
    """
)
_ENDED = one_of(
    """
    (?:keeps_)?crash(?:ed|es|ing) died dies stopped hung hangs froze went_away
    (?:has|have)_gone_away ran_out_of_(?:memory|disk|space)
    """
)
_WORKING = one_of(
    """
    respond(?:ing|s|ed) reachable listening running answering accepting_connections healthy online
    accessible alive
    """
)
_START = one_of("start restart respond answer connect boot come_up launch accept_connections")
_OFF = one_of("down offline dead unreachable unavailable unresponsive not_responding")
_NOT_A_STATE = r"(?! (?:to|by|from|\d|code|using|as)\b)"  # "down to 3", "stopped by the user"
_AIM = one_of(r"goal end limit line target threshold conclusion agreement branch code state \d")
_REACH = join_lines(
    rf"""
    (?:reach(?= )(?! (?:the |a |its |our )?{_AIM}\b)|reached(?! {_AIM}\b)
    |connect(?:ed)?|contact(?:ed)?|ping(?:ed)?|ssh|log in
    |resolve (?:(?:the )?(?:host|dns|domain|name|address)|{WORD}(?<=\.(?:com|org|net)))
    |establish a connection
    |access (?:the )?{_THING})
    """
)

_CODE = one_of("401 403 404 408 429 500 501 502 503 504")
_GIVES = one_of(
    """
    return(?:s|ed|ing)? respond(?:s|ed|ing)? answer(?:s|ed)? fail(?:s|ed|ing)? gives gave got gets?
    replie[sd] throws threw serve[sd] receive[sd]? saw sees produces yield(?:s|ed) hits?
    """
)
_SMALL = r"(?: (?:me|us|back|with|a|an|only|just|http|status|code|the|intermittent)){0,4}"
# "returned 500 rows" counts; "returned 500 for every call" does not.
_THEN = one_of(
    """
    from for on when with at in to after instead errors? status again because and but while
    responses? not_found internal bad service gateway forbidden unauthori[sz]ed every each today now
    since during as until code page so
    """
)
_CODE_NAME = one_of(
    """
    not_found internal_server_error bad_gateway service_unavailable forbidden gateway_time-?out
    unauthori[sz]ed too_many_requests errors? status responses?
    """
)
_STATUS = join_lines(
    rf"""
    \b(?:(?:http|https|status|error)(?:/\d(?:\.\d)?)?
    (?: (?:status|code|error|a|an|of|is|was)){{0,4}}[\x20:=]{{0,9}}+{_CODE}\b
    |{_GIVES}{_SMALL} {_CODE}s?\b(?:{LAST}|(?= {_THEN}\b))
    |{_CODE} {_CODE_NAME}\b
    |(?:bad gateway|service unavailable|internal server error|gateway time-?out)\b)
    """
)

_METRIC = compile_words(
    r"\b"
    + one_of(
        """
        rates? latency counts? coverage times? usage memory numbers? size errors? failures? cpu
        runtime duration costs? traffic p95 p99 load consumption score total warnings prices? keys?
        button mouse menu complexity footprint percentage contention noise churn volume spend
        """
    )
    + rf"(?: {WORD}){{0,3}} $"
)
_FEATURE = compile_words(
    rf"""
    \b(?:functions?|methods?|options?|flags?|features?|data|values?|fields?|results?)
    (?: {WORD}){{0,2}} $
    """
)
# A case that code is ready for, or one that did not happen; told before, and told after.
_READY = one_of(
    r"""
    (?:handl|simulat)(?:es?|ed|ing) mock(?:s|ed|ing)? retr(?:y|ies|ied) catch(?:es)? caught for on
    of avoids? prevents? fix(?:es|ed)? raises? covers? treats? such_as like cases? instead_of maps?
    injects? asserts? expects? without never no not nothing nobody no_longer stops no_\w++
    none_of_\w++_\w++
    """
)
_NO_CASE = join_lines(
    rf"""
    (?:\b{_READY}|n't)
    (?: (?:the|a|an|any|every|each|all|its|ever|requests?|calls?|http|tests?|are|is|was|were))
    {{0,4}} $
    """
)
_IDLE = compile_words(_NO_CASE)
_TIMELESS = compile_words(rf"{_NO_CASE}|\b(?:tests?|specs?|cases?|mutants?)(?: {WORD}){{0,2}} $")
_NO_NOUN = join_lines(
    r"""
    (?![\x20-](?:errors?|exceptions?|handling|handlers?|cases?|paths?|responses?|branch|tests?)
    (?: (?:are|is|was|were|now|has|have|path)){0,4} (?:\w{1,20}ed|caught)\b)
    """
)

_SIGNS = (
    Sign(compile_words(rf"\b{_IS} (?:down|offline)\b{_NOT_A_STATE}"), unless=_METRIC),
    Sign(compile_words(rf"\b{_IS} (?:unreachable|unresponsive|unhealthy)\b")),
    Sign(compile_words(rf"\b{_IS} unavailable\b"), unless=_FEATURE),
    Sign(
        compile_words(
            rf"""
            \b{_THING}(?: (?!and\b|or\b){WORD}){{0,3}}? (?:{_IS} {_BROKEN}|{_ENDED})\b{_NOT_A_STATE}
            """
        )
    ),
    Sign(compile_words(rf"{FIRST}(?:the )?(?:{WORD} ){{0,2}}?{_THING} {_OFF}{LAST}")),
    Sign(
        compile_words(
            rf"""
            \b(?:(?:{NOT_BE}|no longer|stopped|not)(?: even)? {_WORKING}\b
            (?! (?:in|the|any|a|tests|every|as|with|under|to)\b)
            |(?:does|do|did)(?: not|n't)(?: even)? {_START}\b(?:{LAST}|(?= (?:to|on|at|any)\b))
            |(?<!\bi\x20)(?<!\bwe\x20)(?<!\byou\x20)
            (?:won't|will not|refuse[sd] to|fails to|failed to|never) {_START}\b
            |never (?:came up|started|responded|answered|connected)\b)
            """
        )
    ),
    Sign(
        compile_words(
            rf"""
            \b(?:connections?(?: (?:to|from|with|on|at)(?: {WORD}){{1,5}}?)?(?: {_IS}| got| gets)?
            [ ](?:refused|reset|dropped|closed by|timed out|rejected|aborted|failed)\b{_NO_NOUN}
            |(?:refused|rejected|dropped|refuses|rejects|drops|lost|loses|closed|closes)
            (?: (?:the|our|my|all|every|any))? connections?\b
            |(?:(?:permission|access)(?: was| is)? denied|den(?:y|ies|ied) access)\b{_NO_NOUN}
            |(?:handshake|authentication) (?:has )?failed\b|socket hang[\x20-]?up\b|broken pipe\b
            |crash-?loop(?:s|ing|backoff)?\b|no such host\b|firewall (?:block|drop)(?:s|ed)\b
            |(?:there(?:'s| is| was)|due to|because of|during) (?:an|a|the) (?:{WORD} )?outage\b
            |(?:host|network|destination) (?:is |was )?unreachable\b|no route to host\b
            |e(?:connrefused|connreset|connaborted|timedout|hostunreach|netunreach|notfound)\b)
            """
        ),
        unless=_IDLE,
    ),
    Sign(compile_words(rf"\b{CANNOT}(?: even)?(?: be)? {_REACH}\b")),
    Sign(compile_words(rf"\b(?:times?|timed|timing) out\b{_NO_NOUN}"), unless=_TIMELESS),
    Sign(
        compile_words(
            rf"""
            \b(?:connection|request|network|gateway|socket|dns|ssh|read) timeouts?(?:{LAST}
            |(?= (?:from|to|on|at|after|when|while|against|occurred|happened)\b))
            """
        ),
        unless=_IDLE,
    ),
    Sign(
        compile_words(
            rf"""
            \b(?:no (?:response|reply|answer|connection) (?:from|to)
            |nothing(?: is| was)? (?:listen|answer|respond)(?:ing|s|ed)
            |ports? {WORD}(?: {_IS})? (?:closed|refused|blocked|unreachable|filtered|not listening
            |not open)
            |(?:dns|name) (?:(?:lookups?|resolution|queries|query) )?(?:for \S++ )?
            (?:fail(?:s|ed|ing|ure)?|errors?|timed out)
            |certificates?(?: {WORD}){{0,4}}? (?:has |have |had |is )?expired)\b{_NO_NOUN}
            """
        )
    ),
    Sign(
        compile_words(
            r"""
            \b(?:(?:there(?:'s| is| was)|have|has|had|got) no (?:network|internet)|no space left
            |no (?:network|internet) (?:access|connectivity|connection)|out of (?:disk|memory)
            |oom-?killed|(?:disk|quota) (?:is |was )?(?:full|exceeded)
            |(?:got|was|were|is|are|being) rate[\x20-]limited)\b
            """
        )
    ),
    Sign(compile_words(_STATUS), unless=_IDLE),
)
_DOWN = compile_words(
    rf"""
    \b(?:down|offline|dead|died|unreachable|unresponsive|unhealthy|unavailable|crash\w*+|stopped)\b
    |(?:\b(?:not|no longer|never)|n't) (?:{_WORKING}|{_START}|came up)\b
    """
)


def find_outages(reading: Reading) -> Iterator[Claim]:
    for start, end in signs_in(reading, _SIGNS):
        yield make_claim(ClaimClass.INFRASTRUCTURE, reading, start, end)


def is_down(matched: str) -> bool:
    """Whether a claim with these words says that the thing does not work at all."""
    return bool(_DOWN.search(flatten_signs(matched)))
