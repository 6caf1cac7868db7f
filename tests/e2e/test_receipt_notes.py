"""Receipts in git notes: they travel with the commits, and are believed no more than files."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.verifier.statement import MOST_BYTES
from tests.e2e.project import MENDED, Project, belongings
from tests.e2e.receipts import (
    HOLDS,
    NOTES,
    SEEN,
    Desk,
    Stranger,
    begun,
    both_completed,
    certified,
    envelope,
    envelope_of,
    git,
    public_key,
    receipts,
    refused,
)
from tests.tables import for_each, sampled

HAS_FINAL = ("--kind", "final")


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Both commits have their notes."""
    desk = Desk.at(tmp_path_factory.mktemp("desk"))
    desk.project.ok("receipt", "attach")
    desk.project.ok("receipt", "attach", "--commit", "HEAD~1")
    return desk


@pytest.fixture
def stranger(noted: Desk, tmp_path: Path) -> Stranger:
    made = Stranger(tmp_path / "stranger", noted.project.root)
    made.fetch_notes()
    return made


def lines(project: Project, commit: str = "HEAD") -> list[bytes]:
    return project.git("notes", "--ref", NOTES, "show", commit).encode().splitlines()


# Written


def test_a_note_has_every_receipt_of_its_tree_each_on_a_line(noted: Desk) -> None:
    project = noted.project

    assert lines(project) == [envelope_of(project, "G002"), noted.final]
    assert lines(project, "HEAD~1") == [noted.first]


def test_attaching_again_changes_nothing(noted: Desk) -> None:
    tip = noted.project.git("rev-parse", NOTES)

    told = noted.project.ok("receipt", "attach")

    assert (told["added"], len(told["receipts"]), told["ref"]) == (0, 2, NOTES)
    assert noted.project.git("rev-parse", NOTES) == tip


def test_nothing_else_of_the_user_is_touched_and_nobody_need_be_known_to_git(
    tmp_path: Path,
) -> None:
    project = both_completed(begun(tmp_path))
    project.git("config", "user.useConfigOnly", "true")
    ours = (".git/refs/notes", ".git/logs/refs/notes", ".git/objects")

    def rest() -> dict[str, str]:
        found = belongings(project.root).items()
        return {path: seen for path, seen in found if not path.startswith(ours)}

    before = rest()
    answer = project.run("receipt", "attach")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.endswith(f"  next: git push origin {NOTES}\n")
    assert rest() == before


def test_a_commit_whose_tree_was_not_proven_gets_no_note(tmp_path: Path) -> None:
    project = both_completed(begun(tmp_path))
    project.write({"product.txt": "spoiled\n"})
    project.commit("spoiled")

    assert project.refused("receipt", "attach") == "no-receipt"
    assert project.refused("receipt", "attach", "--commit", "HEAD~3") == "no-receipt"
    assert project.git("for-each-ref", NOTES) == ""


@for_each("commit", ["no-such-branch", "HEAD^{tree}", "--all", ""])
def test_what_is_no_commit_gets_no_note(noted: Desk, commit: str) -> None:
    answer = noted.project.run("receipt", "attach", f"--commit={commit}", "--json")

    assert (answer.code, answer.reason) == (2, "usage")


@for_each("how", ["changed", "gone"])
def test_a_receipt_that_somebody_laid_hands_on_is_not_handed_on(tmp_path: Path, how: str) -> None:
    project = both_completed(begun(tmp_path))
    final = receipts(project)[-1]["digest"]
    (path,) = project.state.glob(f"runs/*/receipts/{final}.json")
    path.unlink()
    if how == "changed":
        path.write_bytes(b"{}")

    for verb in (("attach",), ("show",), ("export", "--out", "receipt.json")):
        answer = project.run("receipt", *verb, "--json")
        assert (answer.code, answer.hint) == (2, "goalkeeper receipt issue --final")
    assert project.git("for-each-ref", NOTES) == ""
    assert not (project.root / "receipt.json").exists()


def test_a_note_that_is_too_long_is_said_to_be(tmp_path: Path) -> None:
    project = both_completed(begun(tmp_path))
    huge = tmp_path / "huge"
    huge.write_bytes(b"x" * MOST_BYTES)
    blob = project.git("hash-object", "-w", str(huge)).strip()
    project.git("notes", "--ref", NOTES, "add", "-C", blob)

    assert project.refused("receipt", "attach") == "note-too-long"


# Read


def test_a_fresh_clone_that_fetched_the_notes_needs_no_file_and_no_ledger(
    noted: Desk, stranger: Stranger
) -> None:
    assert stranger.by_all(None, noted.trusted) == HOLDS
    assert stranger.by_all(None, noted.trusted, *HAS_FINAL) == HOLDS
    assert stranger.by_all(None, noted.trusted, "--kind", "goal") == HOLDS
    assert stranger.by_all(None, noted.trusted, policy="kind = 'final'") == HOLDS
    told = stranger.by_script(None, noted.trusted, *HAS_FINAL).told
    assert told["receipt"] == receipts(noted.project)[-1]["digest"]
    assert told["statement"]["predicate"]["kind"] == "final"


