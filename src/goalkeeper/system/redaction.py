"""Removes secrets from the output of a program before it is stored.

There are three steps, from the surest to the widest: values of the user's own variables whose names
say that they are secret, values at places where secrets stand (after `password=`, in a URL, in a
key block), and strings that look random. Digests, paths, test ids and ordinary names stay, so that
people can read the evidence. A text may itself be quoted, with escapes for its lines and quotes.
The user's own values are also found encoded (base64, hexadecimal, in URLs, HTML and JSON) and
broken over lines. Where colours hide a secret, the colours go with it.
Every pattern is bounded or disjoint, so that the time is linear in the length of the text.
"""

from __future__ import annotations

import json
import math
import os
import re
import string
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from goalkeeper.wire.pattern import late_pattern

REDACTED = "[redacted]"

_SHORTEST_VALUE = 6  # the length of an environment variable
_SHORTEST_ASSIGNED = 4
_SHORTEST_TOKEN = 8
_SHORTEST_LINE = 16  # shorter lines of a secret with several lines may be ordinary words
_SHORTEST_ENCODED = 8  # shorter forms may stand in ordinary words
_SHORTEST_BROKEN = 12  # shorter values may be the end and the beginning of ordinary lines

_SECRET_WORDS = frozenset(
    """
    APIKEY AUTHKEY KEY KEYS PASS PASSPHRASE PASSWD PASSWORD PAT PRIVATEKEY PWD SECRET SECRETS TOKEN
    TOKENS
    """.split()  # noqa: SIM905  a column of quoted names says no more
)
# Variables with these words also say how something is done: a plain word in them is no secret.
_DOUBTFUL_WORDS = frozenset(
    "AUTH COOKIE CREDENTIAL CREDENTIALS CREDS DSN SESSION SIGNATURE WEBHOOK".split()  # noqa: SIM905
)
_UNESCAPED = frozenset(f"{string.ascii_letters}{string.digits}_.-~")  # they stand in a URL
_SECRET_ENDINGS = ("APIKEY", "CREDENTIALS", "PASSWD", "PASSWORD", "SECRET", "TOKEN")
_WORKING_FOLDERS = frozenset({"PWD", "OLDPWD"})
# Desktops and terminals tell by these which session it is.
_PUBLIC_NAME = late_pattern(
    r"(?:DBUS_SESSION|GDM|GNOME|GTK|KDE|LC|QT|XDG)_\w+|(?:DESKTOP_|GDM)SESSION|SESSION_MANAGER"
    r"|SESSIONNAME|SSH_AUTH_SOCK"
    r"|(?:I?TERM|KITTY|TMUX|WEZTERM|WT|ZELLIJ)_SESSION(?:_ID|_NAME)?"
)
_TRIVIAL = frozenset(
    """
    acct any auth bool boolean bytes changed default disabled empty enabled expected expired
    failed false field hidden include inherit int invalid is masked mismatch missing must
    never none not null object omit optional passwd password prompt redacted required reset
    same-origin secret secretstr str string token true type undefined union unknown unset
    user username wrong yes
    """.split()  # noqa: SIM905  as above
)

