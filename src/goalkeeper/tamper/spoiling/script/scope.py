"""Finds where a name of JavaScript was declared, where it is used, and what values it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.syntax import field, text, walk
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTION_TYPES = frozenset(
    {
        "arrow_function", "function_expression", "function_declaration", "method_definition",
        "generator_function", "generator_function_declaration",
    }
)  # fmt: skip
_NAMES = frozenset({"identifier", "shorthand_property_identifier"})
_PATTERN_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_DECLARING = frozenset({"lexical_declaration", "variable_declaration"})
_ROW_METHODS = frozenset({"forEach", "map"})

_BLOCKS = frozenset({"program", "statement_block", "switch_case", "class_static_block"})
_SCOPES = FUNCTION_TYPES | _BLOCKS | {"for_in_statement", "for_statement", "catch_clause"}

_TOLD = late_pattern(r"%[a-zA-Z]")
_MOST_COLUMNS = 1000

Path = tuple[int | str, ...]  # the way from a value to a part of it: `[1, "a"]` is `value[1].a`


class Declaration:
    """A name, by the node that declares it."""

    def __init__(self, name: Node, owner: Node) -> None:
        self.name = name
        self.owner = owner  # a declarator, a function with parameters, a loop, an import, …

    @property
    def key(self) -> int:
        return self.name.start_byte


class ScriptScope:
    def __init__(self, top: Node) -> None:
        self.top = top
        self._uses: dict[str, list[Node]] = {}
        self._declared: dict[int, dict[str, Declaration]] = {}
        for node in walk(top):
            if node.type in _NAMES:
                self._uses.setdefault(text(node), []).append(node)

    def find_declaration(self, use: Node) -> Declaration | None:
        """Find what declares the name that is used here; None if the file does not."""
        name, here = text(use), use.parent
        while here is not None:
            found = self._list_declared(here).get(name)
            if found is not None:
                return found
            here = here.parent
        return None

    def _list_declared(self, here: Node) -> dict[str, Declaration]:
        if here.type not in _SCOPES:
            return {}
        if here.id not in self._declared:
            self._declared[here.id] = {text(each.name): each for each in _find_declared(here)}
        return self._declared[here.id]

    def find_uses(self, declared: Declaration) -> list[Node]:
        """Find the other places where the name stands for this declaration."""
        return [
            use
            for use in self._uses.get(text(declared.name), [])
            if use.start_byte != declared.key
            and (found := self.find_declaration(use)) is not None
            and found.key == declared.key
        ]

    def find_value(self, node: Node) -> Node:
        """Return the expression that a name stands for if nothing else ever uses that name."""
        if node.type != "identifier":
            return node
        declared = self.find_declaration(node)
        if declared is None or declared.owner.type != "variable_declarator":
            return node
        value = field(declared.owner, "value")
        is_plain = field(declared.owner, "name") == declared.name
        return value if value and is_plain and len(self.find_uses(declared)) == 1 else node

    def find_sources(self, declared: Declaration, *, told: bool = False) -> list[Node] | None:
        """Return all expressions whose values the name may have; None if that is not known.

        Those that titles of tests tell are left out, unless they are asked for (`told`).
        """
        owner = declared.owner
        if owner.type == "variable_declarator":
            value = field(owner, "value")
            is_plain = field(owner, "name") == declared.name
            return [value] if is_plain and value is not None else None
        if owner.type == "for_in_statement":
            left, right = field(owner, "left"), field(owner, "right")
            path = find_path(left, declared.name)
            if path is None or right is None or "of" not in {each.type for each in owner.children}:
                return None
            return _follow(self.find_rows(right), path)
        if owner.type in FUNCTION_TYPES:
            return self._find_given(owner, declared.name, told=told)
        return None

    def _find_given(self, function: Node, name: Node, *, told: bool) -> list[Node] | None:
        """Return what is given for a parameter."""
        place, path = None, None
        for number, each in enumerate(parameters_of(function)):
            path = find_path(each, name)
            if path is not None:
                place = number
                break
        if place is None or path is None:
            return None
        call = function.parent.parent if function.parent is not None else None
        if call is not None and call.type == "call_expression" and function != field(call, "body"):
            rows = self._find_callback_rows(call, function)
            if rows is None or (place and rows[1] == "one"):
                return None
            if rows[1] == "one":
                return _follow(rows[0], path)
            if not told and place < _count_told(call):
                return None
            if all(row.type == "array" for row in rows[0]):
                return _follow(rows[0], (place, *path))
            return _follow(rows[0], path) if place == 0 else None
        calls = self.find_calls(function)
        if calls is None:
            return None
        given = [arguments_of(each) for each in calls]
        if any(len(each) <= place or _has_spread(each) for each in given):
            return None
        return _follow([each[place] for each in given], path)

    def _find_callback_rows(self, call: Node, function: Node) -> tuple[list[Node], str] | None:
        """Return the rows that `it.each(rows)` or `rows.forEach` calls the function with."""
        callee = field(call, "function")
        if callee is None or function not in arguments_of(call):
            return None
        if callee.type == "member_expression":
            rows, method = field(callee, "object"), text(field(callee, "property"))
            if rows is not None and method in _ROW_METHODS:
                found = self.find_rows(rows)
                return (found, "one") if found else None
        if callee.type == "call_expression":
            inner = field(callee, "function")
            given = arguments_of(callee)
            method = text(field(inner, "property")) if inner is not None else ""
            if method in {"each", "for"} and len(given) == 1:
                found = self.find_rows(given[0])
                return (found, "one" if method == "for" else "spread") if found else None
        return None

    def find_each_rows(self, call: Node, function: Node) -> list[Node] | None:
        """Return the rows of `it.each(rows)(title, function)`; None if they are not written out."""
        found = self._find_callback_rows(call, function)
        return found[0] if found is not None else None

    def find_rows(self, table: Node) -> list[Node] | None:
        """Return the rows of a table that is written out; None if it is not, or is empty."""
        table = self.find_value(table)
        if table.type == "as_expression" and table.named_children:
            table = table.named_children[0]
        if table.type != "array":
            return None
        rows = [each for each in table.named_children if each.type != "comment"]
        return None if not rows or _has_spread(rows) else rows

    def find_calls(self, function: Node) -> list[Node] | None:
        """Return all calls of a named function; None if it is also used in another way."""
        declared = self.declare_function(function)
        if declared is None:
            return None
        calls = [use.parent for use in self.find_uses(declared)]
        uses = self.find_uses(declared)
        for use, call in zip(uses, calls, strict=True):
            if call is None or call.type != "call_expression" or field(call, "function") != use:
                return None
        return [call for call in calls if call is not None]

    @staticmethod
    def get_part(value: Node, name: str) -> Node | None:
        return _get_part(value, name)

    @staticmethod
    def declare_function(function: Node) -> Declaration | None:
        holder = function if function.type == "function_declaration" else function.parent
        if holder is None or holder.type not in {"function_declaration", "variable_declarator"}:
            return None
        name = field(holder, "name")
        return Declaration(name, holder) if name is not None and name.type == "identifier" else None

    def find_function(self, name: Node) -> Node | None:
        """Return the function that a name stands for."""
        declared = self.find_declaration(name) if name.type == "identifier" else None
        if declared is None:
            return None
        owner = declared.owner
        function = field(owner, "value") if owner.type == "variable_declarator" else owner
        is_named = field(owner, "name") == declared.name
        return function if function and is_named and function.type in FUNCTION_TYPES else None


def parameters_of(function: Node) -> list[Node]:
    single = field(function, "parameter")
    if single is not None:
        return [single]
    listed = field(function, "parameters")
    found = [each for each in listed.named_children if each.type != "comment"] if listed else []
    # TypeScript has nodes of its own for parameters with types.
    return [field(each, "pattern") or each for each in found]


def _find_declared(here: Node) -> Iterator[Declaration]:
    """Yield what a node declares for what is inside of it."""
    if here.type in FUNCTION_TYPES:
        for each in parameters_of(here):
            yield from (Declaration(name, here) for name in _names_in(each))
    elif here.type in _BLOCKS:
        for child in here.named_children:
            inner = field(child, "declaration") if child.type == "export_statement" else child
            if inner is not None:
                yield from _find_in_statement(inner)
    elif here.type == "for_in_statement":
        yield from (Declaration(name, here) for name in _names_in(field(here, "left")))
    elif here.type == "for_statement":
        first = field(here, "initializer")
        yield from _find_in_statement(first) if first is not None else ()
    elif here.type == "catch_clause":
        yield from (Declaration(name, here) for name in _names_in(field(here, "parameter")))


def _find_in_statement(node: Node) -> Iterator[Declaration]:
    if node.type in _DECLARING:
        for each in node.named_children:
            if each.type == "variable_declarator":
                yield from (Declaration(name, each) for name in _names_in(field(each, "name")))
    elif node.type in {"function_declaration", "generator_function_declaration"} or (
        node.type in {"class_declaration", "enum_declaration"}
    ):
        name = field(node, "name")
        if name is not None:
            yield Declaration(name, node)
    elif node.type == "import_statement":
        for each in walk(node):
            is_renamed = each.type == "identifier" and each.parent is not None
            if is_renamed and each.parent is not None:
                alias = field(each.parent, "alias")
                if alias is None or alias == each:
                    yield Declaration(each, node)


def _names_in(pattern: Node | None) -> Iterator[Node]:
    """Yield the names that a pattern declares, without defaults and keys."""
    waiting = [pattern] if pattern is not None else []
    while waiting:
        here = waiting.pop()
        if here.type in _PATTERN_NAMES:
            yield here
        elif here.type in {"assignment_pattern", "object_assignment_pattern"}:
            waiting += [each for each in (field(here, "left"),) if each is not None]
        elif here.type == "pair_pattern":
            waiting += [each for each in (field(here, "value"),) if each is not None]
        else:
            waiting += reversed(here.named_children)


def find_path(pattern: Node | None, name: Node) -> Path | None:
    """Return the way from the value of a pattern to the name in it; None if it is not there."""
    if pattern is None:
        return None
    if pattern == name:
        return ()
    if pattern.type == "array_pattern":
        for number, each in enumerate(pattern.named_children):
            inner = find_path(each, name)
            if inner is not None:
                return None if ",," in text(pattern).replace(" ", "") else (number, *inner)
    if pattern.type == "object_pattern":
        for each in pattern.named_children:
            key, value = field(each, "key"), field(each, "value")
            inner = find_path(value if each.type == "pair_pattern" else each, name)
            if inner is not None:
                return (text(key) if each.type == "pair_pattern" else text(each), *inner)
    return None


def _follow(rows: list[Node] | None, path: Path) -> list[Node] | None:
    """Return the part of each row that the path leads to; None if a row has no such part."""
    found: list[Node] = []
    for row in rows or ():
        here: Node | None = row
        for step in path:
            here = _get_part(here, step)
        if here is None:
            return None
        found.append(here)
    return found or None


def _get_part(value: Node | None, step: int | str) -> Node | None:
    if value is None:
        return None
    if isinstance(step, int):
        items = [each for each in value.named_children if each.type != "comment"]
        is_fit = value.type == "array" and not _has_spread(items) and len(items) > step
        return items[step] if is_fit else None
    if value.type != "object" or _has_spread(value.named_children):
        return None
    for each in value.named_children:
        if each.type == "pair" and text(field(each, "key")).strip("'\"") == step:
            return field(each, "value")
    return None


def _count_told(call: Node) -> int:
    """Return how many columns of a row the title of `it.each(rows)` tells: it must stay."""
    title = text(arguments_of(call)[0])
    return _MOST_COLUMNS if "$" in title else len(_TOLD.findall(title.replace("%%", "")))


def _has_spread(nodes: list[Node]) -> bool:
    return any(each.type == "spread_element" for each in nodes)
