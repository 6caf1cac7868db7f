"""A command of a plan, and what its writer expects of it, become a criterion.

People write what they expect in many ways. What says no more than success asks for exit code 0;
what cannot be asked for is a problem; all other words must occur in what the command prints.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

from goalkeeper.core.campaign.plan import PlannedCommand
from goalkeeper.core.problems import Problem, clip_line
from goalkeeper.core.schema import Node, Notes, RepositoryPath
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_TEXT_LIMIT = 200
_MOST_CODE = 255
_PASSING = frozenset(
    """
    clean cleanly compiles green ok pass passed passes passing succeed succeeded succeeds success
    successful successfully works
    """.split()  # noqa: SIM905
)
_FAULTS = frozenset("error errors failure failures issues problems regressions warnings".split())  # noqa: SIM905
_NONE = frozenset({"0", "no", "without", "zero"})
_KEPT = frozenset({"before", "regressions", "still"})  # it holds before the work, too
_SAID_WITH_THEM = frozenset(
    """
    a all and any are as be build builds check checks code command completes every everything exit
    exits failed finishes green is it lint must new now output run runs script should status suite
    test tests that the type types unit will with
    """.split()  # noqa: SIM905
)
_PROSE = _PASSING | _FAULTS | _NONE | _KEPT | _SAID_WITH_THEM
_SILENT = late_pattern(
    r"\(?(?:(?:there is |prints )?no (?:output|match(?:es)?|results?|hits?|diff(?:erences?)?)"
    r"|(?:an )?empty(?: output)?|(?:prints )?nothing|silen(?:t|ce))\)?"
)
_EXIT = (
    r"(?:(?:it|the command|command|script)\s+)?(?:(?:should|must)\s+)?"
    r"(?:exit(?:s|ed)?(?:\s+(?:with|code|status|is|of|an?))*\s*[:=]?\s*(?P<exits>\d+|zero)"
    r"|(?:return\s+code|rc)(?:\s+(?:is|of))*\s*[:=]?\s*(?P<code>\d+|zero)"
    r"|(?P<before>\d+|zero)\s+exit(?:\s+(?:code|status))?)(?![\w.])"
)
_EXIT_FIRST = late_pattern(rf"{_EXIT}[\s,;:()—–-]*(?:(?:and|with|plus)\s+)?", re.IGNORECASE)
_EXIT_LAST = late_pattern(rf"[\s,;(]+(?:(?:and|with)\s+)?{_EXIT}\)?$", re.IGNORECASE)
_NOT_EXIT = late_pattern(
    r"\bnon-?\s?(?:zero|\d+)\b|\bnot\s+(?:0|zero)\b|!=\s*0"
    r"|^(?:(?:it|the|command|tests?|should|must|still)\s+)*(?:fail(?:s|ed|ure)?|error|is red|red)$",
    re.IGNORECASE,
)
_PASSED = late_pattern(
    r"(?:all )?(?P<passed>\d+)(?: tests?)? pass(?:ed|es|ing)?"
    r"(?:,?(?: and)? (?P<skipped>\d+) skipped)?(?:,?(?: and)? 0 (?:failed|failures|errors?))?",
    re.IGNORECASE,
)
_DURATION = late_pattern(r"\s+in\s+[\d.]+\s?(?:m?s|sec(?:onds?)?)$", re.IGNORECASE)
_LEAD = late_pattern(
    r"(?:(?:the\s+)?(?:std)?out(?:put)?\s*:\s*"
    r"|(?:(?:it|(?:the\s+)?(?:output|stdout|command))\s+)?(?:(?:should|must)\s+)?"
    r"(?:contains?|includes?|prints?|shows?|outputs?|displays?|says?|is|returns?|matches)\s+)",
    re.IGNORECASE,
)
_QUOTED = late_pattern(r"`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|“([^”]+)”")
_BETWEEN = late_pattern(r"(?:\s|[,;.]|\band\b|\bplus\b|\bwith\b)*")
_PLAIN = late_pattern(r"[\w\s,;:()!–—-]+")
_DOTS = late_pattern(r"\s*(?:…|\.\.\.)\s*")
_COUNTS = late_pattern(r"\bwc\b|\bgrep\b.*\s(?:-\w*c|--count)\b|\becho\s+\"?\$\?|\bjq\b|\bprint\(")
_GREP = late_pattern(r"(?:^|[|;&]\s*)(?:git\s+)?[efz]?grep\s[^|;&]*$|(?:^|[|;&]\s*)rg\s[^|;&]*$")
_HOLLOW = late_pattern(r"'[^']*'|\"[^\"$`\\]*\"")  # a shell changes nothing in these
_SIGNS = frozenset("$|&;<>()`*?[]{}~\\#!\n'\"")
_BUILT_IN = frozenset(
    ". alias cd command eval exec export if for set source type while".split()  # noqa: SIM905
)
_QUIET = late_pattern(r"-[qvxs]+|-r\w+|--(?:quiet|verbose|exitfirst|no-header|tb=\w+|color=\w+)")
_CAPITAL = late_pattern(r"[A-Z][a-z]+(?:\s+[\w'’-]+){2,}[.!]?")
_KEPT_BY_DRIVE = late_pattern(
    r"all changes (?:are |have been |must be )?committed\b.*"
    r"|no uncommitted changes\b.*"
    r"|(?:the )?(?:git status|working tree|worktree) (?:is )?clean",
    re.IGNORECASE,
)
_STATUS = late_pattern(r"git status(?:\s+(?:-s|--short|--porcelain))?")
_STATUS_CLEAN = late_pattern(
    rf"(?:{_SILENT.pattern}|clean|.*\bnothing to commit\b.*|.*\bclean\b.*)?", re.IGNORECASE
)


class Expectation(Value):
    """What a command must do, as the plan's words were understood."""

    exit: int = 0
    stdout: str = ""  # a pattern
    passed: int = 0  # so many tests, if it says how many
    skipped: int = 0
    is_guard: bool = False
    problem: str = ""  # why nobody can ask for it