_KEY_BLOCK = late_pattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"[^-]*(?:-(?!----)[^-]*)*"
    r"(?:-----END [A-Z0-9 ]{0,40}-----)?"
)
_URL_USER = late_pattern(
    r"(://)(?:[^\s/:@\"']{0,256}:[^\s/\"']{1,1024}|(?=[^\s/@]{0,256}[0-9])[\w%~+-]{16,256})@"
)
_HEADER = late_pattern(
    r"(?i)((?<![a-z])(?:proxy-)?authorization|x-api-key)"
    r"(\\{0,2}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,2}[\"']?)"
    r"((?:bearer|basic|digest|token|negotiate)[ \t]{1,4})?[^\s\"'\\][^\r\n\"'\\]*"
)
_COOKIE = late_pattern(
    r"(?i)(cookie[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?[^\s\"'=;]{1,128}=)[^\r\n\"'\\]+"
)
_BEARER = late_pattern(r"(?i)(\bbearer[ \t]{1,4})[a-z0-9._~+/-]{16,}={0,2}")
_NAME = (
    r"password|passwd|passphrase|[_-]pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|account[_-]?key|signing[_-]?key|encryption[_-]?key|credentials?"
)
_SECRET_NAME = late_pattern(_NAME, re.IGNORECASE)
_QUOTE = r"\\{0,2}[\"'`]?"
_VALUE = (
    r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|\\{1,2}\"[^\"\n\\]+|"
    r"[\"']?(?:[^\s\"',;)}\]\\]|\\(?![nrt]))+)"
)
_ASSIGNED = late_pattern(
    rf"(?i)(?P<name>{_NAME}|(?<![a-z])dsn|[_-]pass|(?<![a-z_.$])pwd(?==))"
    rf"(?P<rest>(?:[_-]?(?:key|id|value|base)){{0,3}}[0-9]{{0,4}}{_QUOTE}"
    rf"[ \t]{{0,4}}(?:=>|[:=]{{1,2}})[ \t]{{0,4}}){_VALUE}"
)
# The name of a value may stand in a field of its own: {"name": "password", "value": "…"}.
_PAIRED = late_pattern(
    rf"(?i)(?P<name>(?<![a-z])(?:name|key){_QUOTE}[ \t]{{0,4}}[:=][ \t]{{0,4}}{_QUOTE}"
    rf"[\w.-]{{0,64}}?(?:{_NAME}|[_-]pass))"
    rf"(?P<rest>(?:[_-]?(?:key|id|base)){{0,3}}{_QUOTE}(?:,|\\[nr]|\s){{1,64}}"
    rf"{_QUOTE}value{_QUOTE}[ \t]{{0,4}}[:=][ \t]{{0,4}}){_VALUE}"
)
_TAGGED = late_pattern(
    rf"(?i)(?P<name><[\w:.-]{{0,64}}?(?:{_NAME}|[_-]pass))(?P<rest>>)(?P<value>[^<>\s]+)(?=</)"
)
# What follows a word without any sign may as well be the next word of a sentence.
_FOLLOWING = late_pattern(
    rf"(?i)(?P<name>(?<!\S)--?(?:[a-z]{{1,32}}-){{0,3}}?(?:{_NAME}|pass)[ \t]{{1,4}}"
    r"|(?<!\S)(?:-u[ \t]{0,4}|--user(?:=|[ \t]{1,4}))[\"']?[^\s:\"']{1,128}:"
    r"|^[ \t]{0,16}(?:login[ \t]{1,4}[^\s]{1,128}[ \t]{1,4})?password[ \t]{1,4}"
    r"(?=[^\s]{1,1024}[ \t\r]{0,16}$))"
    r"(?P<rest>[\"']?)(?P<value>(?<=\")[^\"\n]+|(?<=')[^'\n]+|[^\s\"']+)",
    re.MULTILINE,
)
_NETRC = late_pattern(
    r"((?<!\w)machine\s{1,16}[^\s]{1,256}\s{1,16}(?:login\s{1,16}[^\s]{1,256}\s{1,16})?"
    r"password[ \t]{1,16})(?!\[redacted|[{$<])[^\s]+"
)
_KNOWN = late_pattern(
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
    r"(?:AKIA|ASIA|AIza|gh[opsur]_|github_pat_|glpat-|sk-|sk_live_|sk_test_"
    r"|rk_live_|xox[abeoprs]-|npm_(?=[A-Za-z0-9]{30})|pypi-AgE|hf_(?=[A-Za-z0-9]{30})|dop_v1_"
    r"|SG\.|ya29\.|shpat_|dckr_pat_|AGE-SECRET-KEY-|dapi(?=[0-9a-f]{32})|dp\.pt\.|figd_|glsa_|hvs\."
    r"|lin_api_|sbp_|whsec_)"
    r"(?=[A-Za-z_.-]{0,40}[0-9])[A-Za-z0-9_.-]{16,}"
)
_LONG = late_pattern(
    r"(?P<mark>(?:sha(?:1|256|384|512)[-:=]|h1:))?(?P<run>[A-Za-z0-9+/_-]{20,}={0,2})",
    re.IGNORECASE,
)
_CODE = late_pattern(
    r"[A-Za-z_]+(?:\.[A-Za-z_]+)*(?:\.[A-Za-z_]+$|[(\[])"
)  # it matches password = args.password
# It matches password = new_password, and api_key: ApiKey.
_REFERENCE = late_pattern(r"(?P<snake>[a-z]+(?:_[a-z]+)+)|[a-z]*(?:[A-Z][a-z]+)+")
_PLACEHOLDER = late_pattern(
    r"\[redacted|\$[({]|\$[A-Za-z_]+(?:$|->|::|[.,\[])|\$[A-Z_][A-Z0-9_]*$|\$[0-9]?$"
    r"|[{*<%][^0-9]*$|<[^>]*>|\{.*\}$|%\(|%[-+#]?[0-9]{0,2}[A-Za-z]$|%\w+%$|\([0-9]*$|`-|[~^v]?[0-9]+(?:\.[0-9]+){1,3}$"
)
_PLAIN_WORD = late_pattern(r"[A-Za-z'’-]+[.,;:!?)]*")
_SIMPLE_WORD = late_pattern(r"[A-Z]?[a-z]{1,15}|[A-Z]{1,16}")
_METAVARIABLE = late_pattern(r"[A-Z_]+[0-9]?")  # it matches --token TOKEN1
_CONTRACT = late_pattern(r"^```contract\b", re.MULTILINE)
_FENCE = late_pattern(r"^```[ \t\r]*$", re.MULTILINE)
_HEX = late_pattern(r"[0-9a-fA-F-]+")
_WORD = late_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_JOINT = late_pattern(r"([_-])")
_PATH_STEP = late_pattern(r"[a-z]{3,}|[A-Z][a-z]{2,}")


