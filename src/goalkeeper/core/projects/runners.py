"""The commands that test and lint a project, by its files and by what it declares."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from goalkeeper.core.projects.commands import (
    PACKAGE,
    list_targets,
    read_makefile,
    read_package_table,
)
from goalkeeper.core.projects.declared import PYPROJECT
from goalkeeper.core.projects.packages import (
    CARGO_HOME,
    GO_CACHE,
    list_node_packages,
    name_node_program,
    needs_crates,
)
from goalkeeper.core.projects.ways import Argv, ProjectFiles, split_folder
from goalkeeper.wire.pattern import late_pattern

_DISCOVER = ("python3", "-m", "unittest", "discover")
_BELOW = {"": _DISCOVER, "tests": (*_DISCOVER, "-s", "tests", "-t", ".")}
_LOOSE = (*_DISCOVER, "-s", "tests")  # the folder of tests is no package
_MAKE = {name: ("make", name) for name in ("test", "lint", "check")}
_NODE_PROGRAMS = ("npm", "pnpm", "yarn", "bun")
_PYTEST: Argv = ("python3", "-m", "pytest")
_RUFF: Argv = ("ruff", "check")
# Runners of a package.json that has no script for tests, by the package that brings them.
_NODE_RUNNERS: dict[str, Argv] = {
    "vitest": ("npx", "vitest", "run"),
    "jest": ("npx", "jest"),
    "mocha": ("npx", "mocha"),
    "ava": ("npx", "ava"),
}
_NODE_TEST: Argv = ("node", "--test")
_CARGO: Argv = ("cargo", "test")
_CARGO_OFFLINE: Argv = ("env", f"CARGO_HOME={CARGO_HOME}", "cargo", "test", "--offline")
_GO: Argv = ("go", "test", "./...")
_GO_OFFLINE: Argv = ("sh", "-c", f"GOMODCACHE={GO_CACHE} GOFLAGS=-mod=mod go test ./...")
_MARKERS: dict[str, Argv] = {
    "tox.ini": ("tox",),
    "noxfile.py": ("nox",),
    "pom.xml": ("mvn", "-q", "test"),
    "mix.exs": ("mix", "test"),
}
_RUBY: dict[str, Argv] = {
    "spec": ("bundle", "exec", "rspec"),
    "Rakefile": ("bundle", "exec", "rake", "test"),
}
_NO_TESTS = late_pattern(r"no test specified")
_NODE_TEST_FILE = late_pattern(r"(?:.*/)?(?:test/.*|.*[.-]test)\.[cm]?js")
_BATS_FOLDERS = ("test", "tests", "spec", "t")
_BATS: dict[str, Argv] = {
    "": ("bats", "."),
    **{folder: ("bats", "-r", folder) for folder in _BATS_FOLDERS},
}
_NPX = "npx"

# These commands are chosen without asking, so a repository that names them asks for no more.
DETECTED_COMMANDS: frozenset[Argv] = frozenset(
    (
        *_BELOW.values(), _LOOSE, *_MAKE.values(), _PYTEST, _RUFF, _NODE_TEST, _CARGO, _GO,
        _CARGO_OFFLINE, _GO_OFFLINE, *_NODE_RUNNERS.values(), *_RUBY.values(), *_BATS.values(),
        *((_NPX, *argv) for argv in _BATS.values()),
        *((name, "test") for name in _NODE_PROGRAMS),
        *((name, "run", script) for name in _NODE_PROGRAMS for script in ("test", "lint")),
        *_MARKERS.values(),
    )
)  # fmt: skip

FindCommands: TypeAlias = Callable[[ProjectFiles], list[Argv]]


def find_verify_ways(files: ProjectFiles) -> list[list[Argv]]:
    """Find lists of commands that verify the project; the second is for where the first is red."""
    makes, native = _find_make(files), _find_native(files)
    return [found for found in (makes, native) if found]


def _find_native(files: ProjectFiles) -> list[Argv]:
    found = [argv for find in _FINDERS for argv in find(files)]
    return found or [argv for name, argv in _MARKERS.items() if files.has(name)][:1]


def list_runner_packages(commands: list[Argv]) -> list[str]:
    """List the packages of PyPI that these commands need; the project may not declare them."""
    return ["pytest"] if _PYTEST in commands else []


def is_linter(argv: Argv) -> bool:
    """Return whether a command looks at how code is written, and runs no tests."""
    _, own = split_folder(argv)
    return own[-1] == "lint" or own == _RUFF


def is_detected(argv: Argv) -> bool:
    """Return whether a command is one of those that are chosen without asking, in any folder."""
    return split_folder(argv)[1] in DETECTED_COMMANDS


def _find_make(files: ProjectFiles) -> list[Argv]:
    targets = list_targets(read_makefile(files.read))
    return [argv for target, argv in _MAKE.items() if target in targets]


def _find_node(files: ProjectFiles) -> list[Argv]:
    if not files.has(PACKAGE):
        return []
    scripts = read_package_table(files.read(PACKAGE), "scripts")
    program = name_node_program(files)
    found: list[Argv] = []
    if "test" in scripts and not _NO_TESTS.search(str(scripts["test"])):
        found.append((program, "run", "test") if program == "bun" else (program, "test"))
    else:
        packages = list_node_packages(files)
        found += [argv for name, argv in _NODE_RUNNERS.items() if name in packages][:1]
        if not found and _has_node_tests(files):
            found.append(_NODE_TEST)
    return [*found, (program, "run", "lint")] if "lint" in scripts else found


def _has_node_tests(files: ProjectFiles) -> bool:
    tests = (path for path in files.paths if _NODE_TEST_FILE.fullmatch(path))
    return any("node:test" in files.read(path) for path in tests)


def _find_python(files: ProjectFiles) -> list[Argv]:
    pyproject = files.read(PYPROJECT)
    configured = "[tool.pytest" in pyproject or files.has("pytest.ini", "conftest.py")
    configured = configured or "[tool:pytest]" in files.read("setup.cfg")
    has_tests = any(path.startswith(("tests/", "test/")) for path in files.paths)
    is_asked = configured or files.declares("pytest")
    found = [_PYTEST] if is_asked or (pyproject and has_tests) else _find_unittest(files)
    has_ruff = "[tool.ruff" in pyproject or files.has("ruff.toml")
    return [*found, _RUFF] if has_ruff else found


def _find_unittest(files: ProjectFiles) -> list[Argv]:
    """Find tests of unittest where its own search finds them: in the root, or below `tests`."""
    for folder, argv in _BELOW.items():
        named = re.compile(rf"{folder + '/' if folder else ''}test[^/]*\.py")
        tests = sorted(path for path in files.paths if named.fullmatch(path))
        if any("unittest" in files.read(path) for path in tests):
            is_package = not folder or files.has(f"{folder}/__init__.py")
            return [argv if is_package else _LOOSE]
    return []


def _find_compiled(files: ProjectFiles) -> list[Argv]:
    found: list[Argv] = []
    if files.has("Cargo.toml"):
        found.append(_CARGO_OFFLINE if needs_crates(files) else _CARGO)
    if files.has("go.mod"):
        found.append(_GO_OFFLINE if "require" in files.read("go.mod") else _GO)
    return found


def _find_ruby(files: ProjectFiles) -> list[Argv]:
    if not files.has("Gemfile"):
        return []
    has_specs = any(path.startswith("spec/") for path in files.paths)
    return [_RUBY["spec"]] if has_specs else [_RUBY["Rakefile"]] if files.has("Rakefile") else []


def _find_bats(files: ProjectFiles) -> list[Argv]:
    tests = [path for path in files.paths if path.endswith(".bats")]
    folders = {path.split("/")[0] if "/" in path else "" for path in tests}
    chosen = next((name for name in _BATS if name in folders), None)
    if chosen is None or _find_node(files):  # a script of package.json knows how they run
        return []
    is_declared_in_node = "bats" in list_node_packages(files)
    return [(_NPX, *_BATS[chosen])] if is_declared_in_node else [_BATS[chosen]]


_FINDERS: tuple[FindCommands, ...] = (
    _find_node, _find_python, _find_compiled, _find_ruby, _find_bats,
)  # fmt: skip
