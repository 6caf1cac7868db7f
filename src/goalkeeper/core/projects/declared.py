"""The packages that a project declares that it needs, read from the text of its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from goalkeeper.core.projects.commands import PACKAGE, ReadText, read_package_table
from goalkeeper.wire.pattern import late_pattern

PYPROJECT = "pyproject.toml"
REQUIREMENTS = late_pattern(
    r"(?:.*/)?(?:requirements[^/]*|constraints)\.(?:txt|in)|requirements/.*"
)
_DECLARING = late_pattern(r"(?:.*/)?(?:pyproject\.toml|package\.json|setup\.cfg|setup\.py|Pipfile)")
_NAME = late_pattern(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_QUOTED = late_pattern(
    r"""["']([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;@][^"']*)?["']"""
)
_NODE_TABLES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
# Modules that have another name than the package that brings them.
_PACKAGES_OF_MODULES = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "jose": "python-jose",
    "jwt": "pyjwt",
    "pil": "pillow",
    "pkg-resources": "setuptools",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}


def normalize_name(name: str) -> str:
    """Return the one spelling of a package's name that pip compares."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_declared(module: str, paths: Iterable[str], read: ReadText) -> bool:
    """Return whether a module, by its first name, is of a package that the project declares."""
    name = normalize_name(module)
    wanted = {name, _PACKAGES_OF_MODULES.get(name, name)}
    declaring = (p for p in paths if _DECLARING.fullmatch(p) or REQUIREMENTS.fullmatch(p))
    return any(wanted & {*map(normalize_name, _list_names(path, read(path)))} for path in declaring)


def _list_names(path: str, text: str) -> Iterator[str]:
    last = path.rpartition("/")[2]
    if last == PYPROJECT:
        for requirement in list_requirements(read_toml(text)):
            yield from _NAME.findall(requirement)
    elif last == PACKAGE:
        for table in _NODE_TABLES:
            yield from read_package_table(text, table)
    elif last == "Pipfile":
        document = read_toml(text)
        for name in ("packages", "dev-packages"):
            yield from find_table(document, name)
    elif last == "setup.py":
        yield from _list_setup_names(text)
    else:  # requirements, and the lists of setup.cfg
        for line in text.splitlines():
            yield from _NAME.findall(line)


def _list_setup_names(text: str) -> Iterator[str]:
    """List the names in the lists of requirements that a setup.py writes out."""
    for listed in re.findall(r"_requires?\s*=\s*[\[{](.*?)[\]}]\s*[,)\n]", text, re.DOTALL):
        yield from _QUOTED.findall(listed)


def read_toml(text: str) -> dict[str, Any]:
    """Read a TOML document; it is empty if it cannot be read."""
    import tomllib  # noqa: PLC0415  slow, and most commands read no project

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def find_table(document: dict[str, Any], *names: str) -> dict[str, Any]:
    """Find a table in a document by the names on the way to it; it is empty if there is none."""
    for name in names:
        found = document.get(name)
        document = found if isinstance(found, dict) else {}
    return document


def list_requirements(pyproject: dict[str, Any]) -> Iterator[str]:
    """List what the project needs, and what its extras, its groups and its tools need."""
    project = find_table(pyproject, "project")
    lists: list[object] = [project.get("dependencies")]
    lists += find_table(project, "optional-dependencies").values()
    lists += find_table(pyproject, "dependency-groups").values()
    lists += find_table(pyproject, "tool", "pdm", "dev-dependencies").values()
    lists.append(find_table(pyproject, "tool", "uv").get("dev-dependencies"))
    for listed in lists:
        yield from _list_texts(listed)
    poetry = find_table(pyproject, "tool", "poetry")
    groups = find_table(poetry, "group").values()
    yield from find_table(poetry, "dependencies")
    yield from find_table(poetry, "dev-dependencies")
    for group in groups:
        yield from find_table(group if isinstance(group, dict) else {}, "dependencies")


def _list_texts(listed: object) -> Sequence[str]:
    return [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
