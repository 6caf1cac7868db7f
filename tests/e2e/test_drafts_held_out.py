"""One half of a draft is held out, as far as its tests can run there."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.drafts import Drafted, answer, examine


def check_beside(name: str, said: str) -> dict[str, Any]:
    """A test in Python that needs what lies beside it, and so cannot run where it is held out."""
    text = f"""\
import os, subprocess
os.stat(os.path.join(os.path.dirname(__file__), "old.sh"))
assert subprocess.check_output(["bash", "greet.sh", "{said.upper()}"]) == b"hello {said}\\n"
"""
    path = f"tests/{name}.py"
    return {"path": path, "text": text, "check": {"command": ["python3", path]}}


@pytest.mark.thorough
def test_a_test_that_cannot_be_held_out_leaves_that_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.SystemRandom.sample", lambda _, names, count: names[:count])
    project = Drafted(tmp_path)
    names = {"beside": "ann", "other": "eve", "third": "zoe"}
    project.draft(examine(answer(*(check_beside(*each) for each in names.items()))))

    assert project.rules() == {"beside": "", "other": "", "third": "cannot-run", "bob": ""}
    tests = project.data("contract_drafted")[-1]["draft"]["tests"]
    assert [bool(test.get("held_out")) for test in tests] == [False, False, True, True]
    said = "it cannot run where it is held out: exit 1, expected 0: FileNotFoundError"
    assert tests[2]["reason"].startswith(said)
