"""A spec is a contract, or a text with one in it; any other text asks for nothing that can fail."""

import json

from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan.brief import read_spec
from tests.tables import for_each

ASKED = {"criteria": [{"id": "C1", "text": "it greets", "check": {"command": ["make", "test"]}}]}
WRITTEN = json.dumps(ASKED)


@for_each(
    "text",
    [
        WRITTEN,
        f"\ufeff{WRITTEN}",
        f"\n  {WRITTEN}\n",
        "criteria:\n  - id: C1\n    text: it greets\n    check: {command: [make, test]}\n",
        f"# Greeting\n\nIt greets.\n\n```contract\n{WRITTEN}\n```\n\nAnd more.\n",
        f"# Greeting\r\n\r\n```contract\r\n{WRITTEN}\r\n```\r\n",
        f"@goal: Greet\nIt greets.\n\n```contract\n{WRITTEN}\n```\n",
    ],
)
def test_a_contract_is_read_however_it_is_written(text: str) -> None:
    read = read_spec(text)

    assert isinstance(read, Contract)
    assert dict(read.plain) == ASKED


@for_each(
    "text",
    [
        "",
        " \n\t\n",
        "# Greeting\n",
        "# Greeting\n\nIt must greet. Criteria: good manners.\n",
        "Note: this is prose\nthat YAML would take for a mapping.\n",
        "```contract\n```\n",
        "```contract\n\n```\n",
        "criteria: []\n",
        "{}",
        "- one\n- two\n",
    ],
)
def test_a_text_without_one_asks_for_nothing(text: str) -> None:
    assert read_spec(text) is None


def test_a_scope_alone_is_a_contract() -> None:
    read = read_spec("scope: {touch: [src/**]}\n")

    assert isinstance(read, Contract)
    assert (read.criteria, read.touch) == ((), ("src/**",))


@for_each(
    ("text", "told"),
    [
        (f"```contract\n{WRITTEN}\n```\n" * 2, "line 4: a goal takes one contract"),
        (f"It greets.\n```contract\n{WRITTEN}\n", "line 2: the contract is never closed"),
        ("criteria:\n  - {id: C1, text: x, check: {command: ['true']}}\n", "vacuous"),
        ("criteria:\n  - {id: C1, text: it is nice}\n", "for people to judge"),
        ('{"criteria": [{"id": "C1"', "not YAML"),
        (f"```yaml\ncriteria:\n{WRITTEN}\n```\n", "not YAML"),
        ("criteria: many, and well chosen\n", "expected a list"),
        ("# Greeting\n\n```contract\nC1: it greets\n```\n", "line 4"),
    ],
)
def test_one_that_cannot_be_used_is_not_taken_for_prose(text: str, told: str) -> None:
    read = read_spec(text)

    assert isinstance(read, tuple)
    assert any(told in str(problem) for problem in read), read
