"""Repositories of every kind: a clear answer, and nothing of the user's changes."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.e2e.project import (
    BROKEN,
    IS_FIXED,
    MENDED,
    PATH,
    Contract,
    Project,
    belongings,
    contract,
    criterion,
    story,
    verdicts,
)
from tests.e2e.world import World
from tests.tables import for_each

LOCAL = ("-c", "protocol.file.allow=always")
POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n"
)


def with_submodule(project: Project) -> None:
    library = Project(project.home.parent / "library", {"lib.txt": "library\n"})
    project.git(*LOCAL, "submodule", "--quiet", "add", str(library.root), "lib")
    project.commit("with a library")


def sparse(project: Project) -> None:
    project.write({"far/away.txt": "not here\n", "near/by.txt": "here\n"})
    project.commit("two folders")
    project.git("sparse-checkout", "set", "--no-cone", "/*", "!/far/")


def with_pointers(project: Project) -> None:
    project.write({".gitattributes": "*.bin filter=lfs diff=lfs -text\n", "big.bin": POINTER})
    project.commit("with a large file")


def detached(project: Project) -> None:
    project.commit("second")
    project.git("checkout", "--quiet", "--detach", "HEAD~1")


def dirty(project: Project) -> None:
    project.write({"notes.txt": "changed, staged\n"})
    project.git("add", "notes.txt")
    project.write({"notes.txt": "changed again\n", "untracked file.txt": "new\n"})


def stashed(project: Project) -> None:
    project.write({"notes.txt": "for later\n"})
    project.git("stash", "--quiet")


def odd_names(project: Project) -> None:
    project.write({"a\nb.txt": "x\n", "ümlaut 🥅.txt": "x\n", "-rf": "x\n", '"quoted".txt': "x\n"})
    (project.root / "link").symlink_to("product.txt")
    (project.root / "dangling").symlink_to("nowhere")
    project.commit("odd names")


def with_hooks_and_filters(project: Project) -> None:
    for hook in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction"):
        path = project.root / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho ran >> {project.home}/hook-ran\n")
        path.chmod(0o755)
    project.git("config", "core.autocrlf", "true")


SHAPES: dict[str, Callable[[Project], None]] = {
    "plain": lambda _: None,
    "submodule": with_submodule,
    "sparse": sparse,
    "LFS pointers": with_pointers,
    "detached HEAD": detached,
    "dirty": dirty,
    "stashed": stashed,
    "odd names": odd_names,
    "hooks": with_hooks_and_filters,
}


@for_each("shape", SHAPES)
def test_a_goal_is_proven_and_nothing_of_the_users_changes(tmp_path: Path, shape: str) -> None:
    project = Project(tmp_path)
    SHAPES[shape](project)
    (project.home / "hook-ran").unlink(missing_ok=True)
    project.begin(contract())
    untouched = belongings(project.root)

    checked = project.check()
    judged = project.judge()

    assert (checked.code, verdicts(judged)) == (0, {"C1": "failed"})
    assert belongings(project.root) == untouched
    project.write(MENDED)
    mended = belongings(project.root)

    done = project.complete()

    assert done.code == 0, done
    assert belongings(project.root) == mended
    assert not (project.home / "hook-ran").exists()


def test_what_a_checkout_does_not_have_is_said(project: Project) -> None:
    with_submodule(project)
    with_pointers(project)
    project.begin(contract())

    notes = project.check().json["notes"]
    page = project.run("contract", "check", "--goal-id", "G001").out

    assert "submodule lib is not in the checkout" in notes
    assert "files kept by git LFS are pointers in the checkout" in notes
    assert "note: submodule lib is not in the checkout" in page


def test_a_file_that_a_sparse_checkout_leaves_out_is_there_for_checks(project: Project) -> None:
    sparse(project)
    assert not (project.root / "far").exists()
    there = criterion("C2", {"command": ["test", "-e", "far/away.txt"]}, guard=True)
    project.begin(contract(criterion("C1", IS_FIXED), there))
    project.write(MENDED)

    judged = project.judge()

    assert verdicts(judged) == {"C1": "passed", "C2": "passed"}
    assert judged["findings"] == []


def test_a_repository_without_commits_has_a_beginning_too(tmp_path: Path) -> None:
    world = World(tmp_path)
    for name, content in BROKEN.items():
        (world.root / name).write_text(str(content))
    env = {"PATH": PATH}
    world.plan(story("Mend it", contract()), env=env)
    world.start()

    assert world.run("judge", "--json", env=env).json["criteria"][0]["verdict"] == "failed"
    (world.root / "product.txt").write_text("fixed\n")
    complete = ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done")
    assert world.ok(*complete, env=env)["all_complete"] is True
    assert "commit" not in world.events("goal_completed")[0]["data"]["judgement"] or (
        world.events("goal_completed")[0]["data"]["judgement"]["commit"] == ""
    )


def test_without_git_there_is_a_plan_but_no_proof(tmp_path: Path) -> None:
    world = World(tmp_path, git=False)
    world.plan_without_base(story("Mend it", contract()))
    world.start()

    for words in (
        ("judge",),
        ("contract", "check", "--goal-id", "G001"),
        ("audit", "--goal-id", "G001"),
        ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done"),
    ):
        answer = world.run(*words, "--json")
        assert answer.code in {3, 5}, answer
        assert answer.reason in {"no-base", "no-repository"}
        assert "git" in answer.json["error"]["message"]
        assert answer.hint
    assert world.statuses() == {"G001": "active"}


def test_a_plan_made_outside_git_says_what_it_lacks_and_how_to_mend_that(tmp_path: Path) -> None:
    world = World(tmp_path, git=False)
    (world.root / "product.txt").write_text("broken\n")
    brief = story("Mend it", contract())

    answer = world.plan_without_base(brief)
    again = ("create-goals", "--gate", "standard", "--brief", brief, "--archive")
    page = world.run(*again)

    (warning,) = answer.json["warnings"]
    assert answer.err == f"goalkeeper: warning: {warning}\n" == page.err
    assert "not in a git repository" in warning
    assert f"  next: {answer.json['hint']}\n" in page.out
    assert answer.json["hint"].endswith("then repeat the command with --archive")
    shell(world, answer.json["hint"])
    assert "warnings" not in world.ok(*again)
    assert world.run("judge", "--json").json["verdict"] == "FAIL"


@for_each("given", [contract(), None], ids=["of the brief", "in a file"])
def test_a_plan_made_before_git_gets_its_base_from_a_human(
    tmp_path: Path, given: Contract | None
) -> None:
    """As the hint says, also before the first commit."""
    world = World(tmp_path, git=False)
    world.plan_without_base(story("Mend it", given))
    (world.root / "product.txt").write_text("broken\n")
    (world.root / "contract.yaml").write_text(json.dumps(contract()))
    world.git("init", "--quiet", "--initial-branch=main")
    world.ok("init", "--yes")
    key = (world.home / ".config/goalkeeper/approval.key").read_text().strip()

    refused = world.run("contract", "check", "--file", "contract.yaml", "--json")
    command, _, _ = refused.hint.partition(" (a human's command;")
    world.ok(*command.split()[1:], env={"GOALKEEPER_APPROVAL": key})

    assert (refused.code, refused.reason) == (3, "no-base")
    assert world.run("judge", "--json").json["verdict"] == "FAIL"


def test_a_repository_inside_without_a_commit_is_named_and_can_be_seen_to(
    project: Project,
) -> None:
    project.begin(contract())
    inner = project.root / "a library"
    inner.mkdir()
    project.git("init", "--quiet", cwd=inner)
    (inner / "lib.txt").write_text("library\n")

    answer = project.run("judge", "--json")
    shell(project, answer.hint)

    assert (answer.code, answer.reason) == (5, "no-commit-inside")
    assert str(inner) in answer.json["error"]["message"]
    assert (inner / "lib.txt").exists()
    assert project.judge()["verdict"] == "FAIL"


def shell(world: World, hint: str) -> None:
    """Do what a hint says first."""
    command = hint.split(", ", maxsplit=1)[0]
    subprocess.run(["sh", "-c", command], cwd=world.root, check=True, capture_output=True)


# The base holds config.toml, which we made; a tree without it is not tampered with.
def test_a_commit_without_our_own_files_is_judged_by_the_rest(project: Project) -> None:
    project.ok("init", "--yes")
    project.begin(contract())
    project.write(MENDED)
    project.git("commit", "--quiet", "--message", "mended", "product.txt")

    judged = project.judge("--commit", "HEAD")

    assert (verdicts(judged), judged["findings"]) == ({"C1": "passed"}, [])


def test_an_agent_in_a_linked_worktree_is_judged_by_its_own_tree(project: Project) -> None:
    project.begin(contract())
    linked = project.home.parent / "linked"
    project.git("worktree", "add", "--quiet", "-b", "work", str(linked))
    (linked / "product.txt").write_text("fixed\n")
    before, beside = belongings(project.root), belongings(linked)

    there = project.run("judge", "--json", cwd=linked)

    assert (there.code, there.json["iteration"]) == (0, 1)
    assert not (linked / ".goalkeeper").exists()
    assert project.judge()["verdict"] == "FAIL"
    words = ("checkpoint", "--goal-id", "G001", "--status", "complete", "--evidence", "done")
    assert project.run(*words, "--json").reason == "not-proven"
    assert project.run(*words, "--json", cwd=linked).code == 0
    assert project.statuses() == {"G001": "complete"}
    assert (belongings(project.root), belongings(linked)) == (before, beside)


def test_a_plan_can_be_made_in_a_linked_worktree(project: Project) -> None:
    linked = project.home.parent / "linked"
    project.git("worktree", "add", "--quiet", "-b", "work", str(linked))
    project.ok(
        "create-goals", "--gate", "standard", "--brief", story("Mend it", contract()), cwd=linked
    )
    project.ok("complete-goals", cwd=linked)
    (linked / "product.txt").write_text("fixed\n")

    answer = project.run("judge", "--json", cwd=linked)

    assert (answer.code, answer.json["findings"]) == (0, [])


def test_a_base_that_is_lost_is_an_error_and_no_verdict(project: Project) -> None:
    project.write({"uncommitted.txt": "only there\n"})
    project.begin(contract())
    project.judge()
    shutil.rmtree(project.home / ".local/state/goalkeeper/trees")
    project.write(MENDED)

    answer = project.run("judge", "--json")

    assert (answer.code, answer.json["ok"]) == (5, False)
    assert answer.hint
    assert project.complete().code == 5
    assert len(project.events("goal_judged")) == 1


def test_a_cache_that_is_deleted_costs_time_and_nothing_else(project: Project) -> None:
    project.begin(contract())
    project.judge()
    shutil.rmtree(project.home / ".cache")
    project.write(MENDED)

    assert project.judge()["ok"] is True


def test_a_cache_that_cannot_be_used_is_named(project: Project) -> None:
    project.begin(contract())

    answer = project.run("judge", "--json", env={"XDG_CACHE_HOME": "/dev/null"})

    assert (answer.code, answer.reason) == (5, "disk-failed")
    assert "/dev/null" in answer.json["error"]["message"]
