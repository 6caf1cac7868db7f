"""Lines that a change adds, for files that need no grammar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from goalkeeper.core.contract.findings import Level
from goalkeeper.core.contract.protected import Role, is_checking_name, role_of_path
from goalkeeper.tamper.catalog import review_rules
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import (
    ChangedFile,
    Tree,
    is_product,
    is_prose,
    is_python,
    is_script,
    is_shell,
)

_COOKIE_LINES = 2  # where Python looks for the encoding
MOST_CHARACTERS = 2000  # of a line; patterns must not take for ever
_TEST_FILE = re.compile(r"(?:tests?|specs?|__tests__|golden)/[\w./-]*\w")
_HELPING = re.compile(r"(.*/)?(scripts?|tools?|bench\w*|ci|docs?|tasks|noxfile|setup)(/.*|\.\w+)")
_PRELOAD = re.compile(
    r"\b(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PYTEST_ADDOPTS|PYTEST_PLUGINS"
    r"|PYTHONSTARTUP|PERL5OPT|RUBYOPT|MAKEFILES)\b['\"]?\]?\s*(=(?!=)|:)\s*(?!['\"]{2}|\s|$)"
)
_HIDDEN = re.compile(
    r"\bexec\(\s*(open|compile|Path|pathlib|zlib|base64|codecs|marshal|__import__)\b"
    r"|\bCDLL\(.*\)\s*\.\s*(_?exit|_Exit|abort|kill|raise)\b"
    r"|\bsys\.modules\[\s*['\"](unittest|_?pytest)\b"
)
_COOKIE = re.compile(
    r"\s*#.*?coding[:=]\s*(?!utf-?8|ascii|latin|iso-8859|cp125)([-\w.]+)", re.IGNORECASE
)
_NODE_OPTIONS = re.compile(r"\bNODE_OPTIONS\b.*(--require|--import|-r |--loader|--test)")
_MAKE_FLAGS = re.compile(r"\bMAKEFLAGS=['\"]?-?\w*[ikn]\b")


def find_added_lines(pair: ChangedFile) -> Iterator[tuple[int, str]]:
    """This gives the lines that the candidate has more often than the base, with their numbers."""
    if pair.new is None:
        return
    known = Counter(line.strip() for line in pair.old.text.splitlines()) if pair.old else Counter()
    for number, line in enumerate(pair.new.text.splitlines(), start=1):
        stripped = line.strip()
        if known[stripped] > 0:
            known[stripped] -= 1
        elif stripped:
            yield number, line[:MOST_CHARACTERS]


def find_line_tricks(pair: ChangedFile) -> Iterator[Sighting]:
    if is_prose(pair.path):
        return
    for number, line in find_added_lines(pair):
        if found := _PRELOAD.search(line) or _NODE_OPTIONS.search(line) or _MAKE_FLAGS.search(line):
            text = f"sets {found[0].split('=')[0].strip(chr(34) + chr(39) + ' ]:')}"
            # In a program only what changes its own environment counts; the rest may be a text.
            in_code = is_python(pair.path) or is_script(pair.path)
            mild = in_code and not re.search(r"\benviron\b|process\.env\b", line)
            yield Sighting("library-preloaded", pair.path, number, text, line.strip(), mild)


def match_line_patterns(pair: ChangedFile) -> Iterator[Sighting]:
    """Some rules are only patterns in the catalogue; this finds what they see."""
    if is_prose(pair.path):
        return
    known = [
        (rule.id, each)
        for rule in review_rules().values()
        for each in rule.lines
        if each.files.fullmatch(pair.path)
    ]
    for number, line in find_added_lines(pair) if known else ():
        for rule, each in known:
            if found := each.pattern.search(line):
                whole = (found[1] if each.pattern.groups else found[0]).strip()
                text = each.message.format(found=whole, line=line.strip())
                mild = each.level is Level.ADVISORY
                yield Sighting(rule, pair.path, number, text, line.strip(), mild)


def find_hidden_code(pair: ChangedFile) -> Iterator[Sighting]:
    """Python can run what a reader does not see: data, C, text in an odd encoding."""
    if pair.new is None or not is_python(pair.path) or not is_product(pair.path):
        return
    mild = bool(_HELPING.fullmatch(pair.path))
    for number, line in find_added_lines(pair):
        odd = _COOKIE.match(line) if number <= _COOKIE_LINES else None
        if found := _HIDDEN.search(line) or odd:
            text = f"`{found[0].strip()}` hides what is run"
            yield Sighting("hidden-code", pair.path, number, text, line.strip(), mild)


def find_test_names(pair: ChangedFile, tree: Tree) -> Iterator[Sighting]:
    """Product code has no reason to name a file of the tests."""
    source = pair.new
    if source is None or not is_product(pair.path):
        return
    if not (is_python(pair.path) or is_script(pair.path) or is_shell(source)):
        return
    helping = bool(_HELPING.fullmatch(pair.path)) or is_checking_name(pair.path)
    for number, line in find_added_lines(pair):
        for found in _TEST_FILE.finditer(line):
            path = found[0]
            known = role_of_path(path) in {Role.TEST, Role.DATA} and tree(path) is not None
            if known and not line.lstrip().startswith(("#", "//", "*")):
                text = f"product code names {path}, which belongs to the tests"
                yield Sighting("tests-read", pair.path, number, text, line.strip(), helping)
