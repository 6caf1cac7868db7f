"""Whoever adds a client adds one folder and one row of a table: nothing else names a client."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from goalkeeper.wire.clients import AGENTS, CLIENTS

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src" / "goalkeeper"
ROOMS = HOUSE / "clients"
TABLE = HOUSE / "wire" / "clients.py"
# An example in a command's help names one client. It stays right when there are more.
HELP = re.compile(r"(?:^|\n)goalkeeper \w.*")
JSON_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
# Other things of that name.
ALLOWED = {
    ("witness/captures/terminal.py", "cursor"),  # of a terminal
    ("tamper/syntax.py", "cursor"),  # of a query
    ("clients/opencode/run.py", "gemini"),  # the key of a provider, which has the same name
}


def list_texts(path: Path) -> Iterator[str]:
    """Identifiers and strings; a string that stands alone is a docstring."""
    if path.suffix == ".json":
        yield from json.loads(f"[{', '.join(JSON_TEXT.findall(path.read_text()))}]")
        return
    if path.suffix != ".py":
        yield from (line.partition("#")[0] for line in path.read_text().splitlines())
        return
    nodes = list(ast.walk(ast.parse(path.read_bytes())))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if id(node) not in alone:
            yield from (value for _, value in ast.iter_fields(node) if isinstance(value, str))


def list_named(path: Path) -> set[str]:
    """The clients that a file names, in letters of any case and within names such as CODEX_HOME."""
    text = " ".join(HELP.sub("", each) for each in list_texts(path)).lower()
    return {name for name in CLIENTS if name in text}


def test_no_file_but_the_table_and_its_own_folder_names_a_client() -> None:
    found = {
        (path.relative_to(HOUSE).as_posix(), name)
        for path in HOUSE.rglob("*")
        if path.suffix in {".json", ".py", ".sh"} and path != TABLE
        for name in list_named(path)
        if ROOMS / name not in path.parents
    }

    assert found - ALLOWED == set()


def test_every_row_of_the_table_has_a_folder_with_all_its_modules() -> None:
    needed = {name: {"hook.py", "install.py"} for name in CLIENTS}
    for name in AGENTS:
        needed[name] |= {"run.py"}

    assert {name: {p.name for p in (ROOMS / name).glob("*.py")} for name in CLIENTS} == {
        name: {"__init__.py", *modules} for name, modules in needed.items()
    }


def test_a_folder_of_a_client_loads_nothing_by_itself() -> None:
    """A hook loads the package on its way to hook.py."""
    packages = [ROOMS, *(ROOMS / name for name in CLIENTS)]
    bodies = [ast.parse((package / "__init__.py").read_text()).body for package in packages]

    assert all(len(body) == 1 and isinstance(body[0], ast.Expr) for body in bodies)
