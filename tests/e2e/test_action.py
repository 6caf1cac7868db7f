"""The action for GitHub: its steps, as they stand in the file, do what they say in a real clone."""

import re
import site
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.e2e.receipts import NOTES, Desk, envelope, git, name_of, pem
from tests.e2e.world import PLAIN_PATH

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
RUNS = [step for step in STEPS if "run" in step]
EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")


class Runner(NamedTuple):
    """A machine with a Python and a checkout, made as actions/checkout makes it."""

    place: Path
    python: Path = Path(sys.executable).parent  # has all that would be installed

    def check_out(self, origin: Path) -> None:
        git("init", "--quiet", self.workspace, cwd=self.place)
        git("remote", "add", "origin", origin.as_uri(), cwd=self.workspace)
        git("fetch", "--quiet", "--depth=1", "origin", "main", cwd=self.workspace)
        git("checkout", "--quiet", "--detach", "FETCH_HEAD", cwd=self.workspace)

    @property
    def workspace(self) -> Path:
        return self.place / "workspace"

    def run(
        self, inputs: Mapping[str, str], steps: Sequence[Mapping[str, Any]] = RUNS[1:]
    ) -> tuple[int, str]:
        """The steps until one fails: its exit code, and what was printed."""
        usual = {name: told.get("default", "") for name, told in ACTION["inputs"].items()}
        known = {f"inputs.{name}": value for name, value in {**usual, **inputs}.items()}
        known["github.action_path"] = str(ROOT)
        printed = ""
        for step in steps:
            done = self._step(step, known)
            printed += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, printed
        return 0, printed

    def _step(
        self, step: Mapping[str, Any], known: Mapping[str, str]
    ) -> "subprocess.CompletedProcess[str]":
        script = self.place / "step.sh"
        script.write_text(step["run"])
        more = {
            name: EXPRESSION.sub(lambda found: known[found[1]], text)
            for name, text in step.get("env", {}).items()
        }
        env = {"PATH": f"{self.python}:{PLAIN_PATH}", "HOME": str(self.place), **more}
        shell = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script)
        return subprocess.run(
            shell, cwd=self.workspace, env={**env, "PIP_NO_INDEX": "1"}, capture_output=True,
            text=True, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """What was proven, with its receipts, is pushed as the documents say."""
    place = tmp_path_factory.mktemp("desk")
    desk = Desk.at(place)
    git("init", "--quiet", "--bare", place / "origin.git", cwd=place)
    desk.project.git("remote", "add", "origin", (place / "origin.git").as_uri())
    desk.project.git("push", "--quiet", "origin", "main")
    return desk


@pytest.fixture
def origin(desk: Desk) -> Path:
    desk.project.ok("receipt", "attach")
    desk.project.git("push", "--quiet", "--force", "origin", NOTES)
    return desk.project.home.parent.parent / "origin.git"


@pytest.fixture
def runner(origin: Path, tmp_path: Path) -> Runner:
    made = Runner(tmp_path)
    made.check_out(origin)
    return made


def test_it_is_a_composite_action_whose_steps_take_inputs_from_the_environment_only() -> None:
    """A text that is pasted into a script is a script."""
    assert (ACTION["runs"]["using"], len(RUNS)) == ("composite", 3)
    assert ACTION["inputs"]["key"]["required"] is True
    assert {step["shell"] for step in RUNS} == {"bash"}
    assert not [step for step in RUNS if "${{" in step["run"]]


def test_a_commit_with_a_final_receipt_passes(desk: Desk, runner: Runner) -> None:
    assert runner.run({"key": desk.trusted.decode()}) == (0, "it holds\n")


@pytest.mark.thorough
def test_it_installs_what_it_needs(desk: Desk, runner: Runner) -> None:
    """By a real pip, which finds here what the developer has: nothing is fetched."""
    place = runner.place / "python"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "developer.pth").write_text("\n".join(site.getsitepackages()))

    told = runner._replace(python=place / "bin").run({"key": desk.trusted.decode()}, RUNS)

    assert told == (0, "it holds\n")


def test_several_keys_and_a_policy_of_several_lines_are_understood(
    desk: Desk, runner: Runner
) -> None:
    keys = pem(desk.mine) + desk.trusted
    policy = f'kind = "final"\nisolation = "checkout"\nkeys = ["{name_of(desk.theirs)}"]\n'

    assert runner.run({"key": keys.decode(), "policy": policy}) == (0, "it holds\n")


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ('kind = "final"\nisolation = "sandbox"', "isolation-too-weak"),
        ('gate = "strict"', "gate-too-weak"),
        ("", "policy-invalid"),
        ('kind = "$(touch owned)`touch owned`"', "policy-invalid"),
    ],
)
def test_a_policy_that_is_not_met_fails(
    desk: Desk, runner: Runner, policy: str, reason: str
) -> None:
    code, printed = runner.run({"key": desk.trusted.decode(), "policy": policy})

    assert (code, "it does not hold" in printed) == (1, True)
    assert reason in printed
    assert not (runner.workspace / "owned").exists()


@pytest.mark.parametrize("key", ["", "no key", "theirs"])
def test_a_key_that_is_none_or_another_fails(desk: Desk, runner: Runner, key: str) -> None:
    given = pem(desk.mine).decode() if key == "theirs" else key

    code, printed = runner.run({"key": given})

    assert (code, "wrong-key" in printed) == (1, True)


def test_a_commit_without_a_receipt_fails(desk: Desk, runner: Runner, origin: Path) -> None:
    git("update-ref", "-d", NOTES, cwd=origin)

    code, printed = runner.run({"key": desk.trusted.decode()})

    assert code == 1
    assert "No receipts could be fetched." in printed
    assert "no-note: " in printed


def test_a_receipt_by_another_key_fails(desk: Desk, runner: Runner, origin: Path) -> None:
    desk.stranger.note(envelope(desk.payload, desk.mine))
    git("push", "--quiet", "--force", origin.as_uri(), NOTES, cwd=desk.stranger.clone)

    code, printed = runner.run({"key": desk.trusted.decode()})

    assert (code, "wrong-key" in printed) == (1, True)
