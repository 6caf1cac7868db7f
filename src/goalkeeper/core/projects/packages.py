"""How projects of other languages are set up: npm, pnpm, yarn, bun; cargo, go, bundler."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from goalkeeper.core.projects.commands import PACKAGE, read_package_table
from goalkeeper.core.projects.ways import Argv, HasProgram, ProjectFiles, SetupWay
from goalkeeper.wire.pattern import late_pattern

_NPM, _PNPM, _YARN, _BUN = "npm", "pnpm", "yarn", "bun"
# By its lockfile: the program, how it fetches, and how it builds what it fetched.
_NODE: Mapping[str, tuple[str, Argv, Argv]] = {
    "pnpm-lock.yaml": (_PNPM, ("install", "--frozen-lockfile"), ("rebuild",)),
    "bun.lock": (_BUN, ("install", "--frozen-lockfile", "--ignore-scripts"), ()),
    "bun.lockb": (_BUN, ("install", "--frozen-lockfile", "--ignore-scripts"), ()),
    "yarn.lock": (_YARN, ("install", "--frozen-lockfile", "--ignore-scripts"), ()),
    "package-lock.json": (_NPM, ("ci", "--no-audit", "--no-fund"), ("rebuild",)),
    "npm-shrinkwrap.json": (_NPM, ("ci", "--no-audit", "--no-fund"), ("rebuild",)),
}
_UNLOCKED: Argv = ("npm", "install", "--no-package-lock", "--no-audit", "--no-fund")
_BERRY = late_pattern(r"^__metadata:", re.MULTILINE)  # yarn 2 and later write this
_BERRY_FETCH: Argv = ("env", "YARN_ENABLE_GLOBAL_CACHE=0", "yarn", "install", "--immutable")
_RUNS_SCRIPTS = late_pattern(r'"hasInstallScript": true|^\s+requiresBuild: true', re.MULTILINE)
_TABLES = ("dependencies", "devDependencies", "optionalDependencies")
_NPM_BATS: Argv = (
    "npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "bats",
)  # fmt: skip
# Some versions of npm link no programs of a package that names only their folder.
_LINK_BATS: Argv = (
    "sh", "-c", "mkdir -p node_modules/.bin && ln -sf ../bats/bin/bats node_modules/.bin/bats",
)  # fmt: skip
CARGO_HOME = ".cargo-home"
GO_CACHE = "$PWD/.go-packages"
# go keeps what it compiled and looked through below the home, and the home of a check is empty.
_GO_BUILD = 'GOCACHE=$PWD/.go-build go test -run "^$" ./... || true'


def name_node_program(files: ProjectFiles) -> str:
    """Name the program that the project's lockfile is of."""
    return next((row[0] for lock, row in _NODE.items() if files.has(lock)), _NPM)


def find_node_ways(files: ProjectFiles, has_program: HasProgram) -> list[SetupWay]:
    package = files.read(PACKAGE)
    if not files.has(PACKAGE):
        return []
    lacking: list[str] = []
    for lock, (program, fetch, build) in _NODE.items():
        if files.has(lock):
            ways = _use_lockfile(files, lock, (program, *fetch), build)
            missing = ways[0].list_lacking(has_program)
            if not missing:
                return ways
            lacking += missing
    if not any(read_package_table(package, name) for name in _TABLES):
        return []
    notes = (*lacking, "no lockfile pins what is installed")
    return [SetupWay(PACKAGE, (_UNLOCKED,), (), (_NPM,), notes)]


def _use_lockfile(files: ProjectFiles, lock: str, fetch: Argv, build: Argv) -> list[SetupWay]:
    text = files.read(lock)
    if lock == "yarn.lock" and _BERRY.search(text):
        fetch = _BERRY_FETCH
    program = fetch[0] if fetch[0] != "env" else _YARN
    way = SetupWay(lock, (fetch,), (), (program,))
    if build and _RUNS_SCRIPTS.search(text):
        # Scripts of packages may want the network: then tests may do without what they make.
        return [way.replace(setup=((program, *build),)), way.replace(name=f"{lock}, no scripts")]
    return [way]


def find_other_ways(files: ProjectFiles) -> list[list[SetupWay]]:
    """Find the ways of cargo, go and bundler."""
    found = []
    if needs_crates(files):
        locked = ("--locked",) if files.has("Cargo.lock") else ()
        fetch: Argv = ("env", f"CARGO_HOME={CARGO_HOME}", "cargo", "fetch", *locked)
        found.append([SetupWay("Cargo.lock" if locked else "Cargo.toml", (fetch,), (), ("cargo",))])
    if files.has("go.mod"):
        found.append([_use_go(files)])
    if files.has("Gemfile"):
        local: Argv = ("bundle", "config", "set", "--local", "path", "vendor/bundle")
        install: Argv = ("bundle", "install", "--quiet")
        found.append([SetupWay("Gemfile.lock", (local, install), (), ("bundle",))])
    return found


def _use_go(files: ProjectFiles) -> SetupWay:
    if "require" not in files.read("go.mod"):
        return SetupWay("go.mod", (), (("sh", "-c", _GO_BUILD),), ("go",))
    download: Argv = ("sh", "-c", f"GOMODCACHE={GO_CACHE} GOFLAGS=-modcacherw go mod download")
    build: Argv = ("sh", "-c", f"GOMODCACHE={GO_CACHE} GOFLAGS=-mod=mod {_GO_BUILD}")
    return SetupWay("go.mod", (download,), (build,), ("go",))


def needs_crates(files: ProjectFiles) -> bool:
    """Return whether cargo has to fetch anything."""
    is_told = "dependencies]" in files.read("Cargo.toml")
    return is_told or 'source = "' in files.read("Cargo.lock")


def find_bats_ways(files: ProjectFiles, has_program: HasProgram) -> list[SetupWay]:
    """Find the way to bats where nobody installed it: npm has it, too."""
    has_tests = any(path.endswith(".bats") for path in files.paths)
    is_there = has_program("bats") or "bats" in list_node_packages(files)
    is_needed = has_tests and has_program(_NPM) and not is_there
    return [SetupWay("bats of npm", (_NPM_BATS, _LINK_BATS), (), (_NPM,))] if is_needed else []


def list_node_packages(files: ProjectFiles) -> frozenset[str]:
    tables = (read_package_table(files.read(PACKAGE), name) for name in _TABLES)
    return frozenset(chain.from_iterable(tables))
