"""The archives of projects: taken from a folder, or fetched from a registry by name and version."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.projects.project import RealProject
from goalkeeper.errors import UsageError

_APT = Path("/etc/apt")


def find_archive(project: RealProject, folder: Path) -> Path:
    """Return the archive of a project; it is fetched into the folder if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (found := _look_for(project, folder)):
        _FETCHERS[project.registry](project, folder)
        found = _look_for(project, folder)
    if not found:
        problem = f"{project.registry} brought no {project.archive} for {project.name}"
        raise UsageError(problem=problem, hint="put it into a folder, and name that: --archives")
    return found


def unpack_archive(archive: Path, tree: Path) -> None:
    """Unpack an archive without the one folder that all its files lie in."""
    unpacked = tree.parent / "unpacked"
    unpacked.mkdir()
    # Python unpacks what strangers packed safely since 3.11.4 only; tar keeps inside by itself.
    tar = ["tar", "--extract", "--no-same-owner", "--file", str(archive.resolve())]
    subprocess.run(tar, cwd=unpacked, check=True)
    (inner,) = unpacked.iterdir()
    inner.rename(tree)


def _look_for(project: RealProject, folder: Path) -> Path | None:
    return next(iter(sorted(folder.glob(project.archive))), None)


def _fetch_sdist(project: RealProject, folder: Path) -> None:
    wanted = f"{project.package}=={project.version}"
    pip = ["pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", wanted]
    subprocess.run(pip, cwd=folder, check=False)


def _fetch_package(project: RealProject, folder: Path) -> None:
    wanted = f"{project.package}@{project.version}"
    subprocess.run(["npm", "pack", "--silent", wanted], cwd=folder, check=False)


def _fetch_source(project: RealProject, folder: Path) -> None:
    """Fetch the source of a Debian package; lists of sources are kept apart from the machine's."""
    own = folder / "apt"
    for name in ("lists/partial", "cache/archives/partial", "parts"):
        (own / name).mkdir(parents=True, exist_ok=True)
    for listed in (_APT / "sources.list.d").glob("*.sources"):
        text = listed.read_text().replace("Types: deb\n", "Types: deb-src\n")
        (own / "parts" / listed.name).write_text(text)
    options = {
        "Dir::Etc::sourcelist": os.devnull, "Dir::Etc::sourceparts": own / "parts",
        "Dir::State::lists": own / "lists", "Dir::Cache": own / "cache",
        "APT::Sandbox::User": "root",
    }  # fmt: skip
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    if not any((own / "lists").glob("*Sources*")):
        subprocess.run([*apt, "update"], check=False)
    wanted = f"{project.package}={project.version}"
    source = ["source", "--download-only", "--tar-only", wanted]
    subprocess.run([*apt, *source], cwd=folder, check=False)


_FETCHERS: Mapping[str, Callable[[RealProject, Path], None]] = {
    "PyPI": _fetch_sdist,
    "npm": _fetch_package,
    "Debian": _fetch_source,
}


def copy_settings(config: Path) -> None:
    """Copy what pip is told about registries: each trial has settings of its own."""
    told = Path.home() / ".config" / "pip"
    if told.is_dir():
        shutil.copytree(told, config / "pip")
