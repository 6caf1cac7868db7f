"""Notes: lines are added to what is there, and nothing else of the repository changes."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from goalkeeper.git.notes import attach_lines
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.verifier.repository import NOTES
from goalkeeper.verifier.statement import MOST_BYTES
from tests.contract.witness.repository import Repository

REFUSES = "#!/bin/sh\necho ran >> {log}\nexit 1\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.write("product.txt", "one\n")
    made.commit()
    return made


def trees(repository: Repository) -> Trees:
    return Trees(str(repository.root), str(repository.root.parent / "store"))


def attached(repository: Repository, *lines: bytes, commit: str = "HEAD") -> int | None:
    return attach_lines(trees(repository), repository.git("rev-parse", commit), lines)


def note(repository: Repository, commit: str = "HEAD", ref: str = NOTES) -> list[str]:
    return repository.git("notes", "--ref", ref, "show", commit).split("\n")


def beside(repository: Repository) -> dict[str, str]:
    """All but our notes, the log of them, and objects."""
    ours = ("/.git/refs/notes", "/.git/logs/refs/notes", "/.git/objects/")
    found = repository.fingerprint().items()
    return {path: seen for path, seen in found if not any(name in path for name in ours)}


def noted_by(repository: Repository, ref: str, data: bytes) -> None:
    blob = repository.git("hash-object", "-w", "--stdin", input=data)
    repository.git("notes", "--ref", ref, "add", "--force", "-C", blob, "HEAD")


def test_each_line_is_there_once_and_in_order(repository: Repository) -> None:
    assert attached(repository, b"first", b"second") == 2
    tip = repository.git("rev-parse", NOTES)

    assert attached(repository, b"second", b"first") == 0
    assert repository.git("rev-parse", NOTES) == tip
    assert attached(repository, b"second", b"third") == 1
    assert note(repository) == ["first", "second", "third"]


def test_each_commit_has_its_own(repository: Repository) -> None:
    repository.write("product.txt", "two\n")
    repository.commit()
    attached(repository, b"second")
    attached(repository, b"first", commit="HEAD~1")

    assert (note(repository), note(repository, "HEAD~1")) == (["second"], ["first"])


def test_what_others_wrote_there_stays(repository: Repository) -> None:
    noted_by(repository, NOTES, b"\xff by hand\n\nno end")
    noted_by(repository, "refs/notes/commits", b"mine\n")
    attached(repository, b"ours")

    blob = repository.git("notes", "--ref", NOTES, "list", "HEAD")
    kept = os.fsencode(repository.git("cat-file", "blob", blob))
    assert kept == b"\xff by hand\nno end\nours"
    assert note(repository, ref="refs/notes/commits") == ["mine"]


def test_index_branch_files_and_other_notes_are_not_touched(repository: Repository) -> None:
    noted_by(repository, "refs/notes/commits", b"mine\n")
    repository.write("staged.txt", "staged\n")
    repository.git("add", "staged.txt")
    repository.write("product.txt", "changed\n")
    repository.write("untracked.txt", "mine\n")
    mine = repository.git("rev-parse", "refs/notes/commits")
    before = beside(repository)

    attached(repository, b"ours")

    assert beside(repository) == before
    assert repository.git("rev-parse", "refs/notes/commits") == mine
    refs = repository.git("for-each-ref", "--format=%(refname)").split("\n")
    assert refs == ["refs/heads/main", "refs/notes/commits", NOTES]
    assert not list(Path(trees(repository).git_dir, "refs/notes").glob("*"))


def test_settings_and_hooks_of_others_have_no_say(repository: Repository, tmp_path: Path) -> None:
    log = tmp_path / "log"
    for name in ("reference-transaction", "post-commit", "pre-commit", "commit-msg"):
        repository.write(f".git/hooks/{name}", REFUSES.format(log=log), 0o755)
    signer = repository.write("../signer", REFUSES.format(log=log), 0o755)
    for name, value in {
        "core.notesRef": "refs/notes/mine",
        "notes.rewriteRef": "refs/notes/*",
        "notes.displayRef": "refs/notes/*",
        "notes.mergeStrategy": "theirs",
        "commit.gpgSign": "true",
        "gpg.program": str(signer),
        "user.useConfigOnly": "true",
        "core.editor": str(signer),
        "core.logAllRefUpdates": "always",
        "core.sharedRepository": "group",
        "i18n.commitEncoding": "latin1",
    }.items():
        repository.git("config", name, value)
    before = beside(repository)

    assert attached(repository, b"ours") == 1

    assert note(repository) == ["ours"]
    assert (beside(repository), log.exists()) == (before, False)
    assert "goalkeeper@localhost" in repository.git("log", "-1", "--format=%ae %ce", NOTES)


def test_a_name_that_leads_to_a_branch_is_not_followed(repository: Repository) -> None:
    repository.git("symbolic-ref", NOTES, "refs/heads/main")
    head = repository.git("rev-parse", "HEAD")

    attached(repository, b"ours")

    assert repository.git("rev-parse", "refs/heads/main") == head
    assert note(repository) == ["ours"]


@pytest.mark.parametrize("what", ["HEAD^{tree}", "HEAD:product.txt"])
def test_where_notes_are_none_nothing_is_made_of_them(repository: Repository, what: str) -> None:
    odd = repository.git("rev-parse", what)
    repository.git("update-ref", NOTES, odd)

    with pytest.raises(GitFailed):
        attached(repository, b"ours")
    assert repository.git("rev-parse", NOTES) == odd


def test_a_folder_in_the_way_is_named(repository: Repository) -> None:
    repository.git("update-ref", f"{NOTES}/other", "HEAD")

    with pytest.raises(GitFailed) as told:
        attached(repository, b"ours")
    assert f"{NOTES}/other" in told.value.message


def test_a_note_that_nobody_would_read_is_left_alone(repository: Repository) -> None:
    noted_by(repository, NOTES, b"x" * (MOST_BYTES - 3))
    tip = repository.git("rev-parse", NOTES)

    assert attached(repository, b"ours") is None
    noted_by(repository, NOTES, b"x" * (MOST_BYTES + 1))
    assert attached(repository, b"ours") is None
    assert repository.git("rev-parse", f"{NOTES}~1") == tip


def test_writers_at_the_same_time_lose_nothing(repository: Repository) -> None:
    lines = [b"line %d" % number for number in range(6)]

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda line: attached(repository, line), lines)) == [1] * 6

    assert sorted(note(repository)) == [line.decode() for line in lines]


def test_a_linked_worktree_writes_to_the_same_notes(repository: Repository) -> None:
    linked = repository.root.parent / "linked"
    repository.git("worktree", "add", "--quiet", "-b", "work", str(linked))
    made = Trees(str(linked), str(linked.parent / "other-store"))

    assert attach_lines(made, repository.git("rev-parse", "HEAD"), [b"ours"]) == 1
    assert note(repository) == ["ours"]


def test_ids_may_be_long(tmp_path: Path) -> None:
    long = Repository(tmp_path / "long", "--object-format=sha256")
    long.commit()

    assert (attached(long, b"ours"), attached(long, b"more")) == (1, 1)
    assert note(long) == ["ours", "more"]