def test_notes_say_what_they_are_of(noted: Desk, stranger: Stranger) -> None:
    earlier = ("--commit", "HEAD~1")

    assert stranger.by_all(None, noted.trusted, *earlier) == HOLDS
    assert stranger.by_all(None, noted.trusted, *earlier, *HAS_FINAL) == refused("other-kind")
    run = noted.project.ok("status")["run_id"]
    assert stranger.by_all(None, noted.trusted, *earlier, "--run", run) == HOLDS
    another = ("--run", "20260101-000000-abcd")
    assert stranger.by_all(None, noted.trusted, *earlier, *another) == refused("other-run")
    goal = stranger.by_goalkeeper(None, noted.trusted, "--goal-id", "G001", *earlier)
    assert goal.brief == HOLDS
    script = stranger.by_script(None, noted.trusted, "--goal", "G002", *earlier)
    assert script.brief == refused("other-goal")


def test_where_notes_were_not_fetched_it_is_said_how(noted: Desk) -> None:
    assert noted.stranger.by_all(None, noted.trusted) == refused("no-note")
    (reason,) = noted.stranger.by_script(None, noted.trusted).told["reasons"]
    assert f"git fetch origin {NOTES}:{NOTES}" in reason["message"]


def test_a_clone_without_its_history_can_tell_too(noted: Desk, tmp_path: Path) -> None:
    stranger = Stranger(tmp_path / "stranger", noted.project.root)
    subprocess.run(["rm", "-r", stranger.clone], check=True)
    git("clone", "--quiet", "--depth=1", noted.project.root.as_uri(), stranger.clone, cwd=tmp_path)
    stranger.fetch_notes()

    assert stranger.by_all(None, noted.trusted, *HAS_FINAL) == HOLDS


def test_a_note_settles_nothing_where_git_is_asked_nothing(noted: Desk) -> None:
    for flag in (("--no-repository",), ("--tree", "0" * 40)):
        assert noted.stranger.by_command(None, noted.trusted, *flag).code == 2


def test_where_there_is_a_run_its_own_receipt_counts_and_not_the_note(tmp_path: Path) -> None:
    project = both_completed(begun(tmp_path))
    project.git("notes", "--ref", NOTES, "add", "--message", "garbage")

    assert project.run("receipt", "verify").code == 0
    key = project.root / "them.pub"
    key.write_bytes(public_key(project))
    answer = project.run("verify-receipt", "--key", "them.pub", "--json")
    assert [reason["code"] for reason in answer.json["reasons"]] == ["malformed"]


# Forged

Forgery = Callable[[Desk], bytes]
FORGED: dict[str, tuple[tuple[str, ...], Forgery]] = {
    "garbage": (("malformed",), lambda _: b"it holds\n"),
    "binary garbage": (("malformed",), lambda _: b"\xff\0\xfe"),
    "nothing": (("no-note",), lambda _: b"\n"),
    "too much": (("malformed",), lambda d: d.final + b" " * MOST_BYTES),
    "too many": (("malformed",), lambda d: (d.final + b"\n") * 101),
    "a receipt over several lines": (
        ("malformed",) * 3,
        lambda d: d.final.replace(b",", b",\n", 2),
    ),
    "of the commit before": (("parent-commit",), lambda d: d.first),
    "by another key": (("wrong-key",), lambda d: envelope(d.payload, d.mine)),
    "with another payload": (
        ("tampered",),
        lambda d: d.altered(payload=json.loads(d.first)["payload"]),
    ),
    "from the future": (
        ("from-the-future",),
        lambda d: envelope(
            d.told(lambda _, p: p.update(issuedAt="2999-01-01T00:00:00Z")), d.theirs
        ),
    ),
    "of another repository": (
        ("foreign",),
        lambda d: envelope(d.told(lambda _, p: p.update(repository=["0" * 40])), d.theirs),
    ),
    "garbage and one of the commit before": (
        ("malformed", "parent-commit"),
        lambda d: b"garbage\n" + d.first,
    ),
}


@pytest.mark.parametrize("name", sampled(FORGED, one_in=4))
def test_a_note_is_believed_no_more_than_a_file(noted: Desk, stranger: Stranger, name: str) -> None:
    reasons, forgery = FORGED[name]
    stranger.note(forgery(noted))

    assert stranger.by_all(None, noted.trusted) == refused(*reasons)


def test_a_note_that_was_moved_to_another_commit_is_stale(noted: Desk, stranger: Stranger) -> None:
    stranger.note(noted.final, "HEAD~1")

    assert stranger.by_all(None, noted.trusted, "--commit", "HEAD~1") == refused("stale")


def test_what_others_wrote_beside_a_true_receipt_does_not_spoil_it(
    noted: Desk, stranger: Stranger
) -> None:
    forged = envelope(noted.payload, noted.mine)
    stranger.note(b"\n".join((b"garbage", forged, noted.first, b"", noted.final, b"more")))

    assert stranger.by_all(None, noted.trusted, *HAS_FINAL) == HOLDS


