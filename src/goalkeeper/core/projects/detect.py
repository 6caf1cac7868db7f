"""A project is recognized by the names of its files and the texts of a few of them.

What comes of it are ways to set it up and to verify it, in the terms of config.toml. Which of them
holds is seen only when it is tried.
"""

from __future__ import annotations

from goalkeeper.core.projects.packages import find_bats_ways, find_node_ways, find_other_ways
from goalkeeper.core.projects.python import find_python_ways, is_python_project
from goalkeeper.core.projects.runners import find_verify_ways, list_runner_packages
from goalkeeper.core.projects.ways import (
    Argv,
    HasProgram,
    ProjectFiles,
    SetupWay,
    join_ways,
    run_in,
)
from goalkeeper.wire.value import Value

_MANIFESTS = frozenset(
    "pyproject.toml setup.py requirements.txt package.json Cargo.toml go.mod Gemfile".split()  # noqa: SIM905
)
_DEEPEST = 2  # folders of a monorepo lie no deeper
_MOST_FOLDERS = 6
_NOT_PROJECTS = frozenset(
    "doc docs example examples fixtures node_modules test tests third_party vendor".split()  # noqa: SIM905
)


class DetectedProject(Value):
    """What a project seems to need; every list has the likeliest first."""

    setups: tuple[SetupWay, ...] = ()  # it is empty where nothing has to be set up
    verify: tuple[tuple[Argv, ...], ...] = ()

    @property
    def first_verify(self) -> tuple[Argv, ...]:
        return self.verify[0] if self.verify else ()


def detect_project(files: ProjectFiles, has_program: HasProgram) -> DetectedProject:
    """Recognize the project in a repository; where its root has none, those in its folders."""
    whole = _detect_folder(files, has_program)
    if whole.setups or whole.verify:
        return whole
    folders = _find_projects(files)
    found = [(folder, _detect_folder(files.enter(folder), has_program)) for folder in folders]
    moved = [[way.move_into(folder) for way in each.setups] for folder, each in found]
    commands = tuple(
        run_in(folder, _use_environment(each, argv))
        for folder, each in found
        for argv in each.first_verify
    )
    verify = (commands,) if commands else ()
    return DetectedProject(join_ways(moved), verify)


def _detect_folder(files: ProjectFiles, has_program: HasProgram) -> DetectedProject:
    verify = find_verify_ways(files)
    kinds = [find_node_ways(files, has_program), *find_other_ways(files)]
    if is_python_project(files):
        runners = list_runner_packages([argv for way in verify for argv in way])
        kinds.append(find_python_ways(files, has_program, runners))
    kinds.append(find_bats_ways(files, has_program))
    return DetectedProject(join_ways(kinds), tuple(map(tuple, verify)))


def _find_projects(files: ProjectFiles) -> list[str]:
    """Find the folders of a monorepo: a folder in another one that has a manifest is a part."""
    found: list[str] = []
    manifests = [path.rpartition("/") for path in files.paths]
    folders = {folder for folder, _, name in manifests if name in _MANIFESTS}
    for folder in sorted(folders, key=lambda folder: (folder.count("/"), folder)):
        words = folder.split("/")
        is_part = any(f"{folder}/".startswith(f"{known}/") for known in found)
        if len(words) <= _DEEPEST and not _NOT_PROJECTS.intersection(words) and not is_part:
            found.append(folder)
    return found[:_MOST_FOLDERS]


def _use_environment(project: DetectedProject, argv: Argv) -> Argv:
    """Return the command with the Python of its own folder: only the root's is on PATH."""
    has_venv = any(".venv" in " ".join(step) or "uv" in step for way in project.setups
        for step in way.fetch)  # fmt: skip
    return (".venv/bin/python", *argv[1:]) if has_venv and argv[0] == "python3" else argv
