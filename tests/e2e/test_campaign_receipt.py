"""The receipt of a campaign: what strangers can verify of all that landed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from goalkeeper.verifier.envelope import read_payload
from tests.e2e.campaigns import Campaigned, Session, Step, mend

A, B = (Step(f"parts/{name}.txt") for name in "ab")


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    campaigned = Campaigned(tmp_path)
    campaigned.plan_sessions(
        Session("one", [A]), Session("two", [B]),
        scripts=[{"*": [mend(A.path)]}, {"*": [mend(B.path)]}],
    )  # fmt: skip
    return campaigned


def verify_elsewhere(campaigned: Campaigned, branch: str, *words: str) -> tuple[int, str]:
    """Verify as a stranger does: in a clone with the notes, with the script alone."""
    clone = campaigned.root.parent / f"clone-{branch.replace('/', '-')}"
    campaigned.git("clone", "--quiet", "--branch", branch, str(campaigned.root), str(clone))
    notes = "refs/notes/goalkeeper:refs/notes/goalkeeper"
    campaigned.git("fetch", "--quiet", "origin", notes, cwd=clone)
    key, script = clone.parent / "key.pub", clone.parent / "verify_receipt.py"
    key.write_text(campaigned.run("keys", "export").out)
    script.write_text(campaigned.run("verify-receipt", "--print-script").out)
    ran = subprocess.run(
        [sys.executable, "-I", str(script), "--key", str(key), *words],
        cwd=clone, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stdout + ran.stderr


def test_what_landed_has_one_receipt_of_the_head_that_strangers_verify(
    campaigned: Campaigned,
) -> None:
    assert campaigned.work().code == 0
    out = campaigned.root.parent / "receipt.json"

    given = campaigned.ok("campaign", "receipt", "--out", str(out))

    told = json.loads(read_payload(out.read_bytes()))
    head = campaigned.show()["head"]
    assert given["digest"] == campaigned.show()["receipt"]
    assert told["predicate"]["kind"] == "final"
    assert [goal["id"] for goal in told["predicate"]["goals"]] == ["S01/G001", "S02/G001"]
    verdicts = {c["verdict"] for goal in told["predicate"]["goals"] for c in goal["criteria"]}
    assert verdicts == {"passed"}
    assert told["subject"][1]["digest"]["gitCommit"] == head

    assert campaigned.ok("campaign", "receipt", "--attach")["added"] == 1
    branch = campaigned.show()["branch"]
    code, said = verify_elsewhere(campaigned, branch, "--kind", "final")
    assert code == 0, said
    assert verify_elsewhere(campaigned, "main", "--kind", "final")[0] == 1

    first, place = given["digest"], campaigned.root.parent / "mine"
    campaigned.git("worktree", "add", "--quiet", str(place), branch)
    (place / "more.txt").write_text("mine\n")
    campaigned.git("add", "more.txt", cwd=place)
    campaigned.git("commit", "--quiet", "--message=mine", cwd=place)
    campaigned.git("switch", "--quiet", "--detach", cwd=place)

    assert campaigned.work().code == 0

    assert "receipt" not in campaigned.show()  # no session made what is there now
    assert campaigned.run("campaign", "receipt", "--json").reason == "no-receipt"
    campaigned.git("branch", "--force", branch, f"{branch}~1")
    assert campaigned.work().code == 0
    assert campaigned.show()["receipt"] not in {first, None}
    (kept,) = campaigned.state.glob(f"campaigns/*/receipts/{first}*")
    kept.write_bytes(b"{}")
    assert campaigned.ok("campaign", "receipt")["digest"] != first
