"""Receipts: what was proven is signed, and strangers can tell without asking us."""

import hashlib
import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from goalkeeper.verifier.script import join_script
from tests.e2e.project import (
    BROKEN,
    IS_FIXED,
    MENDED,
    RIGHT,
    SUITE,
    Project,
    contract,
    criterion,
)
from tests.e2e.receipts import (
    CHECKOUT,
    HOLDS,
    IS_SEEN,
    SEEN,
    Stranger,
    begun,
    both_completed,
    certified,
    envelope_of,
    home_is_untouched,
    public_key,
    receipts,
    refused,
    statement_in,
    subjects,
)
from tests.tables import for_each


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Both goals completed and committed, for tests that only look."""
    return both_completed(begun(tmp_path_factory.mktemp("done")))


@pytest.fixture
def two(tmp_path: Path) -> Project:
    """Two goals, of which nothing is done yet."""
    return begun(tmp_path)


@pytest.fixture
def stranger(done: Project, tmp_path: Path) -> Stranger:
    return Stranger(tmp_path / "stranger", done.root)


# What is issued


def test_each_goal_has_a_receipt_and_the_whole_plan_has_a_final_one(done: Project) -> None:
    listed = receipts(done)

    told = [(each["kind"], each["goal_id"], each["stale"]) for each in listed]
    assert told == [("goal", "G001", None), ("goal", "G002", None), ("final", "", None)]
    assert [each["digest"] for each in listed] == [
        event["data"]["digest"] for event in done.events("receipt_issued")
    ]
    for each in listed:
        (path,) = done.state.glob(f"runs/*/receipts/{each['digest']}.json")
        assert hashlib.sha256(path.read_bytes()).hexdigest() == each["digest"]


def test_the_list_is_a_table_for_people_and_says_when_it_is_empty(
    done: Project, two: Project
) -> None:
    first, *rows = [line.split() for line in done.run("receipt", "list").out.splitlines()]

    assert first == ["KIND", "GOAL", "RECEIPT", "TREE", "STATE"]
    assert [(row[0], " ".join(row[-6:])) for row in rows[:1]] == [
        ("goal", "fresh; your files have changed since")
    ]
    assert [(row[0], row[-1]) for row in rows[1:]] == [("goal", "fresh"), ("final", "fresh")]
    assert "No receipt was issued yet." in two.run("receipt", "list").out


def test_a_receipt_of_a_goal_states_the_tree_the_contract_and_what_was_seen(done: Project) -> None:
    statement = done.ok("receipt", "show", "--goal-id", "G001")["statement"]

    (completed,) = [e for e in done.events("goal_completed") if e["data"]["goal_id"] == "G001"]
    judged = completed["data"]["judgement"]
    commit = done.git("rev-parse", "HEAD~1").strip()
    assert subjects(statement) == {"gitTree": judged["tree"], "gitCommit": commit}
    assert judged["tree"] == done.git("rev-parse", "HEAD~1^{tree}").strip()
    (goal,) = statement["predicate"]["goals"]
    assert (goal["id"], goal["title"]) == ("G001", "Part 1")
    assert goal["contract"] == done.goals()["G001"]["contract_digest"]
    (seen,) = goal["criteria"]
    assert (seen["id"], seen["text"], seen["verdict"]) == ("C1", "C1 holds", "passed")
    assert done.evidence(seen["evidence"])


def test_the_final_receipt_states_every_goal_on_one_tree(done: Project) -> None:
    statement = done.ok("receipt", "show")["statement"]

    head = done.git("rev-parse", "HEAD").strip()
    tree = done.git("rev-parse", "HEAD^{tree}").strip()
    assert subjects(statement) == {"gitTree": tree, "gitCommit": head}
    predicate = statement["predicate"]
    assert predicate["kind"] == "final"
    assert [goal["id"] for goal in predicate["goals"]] == ["G001", "G002"]
    verdicts = {seen["verdict"] for goal in predicate["goals"] for seen in goal["criteria"]}
    assert verdicts == {"passed"}


def test_the_final_receipt_names_the_tree_on_which_a_criterion_ran_if_it_is_another(
    done: Project,
) -> None:
    """What G002 changed is nothing that G001's check reads, so its proof stands."""
    of_goal = statement_in(envelope_of(done, "G001"))
    (then,) = of_goal["predicate"]["goals"][0]["criteria"]
    first, last = statement_in(envelope_of(done))["predicate"]["goals"]

    assert first["criteria"] == [then | {"tree": subjects(of_goal)["gitTree"]}]
    assert "tree" not in last["criteria"][0]
    assert done.evidence(then["evidence"])