_COLOUR = late_pattern(
    r"(?:\x1b|\\{1,2}(?:u001b|x1b|033|e))\[[0-9;:?]{0,32}[A-Za-z]", re.IGNORECASE
)
_EDGE = r"(?:[ \t│┃|]|\\{1,2}u250[23])"  # lines are also broken in boxes, and quoted
_NEW_LINE = r"(?:\\{1,2}[nr]|[\r\n])"
_BREAK = late_pattern(
    rf"(?<![ \t│┃|]){_EDGE}{{0,200}}+{_NEW_LINE}(?:{_EDGE}|{_NEW_LINE}){{0,200}}+"
)
# The digits of a byte may have a sign of their own: %73, \\x73, 0x73, \\u0073, &#x73;
_HEX_JOINT = r"(?:[ :,;%-]|0x|\\{1,2}x|\\{1,2}u00|&#x){0,3}"
_GAP = rf"(?:{_EDGE}|{_NEW_LINE}){{0,200}}"


class Redactor:
    def __init__(self, environ: Mapping[str, str]) -> None:
        secrets = [value for name, value in environ.items() if _is_secret(name, value)]
        self._own = _match_any({form for value in secrets for form in _list_forms(value)})
        in_hex = (_HEX_JOINT.join(f"{b:02x}" for b in os.fsencode(value)) for value in secrets)
        self._own_in_hex = re.compile("|".join(in_hex), re.IGNORECASE) if secrets else None
        long = {value for value in secrets if len(value) >= _SHORTEST_BROKEN}
        self._unbroken = _match_any({_BREAK.sub("", value) for value in long})

    def clean_text(self, text: str) -> str:
        return self._clean_colours(text, _redact_assigned)

    def clean_prose(self, text: str) -> str:
        """Clean what people wrote: there "the secret: patience" tells no secret."""
        return self._clean_colours(text, _redact_in_prose)

    def clean_brief(self, brief: str) -> str:
        """Clean the prose of a brief; contracts in it stay, because every word of them decides."""
        cleaned, at = "", 0
        while (begin := _CONTRACT.search(brief, at)) and (end := _FENCE.search(brief, begin.end())):
            cleaned += self.clean_prose(brief[at : begin.start()])
            cleaned += brief[begin.start() : end.end()]
            at = end.end()
        return cleaned + self.clean_prose(brief[at:])

    def _clean_colours(self, text: str, redact: Callable[[re.Match[str]], str]) -> str:
        cleaned = self._clean(text, redact)
        if _COLOUR.search(text):
            plain = self._clean(_COLOUR.sub("", text), redact)
            if plain != _COLOUR.sub("", cleaned):  # a colour stood inside of a secret
                return plain
        return cleaned

    def _clean(self, text: str, redact: Callable[[re.Match[str]], str]) -> str:
        text = _KEY_BLOCK.sub(REDACTED, text)
        if self._own is not None:
            text = self._own.sub(REDACTED, text)
        if self._own_in_hex is not None:
            text = self._own_in_hex.sub(REDACTED, text)
        if self._unbroken is not None:
            for value in set(self._unbroken.findall(_BREAK.sub("", text))):
                text = re.sub(_GAP.join(map(re.escape, value)), REDACTED, text)
        text = _URL_USER.sub(rf"\1{REDACTED}@", text)
        text = _HEADER.sub(rf"\1\2{REDACTED}", text)
        text = _COOKIE.sub(rf"\1{REDACTED}", text)
        text = _BEARER.sub(rf"\1{REDACTED}", text)
        text = _NETRC.sub(rf"\1{REDACTED}", text)
        for pattern in (_ASSIGNED, _PAIRED, _TAGGED):
            text = pattern.sub(redact, text)
        text = _FOLLOWING.sub(_redact_following, text)
        text = _KNOWN.sub(REDACTED, text)
        return _LONG.sub(_redact_long, text)


