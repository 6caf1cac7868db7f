"""What a review compares: the worktree, a branch, a pull request; and where each began."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.cli.review_trees import NoPullRequest, ask_gh
from tests.e2e.project import PATH, Files
from tests.e2e.reviews import AFTER, Submitted, report
from tests.e2e.world import Answer, Word

LATER: Files = {"notes.txt": "later\n"}


@pytest.fixture
def submitted(tmp_path: Path) -> Submitted:
    return Submitted(tmp_path)


def sides(submitted: Submitted, *words: Word, path: str = PATH) -> tuple[str, str]:
    """The base's commit, and the candidate's tree."""
    said: Any = submitted.said(*words, env={"PATH": path})
    return said["base"]["commit"], said["candidate"]["tree"]


def commit(submitted: Submitted, name: str) -> str:
    return submitted.git("rev-parse", name).strip()


def tree(submitted: Submitted, name: str = "HEAD") -> str:
    return submitted.git("rev-parse", f"{name}^{{tree}}").strip()


def problem(submitted: Submitted, *words: Word) -> str:
    answer = submitted.review(*words)
    assert (answer.code, answer.reason) == (2, "usage"), answer
    assert answer.hint
    message: str = answer.json["error"]["message"]
    return message


# The worktree


def test_a_worktree_is_compared_with_where_it_left_the_default_branch(
    submitted: Submitted,
) -> None:
    fork = commit(submitted, "main")
    submitted.git("checkout", "--quiet", "main")
    submitted.write(LATER)
    submitted.commit("somebody else's")
    submitted.git("checkout", "--quiet", "work")

    assert sides(submitted) == (fork, tree(submitted))


def test_a_dirty_worktree_counts_with_all_its_files(submitted: Submitted) -> None:
    submitted.write({"new.txt": "untracked\n", "notes.txt": "changed\n"})

    seen = sides(submitted)

    submitted.commit("as it was")
    assert seen == (commit(submitted, "main"), tree(submitted))


def test_on_the_default_branch_what_is_not_committed_is_reviewed(submitted: Submitted) -> None:
    submitted.git("branch", "master", "main")  # an old one that nobody moves any more
    submitted.git("checkout", "--quiet", "-B", "main", "work")
    submitted.write(LATER)

    base, candidate = sides(submitted)

    assert base == commit(submitted, "main")
    assert candidate != tree(submitted)


def test_on_the_default_branch_what_is_not_pushed_is_reviewed(submitted: Submitted) -> None:
    pushed = commit(submitted, "main")
    submitted.git("update-ref", "refs/remotes/origin/main", pushed)
    submitted.git("checkout", "--quiet", "-B", "main", "work")

    assert sides(submitted) == (pushed, tree(submitted))


def test_a_detached_head_is_work_like_any_other(submitted: Submitted) -> None:
    submitted.git("checkout", "--quiet", "--detach")

    assert sides(submitted) == (commit(submitted, "main"), tree(submitted))


def test_without_a_default_branch_what_is_not_committed_is_reviewed(submitted: Submitted) -> None:
    submitted.git("branch", "--move", "main", "trunk")
    submitted.write(LATER)

    base, _ = sides(submitted)

    assert base == commit(submitted, "work")


def test_where_nothing_is_changed_there_is_nothing_to_review(submitted: Submitted) -> None:
    submitted.git("branch", "--move", "main", "trunk")

    assert "nothing is changed" in problem(submitted)
    assert sides(submitted, "--branch", "trunk") == (commit(submitted, "trunk"), tree(submitted))


def test_a_repository_without_commits_has_nothing_to_compare_with(tmp_path: Path) -> None:
    submitted = Submitted(tmp_path)
    submitted.git("checkout", "--quiet", "--orphan", "new")
    submitted.git("branch", "--delete", "--force", "main")

    assert "no commit" in problem(submitted)
    assert "no commit" in problem(submitted, "--branch", "work")


def test_outside_of_a_repository_there_is_nothing_to_compare(submitted: Submitted) -> None:
    elsewhere = submitted.home.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)

    answer = submitted.run("review", "--json", cwd=elsewhere)

    assert (answer.code, answer.reason) == (5, "no-repository")


# A branch


def test_a_branch_that_head_was_made_from_is_where_the_work_began(submitted: Submitted) -> None:
    submitted.write(LATER)  # not committed, and part of the work

    base, candidate = sides(submitted, "--branch", "main")

    assert base == commit(submitted, "main")
    assert candidate != tree(submitted)


def test_another_branch_is_the_work(submitted: Submitted) -> None:
    submitted.git("checkout", "--quiet", "main")
    fork = commit(submitted, "main")
    submitted.write(LATER)
    submitted.commit("somebody else's")
    submitted.write({"notes.txt": "not committed, and not part of the work\n"})

    assert sides(submitted, "--branch", "work") == (fork, tree(submitted, "work"))


def test_the_branch_one_is_on_is_the_work(submitted: Submitted) -> None:
    submitted.write({"notes.txt": "not committed, and not part of the branch\n"})

    assert sides(submitted, "--branch", "work") == (commit(submitted, "main"), tree(submitted))


def test_a_branch_is_judged_and_not_what_lies_in_the_worktree(submitted: Submitted) -> None:
    submitted.git("checkout", "--quiet", "main")
    good = submitted.said("--branch", "work", "--spec", submitted.spec(), qa=report())
    submitted.write(AFTER)
    submitted.git("checkout", "--quiet", "-b", "idle")
    submitted.git("stash")
    submitted.write(LATER)
    submitted.commit("does nothing of it")
    submitted.git("checkout", "--quiet", "main")
    submitted.write(AFTER)

    idle = submitted.said("--branch", "idle", "--spec", submitted.spec(), qa=report())

    assert (good["verdict"], idle["verdict"]) == ("pass", "fail")


@pytest.mark.parametrize("name", ["nowhere", "--all", "work:greet.sh", "", "work^{tree}"])
def test_80_a_branch_that_is_none_is_refused(submitted: Submitted, name: str) -> None:
    assert name in problem(submitted, f"--branch={name}")


def test_a_branch_without_any_commit_in_common_is_refused(submitted: Submitted) -> None:
    submitted.git("checkout", "--quiet", "--orphan", "other")
    submitted.commit("begun anew")
    submitted.git("checkout", "--quiet", "work")

    assert "no commit in common" in problem(submitted, "--branch", "other")


# A pull request

GH = """#!{python}
import json, os, signal, sys
if sys.argv[1:] != ["pr", "view", "7", "--json", "baseRefOid,headRefOid"]:
    sys.exit("unknown words: " + " ".join(sys.argv[1:]))
{body}
"""


def gh(submitted: Submitted, body: str) -> str:
    """PATH with a program called gh before all others."""
    folder = submitted.home.parent / "programs"
    folder.mkdir(exist_ok=True)
    program = folder / "gh"
    program.write_text(GH.format(python=sys.executable, body=body))
    program.chmod(0o755)
    return f"{folder}:{PATH}"


def answers(base: str, head: str) -> str:
    return f"print({json.dumps(json.dumps({'baseRefOid': base, 'headRefOid': head}))})"


def unread(submitted: Submitted, body: str) -> Answer:
    answer = submitted.review("--pr", "7", env={"PATH": gh(submitted, body)})
    assert (answer.code, answer.reason) == (5, "no-pull-request"), answer
    return answer


def test_a_pull_request_is_read_through_gh(submitted: Submitted) -> None:
    fork = commit(submitted, "main")
    submitted.git("checkout", "--quiet", "main")
    submitted.write(LATER)
    target = submitted.commit("somebody else's")
    path = gh(submitted, answers(target, commit(submitted, "work")))

    assert sides(submitted, "--pr", "7", path=path) == (fork, tree(submitted, "work"))


def test_without_gh_the_branch_form_is_named(submitted: Submitted) -> None:
    tools = submitted.home.parent / "tools"
    tools.mkdir()
    for name in ("git", "sh", "env"):
        (tools / name).symlink_to(f"/usr/bin/{name}")

    answer = submitted.review("--pr", "7", env={"PATH": str(tools)})

    assert (answer.code, answer.reason) == (5, "no-pull-request"), answer
    assert "gh is not installed" in answer.json["error"]["message"]
    assert "goalkeeper review --branch REF" in answer.hint


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('sys.exit("no pull requests found for 7")', "no pull requests found for 7"),
        ("sys.exit(4)", "without a word"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "without a word"),
        ('print("not JSON")', "no answer that can be read"),
        ('print("[]")', "no answer that can be read"),
        ('print("{}")', "no answer that can be read"),
        (answers("main", "--output=x"), "named no commits"),
        ('print(json.dumps({"baseRefOid": 1, "headRefOid": None}))', "named no commits"),
        ('sys.stderr.write("\\x1b[31mno" + " word" * 999); sys.exit(1)', "word"),
    ],
)
def test_what_gh_says_wrong_is_told(submitted: Submitted, body: str, told: str) -> None:
    answer = unread(submitted, body)

    assert told in answer.json["error"]["message"]
    assert "goalkeeper review --branch REF" in answer.hint
    assert "\x1b" not in answer.err
    assert len(answer.err) < 600


def test_commits_that_were_not_fetched_are_named_with_the_command_that_fetches_them(
    submitted: Submitted,
) -> None:
    head = unread(submitted, answers(commit(submitted, "main"), "a" * 40))
    both = unread(submitted, answers("b" * 40, "a" * 40))

    assert "aaaaaaaaaaaa is not in this repository" in head.json["error"]["message"]
    assert head.hint == "git fetch origin pull/7/head, then repeat the command"
    assert both.hint.startswith("git fetch origin pull/7/head && git fetch origin, then")


def test_a_gh_that_does_not_answer_is_ended(submitted: Submitted) -> None:
    folder = gh(submitted, "signal.pause()").split(":")[0]

    with pytest.raises(NoPullRequest, match="too much time"):
        ask_gh(f"{folder}/gh", 7, cwd=str(submitted.root), environ={}, seconds=0.5)
