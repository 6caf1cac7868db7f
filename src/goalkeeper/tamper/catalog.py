"""The catalogue of rules. Each rule is an entry in a data file, with its examples."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.words import compile_pattern
from goalkeeper.wire.value import Value

_FOLDER = Path(__file__).parent / "rules"


class Family(StrEnum):
    REMOVED = "tests removed"
    WEAKENED = "assertions weakened"
    SKIPPED = "skips and focus"
    HARNESS = "harness edits"
    PROCESS = "process tricks"
    CODE = "code tricks"
    RECORD = "contract and evidence"
    TREE = "what the tree hides"
    READING = "what could not be read"
    SCOPE = "scope"
    MANIFEST = "manifest"
    PROOF = "both sides"
    PROBE = "probes"


# The contract may allow these changes; it cannot allow tricks.
ALLOWABLE = frozenset({Family.REMOVED, Family.WEAKENED, Family.SKIPPED, Family.HARNESS})


class CodePattern(Value):
    """A rule that needs no reader: every added line or part of a program that matches is a finding.

    `files` must match the whole path, and `name` the whole name of the part. Each of `texts` must
    be found in what the part gives under that word: its text, its arguments and the like.
    `message` may name `{found}`, which is the first group that matched or all of the match.
    """

    languages: frozenset[str]
    kinds: frozenset[str]
    where: frozenset[str]  # facts that must hold of the part
    files: re.Pattern[str]
    name: re.Pattern[str]
    texts: tuple[tuple[str, re.Pattern[str]], ...]
    message: str
    level: Level


class Rule(Value):
    """One rule. `level` is the most that it says; an honest reading may lower a single finding.

    The rule fires on `example`, which documentation shows, and on every one of `bad`. It does not
    fire on any of `good`. All of them are diffs of whole files.
    """

    id: str
    family: Family
    level: Level
    summary: str
    why: str
    example: str
    mend: str
    bad: tuple[str, ...] = ()
    good: tuple[str, ...] = ()
    code: tuple[CodePattern, ...] = ()

    def describe(self) -> dict[str, str]:
        """Return what `explain` shows; the examples that are only tests are left out."""
        shown = ("id", "family", "level", "summary", "why", "example", "mend")
        return {name: getattr(self, name) for name in shown}


def read_rules(path: Path) -> list[Rule]:
    return [_read_rule(entry) for entry in tomllib.loads(path.read_text("utf-8"))["rule"]]


@cache
def review_rules() -> Mapping[str, Rule]:
    """Return the rules that a reading of the change can name, family by family."""
    found = [rule for path in sorted(_FOLDER.glob("*.toml")) for rule in read_rules(path)]
    order = list(Family)
    return {rule.id: rule for rule in sorted(found, key=lambda rule: order.index(rule.family))}


def _read_rule(entry: Mapping[str, Any]) -> Rule:
    level = Level(entry["level"])
    given = {name: entry[name] for name in entry if name not in {"lines", "files"}}
    lines = [{"language": "any", "kind": "line", **each} for each in entry.get("lines", ())]
    files = [{"language": "any", "kind": "file", **each} for each in entry.get("files", ())]
    code = [_read_code_pattern(each, level) for each in (*lines, *files, *entry.get("code", ()))]
    given |= {"family": Family(entry["family"]), "level": level, "code": tuple(code)}
    given |= {name: tuple(entry.get(name, ())) for name in ("bad", "good")}
    return Rule(**given)


def _read_code_pattern(entry: Mapping[str, str], level: Level) -> CodePattern:
    known = ("text", "arguments", "first", "owner", "calls")
    return CodePattern(
        frozenset(entry["language"].split()),
        frozenset(entry["kind"].split()),
        frozenset(entry.get("where", "").split()),
        compile_pattern(f"(?s:{entry.get('files', '.*')})"),  # paths may hold line breaks
        compile_pattern(entry.get("name", "(?s:.*)")),
        tuple((word, compile_pattern(entry[word])) for word in known if word in entry),
        entry["message"],
        Level(entry.get("level", level)),
    )