# These functions find the user's own variables.


def _is_secret(name: str, value: str) -> bool:
    words = re.split(r"[^A-Z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper())
    if not any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) for word in words):
        is_public = _PUBLIC_NAME.fullmatch(name) or _SIMPLE_WORD.fullmatch(value)
        if is_public or _DOUBTFUL_WORDS.isdisjoint(words):
            return False
    if name in _WORKING_FOLDERS:
        return False
    if len(value) < _SHORTEST_VALUE or value.lower() in _TRIVIAL:
        return False
    return not (os.path.isabs(value) and "\0" not in value and os.path.exists(value))


def _match_any(texts: set[str]) -> re.Pattern[str] | None:
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile("|".join(map(re.escape, longest_first))) if texts else None


def _list_forms(value: str) -> Iterator[str]:
    """Yield the value as it is, quoted in the usual ways, encoded, and line by line."""
    from html import escape  # noqa: PLC0415  slow, and not every user has secrets in variables

    data = os.fsencode(value)
    in_url = "".join(chr(b) if chr(b) in _UNESCAPED else f"%{b:02X}" for b in data)
    yield from (value, in_url, re.sub("%..", lambda match: match[0].lower(), in_url))
    yield in_url.replace("%20", "+")
    yield value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    yield from (json.dumps(value)[1:-1], repr(value)[1:-1], escape(value))
    yield from (line for line in value.splitlines() if len(line) >= _SHORTEST_LINE)
    yield "".join(f"&#{ord(letter)};" for letter in value)
    encoded = _list_base64(data)
    yield from (form for form in encoded if len(form) >= _SHORTEST_ENCODED)


