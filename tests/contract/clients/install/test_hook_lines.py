"""A hook line ends with 0, whatever became of the files that it reads and of its shell."""

import os
import shutil
import subprocess
from itertools import cycle
from pathlib import Path

import pytest

from goalkeeper.clients.install.parts import is_ours
from tests.contract.clients.install.test_parts import FRONT, PLAIN, lines
from tests.e2e.installs import HOUSES, House
from tests.tables import for_each

SHELLS = [["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"], ["zsh"], ["ksh"], ["mksh"]]
THERE = [shell for shell in SHELLS if shutil.which(shell[0])]
# GOALKEEPER_CUTS=1 cuts the file after every byte; `make test` after every 61st.
STEP = int(os.environ.get("GOALKEEPER_CUTS", "61"))
BROKEN = [
    "exit 3", "return 2", "false", "(", "fi", "set -eu; $nothing",
    "nothing-of-this-name", ". /no/such/file", "shift 99", "'",
    "readonly h; h=x", "\0\x01\xff",
]  # fmt: skip
UNKIND = [
    {},
    {"SHELLOPTS": "errexit:nounset"},
    {"BASH_ENV": "{place}/unkind.sh", "ENV": "{place}/unkind.sh"},
    {"POSIXLY_CORRECT": "1"},
]


def run(shell: list[str], line: str, **environ: str) -> "subprocess.CompletedProcess[bytes]":
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", **environ}
    given = b'{"ulw": 1}'
    return subprocess.run(
        [*shell, "-c", line], input=given, env=env, capture_output=True, check=False
    )


def all_lines(front: Path) -> list[str]:
    setting = PLAIN.replace(front=str(front), python="/bin/echo")
    return [line for house in HOUSES for line in lines(house, setting)]


@pytest.fixture
def front(tmp_path: Path) -> Path:
    """A copy of the package's own files, as far as a hook line needs them."""
    front = tmp_path / "goalkeeper/hooks/front.sh"
    front.parent.mkdir(parents=True)
    shutil.copytree(FRONT.parents[1] / "clients/claude", tmp_path / "goalkeeper/clients/claude")
    (tmp_path / "unkind.sh").write_text("set -eu\n")
    return front


@pytest.mark.needs("dash")
@for_each("shell", THERE, ids=" ".join)
def test_M1_half_of_the_file_does_nothing_and_ends_with_0(shell: list[str], front: Path) -> None:
    """Also where a session is held, and the whole file would have answered."""
    whole, ways = FRONT.read_bytes(), cycle(all_lines(front))
    watch = front.parents[2] / "goalkeeper/watch/x"
    watch.parent.mkdir(exist_ok=True)
    watch.touch()
    end = whole.rindex(b"fi")
    for size in range(0, end, STEP):
        front.write_bytes(whole[:size])
        done = run(shell, next(ways), XDG_STATE_HOME=str(front.parents[2]))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), (size, done)


@pytest.mark.needs("dash")
@for_each("shell", THERE, ids=" ".join)
def test_M1_a_file_of_any_other_kind_ends_with_0(shell: list[str], front: Path) -> None:
    ways, environs = cycle(all_lines(front)), cycle(UNKIND)
    for text in BROKEN:
        front.write_text(text)
        env = {name: value.format(place=front.parents[2]) for name, value in next(environs).items()}
        assert run(shell, next(ways), **env).returncode == 0, (text, env)
    front.write_bytes(FRONT.read_bytes())
    front.chmod(0)
    assert run(shell, next(ways)).returncode == 0
    session = front.parents[1] / "clients/claude/session.sh"
    session.write_bytes(session.read_bytes()[:20])
    assert run(shell, next(ways)).returncode == 0
    front.unlink()
    assert run(shell, next(ways)).returncode == 0
    front.mkdir()
    assert run(shell, next(ways)).returncode == 0
    front.rmdir()


@for_each("shell", THERE, ids=" ".join)
@for_each("environ", UNKIND, ids=str)
def test_M1_the_whole_file_works_in_a_shell_with_other_settings(
    environ: dict[str, str], shell: list[str], front: Path
) -> None:
    """Where nothing is held, nothing is said; a watch is seen."""
    place = front.parents[2]
    front.write_bytes(FRONT.read_bytes())
    python = place / "python"
    python.write_text("#!/bin/sh\necho answered\n")
    python.chmod(0o755)
    (place / "goalkeeper/watch").mkdir(exist_ok=True)
    (place / "goalkeeper/watch/codex-s").unlink(missing_ok=True)
    env = {name: value.format(place=place) for name, value in environ.items()}
    setting = PLAIN.replace(front=str(front), python=str(python))
    line = lines(House("codex", "user"), setting)[0]

    assert run(shell, line, XDG_STATE_HOME=str(place), **env).stdout in {b"", b"answered\n"}
    (place / "goalkeeper/watch/codex-s").touch()
    done = run(shell, line, XDG_STATE_HOME=str(place), **env)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"answered\n", b"")


def test_the_line_of_the_version_before_is_ours_so_that_install_replaces_it() -> None:
    line = f'h={FRONT}; [ -r "$h" ] && set -- codex stop /v/bin/python && . "$h"; exit 0'

    assert is_ours({"type": "command", "command": line})
