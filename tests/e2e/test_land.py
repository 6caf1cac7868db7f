"""`land`: proven work comes to the user's branch, or nothing changes."""

import pytest

from tests.e2e.drives import BOTH, FIX, NOTE, NOTED, Driven, write
from tests.e2e.project import belongings, contract

ADDS = write("added.txt", "by the agent\n")


@pytest.fixture
def proven(driven: Driven) -> Driven:
    """A run that is done, begun in a repository that goalkeeper was set up in."""
    driven.ok("init", "--yes")
    driven.commit("goalkeeper")
    assert driven.drive({"G001": [FIX, ADDS]}).reason == "done"
    return driven


def head(driven: Driven) -> str:
    return driven.git("rev-parse", "HEAD").strip()


def content(driven: Driven) -> dict[str, str]:
    """What is the user's, objects that nobody refers to and git's own notes left out."""
    notes = (".git/objects", ".git/ORIG_HEAD", ".git/index")
    whole = belongings(driven.root)
    return {path: seen for path, seen in whole.items() if not path.startswith(notes)}


def test_on_a_branch_that_did_not_move_each_goal_is_one_titled_commit(proven: Driven) -> None:
    before = head(proven)
    assert proven.run("status").out.endswith("next: goalkeeper land\n")
    landed = proven.ok("land")

    assert (landed["how"], landed["is_proven_tree"]) == ("commit", True)
    assert proven.git("rev-parse", "HEAD^").strip() == before
    said = proven.git("log", "-1", "--format=%B")
    assert said.startswith("Part 1\n\nGoalkeeper-Run: ")
    assert "Goal: G001\nGoalkeeper-Receipt: sha256:" in said
    assert (proven.mine(), proven.mine("added.txt")) == ("fixed\n", "by the agent\n")
    assert proven.git("status", "--short") == ""
    assert not proven.worktree().exists()


def test_the_iterations_come_along_where_that_is_asked_for(proven: Driven) -> None:
    branch = proven.git("rev-parse", proven.branch()).strip()
    landed = proven.ok("land", "--keep-history")

    assert (landed["how"], landed["commit"]) == ("fast-forward", branch)


def test_what_landed_already_lands_no_more(proven: Driven) -> None:
    landed = proven.ok("land")["commit"]

    again = proven.ok("land")
    assert (again["how"], again["commit"]) == ("already there", landed)


def test_on_a_branch_that_moved_one_commit_brings_it_in(proven: Driven) -> None:
    proven.write({"mine.txt": "mine\n"})
    mine = proven.commit("mine")
    landed = proven.ok("land")

    assert landed["how"] == "commit"
    assert proven.git("rev-parse", "HEAD^").strip() == mine
    assert (proven.mine(), proven.mine("mine.txt")) == ("fixed\n", "mine\n")
    said = proven.git("log", "-1", "--format=%B")
    assert said.startswith("Part 1\n\nGoalkeeper-Run: ")
    assert "Goal: G001" in said


def test_each_goal_is_a_commit_of_its_own(driven: Driven) -> None:
    driven.ask(contract(), NOTED)
    driven.drive({"G001": [FIX], "G002": [NOTE]})
    driven.write({"mine.txt": "mine\n"})
    driven.commit("mine")
    driven.ok("land")

    assert driven.git("log", "-3", "--format=%s").split("\n")[:3] == ["Part 2", "Part 1", "mine"]
    changed = [driven.git("diff", "--name-only", f"HEAD~{n}~", f"HEAD~{n}") for n in (0, 1)]
    assert changed == ["notes.txt\n", "product.txt\n"]


def test_a_conflict_changes_nothing(proven: Driven) -> None:
    proven.write({"product.txt": "mended by me\n"})
    proven.commit("mine")
    before = content(proven)
    answer = proven.run("land", "--json")

    assert (answer.code, answer.reason) == (1, "conflict")
    assert answer.json["error"]["facts"]["files"] == ["product.txt"]
    assert content(proven) == before
    assert proven.git("status", "--short") == ""


def test_a_conflict_of_the_second_goal_lands_no_first(driven: Driven) -> None:
    driven.ask(contract(), NOTED)
    driven.drive({"G001": [FIX], "G002": [NOTE]})
    driven.write({"notes.txt": "mine\n"})
    driven.commit("mine")
    before = content(driven)

    assert driven.refused("land") == "conflict"
    assert content(driven) == before


@pytest.mark.parametrize("name", ["product.txt", "added.txt"], ids=["changed", "untracked"])
def test_files_in_the_way_are_not_overwritten(proven: Driven, name: str) -> None:
    proven.write({name: "mine\n"})
    before = content(proven)

    assert proven.refused("land") == "not-merged"
    assert content(proven) == before
    assert proven.mine(name) == "mine\n"


