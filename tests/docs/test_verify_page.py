"""The examples of docs/verify.md can be used as they stand."""

import json
import re
from pathlib import Path

from goalkeeper.core.answers import document, scanning
from goalkeeper.core.answers.document import Answers
from goalkeeper.core.contract.document import Contract, read_text
from tests.tables import for_each

PAGE = (Path(__file__).parents[2] / "docs" / "verify.md").read_text()
ASKS = "criteria:\n- {id: C1, text: it is so, check: {question: is it so?}}\n"


def shown(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


@for_each("text", shown("yaml"))
def test_a_contract_that_is_shown_is_one(text: str) -> None:
    whole = text if text.startswith("criteria") else ASKS + text

    assert isinstance(read_text(whole), Contract)


@for_each("text", shown("json"))
def test_answers_that_are_shown_are_well_said(text: str) -> None:
    found = document.read_answers(json.loads(text))
    assert isinstance(found, Answers), found

    said = {each.code for each in scanning.scan_answers(found, (), may_override=True).diagnostics}
    assert not said & {"hedge", "form"}
