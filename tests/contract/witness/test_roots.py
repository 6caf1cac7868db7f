"""The first commits behind one: asked of git once, then remembered."""

from pathlib import Path

import pytest

from tests.contract.witness.repository import Repository
from tests.contract.witness.spies import Spy
from tests.contract.witness.states import plain


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "repo")
    plain(repo)
    return repo


@pytest.fixture
def spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spy:
    spy = Spy(tmp_path / "spy")
    monkeypatch.setenv("PATH", spy.path)
    return spy


def by_git(repo: Repository, commit: str) -> tuple[str, ...]:
    return tuple(sorted(repo.git("rev-list", "--max-parents=0", commit).split()))


def long_history(repo: Repository) -> str:
    """Its last commit."""
    step = "commit refs/heads/main\ncommitter A <a@example.org> {0} +0000\ndata 1\nx\n"
    steps = "".join(step.format(number) for number in range(150))
    repo.git("fast-import", "--quiet", "--force", input=steps.encode())
    repo.git("reset", "--quiet", "--hard")
    return repo.git("rev-parse", "HEAD")


def test_what_was_found_is_the_way_to_what_comes_later(repo: Repository, spy: Spy) -> None:
    last = long_history(repo)
    (first,) = by_git(repo, last)
    spy.forget()
    assert repo.trees().find_roots(last) == (first,)
    assert "rev-list" in spy.asked()
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit("on the side")
    repo.git("checkout", "--quiet", "main")
    repo.commit("on the way")
    repo.git("merge", "--quiet", "--no-ff", "--message", "together", "side")
    spy.forget()

    assert repo.trees().find_roots(repo.git("rev-parse", "HEAD")) == (first,)
    assert "rev-list" not in spy.asked()


def test_a_history_from_elsewhere_brings_its_own(repo: Repository, tmp_path: Path) -> None:
    repo.trees().find_roots(repo.git("rev-parse", "HEAD"))
    other = Repository(tmp_path / "other")
    other.write("other.txt", "other\n")
    other.commit()
    repo.git("fetch", "--quiet", str(other.root), "main")
    unrelated = ("--allow-unrelated-histories", "--message", "both", "FETCH_HEAD")
    repo.git("merge", "--quiet", *unrelated)
    head = repo.git("rev-parse", "HEAD")

    found = repo.trees().find_roots(head)

    assert found == by_git(repo, head)
    assert len(found) == 2


@pytest.mark.parametrize("memory", ["", "rubbish", "[]", '{"a": 1}', '{"%s": ["forged"]}'])
def test_a_memory_that_is_no_use_is_none(repo: Repository, memory: str) -> None:
    trees = repo.trees()
    first = repo.git("rev-parse", "HEAD")
    trees.find_roots(first)
    Path(trees.store, "roots.json").write_text(memory % ("0" * 40) if "%s" in memory else memory)
    repo.commit()
    head = repo.git("rev-parse", "HEAD")

    assert trees.find_roots(head) == (first,)


def test_a_shallow_clone_has_those_that_git_says(repo: Repository, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit(f"{number}")
    clone = Repository.__new__(Repository)
    clone.root = tmp_path / "clone"
    repo.git("clone", "--quiet", "--depth=2", f"file://{repo.root}", str(clone.root))
    head = clone.git("rev-parse", "HEAD")

    assert clone.trees().find_roots(head) == by_git(clone, head) != by_git(repo, head)
    clone.git("fetch", "--quiet", "--unshallow")
    assert clone.trees().find_roots(head) == by_git(repo, head)


def test_a_tree_is_that_of_its_commit(repo: Repository) -> None:
    head = repo.git("rev-parse", "HEAD")
    trees = repo.trees()

    assert trees.find_tree(head) == repo.git("rev-parse", "HEAD^{tree}")
    assert trees.find_tree("0" * 40) == trees.find_tree(trees.find_tree(head)) == ""