def test_a_dirty_checkout_with_nothing_in_the_way_stays_dirty(proven: Driven) -> None:
    proven.write({"notes.txt": "staged\n"})
    proven.git("add", "notes.txt")
    proven.write({"notes.txt": "changed\n", "untracked.txt": "mine\n"})
    before = proven.git("status", "--short")

    proven.ok("land")
    assert proven.git("status", "--short") == before
    assert proven.mine() == "fixed\n"


def test_what_was_uncommitted_at_the_start_stays_uncommitted(driven: Driven) -> None:
    driven.write({"notes.txt": "changed\n", "untracked.txt": "mine\n"})
    driven.drive({"G001": [FIX]})
    driven.ok("land")

    assert driven.git("show", "--name-only", "--format=", "HEAD") == "product.txt\n"
    assert driven.git("status", "--short", "notes.txt", "untracked.txt") == (
        " M notes.txt\n?? untracked.txt\n"
    )


def test_a_detached_head_is_no_place_to_land(proven: Driven) -> None:
    proven.git("checkout", "--quiet", "--detach")
    before = head(proven)

    assert proven.refused("land") == "no-branch"
    (proven.root / ".git/rebase-merge").mkdir()
    assert proven.refused("land") == "rebase-under-way"
    assert head(proven) == before


def test_it_lands_where_the_user_is_and_not_where_the_environment_points(proven: Driven) -> None:
    main, linked = head(proven), proven.home / "linked"
    proven.git("worktree", "add", "--quiet", "-b", "side", linked)
    other = proven.home / "other"
    proven.git("clone", "--quiet", proven.root, other)
    elsewhere = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / ".git/index"),
        "GIT_COMMON_DIR": str(other / ".git"),
    }

    landed = proven.ok("land", cwd=linked, env=elsewhere)["commit"]

    assert proven.git("rev-parse", "side").strip() == landed != main
    assert (linked / "product.txt").read_text() == "fixed\n"
    assert (head(proven), proven.mine()) == (main, "broken\n")
    assert proven.git("rev-parse", "HEAD", cwd=other).strip() == main
    assert proven.git("status", "--short", cwd=other) == ""


def test_a_branch_without_a_commit_is_no_place_to_land(proven: Driven) -> None:
    proven.git("checkout", "--quiet", "--orphan", "empty")

    assert proven.refused("land") == "no-commit"


def test_proven_work_lands_also_when_its_branch_is_gone(proven: Driven) -> None:
    proven.git("worktree", "remove", "--force", proven.worktree())
    proven.git("branch", "-D", proven.branch())

    assert proven.run("land").code == 0
    assert (proven.root / "product.txt").read_text() == "fixed\n"


def test_what_is_not_proven_does_not_land(driven: Driven) -> None:
    driven.ask(BOTH)
    driven.drive({"G001": [FIX]})
    before = content(driven)

    assert driven.refused("land") == "nothing-proven"
    assert content(driven) == before


def test_without_a_drive_there_is_nothing_to_land(driven: Driven) -> None:
    driven.begin(contract())
    torn = driven.state / "runs/20260101-000000-aaaa/ledger.jsonl"
    torn.parent.mkdir()
    torn.write_text('{"seq":')  # it is another run's affair

    assert driven.refused("land") == "nothing-proven"


def test_it_lands_on_the_branch_that_the_user_is_on(proven: Driven) -> None:
    main = proven.git("rev-parse", "main")
    proven.git("checkout", "--quiet", "-b", "feature")
    proven.ok("land")

    assert proven.git("rev-parse", "main") == main
    assert proven.git("show", "feature:product.txt") == "fixed\n"


def test_what_git_wrote_with_other_bytes_than_were_proven_is_told(proven: Driven) -> None:
    own = proven.home / ".gitconfig"
    proven.git("config", "--file", own, "filter.spoil.smudge", "tr a-z A-Z")
    (proven.root / ".git/info").mkdir(exist_ok=True)
    (proven.root / ".git/info/attributes").write_text("added.txt filter=spoil\n")

    landed = proven.run("land", "--json")

    assert (landed.code, landed.json["is_proven_tree"]) == (1, False)
    assert landed.json["altered"] == ["added.txt"]


def test_no_git_and_no_client_of_the_repository_is_started(proven: Driven) -> None:
    mark = proven.home / "mark"
    for name in ("git", "claude", "codex"):
        proven.write({f"bin/{name}": f"#!/bin/sh\ntouch {mark}\necho 9.9.9\n"})
        (proven.root / "bin" / name).chmod(0o755)
    first = {"PATH": f"{proven.root}/bin:{proven.environ()['PATH']!s}"}

    listed = proven.run("agents", "list", "--json", env=first).json["agents"]
    assert [each["version"] for each in listed if each["client"] in {"claude", "codex"}] == ["", ""]
    assert proven.run("land", env=first).code == 0
    assert not mark.exists()
