"""The candidate with base's tests and harness, and the base with the candidate's tests."""

from pathlib import Path

import pytest

from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.git.trees import Trees
from goalkeeper.witness.variants import TreeVariants
from tests.contract.witness.repository import Repository

CONTRACT = """
criteria:
  - {id: C1, text: a, check: {command: [make, test]}}
  - {id: C2, text: b, check: {shell: "cd sub && ./scripts/verify.sh | cat"}}
  - {id: C3, text: c, check: {command: [python3, tools/check_rows.py, data/rows.csv]}}
  - {id: C4, text: d, check: {command: [./serve]}}
may_change: [tests/test_new.py, golden/free/**]
"""
BASE = {
    "src/app.py": "old code\n",
    "tests/test_app.py": "old test\n",
    "tests/test_gone.py": "old test\n",
    "tests/data/rows.csv": "old data\n",
    "golden/free/a": "old\n",
    "golden/kept/a": "old\n",
    "conftest.py": "old harness\n",
    "Makefile": "old rules\n",
    "justfile": "old rules\n",
    "scripts/verify.sh": "old script\n",
    "tools/check_rows.py": "old check\n",
    "serve": "old program\n",
    "pyproject.toml": '[project]\nname = "old"\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    "web/package.json": '{"name": "old", "scripts": {"test": "jest"}}\n',
    ".github/workflows/ci.yml": "old\n",
}
WORK = {
    **{path: text.replace("old", "new") for path, text in BASE.items()},
    "src/more.py": "new code\n",
    "tests/test_new.py": "new test\n",
    "tests/test_other.py": "new test\n",
    "sub/conftest.py": "new harness\n",
    "pytest.ini": "new harness\n",
    "pyproject.toml": '[project]\nname = "new"\n[tool.pytest.ini_options]\naddopts = "-x"\n',
    "web/package.json": '{"name": "new", "scripts": {"test": "true"}}\n',
    "added/package.json": '{"name": "new", "scripts": {"test": "true"}}\n',
    "broken/pyproject.toml": "not toml\n",
}


def variants_of(repo: Repository) -> tuple[Trees, TreeVariants]:
    for path, contents in BASE.items():
        repo.write(path, contents)
    trees = repo.trees()
    base = trees.take_snapshot().tree
    for path, contents in WORK.items():
        repo.write(path, contents)
    (repo.root / "tests/test_gone.py").unlink()
    contract = read_text(CONTRACT)
    assert isinstance(contract, Contract), contract
    return trees, TreeVariants(trees, contract, base, trees.take_snapshot().tree)


def texts(trees: Trees, tree: str) -> dict[str, str]:
    entries = trees.list_entries(tree)
    contents = trees.read_blobs([blob.id for blob in entries.values()])
    return {path: contents[blob.id].decode() for path, blob in entries.items()}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def test_what_decides_comes_from_base_and_the_work_from_the_candidate(repo: Repository) -> None:
    trees, variants = variants_of(repo)

    guarded = texts(trees, variants.guarded)

    from_base = (
        "tests/test_app.py", "tests/test_gone.py", "tests/data/rows.csv", "golden/kept/a",
        "conftest.py", "Makefile", "scripts/verify.sh", "tools/check_rows.py",
        ".github/workflows/ci.yml",
    )  # fmt: skip
    assert {path: guarded[path] for path in from_base} == {path: BASE[path] for path in from_base}
    free = ("src/app.py", "src/more.py", "justfile", "serve", "golden/free/a", "tests/test_new.py")
    assert {path: guarded[path] for path in free} == {path: WORK[path] for path in free}
    removed = {"sub/conftest.py", "pytest.ini", "tests/test_other.py", "broken/pyproject.toml"}
    assert not removed & guarded.keys()
    assert 'name = "new"' in guarded["pyproject.toml"]
    assert 'addopts = "-q"' in guarded["pyproject.toml"]
    assert '"jest"' in guarded["web/package.json"]
    assert '"new"' in guarded["web/package.json"]
    assert "scripts" not in guarded["added/package.json"]


def test_the_candidates_tests_stand_on_the_bases_code(repo: Repository) -> None:
    trees, variants = variants_of(repo)

    found = texts(trees, variants.tests_on_base)

    assert found["src/app.py"] == BASE["src/app.py"]
    assert "src/more.py" not in found
    assert found["Makefile"] == BASE["Makefile"]
    for path in ("tests/test_app.py", "tests/test_new.py", "tests/data/rows.csv", "conftest.py"):
        assert found[path] == WORK[path]
    assert "tests/test_gone.py" not in found


def test_files_that_cannot_be_read_are_taken_from_base(repo: Repository) -> None:
    trees, variants = variants_of(repo)
    repo.write("pyproject.toml", "[tool.pytest.ini_options\n")
    (repo.root / "web/package.json").unlink()
    broken = TreeVariants(trees, variants._contract, variants.base, trees.take_snapshot().tree)

    guarded = texts(trees, broken.guarded)

    assert guarded["pyproject.toml"] == BASE["pyproject.toml"]
    assert guarded["web/package.json"] == BASE["web/package.json"]


def test_test_data_is_whole_whatever_it_is_called(repo: Repository) -> None:
    repo.write("tests/data/package.json", '{"name": "old"}\n')
    trees = repo.trees()
    base = trees.take_snapshot().tree
    repo.write("tests/data/package.json", '{"name": "new"}\n')

    assert TreeVariants(trees, Contract(), base, trees.take_snapshot().tree).guarded == base


def test_the_contract_can_free_all_of_it(repo: Repository) -> None:
    trees, some = variants_of(repo)
    contract = some._contract.replace(may_change=("**",))
    variants = TreeVariants(trees, contract, some.base, some.candidate)

    assert variants.guarded == variants.candidate
    assert variants.find_protected(variants.base_entries) == {}


def test_without_changes_there_is_one_tree(repo: Repository) -> None:
    trees, variants = variants_of(repo)
    same = TreeVariants(trees, variants._contract, variants.base, variants.base)

    assert same.guarded == same.candidate == same.tests_on_base == same.base
    assert same.differing == []


def test_a_mode_or_a_link_is_a_difference_too(repo: Repository) -> None:
    trees, variants = variants_of(repo)
    for path, text in BASE.items():
        repo.write(path, text)
    for path in WORK.keys() - BASE.keys():
        (repo.root / path).unlink()
    (repo.root / "tests/test_app.py").chmod(0o755)
    (repo.root / "conftest.py").unlink()
    (repo.root / "conftest.py").symlink_to("src/app.py")
    (repo.root / "pyproject.toml").unlink()
    (repo.root / "pyproject.toml").symlink_to("serve")
    again = TreeVariants(trees, variants._contract, variants.base, trees.take_snapshot().tree)

    assert again.differing == ["conftest.py", "pyproject.toml", "tests/test_app.py"]
    assert again.guarded == variants.base


def test_a_folder_in_the_place_of_a_test_is_replaced(repo: Repository) -> None:
    trees, variants = variants_of(repo)
    (repo.root / "tests/test_app.py").unlink()
    repo.write("tests/test_app.py/conftest.py", "evil")
    odd = TreeVariants(trees, variants._contract, variants.base, trees.take_snapshot().tree)

    guarded = texts(trees, odd.guarded)

    assert guarded["tests/test_app.py"] == BASE["tests/test_app.py"]
