"""What is asked: the questions of the tests that a check opens, language by language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.protected import is_test
from goalkeeper.git.trees import Trees
from goalkeeper.tamper.questions.languages import LANGUAGES, QuestionLanguage
from goalkeeper.tamper.questions.model import MOST_QUESTIONS, Question, QuestionSheet
from goalkeeper.tamper.source import MOST_BYTES, is_test_code
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import text_of
from goalkeeper.wire.value import Value

_LOOKED_AT = 3  # times as many questions as are asked


class QuestionRound(Value):
    """The questions of one language that one check asks."""

    language: QuestionLanguage
    sheets: tuple[QuestionSheet, ...]

    @cached_property
    def questions(self) -> list[tuple[str, Question]]:
        return [(sheet.path, question) for sheet in self.sheets for question in sheet.questions]


def read_rounds(
    trees: Trees, tree: str, seed: str, askers: Mapping[str, str], red: Collection[str]
) -> dict[str, list[QuestionRound]]:
    """Return the rounds by check; only so many questions are asked, those of red tests first."""
    entries = trees.list_entries(tree)
    red_names = {test.rpartition("::")[2].partition("[")[0] for test in red}
    found: dict[str, list[QuestionRound]] = {}
    left = MOST_QUESTIONS

    def rank_file(path: str) -> bool:
        return not any(test.startswith(f"{path}::") for test in red)

    def rank_question(put: Question) -> bool:
        return put.test not in red_names

    def read_text(place: str) -> str | None:
        data = trees.open_tree(tree).read_file(place) if is_test_code(place) else None
        return text_of(data) if data is not None and len(data) <= MOST_BYTES else None

    def read_sheet(language: QuestionLanguage, path: str) -> QuestionSheet | None:
        data = trees.open_tree(tree).read_file(path) if is_test(path) else None
        if data is None or len(data) > MOST_BYTES:
            return None
        try:
            return language.read(text_of(data), path, Chooser(seed, path), read_text)
        except RecursionError:
            return None

    for check in dict.fromkeys(askers.values()):
        for language in LANGUAGES:
            paths = [p for p, asker in askers.items() if asker == check and p in entries]
            read: list[QuestionSheet] = []
            for path in filter(language.is_written_in, sorted(paths, key=rank_file)):
                is_enough = sum(len(sheet.questions) for sheet in read) >= _LOOKED_AT * left
                sheet = None if is_enough else read_sheet(language, path)
                read += [sheet] if sheet else []
            sheets = [
                sheet.replace(questions=tuple(sorted(chosen, key=rank_question)))
                for sheet, chosen in zip(
                    read, _choose(read, left, rank_file, rank_question), strict=True
                )
                if chosen
            ]
            left -= sum(len(sheet.questions) for sheet in sheets)
            if sheets:
                found.setdefault(check, []).append(QuestionRound(language, tuple(sheets)))
    return found


def _choose(
    sheets: Sequence[QuestionSheet],
    most: int,
    rank_file: Callable[[str], bool],
    rank_question: Callable[[Question], bool],
) -> list[list[Question]]:
    """Return questions of each sheet, as many as may be asked: one of each test, then the next."""
    turns = Counter[tuple[int, str]]()
    ranked = []
    for place, sheet in enumerate(sheets):
        for order, put in enumerate(sheet.questions):
            named = put.test or str(put.line)
            turns[place, named] += 1
            turn = turns[place, named]
            ranked.append(((rank_file(sheet.path), rank_question(put), turn, place, order), put))
    ranked.sort(key=lambda each: each[0])
    chosen: list[list[Question]] = [[] for _ in sheets]
    for (*_, place, _), put in sorted(ranked[:most], key=lambda each: each[0][3:]):
        chosen[place].append(put)
    return chosen


def list_own_names(check: Check) -> list[str]:
    """Return the names that a check sets by itself: the product may be made for them."""
    own = check.options.get("env")
    return sorted(own) if isinstance(own, Mapping) else []
