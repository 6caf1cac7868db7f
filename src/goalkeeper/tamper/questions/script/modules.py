"""Statements that load what a test file of JavaScript imports or requires, from any folder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.javascript.names import resolve_module
from goalkeeper.tamper.questions.script.words import list_words
from goalkeeper.tamper.spoiling.script.scope import Declaration
from goalkeeper.tamper.syntax import field, text
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

ROOT = "<root>/"  # the way to the root of the tree, in statements
_REQUIRED = late_pattern(r"require\(\s*['\"]([^'\"]+)['\"]\s*\)((?:\.\w+)*)")
_RUNNERS = late_pattern(
    r"(?:node:)?(?:test|assert)(?:/.*)?|@?(?:jest|vitest|playwright|testing-library|sinonjs)(?:/.*)?"
    r"|(?:mocha|chai|ava|tap|tape|uvu|qunit|expect|sinon|should|power-assert|supertest|nock|bun:test)"
    r"(?:[/.-].*)?"
)


class LoadedName(Value):
    """A name, and the statement that binds it; it is the product's, or of the language."""

    name: str
    statement: str
    is_product: bool


def find_loaded(declared: Declaration, path: str) -> LoadedName | None:
    """Return how a name is loaded; None if nothing loads it, or if what does belongs to tests."""
    owner = declared.owner
    if owner.type == "import_statement":
        module, pattern = text(field(owner, "source")).strip("'\""), _write_imported(declared.name)
        after, call = "", "await import"
    elif (found := _find_required(owner)) is not None and _is_at_top(owner):
        module, after, pattern = found[1], found[2], text(field(owner, "name"))
        call = "require"
    else:
        return None
    module = _move_to_root(path, module)
    if not module:
        return None
    plain = module.removeprefix("node:").partition("/")[0]
    is_product = not module.startswith("node:") and plain not in list_words("standard")
    statement = f'var {pattern} = {call}("{module}"){after};'
    return LoadedName(text(declared.name), statement, is_product)


def _find_required(owner: Node) -> re.Match[str] | None:
    value = field(owner, "value") if owner.type == "variable_declarator" else None
    return _REQUIRED.fullmatch(text(value)) if value is not None else None


def _is_at_top(declarator: Node) -> bool:
    around = declarator.parent.parent if declarator.parent is not None else None
    return around is not None and around.type == "program"


def _write_imported(name: Node) -> str:
    """Write an import as a pattern for the module."""
    parent = name.parent
    if parent is None or parent.type == "namespace_import":
        return text(name)
    if parent.type == "import_specifier":
        own = text(field(parent, "name"))
        return f"{{ {own}: {text(name)} }}"
    return f"{{ default: {text(name)} }}"


def _move_to_root(path: str, module: str) -> str:
    """Return the name of a module as the root knows it; empty for what belongs to tests."""
    if '"' in module or "\\" in module or _RUNNERS.fullmatch(module):
        return ""
    if not module.startswith("."):
        return module
    place = resolve_module(path, module)
    if place.startswith("..") or is_test(place) or is_test(f"{place}.js"):
        return ""
    is_folder = module.endswith(("/", "/.", "/..")) or module in {".", ".."}
    return ROOT + ("" if place == "." else place) + ("/" if is_folder and place != "." else "")


def is_typed(path: str) -> bool:
    return path.endswith(("ts", "tsx"))