def test_where_none_of_several_holds_it_is_told_of_which(noted: Desk, stranger: Stranger) -> None:
    stranger.note(noted.first + b"\n" + noted.final)
    told = stranger.by_script(None, noted.trusted, *HAS_FINAL, "--isolation", "sandbox").told

    first, final = (each["digest"][:12] for each in (*receipts(noted.project)[::2],))
    seen = [(reason["code"], reason["message"].split(":")[0]) for reason in told["reasons"]]
    assert seen == [
        ("other-kind", first),
        ("isolation-too-weak", first),
        ("parent-commit", first),
        ("isolation-too-weak", final),
    ]


def test_notes_of_two_clones_are_merged_by_git_itself(noted: Desk, stranger: Stranger) -> None:
    git("update-ref", "-d", NOTES, cwd=stranger.clone)
    stranger.note(noted.first)
    git("fetch", "--quiet", "origin", f"{NOTES}:refs/notes/theirs", cwd=stranger.clone)
    assert stranger.by_all(None, noted.trusted) == refused("parent-commit")

    merge = ("merge", "--quiet", "-s", "cat_sort_uniq", "refs/notes/theirs")
    git("notes", "--ref", NOTES, *merge, cwd=stranger.clone)

    assert len(git("notes", "--ref", NOTES, "show", cwd=stranger.clone).splitlines()) == 3
    assert stranger.by_all(None, noted.trusted, *HAS_FINAL) == HOLDS


@pytest.mark.parametrize("what", ["HEAD:product.txt", "HEAD"])
def test_notes_that_are_none_are_no_note(noted: Desk, stranger: Stranger, what: str) -> None:
    git("update-ref", NOTES, git("rev-parse", what, cwd=stranger.clone), cwd=stranger.clone)

    assert stranger.by_all(None, noted.trusted) == refused("no-note")


# Trailers


@pytest.fixture
def committed(tmp_path: Path) -> Project:
    """Proven first, then committed in words that name the final receipt."""
    project = begun(tmp_path / "committed")
    for goal, files in (("G001", MENDED), ("G002", SEEN)):
        project.write(files)
        certified(project, goal)
    named = project.run("receipt", "show", "--trailers").out
    project.git("add", "--all")
    project.git("commit", "--quiet", "-m", "Both", "-m", named.rstrip())
    return project


def test_trailers_name_the_goals_and_the_receipt(committed: Project) -> None:
    final = receipts(committed)[-1]["digest"]
    of_one = committed.ok("receipt", "show", "--trailers", "--goal-id", "G001")["trailers"]

    told = committed.git("log", "-1", "--format=%(trailers:only)").strip()
    assert told.splitlines() == ["Goal: G001", "Goal: G002", f"Goalkeeper-Receipt: sha256:{final}"]
    first = receipts(committed)[0]["digest"]
    assert of_one == f"Goal: G001\nGoalkeeper-Receipt: sha256:{first}\n"


def test_trailers_of_a_stale_receipt_come_with_a_warning(committed: Project) -> None:
    more = (
        "--title",
        "Look",
        "--objective",
        "Find out why.",
        "--evidence",
        "a",
        "--rationale",
        "b",
    )
    committed.ok("steer", "--kind", "add_subgoal", *more)

    answer = committed.run("receipt", "show", "--trailers")
    assert answer.code == 0
    assert answer.out.startswith("Goal: G001\n")
    assert "the receipt is stale: the plan changed since" in answer.err


def test_a_commit_that_names_a_receipt_has_it_in_its_note(
    committed: Project, tmp_path: Path
) -> None:
    committed.ok("receipt", "attach")
    stranger = Stranger(tmp_path / "stranger", committed.root)
    stranger.fetch_notes()
    key = public_key(committed)
    assert stranger.by_all(None, key, *HAS_FINAL) == HOLDS

    stranger.note(envelope_of(committed, "G002"))
    assert stranger.by_all(None, key) == refused("other-receipt")
    assert stranger.by_all(envelope_of(committed, "G002"), key) == HOLDS


# The script


def test_the_script_is_printed_as_it_is(noted: Desk, tmp_path: Path) -> None:
    answer = noted.project.run("verify-receipt", "--print-script")
    script = tmp_path / "verify_receipt.py"
    script.write_text(answer.out)
    key = tmp_path / "them.pub"
    key.write_bytes(noted.trusted)

    words = (sys.executable, "-I", script, "--key", key, "--repository", noted.project.root)
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "it holds\n", "")
    assert noted.project.ok("verify-receipt", "--print-script")["script"] == answer.out


def test_a_command_that_names_no_key_or_no_file_is_wrong_usage(noted: Desk) -> None:
    for words in ((), ("receipt.json",), ("no.json", "--key", "no.pub"), ("a", "b", "--key", "k")):
        answer = noted.project.run("verify-receipt", *words, "--json")
        assert (answer.code, answer.reason) == (2, "usage")
