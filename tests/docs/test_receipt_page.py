"""What the page about receipts tells others to do, done by somebody who has a clone and a key."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from goalkeeper.verifier.inquiry import POLICY_LINES, parse_policy
from goalkeeper.verifier.script import join_script
from tests.e2e.receipts import Desk, Stranger
from tests.e2e.world import COMMAND, PLAIN_PATH

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/receipts.md").read_text()


def fences(heading: str, language: str) -> list[str]:
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = Desk.at(tmp_path_factory.mktemp("desk"))
    desk.project.ok("receipt", "attach")
    return desk


@pytest.fixture
def stranger(desk: Desk, tmp_path: Path) -> Stranger:
    made = Stranger(tmp_path / "stranger", desk.project.root)
    (made.clone / "goalkeeper.pub").write_bytes(desk.trusted)
    return made


def shell(stranger: Stranger, script: str) -> "subprocess.CompletedProcess[str]":
    bin_ = stranger.home / "bin"
    bin_.mkdir()
    os.symlink(COMMAND, bin_ / "goalkeeper")
    os.symlink(sys.executable, bin_ / "python3")
    env = {"PATH": f"{bin_}:{COMMAND.parent}:{PLAIN_PATH}", "HOME": str(stranger.home)}
    words = ["bash", "-e", "-c", script]
    return subprocess.run(
        words, cwd=stranger.clone, env=env, capture_output=True, text=True, check=False
    )


def test_the_minute_takes_two_commands_with_goalkeeper_and_two_without(
    stranger: Stranger,
) -> None:
    with_it, without = fences("Check one in a minute", "sh")
    script = "goalkeeper verify-receipt --print-script > verify_receipt.py"
    assert script in PAGE

    done = shell(stranger, f"{with_it}\n{script}\n{without}")

    assert (done.returncode, done.stdout) == (0, "It holds.\nit holds\n"), done


def test_the_policy_that_is_shown_is_met_and_shows_every_line(
    desk: Desk, stranger: Stranger
) -> None:
    (policy,) = fences("Policy", "toml policy.toml")
    shown = set(re.findall(r"^(?:# )?(\w+) = ", policy, re.MULTILINE))

    assert stranger.by_all(desk.final, desk.trusted, policy=policy) == (0, [])
    assert shown == set(POLICY_LINES)


def test_the_workflow_that_is_shown_gives_the_action_what_it_takes() -> None:
    (shown,) = fences("On GitHub", r"yaml \.github/workflows/receipt\.yml")
    steps = yaml.safe_load(shown)["jobs"]["receipt"]["steps"]
    (given,) = [step["with"] for step in steps if "goalkeeper@" in step["uses"]]
    action = yaml.safe_load((ROOT / "action.yml").read_text())

    assert set(given) == set(action["inputs"])
    assert parse_policy(given["policy"].encode())[1] == []


def test_every_reason_that_can_be_told_is_explained() -> None:
    source = join_script()
    told = set(re.findall(r'ReceiptRefused\(\s*"([a-z-]+)"', source))

    explained = {name for row in re.findall(r"^\| (`.+?) \|", PAGE, re.MULTILINE)
                 for name in re.findall(r"`([a-z-]+)`", row)}  # fmt: skip
    assert told == explained
