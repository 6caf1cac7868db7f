"""What reading a drafted test shows: it is about text, private names or words that nobody gave."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property

from goalkeeper.core.draft.sources import find_source
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

READS_REPOSITORY, PRIVATE_NAMES, PINS_MESSAGE = (
    "reads-the-repository", "private-names", "pins-a-message",
)  # fmt: skip

_READING = late_pattern(
    r"\b(?:open|read_text|read_bytes|readFile|readFileSync|createReadStream)\b"
    r"|\b(?:grep|egrep|fgrep|sed|awk|cat|head|tail|cmp|diff|mapfile|readarray)\s"
)
_PIPE = late_pattern(r"\||&&")  # what a program prints may be searched
_SHELL_PARTS = late_pattern(r"\||&&|;|[$<]\((?!<)|\)|`")
_SHELL = (".sh", ".bash", ".bats")
_QUOTED = late_pattern(r"'[^'\n]*'")  # there signs mean themselves
_SIGNS = str.maketrans(dict.fromkeys("|&;$<()`", "_"))
_FED = late_pattern(r"(?<!<)<\s*[\"']?([^\s<>()|;&\"']+)")  # what a shell reads from
_PRIVATE = late_pattern(r"(?<![\w\"'])[\w)\]]*\.(_(?!_)[A-Za-z]\w*)|import\s+(_(?!_)[A-Za-z]\w*)")
_MESSAGE = late_pattern(
    r"\bmatch\s*=\s*[rbf]?([\"'])(?P<py>.+?)\1"
    r"|\bmessage\s*:\s*(?:/(?P<js>[^/\n]+)/|([\"'`])(?P<js_text>.+?)\4)"
    r"|\bassertRaisesRegex\([^,]+,\s*[rbf]?([\"'])(?P<unit>.+?)\6"
    r"|\bstr\(\w+(?:\.value)?\)\s*==\s*[rbf]?([\"'])(?P<shown>.+?)\8"
)
_OWN_NAMES = frozenset({"_asdict", "_replace", "_fields", "_make", "_exit"})  # of the language
_WORD = late_pattern(r"[^\W\d_]{3,}")


class LintFacts(Value):
    """What a test may speak of: the words of the sentence, and what the base has."""

    words: str  # the sentence, the constraints, what the user said of a draft
    surface: Collection[str]
    paths: Collection[str]  # the files that solutions make or change
    read_base: Callable[[], str]  # it gives the texts of the base's files, which may be large

    @cached_property
    def known(self) -> str:
        return f"{self.words}\n{self.read_base()}"

    @cached_property
    def known_words(self) -> str:
        return self.known.lower()


def lint_test(path: str, text: str, facts: LintFacts) -> tuple[str, str]:
    """Return the rule that the test breaks and why; two empty texts if it breaks none."""
    read = find_source(path, text, lambda: facts.known) or _find_reading(path, text, facts.paths)
    if read:
        return READS_REPOSITORY, f"it reads {read} instead of using the product"
    said = f"{facts.words} {' '.join(facts.surface)}"
    for found in _PRIVATE.finditer(text):
        name = found[1] or found[2]
        if name not in said and name not in _OWN_NAMES and name not in facts.known:
            return PRIVATE_NAMES, f"it uses {name}, which only its author knows"
    for found in _MESSAGE.finditer(text):
        groups = (found["py"], found["js"], found["js_text"], found["unit"], found["shown"])
        quoted = next(filter(None, groups), "")
        if any(word.lower() not in facts.known_words for word in _WORD.findall(quoted)):
            return PINS_MESSAGE, f"it wants the words '{quoted}', which nobody gave"
    return "", ""


def _find_reading(path: str, text: str, paths: Collection[str]) -> str:
    """Find where a test reads the text of the product; empty if nowhere."""
    names = {each.rpartition("/")[2] for each in paths}
    is_shell = path.endswith(_SHELL)
    split = _SHELL_PARTS.split if is_shell else _PIPE.split
    plain = _QUOTED.sub(lambda found: found[0].translate(_SIGNS), text) if is_shell else text
    parts = (part for line in plain.splitlines() for part in split(line))
    reads = [part for part in parts if _READING.search(part) and "write" not in part]
    reads += _FED.findall(text) if is_shell else []
    return next((name for part in reads for name in sorted(names) if name in part), "")
