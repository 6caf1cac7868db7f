"""Packages of a registry as repositories: one commit for each release. Nothing of them is run.

The parent of a release is the highest version below it that was published before it. So a package
that publishes two lines by turns has a branch for each of them, if its registry tells the dates.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urljoin

from bench.projects.archives import unpack_archive
from goalkeeper.errors import UsageError
from goalkeeper.git.trees import NOBODY
from goalkeeper.wire.value import Value

_FINAL = re.compile(r"\d+(?:\.\d+)*(?:\.post\d+)?")
_PATIENCE = 120
# Packing makes these; no commit has them.
_PACKED = ("PKG-INFO", "*.egg-info", "node_modules", "__pycache__")


class Release(Value):
    version: str
    published: str  # when; empty where the registry does not tell
    place: str  # where its archive lies, or the package


def list_sdists(package: str) -> list[Release]:
    """Return the source archives of the releases, as pip is told to look for them."""
    page = f"{_find_index().rstrip('/')}/{package}/"
    accept = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
    asked = urllib.request.Request(page, headers={"Accept": accept})
    with urllib.request.urlopen(asked, timeout=_PATIENCE) as told:
        links = _read_links(told.read().decode())
    stem = re.sub(r"[-_.]+", "[-_.]+", package)
    name = re.compile(rf"{stem}-(.+)\.tar\.gz", re.IGNORECASE)
    return [
        Release(match[1], published, urljoin(page, link))
        for link, published in links
        if (match := name.fullmatch(link.rpartition("/")[2]))
    ]


def _read_links(page: str) -> list[tuple[str, str]]:
    """Return the addresses of a page of an index, which is JSON or HTML, with their dates."""
    if page.startswith("{"):
        files: list[dict[str, str]] = json.loads(page)["files"]
        return [(each["url"], each.get("upload-time", "")) for each in files]
    anchors = re.findall(r"<a\s[^>]*>", page)
    found = (
        (re.search(r'href="([^"#]+)', x), re.search(r'upload-time="([^"]+)', x)) for x in anchors
    )
    return [(link[1], date[1] if date else "") for link, date in found if link]


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


def list_tarballs(package: str) -> list[Release]:
    asked = ["npm", "view", package, "versions", "time", "--json"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    if told.returncode != 0:
        raise UsageError(problem=f"npm knows no {package}", hint="see `npm view`")
    known = json.loads(told.stdout)
    dates: Mapping[str, str] = known["time"]
    return [Release(version, dates.get(version, ""), package) for version in known["versions"]]


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
    tuple[Callable[[str], list[Release]], Callable[[str, str, Path], Path]],
] = {"pypi": (list_sdists, _fetch_sdist), "npm": (list_tarballs, _fetch_tarball)}


def name_root(registry: str, package: str, cache: Path, most: int) -> Path:
    """Name the folder that keeps the releases of a package."""
    return cache / f"{registry}-{package.replace('/', '-')}-{most}-in-order"


def open_releases(
    registry: str, package: str, cache: Path, *, most: int, without: Sequence[str] = ()
) -> Path:
    """Return a repository with a branch and a commit for each of the last `most` final releases.

    Files that packing adds are left out, and those at the top that are named `without`.
    """
    root = name_root(registry, package, cache, most)
    if (root / ".git" / "complete").exists():
        return root
    list_versions, fetch = _REGISTRIES[registry]
    final = [each for each in list_versions(package) if _FINAL.fullmatch(each.version)]
    final = order_releases(final, most)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    _git(root, "init", "--quiet")
    made: list[str] = []
    for each in final:
        get = partial(fetch, each.place, each.version)
        if _commit_release(root, each.version, find_base(each.version, made), get, without):
            made.append(each.version)
    (root / ".git" / "complete").touch()
    return root


def order_releases(releases: Iterable[Release], most: int) -> list[Release]:
    """Return the releases with the highest versions as they came out, or by version.

    A mirror may tell when it fetched a release, and not when that was published. Such dates
    contradict the versions: 1.4.2 comes out after 1.4.1, and 1.5.0 after 1.4.0, whoever publishes.
    """
    ordered = sorted(releases, key=lambda each: _read_numbers(each.version))[-most:]
    lines: dict[object, list[str]] = {}
    for each in ordered:
        major, *minor = numbers = _read_numbers(each.version)
        lines.setdefault((major, *minor[:1]), []).append(each.published)
        if not any(numbers[2:]):
            lines.setdefault(major, []).append(each.published)
    if all(dates == sorted(dates) for dates in lines.values()):
        ordered.sort(key=lambda each: each.published)  # and by version where they are equal
    return ordered


def find_base(version: str, earlier: Iterable[str]) -> str | None:
    """Return the highest of the versions published earlier that is below this one."""
    mine = _read_numbers(version)
    lower = (each for each in earlier if _read_numbers(each) < mine)
    return max(lower, key=_read_numbers, default=None)


def _commit_release(
    root: Path,
    version: str,
    base: str | None,
    fetch: Callable[[Path], Path],
    without: Sequence[str],
) -> bool:
    """Commit a release on a branch of its own; return False where it cannot be fetched."""
    with tempfile.TemporaryDirectory(dir=root.parent) as name:
        folder = Path(name)
        try:
            unpack_archive(fetch(folder), folder / "tree")
        except (subprocess.CalledProcessError, OSError, ValueError) as exc:
            print(f"{root.name}: {version} is left out: {exc}", flush=True)
            return False
        tree = folder / "tree"
        packed = [path for pattern in _PACKED for path in tree.rglob(pattern)]
        for path in (*packed, *(path for pattern in without for path in tree.glob(pattern))):
            if path.exists():
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        _git(root, "--work-tree", str(tree), "add", "--all", "--force")
    tree_id = _git(root, "write-tree")
    parent = [] if base is None else ["-p", f"refs/heads/{base}"]
    commit = _git(root, "commit-tree", *parent, "-m", version, tree_id)
    _git(root, "branch", version, commit)
    return True


def _read_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _git(root: Path, *words: str) -> str:
    env = {**os.environ, **NOBODY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    told = subprocess.run(
        ["git", *words], cwd=root, env=env, check=True, stdout=subprocess.PIPE, text=True
    )
    return told.stdout.strip()
