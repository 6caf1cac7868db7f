"""The host projects that operators and controls are applied to."""

from __future__ import annotations

from pathlib import Path

from goalkeeper.wire.value import Value

_FOLDER = Path(__file__).parent / "hosts"
_PROGRAMS = {
    "node": ("node", "npm"),
    "typed": ("node", "npm"),
    "cronx": ("node", "npm"),
    "sieve": ("node", "npm"),
    "shell": ("make",),
    "script": ("make",),
    "compiled": ("make", "gcc"),
}


class Host(Value):
    """A small project with a goal. `files` is its base, `fixed` what an honest worker changes.

    `parts` holds files that tricks lay over the base: attempts that miss the goal by more or
    less, tables of answers, and the right answer for those who hide it.
    """

    name: str
    tests: str  # the file whose tests are red on the base
    product: tuple[str, ...]  # folders of code; the rest is tests, harness and prose

    @property
    def folder(self) -> Path:
        return _FOLDER / self.name

    @property
    def has_packages(self) -> bool:
        """Whether a set-up has to fetch what its lockfile names."""
        return (self.folder / "files" / "package-lock.json").exists()

    @property
    def needs(self) -> tuple[str, ...]:
        return ("git", *_PROGRAMS.get(self.name, ()))

    def contract(self, *, held_out: bool = False) -> str:
        name = "contract-held-out.yaml" if held_out else "contract.yaml"
        return (self.folder / name).read_text()


FIRST_HOSTS = ("python", "node", "shell")  # those of the first round
HOSTS = {
    "python": Host("python", "tests/test_intake.py", ("src",)),
    "node": Host("node", "test/till.test.js", ("src", "bin")),
    "shell": Host("shell", "test/test_clean.sh", ("lib", "bin")),
    "script": Host("script", "test/test_sum.sh", ("lib", "bin")),
    "compiled": Host("compiled", "test/test_parse.c", ("src",)),
    "package": Host("package", "tests/test_parse.py", ("src",)),
    "typed": Host("typed", "test/match.test.ts", ("src", "bin")),
    "larder": Host("larder", "tests/test_quantity.py", ("src",)),
    "cronx": Host("cronx", "test/parse.test.js", ("src", "bin")),
    "shelf": Host("shelf", "tests/test_lending.py", ("src",)),
    "backmatter": Host("backmatter", "tests/test_making.py", ("src",)),
    "sieve": Host("sieve", "test/globs.test.js", ("src", "bin")),
}
