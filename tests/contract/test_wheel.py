"""The wheel that users install: it has all that goalkeeper reads, and runs without the checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# As it was when tests were collected: what was fetched once lies in the caches of the user.
ENVIRON = dict(os.environ)
UV = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def run_uv(*words: str, **more: str) -> None:
    trusted = {"SSL_CERT_FILE": str(CERTIFICATES)} if CERTIFICATES.exists() else {}
    env = {**trusted, **ENVIRON, "UV_PYTHON_DOWNLOADS": "never", **more}
    done = subprocess.run([UV, *words], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("dist")
    run_uv(
        "build", "--quiet", "--wheel", "--python", sys.executable, f"--out-dir={place}", str(ROOT)
    )
    (built,) = place.glob("*.whl")
    return str(built)


def assert_it_works(command: Path, place: Path) -> None:
    """Ask for what lies in files beside the modules: documents, rules, skills, the verifier."""
    place.mkdir()

    def say(*words: str) -> str:
        env = {"PATH": "/usr/bin:/bin", "HOME": str(place), "LANG": "C.UTF-8"}
        done = subprocess.run(
            [command, *words], cwd=place, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert say("help", "contracts") == (ROOT / "docs" / "contracts.md").read_text()
    assert say("help", "reference/cli") == (ROOT / "docs" / "reference" / "cli.md").read_text()
    assert "Example:" in say("explain", "test-removed")
    assert "ultragoal" in say("install", "claude", "--dry-run")
    assert "def " in say("verify-receipt", "--print-script")
    assert "There is no plan" in say("status")


def test_uv_installs_the_wheel_as_a_tool_that_works(wheel: str, tmp_path: Path) -> None:
    places = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}

    run_uv("tool", "install", "--quiet", "--python", sys.executable, wheel, **places)

    assert_it_works(tmp_path / "bin" / "goalkeeper", tmp_path / "elsewhere")


@pytest.mark.thorough
def test_pipx_installs_the_wheel_as_a_tool_that_works(wheel: str, tmp_path: Path) -> None:
    places = {"PIPX_HOME": str(tmp_path / "tools"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    path = f"{Path(UV).parent}:{ENVIRON['PATH']}"
    pipx = ("tool", "run", "--quiet", "--python", sys.executable, "pipx", "install", "--quiet")

    # What pip fetches and compiles takes minutes; uv has it in its cache.
    backend = ("--backend", "uv", "--python", sys.executable)
    run_uv(*pipx, *backend, wheel, **places, PATH=path)

    assert_it_works(tmp_path / "bin" / "goalkeeper", tmp_path / "elsewhere")
