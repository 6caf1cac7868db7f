"""The action for GitHub: its steps, as they stand in the file, do what they say in a real clone."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest
import yaml

from goalkeeper.verifier.script import join_script
from tests.e2e.receipts import NOTES, Desk, envelope, git, name_of, pem
from tests.e2e.world import PLAIN_PATH

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
(STEP,) = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")


class Runner(NamedTuple):
    """A machine with a checkout, made as actions/checkout makes it."""

    place: Path
    more: Mapping[str, str] = MappingProxyType({})  # variables that earlier steps have set

    def check_out(self, origin: Path) -> None:
        git("init", "--quiet", self.workspace, cwd=self.place)
        git("remote", "add", "origin", origin.as_uri(), cwd=self.workspace)
        git("fetch", "--quiet", "--depth=1", "origin", "main", cwd=self.workspace)
        git("checkout", "--quiet", "--detach", "FETCH_HEAD", cwd=self.workspace)

    @property
    def workspace(self) -> Path:
        return self.place / "workspace"

    def run(self, inputs: Mapping[str, str], action: Path = ROOT) -> tuple[int, str]:
        """Return the exit code of the step, and what was printed."""
        usual = {name: told.get("default", "") for name, told in ACTION["inputs"].items()}
        known = {f"inputs.{name}": value for name, value in {**usual, **inputs}.items()}
        known |= {"github.action_path": str(action), "github.workspace": str(self.workspace)}

        def fill(text: str) -> str:
            return EXPRESSION.sub(lambda found: known[found[1]], text)

        script = self.place / "step.sh"
        script.write_text(STEP["run"])
        program, *words = shlex.split(STEP["shell"].format(script))
        env = {"PATH": PLAIN_PATH, "HOME": str(self.place), **self.more}
        env |= {name: fill(text) for name, text in STEP["env"].items()}
        done = subprocess.run(
            [str(shutil.which(program)), *words], cwd=fill(STEP["working-directory"]), env=env,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout


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


def test_it_is_one_step_without_other_actions_that_takes_inputs_from_the_environment_only() -> None:
    """A text that is pasted into a script is a script."""
    assert (ACTION["runs"]["using"], "uses" in STEP) == ("composite", False)
    assert ACTION["inputs"]["key"]["required"] is True
    assert "${{" not in STEP["run"] + STEP["shell"]
    assert STEP["working-directory"] == "${{ github.action_path }}"


def test_a_commit_with_a_final_receipt_passes(desk: Desk, runner: Runner) -> None:
    assert runner.run({"key": desk.trusted.decode()}) == (0, "it holds\n")


TRAP = """import os, subprocess
open({canary!r}, "a").write(__file__)
"""
MODULES = ("__future__", "argparse", "goalkeeper", "hashlib", "json", "os", "pip", "sitecustomize",
           "tomllib", "usercustomize")  # fmt: skip
PROGRAMS = ("bash", "env", "git", "mktemp", "pip", "python", "python3", "realpath", "sh")


def set_traps(place: Path, canary: Path) -> dict[str, str]:
    """Fill a checkout with all that might be run by accident; return variables that point at it."""
    touch = f"echo trap >> {canary}"
    for name in MODULES:
        (place / f"{name}.py").write_text(TRAP.format(canary=str(canary)))
    for name in ("cryptography", "goalkeeper", "goalkeeper/verifier"):
        (place / name).mkdir()
        (place / name / "__init__.py").write_text(TRAP.format(canary=str(canary)))
    for name in PROGRAMS:
        (place / name).write_text(f"#!/bin/sh\n{touch}\n")
        (place / name).chmod(0o755)
    (place / ".gitattributes").write_text("* filter=trap diff=trap merge=trap\n")
    (place / ".gitmodules").write_text(
        f'[submodule "trap"]\npath = trap\nurl = "ext::sh -c %s"\nupdate = !{touch}\n'
    )
    (place / ".gitconfig").write_text(f"[core]\nfsmonitor = {touch}\npager = {touch}\n")
    (place / "pip.conf").write_text("[global]\nindex-url = file:///nowhere\n")
    (place / ".python-version").write_text("trap\n")
    (place / "trap.sh").write_text(f"{touch}\n")
    return {
        "BASH_ENV": str(place / "trap.sh"), "ENV": str(place / "trap.sh"), "SHELLOPTS": "xtrace",
        "BASH_FUNC_git%%": f"() {{ {touch}; }}", "BASH_FUNC_python3%%": f"() {{ {touch}; }}",
        "PATH": f".:{place}:{PLAIN_PATH}", "PYTHONPATH": f".:{place}", "PYTHONSTARTUP": "pip.py",
        "GIT_CONFIG_GLOBAL": str(place / ".gitconfig"), "GIT_SSH_COMMAND": touch,
        "GIT_EXEC_PATH": str(place), "GIT_DIR": str(place / "no.git"), "PIP_NO_INDEX": "1",
    }  # fmt: skip


@pytest.mark.parametrize("is_trusted", [True, False])
def test_H1_nothing_of_the_checkout_is_imported_started_or_obeyed(
    desk: Desk, runner: Runner, is_trusted: bool
) -> None:
    canary = runner.place / "canary"
    hostile = runner._replace(more=set_traps(runner.workspace, canary))
    key = desk.trusted if is_trusted else pem(desk.mine)

    code, printed = hostile.run({"key": key.decode()})

    assert not canary.exists(), canary.read_text()
    assert (code, printed.splitlines()[-1]) == (
        (0, "it holds") if is_trusted else (1, "it does not hold")
    )


def test_H1_an_action_that_lies_in_the_checkout_is_refused(desk: Desk, runner: Runner) -> None:
    """`uses: ./` would ask the author of the commit whether the commit is good."""
    canary = runner.place / "canary"
    (runner.workspace / "src").mkdir()
    set_traps(runner.workspace / "src", canary)

    code, printed = runner.run({"key": desk.trusted.decode()}, runner.workspace)

    assert (code, "lies in the checkout" in printed, canary.exists()) == (1, True, False)


@pytest.mark.parametrize("words", [("-I",), ()], ids=["isolated", "plain"])
def test_H1_the_one_file_is_safe_in_a_hostile_checkout(
    desk: Desk, runner: Runner, words: tuple[str, ...]
) -> None:
    """It was saved there, as the page says, and is started there, also without -I."""
    canary = runner.place / "canary"
    more = set_traps(runner.workspace, canary)
    (runner.workspace / "verify_receipt.py").write_text(join_script())
    (runner.workspace / "goalkeeper.pub").write_bytes(desk.trusted)
    env = {"PATH": more["PATH"], "HOME": str(runner.place), "GIT_DIR": more["GIT_DIR"]}
    asked = ("verify_receipt.py", "-", "--key", "goalkeeper.pub")

    done = subprocess.run(
        [sys.executable, *words, *asked], cwd=runner.workspace, env=env, input=desk.final,
        capture_output=True, check=False,
    )  # fmt: skip

    assert not canary.exists(), canary.read_text()
    assert (done.returncode, done.stdout) == (0, b"it holds\n"), done


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
