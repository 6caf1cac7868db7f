"""Commands that run checks, and the words that make them say yes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

CHECK = re.compile(
    r"\b(pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|bats|playwright|cypress|rspec"
    r"|npm (run )?(test|t|lint|check)|npx|yarn (run )?test|pnpm (run )?test|go (test|vet)"
    r"|cargo (test|clippy)|make (-\w+ )*(test|check|lint|verify)|just (test|check)|ruff|flake8"
    r"|mypy|eslint|tsc|pyright|node --test|shellcheck|coverage|ctest|mvn|gradle\w*|phpunit"
    r"|(?<![\w./-])[\w./-]*?(test|check|verify|lint)[\w./-]*\.(sh|py|js|mjs|ts))\b"
)
_SWALLOWED = re.compile(
    r"\|\|\s*(true|:|exit\s+0|echo\b|/bin/true|printf\b)|;\s*(true|:|exit\s+0)\s*['\"]?\s*$"
    r"|\bset\s+\+e\b|--exit-zero\b|--passWithNoTests\b|--pass-with-no-tests\b|--no-fail\b"
    r"|\|\s*(sed|awk|perl|tr)\b|--suppress-no-test-exit-code\b|--continue-on-collection-errors\b|!\s+pytest\b"
)
_NOTHING = re.compile(r"[@-]*\s*(true|:|exit\s+0|/bin/true|(echo|printf)\b[^|;&]*)?\s*(#.*)?")
_NARROW = re.compile(
    r"(?<!\S)(-k|-m|-t|--deselect\S*|--ignore(-glob)?\S*|--co|--collect-only|--lf|--last-failed"
    r"|--testNamePattern\S*|--testPathIgnorePatterns\S*|--grep\S*|--invert|--fgrep\S*|-run\S*"
    r"|--skip\S*|-skip\S*|--dry-run|-u|--update\S*|--updateSnapshot|--ci=false|--onlyChanged|-o"
    r"|--noconftest|--exclude\S*|--snapshot-update|--force-regen|--runxfail|--filter\S*|-just-print"
    r"|--test-(?:name|skip)-pattern\S*|--test-only|--no-cov|--listTests|--findRelatedTests|--bail=?\d*|--retries\S*|--reruns\S*|-i)(?!\S)"
)


def is_check(command: str) -> bool:
    return bool(CHECK.search(command))


def is_swallowed(command: str) -> bool:
    return bool(_SWALLOWED.search(command))


def is_nothing(command: str) -> bool:
    return bool(_NOTHING.fullmatch(command.strip()))


def find_narrowing(after: Sequence[str], before: Sequence[str]) -> Iterator[str]:
    """This finds new options that run fewer tests, or change what results are compared with."""
    known = {found[1] for found in _NARROW.finditer(_strip_interpreter(before))}
    for found in _NARROW.finditer(_strip_interpreter(after)):
        if found[1] not in known:
            yield found[1]


def _strip_interpreter(words: Sequence[str]) -> str:
    """The -m that belongs to the interpreter is left out."""
    return re.sub(r"\b(python\S*|py|uv run python)\s+(-\w\s+)*-m(?=\s)", "", " ".join(words))