def make_criterion(planned: PlannedCommand, criterion_id: str) -> dict[str, Any] | Problem:
    """Make a criterion, as plain data of a contract."""
    command = planned.command.strip().removeprefix("$ ")
    where = f"line {planned.line}" if planned.line else "plan"
    if _CAPITAL.fullmatch(command):
        return Problem(where, f"'{clip_line(command, 60)}' is a sentence and no command")
    wanted = read_expectation(command, planned.expected)
    if wanted.problem:
        return Problem(where, f"`{clip_line(command, 60)}`: {wanted.problem}")
    said = f"{command} → {planned.expected}" if planned.expected.strip() else f"{command} succeeds"
    guard = {"guard": True} if wanted.is_guard else {}
    check = _make_check(command, wanted)
    return {"id": criterion_id, "text": clip_line(said, _TEXT_LIMIT), "check": check, **guard}


def is_kept_by_drive(planned: PlannedCommand) -> bool:
    """Return whether it only asks that everything is committed, which the drive does by itself."""
    command, expected = planned.command.strip(), planned.expected.strip()
    if _STATUS.fullmatch(command):
        return bool(_STATUS_CLEAN.fullmatch(expected))
    return bool(_KEPT_BY_DRIVE.fullmatch(command.rstrip(".")))


def read_expectation(command: str, expected: str) -> Expectation:
    text = expected.strip()
    whole = _QUOTED.fullmatch(text)
    if whole:
        return _expect_texts([next(filter(None, whole.groups()))])
    bare = " ".join(text.split()) if "\n" not in text else text
    bare = bare if bare.endswith("...") else bare.rstrip(".!;,")
    if _NOT_EXIT.search(bare):
        return Expectation(problem=f"'{bare}' cannot be asked for; say the code: exit code 1")
    if bare.isdecimal():
        return _expect_number(command, bare)
    code, rest = _split_exit(bare)
    if code > _MOST_CODE:
        return Expectation(problem=f"there is no exit code {code}")
    return _read_words(command, rest).replace(exit=code) if code else _read_words(command, rest)


def _split_exit(text: str) -> tuple[int, str]:
    """Return the exit code that a text asks for, and what else it says."""
    found = _EXIT_FIRST.match(text) or _EXIT_LAST.search(text)
    if found is None:
        return 0, text
    said = next(filter(None, found.groups()))
    return 0 if said == "zero" else int(said), (text[: found.start()] + text[found.end() :]).strip()


