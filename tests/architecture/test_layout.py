"""How the house is laid out, beyond what import-linter can hold."""

import ast
from pathlib import Path

from tests.tables import for_each

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src" / "goalkeeper"
HOSTS = ROOT / "bench" / "foulplay" / "hosts"  # projects to cheat on, not ours
AROUND = [
    path
    for name in ("tests", "bench", "tools")
    for path in (ROOT / name).rglob("*.py")
    if HOSTS not in path.parents
]
MODULES = sorted(HOUSE.rglob("*.py"))
PURE_MODULES = [m for m in MODULES if m.relative_to(HOUSE).parts[0] in {"core", "wire"}]
PACKAGES = sorted({module.parent for module in MODULES})
MOST_LINES = 400


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@for_each("module", [*MODULES, *sorted(AROUND)], ids=named)
def test_a_module_fits_in_the_head(module: Path) -> None:
    assert len(module.read_text().splitlines()) <= MOST_LINES


@for_each("module", PURE_MODULES, ids=named)
def test_a_pure_module_neither_reads_nor_writes(module: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)]
    names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}

    assert names.isdisjoint({"open", "print", "input"})


@for_each("package", PACKAGES, ids=named)
def test_a_package_says_what_it_is_for_or_says_nothing(package: Path) -> None:
    tree = ast.parse((package / "__init__.py").read_text())

    assert ast.get_docstring(tree) or not tree.body


def test_no_class_name_stands_twice() -> None:
    """A reader who meets a name knows which class is meant."""
    places: dict[str, list[str]] = {}
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(named(module))

    assert {name: where for name, where in places.items() if len(where) > 1} == {}
