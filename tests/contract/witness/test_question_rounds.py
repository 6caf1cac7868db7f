"""Of a suite with many questions, each test has its share."""

from pathlib import Path

from goalkeeper.tamper.questions.model import MOST_QUESTIONS
from goalkeeper.witness.probes.rounds import read_rounds
from tests.contract.witness.repository import Repository

ROWS = "\n".join(f"    assert total([{n}, {n + 1}]) == {2 * n + 1}" for n in range(MOST_QUESTIONS))
TESTS = f"from cart import total\n\n\ndef test_many():\n{ROWS}\n"
LAST = "\n\ndef test_last():\n    assert total([7000]) == 7000\n"


def test_the_last_test_is_asked_too(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    repository.write("tests/test_cart.py", TESTS + LAST)
    trees = repository.trees()
    tree = trees.take_snapshot().tree

    rounds = read_rounds(trees, tree, "seed", {"tests/test_cart.py": "C1"}, [])

    asked = [put.call for each in rounds["C1"] for _, put in each.questions]
    assert len(asked) == MOST_QUESTIONS
    assert "total([7000])" in asked
