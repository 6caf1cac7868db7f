"""Packages of a registry as repositories: one commit for each release. Nothing of them is run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urljoin

from bench.projects.archives import unpack_archive
from goalkeeper.errors import UsageError
from goalkeeper.git.trees import NOBODY

_FINAL = re.compile(r"\d+(?:\.\d+)*(?:\.post\d+)?")
_PATIENCE = 120
# Packing makes these; no commit has them.
_PACKED = ("PKG-INFO", "*.egg-info", "node_modules", "__pycache__")


def list_sdists(package: str) -> dict[str, str]:
    """Return where the source archive of each final release lies, as pip is told to look."""
    page = f"{_find_index().rstrip('/')}/{package}/"
    with urllib.request.urlopen(page, timeout=_PATIENCE) as told:
        links = re.findall(r'href="([^"#]+)', told.read().decode())
    stem = re.sub(r"[-_.]+", "[-_.]+", package)
    name = re.compile(rf"{stem}-(.+)\.tar\.gz", re.IGNORECASE)
    found = {}
    for link in links:
        if match := name.fullmatch(link.rpartition("/")[2]):
            found[match[1]] = urljoin(page, link)
    return found


def _find_index() -> str:
    pip = shutil.which("pip3") or shutil.which("pip") or "pip"
    told = subprocess.run(
        [pip, "config", "get", "global.index-url"], capture_output=True, text=True, check=False
    )
    if told.returncode == 0 and told.stdout.strip():
        return told.stdout.strip()
    # Without a setting pip knows the address of the index, and nobody else needs to.
    asked = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    for python in ("python3", "python"):
        told = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
        if told.returncode == 0:
            return told.stdout.strip()
    raise UsageError(problem="pip does not tell its index", hint="install pip")


def list_tarballs(package: str) -> dict[str, str]:
    asked = ["npm", "view", package, "versions", "--json"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    if told.returncode != 0:
        raise UsageError(problem=f"npm knows no {package}", hint="see `npm view`")
    versions: list[str] = json.loads(told.stdout)
    return dict.fromkeys(versions, package)


def _fetch_sdist(address: str, _version: str, folder: Path) -> Path:
    archive = folder / "sdist.tar.gz"
    with urllib.request.urlopen(address, timeout=_PATIENCE) as told:
        archive.write_bytes(told.read())
    return archive


def _fetch_tarball(package: str, version: str, folder: Path) -> Path:
    pack = ["npm", "pack", "--silent", "--ignore-scripts", f"{package}@{version}"]
    told = subprocess.run(pack, cwd=folder, capture_output=True, text=True, check=True)
    return folder / told.stdout.split()[-1]


_REGISTRIES: Mapping[
    str,
    tuple[Callable[[str], dict[str, str]], Callable[[str, str, Path], Path]],
] = {"pypi": (list_sdists, _fetch_sdist), "npm": (list_tarballs, _fetch_tarball)}


def open_releases(
    registry: str, package: str, cache: Path, *, most: int, without: Sequence[str] = ()
) -> Path:
    """Return a repository with a commit for each of the last `most` final releases.

    Files that packing adds are left out, and those at the top that are named `without`.
    """
    root = cache / f"{registry}-{package.replace('/', '-')}-{most}"
    if (root / ".git" / "complete").exists():
        return root
    list_versions, fetch = _REGISTRIES[registry]
    known = list_versions(package)
    final = sorted(filter(_FINAL.fullmatch, known), key=_read_numbers)[-most:]
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    _git(root, "init", "--quiet")
    for version in final:
        _commit_release(root, version, partial(fetch, known[version], version), without)
    (root / ".git" / "complete").touch()
    return root


def _commit_release(
    root: Path, version: str, fetch: Callable[[Path], Path], without: Sequence[str]
) -> None:
    with tempfile.TemporaryDirectory(dir=root.parent) as name:
        folder = Path(name)
        try:
            unpack_archive(fetch(folder), folder / "tree")
        except (subprocess.CalledProcessError, OSError, ValueError) as exc:
            print(f"{root.name}: {version} is left out: {exc}", flush=True)
            return
        tree = folder / "tree"
        packed = [path for pattern in _PACKED for path in tree.rglob(pattern)]
        for path in (*packed, *(path for pattern in without for path in tree.glob(pattern))):
            if path.exists():
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        _git(root, "--work-tree", str(tree), "add", "--all", "--force")
    _git(root, "commit", "--quiet", "--allow-empty", "--message", version)


def _read_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _git(root: Path, *words: str) -> None:
    env = {**os.environ, **NOBODY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *words], cwd=root, env=env, check=True)
