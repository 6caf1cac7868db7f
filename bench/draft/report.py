"""The tables of `bench.draft`: what drafted contracts let through, and why tests were dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from goalkeeper.wire.value import Value

_BOTH = ("good", "disagreeing", "real")  # kinds of which both examiners are


class RatedTest(Value):
    """What became of one drafted test; `rule` says why it is not binding."""

    examiner: int
    standing: str
    rule: str = ""


class Drafting(Value):
    """What one kind of examiners made of one task."""

    task: str
    kind: str
    tests: tuple[RatedTest, ...]
    refused: str = ""  # the reason, if there is no contract
    correct: int = 0  # so many solutions were judged
    wrong: int = 0
    correct_refused: tuple[str, ...] = ()
    wrong_accepted: tuple[str, ...] = ()


def write_report(results: Sequence[Drafting]) -> tuple[dict[str, Any], str]:
    """Return the figures as data and as a page in Markdown."""
    kinds = dict.fromkeys(each.kind for each in results)
    rows = [_summarise(kind, [each for each in results if each.kind == kind]) for kind in kinds]
    rules = {row["examiners"]: row.pop("rules") for row in rows}
    errors = [*_list_errors(results)]
    by_rule = [
        [rule, *(rules[kind][rule] for kind in kinds)]
        for rule in sorted(set().union(*rules.values()))
    ]
    page = [
        *_draw_table([*rows[0]], [[*row.values()] for row in rows]),
        "",
        *_draw_table(["rule", *kinds], by_rule),
        "",
        *(f"- {error}" for error in errors),
    ]
    ok = not any(
        each.wrong_accepted or each.correct_refused for each in results if each.kind == "good"
    )
    return {"ok": ok, "kinds": rows, "rules": rules, "errors": errors}, "\n".join(page)


def _summarise(kind: str, results: Sequence[Drafting]) -> dict[str, Any]:
    """Count for one kind; of the tests only those of its examiners, not of the good one beside."""
    tests = [t for each in results for t in each.tests if kind in _BOTH or t.examiner < 2]
    standings = Counter(test.standing for test in tests)
    wrong, correct = (
        f"{sum(map(len, erred))} of {sum(judged)}"
        for erred, judged in (
            ([each.wrong_accepted for each in results], [each.wrong for each in results]),
            ([each.correct_refused for each in results], [each.correct for each in results]),
        )
    )
    return {
        "examiners": kind,
        "tasks": len(results),
        "tests": len(tests),
        **{name: standings[name] for name in ("binding", "disputed", "weak", "dropped")},
        "no contract": sum(bool(each.refused) for each in results),
        "wrong accepted": wrong,
        "correct refused": correct,
        "rules": Counter(test.rule for test in tests if test.rule),
    }


def _list_errors(results: Sequence[Drafting]) -> Iterator[str]:
    for each in results:
        yield from (f"{each.task}, {each.kind}: accepts {name}" for name in each.wrong_accepted)
        yield from (f"{each.task}, {each.kind}: refuses {name}" for name in each.correct_refused)


def _draw_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    for line in (heads, ["---", *["--:"] * (len(heads) - 1)], *rows):
        yield f"| {' | '.join(map(str, line))} |"