def test_a_receipt_tells_its_circumstances(done: Project) -> None:
    predicate = statement_in(envelope_of(done, "G001"))["predicate"]

    assert predicate["run"] == done.ok("status")["run_id"]
    assert predicate["repository"] == [done.git("rev-list", "--max-parents=0", "HEAD").strip()]
    assert predicate["isolation"] == "checkout"
    assert predicate["goalkeeper"] == version("goalkeeper")
    assert predicate["gate"]["kind"] == "standard"
    assert any(tool.startswith("grep ") for tool in predicate["tools"])
    lines = [line for line in done.ledger().splitlines() if b'"receipt_issued"' in line]
    assert json.loads(lines[0])["prev"] == predicate["ledger"]["head"]


def test_each_receipt_names_the_one_before(done: Project) -> None:
    digests = [each["digest"] for each in receipts(done)]
    kept = [next(done.state.glob(f"runs/*/receipts/{digest}.json")) for digest in digests]

    named = [statement_in(path.read_bytes())["predicate"]["previous"] for path in kept]
    assert named == ["", *digests[:-1]]


def test_a_completion_that_is_repeated_issues_nothing_more(two: Project) -> None:
    both_completed(two)
    before = two.ledger()

    assert two.complete("G002").json["repeated"] is True
    assert two.ledger() == before


# Who can tell


def test_the_user_verifies_with_their_own_key(done: Project) -> None:
    answer = done.run("receipt", "verify")
    assert (answer.code, answer.out.strip(), answer.err) == (0, "It holds.", "")
    told = done.ok("receipt", "verify", "--kind", "final", "--isolation", "checkout")
    assert told["reasons"] == []
    earlier = ("receipt", "verify", "--goal-id", "G001", "--commit", "HEAD~1")
    assert done.ok(*earlier)["statement"]["predicate"]["kind"] == "goal"


@pytest.mark.parametrize("goal", ["", "G002"])
def test_what_is_exported_is_what_was_signed_and_three_programs_say_that_it_holds(
    done: Project, stranger: Stranger, goal: str, tmp_path: Path
) -> None:
    out = tmp_path / "exported.json"
    of = ("--goal-id", goal) if goal else ()
    exported = done.ok("receipt", "export", "--out", out, *of)
    data, key = out.read_bytes(), public_key(done)

    assert data == envelope_of(done, goal)
    assert exported["digest"] == hashlib.sha256(data).hexdigest()
    assert stranger.by_all(data, key) == HOLDS
    independent = stranger.by_securesystemslib(data, key)
    assert independent["statement"] == statement_in(data)
    assert independent["keys"] == [done.ok("keys", "list")["current"]]
    assert home_is_untouched(stranger)
    assert not (stranger.clone / ".goalkeeper/runs").exists()


def test_an_export_overwrites_nothing(done: Project, tmp_path: Path) -> None:
    out = tmp_path / "mine.txt"
    out.write_text("mine\n")

    answer = done.run("receipt", "export", "--out", out, "--json")
    assert (answer.code, answer.reason, out.read_text()) == (2, "usage", "mine\n")


def test_the_verifier_is_one_file_that_needs_nothing_of_goalkeeper(
    done: Project, tmp_path: Path
) -> None:
    (tmp_path / "receipt.json").write_bytes(envelope_of(done))
    (tmp_path / "them.pub").write_bytes(public_key(done))
    (tmp_path / "verifier.py").write_text(join_script())
    words = ("verifier.py", "receipt.json", "--key", "them.pub", "--repository", str(done.root))

    run = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.returncode, run.stdout) == (0, "it holds\n")
    imported = {line.split("|")[-1].strip() for line in run.stderr.splitlines()}
    others = ("cryptography", "goalkeeper", "securesystemslib")
    assert not [name for name in imported if name.startswith(others)]


def test_the_verifier_reads_standard_input_and_needs_a_key(done: Project) -> None:
    key = done.home / "them.pub"
    key.write_bytes(public_key(done))

    script = done.home / "verifier.py"
    script.write_text(join_script())

    def answer(*words: str | Path) -> tuple[int, bytes]:
        program = (sys.executable, "-I", script, "-", *words)
        data = envelope_of(done)
        run = subprocess.run(program, input=data, cwd=done.root, capture_output=True, check=False)
        return run.returncode, run.stdout

    assert answer("--key", key) == (0, b"it holds\n")
    assert answer() == (2, b"")
    assert answer("--key", "no.pub") == (2, b"")