def _list_base64(data: bytes) -> Iterator[str]:
    """Yield the characters that stand for the data, wherever it begins in what was encoded."""
    for before in range(3):
        text = b64encode(bytes(before) + data).decode()
        # A character at an end may also stand for bits of what is before or behind.
        inner = text[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        yield from (inner, inner.replace("+", "-").replace("/", "_"))


# These patterns match places where secrets stand.


def _redact_assigned(match: re.Match[str]) -> str:
    whole, name, value = match["value"], match["name"].lower(), match["value"].strip("\"'")
    digits, word = re.search(r"[0-9]", value), re.match(r"[A-Za-z-]*", value)
    is_closed = value[:1] == "{" and match.string[match.end() : match.end() + 1] == "}"
    if len(value) < _SHORTEST_ASSIGNED or is_closed or _PLACEHOLDER.match(value):
        return match[0]
    if value == whole and _is_code(value, match["rest"]):
        return match[0]
    if not digits and word and word[0].lower() in _TRIVIAL:
        return match[0]
    # Parsers print the word often: "unexpected token: identifier", "token == 0x2f".
    if name == "token" and len(value) < (_SHORTEST_TOKEN if digits else _SHORTEST_LINE):
        return match[0]
    # Programs count passes, and shells print where they are.
    if name[1:] == "pass" and not (match["name"].isupper() or _is_mixed(value)):
        return match[0]
    if name == "pwd" and value[0] in "/~.\\":
        return match[0]
    left = whole[0] if whole[0] in "\"'" else ""
    right = whole[-1] if len(whole) > 1 and left and whole[-1] == left else ""
    return f"{match['name']}{match['rest']}{left}{REDACTED}{right}"


def _is_code(value: str, sign: str) -> bool:
    """Return whether a value without quotes is an expression of a program."""
    if _CODE.match(value) or ("==" in sign and _PLAIN_WORD.fullmatch(value.replace("_", "-"))):
        return True
    named = _REFERENCE.fullmatch(value.rstrip(":.,"))
    return bool(named and ("=" in sign or not named["snake"]) and _SECRET_NAME.search(value))


def _is_mixed(value: str) -> bool:
    return bool(re.search(r"[0-9]", value) and re.search(r"[A-Za-z]", value))


def _redact_following(match: re.Match[str]) -> str:
    value = match["value"]
    is_odd = value.startswith(("/", "~", "./", "-", "@")) or "=" in value or "://" in value
    if len(value) < _SHORTEST_ASSIGNED or is_odd or _PLACEHOLDER.match(value):
        return match[0]
    before = match.string[max(0, match.start() - 200) : match.start()].rpartition("\n")[2]
    is_chosen = _is_mixed(value) and not _METAVARIABLE.fullmatch(value)
    if not is_chosen and not (match["name"].endswith(":") and "curl" in before):
        return match[0]
    return f"{match['name']}{match['rest']}{REDACTED}"


def _redact_in_prose(match: re.Match[str]) -> str:
    is_word = _PLAIN_WORD.fullmatch(match["value"]) and "=" not in match["rest"]
    return match[0] if is_word else _redact_assigned(match)


# These functions find strings that look random.


def _redact_long(match: re.Match[str]) -> str:
    run = match["run"]
    if match["mark"] or _HEX.fullmatch(run):
        return match[0]
    steps = run.split("/")
    wordy = sum(len(step) for step in steps if _PATH_STEP.fullmatch(step))
    if run.startswith("/") or wordy * 10 > len(run):  # base64 has few words between its slashes
        return "/".join(map(_redact_parts, steps))
    return _redact_parts(run)


def _redact_parts(run: str) -> str:
    if len(_JOINT.findall(run)) * 10 <= len(run):  # base64 has a joint in 32 characters
        return REDACTED if _looks_random(run) else run
    return "".join(REDACTED if _looks_random(part) else part for part in _JOINT.split(run))


def _looks_random(run: str) -> bool:
    """Return whether a text has many short stretches of one kind and no frequent character."""
    letters = "".join(_WORD.findall(run))
    size = len(letters)
    if size < 18 or _HEX.fullmatch(run):  # noqa: PLR2004  below that names look random, too
        return False
    stretch = size / len(_WORD.findall(run))
    kinds = sum(bool(re.search(kind, letters)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    shares = [number / size for number in Counter(letters).values()]
    entropy = -sum(share * math.log2(share) for share in shares)  # it is in bits for a character
    spread = entropy / math.log2(min(size, 62 if kinds == len("aA0") else 36))
    if spread < 0.8:  # noqa: PLR2004
        return False
    if kinds == len("aA0"):  # it is mixed, as base64 is
        return stretch < (3.3 if size >= 32 or spread > 0.9 else 2.7)  # noqa: PLR2004
    # These are base32 and base36; a name of that length has separators.
    return kinds == len("a0") and stretch < 3.6 and size == len(run) >= 24  # noqa: PLR2004