def _read_words(command: str, text: str) -> Expectation:
    if not text.strip(" .…-–—"):
        return Expectation()
    if _SILENT.fullmatch(text.lower()):
        finds = _GREP.search(command) and not command.startswith("!")  # it exits with 1
        return Expectation(exit=1 if finds else 0, stdout=r"\A\s*\Z")
    counted = _PASSED.fullmatch(_DURATION.sub("", text))
    words = set(re.findall(r"[^\W\d_]+|\d+", text.lower()))
    numbers = {word for word in words if word.isdecimal() and word != "0"}
    is_success = words & _PASSING or (words & _NONE and words & _FAULTS)
    is_prose = words - numbers <= _PROSE and _PLAIN.fullmatch(text)
    if is_success and is_prose and ("all" in words or not numbers):
        passed = int(counted["passed"]) if counted else 0
        return Expectation(passed=passed, is_guard=bool(words & _KEPT))
    if counted:
        passed, skipped = int(counted["passed"]), int(counted["skipped"] or 0)
        return _expect_texts([text]).replace(passed=passed, skipped=skipped)
    lead = _LEAD.match(text)
    rest = text[lead.end() :] if lead else text
    pieces = [next(filter(None, found.groups())) for found in _QUOTED.finditer(rest)]
    if pieces and (lead or _BETWEEN.fullmatch(_QUOTED.sub("", rest))):
        return _expect_texts(pieces)
    return _expect_texts([rest])


def _expect_number(command: str, number: str) -> Expectation:
    """Take 0 for an exit code, unless the command is there to print a number."""
    if int(number) == 0 and not _COUNTS.search(command):
        return Expectation()
    exits = 1 if int(number) == 0 and _GREP.search(command) else 0  # grep found nothing
    return Expectation(exit=exits, stdout=rf"(?m)^\s*{number}\s*$")


def _expect_texts(texts: Sequence[str]) -> Expectation:
    patterns = [pattern for text in texts if (pattern := _quote_text(text))]
    if not patterns:
        return Expectation(problem="it expects nothing that can be looked for")
    if len(patterns) == 1:
        return Expectation(stdout=patterns[0])
    return Expectation(stdout="(?s)" + "".join(f"(?=.*{pattern})" for pattern in patterns))


def _quote_text(text: str) -> str:
    """Return a pattern for a text; dots stand for what differs, and numbers are whole."""
    kept = _DURATION.sub("", text.strip())
    parts = [re.escape(part) for part in _DOTS.split(kept) if part]
    first = r"(?<!\d)" if kept[:1].isdecimal() else ""
    last = r"(?!\d)" if kept[-1:].isdecimal() else ""
    return f"{first}{'.*'.join(parts)}{last}" if parts else ""


def _make_check(command: str, wanted: Expectation) -> dict[str, Any]:
    words = split_plain(command)
    paths = _find_test_paths(words)
    if paths and not wanted.exit and (wanted.passed or not wanted.stdout):
        more = {"min_tests": wanted.passed, "max_skips": wanted.skipped}
        return {"pytest": paths, **{name: count for name, count in more.items() if count}}
    options = {"exit": wanted.exit, "stdout": wanted.stdout}
    main = {"command": words} if words else {"shell": command}
    return {**main, **{name: value for name, value in options.items() if value}}


def split_plain(command: str) -> list[str]:
    """Split a command that means the same without a shell; nothing if it may mean more."""
    bare = _HOLLOW.sub("", command)
    if _SIGNS.intersection(bare):
        return []
    words = shlex.split(command)
    return words if words and "=" not in words[0] and words[0] not in _BUILT_IN else []


def _find_test_paths(words: list[str]) -> list[str]:
    """Return what pytest is to run, if that and how much it says is all that it is told."""
    is_module = re.fullmatch(r"python[\d.]*", words[0]) if words else None
    rest = words[3:] if is_module and words[1:3] == ["-m", "pytest"] else []
    rest = words[1:] if words[:1] == ["pytest"] else rest
    paths = [word for word in rest if not _QUIET.fullmatch(word)]
    notes = Notes()
    for path in paths:
        RepositoryPath().read_node(Node(path, 0), "", notes)
    is_plain = not notes.problems and not any(path.startswith("-") for path in paths)
    return paths if is_plain else []