def test_a_clone_without_its_history_can_tell_too(done: Project, tmp_path: Path) -> None:
    """As continuous integration makes them."""
    stranger = Stranger(tmp_path / "stranger", done.root)
    shutil.rmtree(stranger.clone)
    url = done.root.as_uri()
    done.git("clone", "--quiet", "--depth", "1", url, str(stranger.clone), cwd=tmp_path)

    assert stranger.by_all(envelope_of(done), public_key(done)) == HOLDS


# What is not committed


def test_work_that_is_not_committed_is_certified_by_its_tree(two: Project, tmp_path: Path) -> None:
    two.write(MENDED)
    certified(two, "G001")
    data, key = envelope_of(two, "G001"), public_key(two)

    assert list(subjects(statement_in(data))) == ["gitTree"]
    stranger = Stranger(tmp_path / "before", two.root)
    assert stranger.by_all(data, key) == refused("stale")
    two.commit("what was proven")
    assert two.run("receipt", "verify").code == 0
    assert Stranger(tmp_path / "after", two.root).by_all(data, key) == HOLDS


def test_another_commit_of_the_same_files_is_as_good(two: Project) -> None:
    both_completed(two)
    two.git("commit", "--quiet", "--amend", "--message", "said better")

    assert two.run("receipt", "verify").code == 0


def test_what_lies_uncommitted_beside_it_is_another_matter(two: Project) -> None:
    both_completed(two)
    two.write({"product.txt": "spoiled\n"})

    assert two.run("receipt", "verify").code == 0
    two.commit("spoiled")
    answer = two.run("receipt", "verify", "--json")
    assert answer.code == 1
    assert [reason["code"] for reason in answer.json["reasons"]] == ["parent-commit"]


# No final receipt


def test_a_goal_that_breaks_an_earlier_one_does_not_complete(two: Project) -> None:
    two.write(MENDED)
    certified(two, "G001")
    two.write({**SEEN, "product.txt": "broken again\n"})

    answer = two.complete("G002")

    assert (answer.code, answer.json["error"]["code"]) == (1, "not-proven")
    assert "G001/C1 failed" in answer.json["error"]["message"]
    assert [each["kind"] for each in receipts(two)] == ["goal"]

    two.write(MENDED)
    certified(two, "G002")
    assert [each["kind"] for each in receipts(two)] == ["goal", "goal", "final"]


@for_each(
    "first",
    [{"scope": {"touch": ["product.txt"]}}, {"scope": {"never": ["notes.txt"]}}],
    ids=["touch", "never"],
)
def test_the_scope_of_one_goal_does_not_bind_the_work_of_the_next(
    tmp_path: Path, first: dict[str, object]
) -> None:
    project = Project(tmp_path, {**BROKEN, **CHECKOUT})
    project.begin(contract(criterion("C1", IS_FIXED), **first), contract(criterion("C1", IS_SEEN)))

    both_completed(project)

    assert [each["kind"] for each in receipts(project)] == ["goal", "goal", "final"]


@pytest.mark.thorough
def test_tests_that_a_later_goal_may_change_were_not_frozen_for_ever_by_an_earlier_one(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, {**SUITE, **CHECKOUT})
    first = contract(criterion("C1", {"pytest": "tests/test_total.py"}))
    is_mean = criterion("C1", {"command": ["grep", "-q", "mean", "total.py"]})
    project.begin(first, contract(is_mean, may_change=["tests/test_other.py"]))
    project.write({"total.py": RIGHT})
    certified(project, "G001")
    mean = "\ndef mean(items):\n    return total(items) / len(items)\n"
    tested = "from total import mean\n\ndef test_mean():\n    assert mean([1, 3]) == 2\n"
    project.write({"total.py": RIGHT + mean, "tests/test_other.py": tested})

    certified(project, "G002")

    assert [each["kind"] for each in receipts(project)] == ["goal", "goal", "final"]


def test_a_run_without_receipts_says_so(two: Project) -> None:
    for verb in (("show",), ("verify",), ("export", "--out", "r.json")):
        answer = two.run("receipt", *verb, "--json")
        assert (answer.code, answer.reason) == (2, "usage")
        assert "has no receipt yet" in answer.json["error"]["message"]


def test_a_receipt_whose_file_is_gone_is_named(two: Project) -> None:
    both_completed(two)
    for path in two.state.glob("runs/*/receipts/*.json"):
        path.unlink()

    for verb in (("show",), ("verify",), ("export", "--out", "r.json")):
        answer = two.run("receipt", *verb, "--json")
        assert (answer.code, answer.reason) == (2, "usage")
        assert "is gone" in answer.json["error"]["message"]
    assert len(receipts(two)) == 3
