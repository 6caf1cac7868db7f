"""Which files set-up depends on, and which line says why it failed."""

from goalkeeper.git.folders import Blob
from goalkeeper.witness.setup import find_cause, list_lockfiles
from tests.tables import for_each

LOCKFILES = (
    "uv.lock", "requirements.txt", "requirements-dev.in", "poetry.lock", "package-lock.json",
    "sub/pnpm-lock.yaml", "go.sum", "Cargo.lock", "pyproject.toml", "bun.lockb", "setup.py",
)  # fmt: skip


def test_lockfiles_are_known_by_their_names() -> None:
    others = ("lock.py", "requirements.md", "src/setup.pyx")
    entries = {path: Blob("100644", path) for path in (*LOCKFILES, *others)}

    assert list_lockfiles(entries) == {path: path for path in LOCKFILES}


@for_each(
    ("printed", "cause"),
    [
        ("", ""),
        ("one\ntwo\n\n", "two"),
        (
            "npm error code\nnpm error it is so\nnpm error more\nnpm notice",
            "npm error it is so",
        ),
        ("ERROR: no such package\n[notice] update pip", "ERROR: no such package"),
        ("error: it is so\nthat was all", "error: it is so"),
        ("[1 lines of output]\nit is so\n[end of output]\nerror", "it is so"),
        ("[0 lines of output]\n[end of output]\nerror: it is so", "error: it is so"),
    ],
)
def test_the_line_that_says_why_is_found(printed: str, cause: str) -> None:
    assert find_cause(printed) == cause
