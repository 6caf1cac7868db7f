"""Names and commands that a change adds, read from its files."""

from collections.abc import Mapping, Sequence

from goalkeeper.loop.offers import list_new_commands, list_new_exports
from tests.tables import for_each


class Tree:
    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def list_paths(self) -> Sequence[str]:
        return [*self._files]

    def read_file(self, path: str) -> bytes | None:
        return self._files.get(path)


@for_each(
    "path, old, new, told",
    [
        ("a.py", b"x = 1", b"x = 1\ny = z = 2\nclass K: pass", ["a.py: y, z, K"]),
        ("a.py", None, b"async def f(): ...\nimport os\nif x: g = 1", ["a.py: f"]),
        ("a.py", b"def f(): ...", None, []),
        ("a.py", b"x = 1", b"def f(:", []),
        ("tests/test_a.py", None, b"def test_x(): ...", []),
        (
            "a.ts",
            b"export const a = 1",
            b"export const a = 1;\nexport default async function b() {}\nexport type C = 1",
            ["a.ts: b, C"],
        ),
        ("notes.md", None, b"x = 1", []),
    ],
)
def test_new_public_names_of_the_product_are_told(
    path: str, old: bytes | None, new: bytes | None, told: list[str]
) -> None:
    before, after = (Tree({path: data} if data else {}) for data in (old, new))

    assert list_new_exports(before, after, [path]) == told


@for_each(
    "path, old, new, told",
    [
        ("web/package.json", b"{}", b'{"scripts": {"lint": "x"}, "bin": {"w": "w.js"}}',
         ["npm run lint", "w"]),
        ("package.json", b"{}", b'{"scripts": ["lint"]}', []),
        ("package.json", b"{}", b"{", []),
        ("pyproject.toml", None, b"[project]\nscripts = {a = 'b:c'}", ["a"]),
        ("pyproject.toml", None, b"[project", []),
        ("Makefile", b"all: a\n", b"V := 1\nall: a\ntest: all\n\tpytest\n.PHONY: test",
         ["make test"]),
        ("GNUmakefile", None, b"lint:\n", ["make lint"]),
        ("setup.cfg", None, b"all: a", []),
    ],
)  # fmt: skip
def test_new_commands_of_project_files_are_told(
    path: str, old: bytes | None, new: bytes, told: list[str]
) -> None:
    before, after = Tree({path: old} if old else {}), Tree({path: new})

    assert list_new_commands(before, after, [path]) == told
