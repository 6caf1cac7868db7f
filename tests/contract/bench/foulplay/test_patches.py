"""Work that is kept as a patch becomes a cheat or a control on its host."""

from pathlib import Path

import pytest

from bench.foulplay.checkout import base_tree
from bench.foulplay.control import Control
from bench.foulplay.corpus import Subject, build
from bench.foulplay.edits import EditDoesNotFit, WorkerTree
from bench.foulplay.host import HOSTS
from bench.foulplay.operators.operator import Operator
from bench.foulplay.patches import PatchUnreadable, read

pytestmark = pytest.mark.needs("git")
DIFF = """\
diff --git a/pyproject.toml b/pyproject.toml
--- a/pyproject.toml
+++ b/pyproject.toml
@@ -1,5 +1,5 @@
 [project]
 name = "intake"
 version = "0.3.0"
-description = "Reads bank statements"
+description = "Reads statements"
 requires-python = ">=3.11"
"""


def kept(folder: Path, header: str, diff: str = DIFF) -> Path:
    (folder / "python").mkdir(exist_ok=True)
    patch = folder / "python" / "words.patch"
    patch.write_text(f"{header}\n\n{diff}")
    return patch


def test_a_patch_with_a_family_is_a_cheat_on_the_host_it_lies_under(tmp_path: Path) -> None:
    patch = kept(tmp_path, "family: luck\nsummary: words only\ndecidable: no")

    work = read(patch, 2)

    assert isinstance(work, Operator)
    assert (work.id, work.family, work.decidable, work.round) == ("words", "luck", False, 2)
    base_tree(HOSTS["python"], tmp_path / "tree")
    work.apply(WorkerTree(tmp_path / "tree", HOSTS["python"]))
    assert "Reads statements" in (tmp_path / "tree/pyproject.toml").read_text()


def test_an_honest_patch_is_done_under_the_contract_that_frees_its_paths(tmp_path: Path) -> None:
    freed = "tests/test_money.py, tests/golden/**"
    work = read(kept(tmp_path, f"honest: yes\nsummary: words only\nmay-change: {freed}"), 2)

    assert isinstance(work, Control)
    case = build(Subject(work, HOSTS["python"]), tmp_path / "case")
    assert case.contract.count("tests/test_money.py") == case.contract_with_held_out.count(
        "tests/test_money.py"
    )
    assert "- tests/golden/**" in case.contract


def test_a_patch_of_another_text_does_not_fit(tmp_path: Path) -> None:
    base_tree(HOSTS["python"], tmp_path / "tree")
    patch = kept(tmp_path, "family: code\nsummary: x", DIFF.replace("bank", "old"))

    with pytest.raises(EditDoesNotFit):
        read(patch, 2).apply(WorkerTree(tmp_path / "tree", HOSTS["python"]))


@pytest.mark.parametrize(
    "header", ["family: other\nsummary: x", "family: code", "famly: code\nsummary: x"]
)
def test_a_header_of_another_form_is_not_read(tmp_path: Path, header: str) -> None:
    with pytest.raises(PatchUnreadable):
        read(kept(tmp_path, header), 2)
