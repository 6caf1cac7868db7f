"""The table of mutations follows the code: what breaks nothing would be noticed by every test."""

import re

from tools.mutations import REPO, read_table


def test_every_mutation_breaks_one_place_and_names_tests_that_there_are() -> None:
    wrong = []
    for mutation in read_table(REPO / "tools" / "mutations.toml"):
        if (REPO / mutation.file).read_text("utf-8").count(mutation.old) != 1:
            wrong.append(f"{mutation.id}: {mutation.file}")
        for test in mutation.tests:
            path, _, name = test.partition("::")
            text = (REPO / path).read_text("utf-8")
            if name and not re.search(rf"\bdef {name.partition('[')[0]}\(", text):
                wrong.append(f"{mutation.id}: {test}")

    assert wrong == []
