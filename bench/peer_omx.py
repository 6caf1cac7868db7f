"""oh-my-codex (`omx ultragoal`) as a peer: installed, given a plan, ready to be timed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "oh-my-codex"
VERSION = "0.21.6"
_STATE = Path(".omx", "ultragoal")


class PeerNotReady(Exception):
    """A command of the peer did not do what it should."""

    def __init__(self, *, argv: Sequence[str], code: int, output: str) -> None:
        super().__init__(argv, code, output)
        self.argv, self.code, self.output = tuple(argv), code, output

    def __str__(self) -> str:
        return f"{self.__doc__} exit={self.code} argv={self.argv}\n{self.output}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A plan in its own repository, the commands to time, and what they run in."""

    repository: Path
    env: Mapping[str, str]
    status_argv: Sequence[str]
    steer_argv: Sequence[str]
    saved: Mapping[Path, bytes]

    def restore(self) -> None:
        """Take the plan back to where `prepare` left it: every steer adds a goal."""
        for path, content in self.saved.items():
            path.write_bytes(content)

    def goal_count(self) -> int:
        return len(json.loads((self.repository / _STATE / "goals.json").read_bytes())["goals"])


def default_cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "goalkeeper-bench"


def install(cache: Path) -> Path | None:
    """The `omx` command of the pinned version, or None and a printed reason."""
    prefix = install_package(PACKAGE, VERSION, cache)
    return prefix / "node_modules" / ".bin" / "omx" if prefix else None


def install_package(package: str, version: str, cache: Path) -> Path | None:
    """The folder of that version, or None and a printed reason."""
    prefix = cache / f"{package}-{version}"
    if shutil.which("node") is None or shutil.which("npm") is None:
        return _absent(package, "node or npm is not on PATH")
    if prefix.exists():
        return prefix
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        staging = Path(scratch, "staging")
        staging.mkdir()
        (staging / "package.json").write_text("{}")  # else npm may pick a folder further up
        # Scripts stay off: what they do is for other ways to install.
        argv = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"]
        try:
            _output([*argv, f"{package}@{version}"], staging, _npm_environment(Path(scratch)))
        except (PeerNotReady, subprocess.TimeoutExpired) as exc:
            return _absent(package, str(exc))
        if not prefix.exists():  # another run may have installed it meanwhile
            staging.rename(prefix)
    return prefix


def prepare(omx: Path, workdir: Path, goals: int = 100) -> Peer:
    """Create a plan of `goals` goals with the real command, and see both timed commands work."""
    repository, home = workdir / "repository", workdir / "home"
    home.mkdir(parents=True)
    env = _environment(home)
    _output(["git", "init", "--quiet", str(repository)], workdir, env)
    ultragoal = [str(omx), "ultragoal"]
    wanted = [f"--goal=Goal {n}::Make part {n} of the product work" for n in range(1, goals + 1)]
    _output([*ultragoal, "create-goals", "--brief=Build the product", *wanted], repository, env)
    peer = Peer(
        repository=repository,
        env=env,
        status_argv=[*ultragoal, "status"],
        steer_argv=[
            *ultragoal,
            "steer",
            "--kind=add_subgoal",
            "--title=One more part",
            "--objective=Make the part that the review found missing",
            "--evidence=Review of part 7",
            "--rationale=The product needs it",
        ],
        saved={path: path.read_bytes() for path in (repository / _STATE).iterdir()},
    )
    _see_it_work(peer, goals)
    return peer


def _see_it_work(peer: Peer, goals: int) -> None:
    status = _output(peer.status_argv, peer.repository, peer.env)
    if peer.goal_count() != goals or f"0/{goals} complete, {goals} pending" not in status:
        raise PeerNotReady(argv=peer.status_argv, code=0, output=status)
    steered = _output(peer.steer_argv, peer.repository, peer.env)
    if peer.goal_count() != goals + 1 or "steer: accepted add_subgoal" not in steered:
        raise PeerNotReady(argv=peer.steer_argv, code=0, output=steered)
    peer.restore()


def _environment(home: Path) -> dict[str, str]:
    """All that the peer gets: no credentials and no configuration of ours."""
    # The real node, as it names itself: a version manager's shim would be timed with the peer.
    node = subprocess.check_output(["node", "-p", "process.execPath"], text=True).strip()
    path = os.pathsep.join([str(Path(node).parent), "/usr/bin", "/bin"])
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb"}


def _npm_environment(home: Path) -> dict[str, str]:
    # Behind a proxy with a certificate of its own, npm may need the second.
    names = {"PATH", "NODE_EXTRA_CA_CERTS"} & os.environ.keys()
    return {"HOME": str(home)} | {name: os.environ[name] for name in names}


def _output(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> str:
    done = subprocess.run(
        argv,
        check=False,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,  # seconds; npm took 20
    )
    if done.returncode != 0:
        raise PeerNotReady(argv=argv, code=done.returncode, output=done.stderr)
    return done.stdout


def _absent(package: str, reason: str) -> Path | None:
    print(f"without {package}: {reason}", file=sys.stderr)
    return None
