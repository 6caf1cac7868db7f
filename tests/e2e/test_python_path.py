"""Which modules Python takes where PYTHONPATH names the folder one happens to stand in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from goalkeeper.verifier.script import join_script
from tests.e2e.campaigns import Campaigned, Session, Step, mend

START = "import sys; from goalkeeper.cli.main import main; sys.exit(main(['--help']))"


@pytest.mark.parametrize("given", [".", "sub/..", f"/nowhere{os.pathsep}"])
@pytest.mark.parametrize("program", ["goalkeeper", "verifier"])
def test_a_relative_entry_of_pythonpath_lends_us_no_module(
    program: str, given: str, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    (clone / "sub").mkdir(parents=True)
    for name in ("__future__", "argparse", "base64", "itertools", "json", "re"):
        (clone / f"{name}.py").write_text("raise SystemExit('a module of the clone')\n")
    (tmp_path / "verifier.py").write_text(join_script())
    words = {"goalkeeper": ["-P", "-c", START], "verifier": [f"{tmp_path}/verifier.py", "--help"]}

    ran = subprocess.run(
        [sys.executable, *words[program]],
        cwd=clone, env={**os.environ, "PYTHONPATH": given}, capture_output=True, check=False,
    )  # fmt: skip

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.startswith(b"usage: ")


@pytest.mark.thorough
def test_a_campaign_takes_no_module_of_its_repository(tmp_path: Path) -> None:
    campaigned = Campaigned(tmp_path)
    campaigned.write({"argparse.py": "raise SystemExit('a module of the repository')\n"})
    step = Step("parts/a.txt")
    campaigned.plan_sessions(Session("one", [step]), scripts=({"*": [mend(step.path)]},))

    answer = campaigned.work()

    assert answer.json["ended"] == "done"
